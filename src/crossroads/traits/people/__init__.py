"""Judgements of people, and how well scores agree with them."""
