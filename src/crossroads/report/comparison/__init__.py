"""Comparison of several audits."""
