"""Contexts to vectors: resumable, on this machine or on Ray."""

from crossroads.extraction.assembling import Step
from crossroads.extraction.embedding import ENGINES, embed
from crossroads.extraction.importing import import_store

__all__ = ["ENGINES", "Step", "embed", "import_store"]
