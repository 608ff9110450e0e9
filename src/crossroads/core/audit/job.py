"""The work of an audit for each kind of model: which evidence it has, and where that comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from crossroads.contexts.audit import Stored
from crossroads.contexts.embed.run import Step, embed
from crossroads.core.audit.engine import Context, Evidence, Outcomes, Settings, collect, make_tasks, run_tasks
from crossroads.core.audit.plan import TABLE, Plan
from crossroads.core.audit.progress import LOADING, ProgressTracker
from crossroads.core.errors import InputError
from crossroads.core.evidence import Embeddings
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.opening import ProbeStep
from crossroads.core.results import Result
from crossroads.core.results.gaps import NO_CONTEXT, require_stimuli
from crossroads.core.stimuli import Design, catalog
from crossroads.core.stimuli.catalogue.index import panel
from crossroads.core.storage.cache import Cache, Key
from crossroads.core.storage.files import evidence_code
from crossroads.intersections.audit import intersectional_words
from crossroads.traits.audit import GROUPS, Answers, groups_and_pairs, scores_evidence
from crossroads.traits.probe.run import probe
from crossroads.words.audit import Series, has_pool, words_evidence, words_of
from crossroads.words.checks.corrections import corrected
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.series import SeriesResult
from crossroads.words.models.ask import Request, SourceOptions
from crossroads.words.models.settings import is_sentence_encoder, packages
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.load import load_series

NO_CONTEXTS = (
    "the CEAT needs many contexts per word: collect them with crossroads contexts, and give --contexts DIR."
)
NO_HEAD = "they need a model that was saved with its language-modelling head."
NO_POOL = "they are drawn from at least 1,000 other words, and so many were not read."
NO_PANEL = "other words to draw them from were not requested: give -C placebo."
NO_IMAGES = "images were not given: --images DIR, with one subfolder of images per stimulus set."
NO_PAIRS = "no pairs of groups were asked about; give --pairs to crossroads probe."
_BYTES_A_SECOND = 2e8
_OPERATIONS_A_SECOND = 2e11
_TOKENS_A_GROUP, _TOKENS_A_PROMPT, _BYTES_A_TOKEN = 10_000, 6, 4
T = TypeVar("T")
_WEIGHTS = (".safetensors", ".gguf", ".hdf5")


@dataclass(frozen=True, kw_only=True)
class Session:
    """Where finished work is kept, and how progress is reported."""

    cache: Cache
    """Finished work."""
    tracker: ProgressTracker
    """Reports progress."""


@dataclass(kw_only=True)
class Job:
    """A running audit: its plan, and the results so far."""

    plan: Plan
    """What to measure."""
    settings: Settings
    """Options of the measures."""
    source: SourceOptions
    """How vectors are obtained from the model."""
    cache: Cache
    """Where finished work is kept."""
    tracker: ProgressTracker
    """Reports progress."""
    workers: int | None
    """Number of tasks that run at a time."""
    results: dict[str, Result] = field(default_factory=dict)
    """Results by name."""
    designs: dict[str, Design] = field(default_factory=dict)
    """Designs that could be measured, by name."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""
    vectors: Embeddings | None = None
    """Vectors of the stimuli."""
    first_error: InputError | None = None
    """The first error of work that could not be done."""

    @property
    def model(self) -> str:
        """The model as given."""
        return self.plan.kind.model

    @property
    def words(self) -> list[str]:
        """Every word that needs a vector."""
        more = intersectional_words() if self.plan.whole else []
        return list(dict.fromkeys([*words_of(self.plan.words), *more]))

    def measure(self, evidence: Mapping[str, Evidence], *, insist: bool = True) -> Outcomes:
        """Measure every row of the table that this evidence is for."""
        context = Context(
            plan=self.plan, evidence=evidence, settings=self.settings, cache=self.cache, insist=insist
        )
        tasks = make_tasks(TABLE, context)
        outcomes = run_tasks(tasks, self.cache, workers=self.workers, tracker=self.tracker)
        found = collect(tasks, context, outcomes)
        self.results |= found.results
        self.designs |= found.designs
        self.left_out |= found.left_out
        return outcomes

    def measure_words(self, emb: Embeddings, *, insist: bool = True) -> Outcomes:
        """Measure one vector per word."""
        if self.settings.missing == "raise":
            require_stimuli(emb, self.plan.words)
        self.vectors = self.corrected(emb)
        outcomes = self.measure(words_evidence(emb, self.vectors, self.plan.words), insist=insist)
        if self.plan.whole and not has_pool(emb):
            requested = self.plan.kind.name in ("vectors", "series") or self.plan.placebo
            self.left_out["placebo tests"] = NO_POOL if requested else NO_PANEL
        return outcomes

    def corrected(self, emb: Embeddings) -> Embeddings:
        """Vectors in the space that was chosen."""
        correct = self.settings.correct
        return emb if correct is None else corrected(emb, correct, seed=self.settings.seed)

    def measure_contexts(self, store: str | Path, *, insist: bool = True) -> None:
        """Measure the battery over contexts."""
        contexts = Stored(store, self.settings.fallback)
        if self.settings.missing == "raise":
            require_stimuli(contexts.quick.index, self.plan.contexts, absent=NO_CONTEXT)
        self.measure({"contexts": contexts}, insist=insist)

    def measure_traits(self, folder: str | Path) -> None:
        """Measure scores of groups on traits, their agreement with people, and pairs of groups."""
        answers = Answers(folder)
        self.measure(scores_evidence(answers, self.measure({"answers": answers})))
        if not answers.has_pairs:
            self.left_out["pairs of groups"] = NO_PAIRS

    def ask(self, make: Callable[[Cache, Any], T], doing: str, seconds: float = LOADING) -> T:
        """Vectors of an earlier run, or of the model: ``make`` writes to the cache what it does not find."""
        self.tracker.begin(doing, seconds)
        before = self.cache.written
        found = make(self.cache, self.tracker.step)
        self.tracker.finish(kept=self.cache.written == before, work=seconds)
        return found

    def request(self, words: Sequence[str], files: ModelFiles | None = None, **options: Any) -> Request:
        """A request for words; those of the designs are read in their published prompts."""
        source = replace(self.source, fallback=self.settings.fallback, **options)
        return Request(self.plan.kind, list(words), self.plan.words, source, files)

    def ask_model(self, files: ModelFiles | None = None) -> Embeddings:
        """Vectors of a model that is asked, with those of a panel of other words if placebo tests are drawn.

        The panel is asked for by itself, so that it is kept whatever tests are chosen.
        """
        name = "the service" if files is None else files.name
        emb = self.ask(self.request(self.words, files).vectors, f"asking {name} for vectors")
        if not self.plan.placebo:
            return emb
        words = panel()
        seconds = LOADING if files is None else model_seconds(files, len(words) * _TOKENS_A_PROMPT)
        self.tracker.expect(1, seconds)
        wanted = f"{len(words):,} words to draw placebo tests from, about {seconds:,.0f} s"
        others = replace(self.request(words, files, images=None), designs=())
        return emb.with_pool(self.ask(others.vectors, f"asking {name} for {wanted}", seconds))

    def attempt(self, what: str, work: Callable[[], None]) -> None:
        """Run work that may fail although other measures of the model succeed."""
        try:
            work()
        except InputError as error:
            self.left_out[what] = error.message
            self.first_error = self.first_error or error

    def place(self, what: str, files: ModelFiles, **decided: Any) -> Path:
        """Where a store or answers of a transformer are kept."""
        record: dict[str, Any] = {"model": files.sha256, "name": files.name, "revision": files.revision}
        record |= {"device": self.source.device, "packages": packages(files), "code": evidence_code()}
        return self.cache.place(Key(what, files.name, {**record, **decided}))


def reading_seconds(model: str) -> float:
    """Approximate seconds to read vectors, from the size of the file or the files of a folder."""
    place = Path(model)
    files = place.iterdir() if place.is_dir() else [place]
    return 0.5 + sum(one.stat().st_size for one in files if one.is_file()) / _BYTES_A_SECOND


def model_seconds(files: ModelFiles, tokens: float) -> float:
    """Approximate seconds to read tokens: two operations per weight, of four bytes each in the files."""
    weights = [one for one in Path(files.folder).iterdir() if one.suffix in _WEIGHTS]
    mine = [one for one in weights if files.gguf is None or one.name == files.gguf]
    return LOADING + tokens * 2 * sum(one.stat().st_size for one in mine) / 4 / _OPERATIONS_A_SECOND


def asking_seconds(files: ModelFiles, groups: Sequence[Any] | None = None) -> float:
    """Approximate seconds for a language model to answer all texts about groups, by its size."""
    number = len(catalog().groups(GROUPS)) if groups is None else len(groups)
    return model_seconds(files, number * _TOKENS_A_GROUP)


def encoding_seconds(files: ModelFiles, contexts: Path) -> float:
    """Approximate seconds for a model to read contexts, by its size and theirs."""
    read = sum(one.stat().st_size for one in contexts.iterdir() if one.is_file())
    return model_seconds(files, read / _BYTES_A_TOKEN)


def _vectors(job: Job) -> None:
    seconds = reading_seconds(job.model)
    job.tracker.expect(1, seconds)
    job.measure_words(
        job.ask(job.request(job.words, pool=embedded.POOL).vectors, f"reading {job.model}", seconds)
    )


def _series(job: Job) -> None:
    """Decades are memory-mapped and fast to read again, so that their vectors are not kept."""
    seconds = reading_seconds(job.model)
    job.tracker.expect(1, seconds)
    job.tracker.begin(f"reading {job.model}", seconds)
    models = load_series(
        job.model, words=job.words, fallback=job.settings.fallback, progress=job.tracker.step
    )
    job.tracker.finish(work=seconds)
    last = max(models)
    outcomes = job.measure_words(models[last], insist=len(models) == 1)
    if len(models) == 1:
        job.left_out["decades"] = f"the folder has one decade, {last}, and a series needs two."
        return
    used = {decade: job.corrected(emb) for decade, emb in models.items()}
    job.measure({"decades": Series(used, outcomes["mleat"])})
    if not any(isinstance(one, (BatteryResult, SeriesResult)) for one in job.results.values()):
        raise InputError(
            f"none of the {len(job.plan.words)} tests can be measured in two decades or in the last one.",
            hint="use vectors that cover the stimuli; crossroads catalog NAME lists them.",
        )


def _endpoint(job: Job) -> None:
    job.tracker.expect(1, LOADING)
    job.measure_words(job.ask_model())


def _encoder(job: Job) -> None:
    files = _found(job)
    job.tracker.expect(1, LOADING)
    _measure_prompted(job, files)
    if job.plan.whole:
        job.left_out["ILPS, ILPS* and SeT"] = NO_HEAD
    _read_sentences(job, files)


def _language_model(job: Job) -> None:
    files = _found(job)
    groups = groups_and_pairs() if job.plan.pairs else None
    asking = asking_seconds(files, groups) if job.plan.traits else 0.0
    job.tracker.expect(1 + job.plan.traits, LOADING + asking)
    if not job.plan.whole:
        _measure_prompted(job, files)
    else:
        job.attempt("words in prompts", partial(_measure_prompted, job, files))
        job.attempt("groups and traits", lambda: job.measure_traits(_probed(job, files, groups, asking)))
    _read_sentences(job, files)


def _vision_language(job: Job) -> None:
    files = _found(job)
    job.tracker.expect(1, LOADING)
    job.measure_words(job.ask_model(files))
    if job.plan.whole and job.plan.images is None:
        job.left_out["images"] = NO_IMAGES


def _measure_prompted(job: Job, files: ModelFiles) -> None:
    """Measure the battery on words in prompts and, if requested, each of its tests over all layers."""
    job.measure_words(job.ask_model(files))
    if not job.plan.layers:
        return
    job.tracker.expect(1, LOADING)
    pooling = "mean" if is_sentence_encoder(files) else None
    request = job.request(words_of(job.plan.words), files, pooling=pooling)
    layers = job.ask(request.layers, f"asking {files.name} for vectors in every layer")
    job.measure({"layers": Series({at: job.corrected(emb) for at, emb in layers.items()})})


def _found(job: Job) -> ModelFiles:
    """Find the files of a model, with their checksum, which takes about a second per gigabyte."""
    job.tracker.begin(f"checking {job.model}")
    return find_model(job.model)


def _probed(job: Job, files: ModelFiles, groups: list[Any] | None, work: float) -> Path:
    """Answers of a language model about the groups and traits of the ABC study, also of an earlier run."""
    policy = "raise" if job.settings.missing == "raise" else "drop"
    named = None if groups is None else [str(one) for one in groups]
    folder = job.place("probe", files, missing=policy, groups=named)
    doing = {"loading": "loading", "splitting": "writing prompts for"}

    def watch(step: ProbeStep) -> None:
        job.tracker.begin(f"{doing.get(step.stage, 'asking')} {files.name}", work)
        job.tracker.step(step.done, step.total or None, step.kept)

    options: dict[str, Any] = {"missing": policy, "device": job.source.device, "revision": files.revision}
    present = (folder / "manifest.json").is_file()
    if not present:
        probe(files.place, groups=groups, store=folder, restart=True, progress=watch, **options)
    job.tracker.finish(kept=present, work=work)
    return folder


def _read_sentences(job: Job, files: ModelFiles) -> None:
    """Compute context vectors of the model, if contexts were given."""
    if job.plan.sentences is None:
        if job.plan.whole:
            job.left_out["CEAT"] = NO_CONTEXTS
        return
    work = encoding_seconds(files, job.plan.sentences)
    job.tracker.expect(1, work)
    contexts = (job.plan.sentences / "manifest.json").read_text(encoding="utf-8")
    store = job.place("store", files, contexts=contexts)

    def watch(step: Step) -> None:
        job.tracker.begin(f"{step.stage} contexts", work if step.stage == "encoding" else 0.0)
        job.tracker.step(step.done, step.total or None, step.kept)

    options: dict[str, Any] = {"revision": files.revision, "device": job.source.device}
    present = (store / "manifest.json").is_file()
    if not present:
        options |= {"workers": job.workers, "restart": True, "progress": watch}
        embed(job.plan.sentences, files.place, store, **options)
    job.tracker.finish(kept=present, work=work)
    job.measure_contexts(store, insist=not job.plan.whole)


KINDS_OF_WORK: Mapping[str, Callable[[Job], None]] = {
    "vectors": _vectors,
    "series": _series,
    "encoder": _encoder,
    "language model": _language_model,
    "vision-language": _vision_language,
    "endpoint": _endpoint,
    "contexts": lambda job: job.measure_contexts(job.model),
    "logits": lambda job: job.measure_traits(job.model),
}
