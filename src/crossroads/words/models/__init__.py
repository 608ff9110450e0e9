"""Vectors of words from models and services."""
