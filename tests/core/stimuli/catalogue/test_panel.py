"""The panel of common words is what its file says."""

from __future__ import annotations

from collections.abc import Sequence

import crossroads as cr
from crossroads.core.stimuli.catalogue.index import panel

ENDINGS = ("s", "es", "d", "ed", "ing", "ly")


def by_rule(labels: Sequence[str]) -> list[str]:
    """The rule in the head of the file, applied to words by frequency."""
    seen, fitting = set(labels[:300]), []
    for word in labels[300:]:
        if len(word) < 4 or not (word.isascii() and word.isalpha()):
            continue
        stems = {word.removesuffix(ending) for ending in ENDINGS if word.endswith(ending)}
        if seen.isdisjoint(stems | {f"{stem}e" for stem in stems}):
            fitting.append(word)
        seen.add(word)
        if len(fitting) == 4000:
            break
    return fitting[::2]


def test_the_panel_is_what_the_rule_gives() -> None:
    assert list(panel()) == by_rule(cr.load("default").labels)
