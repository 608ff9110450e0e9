"""Evidence from a source: arrays with their labels and provenance."""

from crossroads.evidence.contexts import Contexts
from crossroads.evidence.embeddings import Embeddings, Match
from crossroads.evidence.judgement_files import read_demographics, read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.evidence.logits import Logits
from crossroads.evidence.provenance import Provenance

__all__ = [
    "Contexts",
    "Embeddings",
    "Judgements",
    "Logits",
    "Match",
    "Provenance",
    "read_demographics",
    "read_judgements",
]
