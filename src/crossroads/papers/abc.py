"""The alignment tables of the ABC study: what they say of themselves, and our numbers beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import erfc, isnan, sqrt
from pathlib import Path
from typing import Any

from crossroads.errors import join_words, one_of
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.measures.alignment import AlignmentResult, align
from crossroads.papers.published import table
from crossroads.papers.reproduction import Cell, Reproduction
from crossroads.stimuli import catalog

TRAITS = 16
LEAST = 0.1
"""Difference of mean correlations from which on one domain is said to dominate another."""
_ROUNDING = 0.0005


def columns() -> tuple[str, ...]:
    """Measures on models, as the tables head them: ``"SeT RoBERTa"`` and so on."""
    return tuple(table("abc")["columns"])


def reproduce_abc(
    scores: Mapping[str, Any] | None = None,
    human: Judgements | str | Path | None = None,
    *,
    seed: int = 0,
) -> Reproduction:
    """Put the alignment tables of Cao et al. (2022) beside what they imply, and beside our alignments.

    Precision in Table 6 is computed anew from Tables A12 and A13. The other cells need a model's scores and
    the human data.

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
    if scores and judged is not None:
        results = {
            name: align(one, judged.select(_rated(judged)), permutations=0, bootstrap=0, splits=0, seed=seed)
            for name, one in scores.items()
        }
    else:
        results = {}
    cells = [*_table6(source, results), *_table_a11(source, results)]
    notes = [*_about_models(results, scores, judged), *consistency(judged)]
    return Reproduction(
        paper="abc",
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["models"],
        vectors=join_words(results) or "the published tables alone",
        same_vectors=bool(results),
        cells=tuple(cells),
        notes=tuple(notes),
        conventions={"measure": "reproduction", "paper": "abc", "least": LEAST, "seed": seed},
        provenance=() if judged is None else (judged.provenance,),
    )


def _rated(judged: Judgements) -> list[str]:
    """The groups of the paper that were judged; the data hold one more."""
    return [group for group in judged.groups if group in table("abc")["tableA11"]]


def _cell(row: str, column: str, published: float, ours: float | None) -> Cell:
    verdict = "model absent" if ours is None else _agrees(published, ours)
    return Cell(row=row, column=column, published=published, ours=ours, verdict=verdict)


def _agrees(published: float, ours: float) -> str:
    return "equal" if abs(published - ours) <= _ROUNDING + 1e-9 else "differs"


def _table6(source: Mapping[str, Any], results: Mapping[str, AlignmentResult]) -> Iterator[Cell]:
    recomputed = precision_from_rows()
    for i, name in enumerate(columns()):
        result = results.get(name)
        yield _cell(
            "Table 6, τ", name, source["table6"]["tau"][i], None if result is None else result.kendall_tau
        )
        printed = source["table6"]["precision"][i]
        yield _cell("Table 6, P@3 from A12, A13", name, printed, recomputed[name])
        if result is not None:
            yield _cell("Table 6, P@3", name, printed, result.precision_at_3)


def _table_a11(source: Mapping[str, Any], results: Mapping[str, AlignmentResult]) -> Iterator[Cell]:
    for name, result in results.items():
        i = columns().index(name)
        for group, row in source["tableA11"].items():
            found = result.by_group.get(group)
            if not isnan(row[i]) and found is not None:
                yield _cell(f"Table A11, {group}", name, row[i], found.kendall_tau)


def precision_from_rows() -> dict[str, float]:
    """Overall precision at 3 of each column: the mean over the groups of Tables A12 and A13.

    Cells are thirds printed with two digits, and taken as thirds.
    """
    source = table("abc")
    found = {}
    for i, name in enumerate(columns()):
        cells = [row[i] for part in ("tableA12", "tableA13") for row in source[part].values()]
        thirds = [round(3 * cell) for cell in cells if not isnan(cell)]
        found[name] = sum(thirds) / (3 * len(thirds))
    return found


def dominations(least: float = LEAST) -> dict[str, set[str]]:
    """The domains that each domain dominates by the numbers of Table A9."""
    found: dict[str, set[str]] = {name: set() for name in table("abc")["tableA8"]}
    for one, two, first, second in table("abc")["tableA9"]["rows"]:
        if first - second >= least - 1e-9:
            found[one].add(two)
        if second - first >= least - 1e-9:
            found[two].add(one)
    return found


def consistency(human: Judgements | None = None) -> tuple[str, ...]:
    """What the tables contradict in each other, and in the human data where these are given; sentences."""
    notes = [*_precision_notes(), *_dagger_notes(), *_domination_notes(), *_other_notes()]
    if human is not None:
        notes += _possible_notes(human)
    return tuple(notes)


def _precision_notes() -> Iterator[str]:
    source = table("abc")
    for name, ours in precision_from_rows().items():
        printed = source["table6"]["precision"][columns().index(name)]
        if _agrees(printed, ours) == "differs":
            yield f"Table 6 prints a precision of {printed:.3f} for {name}; A12 and A13 add up to {ours:.3f}."
    for part in ("tableA12", "tableA13"):
        for group, row in source[part].items():
            for name, cell in zip(columns(), row, strict=True):
                if not isnan(cell) and abs(3 * cell - round(3 * cell)) > 0.02:
                    yield f"Table {part[5:]} prints {cell} for {group}, {name}, which is not a third."


def tau_pvalue(tau: float, n: int) -> float:
    """Two-sided p-value of Kendall's τ over n cells without ties, by the normal curve."""
    return erfc(abs(tau) / sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))) / sqrt(2))


def _dagger_notes() -> Iterator[str]:
    source = table("abc")
    for part in ("table6", "tableA19"):
        left_out = source["pilot"] if part == "tableA19" else []
        rows = [row for group, row in source["tableA11"].items() if group not in left_out]
        for i, name in enumerate(columns()):
            cells = TRAITS * sum(not isnan(row[i]) for row in rows)
            tau, marked = source[part]["tau"][i], source[part]["significant"][i]
            p = tau_pvalue(tau, cells)
            if marked != (p < 0.05):
                yield (
                    f"Table {part[5:]}: τ = {tau} for {name} is {'' if marked else 'not '}marked as p < .05; "
                    f"over {cells} cells p = {p:.2g}."
                )


def _domination_notes() -> Iterator[str]:
    printed = table("abc")["tableA8"]
    for name, ours in dominations().items():
        for other in sorted(ours ^ set(printed[name]["dominates"])):
            has = "has" if other in printed[name]["dominates"] else "lacks"
            yield f"Table A8 {has} {name} dominating {other}; the difference in A9 says otherwise."
    for name, row in printed.items():
        for other in printed:
            if (other in row["dominates"]) != (name in printed[other]["dominated"]):
                yield f"Table A8 contradicts itself on whether {name} dominates {other}."


def _other_notes() -> Iterator[str]:
    source = table("abc")
    rows = len(source["tableA10"]["rows"])
    yield f"Table A10 is headed as the top 50 emergent associations and prints {rows}."
    ratings = catalog().ratings("abc-annotators")
    everybody, men, women = (ratings[who] for who in ("White", "White male", "White female"))
    cells = [(trait, group) for trait in ratings.traits for group in ratings.groups]
    outside = [
        (trait, group)
        for trait, group in cells
        if not _between(everybody[group][trait], men[group][trait], women[group][trait])
    ]
    if outside:
        labels = {name: group.label for name, group in catalog().groups("abc-groups").items()}
        yield (
            f"In {len(outside)} of {len(cells)} cells, White annotators (A14) do not lie between White men "
            f"(A16) and White women (A17), of whom they would be the mean if all were either: "
            f"{join_words([f'{trait} of {labels[group]}' for trait, group in outside], most=3)}."
        )
    yield (
        "A random order of traits has a precision at 3 of one half on any group, so that 0.500 (CEAT, "
        "RoBERTa) is chance."
    )


def _between(value: float, one: float, two: float, rounding: float = 0.1) -> bool:
    return min(one, two) - rounding <= value <= max(one, two) + rounding


def _possible_notes(human: Judgements) -> Iterator[str]:
    """Which cells of A11 to A13 the human means make impossible, whatever the model said."""
    means = human.to_dict()
    source = table("abc")
    wrong, checked = [], 0
    for part in ("tableA11", "tableA12", "tableA13"):
        for group, row in source[part].items():
            values = list(means.get(group, {}).values())
            if len(values) != TRAITS:
                continue
            for name, cell in zip(columns(), row, strict=True):
                if isnan(cell):
                    continue
                checked += 1
                possible = (
                    attainable_tau(cell, values) if part == "tableA11" else _precise(cell, values, part)
                )
                if not possible:
                    wrong.append(f"{cell} for {group}, {name} in Table {part[5:]}")
    if wrong:
        yield f"The human means make impossible: {join_words(wrong, most=5)}."
    else:
        yield f"All {checked} cells of Tables A11 to A13 are possible with these human means."


def attainable_tau(printed: float, values: list[float]) -> bool:
    """Whether some untied order of as many traits gives a τ-b that prints so.

    Over n traits with d pairs that people do not tie, agreeing less disagreeing pairs are d, d − 2, …, −d,
    and τ-b divides them by √(d · n(n − 1)/2).
    """
    n = len(values)
    pairs = n * (n - 1) // 2
    untied = sum(values[i] != values[j] for i in range(n) for j in range(i))
    scale = sqrt(untied * pairs)
    return any(abs(s / scale - printed) <= _ROUNDING + 1e-9 for s in range(-untied, untied + 1, 2))


def _precise(printed: float, values: list[float], part: str) -> bool:
    """Whether some three traits are so often on the right side."""
    right = sum(value > 50 for value in values) if part == "tableA12" else sum(v < 50 for v in values)
    thirds = round(3 * printed)
    return max(0, 3 - (len(values) - right)) <= thirds <= min(3, right)


def _about_models(
    results: Mapping[str, AlignmentResult], scores: Mapping[str, Any], human: Judgements | None
) -> Iterator[str]:
    if not results:
        lacking = "no scores" if not scores else "no human judgements"
        yield (
            f"{lacking.capitalize()} given, so τ stands alone as published, and precision is computed from "
            "the printed rows."
        )
    if human is not None and len(_rated(human)) < len(table("abc")["tableA11"]):
        absent = [group for group in table("abc")["tableA11"] if group not in human.groups]
        yield f"The judgements lack {join_words(absent, most=6)}."
