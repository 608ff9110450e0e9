"""Contradictions between the tables of the ABC study, and with the human data."""

from __future__ import annotations

from collections.abc import Iterator
from math import erfc, isnan, sqrt

from crossroads.errors import join_words
from crossroads.evidence.judgements import Judgements
from crossroads.papers.abc.tables import ROUNDING, TRAITS, columns, dominations, precision_from_rows
from crossroads.papers.published import table
from crossroads.stimuli import catalog


def consistency(human: Judgements | None = None) -> tuple[str, ...]:
    """Sentences on contradictions between the tables, and with the human data if these are given."""
    notes = [*_precision_notes(), *_dagger_notes(), *_domination_notes(), *_other_notes()]
    if human is not None:
        notes += _possible_notes(human)
    return tuple(notes)


def _precision_notes() -> Iterator[str]:
    source = table("abc")
    for name, ours in precision_from_rows().items():
        printed = source["table6"]["precision"][columns().index(name)]
        if abs(printed - ours) > ROUNDING:
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
            yield f"Table A8 {has} {name} dominating {other}; the difference in A9 contradicts it."
    for name, row in printed.items():
        for other in printed:
            if (other in row["dominates"]) != (name in printed[other]["dominated"]):
                yield f"Table A8 contradicts itself on whether {name} dominates {other}."


def _other_notes() -> Iterator[str]:
    source = table("abc")
    rows = len(source["tableA10"]["rows"])
    yield f"Table A10 is headed as the top 50 emergent associations and prints {rows}."
    ratings = catalog().ratings("abc-annotators")
    everyone, men, women = (ratings[who] for who in ("White", "White male", "White female"))
    cells = [(trait, group) for trait in ratings.traits for group in ratings.groups]
    outside = [
        (trait, group)
        for trait, group in cells
        if not _between(everyone[group][trait], men[group][trait], women[group][trait])
    ]
    if outside:
        labels = {name: group.label for name, group in catalog().groups("abc-groups").items()}
        yield (
            f"In {len(outside)} of {len(cells)} cells, White annotators (A14) are not between White men "
            f"(A16) and White women (A17), whose mean they would be if all were either: "
            f"{join_words([f'{trait} of {labels[group]}' for trait, group in outside], most=3)}."
        )
    yield (
        "A random order of traits has a precision at 3 of one half on any group, so that 0.500 (CEAT, "
        "RoBERTa) is chance."
    )


def _between(value: float, one: float, two: float, rounding: float = 0.1) -> bool:
    return min(one, two) - rounding <= value <= max(one, two) + rounding


def _possible_notes(human: Judgements) -> Iterator[str]:
    """Cells of A11 to A13 that the human means make impossible for any model."""
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
    """Whether some untied order of the traits gives a τ-b that prints so.

    Over n traits with d pairs that people do not tie, agreeing less disagreeing pairs are d, d − 2, …, −d,
    and τ-b divides them by √(d · n(n − 1)/2).
    """
    n = len(values)
    pairs = n * (n - 1) // 2
    untied = sum(values[i] != values[j] for i in range(n) for j in range(i))
    scale = sqrt(untied * pairs)
    return any(abs(s / scale - printed) <= ROUNDING for s in range(-untied, untied + 1, 2))


def _precise(printed: float, values: list[float], part: str) -> bool:
    """Whether some three traits are on the right side that often."""
    right = sum(value > 50 for value in values) if part == "tableA12" else sum(v < 50 for v in values)
    thirds = round(3 * printed)
    return max(0, 3 - (len(values) - right)) <= thirds <= min(3, right)
