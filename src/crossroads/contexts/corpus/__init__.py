"""Sentences of large corpora in which stimuli occur."""

from crossroads.contexts.corpus.search import find_contexts
from crossroads.contexts.corpus.store import (
    SAMPLE,
    Context,
    Counts,
    Found,
    StoredContexts,
    WordCoverage,
    read_contexts,
    write_contexts,
)

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
