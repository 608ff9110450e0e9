"""Evidence from a source: arrays with their labels and provenance."""

from crossroads.core.evidence.contexts import Contexts
from crossroads.core.evidence.embeddings import Embeddings, Match, Provenance

__all__ = ["Contexts", "Embeddings", "Match", "Provenance"]
