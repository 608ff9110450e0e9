"""The results of one audit as an ordered mapping, from which all tables and pages are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from crossroads.core.errors import InputError
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import KINDS as KINDS
from crossroads.core.evidence.model_names import model_name
from crossroads.core.results import Conclusion, Coverage, Result, because, numbers, pointer_part
from crossroads.core.results.checks import OTHER, Check
from crossroads.core.results.registration import RegistrationResult
from crossroads.core.results.robustness import ChecksResult, status_on
from crossroads.core.wording import phrases
from crossroads.core.wording.table import Table

if TYPE_CHECKING:
    from crossroads.core.evidence import Embeddings
    from crossroads.core.report.gate import Gate
    from crossroads.core.stimuli import Design

R = TypeVar("R", bound=Result)


@dataclass(frozen=True, eq=False)
class Audit(Mapping[str, Result]):
    """The results of an audit of one model, by name, in the order in which they are written.

    ``given`` are results by name, or a sequence of results, which are named by their labels; ``kind`` is a
    key of :data:`KINDS`; ``left_out`` says what could not be measured, and why. By default the model has
    the name of :func:`~crossroads.core.evidence.model_names.model_name`.
    """

    given: Mapping[str, Result] | Iterable[Result]
    kind: str = "vectors"
    left_out: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None

    def __post_init__(self) -> None:
        named = dict(self.given) if isinstance(self.given, Mapping) else by_label(self.given)
        object.__setattr__(self, "given", MappingProxyType(named))
        if not named:
            raise InputError("the audit has no results.", hint="measure something first.")
        if not any(result.provenance for result in named.values()):
            raise InputError("no result records its model.", hint="measure evidence that has a provenance.")

    def __getitem__(self, name: str) -> Result:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @cached_property
    def _by_name(self) -> Mapping[str, Result]:
        return self.given if isinstance(self.given, Mapping) else by_label(self.given)

    def of(self, kind: type[R]) -> dict[str, R]:
        """The results of one type, by name."""
        return {name: one for name, one in self.items() if isinstance(one, kind)}

    def one(self, kind: type[R]) -> R | None:
        """The first result of one type, or None."""
        return next(iter(self.of(kind).values()), None)

    @property
    def registration(self) -> RegistrationResult | None:
        """How it departs from what was registered before, if something was."""
        return self.one(RegistrationResult)

    def by_type(self) -> list[tuple[type[Result], dict[str, Result]]]:
        """Results of one type together, section by section: what becomes one table."""
        return by_type(self)

    def named(self) -> Iterator[tuple[str, Result]]:
        """Every result with its name, including those inside batteries and series."""
        for name, one in self.items():
            yield name, one
            yield from one._parts(name)

    @cached_property
    def model(self) -> str:
        """Name of the model."""
        return self.name or model_name(self.about)

    @cached_property
    def about(self) -> Provenance:
        """Where the model came from."""
        return next(result.provenance[0] for result in self.values() if result.provenance)

    def coverages(self) -> dict[str, Coverage]:
        """Coverage of the stimuli by test; additional measures of a test mostly use its words."""
        found: dict[str, Coverage] = {}
        for name, one in self.named():
            if one.coverage is not None:
                found.setdefault(tested(one, name), one.coverage)
        return found

    def unmeasured(self) -> dict[str, tuple[str | None, str]]:
        """Results that could not be measured, by name: their kind, if known, and the reason."""
        found: dict[str, tuple[str | None, str]] = {
            test: (kind, why) for name, one in self.items() for test, kind, why in one._unmeasured(name)
        }
        return found | {name: (None, why) for name, why in self.left_out.items()}


def tested(result: Result, name: str) -> str:
    """Name of the test that a result is about; its own name unless it is a check of a test."""
    return str(getattr(result, "design", name)) if result._about_test else name


def by_type(results: Mapping[str, Result]) -> list[tuple[type[Result], dict[str, Result]]]:
    """Results of one type together, section by section: what becomes one table."""
    order = list(phrases.SECTIONS)
    ordered = sorted(results.items(), key=lambda item: order.index(item[1]._section))
    kinds = dict.fromkeys(type(one) for _, one in ordered)
    return [(kind, {n: one for n, one in ordered if type(one) is kind}) for kind in kinds]


def tables_of(results: Mapping[str, Result]) -> dict[str, Table]:
    """The table of every type of result, by the name of the type."""
    return {kind.__name__: kind._tabulate(some) for kind, some in by_type(results)}


@dataclass(frozen=True, kw_only=True)
class FinishedAudit:
    """A finished audit, with all that its folder needs."""

    audit: Audit  # its results
    designs: Sequence[Design]  # the designs that could be measured
    vectors: Embeddings | None = None  # the vectors of the stimuli, if there is one per word
    gate: Gate | None = None  # the verdicts of rules, where there were any


class Concluded(NamedTuple):
    """What a result of an audit comes to."""

    result: int  # place of the result
    section: str  # its section
    found: Conclusion  # what it comes to


def conclusions_of(results: Mapping[str, Result]) -> list[Concluded]:
    """What all results come to, the surest first; in one section and status, the largest numbers first.

    Where the robustness of a test was checked, the answers decide whether the test holds.
    """
    checks = {
        test: (f"/results/{at}/tests/{pointer_part(test)}/", some)
        for at, one in enumerate(results.values())
        if isinstance(one, ChecksResult)
        for test, some in one.tests.items()
    }
    found = []
    for at, (name, one) in enumerate(results.items()):
        for said in one._conclusions(name):
            asked = checks.get(said.name, ("", ()))
            found.append(Concluded(at, one._section, _answered(said, *asked)))
    order, sections = list(phrases.STATUSES), list(phrases.SECTIONS)
    return sorted(
        found,
        key=lambda one: (
            order.index(one.found.status),
            sections.index(one.section),
            -abs(one.found.number("value") or 0.0),
        ),
    )


def _answered(said: Conclusion, place: str, checks: Sequence[Check]) -> Conclusion:
    """A conclusion with the answer of the checks of its test, and the numbers that belong to it."""
    at, other = next(((at, one) for at, one in enumerate(checks) if one.asks == OTHER), (0, None))
    if other is None:
        return said
    found = {role: getattr(other, role) for role in ("low", "high", "ordinary", "words")}
    more = numbers(**{role: (f"{place}{at}/{role}", value) for role, value in found.items()})
    status = status_on(checks, said.status)
    reason = other.reason if said.status == "holds" != status else None
    return replace(
        said, status=status, statement=because(said.statement, reason), numbers={**said.numbers, **more}
    )


def marks_of(results: Iterable[Result]) -> dict[str, str]:
    """The marks of adjusted p-values that have one, by their JSON pointer in the list of results."""
    return {
        f"/results/{at}/adjusted/{how}/{place}": p.mark
        for at, one in enumerate(results)
        for how, ps in one._adjusted_marks().items()
        for place, p in ps.items()
        if p.mark
    }


def by_label(results: Iterable[Result]) -> dict[str, Result]:
    """Results by their labels, numbered if two labels are equal."""
    found: dict[str, Result] = {}
    for one in results:
        name, number = one._label, 1
        while name in found:
            number += 1
            name = f"{one._label} {number}"
        found[name] = one
    return found
