"""ML-EAT (Wolfe et al.)."""
