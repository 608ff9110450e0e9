"""Pairs of identities, and how they are spelled in a sentence."""
