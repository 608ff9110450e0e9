"""Reproductions on static vectors: IBD and EIBD of Guo and Caliskan (2021), and Table 1 of Lepori (2020)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt
from typing import Any

from crossroads.core.errors import MissingStimuliError, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.evidence.model_names import model_name
from crossroads.core.results import Result
from crossroads.core.stimuli import WordLists, catalog
from crossroads.intersections.detection import DetectionResult, Removal, Rule, eibd, ibd
from crossroads.intersections.rsa import RsaResult, rsa
from crossroads.intersections.wefat import WefatResult, wefat
from crossroads.papers.cells import Cell, Reproduction, Said, judge_again, judged, reproduction
from crossroads.papers.published import rates, table

Found = tuple[list[Cell], list[str], Result | None]
"""Cells, notes, and a result with coverage and conventions; None if nothing was covered."""
_WITHIN = 0.0005
_GRID = tuple(round(-2 + 0.05 * step, 2) for step in range(81))
"""The thresholds that the paper considered."""
_REMOVALS: Mapping[Removal, str] = {
    "all": "",
    "none": ", no word removed, as in the released code (remove='none')",
    "any": ", words removed for any constituent pair (remove='any')",
}
"""Rules by which EIBD may remove words, and their wording."""
_SAMPLES = 100
_FITTED = "GloVe"
_FITS = {"similarity1": "sd1", "similarity2": "sd2"}
_WITHOUT = "concept items drawn without replacement"


def reproduce(
    paper: str, emb: Embeddings, *, same_vectors: bool | None = None, seed: int = 0
) -> Reproduction:
    """Put the numbers of a paper, ``"ceat-ibd"`` or ``"rsa"``, next to ours.

    Vectors are those of the paper (``same_vectors``) by default if they have its numbers of dimensions and of
    words; with others, numbers are shown but not judged.
    """
    one_of("paper", paper, PAPERS)
    source = table(paper)
    if same_vectors is None:
        size, known = emb.provenance.details.get("vocabulary", len(emb)), source["fingerprint"]
        same_vectors = emb.dim == known["dim"] and size in known["vocabulary"]
    cells, notes, result = PAPERS[paper](emb, source, same_vectors, seed)
    if not same_vectors:
        notes = [
            f"Measured on other vectors than the paper's ({source['vectors']}): digits cannot agree. To get "
            f"those: {source['get']}.",
            *notes,
        ]
    return reproduction(
        paper,
        cells=tuple(cells),
        notes=notes,
        vectors=model_name(emb.provenance),
        same_vectors=same_vectors,
        conventions={**({} if result is None else result.conventions), "seed": seed},
        provenance=(emb.provenance,),
        coverage=None if result is None else result.coverage,
    )


def detected(emb: Embeddings, source: Mapping[str, Any], same: bool, seed: int) -> Found:
    """Cells, notes and coverage of the detections."""
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    scores: dict[str, WefatResult] = {}
    lacking: dict[str, str] = {}
    for target in dict.fromkeys(row["target"] for row in source["row"]):
        try:
            scores[target] = wefat(emb, groups, lists.all_words, target, missing="drop")
        except MissingStimuliError as error:
            lacking[target] = error.reason
    cells: list[Cell] = []
    notes: list[str] = []
    for row in source["row"]:
        name, target, printed = f"{row['target']} {row['kind'].upper()}", row["target"], rates(row)
        result, other_rule, alike = None, ("", ""), set()
        if target in scores:
            detect = partial(_detected, row, scores[target], lists, seed)
            result = detect("youden")
            notes.append(_note(name, row, result))
            alike = {column for column, value in printed.items() if _near(value, getattr(result, column))}
            if same and len(alike) < len(printed):
                other_rule = _other_threshold(row, detect)
        state = {"lacking": lacking.get(target, ""), "other": "" if same else source["vectors"]}
        for column, published in printed.items():
            said = ("equal", "the same count") if column in alike else other_rule
            place, ours = (source["table"], name, column, ""), getattr(result, column, None)
            cells.append(judged(*place, ours, said, published=published, **state))
    return cells, notes, next(reversed(scores.values()), None)


def _detected(
    row: Mapping[str, Any],
    scores: WefatResult,
    lists: WordLists,
    seed: int,
    threshold: Rule | float,
    *,
    remove: Removal = "all",
    resamples: int = 2000,
) -> DetectionResult:
    """The detection at a threshold: one for both kinds, chosen on IBD."""
    truth, options = lists[row["target"]], dict[str, Any](resamples=resamples, seed=seed)
    found = ibd(scores.pairs, threshold=threshold, truth=truth["intersectional"], **options)
    if row["kind"] == "ibd":
        return found
    at, emergent = found.threshold, truth["emergent"]
    return eibd(scores.pairs, scores.constituents, threshold=at, truth=emergent, remove=remove, **options)


def _near(published: float, ours: float | None) -> bool:
    return ours is not None and abs(ours - published) <= _WITHIN


def _other_threshold(row: Mapping[str, Any], detect: Callable[..., DetectionResult]) -> Said:
    """The threshold or rule under which all three rates are as printed, if there is one."""
    removals: Mapping[Removal, str] = _REMOVALS if row["kind"] == "eibd" else {"all": ""}
    for remove, ending in removals.items():
        for threshold in ("accuracy", *_GRID):
            found = detect(threshold, remove=remove, resamples=1)
            if all(_near(published, getattr(found, column)) for column, published in rates(row).items()):
                return "convention", f"threshold {threshold}{ending}"
    rules_tried = "" if row["kind"] == "ibd" else ", with every rule of removal"
    return "differs", f"tried without success: every threshold from −2 to 2 in steps of 0.05{rules_tried}"


def _note(name: str, row: Mapping[str, Any], found: DetectionResult) -> str:
    positives, negatives = row["tpr"][1], row["fpr"][1]
    nothing = max(positives, negatives) / (positives + negatives)
    return (
        f"{name}: our AUC is {found.auc:.2f}, our threshold {found.threshold:.2f}. In the paper the "
        f"method is right in {rates(row)['accuracy']:.1%} of cases; detecting nothing would be right in "
        f"{nothing:.1%}."
    )


def fitted(emb: Embeddings, source: Mapping[str, Any], same: bool, seed: int) -> Found:
    """Cells, notes and coverage of the comparisons that static vectors allow."""
    cells: list[Cell] = []
    notes: list[str] = []
    last: RsaResult | None = None
    for row in source["row"]:
        name, result, lacking = f"{row['model']} {row['comparison']}", None, ""
        if row["model"] == _FITTED:
            try:
                result = last = _fit(emb, row["comparison"], seed)
            except MissingStimuliError as error:
                lacking = error.reason
        if result is not None:
            notes.append(
                f"{name}: the published sign test gives p = {result.sign_pvalue:.2g} here; with exchanged "
                f"labels p = {result.pvalue:.3g}."
            )
        again = partial(_fit, emb, row["comparison"], seed, replace_concept=False)
        state = {"lacking": lacking, "other": "" if same else source["vectors"]}
        state["absent"] = "" if row["model"] == _FITTED else source["get_bert"]
        for column in _FITS:
            place, ours = (source["table"], name, column, f"{row[column]:.3f}"), getattr(result, column, None)
            judge = partial(_judge_fit, row[column], column, result, again)
            cells.append(judged(*place, ours, judge, published=row[column], **state))
    return cells, notes, last


def _judge_fit(
    published: float, column: str, fit: RsaResult | None, again: Callable[[], RsaResult], _: float
) -> Said:
    """Whether two means of 100 samples, one of them rounded, could differ so."""

    def within(result: RsaResult | None) -> bool:
        allowed = 0.0005 + 3 * sqrt(2 / _SAMPLES) * float(getattr(result, _FITS[column]))
        return abs(float(getattr(result, column)) - published) <= allowed

    if within(fit):
        return "equal", "within three standard errors of two means of 100 samples"
    return judge_again(within, [(_WITHOUT, again)])


def _fit(emb: Embeddings, name: str, seed: int, *, replace_concept: bool = True) -> RsaResult:
    names, concepts = catalog().groups("rsa-names"), catalog().words("rsa-concepts")
    comparison = next(comparison for comparison in names.comparisons if comparison.name == name)
    groups = (names[comparison.group1].items, names[comparison.group2].items)
    options: dict[str, Any] = {"samples": _SAMPLES, "missing": "drop", "seed": seed}
    concept = concepts[comparison.concept]["concept"]
    return rsa(emb, *groups, concept, replace_concept=replace_concept, **options)


PAPERS: Mapping[str, Callable[[Embeddings, Mapping[str, Any], bool, int], Found]] = {
    "ceat-ibd": detected,
    "rsa": fitted,
}
"""Reproductions on static vectors: name to function."""
