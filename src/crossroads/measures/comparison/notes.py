"""Names and notes shared by all comparisons of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from crossroads.errors import join_words
from crossroads.measures.comparison.models import CompareResult
from crossroads.wording import phrases

_FEWER = 1.5  # ratio of contexts per word from which effect sizes are hard to compare


def comparison_name(design: str, first: str, second: str, *, measure: str = "weat") -> str:
    """What a comparison is called: the design, as a CEAT where it is over contexts, and both models."""
    return f"{phrases.tested(design, measure)}: {first} / {second}"


def context_notes(tests: Sequence[CompareResult], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Note, for every two models compared over contexts, whether they read the same ones."""
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
    """Sentence on the procedures by which contexts were drawn, where they differ."""
    records = [source.details.get("record") for source in test.provenance]
    names = [one.get("sample") if isinstance(one, Mapping) else None for one in records]
    if None in names or len(set(names)) < 2:
        return ""
    return f" Their contexts were drawn by different procedures ({join_words(map(str, names))})."


def _fewer(one: str, two: str, counts: Mapping[str, tuple[int, int]]) -> str:
    """Sentence on words with clearly fewer contexts in one model than in the other."""
    times = sum(log(first / second) for first, second in counts.values()) / max(len(counts), 1)
    if abs(times) < log(_FEWER):
        return ""
    few, many = (one, two) if times < 0 else (two, one)
    return (
        f" {few} has fewer contexts per word than {many}, and noise makes its effect sizes smaller; "
        "changes of cosines are not affected."
    )
