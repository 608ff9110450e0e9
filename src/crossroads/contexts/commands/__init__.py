"""Commands of contexts."""
