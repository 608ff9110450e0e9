"""Audits of one vector per word: the battery, checks of each test, the space, and series of models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from math import comb
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.audit.engine import (
    Context,
    Evidence,
    Findings,
    Outcome,
    Outcomes,
    Row,
    Settings,
    Unit,
    design_unit,
    lacking,
)
from crossroads.core.audit.progress import SMALL
from crossroads.core.errors import EvidenceError, InputError
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.files import find_model
from crossroads.core.results import encode, versions
from crossroads.core.results.gathered import Missing
from crossroads.core.results.plain import decode_fields
from crossroads.core.results.robustness import checks_name
from crossroads.core.stimuli import Design
from crossroads.core.storage.cache import JSON, Key
from crossroads.core.storage.files import code
from crossroads.words.checks.corrections import (
    ANISOTROPY,
    AnisotropyResult,
    CorrectionsResult,
    corrections,
    measured_anisotropy,
)
from crossroads.words.checks.frequency import FrequencyResult, frequency, frequency_name
from crossroads.words.checks.placebo import LEAST_POOL, OtherWords, PlaceboResult, placebo_among, placebo_name
from crossroads.words.measures.battery import Detectable, assemble_battery, minimum_detectable
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.series import Points, SeriesResult, decade_name, series_name, series_of
from crossroads.words.measures.stability import (
    BootstrapResult,
    InfluenceResult,
    ReliabilityResult,
    bootstrap,
    influence,
    reliability,
    reliability_name,
)
from crossroads.words.models.settings import layer_count
from crossroads.words.vectors.formats import histwords

if TYPE_CHECKING:
    from crossroads.core.audit.plan import Plan

STATIC = ("weat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on one vector per word."""
SERIES: Mapping[str, Points] = {"decades": "year", "layers": "layer"}
"""Series of models, and what their points are."""


# ---- evidence


class Words(Evidence):
    """One vector per word."""

    def __init__(self, emb: Embeddings) -> None:
        self.emb, self.provenance = emb, (emb.provenance,)
        self._rows: dict[tuple[str, ...], str] = {}

    def read(self) -> Embeddings:
        """The vectors."""
        return self.emb

    def identity(self, unit: Unit) -> Any:
        """Checksum of the vectors of the words, how each was found, and which rules would find others."""
        if unit.words not in self._rows:
            self._rows[unit.words] = _rows_checksum(self.emb, unit.words)
        return self._rows[unit.words]

    @cached_property
    def pool(self) -> str:
        """Checksum of the other words, their vectors and ranks."""
        pool = self.emb.pool
        if pool is None:
            return ""
        return _words_checksum(pool) + hashlib.sha256(np.ascontiguousarray(pool.vectors).data).hexdigest()

    @cached_property
    def ranks(self) -> str:
        """Checksum of the words and their ranks."""
        return _words_checksum(self.emb)


class Others(Words):
    """One vector per word, and other words that placebo tests of several designs are drawn from."""

    def __init__(self, emb: Embeddings, designs: Sequence[Design]) -> None:
        super().__init__(emb)
        self._others = OtherWords(emb, designs)

    def read(self) -> Any:
        """The other words, with the vectors."""
        return self._others


class Space(Words):
    """All vectors together, as they were read."""

    def identity(self, unit: Unit) -> Any:
        """Checksums of every vector and of other words."""
        del unit
        return {"all": _rows_checksum(self.emb, self.emb.labels), "pool": self.pool, "ranks": self.ranks}


class Series(Evidence):
    """The same words in several models: decades, or layers."""

    def __init__(
        self, models: Mapping[int, Embeddings], last: Mapping[str, Outcome] = MappingProxyType({})
    ) -> None:
        self._models = {point: Words(models[point]) for point in sorted(models)}
        self._last = last  # tests in the last model, if they were measured already
        self.provenance = tuple(one.emb.provenance for one in self._models.values())

    def read(self) -> tuple[dict[int, Embeddings], Mapping[str, Outcome]]:
        """The models by decade or layer, and the tests in the last one that were measured already."""
        return {point: one.emb for point, one in self._models.items()}, self._last

    def identity(self, unit: Unit) -> Any:
        """Checksums of the words in each model."""
        return {str(point): one.identity(unit) for point, one in self._models.items()}


def words_evidence(read: Embeddings, used: Embeddings, designs: Sequence[Design]) -> dict[str, Evidence]:
    """Evidence of one vector per word: as it was read, and in the space that is used."""
    return {"words": Words(used), "others": Others(used, designs), "space": Space(read)}


def _rows_checksum(emb: Embeddings, words: Iterable[str]) -> str:
    words = tuple(words)
    digest = hashlib.sha256(f"{emb.dim} {emb.vectors.dtype} {' '.join(emb.fallback)}".encode())
    for word in words:
        match = emb.find(word)
        digest.update(f"\0{word}\0{match.label if match else ''}\0{match.rule if match else ''}\0".encode())
        if match is not None:
            digest.update(np.ascontiguousarray(emb.vectors[match.row]).tobytes())
    digest.update(repr(emb.helpful_rules(word for word in words if word not in emb)).encode())
    return digest.hexdigest()


def _words_checksum(emb: Embeddings) -> str:
    ranks = None if emb.ranks is None else list(emb.ranks.values())
    return hashlib.sha256(json.dumps([emb.labels, ranks], ensure_ascii=True).encode()).hexdigest()


# ---- units, and what they need


def words_of(designs: Sequence[Design]) -> list[str]:
    """Every stimulus of several designs, once."""
    return list(dict.fromkeys(word for design in designs for word in design.words))


def designs(plan: Plan) -> list[Unit]:
    """Every design that is measured on one vector per word."""
    return [design_unit(design) for design in plan.words]


def _with_placebos(plan: Plan) -> list[Unit]:
    return designs(plan) if plan.placebo or plan.kind.name == "vectors" else []


def _all_designs(plan: Plan) -> list[Unit]:
    about = [unit.about for unit in designs(plan)]
    return [Unit("", (list(plan.words),), (), about)] if plan.words else []


def _space(plan: Plan) -> list[Unit]:
    return [Unit()] if plan.words else []


def points(plan: Plan) -> dict[Points, list[int]]:
    """The decades of a series, and the layers of a transformer if they are measured."""
    found: dict[Points, list[int]] = {}
    if plan.kind.name == "series":
        found["year"] = sorted(histwords.decades(Path(plan.kind.model).expanduser()))
    if plan.layers:
        found["layer"] = list(range(layer_count(find_model(plan.kind.model)) + 1))
    return found


def _series_units(over: Points, plan: Plan) -> list[Unit]:
    return designs(plan) if (plan.kind.name == "series" if over == "year" else plan.layers) else []


def has_pool(emb: Embeddings) -> bool:
    """Whether there are enough other words than stimuli to draw placebo tests from."""
    return emb.pool is not None and emb.pool is not emb and len(emb.pool) >= LEAST_POOL


def _needs_pool(read: Words, settings: Settings, unit: Unit) -> str | None:
    del settings, unit
    return read.pool if has_pool(read.emb) else None


def _needs_frequencies(read: Words, settings: Settings, unit: Unit) -> list[str] | None:
    """The language of a design with two targets, and ranks of words, if frequencies are known."""
    known = settings.frequencies is not None or read.emb.ranks is not None
    if unit.design is None or unit.design.y is None or not known:
        return None
    return [unit.design.language, read.pool, read.ranks]


# ---- measures that are not one function


def _corrections(emb: Embeddings, tests: Any, *, missing: Missing, seed: int) -> CorrectionsResult:
    return corrections(emb, tests, missing="drop" if missing == "raise" else missing, seed=seed)


def _series(
    read: tuple[Mapping[int | str, Embeddings], Mapping[str, Outcome]],
    design: Design,
    *,
    over: Points,
    missing: Missing,
    alternative: Alternative,
    seed: int,
) -> SeriesResult:
    """A test in each model of a series; it needs two in which it can be measured."""
    (models, last), skips, options = read, lacking(missing), {"alternative": alternative, "seed": seed}
    known = {list(models)[-1]: last[design.name]} if design.name in last else {}
    result = series_of(models, design, over=over, missing=missing, options=options, skips=skips, known=known)
    if len(result.points) < 2:
        what = "layers" if over == "layer" else "decades"
        raise EvidenceError(
            f"it can be measured in {len(result.points)} of {len(models)} {what}, and a series needs two."
        )
    return result


# ---- families


def _battery(context: Context, outcomes: Outcomes) -> Findings:
    """The battery, with p-values adjusted for the number of its tests."""
    outcome = outcomes["mleat"]
    tests = {name: test for name, test in outcome.items() if isinstance(test, MleatResult)}
    skipped = {name: why for name, why in outcome.items() if isinstance(why, str)}
    if not tests and not context.insist:
        return Findings(left_out=skipped)
    if not tests:
        raise InputError(
            f"none of the {len(skipped)} tests can be measured: {next(iter(skipped.values()))}",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )

    def detect(n_x: int, n_y: int, **options: Any) -> Detectable:
        """What sets of these sizes can detect; finding it loads much of scipy."""
        used = {"code": code("core/inference"), "versions": dict(versions())}
        key = Key("detectable", "", {**used, "sizes": [n_x, n_y], **options})
        make = partial(minimum_detectable, n_x, n_y, **options)
        return decode_fields(Detectable, context.cache.get(key, lambda: encode(make()), JSON))

    settings, intervals = context.settings, outcomes["bootstrap"]
    battery = assemble_battery(
        [*tests.values()],
        skipped=skipped,
        missing=settings.missing,
        options={"alternative": settings.alternative, "seed": settings.seed},
        provenance=context.evidence["words"].provenance,
        intervals={name: one for name in tests if isinstance(one := intervals.get(name), BootstrapResult)},
        detect=detect,
    )
    return Findings(results={battery._label: battery})


def _corrected(context: Context, outcomes: Outcomes) -> Findings:
    """Tests before and after corrections; those that could not be measured at all are reported elsewhere."""
    del context
    found, measured = outcomes["corrections"][""], outcomes["mleat"]
    if not isinstance(found, CorrectionsResult):
        return Findings()
    skipped = [test for test in found.skipped if not isinstance(measured.get(test), str)]
    left = {f"{test} corrections": found.skipped[test] for test in skipped}
    return Findings(results={found._label: found}, left_out=left)


def test_seconds(unit: Unit) -> float:
    """Approximate seconds of the p-value of a design; with many divisions, it is bracketed."""
    sets: Mapping[str, Any] = {} if unit.design is None else unit.design.sets
    x, y = len(sets["x"]), len(sets.get("y", ()))
    divisions, bracketed = comb(x + y, x), (x + y) / 40
    # compared as integers: from about 520 words per set on, the divisions do not fit a float
    return SMALL + (bracketed if divisions > 6e8 * bracketed else divisions / 6e8)


def _test_names(plan: Plan, unit: Unit) -> dict[str, str]:
    del plan
    return {unit.name: "test", checks_name(unit.name): "checks"}


def _series_names(over: Points, plan: Plan, unit: Unit) -> dict[str, str]:
    tests = dict.fromkeys((decade_name(unit.name, at, over) for at in points(plan)[over]), "decade")
    return {**tests, series_name(unit.name, over): "trend"}


_check = partial(Row, on="words", each=designs, follows="mleat")
ROWS = (
    Row(
        name="mleat", measure=mleat, gives=MleatResult, on="words", each=designs, rules=_test_names,
        takes=("missing", "alternative", "seed"), family=_battery, reported=False, seconds=test_seconds,
    ),
    _check(
        name="bootstrap", measure=bootstrap, gives=BootstrapResult, takes=("missing", "seed"),
        named="{} bootstrap", family=_battery,
    ),
    _check(
        name="influence", measure=influence, gives=InfluenceResult, takes=("missing",), named="{} influence"
    ),
    _check(
        name="reliability", measure=reliability, gives=ReliabilityResult, takes=("missing", "seed"),
        named=reliability_name("{}"),
    ),
    _check(
        name="frequency", measure=frequency, gives=FrequencyResult, takes=("frequencies", "missing", "seed"),
        needs=(_needs_frequencies,), named=frequency_name("{}"),
    ),
    _check(
        name="placebo", measure=placebo_among, gives=PlaceboResult, on="others", each=_with_placebos,
        takes=("missing", "seed"), needs=(_needs_pool,), named=placebo_name("{}"), seconds=0.5,
    ),
)  # fmt: skip
"""Measures of each test on one vector per word."""
SPACE = (
    Row(
        name=ANISOTROPY, measure=measured_anisotropy, gives=AnisotropyResult, on="space", each=_space,
        takes=("seed",), named=ANISOTROPY, skips=(InputError,),
    ),
    Row(
        name="corrections", measure=_corrections, gives=CorrectionsResult, on="space", each=_all_designs,
        takes=("missing", "seed"), named="corrections", family=_corrected, skips=(InputError,),
    ),
    *(
        Row(
            name=name, measure=partial(_series, over=over), gives=SeriesResult, on=name,
            each=partial(_series_units, over), rules=partial(_series_names, over),
            named=series_name("{}", over), takes=("missing", "alternative", "seed"),
            seconds=lambda unit: 10 * test_seconds(unit),
        )
        for name, over in SERIES.items()
    ),
)  # fmt: skip
"""Measures of the space, and of series of models."""
