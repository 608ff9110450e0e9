"""The work of an audit for each kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from crossroads.audit.measured.contexts import ContextStore, context_found, context_parts
from crossroads.audit.measured.intersections import (
    intersectional_found,
    intersectional_parts,
    intersectional_words,
)
from crossroads.audit.measured.pairs import NO_PAIRS, groups_and_pairs, has_pairs, paired_found, paired_parts
from crossroads.audit.measured.traits import (
    Answers,
    alignment_parts,
    asked_answers,
    asking_seconds,
    encoding_seconds,
    panel_seconds,
    trait_found,
    trait_parts,
)
from crossroads.audit.measured.words import (
    has_pool,
    kept_detectable,
    series_found,
    series_parts,
    space_found,
    space_parts,
    word_found,
    word_parts,
    words_of,
)
from crossroads.audit.parts import Findings, Outcome, Part, Settings, evidence_key
from crossroads.audit.plan import Plan
from crossroads.audit.progress import LOADING
from crossroads.audit.run import run_parts
from crossroads.audit.vectors import (
    Session,
    SourceOptions,
    clip_vectors,
    decade_vectors,
    endpoint_vectors,
    file_vectors,
    layer_vectors,
    prompted_vectors,
    reading_seconds,
)
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.extraction.embed.run import embed
from crossroads.extraction.embed.store import Step
from crossroads.measures import BatteryResult, SeriesResult, corrected
from crossroads.results import Result
from crossroads.sources.models.files import ModelFiles, find_model
from crossroads.sources.models.settings import packages
from crossroads.stimuli import Design
from crossroads.stimuli.catalogue.panel import panel

NO_CONTEXTS = (
    "the CEAT needs many contexts per word: collect them with crossroads contexts, and give --contexts DIR."
)
NO_HEAD = "they need a model that was saved with its language-modelling head."
NO_POOL = "they are drawn from at least 1,000 other words, and so many were not read."
NO_PANEL = "other words to draw them from were not requested: give -C placebo."
NO_IMAGES = "images were not given: --images DIR, with one subfolder of images per stimulus set."


@dataclass(kw_only=True)
class Job:
    """A running audit: its plan, and the results so far."""

    plan: Plan
    """What to measure."""
    settings: Settings
    """Options of the measures."""
    source: SourceOptions
    """How vectors are obtained from the model."""
    session: Session
    """Where finished parts are kept, and how progress is reported."""
    workers: int | None
    """Number of parts that run at a time."""
    results: dict[str, Result] = field(default_factory=dict)
    """Results by name."""
    designs: dict[str, Design] = field(default_factory=dict)
    """Designs that could be measured, by name."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""
    vectors: Embeddings | None = None
    """Vectors of the stimuli."""
    first_error: InputError | None = None
    """The first error of a part that could not be measured."""

    @property
    def model(self) -> str:
        """The model as given."""
        return self.plan.kind.model

    @property
    def more_words(self) -> list[str]:
        """Words that detections and comparisons need in addition to those of the designs."""
        return intersectional_words() if self.plan.whole else []

    @property
    def words(self) -> list[str]:
        """Every word that needs a vector."""
        return list(dict.fromkeys([*words_of(self.plan.words), *self.more_words]))

    def run(self, parts: Sequence[Part]) -> dict[str, Outcome]:
        """Run parts, or read their results from earlier runs."""
        self.session.tracker.expect(len(parts), sum(part.work for part in parts))
        return run_parts(parts, self.session.place, workers=self.workers, tracker=self.session.tracker)

    def add(self, found: Findings) -> None:
        """Add results."""
        self.results |= found.results
        self.designs |= {one.name: one for one in found.designs}
        self.left_out |= found.left_out

    def attempt(self, what: str, work: Callable[[], None]) -> None:
        """Run work that may fail although other measures of the model succeed."""
        try:
            work()
        except InputError as error:
            self.left_out[what] = error.message
            self.first_error = self.first_error or error

    def measure_words(
        self, emb: Embeddings, beside: Sequence[Part] = (), *, insist: bool = True
    ) -> Mapping[str, Outcome]:
        """Measure the battery on one vector per word and, in a whole audit, detections and comparisons."""
        designs, space = self.plan.words, space_parts(emb, self.plan.words, self.settings)
        self.vectors = emb = self.corrected(emb)
        battery = word_parts(emb, designs, self.settings)
        crossed = intersectional_parts(emb, self.settings) if self.plan.whole else []
        outcomes = self.run([*beside, *battery, *crossed, *space])
        detect = partial(kept_detectable, self.session.place)
        self.add(word_found(emb, designs, outcomes, self.settings, insist=insist, detect=detect))
        self.add(intersectional_found({part.name: outcomes[part.name] for part in crossed}))
        self.add(space_found({part.name: outcomes[part.name] for part in space}, self.designs))
        if self.plan.whole and not has_pool(emb):
            given = self.plan.kind.name in ("vectors", "series") or self.plan.placebo
            self.left_out["placebo tests"] = NO_POOL if given else NO_PANEL
        return outcomes

    def corrected(self, emb: Embeddings) -> Embeddings:
        """Vectors in the space that was asked for."""
        correct = self.settings.correct
        return emb if correct is None else corrected(emb, correct, seed=self.settings.seed)

    def measure_contexts(self, store: str | Path, *, insist: bool = True) -> None:
        """Measure the battery over contexts."""
        opened = ContextStore(store, self.settings.fallback)
        outcomes = self.run(context_parts(opened, self.plan.contexts, self.settings))
        self.add(context_found(opened, self.plan.contexts, outcomes, self.settings, insist=insist))

    def measure_traits(self, answers: Answers) -> None:
        """Measure scores of groups on traits, and their agreement with human judgements."""
        outcomes = self.run(trait_parts(answers))
        aligned = self.run(alignment_parts(answers, outcomes, self.plan.human, self.settings))
        self.add(trait_found(outcomes, aligned))
        self.add(paired_found(self.run(paired_parts(answers, outcomes, self.settings))))
        if not has_pairs(answers):
            self.left_out["pairs of groups"] = NO_PAIRS


def _vectors(job: Job) -> None:
    job.session.tracker.expect(1, reading_seconds(job.model))
    job.measure_words(file_vectors(job.model, job.words, job.source, job.settings.fallback, job.session))


def _series(job: Job) -> None:
    job.session.tracker.expect(1, reading_seconds(job.model))
    models = decade_vectors(job.model, job.words, job.settings.fallback, job.session)
    used = {decade: job.corrected(emb) for decade, emb in models.items()}
    parts = series_parts(used, job.plan.words, job.settings) if len(models) > 1 else []
    last = max(models)
    outcomes = job.measure_words(models[last], parts, insist=not parts)
    if not parts:
        job.left_out["decades"] = f"the folder has one decade, {last}, and a series needs two."
        return
    job.add(series_found(used, job.plan.words, outcomes, job.settings))
    if not any(isinstance(one, (BatteryResult, SeriesResult)) for one in job.results.values()):
        raise InputError(
            f"none of the {len(job.plan.words)} tests can be measured in two decades or in the last one.",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )


def _endpoint(job: Job) -> None:
    job.session.tracker.expect(1, LOADING)
    emb = endpoint_vectors(job.model, job.words, job.source, job.session)
    ask = partial(endpoint_vectors, job.model, source=job.source)
    job.measure_words(_with_panel(job, emb, ask, LOADING))


def _contexts(job: Job) -> None:
    job.measure_contexts(job.model)


def _logits(job: Job) -> None:
    job.measure_traits(Answers(job.model))


def _encoder(job: Job) -> None:
    files = _found(job)
    job.session.tracker.expect(1, LOADING)
    _measure_prompted(job, files)
    if job.plan.whole:
        job.left_out["ILPS, ILPS* and SeT"] = NO_HEAD
    _read_sentences(job, files)


def _language_model(job: Job) -> None:
    files = _found(job)
    groups = groups_and_pairs() if job.plan.pairs else None
    asking = asking_seconds(files, groups) if job.plan.traits else 0.0
    job.session.tracker.expect(1 + job.plan.traits, LOADING + asking)

    def probed() -> None:
        job.measure_traits(asked_answers(files, job.source.device, job.settings.missing, job.session, groups))

    if not job.plan.whole:
        _measure_prompted(job, files)
    else:
        job.attempt("words in prompts", partial(_measure_prompted, job, files))
        job.attempt("groups and traits", probed)
    _read_sentences(job, files)


def _vision_language(job: Job) -> None:
    files = _found(job)
    job.session.tracker.expect(1, LOADING)
    emb = clip_vectors(files, job.plan.words, job.more_words, job.source, job.session)
    ask = partial(clip_vectors, files, (), source=replace(job.source, images=None))
    job.measure_words(_with_panel(job, emb, ask, panel_seconds(files, len(panel()))))
    if job.plan.whole and job.plan.images is None:
        job.left_out["images"] = NO_IMAGES


def _measure_prompted(job: Job, files: ModelFiles) -> None:
    """Measure the battery on words in prompts and, where asked for, each of its tests over all layers."""
    emb = _prompted(job, files)
    if not job.plan.layers:
        job.measure_words(emb)
        return
    job.session.tracker.expect(1, LOADING)
    read = layer_vectors(files, job.plan.words, job.source, job.session)
    layers = {at: job.corrected(one) for at, one in read.items()}
    outcomes = job.measure_words(emb, series_parts(layers, job.plan.words, job.settings, "layer"))
    job.add(series_found(layers, job.plan.words, outcomes, job.settings, "layer"))


def _prompted(job: Job, files: ModelFiles) -> Embeddings:
    """Words in prompts, with a panel of others where it is asked for."""
    emb = prompted_vectors(files, job.plan.words, job.more_words, job.source, job.session)
    ask = partial(prompted_vectors, files, (), source=job.source)
    return _with_panel(job, emb, ask, panel_seconds(files, len(panel())))


def _with_panel(job: Job, emb: Embeddings, ask: Callable[..., Embeddings], seconds: float) -> Embeddings:
    """Vectors with those of the panel as their pool, where placebo tests are asked for.

    The panel is asked for by itself, so that it is kept whatever tests are chosen.
    """
    if not job.plan.placebo:
        return emb
    words = panel()
    wanted = f"{len(words):,} words to draw placebo tests from, about {seconds:,.0f} s"
    job.session.tracker.expect(1, seconds)
    return emb.with_pool(ask(words, session=replace(job.session, wanted=wanted, seconds=seconds)))


def _found(job: Job) -> ModelFiles:
    """Find the files of a model, with their checksum, which takes about a second per gigabyte."""
    job.session.tracker.begin(f"checking {job.model}")
    return find_model(job.model)


def _read_sentences(job: Job, files: ModelFiles) -> None:
    """Compute context vectors of the model, if contexts were given."""
    if job.plan.sentences is None:
        if job.plan.whole:
            job.left_out["CEAT"] = NO_CONTEXTS
        return
    work = encoding_seconds(files, job.plan.sentences)
    job.session.tracker.expect(1, work)
    record: dict[str, Any] = {"model": files.sha256, "name": files.name, "device": job.source.device}
    record["packages"] = packages(files)
    record["contexts"] = (job.plan.sentences / "manifest.json").read_text(encoding="utf-8")
    store = job.session.place.place("store", files.name, evidence_key(record))

    def watch(step: Step) -> None:
        job.session.tracker.begin(f"{step.stage} contexts", work if step.stage == "encoding" else 0.0)
        job.session.tracker.step(step.done, step.total or None, step.kept)

    present = (store / "manifest.json").is_file()
    if not present:
        embed(
            job.plan.sentences,
            files.place,
            store,
            revision=files.revision,
            device=job.source.device,
            workers=job.workers,
            restart=True,
            progress=watch,
        )
    job.session.tracker.finish(kept=present, work=work)
    job.measure_contexts(store, insist=not job.plan.whole)


KINDS_OF_WORK: Mapping[str, Callable[[Job], None]] = {
    "vectors": _vectors,
    "series": _series,
    "encoder": _encoder,
    "language model": _language_model,
    "vision-language": _vision_language,
    "endpoint": _endpoint,
    "contexts": _contexts,
    "logits": _logits,
}
