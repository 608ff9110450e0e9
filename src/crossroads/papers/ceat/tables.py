"""Tables 2 to 4 of the appendix of the CEAT paper, cell by cell as printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from statistics import NormalDist, median
from typing import NamedTuple

from crossroads.errors import join_words
from crossroads.papers.published import table


class Printed(NamedTuple):
    """One printed cell."""

    table: int
    test: str
    model: str
    d: float
    p: str

    @property
    def bound(self) -> float | None:
        """The printed upper bound of the p-value; None if the p-value itself is printed."""
        return float(self.p[1:]) if self.p.startswith("<") else None


def printed() -> tuple[Printed, ...]:
    """Every cell of Tables 2 to 4 of the appendix."""
    source = table("ceat")
    return tuple(
        Printed(int(number), row["test"], model, d, p)
        for number, rows in source["tables"].items()
        for row in rows
        for model, d, p in zip(source["models"], row["d"], row["p"], strict=True)
    )


def alike_by_chance(model: str, near: float) -> float:
    """Share of pairs of different tests of a model whose printed effect sizes differ by at most ``near``."""
    tests = [one for one in printed() if one.model == model]
    apart = [abs(one.d - two.d) for one, two in combinations(tests, 2) if one.test != two.test]
    return sum(gap <= near for gap in apart) / len(apart)


def spread_between_tables() -> dict[str, float]:
    """Root mean square difference of Tables 3 and 4, which hold the same tests, for each model."""
    values = {(one.table, one.test, one.model): one.d for one in printed()}
    found = {}
    for model in table("ceat")["models"]:
        squares = [
            (values[4, test, model] - d) ** 2
            for (number, test, name), d in values.items()
            if (number, name) == (3, model)
        ]
        found[str(model)] = sqrt(sum(squares) / len(squares))
    return found


def consistency() -> tuple[str, ...]:
    """Sentences on what the printed numbers imply about each other."""
    cells = printed()
    return (_text_against_table(cells), *_runs_differ(cells), _samples_of(cells), _signs(cells))


def _text_against_table(cells: tuple[Printed, ...]) -> str:
    found = [
        f"{one.test.upper()} with {one.model}"
        for one in cells
        if one.table == 2 and one.bound is None and float(one.p) >= 0.05
    ]
    return (
        f"Table 2 has p of at least .05 for {join_words(found)}; the text names C10 with BERT, C4 with GPT, "
        "C7, I3 and I4 with GPT-2, whose last two are printed with p < 1e-30."
    )


def _runs_differ(cells: tuple[Printed, ...]) -> Iterator[str]:
    values = {(one.table, one.test, one.model): one.d for one in cells}
    pairs = [(d, values[4, test, model]) for (number, test, model), d in values.items() if number == 3]
    spread = spread_between_tables()
    apart = [abs(one - other) for one, other in pairs]
    yield (
        "Tables 3 and 4 hold the same 60 tests: root mean square difference "
        f"{join_words([f'{s:.2f} ({m})' for m, s in spread.items()])}, largest {max(apart):.2f}, "
        f"{sum(one * other < 0 for one, other in pairs)} of {len(pairs)} cells change sign. Standard errors "
        "over samples are near 0.01: they do not include the choice of sentences."
    )


def _implied_se(one: Printed) -> float | None:
    """Standard error that an effect size and its p-value imply; an upper bound if p is one."""
    p = one.bound if one.bound is not None else float(one.p)
    if abs(one.d) < 0.02 or p <= 1e-30:
        return None
    rounded = abs(one.d) + (0.005 if one.bound is not None else 0.0)
    return rounded / -NormalDist().inv_cdf(p / 2)


def _samples_of(cells: tuple[Printed, ...]) -> str:
    exact = [_implied_se(one) for one in cells if one.table == 3 and one.bound is None]
    bounds = [_implied_se(one) for one in cells if one.table == 4 and one.bound is not None]
    three = median([se for se in exact if se is not None])
    four = median([se for se in bounds if se is not None])
    return (
        f"Both captions give 1,000 samples. Effect sizes and p-values imply a standard error of about "
        f"{three:.3f} in Table 3 and at most {four:.3f} in Table 4, {three / four:.1f} times less, as about "
        "10,000 samples would give."
    )


def _signs(cells: tuple[Printed, ...]) -> str:
    small = [one for one in cells if one.table == 3 and 0.04 <= abs(one.d) <= 0.1]
    counts = {}
    for sign in (1, -1):
        here = [one for one in small if one.d * sign > 0]
        counts[sign] = (sum(one.bound == 1e-30 for one in here), len(here))
    (plus, positive), (minus, negative) = counts[1], counts[-1]
    return (
        f"Of effect sizes of 0.04 to 0.10 in Table 3, {minus} of {negative} negative ones are printed with "
        f"p < 1e-30 and {plus} of {positive} positive ones: a two-sided p-value does not depend on the sign."
    )
