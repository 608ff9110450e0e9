"""Figures of intersectional groups and of geometry."""
