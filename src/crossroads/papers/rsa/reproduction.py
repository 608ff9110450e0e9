"""Table 1 of Lepori (2020): how well two hypotheses fit the geometry of a model, beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

from crossroads.errors import MissingStimuliError
from crossroads.evidence import Embeddings
from crossroads.measures import RsaResult, rsa
from crossroads.papers.cells import Cell, Found
from crossroads.stimuli import catalog

_SAMPLES = 100
_MODEL = "GloVe"
_FITS = {"similarity1": "sd1", "similarity2": "sd2"}
_WITHOUT = "concept items drawn without replacement"


def fitted(emb: Embeddings, source: Mapping[str, Any], same: bool, seed: int) -> Found:
    """Cells, notes and coverage of the comparisons that static vectors allow."""
    rows = source["row"]
    wanted = [row["comparison"] for row in rows if row["model"] == _MODEL]
    results: dict[str, RsaResult] = {}
    lacking: dict[str, str] = {}
    for name in wanted:
        try:
            results[name] = _measured(emb, name, seed, replace_concept=True)
        except MissingStimuliError as error:
            lacking[name] = error.reason
    cells: list[Cell] = []
    notes: list[str] = []
    for row in rows:
        found = results.get(row["comparison"]) if row["model"] == _MODEL else None
        absent = ("not covered", lacking.get(row["comparison"], ""))
        if row["model"] != _MODEL:
            absent = ("model absent", str(source["get_bert"]))
        cells += _cells(row, found, absent, emb, source, same, seed)
        if found is not None:
            notes.append(
                f"{row['model']} {row['comparison']}: the published sign test gives p = "
                f"{found.sign_pvalue:.2g} here; with exchanged labels p = {found.pvalue:.3g}."
            )
    notes.append(str(source["revised"]))
    notes.append("Concept items are drawn with replacement, as the released code does.")
    notes.append("Fits are equal if they agree within three standard errors of two means of 100 samples.")
    return cells, notes, next(reversed(results.values()), None)


def _cells(
    row: Mapping[str, Any],
    found: RsaResult | None,
    absent: tuple[str, str],
    emb: Embeddings,
    source: Mapping[str, Any],
    same: bool,
    seed: int,
) -> Iterator[Cell]:
    for column in _FITS:
        if found is None:
            verdict, reason = absent
        elif not same:
            verdict, reason = "other model", f"the paper measured {source['vectors']}"
        elif _within(row[column], found, column):
            verdict, reason = "equal", "within three standard errors of two means of 100 samples"
        elif _within(row[column], _measured(emb, row["comparison"], seed, replace_concept=False), column):
            verdict, reason = "convention", _WITHOUT
        else:
            verdict, reason = "differs", f"tried without success: {_WITHOUT}"
        yield Cell(
            row=f"{row['model']} {row['comparison']}",
            column=column,
            table=source["table"],
            published=row[column],
            printed=f"{row[column]:.3f}",
            ours=None if found is None else float(getattr(found, column)),
            verdict=verdict,
            reason=reason,
        )


def _measured(emb: Embeddings, name: str, seed: int, *, replace_concept: bool) -> RsaResult:
    names, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    asked = next(one for one in names.comparisons if one.name == name)
    return rsa(
        emb,
        names[asked.group1].items,
        names[asked.group2].items,
        concepts[asked.concept]["concept"],
        samples=_SAMPLES,
        missing="drop",
        replace_concept=replace_concept,
        seed=seed,
    )


def _within(published: float, found: RsaResult, column: str) -> bool:
    """Whether two means of 100 samples, one of them rounded, could differ so."""
    allowed = 0.0005 + 3 * sqrt(2 / _SAMPLES) * float(getattr(found, _FITS[column]))
    return abs(float(getattr(found, column)) - published) <= allowed
