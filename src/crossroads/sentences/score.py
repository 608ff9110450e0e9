"""Score sentences with a language model; resumable at any moment."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsError,
    InputError,
    OnMissing,
    in_short,
    join_words,
    one_of,
    require,
)
from crossroads.core.models.batches import Batch, plan_texts
from crossroads.core.models.language import CAUSAL, MASKED, Asked, LanguageModel
from crossroads.core.models.opening import ProbeStep, Progress, RunOptions, is_finished, run_provenance
from crossroads.core.models.transformers import Device
from crossroads.core.storage.cache import record_fingerprint
from crossroads.sentences.evidence import PUBLISHED, SCORES, Score, ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItems, sentence_items
from crossroads.sentences.plan import asked_of, check_blanks, filled, split_sentences

SCHEME = "crossroads-sentences/2"
"""Name of the procedure; changes when the same input would give other scores."""
AskedScore = Literal["auto", "stereoset", "pll", "aul", "aula", "blank", "released", "likelihood", "bare"]
"""How to score; ``"auto"`` is ``pll`` for masked models and ``likelihood`` for causal ones, ``"stereoset"``
is ``blank`` and ``bare``."""
_OF_KIND: dict[str, tuple[Score, ...]] = {
    MASKED: ("pll", "aul", "aula", "blank", "released"),
    CAUSAL: ("likelihood", "bare"),
}
"""Scores of a kind of model; the first is that of ``auto``."""
_STEREOSET: dict[str, Score] = {MASKED: "blank", CAUSAL: "bare"}
_BLANKS = ("blank", "released")

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

    :func:`~crossroads.sentence_pairs` and :func:`~crossroads.sentence_triples` measure what it prefers.

    Parameters
    ----------
    model
        A folder, a ``.gguf`` file, or a name on the Hugging Face hub.
    sentences
        A file (see :mod:`crossroads.sentences.material`), or a list of mappings with its columns.
    score
        ``"pll"``: pseudo-log-likelihood of the tokens that the compared sentences share, each masked by
        itself (Nangia et al. 2020). ``"aul"``: log-likelihood of all tokens with none masked, and ``"aula"``
        with each weighted by the attention that it gets (Kaneko & Bollegala 2022). ``"blank"``: probability
        of the words that fill the BLANK of the column ``context`` (Nadeem et al. 2021); ``"released"``: the
        same with words split as in the released code of StereoSet, for masked models. ``"likelihood"``:
        log-likelihood of all tokens, each given those before it, for causal models; ``"bare"``: the same,
        with only the first given the token that begins a text. ``"auto"``: ``pll`` or ``likelihood``;
        ``"stereoset"``: ``blank`` or ``bare``, as StereoSet scores masked and causal models.
    missing
        ``"raise"`` an error that names sentences which cannot be scored, or ``"drop"`` them.
    store
        JSON file for the scores. With it, finished work is kept on disk: a run that was killed continues
        where it stopped. Without it the scores are in memory only.
    kind, revision, device, threads, batch_size, unit_texts, restart, progress
        As in :func:`~crossroads.probe`. Texts of a batch have one length, so that nothing is padded: a score
        depends on the other texts only through rounding.

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
    given = locals()
    one_of("score", score, AskedScore)
    options = RunOptions(**{field.name: given[field.name] for field in fields(RunOptions)})
    items = sentence_items(sentences)
    if score in _BLANKS:
        check_blanks(items)
    place = None if store is None else Path(store)
    loaded = _loaded(model, options)
    by = _score(loaded, score)
    if by in _BLANKS:
        check_blanks(items)
    checksum = record_fingerprint({"items": [asdict(one) for one in items.items]})
    material = {"score": by, items.kind: len(items.items), "sentences sha256": checksum}
    record = options.record(loaded, SCHEME, material)
    work = _Work(loaded, items, by, options, record)
    if place is not None and is_finished(place, record, SentenceScores.open, what="scores", file=True):
        options.report(ProbeStep(stage="present"))
        return SentenceScores.open(place)
    return options.run(
        work.plan,
        _Scorer(loaded, weighted=by == "aula"),
        np.concatenate,
        lambda units: work.scores(np.concatenate(units)),
        device=loaded.device,
        store=place,
        record=record,
    )


class _Work:
    """Sentences in tokens, the texts that they make for a model, and the scores that follow."""

    def __init__(
        self,
        model: LanguageModel,
        sentences: SentenceItems,
        score: Score,
        options: RunOptions,
        record: dict[str, Any],
    ) -> None:
        causal, tokenizer = model.kind == CAUSAL, model.tokenizer
        begin = tokenizer.bos_token_id if causal else None
        blanks = [filled(item) if score == "blank" else () for item in sentences.items]
        texts: list[str] = []
        for item, blank in zip(sentences.items, blanks, strict=True):  # with their blanks filled, if known
            texts += [one.text for one in blank] if blank and not isinstance(blank, str) else item.sentences
        splits = split_sentences(tokenizer, texts, begin=begin)
        mask = None if causal else int(tokenizer.mask_token_id)
        self._asked = asked_of(sentences.items, splits, score, tokenizer, mask, model.longest, blanks)
        self._sentences, self._score = sentences, score
        _check_left_out(self._asked.left_out, len(self._asked.items), options.missing)
        asked = [text for text, _ in self._asked.flat]
        self.plan = plan_texts(
            [text.ids for text in asked],
            [(n, *one) for n, text in enumerate(asked) for one in zip(text.places, text.tokens, strict=True)],
            vocabulary=model.vocabulary,
            **options.limits,
        )
        unknown = tokenizer.unk_token_id
        strange = sum(unknown is not None and unknown in one.ids for one in splits)
        details = {
            "scored": SCORES[score],
            "special_tokens": "not counted",
            **({"begins_with": None if begin is None else tokenizer.bos_token} if causal else {}),
            "sentences_with_unknown_tokens": strange,
        }
        self._provenance = run_provenance(model, self.plan, record, details)

    def scores(self, values: Floats) -> SentenceScores:
        """The scores, from the sum of each text and its rounding error."""
        items, texts = self._asked.items, self._asked.flat
        shape = (len(items), len(items[0].sentences))
        totals, rounding, tokens = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
        owner = tuple(np.array([texts[at][1] for at in self.plan.order]).T)
        np.add.at(totals, owner, values[:, 0])
        np.add.at(rounding, owner, values[:, 1])
        np.add.at(tokens, owner, [len(texts[at][0].places) for at in self.plan.order])
        averages = np.zeros((len(totals), 0))
        if PUBLISHED[self._score] == "probability":  # texts have one token each
            averages = np.full(shape, -np.inf)
            np.logaddexp.at(averages, owner, values[:, 0])
            averages = averages - np.log(tokens)
        numbers = {"totals": totals, "tokens": tokens, "averages": averages, "rounding": rounding}
        return SentenceScores(
            name=self._sentences.name,
            kind=self._sentences.kind,
            score=self._score,
            items=tuple(
                ScoredItem(item=item, **{name: tuple(rows[at].tolist()) for name, rows in numbers.items()})
                for at, item in enumerate(items)
            ),
            left_out=self._asked.left_out,
            provenance=self._provenance,
        )


class _Scorer:
    """A loaded model that scores batches, weighted by the attention that tokens get if ``weighted``."""

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
            token = torch.from_numpy(batch.asked_token).to(device)
            read, total = logits.gather(1, token[:, None])[:, 0], logits.logsumexp(dim=1)
            errors = (read.abs() + total.abs()).double() * (torch.finfo(logits.dtype).eps / 2)
            values: Floats = torch.stack([(read - total).double(), errors]).cpu().numpy()
            if self._weighted:
                attention = self._model.attention(batch.ids).cpu().double().numpy()
                values = values * attention[batch.text, batch.place]
        if not np.isfinite(values).all():
            raise CrossroadsError(
                f"{self._model.files.name} gave a logit that is not finite.",
                hint="its weights are damaged, or it does not work in float32 on this device.",
            )
        return np.stack([np.bincount(batch.text, some, len(batch.ids)) for some in values], axis=1)


def _loaded(model: str | Path, options: RunOptions) -> LanguageModel:
    """The model; a service or an ELMo cannot score sentences."""
    if str(model).casefold().startswith(("http://", "https://")):
        raise InputError(
            f"{in_short(str(model))} is a service, which answers with texts and not with probabilities of "
            "given sentences.",
            hint="give a masked or causal model: a folder, a .gguf file or a name on the hub; "
            "crossroads chat asks a service.",
        )
    return options.load(model, instead="give a masked or causal language model.", linear=False)


def _score(model: LanguageModel, score: AskedScore) -> Score:
    """The score to compute; one that the model cannot give is an error that names those it can."""
    possible = _OF_KIND[model.kind]
    if score == "auto":
        return possible[0]
    if score == "stereoset":
        return _STEREOSET[model.kind]
    if score not in possible:
        why = "has no masks to fill" if model.kind == CAUSAL else "does not go from left to right"
        raise InputError(
            f"{model.files.name} is a {model.kind} model, which {why}: it gives no score {score!r}.",
            hint=f"use score={join_words([repr(one) for one in possible], last='or')}.",
            option="score",
        )
    return score


def _check_left_out(left_out: dict[str, str], scored: int, missing: str) -> None:
    if left_out and not (missing == "drop" and scored):
        shown = join_words([f"{in_short(text)} ({why})" for text, why in left_out.items()], most=3)
        hint = "leave them out of the file, or drop them with missing='drop'."
        if not scored:
            hint = "nothing is left; give other sentences."
        raise InputError(f"sentences cannot be scored: {shown}.", hint=hint, option="missing")
