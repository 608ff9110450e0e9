"""The plan of an audit: what to measure for each kind of model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from crossroads.core.audit.engine import Row
from crossroads.core.errors import InputError
from crossroads.core.models.kinds import ON_WORDS, Kind, check_options
from crossroads.core.stimuli import Design, batteries, catalog
from crossroads.subjects import brought

STATIC = ("weat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on one vector per word."""
CONTEXTUAL = ("ceat", "ceat-intersectional")
"""Those that are measured on context vectors."""


@cache
def table() -> tuple[Row, ...]:
    """Every measure of audits, in the order of the results: the rows of all subjects."""
    rows = [row for module in brought("audit") for row in module.ROWS]
    return tuple(sorted(rows, key=lambda row: row.late))


@dataclass(frozen=True)
class Work:
    """What an audit does with a kind of model."""

    run: Callable[[Any], None]
    """Measures the model of a :class:`~crossroads.core.audit.audit.Job`."""
    complete: Callable[[Plan], Plan] | None = None
    """Completes a plan, if something must be added."""


def work_on(kind: Kind) -> Work:
    """The work for a kind of model, which is that of a subject."""
    found: Work = next(module.WORK[kind.name] for module in brought("audit") if kind.name in module.WORK)
    return found


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to measure for a model."""

    kind: Kind
    """The kind of model."""
    words: tuple[Design, ...]
    """Designs measured on one vector per word."""
    contexts: tuple[Design, ...]
    """Designs measured on context vectors."""
    whole: bool
    """Whether no tests were named, so that everything that applies is measured."""
    traits: bool
    """Whether the model is asked about groups and traits."""
    sentences: Path | None
    """Folder of contexts for the model to read."""
    images: Path | None
    """Folder of images."""
    human: Path | None
    """File of human judgements."""
    pairs: bool = False
    """Whether a language model is also asked about pairs of groups."""
    placebo: bool = False
    """Whether a model is asked for a panel of other words, to draw placebo tests from."""
    layers: bool = False
    """Whether the tests of a transformer are measured in each of its layers as well."""

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of each test in rules, to its kind."""
        return {name: kind for row in table() for name, kind in row.names(self).items()}


def make_plan(
    kind: Kind,
    designs: Sequence[Design] | None = None,
    *,
    contexts: Path | None = None,
    images: Path | None = None,
    human: Path | None = None,
    pairs: bool = False,
    placebo: bool = False,
    layers: bool = False,
) -> Plan:
    """Decide what to measure for a model, and refuse what is not possible; see :class:`Plan`.

    ``designs`` are the tests that were named, None for everything that applies.
    """
    has_words, has_contexts = kind.name in ON_WORDS, kind.name == "contexts"
    paths = {"contexts": contexts, "images": images, "human": human}
    check_options([kind], **paths, pairs=pairs or None, placebo=placebo or None, layers=layers or None)
    for name, path in paths.items():
        if path is not None and not path.exists():
            raise InputError(f"there is no {path}.", hint=f"check the path given as {name}=.")
    about_groups = kind.name == "logits" or (kind.name == "language model" and designs is None)
    if designs is not None and not has_words and not has_contexts:
        raise InputError(
            f"tests were named, but {kind.shown} contains answers about groups and traits.",
            hint="leave them out, or audit the model itself.",
        )
    if (human is not None or pairs) and not about_groups:
        raise InputError(
            f"{'pairs' if human is None else 'human'}= was given together with named tests.",
            hint="leave the tests out: judgements and pairs are about scores of groups on traits.",
        )
    words = _chosen(designs, STATIC) if has_words else []
    over_contexts = has_contexts or contexts is not None
    plan = Plan(
        kind=kind,
        words=tuple(words),
        contexts=tuple(_chosen(designs, CONTEXTUAL)) if over_contexts else (),
        whole=designs is None,
        traits=about_groups,
        sentences=contexts,
        images=images,
        human=human,
        pairs=pairs,
        placebo=placebo,
        layers=layers,
    )
    complete = work_on(kind).complete
    return plan if complete is None else complete(plan)


def _chosen(designs: Sequence[Design] | None, default: Sequence[str]) -> list[Design]:
    if designs is not None:
        return list(designs)
    known = batteries()
    return [catalog(member) for name in default for member in known[name]]
