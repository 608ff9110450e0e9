"""What a search through a corpus brings back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Context(NamedTuple):
    """One place where a stimulus stands."""

    form: str
    """The spelling that was looked for, such as ``"john"`` for the stimulus ``"John"``."""
    text: str
    """The words around it, with single spaces between them."""
    start: int
    """Where the stimulus begins in the text, in characters."""
    end: int
    """Where it ends."""


@dataclass(frozen=True, kw_only=True)
class WordCoverage:
    """How often one stimulus was found, and under which spelling."""

    word: str
    """The stimulus."""
    form: str
    """The spelling whose contexts are kept."""
    rule: str
    """How that spelling comes from the stimulus: ``"exact"``, or the rules of the fallback."""
    occurrences: int
    """How often that spelling stands in the corpus, repetitions included."""
    contexts: int
    """How many different contexts of it are kept."""
    enough: bool
    """Whether these are as many as the minimum asks for, and at least one."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What was read; sums over all files."""

    documents: int = 0
    """Lines, paragraphs or records with text in them."""
    characters: int = 0
    """Characters of these documents."""
    bytes: int = 0
    """Bytes of the files as they are stored."""
    broken: int = 0
    """Lines that are not a JSON object; they are skipped."""
    invalid: int = 0
    """Documents with bytes that are not UTF-8; each such byte is read as U+FFFD."""
    without_text: int = 0
    """Records without text in the field that is read."""
    run_on: int = 0
    """Rows of CSV files that go on for more than a hundred lines; a quotation mark may be missing."""

    def __add__(self, other: Counts) -> Counts:
        mine, theirs = vars(self), vars(other)
        return Counts(**{name: value + theirs[name] for name, value in mine.items()})


@dataclass(frozen=True, kw_only=True)
class CorpusFile:
    """A file of the corpus, as a record of what was read."""

    name: str
    """Its name, without the folder."""
    bytes: int
    """Its size."""
    format: str
    """Its format: ``"text"``, ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"parquet"``."""
    field: str | None
    """The field that holds the text, where there are fields."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Contexts of stimuli, and how well the corpus covers them."""

    words: tuple[str, ...]
    """The stimuli, in the order given."""
    contexts: Mapping[str, tuple[Context, ...]]
    """The contexts of each stimulus, in the random order of the sample."""
    coverage: tuple[WordCoverage, ...]
    """How each stimulus was found, in the same order."""
    counts: Counts
    """How much was read, and what could not be."""
    files: tuple[CorpusFile, ...]
    """What was read, sorted by name."""
    settings: Mapping[str, Any]
    """Every option that the contexts depend on."""

    @property
    def below(self) -> tuple[WordCoverage, ...]:
        """The stimuli with fewer contexts than the minimum, those without any among them."""
        return tuple(one for one in self.coverage if not one.enough)

    def __repr__(self) -> str:
        contexts = sum(map(len, self.contexts.values()))
        found = sum(bool(rows) for rows in self.contexts.values())
        return f"<Found: {contexts:,} contexts of {found:,} of {len(self.words):,} words>"
