"""The plan of an audit: what to measure for each kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crossroads.audit.measured.contexts import CONTEXTUAL, context_names
from crossroads.audit.measured.intersections import intersectional_names
from crossroads.audit.measured.pairs import paired_names
from crossroads.audit.measured.traits import trait_names
from crossroads.audit.measured.words import STATIC, word_names
from crossroads.audit.vectors import with_images
from crossroads.errors import InputError
from crossroads.measures.association.series import decade_name, series_name
from crossroads.measures.geometry.anisotropy import OF_CONTEXTS
from crossroads.sources.kinds import TRANSFORMERS, Kind, useless
from crossroads.sources.models.files import find_model
from crossroads.sources.models.settings import layer_count
from crossroads.sources.vectors.files import histwords
from crossroads.stimuli import Design, batteries, catalog

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

    @property
    def names(self) -> dict[str, str]:
        """Name of each test in rules, to its kind."""
        names = word_names(self.words, placebos=self.placebo or self.kind.name == "vectors")
        if self.words and self.whole:
            names |= intersectional_names()
        if self.kind.name == "series":
            decades = histwords.decades(Path(self.kind.model).expanduser())
            names |= {decade_name(one.name, time): "decade" for one in self.words for time in decades}
            names |= {series_name(one.name): "trend" for one in self.words}
        if self.layers:
            top = layer_count(find_model(self.kind.model))
            for one in self.words:
                names |= {decade_name(one.name, layer, "layer"): "decade" for layer in range(top + 1)}
                names |= {series_name(one.name, "layer"): "trend"}
        if self.contexts:
            names |= {OF_CONTEXTS: "anisotropy"}
        names |= context_names(self.contexts)
        if self.traits:
            names |= trait_names(self.human)
        if self.pairs or self.kind.name == "logits":
            names |= paired_names()
        return names


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
    on_words, on_contexts = kind.name in ON_WORDS, kind.name == "contexts"
    _check_extras(kind, contexts=contexts, images=images, human=human)
    traits = kind.name == "logits" or (kind.name == "language model" and designs is None)
    if designs is not None and not on_words and not on_contexts:
        raise InputError(
            f"tests were named, but {kind.shown} contains answers about groups and traits.",
            hint="leave them out, or audit the model itself.",
        )
    if human is not None and not traits:
        raise InputError(
            "human judgements were given together with named tests.",
            hint="leave the tests out: judgements are compared with scores of groups on traits.",
        )
    if pairs and not (traits and kind.name == "language model"):
        raise InputError(
            f"pairs= was given, but {kind.shown} is not asked about groups here.",
            hint="give it with a language model, and without naming tests.",
        )
    if placebo and not on_words:
        raise InputError(
            f"placebo= was given, but {kind.shown} gives no vectors of further words.",
            hint="give it with a model that does; files of vectors need no asking.",
            option="placebo",
        )
    if layers and kind.name not in TRANSFORMERS:
        raise useless("layers", kind, TRANSFORMERS)
    words = _chosen(designs, STATIC) if on_words else []
    if images is not None:
        words = with_images(words, images)
    return Plan(
        kind=kind,
        words=tuple(words),
        contexts=tuple(_chosen(designs, CONTEXTUAL)) if on_contexts or contexts is not None else (),
        whole=designs is None,
        traits=traits,
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
