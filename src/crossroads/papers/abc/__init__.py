"""Groups and ABC traits (Cao et al.)."""
