"""Models behind an HTTP service."""
