"""Published numbers beside ours, cell by cell, with what was measured and what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from crossroads.errors import one_of
from crossroads.evidence import Embeddings
from crossroads.measures import eibd, ibd, rsa, wefat
from crossroads.papers.published import table
from crossroads.results import Result
from crossroads.stimuli import catalog


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One published number and ours."""

    row: str
    """What was measured."""
    column: str
    """Which number."""
    published: float
    """As printed."""
    ours: float | None
    """As measured here; None where the model is not at hand."""
    verdict: str
    """``equal`` (rounded, or within sampling error), ``near`` (no further off than two runs of the paper are
    from each other), ``differs``, ``other vectors``, ``model absent``, ``not covered`` or ``no store``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction(Result):
    """A published table beside ours."""

    paper: str
    """Name of the reproduction."""
    title: str
    """What the table is about."""
    citation: str
    """Where it was printed."""
    doi: str
    """Identifier of the publication."""
    published_vectors: str
    """What the paper measured."""
    vectors: str
    """What was measured here."""
    same_vectors: bool
    """Whether these are the vectors of the paper: only then are the numbers comparable digit by digit."""
    cells: tuple[Cell, ...]
    """Every cell."""
    notes: tuple[str, ...]
    """What a reader must know."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a cell."""
        return [
            {"row": c.row, "column": c.column, "published": c.published, "ours": c.ours, "verdict": c.verdict}
            for c in self.cells
        ]


def reproduce(
    paper: str, emb: Embeddings, *, same_vectors: bool | None = None, seed: int = 0
) -> Reproduction:
    """Measure what a paper measured, and put its numbers beside ours.

    Parameters
    ----------
    paper
        ``"ceat-ibd"`` or ``"rsa"``.
    emb
        The vectors; with those of the paper this is a full reproduction.
    same_vectors
        Whether they are those of the paper, which decides what a difference means. By default they are
        taken for the paper's if they have its number of dimensions and its number of words.
    seed
        Of everything random.
    """
    one_of("paper", paper, PAPERS)
    source = table(paper)
    same = _recognised(emb, source["fingerprint"]) if same_vectors is None else same_vectors
    cells, notes, found = PAPERS[paper][1](emb, source["row"], same, seed)
    if not same:
        notes = [
            f"Measured on other vectors than the paper's ({source['vectors']}): digits cannot agree.",
            *notes,
        ]
    return Reproduction(
        paper=paper,
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        vectors=emb.provenance.source,
        same_vectors=same,
        cells=tuple(cells),
        notes=tuple(notes),
        coverage=found.coverage,
        conventions={**found.conventions, "measure": "reproduction", "paper": paper, "seed": seed},
        provenance=(emb.provenance,),
    )


def _recognised(emb: Embeddings, fingerprint: Mapping[str, Any]) -> bool:
    size = emb.provenance.details.get("vocabulary", len(emb))
    return emb.dim == fingerprint["dim"] and size in fingerprint["vocabulary"]


def _verdict(published: float, ours: float | None, same: bool, *, within: float) -> str:
    if ours is None:
        return "model absent"
    if not same:
        return "other vectors"
    return "equal" if abs(ours - published) <= within else "differs"


_Found = tuple[list[Cell], list[str], Result]


def _ibd(emb: Embeddings, rows: list[Mapping[str, Any]], same: bool, seed: int) -> _Found:
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    targets = list(dict.fromkeys(row["target"] for row in rows))
    scores = {one: wefat(emb, groups, lists.all_words, one, missing="drop") for one in targets}
    chosen = {
        one: ibd(scores[one].pairs, threshold="youden", truth=lists[one]["intersectional"], seed=seed)
        for one in targets
    }
    cells, notes = [], []
    for row in rows:
        target, kind = row["target"], row["kind"]
        result = chosen[target]
        if kind == "eibd":  # one threshold for both, chosen on IBD
            result = eibd(
                scores[target].pairs,
                scores[target].constituents,
                threshold=result.threshold,
                truth=lists[target]["emergent"],
                seed=seed,
            )
        (tp, positives), (fp, negatives) = row["tpr"], row["fpr"]
        right = (tp + negatives - fp) / (positives + negatives)
        name = f"{target} {kind.upper()}"
        for column, printed in {"tpr": tp / positives, "fpr": fp / negatives, "accuracy": right}.items():
            ours = getattr(result, column)
            verdict = _verdict(printed, ours, same, within=0.0005)
            cells.append(Cell(row=name, column=column, published=printed, ours=ours, verdict=verdict))
        nothing = max(positives, negatives) / (positives + negatives)
        notes.append(
            f"{name}: our AUC is {result.auc:.2f}, our threshold {result.threshold:.2f}. In the paper the "
            f"method is right in {right:.1%} of cases; detecting nothing would be right in {nothing:.1%}."
        )
    notes.append("The paper prints no thresholds; ours is the one with the largest tpr − fpr for IBD.")
    return cells, notes, scores[targets[-1]]


def _rsa(emb: Embeddings, rows: list[Mapping[str, Any]], same: bool, seed: int) -> _Found:
    names, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    wanted = [row["comparison"] for row in rows if row["model"] == "GloVe"]
    results = {
        one.name: rsa(
            emb,
            names[one.group1].items,
            names[one.group2].items,
            concepts[one.concept]["concept"],
            missing="drop",
            replace_concept=True,
            seed=seed,
        )
        for one in names.comparisons
        if one.name in wanted
    }
    cells, notes = [], []
    for row in rows:
        name = f"{row['model']} {row['comparison']}"
        result = results.get(row["comparison"]) if row["model"] == "GloVe" else None
        for column, sd in (("similarity1", "sd1"), ("similarity2", "sd2")):
            ours = None if result is None else getattr(result, column)
            # two means of 100 samples each
            within = 0.0005 if result is None else 3 * sqrt(2 / 100) * getattr(result, sd)
            verdict = _verdict(row[column], ours, same, within=within)
            cells.append(Cell(row=name, column=column, published=row[column], ours=ours, verdict=verdict))
        if result is not None:
            notes.append(
                f"{name}: sign test p = {result.sign_pvalue:.2g}, as published; with exchanged labels p = "
                f"{result.pvalue:.3g}."
            )
    notes.append("Concept items are drawn with replacement, as the released code does.")
    notes.append("Fits are equal if they agree within three standard errors of two means of 100 samples.")
    notes.append("The BERT rows need context vectors of bert-base, which static vectors do not have.")
    return cells, notes, results[wanted[-1]]


PAPERS: Mapping[str, tuple[str, Callable[[Embeddings, list[Mapping[str, Any]], bool, int], _Found]]] = {
    "ceat-ibd": ("IBD and EIBD of Guo and Caliskan (2021)", _ibd),
    "rsa": ("Table 1 of Lepori (2020)", _rsa),
}
"""What can be reproduced: name to what it is and how."""
