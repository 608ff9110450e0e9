"""What the notes say of published numbers follows from these numbers."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, sqrt
from statistics import NormalDist, median

import numpy as np
import pytest
from scipy.stats import kendalltau

from crossroads.core.errors import join_words
from crossroads.core.stimuli import catalog
from crossroads.papers.abc.tables import COLUMNS, ROUNDING, TRAITS, dominations, precision_from_rows
from crossroads.papers.ceat import Printed, printed, spread_between_tables
from crossroads.papers.ml_eat import LEVELS, Number, numbers, row_pattern
from crossroads.papers.published import table

Row = dict[str, Number]


def test_what_ibd_and_eibd_detect_says_what_was_removed() -> None:
    counts = {(r["target"], r["kind"]): (r["tpr"][0], r["fpr"][0]) for r in table("ceat-ibd")["row"]}
    for target, note in zip(("AF", "MF"), table("ceat-ibd")["notes"][1:3], strict=True):
        before, after = counts[target, "ibd"], counts[target, "eibd"]
        assert f"{target}: the paper's IBD detects {before[0]} + {before[1]} words" in note
        assert f"EIBD {after[0]} + {after[1]}: " in note
        assert (": as many." in note, ": more, so" in note) == (
            sum(after) == sum(before), sum(after) > sum(before),
        )  # fmt: skip


def implied_se(one: Printed) -> float:
    """Standard error that an effect size and its p-value imply; an upper bound if p is one."""
    p = one.bound if one.bound is not None else float(one.p)
    if abs(one.d) < 0.02 or p <= 1e-30:
        return float("nan")
    return (abs(one.d) + (0.005 if one.bound is not None else 0.0)) / -NormalDist().inv_cdf(p / 2)


def test_what_the_tables_of_ceat_imply() -> None:
    text, runs, samples, signs = table("ceat")["notes"]
    weak = [
        f"{one.test.upper()} with {one.model}"
        for one in printed()
        if one.table == 2 and one.bound is None and float(one.p) >= 0.05
    ]
    assert f"Table 2 has p of at least .05 for {join_words(weak)};" in text
    cells = {(one.table, one.test, one.model): one.d for one in printed()}
    pairs = [(d, cells[4, test, model]) for (number, test, model), d in cells.items() if number == 3]
    spread = join_words([f"{s:.2f} ({m})" for m, s in spread_between_tables().items()])
    turned = sum(one * other < 0 for one, other in pairs)
    largest = max(abs(one - other) for one, other in pairs)
    assert f"same {len({key[1] for key in cells if key[0] == 3})} tests" in runs
    assert f"difference {spread}, largest {largest:.2f}, {turned} of {len(pairs)} cells change sign" in runs
    exact = [implied_se(one) for one in printed() if one.table == 3 and one.bound is None]
    bounds = [implied_se(one) for one in printed() if one.table == 4 and one.bound is not None]
    # .02 with p = .10 is 1.645 standard errors, so one is .012; that is the size of Table 3's
    three, four = (median(se for se in found if not isnan(se)) for found in (exact, bounds))
    assert f"about {three:.3f} in Table 3 and at most {four:.3f} in Table 4" in samples
    assert f"{three / four:.1f} times less" in samples
    small = [one for one in printed() if one.table == 3 and 0.04 <= abs(one.d) <= 0.1]
    for sign, name in ((-1, "negative"), (1, "positive")):
        here = [one for one in small if one.d * sign > 0]
        assert f"{sum(one.bound == 1e-30 for one in here)} of {len(here)} {name} ones" in signs


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str, str | None, str], Row]:
    """Every row of the tables of ML-EAT: table, model, prompt and test to its cells."""
    found: dict[tuple[str, str, str | None, str], Row] = {}
    for one in numbers():
        found.setdefault((one.table, one.model, one.prompt, one.test), {})[one.column] = one
    return found


def test_what_the_tables_of_ml_eat_imply(rows: dict[tuple[str, str, str | None, str], Row]) -> None:
    repeated, starred, captioned, prompted, impossible, *_ = table("ml-eat")["notes"]
    early = {key: row for key, row in rows.items() if key[0] in ("2", "3") and key[2] in (None, "{word}")}
    late = {(model, test): row for (number, model, _, test), row in rows.items() if int(number) >= 5}
    assert repeated.startswith(f"{len(early)} rows") and repeated.endswith("agree in every cell.")
    for (_, model, _, test), row in early.items():
        assert {one.column: one.text for one in row.values()} == {
            one.column: one.text for one in late[model, test].values()
        }
    right = [is_starred_rightly(row, name) for row in rows.values() for name in LEVELS if of_words(row)]
    assert all(right) and starred.startswith(f"{len(right)} of {len(right)} stars")
    patterns = {test: row_pattern(row) for (number, _, _, test), row in rows.items() if number == "1"}
    assert patterns == table("ml-eat")["caption"] and captioned.endswith("without exception.")
    twice = [[row for key, row in rows.items() if key[0] == "2" and key[3] == test] for test in second(rows)]
    kept = sum(row_pattern(one) == row_pattern(two) for one, two in twice)
    # the text: "EAT patterns for all five tests … remain the same", and White/Black changes its direction
    turned = sum(one["level1"].value * two["level1"].value < 0 for one, two in twice)
    assert f"{kept} of {len(twice)} tests keep their pattern and {turned} changes the sign" in prompted
    assert list(contradictions(rows)) == [impossible]


def second(rows: dict[tuple[str, str, str | None, str], Row]) -> list[str]:
    return list(dict.fromkeys(test for number, _, _, test in rows if number == "2"))


def of_words(row: Row) -> bool:
    return row["level1"].test.startswith("weat")


def is_starred_rightly(row: Row, name: str) -> bool:
    """Whether a star follows from its number: z = |d|·√(n/2) above 1.645, for two sets of n words."""
    design = catalog().design(row[name].test, row[name].variant)
    n = len(design.x if name == "level1" else design.a)
    # the printed number represents all that are rounded or cut to it
    low, high = (sqrt(n / 2) * (abs(row[name].value) + off) for off in (-0.005, 0.01))
    return high > 1.645 if row[f"{name} star"].value else low <= 1.645


def contradictions(rows: dict[tuple[str, str, str | None, str], Row]) -> Iterator[str]:
    """Rows whose Level 3 has the opposite sign of Level 2 by more than rounding allows."""
    for (number, _, _, test), row in rows.items():
        for target in "xy":
            d = row[f"level2_{target}"]
            first, second = (row[f"{attribute}{target} mean"] for attribute in "ab")
            gap = first.value - second.value
            if d.value * gap < 0 and abs(gap) > 0.01 + 1e-9:
                yield (
                    f"Table {number}, {test}: means of {first.text} and {second.text} contradict the Level 2 "
                    f"effect size of {d.text}."
                )


def tau_pvalue(tau: float, n: int) -> float:
    """Two-sided p-value of Kendall's τ over n cells without ties, by the normal curve."""
    return 2 * NormalDist().cdf(-abs(tau) / sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))))


def test_the_normal_p_of_tau_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=400), rng.normal(size=400)
    found = kendalltau(x, y, method="asymptotic")
    assert tau_pvalue(float(found.statistic), 400) == pytest.approx(found.pvalue)


def slips_of_abc() -> Iterator[str]:
    source = table("abc")
    for name, ours in precision_from_rows().items():
        precision = source["table6"]["precision"][COLUMNS.index(name)]
        if abs(precision - ours) > ROUNDING:
            said = f"A12 and A13 add up to {ours:.3f}."
            yield f"Table 6 prints a precision of {precision:.3f} for {name}; {said}"
    for part in ("tableA12", "tableA13"):
        for group, row in source[part].items():
            for name, cell in zip(COLUMNS, row, strict=True):
                if not isnan(cell) and abs(3 * cell - round(3 * cell)) > 0.02:
                    yield f"Table {part[5:]} prints {cell} for {group}, {name}, which is not a third."
    for part, left_out in (("table6", []), ("tableA19", source["pilot"])):
        groups = [row for group, row in source["tableA11"].items() if group not in left_out]
        for i, name in enumerate(COLUMNS):
            n, tau = TRAITS * sum(not isnan(row[i]) for row in groups), source[part]["tau"][i]
            marked, p = source[part]["significant"][i], tau_pvalue(tau, n)
            if marked != (p < 0.05):
                said = f"is {'' if marked else 'not '}marked as p < .05; over {n} cells p = {p:.2g}."
                yield f"Table {part[5:]}: τ = {tau} for {name} {said}"
    listed = source["tableA8"]
    for name, found in dominations().items():
        for other in sorted(found ^ set(listed[name]["dominates"])):
            has = "has" if other in listed[name]["dominates"] else "lacks"
            yield f"Table A8 {has} {name} dominating {other}; the difference in A9 contradicts it."
    for name, row in listed.items():
        for other in listed:
            if (other in row["dominates"]) != (name in listed[other]["dominated"]):
                yield f"Table A8 contradicts itself on whether {name} dominates {other}."
    rows = len(source["tableA10"]["rows"])
    yield f"Table A10 is headed as the top 50 emergent associations and prints {rows}."


def test_what_the_tables_of_the_abc_study_contradict() -> None:
    *slips, annotators, chance = table("abc")["notes"]
    assert slips == list(slips_of_abc())
    ratings = catalog().ratings("abc-annotators")
    everyone, men, women = (ratings[who] for who in ("White", "White male", "White female"))
    cells = [(trait, group) for trait in ratings.traits for group in ratings.groups]
    outside = [
        (trait, group)
        for trait, group in cells
        if not min(men[group][trait], women[group][trait]) - 0.1
        <= everyone[group][trait]
        <= max(men[group][trait], women[group][trait]) + 0.1
    ]
    assert annotators.startswith(f"In {len(outside)} of {len(cells)} cells, White annotators")
    labels = {name: group.label for name, group in catalog().groups("abc-groups").items()}
    assert join_words([f"{trait} of {labels[group]}" for trait, group in outside], most=3) in annotators
    at = table("abc")["table6"]["precision"]
    assert [name for name, value in zip(COLUMNS, at, strict=True) if value == 0.5] == ["CEAT RoBERTa"]
    assert "0.500 (CEAT, RoBERTa) is chance" in chance
