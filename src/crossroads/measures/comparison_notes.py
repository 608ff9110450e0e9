"""What is said of all comparisons of models together: their names, adjusted p-values, and what was read."""

from __future__ import annotations

from collections.abc import Sequence

from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.measures.comparison import CompareResult


def comparison_name(design: str, first: str, second: str, *, measure: str = "weat") -> str:
    """What a comparison is called: the design, as a CEAT where it is over contexts, and both models."""
    return f"{design}{' CEAT' if measure == 'ceat' else ''}: {first} / {second}"


def adjusted_pvalues(pvalues: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """p-values of one family adjusted by Holm, and by Benjamini and Hochberg."""
    return tuple(holm(pvalues).tolist()), tuple(benjamini_hochberg(pvalues).tolist())


def context_notes(tests: Sequence[CompareResult], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """For every two models compared over contexts, whether they read the same, and what that means."""
    said: dict[tuple[str, str], list[bool | None]] = {}
    for test, pair in zip(tests, pairs, strict=True):
        if test.contexts:
            said.setdefault(pair, []).append(test.same_contexts)
    notes = []
    for (one, two), answers in said.items():
        both, doubt = f"{one} and {two}", "may come from the texts as well as from the models."
        if all(answers):
            notes.append(f"{both} read the same contexts, so that differences are between the models.")
        elif False in answers:
            notes.append(f"{both} did not read the same contexts of all words: differences {doubt}")
        else:
            notes.append(f"whether {both} read the same contexts is not recorded: differences {doubt}")
    return tuple(notes)
