"""Score sentences with a language model; resumable at any moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, InputError, OnMissing, in_short, join_words, one_of, require
from crossroads.evidence.model_names import recorded_path
from crossroads.evidence.provenance import Provenance
from crossroads.evidence.sentences import PUBLISHED, SCORES, Score, SentenceScores, scored
from crossroads.extraction.language import (
    ProbeStep,
    Progress,
    batches_at_once,
    check_run,
    ignore,
    load_language_model,
    model_threads,
)
from crossroads.extraction.sentences.blanks import Filled, check_blanks, filled
from crossroads.extraction.sentences.plan import (
    AskedItems,
    Batch,
    SentencePlan,
    asked_as_released,
    asked_of,
    make_plan,
    split_sentences,
)
from crossroads.sources.models.language import CAUSAL, MASKED, Asked, LanguageModel
from crossroads.sources.models.transformers import Device, versions
from crossroads.stimuli.files.sentences import SentenceItem, SentenceItems, sentence_items
from crossroads.storage.cache import Parts, check_settings, record_fingerprint, remove_leftovers
from crossroads.storage.disks import disk_errors
from crossroads.workers.processes import processors

SCHEME = "crossroads-sentences/2"
"""Name of the procedure; changes when the same input would give other scores."""
AskedScore = Literal["auto", "stereoset", "pll", "aul", "aula", "blank", "released", "likelihood", "bare"]
"""How to score; ``"auto"`` is ``pll`` for masked models and ``likelihood`` for causal ones, ``"stereoset"``
is ``blank`` and ``bare``."""
_OF_KIND: dict[str, tuple[Score, ...]] = {
    MASKED: ("pll", "aul", "aula", "blank", "released"),
    CAUSAL: ("likelihood", "bare"),
}
_BLANKS = ("blank", "released")
_NAMED: dict[str, dict[str, Score]] = {
    "auto": {MASKED: "pll", CAUSAL: "likelihood"},
    "stereoset": {MASKED: "blank", CAUSAL: "bare"},
}

Floats = NDArray[np.float64]


def score_sentences(
    model: str | Path,
    sentences: Any,
    *,
    score: AskedScore = "auto",
    kind: Asked = "auto",
    missing: OnMissing = "raise",
    revision: str | None = None,
    store: str | Path | None = None,
    device: Device = "auto",
    threads: int | None = None,
    batch_size: int = 64,
    unit_texts: int = 512,
    restart: bool = False,
    progress: Progress | None = None,
) -> SentenceScores:
    r"""Score pairs or triples of sentences with a masked or causal language model.

    Parameters
    ----------
    model
        A folder, a ``.gguf`` file, or a name on the Hugging Face hub.
    sentences
        A file (see :mod:`crossroads.stimuli.files.sentences`), or a list of mappings with its columns.
    score
        ``"pll"``: pseudo-log-likelihood of the tokens that the compared sentences share, each masked by
        itself (Nangia et al. 2020). ``"aul"``: log-likelihood of all tokens with none masked, and ``"aula"``
        with each weighted by the attention that it gets (Kaneko & Bollegala 2022). ``"blank"``: probability
        of the words that fill the BLANK of the column ``context`` (Nadeem et al. 2021); ``"released"``: the
        same with words split as in the released code of StereoSet, for masked models. ``"likelihood"``:
        log-likelihood of all tokens, each given those before it, for causal models; ``"bare"``: the same,
        with only the first given the token that begins a text. ``"auto"``: ``pll`` or ``likelihood``;
        ``"stereoset"``: ``blank`` or ``bare``, as StereoSet scores masked and causal models.
    kind
        ``"masked"``, ``"causal"``, or ``"auto"``, to take it from the model.
    missing
        ``"raise"`` an error that names sentences which cannot be scored, or ``"drop"`` them.
    revision
        Branch, tag or commit on the hub.
    store
        JSON file for the scores. With it, finished work is kept on disk: a run that was killed continues
        where it stopped. Without it the scores are in memory only.
    device
        ``"cpu"``, ``"cuda"``, ``"mps"`` or ``"auto"``.
    threads
        Threads of the model; by default one for each processor.
    batch_size
        Most texts of a batch. Texts of a batch have one length, so that nothing is padded: a score does not
        depend on what is beside it but for rounding.
    unit_texts
        Texts after which a work unit ends, which is the most that is lost when a run is killed.
    restart
        Whether to discard unfinished work that was begun with other settings.
    progress
        Called with a :class:`~crossroads.extraction.language.ProbeStep` now and then.

    Returns
    -------
    SentenceScores
        For :func:`~crossroads.sentence_pairs` or :func:`~crossroads.sentence_triples`.

    Notes
    -----
    Special tokens never count. A causal model is given its token for the beginning of a text first, so that
    the first word counts; where it has none, the first token does not count. Of triples, ``"pll"`` counts
    the tokens that all three sentences share.

    ``"blank"`` follows the released code of StereoSet: of a word with several tokens, each is asked for with
    those before it in place and those after it left out, and the score is the mean of their probabilities.
    Departures: words keep their hyphens and apostrophes, several words fill a blank together, and all tokens
    are those of the sentence as it is written. ``"released"`` has none of these departures: it asks RoBERTa
    for a word without the space before it, which the sentence has, and gives ALBERT a space before a full
    stop, which the sentence does not have. So ``"stereoset"`` is ``"blank"``; for models such as BERT, whose
    tokens contain no spaces, both are the same where a single word without punctuation fills the blank.

    Examples
    --------
    ``folder`` holds a masked model:

    >>> import crossroads as cr
    >>> pairs = [{"sent_more": "women are warm.", "sent_less": "men are warm."}]
    >>> scores = cr.score_sentences(folder, pairs)
    >>> scores.score, scores[0].tokens
    ('pll', (10, 10))
    """
    one_of("score", score, AskedScore)
    check_run(missing, batch_size=batch_size, unit_texts=unit_texts, threads=threads or 1)
    report = progress or ignore
    given = sentence_items(sentences)
    if score in _BLANKS:
        check_blanks(given)
    place = None if store is None else Path(store)
    report(ProbeStep(stage="loading"))
    loaded = _loaded(model, revision=revision, kind=kind, device=device)
    report(ProbeStep(stage="splitting"))
    work = _prepared(loaded, given, _score(loaded, score), missing, batch_size, unit_texts)
    if place is not None and _is_finished(place, work.record):
        remove_leftovers(place)
        report(ProbeStep(stage="present"))
        return SentenceScores.open(place)
    threads = threads or processors()
    workers = batches_at_once(loaded, threads, work.plan.batches.size - 1)
    with model_threads(max(1, threads // workers)):
        run = _Run(work.plan, _Scorer(loaded, weighted=work.score == "aula"), workers, report)
        if place is None:
            return work.scores(np.concatenate([values for _, values in run(range(len(work.plan.sizes())))]))
        return _stored(place, work, run, restart=restart)


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What is asked of a model."""

    given: SentenceItems
    score: Score
    asked: AskedItems
    plan: SentencePlan
    record: dict[str, Any]
    about: Provenance

    def scores(self, values: Floats) -> SentenceScores:
        """The scores, from the sum of each text and its rounding error."""
        shape = (len(self.asked.items), len(self.given.items[0].sentences))
        totals, rounding, tokens = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
        owner = tuple(self.plan.owner.T)
        np.add.at(totals, owner, values[:, 0])
        np.add.at(rounding, owner, values[:, 1])
        np.add.at(tokens, owner, [len(text.places) for text in self.plan.texts])
        return SentenceScores(
            name=self.given.name,
            kind=self.given.kind,
            score=self.score,
            items=scored(
                self.asked.items,
                totals.tolist(),
                tokens.tolist(),
                self._averages(values[:, 0], tokens),
                rounding.tolist(),
            ),
            left_out=self.asked.left_out,
            provenance=self.about,
        )

    def _averages(self, values: Floats, tokens: NDArray[np.int64]) -> list[list[float]] | None:
        """Logarithms of mean probabilities, for the score that has them: its texts have one token each."""
        if PUBLISHED[self.score] != "probability":
            return None
        found = np.full(tokens.shape, -np.inf)
        np.logaddexp.at(found, tuple(self.plan.owner.T), values)
        averages: list[list[float]] = (found - np.log(tokens)).tolist()
        return averages


def _prepared(
    model: LanguageModel, given: SentenceItems, score: Score, missing: str, batch_size: int, unit_texts: int
) -> _Work:
    """Sentences in tokens, the texts that they make, and what is recorded of both."""
    causal, tokenizer = model.kind == CAUSAL, model.tokenizer
    begin = tokenizer.bos_token_id if causal else None
    blanks = [filled(item) for item in given.items] if score == "blank" else []
    flat = [text for item in given.items for text in item.sentences]
    if score in _BLANKS:
        check_blanks(given)
    if blanks:
        flat = [text for item, some in zip(given.items, blanks, strict=True) for text in _texts(item, some)]
    splits = split_sentences(tokenizer, flat, begin=begin)
    mask = None if causal else int(tokenizer.mask_token_id)
    if score == "released":
        asked = asked_as_released(given.items, tokenizer, model.longest)
    else:
        asked = asked_of(given.items, splits, score, mask, model.longest, blanks=blanks)
    _check_left_out(asked.left_out, len(asked.items), missing)
    limits = {"batch_size": batch_size, "unit_texts": unit_texts}
    plan = make_plan(asked.texts, shift=int(causal), vocabulary=model.vocabulary, **limits)
    record = _record(model, given, score, **limits)
    unknown = tokenizer.unk_token_id
    about = _provenance(
        model,
        score,
        record,
        texts=len(plan.texts),
        unknown=sum(unknown is not None and unknown in one.ids for one in splits),
        begin=None if begin is None else tokenizer.bos_token,
    )
    return _Work(given=given, score=score, asked=asked, plan=plan, record=record, about=about)


def _texts(item: SentenceItem, blanks: tuple[Filled, ...] | str) -> Sequence[str]:
    """What is split into tokens: sentences with their blanks filled, where these are known."""
    return item.sentences if isinstance(blanks, str) else [one.text for one in blanks]


def _stored(store: Path, work: _Work, run: _Run, *, restart: bool) -> SentenceScores:
    """Continue a file of scores, and put it together."""
    parts = Parts(store, work.record, restart=restart)
    try:
        units = range(len(work.plan.sizes()))
        for unit, values in run([one for one in units if one not in parts.finished]):
            parts.save(unit, values)
        found = work.scores(
            np.concatenate([np.load(parts.finished[one], allow_pickle=False) for one in units])
        )
        with disk_errors(store, parts=parts.folder):
            found.save(store)
        parts.remove()
    finally:
        parts.close()
    return found


class _Scorer:
    """A loaded model that scores batches.

    Parameters
    ----------
    model
        The model.
    weighted
        Whether log-probabilities are weighted by the attention that their token gets.
    """

    def __init__(self, model: LanguageModel, *, weighted: bool) -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self._model, self._weighted = model, weighted
        if weighted:
            model.show_attention()

    def __call__(self, batch: Batch) -> Floats:
        """Sum of the log-probabilities of each text, and the largest error that rounding leaves in it.

        Several threads may call it at once. A log-probability is the difference of two numbers, each of which
        is wrong by up to half the distance to the next number that the type of the logits has.
        """
        torch, device = self._torch, self._model.device
        with torch.inference_mode():
            logits, _ = self._model.ask(batch.ids, batch.text, batch.place)
            token = torch.from_numpy(batch.token).to(device)
            read, total = logits.gather(1, token[:, None])[:, 0], logits.logsumexp(dim=1)
            errors = (read.abs() + total.abs()).double() * (torch.finfo(logits.dtype).eps / 2)
            values: Floats = torch.stack([(read - total).double(), errors]).cpu().numpy()
            if self._weighted:
                attention = self._model.attention(batch.ids).cpu().double().numpy()
                values = values * attention[batch.text, batch.weighed]
        if not np.isfinite(values).all():
            raise CrossroadsError(
                f"{self._model.files.name} gave a logit that is not finite.",
                hint="its weights are damaged, or it does not work in float32 on this device.",
            )
        return np.stack([np.bincount(batch.text, some, len(batch.ids)) for some in values], axis=1)


class _Run:
    """The work, the scorer, and the callback of progress."""

    def __init__(self, plan: SentencePlan, scorer: _Scorer, workers: int, report: Progress) -> None:
        self._plan, self._scorer, self._workers, self._report = plan, scorer, workers, report
        self._step = ProbeStep(stage="asking", total=len(plan.texts))

    def __call__(self, units: Any) -> Iterator[tuple[int, Floats]]:
        """The units that are left, each with the sums of its texts."""
        sizes = self._plan.sizes()
        kept = self._step.total - int(sizes[list(units)].sum())
        self._step = replace(self._step, done=kept, kept=kept)
        self._report(self._step)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="crossroads-sentences") as pool:
            for unit in units:
                values = np.concatenate(list(pool.map(self._scorer, self._plan.batches_of(unit))))
                self._step = replace(self._step, done=self._step.done + int(sizes[unit]))
                self._report(self._step)
                yield unit, values


def _loaded(model: str | Path, *, revision: str | None, kind: Asked, device: Device) -> LanguageModel:
    """The model; a service or an ELMo cannot score sentences."""
    if str(model).casefold().startswith(("http://", "https://")):
        raise InputError(
            f"{in_short(str(model))} is a service, which answers with texts and not with probabilities of "
            "given sentences.",
            hint="give a masked or causal model: a folder, a .gguf file or a name on the hub; "
            "crossroads chat asks a service.",
        )
    instead = "give a masked or causal language model."
    return load_language_model(
        model, revision=revision, kind=kind, device=device, instead=instead, linear=False
    )


def _score(model: LanguageModel, score: AskedScore) -> Score:
    """The score to compute; one that the model cannot give is an error that names those it can."""
    possible = _OF_KIND[model.kind]
    if score == "auto" or score == "stereoset":
        return _NAMED[score][model.kind]
    if score not in possible:
        why = "has no masks to fill" if model.kind == CAUSAL else "does not go from left to right"
        raise InputError(
            f"{model.files.name} is a {model.kind} model, which {why}: it gives no score {score!r}.",
            hint=f"use score={join_words([repr(one) for one in possible], last='or')}.",
            option="score",
        )
    return score


def _check_left_out(left_out: dict[str, str], kept: int, missing: str) -> None:
    if not left_out or (missing == "drop" and kept):
        return
    shown = join_words([f"{in_short(text)} ({why})" for text, why in left_out.items()], most=3)
    raise InputError(
        f"sentences cannot be scored: {shown}.",
        hint="leave them out of the file, or drop them with missing='drop'."
        if kept
        else "nothing is left; give other sentences.",
        option="missing",
    )


def _record(model: LanguageModel, given: SentenceItems, score: str, **limits: int) -> dict[str, Any]:
    """Plain data that determines the scores but for rounding."""
    return {
        "scheme": SCHEME,
        "model": model.files.name,
        "revision": model.files.revision,
        "model sha256": model.files.sha256,
        "kind": model.kind,
        "score": score,
        given.kind: len(given.items),
        "sentences sha256": record_fingerprint({"items": [asdict(one) for one in given.items]}),
        "device": model.device,
        **{name.replace("_", " "): value for name, value in limits.items()},
        **versions(),
    }


def _provenance(
    model: LanguageModel,
    score: str,
    record: dict[str, Any],
    *,
    texts: int,
    unknown: int,
    begin: str | None,
) -> Provenance:
    more = {"begins_with": begin} if model.kind == CAUSAL else {}
    return Provenance(
        source=recorded_path(model.files.name),
        format="transformers",
        revision=model.files.revision,
        sha256=model.files.sha256,
        details={
            "class": model.architecture,
            "kind": model.kind,
            "scored": SCORES[score],
            "special_tokens": "not counted",
            **more,
            "sentences_with_unknown_tokens": unknown,
            "texts": texts,
            "fingerprint": record_fingerprint(record),
            "record": record,
        },
    )


def _is_finished(store: Path, record: dict[str, Any]) -> bool:
    """Whether the store is finished already; one with other settings, or another file, is an error."""
    if not store.exists():
        return False
    details = SentenceScores.open(store).provenance.details
    check_settings(store, record, details, found="has finished scores", place="file")
    return True
