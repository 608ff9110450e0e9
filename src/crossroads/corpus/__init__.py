"""Sentences of large corpora in which stimuli occur."""

from crossroads.corpus.sample import SAMPLE, Context, Counts, Found, WordCoverage
from crossroads.corpus.search import find_contexts
from crossroads.corpus.store import StoredContexts, read_contexts, write_contexts

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
