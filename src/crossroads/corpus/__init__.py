"""Sentences out of large corpora: where the stimuli stand, and in which words."""

from crossroads.corpus.found import Context, Counts, Found, WordCoverage
from crossroads.corpus.reservoir import SAMPLE
from crossroads.corpus.searching import find_contexts
from crossroads.corpus.storing import StoredContexts, read_contexts, write_contexts

__all__ = [
    "SAMPLE",
    "Context",
    "Counts",
    "Found",
    "StoredContexts",
    "WordCoverage",
    "find_contexts",
    "read_contexts",
    "write_contexts",
]
