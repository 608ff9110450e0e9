"""What is asked of each kind of model, known before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crossroads.auditing.contextual import CONTEXTUAL
from crossroads.auditing.intersections import intersectional_names
from crossroads.auditing.kinds import Kind
from crossroads.auditing.paired import paired_names
from crossroads.auditing.traits import trait_names
from crossroads.auditing.vectors import with_images
from crossroads.auditing.words import STATIC
from crossroads.errors import InputError, join_words
from crossroads.report.audit import KINDS
from crossroads.report.naming import context_name, decade_name, levels_name
from crossroads.sources import histwords
from crossroads.stimuli import Design, batteries, catalog

ON_WORDS = ("vectors", "series", "encoder", "language model", "vision-language", "endpoint")
"""Kinds of models that give one vector a word."""
USES = {
    "contexts": ("encoder", "language model"),
    "images": ("vision-language",),
    "human": ("language model", "logits"),
}
"""Material of one's own, and the kinds of models that can use it."""
ASKED = {
    "prompt": ("encoder", "language model", "vision-language", "endpoint"),
    "served": ("endpoint",),
}
"""Ways of asking, and the kinds of models that can be asked so."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked of a model."""

    kind: Kind
    """What the model is."""
    words: tuple[Design, ...]
    """Designs asked of one vector a word."""
    contexts: tuple[Design, ...]
    """Designs asked of context vectors."""
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

    @property
    def names(self) -> dict[str, str]:
        """What each test is called in rules, and which kind of test it is."""
        names = {design.name: "test" for design in self.words}
        if self.words and self.whole:
            names |= intersectional_names()
        if self.kind.name == "series":
            decades = histwords.decades(Path(self.kind.model).expanduser())
            names |= {decade_name(one.name, time): "decade" for one in self.words for time in decades}
        for one in self.contexts:
            names |= {context_name(one.name): "context test", levels_name(one.name): "context levels"}
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
) -> Plan:
    """Decide what is asked of a model, and refuse what cannot be.

    Parameters
    ----------
    kind
        What the model is.
    designs
        The tests that were named; None for everything that applies.
    contexts, images, human
        Folder of contexts, folder of images, file of judgements.
    pairs
        Whether to ask a language model about pairs of groups as well.
    """
    on_words, on_contexts = kind.name in ON_WORDS, kind.name == "contexts"
    _check_extras(kind, contexts=contexts, images=images, human=human)
    traits = kind.name == "logits" or (kind.name == "language model" and designs is None)
    if designs is not None and not on_words and not on_contexts:
        raise InputError(
            f"tests were named, but {kind.shown} holds answers about groups and traits.",
            hint="leave them out, or audit the model itself.",
        )
    if human is not None and not traits:
        raise InputError(
            "human judgements were given beside tests that were named.",
            hint="leave the tests out: judgements are compared with scores of groups on traits.",
        )
    if pairs and not (traits and kind.name == "language model"):
        raise InputError(
            f"pairs= was given, but {kind.shown} is not asked about groups here.",
            hint="give it with a language model, and without naming tests.",
        )
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
    )


def check_asking(kinds: Sequence[Kind], *, prompt: str | None, served: str | None) -> None:
    """Refuse a way of asking that none of some models has a use for."""
    for name, given in (("prompt", prompt), ("served", served)):
        if given is not None and not any(kind.name in ASKED[name] for kind in kinds):
            raise _useless(name, kinds[0], ASKED[name])


def takes(kind: Kind, material: str) -> bool:
    """Whether a kind of model can use a material: ``"contexts"``, ``"images"`` or ``"human"``."""
    return kind.name in USES[material]


def _chosen(designs: Sequence[Design] | None, default: Sequence[str]) -> list[Design]:
    if designs is not None:
        return list(designs)
    known = batteries()
    return [catalog(member) for name in default for member in known[name]]


def _check_extras(kind: Kind, **given: Path | None) -> None:
    """Refuse material that a kind of model has no use for, or that is not there."""
    for name, path in given.items():
        if path is None:
            continue
        if not takes(kind, name):
            raise _useless(name, kind, USES[name])
        if not path.exists():
            raise InputError(f"there is no {path}.", hint=f"check the path given as {name}=.")


def _useless(argument: str, kind: Kind, fitting: Sequence[str]) -> InputError:
    others = join_words((KINDS[one] for one in fitting), last="or")
    return InputError(
        f"{argument}= was given, but {kind.shown} is {KINDS[kind.name]}: {kind.because}.",
        hint=f"{argument}= goes with {others}; kind= says what a model is.",
    )
