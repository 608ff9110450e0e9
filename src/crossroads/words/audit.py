"""Audits of one vector per word: the battery, checks of each test, the space, and series of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.core.audit.audit import Job, Plan, Work, model_seconds, table
from crossroads.core.audit.engine import (
    Context,
    Findings,
    Outcome,
    Outcomes,
    Row,
    Settings,
    Unit,
    design_unit,
    lacking,
)
from crossroads.core.audit.progress import LOADING, SMALL
from crossroads.core.errors import EvidenceError, InputError, Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.report.audit import Audit
from crossroads.core.report.figures import Figures
from crossroads.core.results.gaps import require_stimuli
from crossroads.core.results.robustness import ChecksResult, checks_name
from crossroads.core.stimuli import Design, StimulusSet
from crossroads.core.stimuli.catalogue.index import panel
from crossroads.words.checks.corrections import (
    ANISOTROPY,
    AnisotropyResult,
    CorrectionsResult,
    corrected,
    corrections,
    measured_anisotropy,
)
from crossroads.words.checks.frequency import FrequencyResult, frequency, frequency_name
from crossroads.words.checks.placebo import (
    LEAST_POOL,
    OrdinaryResult,
    PlaceboResult,
    ordinary_among,
    placebo_among,
    placebo_name,
)
from crossroads.words.evidence import Series, Words, words_evidence, words_of
from crossroads.words.measures.battery import BatteryResult, assemble_battery
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.projection import ProjectionResult, projection
from crossroads.words.measures.series import SeriesResult, decade_name, series_name, series_of
from crossroads.words.measures.stability import InfluenceResult, influence
from crossroads.words.measures.trends import Points
from crossroads.words.models.ask import Request
from crossroads.words.models.clip import image_labels, image_sets
from crossroads.words.models.settings import is_sentence_encoder, layer_count
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.formats import arrays
from crossroads.words.vectors.load import load_decades

NO_POOL = "they are drawn from at least 1,000 other words, and so many were not read."
NO_PANEL = "other words to draw them from were not requested: give -C placebo."
NO_IMAGES = "images were not given: --images DIR, with one subfolder of images per stimulus set."
_BYTES_A_SECOND = 2e8
_TOKENS_A_PROMPT = 6
SERIES: Mapping[str, Points] = {"decades": "year", "layers": "layer"}
"""Series of models, and what their points are."""


# ---- units, and what they need


def designs(plan: Plan) -> list[Unit]:
    """Every design that is measured on one vector per word."""
    return [design_unit(design) for design in plan.words]


def _all_designs(plan: Plan) -> list[Unit]:
    about = [unit.about for unit in designs(plan)]
    return [Unit("", (list(plan.words),), (), about)] if plan.words else []


def points(plan: Plan) -> dict[Points, list[int]]:
    """The decades of a series, and the layers of a transformer if they are measured."""
    found: dict[Points, list[int]] = {}
    if plan.kind.name == "series":
        found["year"] = sorted(arrays.decades(Path(plan.kind.model).expanduser()))
    if plan.layers:
        found["layer"] = list(range(layer_count(find_model(plan.kind.model)) + 1))
    return found


def _series_units(over: Points, plan: Plan) -> list[Unit]:
    return designs(plan) if (plan.kind.name == "series" if over == "year" else plan.layers) else []


def has_pool(emb: Embeddings) -> bool:
    """Whether there are enough other words than stimuli to draw placebo tests from."""
    return emb.pool is not None and emb.pool is not emb and len(emb.pool) >= LEAST_POOL


def _needs_pool(read: Words, *_: object) -> str | None:
    """Checksum of the other words, if there are enough."""
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

    settings = context.settings
    battery = assemble_battery(
        [*tests.values()],
        skipped=skipped,
        missing=settings.missing,
        options={"alternative": settings.alternative, "seed": settings.seed},
        provenance=context.evidence["words"].provenance,
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


def _series_names(over: Points, plan: Plan, unit: Unit) -> dict[str, str]:
    tests = dict.fromkeys((decade_name(unit.name, at, over) for at in points(plan)[over]), "decade")
    return {**tests, series_name(unit.name, over): "trend"}


_check = partial(Row, on="words", each=designs, follows="mleat")
_TESTS = (
    Row(
        name="mleat", measure=mleat, gives=MleatResult, on="words", each=designs,
        rules=lambda _, unit: {unit.name: "test", checks_name(unit.name): "checks"},
        takes=("missing", "alternative", "seed"), family=_battery, reported=False, seconds=test_seconds,
    ),
    _check(
        name="influence", measure=influence, gives=InfluenceResult, takes=("missing",), named="{} influence"
    ),
    _check(
        name="projection", measure=projection, gives=ProjectionResult, named="{} projection",
        takes=("missing", "alternative"), seconds=test_seconds,
    ),
    _check(
        name="frequency", measure=frequency, gives=FrequencyResult, takes=("frequencies", "missing", "seed"),
        needs=(_needs_frequencies,), named=frequency_name("{}"),
    ),
    _check(
        name="placebo", measure=placebo_among, gives=PlaceboResult, on="others",
        each=lambda plan: designs(plan) if plan.placebo or plan.kind.name == "vectors" else [],
        needs=(_needs_pool,),
        takes=("missing", "seed"), named=placebo_name("{}"), seconds=0.5,
    ),
)  # fmt: skip
"""Measures of each test on one vector per word."""
_SPACE = (
    Row(
        name="ordinary", measure=ordinary_among, gives=OrdinaryResult, on="others",
        each=lambda plan: [Unit(words=tuple(sorted(words_of(plan.words))))] if plan.words else [],
        needs=(_needs_pool,), takes=("seed",), named="ordinary association", late=True,
    ),
    Row(
        name=ANISOTROPY, measure=measured_anisotropy, gives=AnisotropyResult, on="space",
        each=lambda plan: [Unit()] if plan.words else [],
        takes=("seed",), named=ANISOTROPY, skips=(InputError,), late=True,
    ),
    Row(
        name="corrections", measure=_corrections, gives=CorrectionsResult, on="space", each=_all_designs,
        takes=("missing", "seed"), named="corrections", family=_corrected, skips=(InputError,), late=True,
    ),
    *(
        Row(
            name=name, measure=partial(_series, over=over), gives=SeriesResult, on=name,
            each=partial(_series_units, over), rules=partial(_series_names, over),
            named=series_name("{}", over), takes=("missing", "alternative", "seed"),
            seconds=lambda unit: 10 * test_seconds(unit), late=True,
        )
        for name, over in SERIES.items()
    ),
)  # fmt: skip
"""Measures of the space, and of series of models."""
ROWS = (*_TESTS, *_SPACE)


# ---- work


def measure_words(job: Job, emb: Embeddings, *, insist: bool = True) -> Outcomes:
    """Measure one vector per word."""
    if job.settings.missing == "raise":
        require_stimuli(emb, job.plan.words)
    job.vectors = _in_space(job, emb)
    outcomes = job.measure(words_evidence(emb, job.vectors, job.plan.words), insist=insist)
    if job.plan.whole and not has_pool(emb):
        requested = job.plan.kind.name in ("vectors", "series") or job.plan.placebo
        job.left_out["placebo tests"] = NO_POOL if requested else NO_PANEL
    return outcomes


def _in_space(job: Job, emb: Embeddings) -> Embeddings:
    correct = job.settings.correct
    return emb if correct is None else corrected(emb, correct, seed=job.settings.seed)


def _words(plan: Plan) -> list[str]:
    """Every word that rows of any subject read."""
    units = (unit for row in table() if row.on == "words" for unit in row.each(plan))
    return list(dict.fromkeys(word for unit in units for word in unit.words))


def _request(job: Job, words: Sequence[str], files: ModelFiles | None = None, **options: Any) -> Request:
    source = replace(job.source, fallback=job.settings.fallback, **options)
    return Request(job.plan.kind, list(words), job.plan.words, source, files)


def _ask_model(job: Job, files: ModelFiles | None = None) -> Embeddings:
    """Vectors of a model that is asked, with those of a panel of other words if placebo tests are drawn.

    The panel is asked for by itself, so that it is kept whatever tests are chosen.
    """
    name = "the service" if files is None else files.name
    emb = job.ask(_request(job, _words(job.plan), files).vectors, f"asking {name} for vectors")
    if not job.plan.placebo:
        return emb
    words = panel()
    seconds = LOADING if files is None else model_seconds(files, len(words) * _TOKENS_A_PROMPT)
    job.tracker.expect(1, seconds)
    wanted = f"{len(words):,} words to draw placebo tests from, about {seconds:,.0f} s"
    others = replace(_request(job, words, files, images=None), designs=())
    return emb.with_pool(job.ask(others.vectors, f"asking {name} for {wanted}", seconds))


def _reading_seconds(model: str) -> float:
    """Approximate seconds to read vectors, from the size of the file or the files of a folder."""
    place = Path(model)
    files = place.iterdir() if place.is_dir() else [place]
    return 0.5 + sum(one.stat().st_size for one in files if one.is_file()) / _BYTES_A_SECOND


def _read_vectors(job: Job) -> None:
    seconds = _reading_seconds(job.model)
    job.tracker.expect(1, seconds)
    request = _request(job, _words(job.plan), pool=embedded.POOL)
    measure_words(job, job.ask(request.vectors, f"reading {job.model}", seconds))


def _read_series(job: Job) -> None:
    """Decades are memory-mapped and fast to read again, so that their vectors are not kept."""
    seconds = _reading_seconds(job.model)
    job.tracker.expect(1, seconds)
    job.tracker.begin(f"reading {job.model}", seconds)
    options: dict[str, Any] = {"fallback": job.settings.fallback, "progress": job.tracker.step}
    models = load_decades(job.model, words=_words(job.plan), **options)
    job.tracker.finish(work=seconds)
    last = max(models)
    outcomes = measure_words(job, models[last], insist=len(models) == 1)
    if len(models) == 1:
        job.left_out["decades"] = f"the folder has one decade, {last}, and a series needs two."
        return
    used = {decade: _in_space(job, emb) for decade, emb in models.items()}
    job.measure({"decades": Series(used, outcomes["mleat"])})
    if not any(isinstance(one, (BatteryResult, SeriesResult)) for one in job.results.values()):
        raise InputError(
            f"none of the {len(job.plan.words)} tests can be measured in two decades or in the last one.",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )


def _ask(job: Job) -> None:
    files = None if job.plan.kind.name == "endpoint" else job.files
    job.tracker.expect(1, LOADING)
    measure_words(job, _ask_model(job, files))
    if files is not None and job.plan.whole and job.plan.images is None:
        job.left_out["images"] = NO_IMAGES


def measure_prompted(job: Job) -> None:
    """Measure the battery on words in prompts and, if requested, each of its tests over all layers."""
    files = job.files
    measure_words(job, _ask_model(job, files))
    if not job.plan.layers:
        return
    job.tracker.expect(1, LOADING)
    pooling = "mean" if is_sentence_encoder(files) else None
    request = _request(job, words_of(job.plan.words), files, pooling=pooling)
    layers = job.ask(request.layers, f"asking {files.name} for vectors in every layer")
    job.measure({"layers": Series({at: _in_space(job, emb) for at, emb in layers.items()})})


def _with_images(plan: Plan) -> Plan:
    """A plan whose designs are each followed by one with images in place of the sets that have some."""
    if plan.images is None:
        return plan
    designs, folder = plan.words, plan.images
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
    return replace(plan, words=tuple(found))


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


WORK = {
    "vectors": Work(_read_vectors),
    "series": Work(_read_series),
    "endpoint": Work(_ask),
    "vision-language": Work(_ask, _with_images),
}
"""What an audit does with models of each kind."""


def draw(audit: Audit, figures: Figures) -> None:
    """Draw the battery, the words and the frequency of each test, and series."""
    battery = audit.one(BatteryResult)
    tests = {} if battery is None else {test.design: test for test in battery.tests}
    if battery is not None and tests:
        figures.save("eat-maps", plots.eat_maps(battery), ".png")
        figures.save("effect-sizes", plots.forest(battery, checks=audit.one(ChecksResult)))
    figures.pages(tests, plots.association_plot, "associations")
    frequencies = {one.design: one for one in audit.of(FrequencyResult).values()}
    figures.pages(frequencies, plots.frequency_plot, "frequency")
    figures.single((one for one in audit.of(SeriesResult).values() if one.points), "decades")
