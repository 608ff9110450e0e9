"""Numbers of the ML-EAT paper on HistWords: four effect sizes and the pattern of each decade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from crossroads.errors import EvidenceError, MissingStimuliError
from crossroads.evidence import Embeddings
from crossroads.measures import MleatResult, mleat
from crossroads.measures.association.patterns import PATTERNS
from crossroads.papers.cells import Cell, judge
from crossroads.papers.ml_eat.measured import AS_PRINTED, values
from crossroads.papers.ml_eat.tables import printed_patterns
from crossroads.papers.published import table
from crossroads.stimuli import catalog

LEANINGS: Mapping[str | None, float] = {"a": 1.0, "b": -1.0, None: 0.0}
"""Code of a leaning: to the first attribute, to the second, to neither."""
_TABLE = "Text on Figure 3, HistWords"
_DDOF = "population standard deviation (ddof=0)"
_COUNTED = "p-value counted over the divisions (method='auto')"


def decade_cells(
    vectors: Embeddings | Mapping[int, Embeddings] | None, chosen: str | None, how: str
) -> Iterator[Cell]:
    """Yield a cell for each number of the text, and two for the pattern of each decade.

    Parameters
    ----------
    vectors
        The decades; anything else leaves the cells empty.
    chosen
        The model that the vectors are of, if it is one of the paper's.
    how
        How to get the model.
    """
    decades = vectors if isinstance(vectors, Mapping) else None
    numbers = table("ml-eat")["decades"]["numbers"]
    for decade, pattern in printed_patterns().items():
        emb = None if decades is None else decades.get(decade)
        for column, text in numbers.get(str(decade), {}).items():
            yield _number(emb, decade, column, text, chosen, how)
        for target, leaning in zip("xy", PATTERNS[pattern], strict=True):
            yield _leaning(emb, decade, target, leaning, pattern, chosen, how)


def _measured(emb: Embeddings | None, **changed: Any) -> MleatResult | None:
    about = table("ml-eat")["decades"]
    if emb is None:
        return None
    try:
        return mleat(emb, catalog().design(about["test"], about["variant"]), **{**AS_PRINTED, **changed})
    except (MissingStimuliError, EvidenceError):
        return None


def _unjudged(
    emb: Embeddings | None, ours: float | None, chosen: str | None, how: str
) -> tuple[str, str] | None:
    """Verdict and reason if there is nothing to judge; None if there is."""
    if emb is None:
        return ("not covered", "the decade is missing") if chosen == "HistWords" else ("model absent", how)
    if ours is None:
        return "not covered", "a word of the test has no vector in this decade"
    if chosen is None:
        return "other model", "the paper measured HistWords, all English, word2vec"
    return None


def _cell(
    decade: int, column: str, published: float, printed: str, ours: float | None, said: tuple[str, str]
) -> Cell:
    return Cell(
        row=f"weat7:histwords {decade}",
        column=column,
        table=_TABLE,
        published=published,
        printed=printed,
        ours=ours,
        verdict=said[0],
        reason=said[1],
    )


def _number(
    emb: Embeddings | None, decade: int, column: str, text: str, chosen: str | None, how: str
) -> Cell:
    def value(**changed: Any) -> float | None:
        found = _measured(emb, **changed)
        return None if found is None else values(found)[column]

    ours = value()
    said = _unjudged(emb, ours, chosen, how)
    if said is None and ours is not None:
        said = judge(text, ours, [(_DDOF, partial(value, ddof=0))])
    return _cell(decade, column, float(text), text, ours, said or ("not covered", ""))


def _leaning(
    emb: Embeddings | None,
    decade: int,
    target: str,
    leaning: str | None,
    pattern: str,
    chosen: str | None,
    how: str,
) -> Cell:
    place = "xy".index(target)

    def value(**changed: Any) -> float | None:
        found = _measured(emb, **changed)
        return None if found is None else LEANINGS[PATTERNS[found.pattern][place]]

    ours, published = value(), LEANINGS[leaning]
    said = _unjudged(emb, ours, chosen, how)
    if said is None:
        if ours == published:
            said = "equal", "the same leaning"
        elif value(method="auto") == published:
            said = "convention", _COUNTED
        else:
            said = "differs", f"tried without success: {_COUNTED}"
    return _cell(decade, f"leaning of {target.upper()}", published, pattern, ours, said)
