"""Formatting of numbers, p-values, phrases and tables, for every kind of output."""
