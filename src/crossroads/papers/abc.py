"""The tables of the ABC study beside what they imply, and beside our alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.errors import join_words, one_of
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.papers.abc_cells import Alignments, abc_cells
from crossroads.papers.abc_slips import consistency
from crossroads.papers.abc_tables import LEAST, columns
from crossroads.papers.published import table
from crossroads.papers.reproduction import Reproduction


def reproduce_abc(
    scores: Mapping[str, Any] | None = None,
    human: Judgements | str | Path | None = None,
    *,
    seed: int = 0,
) -> Reproduction:
    """Put the tables of Cao et al. (2022) beside what they imply, and beside our alignments.

    Precision in Table 6 is computed anew from Tables A12 and A13, and Table A8 from Table A9. The other cells
    need a model's scores and the human data.

    Parameters
    ----------
    scores
        Scores of models by column of the tables, such as ``{"SeT BERT": result}``: anything that
        :func:`~crossroads.measures.alignment.align` takes.
    human
        The human judgements, or a file of them. Without scores, they serve to check which printed numbers
        are possible.
    seed
        Of everything random.
    """
    source = table("abc")
    scores = scores or {}
    for name in scores:
        one_of("column of the tables", name, columns())
    judged = read_judgements(human) if isinstance(human, (str, Path)) else human
    measured = bool(scores) and judged is not None
    return Reproduction(
        paper="abc",
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["models"],
        vectors=join_words(scores) if measured else "the published tables alone",
        same_vectors=measured,
        cells=tuple(abc_cells(Alignments(scores, judged, seed))),
        notes=(*_about_models(scores, judged), *consistency(judged)),
        conventions={"measure": "reproduction", "paper": "abc", "least": LEAST, "seed": seed},
        provenance=() if judged is None else (judged.provenance,),
    )


def _about_models(scores: Mapping[str, Any], human: Judgements | None) -> Iterator[str]:
    if not scores or human is None:
        lacking = "No scores" if not scores else "No human judgements"
        yield (
            f"{lacking} given, so τ stands alone as published, precision is computed from the printed rows, "
            "and domination from the printed correlations."
        )
    if human is not None:
        absent = [group for group in table("abc")["tableA11"] if group not in human.groups]
        if absent:
            yield f"The judgements lack {join_words(absent, most=6)}."
