"""What was registered before an audit, next to what was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from crossroads.core.results.result import Result, Row
from crossroads.core.results.stats import Stat, stat
from crossroads.core.wording.table import Table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegistrationResult(Result):
    """What was registered before an audit, next to what was done."""

    _section: ClassVar[str] = "registered"
    _stem: ClassVar[str] = "registration"
    _printed: ClassVar[bool] = False
    _label_format: ClassVar[str] = "registration"
    _long_table: ClassVar[tuple[str, str, str]] = ("registration", "", "")
    _long_names: ClassVar[str] = "departures"
    _file_names: ClassVar[str] = "term registered done"
    _rule_names: ClassVar[Mapping[str, str]] = {"registration": "departures"}
    _columns: ClassVar[tuple[Stat, ...]] = (stat("term", "what departs"), stat("registered"), stat("done"))

    date: str
    """When it was registered."""
    sha256: str
    """Checksum of what was registered."""
    departures: int
    """Number of terms that differ."""
    terms: Mapping[str, tuple[str, str]]
    """Each term as it was registered, and as it was done."""

    def _members(self) -> Iterator[Row]:
        """What departs."""
        for term, (registered, done) in self.terms.items():
            if registered != done:
                yield {"term": term, "registered": registered, "done": done}

    def _headline(self) -> str:
        what = f"registered on {self.date}, sha256 {self.sha256[:16]}"
        return f"Departures from what was {what}: {self.departures}" if self.departures else f"As {what}"

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """What departs; the title says how much."""
        return replace(
            super()._tabulate(results), title=" ".join(one._headline() for one in results.values())
        )
