"""The plan of an audit: what to measure for each kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crossroads.contexts import audit as on_contexts
from crossroads.core.errors import InputError
from crossroads.core.models.kinds import ON_WORDS, Kind, check_options
from crossroads.core.stimuli import Design, StimulusSet, batteries, catalog
from crossroads.intersections import audit as intersections
from crossroads.traits import audit as traits
from crossroads.words import audit as on_words
from crossroads.words.models.clip import image_labels, image_sets

TABLE = (*on_words.ROWS, *intersections.ROWS, *on_words.SPACE, *on_contexts.ROWS, *traits.ROWS)
"""Every measure of audits, in the order of the results."""


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
        return {name: kind for row in TABLE for name, kind in row.names(self).items()}


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
    words = _chosen(designs, on_words.STATIC) if has_words else []
    over_contexts = has_contexts or contexts is not None
    return Plan(
        kind=kind,
        words=tuple(words if images is None else with_images(words, images)),
        contexts=tuple(_chosen(designs, on_contexts.CONTEXTUAL)) if over_contexts else (),
        whole=designs is None,
        traits=about_groups,
        sentences=contexts,
        images=images,
        human=human,
        pairs=pairs,
        placebo=placebo,
        layers=layers,
    )


def _chosen(designs: Sequence[Design] | None, default: Sequence[str]) -> list[Design]:
    if designs is not None:
        return list(designs)
    known = batteries()
    return [catalog(member) for name in default for member in known[name]]


def with_images(designs: Sequence[Design], folder: Path) -> list[Design]:
    """Designs, each followed by one with images in place of the sets that a folder has images of."""
    sets = image_labels(image_sets(folder))
    by_name = {_plain(name): labels for name, labels in sets.items()}
    found: list[Design] = []
    for design in designs:
        found.append(design)
        seen = {
            role: by_name[_plain(one.name)]
            for role, one in design.sets.items()
            if _plain(one.name) in by_name
        }
        if seen:
            roles: dict[str, Any] = {
                role: StimulusSet(one.name, tuple(seen.get(role, one))) for role, one in design.sets.items()
            }
            found.append(Design(name=f"{design.name}-images", **roles))
    if len(found) == len(designs):
        known = sorted({one.name for design in designs for one in design.sets.values()})
        raise InputError(
            f"no subfolder of {folder} is named like a set of the tests: it has {', '.join(sets)}.",
            hint=f"name them like the sets, such as {', '.join(repr(name) for name in known[:4])}.",
        )
    return found


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())
