"""What each part of an audit is called in tables, in text and in rules."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.report.audit import Audit, rsa_name
from crossroads.results import Result


def crossing_name(target: str) -> str:
    """Scores of words with an intersectional group, such as ``AF WEFAT``."""
    return f"{target} WEFAT"


def context_name(design: str) -> str:
    """A test over contexts, such as ``weat6 CEAT``."""
    return f"{design} CEAT"


def levels_name(design: str) -> str:
    """The levels of a test over contexts, such as ``weat6 CEAT levels``."""
    return f"{context_name(design)} levels"


def decade_name(design: str, time: int) -> str:
    """A test at one point in time, such as ``weat6 1990``."""
    return f"{design} {time}"


def scores_name(measure: str) -> str:
    """Scores of groups on traits, such as ``ilps scores``."""
    return f"{measure} scores"


def alignment_name(name: str) -> str:
    """Agreement with people, such as ``SeT alignment``."""
    return f"{name} alignment"


def order_name(measure: str) -> str:
    """The order of identities in the scores of one measure, such as ``ilps order``."""
    return f"{measure} order"


def dominance_name(measure: str, first: str, second: str) -> str:
    """Two domains in the scores of one measure, such as ``ilps age / race``."""
    return f"{measure} {first} / {second}"


def emergent_name(measure: str) -> str:
    """Traits that emerge in the scores of one measure, such as ``ilps emergent``."""
    return f"{measure} emergent"


def measure_of(result: Result) -> str:
    """The measure whose scores a result was computed from."""
    return str(result.conventions.get("scores", "given"))


def named_results(audit: Audit) -> list[tuple[str, Result]]:
    """Every result of an audit with its name, the tests inside batteries and series among them."""
    return [*_of_vectors(audit), *_of_contexts(audit), *_of_traits(audit)]


def _of_vectors(audit: Audit) -> Iterator[tuple[str, Result]]:
    if audit.battery is not None:
        yield "the battery", audit.battery
        yield from ((one.design, one) for one in audit.battery.tests)
    yield from ((one.design, one) for one in audit.intervals)
    yield from ((one.design, one) for one in audit.influences)
    yield from audit.detections.items()
    yield from ((crossing_name(one.target), one) for one in audit.crossings)
    yield from ((rsa_name(*fit.names), fit) for fit in audit.fits)
    for series in audit.series:
        yield series.design, series
        yield from ((decade_name(series.design, time), point) for time, point in series.points.items())


def _of_contexts(audit: Audit) -> Iterator[tuple[str, Result]]:
    if audit.contexts is not None:
        yield "the battery over contexts", audit.contexts
        yield from ((context_name(one.design), one) for one in audit.contexts.tests)
        yield from ((context_name(name), one) for name, one in audit.contexts.intervals.items())
    yield from ((levels_name(one.design), one) for one in audit.context_levels)
    yield from ((context_name(one.design), one) for one in audit.context_intervals)


def _of_traits(audit: Audit) -> Iterator[tuple[str, Result]]:
    yield from ((scores_name(one.measure), one) for one in audit.traits)
    yield from ((alignment_name(name), one) for name, one in audit.alignments.items())
    yield from ((order_name(measure_of(one)), one) for one in audit.orders)
    yield from ((f"{measure_of(one)} dominance", one) for one in audit.dominance)
    yield from ((emergent_name(measure_of(one)), one) for one in audit.emergent)


def unmeasured(audit: Audit) -> dict[str, str]:
    """Everything that could not be measured, under the name that its result would have, and why."""
    found: dict[str, str] = {}
    if audit.battery is not None:
        found |= audit.battery.skipped
    for series in audit.series:
        found |= {decade_name(series.design, time): why for time, why in series.skipped.items()}
    if audit.contexts is not None:
        found |= {context_name(name): why for name, why in audit.contexts.skipped.items()}
    return found | dict(audit.left_out)


def context_ends(audit: Audit) -> dict[str, tuple[float, float]]:
    """Both ends of the interval over words and contexts of each design that has one."""
    inside = {} if audit.contexts is None else audit.contexts.intervals
    found = [*inside.values(), *audit.context_intervals]
    return {one.design: (one.low, one.high) for one in found}
