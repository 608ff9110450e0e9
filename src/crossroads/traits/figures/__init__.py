"""Figures of groups and traits."""
