"""The rates of IBD and EIBD that Guo and Caliskan (2021) print, beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossroads.errors import MissingStimuliError
from crossroads.evidence import Embeddings
from crossroads.measures import DetectionResult, WefatResult, eibd, ibd, wefat
from crossroads.measures.intersectional.detection import Removal, Rule
from crossroads.papers.cells import Cell, Found
from crossroads.stimuli import WordLists, catalog

RATES = ("tpr", "fpr", "accuracy")
_WITHIN = 0.0005
_GRID = tuple(round(-2 + 0.05 * step, 2) for step in range(81))
"""The thresholds that the paper considered."""
_REMOVALS: Mapping[Removal, str] = {
    "all": "",
    "none": ", no word removed, as in the released code (remove='none')",
    "any": ", words removed for any constituent pair (remove='any')",
}
"""Rules by which EIBD may remove words, and their wording."""
_GENDERS = (
    "The released code scores female against male names once for each race (its columns fm_a and fm_l); "
    "ours sets all female names against all male ones."
)


def _name(target: str, kind: str) -> str:
    return f"{target} {kind.upper()}"


def _rates(tpr: Sequence[int], fpr: Sequence[int]) -> dict[str, float]:
    (tp, positives), (fp, negatives) = tpr, fpr
    right = (tp + negatives - fp) / (positives + negatives)
    return {"tpr": tp / positives, "fpr": fp / negatives, "accuracy": right}


@dataclass(frozen=True)
class _Row:
    """One printed detection, and the scores to repeat it."""

    target: str
    """The group."""
    kind: str
    """``ibd`` or ``eibd``."""
    tpr: tuple[int, int]
    """Listed words detected, and all listed words."""
    fpr: tuple[int, int]
    """Other words detected, and all other words."""
    scores: WefatResult
    """Scores of the validation words."""
    lists: WordLists
    """The validation words."""
    seed: int
    """The random seed."""

    @property
    def name(self) -> str:
        return _name(self.target, self.kind)

    @property
    def printed(self) -> dict[str, float]:
        """The three rates; the paper prints two, and the counts behind them give the third."""
        return _rates(self.tpr, self.fpr)

    def detected(
        self, threshold: Rule | float, *, remove: Removal = "all", resamples: int = 2000
    ) -> DetectionResult:
        """The detection at a threshold: one for both kinds, chosen on IBD."""
        truth = self.lists[self.target]
        found = ibd(
            self.scores.pairs,
            threshold=threshold,
            truth=truth["intersectional"],
            resamples=resamples,
            seed=self.seed,
        )
        if self.kind == "ibd":
            return found
        return eibd(
            self.scores.pairs,
            self.scores.constituents,
            threshold=found.threshold,
            truth=truth["emergent"],
            remove=remove,
            resamples=resamples,
            seed=self.seed,
        )


def detected(emb: Embeddings, source: Mapping[str, Any], same: bool, seed: int) -> Found:
    """Cells, notes and coverage of the detections."""
    groups, lists = catalog().groups("ceat-groups"), catalog().words("ceat-validation")
    targets = list(dict.fromkeys(row["target"] for row in source["row"]))
    scores: dict[str, WefatResult] = {}
    lacking: dict[str, str] = {}
    for one in targets:
        try:
            scores[one] = wefat(emb, groups, lists.all_words, one, missing="drop")
        except MissingStimuliError as error:
            lacking[one] = error.reason
    cells: list[Cell] = []
    notes: list[str] = []
    for given in source["row"]:
        if given["target"] in lacking:
            cells += _uncovered(given, source, lacking[given["target"]])
            continue
        row = _Row(**given, scores=scores[given["target"]], lists=lists, seed=seed)
        found = row.detected("youden")
        cells += _cells(row, found, source, same)
        notes.append(_note(row, found))
    notes.append("The paper prints no thresholds; ours is the one with the largest tpr − fpr for IBD.")
    notes += [*_removed(source["row"]), _GENDERS]
    return cells, notes, next(reversed(scores.values()), None)


def _removed(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the printed numbers of words imply about the words that EIBD removed."""
    printed = {(row["target"], row["kind"]): (row["tpr"][0], row["fpr"][0]) for row in rows}
    for target in dict.fromkeys(row["target"] for row in rows):
        if (target, "ibd") not in printed or (target, "eibd") not in printed:
            continue
        before, after = printed[target, "ibd"], printed[target, "eibd"]
        text = (
            f"{target}: the paper's IBD detects {before[0]} + {before[1]} words (true and others), its EIBD "
        )
        text += f"{after[0]} + {after[1]}"
        if sum(before) == sum(after):
            yield f"{text}: as many. That fits the released code, which never removes a word (remove='none')."
        elif sum(after) > sum(before):
            yield f"{text}: more, so the two cannot have had the same threshold under any rule of removal."


def _uncovered(given: Mapping[str, Any], source: Mapping[str, Any], why: str) -> Iterator[Cell]:
    """The printed rates of a group whose names are missing."""
    for column, published in _rates(given["tpr"], given["fpr"]).items():
        yield Cell(
            row=_name(given["target"], given["kind"]),
            column=column,
            table=source["table"],
            published=published,
            ours=None,
            verdict="not covered",
            reason=why,
        )


def _cells(row: _Row, found: DetectionResult, source: Mapping[str, Any], same: bool) -> Iterator[Cell]:
    alike = [column for column in RATES if _near(row.printed[column], getattr(found, column))]
    other = _other_threshold(row) if same and len(alike) < len(RATES) else ("", "")
    for column, published in row.printed.items():
        if not same:
            verdict, reason = "other model", f"the paper measured {source['vectors']}"
        elif column in alike:
            verdict, reason = "equal", "the same count"
        else:
            verdict, reason = other
        yield Cell(
            row=row.name,
            column=column,
            table=source["table"],
            published=published,
            ours=getattr(found, column),
            verdict=verdict,
            reason=reason,
        )


def _near(published: float, ours: float | None) -> bool:
    return ours is not None and abs(ours - published) <= _WITHIN


def _other_threshold(row: _Row) -> tuple[str, str]:
    """The threshold or rule under which all three rates are as printed, if there is one."""
    removals: Mapping[Removal, str] = _REMOVALS if row.kind == "eibd" else {"all": ""}
    for remove, ending in removals.items():
        rules: tuple[Rule | float, ...] = ("accuracy", *_GRID)
        for threshold in rules:
            found = row.detected(threshold, remove=remove, resamples=1)
            if all(_near(published, getattr(found, column)) for column, published in row.printed.items()):
                return "convention", f"threshold {threshold}{ending}"
    rules_tried = "" if row.kind == "ibd" else ", with every rule of removal"
    return "differs", f"tried without success: every threshold from −2 to 2 in steps of 0.05{rules_tried}"


def _note(row: _Row, found: DetectionResult) -> str:
    positives, negatives = row.tpr[1], row.fpr[1]
    nothing = max(positives, negatives) / (positives + negatives)
    return (
        f"{row.name}: our AUC is {found.auc:.2f}, our threshold {found.threshold:.2f}. In the paper the "
        f"method is right in {row.printed['accuracy']:.1%} of cases; detecting nothing would be right in "
        f"{nothing:.1%}."
    )
