"""What is said of all comparisons of models together: their names, adjusted p-values, and what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from crossroads.errors import join_words
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.measures.comparison import CompareResult

_FEWER = 1.5  # how many times as many contexts a word make effect sizes hard to compare


def comparison_name(design: str, first: str, second: str, *, measure: str = "weat") -> str:
    """What a comparison is called: the design, as a CEAT where it is over contexts, and both models."""
    return f"{design}{' CEAT' if measure == 'ceat' else ''}: {first} / {second}"


def adjusted_pvalues(pvalues: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """p-values of one family adjusted by Holm, and by Benjamini and Hochberg."""
    return tuple(holm(pvalues).tolist()), tuple(benjamini_hochberg(pvalues).tolist())


def context_notes(tests: Sequence[CompareResult], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """For every two models compared over contexts, whether they read the same, and what that means."""
    said: dict[tuple[str, str], list[bool | None]] = {}
    drawn: dict[tuple[str, str], str] = {}
    counts: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for test, pair in zip(tests, pairs, strict=True):
        if test.contexts:
            said.setdefault(pair, []).append(test.same_contexts)
            drawn.setdefault(pair, _drawn(test))
            in_sd = test.conventions.get("scale") == "sd"
            counts.setdefault(pair, {}).update(test.contexts if in_sd else {})
    notes = []
    for (one, two), answers in said.items():
        both, doubt = f"{one} and {two}", "may come from the texts as well as from the models."
        if all(answers):
            notes.append(f"{both} read the same contexts, so that differences are between the models.")
        elif False in answers:
            fewer = _fewer(one, two, counts[one, two])
            notes.append(
                f"{both} did not read the same contexts of all words: differences {doubt}{fewer}"
                + drawn[one, two]
            )
        else:
            notes.append(f"whether {both} read the same contexts is not recorded: differences {doubt}")
    return tuple(notes)


def _drawn(test: CompareResult) -> str:
    """By which procedures contexts were drawn, where these are two."""
    records = [source.details.get("record") for source in test.provenance]
    names = [one.get("sample") if isinstance(one, Mapping) else None for one in records]
    if None in names or len(set(names)) < 2:
        return ""
    return f" Their contexts were drawn by different procedures ({join_words(map(str, names))})."


def _fewer(one: str, two: str, counts: Mapping[str, tuple[int, int]]) -> str:
    """What to know where words have clearly fewer contexts in one model than in the other."""
    times = sum(log(first / second) for first, second in counts.values()) / max(len(counts), 1)
    if abs(times) < log(_FEWER):
        return ""
    few, many = (one, two) if times < 0 else (two, one)
    return (
        f" {few} has fewer contexts a word than {many}, and noise makes its effect sizes smaller; "
        "changes of cosines are not misled by that."
    )
