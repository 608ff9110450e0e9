"""Every cell of the tables of the ABC study: as printed, and as measured where it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from crossroads.evidence.judgements import Judgements
from crossroads.measures.alignment import AlignmentResult, align
from crossroads.papers.abc_tables import columns, dominations, precision_from_rows
from crossroads.papers.cells import Attempt, Cell, judge, judge_mark
from crossroads.papers.published import table
from crossroads.stimuli import catalog

_BY_GROUP = {"tableA11": "kendall_tau", "tableA12": "precision_top", "tableA13": "precision_bottom"}
_DIGITS = {"tableA11": 3, "tableA12": 2, "tableA13": 2}
_BERT = "bert-large-cased or bert-large-uncased (the paper does not say which)"
_OPTIONS = {"ILPS": "ilps", "ILPS*": "ilps-star", "SeT": "set"}
_NOT_RELEASED = "the released judgements do not say the race and gender of who gave them"


@dataclass(frozen=True)
class Alignments:
    """Alignments of the columns that have scores, with all groups or without those of the pilot."""

    scores: Mapping[str, Any]
    """Scores by column."""
    human: Judgements | None
    """What people said."""
    seed: int
    """Of everything random."""

    def of(self, column: str, *, pilot: bool = True) -> AlignmentResult | None:
        """The alignment of a column; None without scores or judgements."""
        if column not in self.scores or self.human is None:
            return None
        printed = table("abc")
        left_out = () if pilot else printed["pilot"]
        groups = [one for one in self.human.groups if one in printed["tableA11"] and one not in left_out]
        chosen = self.human.select(groups)
        return align(self.scores[column], chosen, permutations=0, bootstrap=0, splits=0, seed=self.seed)


def abc_cells(alignments: Alignments) -> Iterator[Cell]:
    """Every cell of Tables 5, 6 and A8 to A19, and the numbers in the text of section 5.2."""
    found = {name: alignments.of(name) for name in columns()}
    yield from _table5()
    yield from _overall(alignments, found)
    yield from _dominations()
    yield from _pairs()
    for part in _BY_GROUP:
        yield from _by_group(part, found)
    yield from _annotators()
    yield from _without_pilot(alignments)


def _how(column: str) -> str:
    measure, model = column.split()
    name = "roberta-large of Facebook" if model == "RoBERTa" else f"{_BERT} of Google"
    if measure == "CEAT":
        steps = "contexts from Reddit comments of 2014, crossroads embed, crossroads.group_ceat"
    else:
        steps = f"crossroads probe FOLDER --measure {_OPTIONS[measure]} --human FILE --json > scores.json"
    return (
        f"download {name} from Hugging Face, then: {steps}, and crossroads reproduce abc --human FILE "
        f"--scores '{column}=scores.json'"
    )


def _cell(
    part: str, row: str, column: str, text: str, ours: float | None, said: tuple[str, str], mark: bool = False
) -> Cell:
    name = f"Table {part.removeprefix('table')}" if part.startswith("table") else part
    published = float(bool(text)) if mark else float(text)
    return Cell(
        row=f"{name}, {row}",
        column=column,
        table=name,
        published=published,
        printed=text,
        ours=ours,
        verdict=said[0],
        reason=said[1],
    )


def _measured(
    part: str, row: str, column: str, text: str, ours: float | None, attempts: list[Attempt] | None = None
) -> Cell:
    said = ("model absent", _how(column)) if ours is None else judge(text, ours, attempts or [])
    return _cell(part, row, column, text, ours, said)


def _table5() -> Iterator[Cell]:
    for one in table("abc")["table5"]:
        how = _how(f"{one['measure']} {one['model']}").partition(" --json")[0]
        said = "model absent", f"{how}, which chooses the templates"
        yield _cell(
            "table5", "τ of the pilot", f"{one['measure']} {one['model']}", f"{one['tau']:.3f}", None, said
        )


def _overall(alignments: Alignments, found: Mapping[str, AlignmentResult | None]) -> Iterator[Cell]:
    """Table 6: τ with its dagger, and precision, which the tables by group also add up to."""
    printed, recomputed = table("abc")["table6"], precision_from_rows()
    for i, name in enumerate(columns()):
        result = found[name]
        tau, precision = f"{printed['tau'][i]:.3f}", f"{printed['precision'][i]:.3f}"
        ours = None if result is None else result.kendall_tau
        yield _measured("table6", "τ", name, tau, ours, other_taus(alignments, name, result))
        yield _dagger("table6", name, printed["significant"][i], result)
        said = judge(precision, recomputed[name], _other_precisions(i))
        yield _cell("table6", "P@3 from A12, A13", name, precision, recomputed[name], said)
        ours = None if result is None else result.precision_at_3
        yield _measured("table6", "P@3", name, precision, ours)


def other_taus(alignments: Alignments, name: str, result: AlignmentResult | None) -> list[Attempt]:
    """Other cells over which τ might have been taken."""

    def mean() -> float | None:
        if result is None:
            return None
        taus = [one.kendall_tau for one in result.by_group.values() if one.kendall_tau is not None]
        return sum(taus) / len(taus) if taus else None

    def without() -> float | None:
        other = alignments.of(name, pilot=False)
        return None if other is None else other.kendall_tau

    return [("mean of the groups' own τ instead of all cells", mean), ("without the pilot groups", without)]


def _other_precisions(i: int) -> list[Attempt]:
    """Other ways to add the printed rows up; each a convention by name."""
    source = table("abc")

    def mean(parts: tuple[str, ...], *, pilot: bool, thirds: bool) -> Callable[[], float]:
        def value() -> float:
            cells = [
                row[i]
                for part in parts
                for group, row in source[part].items()
                if not isnan(row[i]) and (pilot or group not in source["pilot"])
            ]
            return float(sum(round(3 * cell) / 3 if thirds else cell for cell in cells)) / len(cells)

        return value

    both = ("tableA12", "tableA13")
    return [
        ("cells as printed instead of thirds", mean(both, pilot=True, thirds=False)),
        ("without the pilot groups", mean(both, pilot=False, thirds=True)),
        ("top 3 alone", mean(both[:1], pilot=True, thirds=True)),
        ("bottom 3 alone", mean(both[1:], pilot=True, thirds=True)),
    ]


def _dagger(part: str, name: str, marked: bool, result: AlignmentResult | None) -> Cell:
    if result is None:
        said, ours = ("model absent", _how(name)), None
    else:
        ours = float(result.kendall_pvalue < 0.05)
        said = judge_mark(marked, ours > 0)
    return _cell(part, "dagger of τ", name, "†" if marked else "", ours, said, mark=True)


def _dominations() -> Iterator[Cell]:
    """Table A8 against what the numbers of Table A9 say; both are printed."""
    ours = dominations()
    for name, row in table("abc")["tableA8"].items():
        for column, others in row.items():
            for other in (one for one in ours if one != name):
                here = other in ours[name] if column == "dominates" else name in ours[other]
                said = judge_mark(other in others, here)
                said = (
                    said[0],
                    "follows from A9" if said[0] == "equal" else "the difference in A9 says otherwise",
                )
                mark = "listed" if other in others else ""
                yield _cell(
                    "tableA8", f"{name} from A9", f"{column} {other}", mark, float(here), said, mark=True
                )


def _pairs() -> Iterator[Cell]:
    """Tables A9 and A10 and the text on them, about pairs of groups."""
    source = table("abc")
    probe = (
        "download roberta-large of Facebook from Hugging Face, then: crossroads probe FOLDER --pairs --json"
    )
    for one, two, first, second in source["tableA9"]["rows"]:
        for domain, value in ((one, first), (two, second)):
            said = "model absent", f"{probe}, and domain_dominance"
            yield _cell(
                "tableA9", f"{one} and {two}", f"correlation with {domain}", f"{value:.3f}", None, said
            )
    for column, value in source["text"].items():
        measure = "against" if "emergent" in column else "order_sensitivity"
        said = "model absent", f"{probe}, and {measure}"
        yield _cell("Text of 5.2", "SeT RoBERTa", column, f"{value:.2f}", None, said)
    for group, trait, rise, score in source["tableA10"]["rows"]:
        for column, value in (("increase", rise), ("component score", score)):
            said = "model absent", f"{probe}, and emergent"
            yield _cell("tableA10", f"{group}, {trait}", column, f"{value:.4f}", None, said)


def _by_group(part: str, found: Mapping[str, AlignmentResult | None]) -> Iterator[Cell]:
    for group, row in table("abc")[part].items():
        for name, value in zip(columns(), row, strict=True):
            if isnan(value):
                continue
            result = found[name]
            text = _as_printed(value, _DIGITS[part])
            if result is None:
                yield _measured(part, group, name, text, None)
                continue
            one = result.by_group.get(group)
            ours = None if one is None else getattr(one, _BY_GROUP[part])
            if ours is None:
                said = "not covered", "the scores or the judgements lack this group"
                yield _cell(part, group, name, text, None, said)
            else:
                yield _measured(part, group, name, text, ours)


def _as_printed(value: float, digits: int) -> str:
    """A number with the digits of its table, or with more where it is printed so."""
    usual = f"{value:.{digits}f}"
    return usual if float(usual) == value else f"{value:g}"


def _annotators() -> Iterator[Cell]:
    """Tables A14 to A18, by people of one race and gender."""
    ratings = catalog().ratings("abc-annotators")
    tables = {"White": "A14", "Black": "A15", "White male": "A16", "White female": "A17"}
    said = "not covered", _NOT_RELEASED
    for who, number in tables.items():
        for group, row in ratings[who].items():
            for trait, value in row.items():
                yield _cell(f"table{number}", group, trait, f"{value:g}", None, said)
    for group, values in table("abc")["tableA18"].items():
        for who, value in zip(("Black", "White", "White male", "White female"), values, strict=True):
            if not isnan(value):
                yield _cell("tableA18", group, f"τ with {who} annotators", f"{value:.3f}", None, said)


def _without_pilot(alignments: Alignments) -> Iterator[Cell]:
    printed = table("abc")["tableA19"]
    for i, name in enumerate(columns()):
        result = alignments.of(name, pilot=False)
        ours = None if result is None else result.kendall_tau
        yield _measured("tableA19", "τ", name, f"{printed['tau'][i]:.3f}", ours)
        yield _dagger("tableA19", name, printed["significant"][i], result)
