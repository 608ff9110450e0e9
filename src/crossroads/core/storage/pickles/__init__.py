"""Pickle files, read without running any code in them."""
