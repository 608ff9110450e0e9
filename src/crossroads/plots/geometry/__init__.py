"""Figures of representational similarity."""
