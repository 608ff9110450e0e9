"""Tables 2 to 4 of the appendix of the CEAT paper, cell by cell as printed."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import NamedTuple

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
        """The number below which the p-value is printed to be; None where it is printed itself."""
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
    """Share of pairs of different tests of a model whose printed effect sizes are at most so far apart."""
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
