"""Designs and lists read from files that users write."""
