"""Figures of trait scores: heat maps, profiles, and what pairs of identities add."""
