"""Figures of association tests on contextual models."""
