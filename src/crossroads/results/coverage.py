"""Which stimuli were measured, and why others were left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Which stimuli were measured, and why others were left out."""

    policy: str
    """Requested treatment of missing stimuli: ``raise``, ``drop`` or ``balance``."""
    used: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    dropped: Mapping[str, Mapping[str, str]]
    """The stimuli left out and why, by set."""
    respelled: Mapping[str, str]
    """Stimuli found under another spelling, with the spelling and the rule that found it."""
    notes: tuple[str, ...] = ()
    """Notes on the stimuli: words in two sets, and their effect on the statistic."""

    @property
    def complete(self) -> bool:
        """Whether every stimulus was measured."""
        return not any(self.dropped.values())

    @property
    def missing(self) -> dict[str, str]:
        """Every stimulus left out, with its reason."""
        return {word: why for words in self.dropped.values() for word, why in words.items()}


def describe_coverage(coverage: Coverage, *, most: int = 8) -> list[str]:
    """Sentences on stimuli that were left out or found under another spelling."""
    sentences = []
    for name, words in coverage.dropped.items():
        by_reason: dict[str, list[str]] = {}
        for word, why in words.items():
            by_reason.setdefault(why, []).append(word)
        for why, left in by_reason.items():
            sentences.append(f"left out of {name}: {_listed(left, most)} ({why})")
    if coverage.respelled:
        shown = [f"{word} as {how}" for word, how in coverage.respelled.items()]
        sentences.append(f"found under another spelling: {_listed(shown, most)}")
    return [*sentences, *(f"note: {note}" for note in coverage.notes)]


def _listed(words: Sequence[str], most: int) -> str:
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + rest
