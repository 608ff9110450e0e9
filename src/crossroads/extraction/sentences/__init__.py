"""Scores of sentences from language models."""
