"""The plan of an audit: what to measure for each kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crossroads.audit import contexts as on_contexts
from crossroads.audit import intersections, traits
from crossroads.audit import words as on_words
from crossroads.errors import InputError
from crossroads.sources.kinds import TRANSFORMERS, Kind, useless
from crossroads.sources.models.images import image_labels, image_sets
from crossroads.stimuli import Design, StimulusSet, batteries, catalog

TABLE = (*on_words.ROWS, *intersections.ROWS, *on_words.SPACE, *on_contexts.ROWS, *traits.ROWS)
"""Every measure of audits, in the order of the results."""
ON_WORDS = ("vectors", "series", "encoder", "language model", "vision-language", "endpoint")
"""Kinds of models that give one vector per word."""
USES = {
    "contexts": ("encoder", "language model"),
    "images": ("vision-language",),
    "human": ("language model", "logits"),
}
"""Optional inputs, and the kinds of models that can use them."""


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
    """Decide what to measure for a model, and refuse what is not possible.

    Parameters
    ----------
    kind
        The kind of model.
    designs
        The tests that were named; None for everything that applies.
    contexts, images, human
        Folder of contexts, folder of images, file of judgements.
    pairs
        Whether to ask a language model about pairs of groups as well.
    placebo
        Whether to ask a model for a panel of other words, to draw placebo tests from.
    layers
        Whether to measure the tests of a transformer in each of its layers as well.
    """
    has_words, has_contexts = kind.name in ON_WORDS, kind.name == "contexts"
    _check_extras(kind, contexts=contexts, images=images, human=human)
    asked = kind.name == "logits" or (kind.name == "language model" and designs is None)
    refused = {
        f"tests were named, but {kind.shown} contains answers about groups and traits.": (
            designs is not None and not has_words and not has_contexts,
            "leave them out, or audit the model itself.",
        ),
        "human judgements were given together with named tests.": (
            human is not None and not asked,
            "leave the tests out: judgements are compared with scores of groups on traits.",
        ),
        f"pairs= was given, but {kind.shown} is not asked about groups here.": (
            pairs and not (asked and kind.name == "language model"),
            "give it with a language model, and without naming tests.",
        ),
        f"placebo= was given, but {kind.shown} gives no vectors of further words.": (
            placebo and not has_words,
            "give it with a model that does; files of vectors need no asking.",
        ),
    }
    for message, (applies, hint) in refused.items():
        if applies:
            raise InputError(message, hint=hint)
    if layers and kind.name not in TRANSFORMERS:
        raise useless("layers", kind, TRANSFORMERS)
    words = _chosen(designs, on_words.STATIC) if has_words else []
    over_contexts = has_contexts or contexts is not None
    return Plan(
        kind=kind,
        words=tuple(words if images is None else with_images(words, images)),
        contexts=tuple(_chosen(designs, on_contexts.CONTEXTUAL)) if over_contexts else (),
        whole=designs is None,
        traits=asked,
        sentences=contexts,
        images=images,
        human=human,
        pairs=pairs,
        placebo=placebo,
        layers=layers,
    )


def takes(kind: Kind, material: str) -> bool:
    """Whether a kind of model can use an input: ``"contexts"``, ``"images"`` or ``"human"``."""
    return kind.name in USES[material]


def _chosen(designs: Sequence[Design] | None, default: Sequence[str]) -> list[Design]:
    if designs is not None:
        return list(designs)
    known = batteries()
    return [catalog(member) for name in default for member in known[name]]


def _check_extras(kind: Kind, **given: Path | None) -> None:
    """Refuse inputs that a kind of model cannot use, or that do not exist."""
    for name, path in given.items():
        if path is None:
            continue
        if not takes(kind, name):
            raise useless(name, kind, USES[name])
        if not path.exists():
            raise InputError(f"there is no {path}.", hint=f"check the path given as {name}=.")


def with_images(designs: Sequence[Design], folder: Path) -> list[Design]:
    """Designs, each followed by one with images in place of the sets that a folder has images of.

    Parameters
    ----------
    designs
        Designs of words.
    folder
        Folder with one subfolder of images per set, with the name of the set.

    Raises
    ------
    InputError
        If no subfolder has the name of a set.
    """
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
