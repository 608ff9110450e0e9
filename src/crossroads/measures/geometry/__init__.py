"""Representational similarity analysis."""
