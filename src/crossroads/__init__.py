"""Measure the social and intersectional associations that a model has learned."""

from crossroads.evidence import Embeddings, Provenance

__version__ = "0.1.0"

__all__ = ["Embeddings", "Provenance", "__version__"]
