"""Traits that emerge in pairs against those that people named for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from crossroads.core.errors import InputError, UnknownNameError, one_of
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.options import whole
from crossroads.core.results import Result, Row, Stat, stat
from crossroads.core.results.stats import NAME
from crossroads.core.stimuli.material import Traits
from crossroads.traits.pairs.emergent import Direction, EmergentResult

Which = Literal["positive", "emergent"]
Exchange = Literal["traits", "pairs"]
Key = str | tuple[str, str]
"""A pair by its name, or by its two groups, which means all orders of them."""


@dataclass(frozen=True, kw_only=True)
class PairAgreement:
    """One pair: what was detected and what is true."""

    pair: str
    """The pair."""
    detected: tuple[str, ...]
    """Traits, or dimensions, that were detected."""
    true: tuple[str, ...]
    """Those that are true."""

    @property
    def hits(self) -> tuple[str, ...]:
        """Those that are both."""
        return tuple(item for item in self.detected if item in self.true)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EmergentTruthResult(Result):
    """How well emergent traits agree with a given list."""

    _section: ClassVar[str] = "pairs"
    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory",)
    _label_format: ClassVar[str] = "emergent traits compared with people"
    _table_name: ClassVar[str] = "emergent_truth"
    _table_title: ClassVar[str] = "Emergent traits compared with those people name"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("result", of=NAME),
        stat("precision", note="share of what was detected that people name too"),
        stat("chance_precision", "by chance"),
        stat("recall", note="share of what people name that was detected"),
        stat("chance_recall", "by chance"),
        Stat("exact_p", "pvalue", {"head": "exact p", "note": "pairs exchanged", "kind": "exchanged"}),
    )

    precision: float | None
    """Share of what was detected that is true; None where nothing was detected."""
    recall: float
    """Share of what is true that was detected."""
    chance_precision: float | None
    """Mean precision when what was detected is drawn at random."""
    chance_recall: float
    """Mean recall when what was detected is drawn at random."""
    pvalue: float
    """Share of draws with as many hits; the same for precision and recall, since set sizes are kept."""
    draws: int
    """Number of draws."""
    items: tuple[str, ...]
    """Every trait, or dimension, that could be detected."""
    by_pair: tuple[PairAgreement, ...]
    """Every pair of the list."""

    def _rows(self) -> list[Row]:
        return [
            {"pair": one.pair, "detected": ", ".join(one.detected), "true": ", ".join(one.true)}
            | {"hits": len(one.hits)}
            for one in self.by_pair
        ]


def against(
    found: EmergentResult,
    truth: Mapping[Key, Iterable[str]],
    *,
    which: Which = "positive",
    direction: Direction = "above",
    dimensions: Mapping[str, str] | None = None,
    exchange: Exchange = "traits",
    draws: int = 9999,
    seed: int = 0,
) -> EmergentTruthResult:
    """Compare emergent traits with lists of traits that are considered true of each pair.

    Parameters
    ----------
    truth
        For each pair, by its name or its two groups, the traits that people attribute to it; with
        ``dimensions``, the dimensions. Pairs that are not listed are not compared.
    which
        What counts as detected: ``"positive"``, every increase, as published, or ``"emergent"``, those within
        the false-discovery rate.
    dimensions
        What each trait belongs to, such as ``poles(catalog().traits("abc-traits"))``; traits without an entry
        are left out.
    exchange
        Definition of chance. ``"traits"``: each pair keeps the number of traits detected, which are drawn
        from all traits. ``"pairs"``: the lists of true traits are permuted among the pairs, so that traits
        true of many pairs, or detected for many, give no credit.
    """
    one_of("which", which, Which)
    one_of("direction", direction, Direction)
    one_of("exchange", exchange, Exchange)
    whole("draws", draws, least=1, hint="draw at least one.")
    items = tuple(found.traits)
    if dimensions is not None:
        items = tuple(dict.fromkeys(dimensions[trait] for trait in found.traits if trait in dimensions))
    places = {key: _places(found, key) for key in truth}
    true: dict[Key, frozenset[str]] = {}
    for key, listed in truth.items():
        if not places[key]:
            raise UnknownNameError("pair", _label(key), found.pairs)
        if isinstance(listed, str):
            raise InputError(f"the traits of {_label(key)!r} are one string.", hint="give a list of traits.")
        true[key] = frozenset(one_of("trait", item, items) for item in listed)
    if not any(true.values()):
        raise InputError("the list of true traits is empty.", hint="give at least one pair with a trait.")
    counts = np.ones(found.increase.size, dtype=bool) if which == "positive" else found.emergent
    if direction != "both":
        counts = counts & (found.above == (direction == "above"))
    known = found.traits if dimensions is None else [dimensions.get(trait) for trait in found.traits]
    detected = {
        key: {known[i] for i in found.trait_index[counts & np.isin(found.pair_index, pairs)].tolist()}
        for key, pairs in places.items()
    }
    hit = np.array([[item in detected[key] for item in items] for key in true])
    fact = np.array([[item in listed for item in items] for listed in true.values()])
    hits, made, total = int((hit & fact).sum()), int(hit.sum()), int(fact.sum())
    rng, drawn = generator(seed), np.empty(draws, dtype=np.int64)
    for i in range(draws):
        other = rng.permuted(hit, axis=1) if exchange == "traits" else hit[rng.permutation(len(hit))]
        drawn[i] = (other & fact).sum()
    return EmergentTruthResult(
        precision=hits / made if made else None,
        recall=hits / total,
        chance_precision=float(drawn.mean()) / made if made else None,
        chance_recall=float(drawn.mean()) / total,
        pvalue=(int((drawn >= hits).sum()) + 1) / (draws + 1),
        draws=draws,
        items=items,
        by_pair=tuple(
            PairAgreement(
                pair=_label(key),
                detected=tuple(item for item in items if item in detected[key]),
                true=tuple(item for item in items if item in listed),
            )
            for key, listed in true.items()
        ),
        coverage=found.coverage,
        conventions={
            "measure": "against",
            "which": which,
            "direction": direction,
            "dimensions": dimensions is not None,
            "exchange": exchange,
            "seed": seed,
            **{f"emergent {key}": value for key, value in found.conventions.items() if key != "measure"},
        },
        provenance=found.provenance,
    )


def poles(traits: Traits) -> dict[str, str]:
    """Map each adjective to its end of the scale, such as ``"low Communion"``."""
    low = {pair.left: f"low {pair.scale}" for pair in traits}
    return low | {pair.right: f"high {pair.scale}" for pair in traits}


def _label(key: Key) -> str:
    return key if isinstance(key, str) else " and ".join(key)


def _places(found: EmergentResult, key: Key) -> list[int]:
    """Positions of the pairs that a key means."""
    if isinstance(key, str):
        return [i for i, name in enumerate(found.pairs) if name.casefold() == key.casefold()]
    return [i for i, two in enumerate(found.components) if set(two) == set(key)]
