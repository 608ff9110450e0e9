"""Saved results of any kind, read back."""
