"""Two models compared on the same words."""
