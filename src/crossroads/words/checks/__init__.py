"""Checks of a test: other words, frequency, arbitrary topics, and the space itself."""
