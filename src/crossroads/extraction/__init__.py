"""Models at work: contexts to vectors and prompts to logits, resumable, on this machine or on Ray."""

from crossroads.extraction.assembling import Step
from crossroads.extraction.embedding import ENGINES, embed
from crossroads.extraction.importing import import_store
from crossroads.extraction.probing import ProbeStep, probe

__all__ = ["ENGINES", "ProbeStep", "Step", "embed", "import_store", "probe"]
