"""What came back from a source: arrays, their labels, and where they came from."""

from crossroads.evidence.contexts import Contexts
from crossroads.evidence.embeddings import Embeddings, Match
from crossroads.evidence.provenance import Provenance

__all__ = ["Contexts", "Embeddings", "Match", "Provenance"]
