"""Probes of language models about groups and traits."""
