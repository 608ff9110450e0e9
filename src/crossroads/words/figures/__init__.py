"""Figures of association tests on word vectors."""
