"""The statistics of each kind of test that rules can check, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import crossroads.measures  # noqa: F401  # the types of results are known once they are loaded
from crossroads.report.audit import Audit
from crossroads.results import Values, result_kinds

TEXTS = ("pattern", "crossed_pattern", "these_words", "other_words", "beyond_frequency", "answer")
"""Statistics that are words."""


def _statistics() -> Iterator[tuple[str, tuple[str, ...]]]:
    # a battery comes after its tests, and has more statistics
    for kind in sorted(result_kinds(), key=lambda one: sum(map(len, one.asked.values()))):
        yield from kind.asked.items()


STATISTICS: Mapping[str, tuple[str, ...]] = dict(_statistics())
"""Statistics of each kind of test.

A ``comparison`` is one of geometry, a ``decade`` a test at one point in time. ``p`` is always the p-value for
other words, from which ``p_holm``, ``p_bh`` and ``p_by`` are adjusted; ``exact_p`` is that of exchanging just
these words.
"""


def readings(audit: Audit) -> dict[str, tuple[str, Values]]:
    """All tests by name: the kind of each, and its statistics by name."""
    return {test: (kind, values) for name, one in audit.items() for test, kind, values in one.readings(name)}
