"""What is done with each kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossroads.auditing.contextual import Shelf, context_found, context_parts
from crossroads.auditing.intersections import intersectional_found, intersectional_parts, intersectional_words
from crossroads.auditing.paired import NO_PAIRS, groups_and_pairs, has_pairs, paired_found, paired_parts
from crossroads.auditing.parts import Found, Outcome, Part, Settings, evidence_key
from crossroads.auditing.planning import Plan
from crossroads.auditing.running import run_parts
from crossroads.auditing.traits import (
    Answers,
    alignment_parts,
    asked_answers,
    asking_seconds,
    encoding_seconds,
    trait_found,
    trait_parts,
)
from crossroads.auditing.vectors import (
    Asking,
    Desk,
    clip_vectors,
    decade_vectors,
    endpoint_vectors,
    file_vectors,
    prompted_vectors,
    reading_seconds,
)
from crossroads.auditing.watching import LOADING
from crossroads.auditing.words import decade_parts, decades_found, word_found, word_parts, words_of
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.extraction import Step, embed
from crossroads.sources.model_files import ModelFiles, find_model
from crossroads.sources.transformers_models import versions
from crossroads.stimuli import Design

NO_CONTEXTS = (
    "the CEAT takes many contexts a word: collect them with crossroads contexts, and give --contexts DIR."
)
NO_HEAD = "they take a model that was saved with its head for language modelling."
NO_IMAGES = "images were not given: --images DIR, with one subfolder of images a stimulus set."


@dataclass(kw_only=True)
class Job:
    """An audit under way: what is asked, and what was found so far."""

    plan: Plan
    """What is asked."""
    settings: Settings
    """Options of the measures."""
    asking: Asking
    """How the model is asked."""
    desk: Desk
    """Where finished parts are kept, and who is told."""
    workers: int | None
    """How many parts run at a time."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Results, by field of the audit."""
    designs: dict[str, Design] = field(default_factory=dict)
    """Designs that could be measured, by name."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""
    vectors: Embeddings | None = None
    """Vectors of the stimuli."""
    first_error: InputError | None = None
    """The first thing that was not possible."""

    @property
    def model(self) -> str:
        """The model as it was given."""
        return self.plan.kind.model

    @property
    def more_words(self) -> list[str]:
        """Words that detections and comparisons need beside those of the designs."""
        return intersectional_words() if self.plan.whole else []

    @property
    def words(self) -> list[str]:
        """Every word that needs a vector."""
        return list(dict.fromkeys([*words_of(self.plan.words), *self.more_words]))

    def run(self, parts: Sequence[Part]) -> dict[str, Outcome]:
        """Run parts, or read what earlier runs made of them."""
        self.desk.tally.expect(len(parts), sum(part.work for part in parts))
        return run_parts(parts, self.desk.place, workers=self.workers, tally=self.desk.tally)

    def add(self, found: Found) -> None:
        """Add to what was found."""
        self.fields |= found.fields
        self.designs |= {one.name: one for one in found.designs}
        self.left_out |= found.left_out

    def attempt(self, what: str, work: Callable[[], None]) -> None:
        """Do what may not be possible with a model that can be measured in other ways."""
        try:
            work()
        except InputError as error:
            self.left_out[what] = error.message
            self.first_error = self.first_error or error

    def measure_words(
        self, emb: Embeddings, beside: Sequence[Part] = (), *, insist: bool = True
    ) -> Mapping[str, Outcome]:
        """The battery on one vector a word and, of a whole audit, detections and comparisons."""
        self.vectors = emb
        designs = self.plan.words
        battery = word_parts(emb, designs, self.settings)
        crossed = intersectional_parts(emb, self.settings) if self.plan.whole else []
        outcomes = self.run([*beside, *battery, *crossed])
        self.add(word_found(emb, designs, outcomes, self.settings, insist=insist))
        self.add(intersectional_found({part.name: outcomes[part.name] for part in crossed}))
        return outcomes

    def measure_contexts(self, store: str | Path, *, insist: bool = True) -> None:
        """The battery over contexts."""
        shelf = Shelf(store, self.settings.fallback)
        outcomes = self.run(context_parts(shelf, self.plan.contexts, self.settings))
        self.add(context_found(shelf, self.plan.contexts, outcomes, self.settings, insist=insist))

    def measure_traits(self, answers: Answers) -> None:
        """Scores of groups on traits, beside what people say."""
        outcomes = self.run(trait_parts(answers))
        aligned = self.run(alignment_parts(answers, outcomes, self.plan.human, self.settings))
        self.add(trait_found(outcomes, aligned))
        self.add(paired_found(self.run(paired_parts(answers, outcomes, self.settings))))
        if not has_pairs(answers):
            self.left_out["pairs of groups"] = NO_PAIRS


def _vectors(job: Job) -> None:
    job.desk.tally.expect(1, reading_seconds(job.model))
    job.measure_words(file_vectors(job.model, job.words, job.asking, job.settings.fallback, job.desk))


def _series(job: Job) -> None:
    job.desk.tally.expect(1, reading_seconds(job.model))
    models = decade_vectors(job.model, job.words, job.settings.fallback, job.desk)
    parts = decade_parts(models, job.plan.words, job.settings) if len(models) > 1 else []
    last = max(models)
    outcomes = job.measure_words(models[last], parts, insist=not parts)
    if not parts:
        job.left_out["decades"] = f"the folder holds one decade, {last}, and a series takes two."
        return
    job.add(decades_found(models, job.plan.words, outcomes, job.settings))
    if "battery" not in job.fields and not job.fields["series"]:
        raise InputError(
            f"none of the {len(job.plan.words)} tests can be measured in two decades or in the last one.",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )


def _endpoint(job: Job) -> None:
    job.desk.tally.expect(1, LOADING)
    job.measure_words(endpoint_vectors(job.model, job.words, job.asking, job.desk))


def _contexts(job: Job) -> None:
    job.measure_contexts(job.model)


def _logits(job: Job) -> None:
    job.measure_traits(Answers(job.model))


def _encoder(job: Job) -> None:
    files = _found(job)
    job.desk.tally.expect(1, LOADING)
    job.measure_words(
        prompted_vectors(files, job.plan.words, job.more_words, job.asking, job.desk),
    )
    if job.plan.whole:
        job.left_out["ILPS, ILPS* and SeT"] = NO_HEAD
    _read_sentences(job, files)


def _language_model(job: Job) -> None:
    files = _found(job)
    groups = groups_and_pairs() if job.plan.pairs else None
    asking = asking_seconds(files, groups) if job.plan.traits else 0.0
    job.desk.tally.expect(1 + job.plan.traits, LOADING + asking)

    def prompted() -> None:
        emb = prompted_vectors(files, job.plan.words, job.more_words, job.asking, job.desk)
        job.measure_words(emb)

    def probed() -> None:
        job.measure_traits(asked_answers(files, job.asking.device, job.settings.missing, job.desk, groups))

    if not job.plan.whole:
        prompted()
    else:
        job.attempt("words in prompts", prompted)
        job.attempt("groups and traits", probed)
    _read_sentences(job, files)


def _vision_language(job: Job) -> None:
    files = _found(job)
    job.desk.tally.expect(1, LOADING)
    job.measure_words(clip_vectors(files, job.plan.words, job.more_words, job.asking, job.desk))
    if job.plan.whole and job.plan.images is None:
        job.left_out["images"] = NO_IMAGES


def _found(job: Job) -> ModelFiles:
    """The files of a model, with their checksum, which takes about a second a gigabyte."""
    job.desk.tally.begin(f"looking at {job.model}")
    return find_model(job.model)


def _read_sentences(job: Job, files: ModelFiles) -> None:
    """Context vectors of the model, if there are contexts for it to read."""
    if job.plan.sentences is None:
        if job.plan.whole:
            job.left_out["CEAT"] = NO_CONTEXTS
        return
    work = encoding_seconds(files, job.plan.sentences)
    job.desk.tally.expect(1, work)
    record = {"model": files.sha256, "name": files.name, "device": job.asking.device, "packages": versions()}
    record["contexts"] = (job.plan.sentences / "manifest.json").read_text(encoding="utf-8")
    store = job.desk.place.place("store", files.name, evidence_key(record))

    def watch(step: Step) -> None:
        job.desk.tally.begin(f"{step.stage} contexts", work if step.stage == "encoding" else 0.0)
        job.desk.tally.step(step.done, step.total or None, step.kept)

    present = (store / "manifest.json").is_file()
    if not present:
        embed(
            job.plan.sentences,
            files.place,
            store,
            revision=files.revision,
            device=job.asking.device,
            workers=job.workers,
            restart=True,
            progress=watch,
        )
    job.desk.tally.finish(kept=present, work=work)
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
