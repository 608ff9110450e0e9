"""Score sentences with a language model, resumable at any moment; the texts that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from string import punctuation
from typing import Any, Literal, NamedTuple

import numpy as np

from crossroads.core.errors import (
    CrossroadsError,
    InputError,
    OnMissing,
    in_short,
    join_words,
    one_of,
    require,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.models.language import CAUSAL, MASKED, Asked, LanguageModel
from crossroads.core.models.opening import (
    Batch,
    ProbeStep,
    Progress,
    RunOptions,
    is_finished,
    plan_texts,
    run_provenance,
)
from crossroads.core.models.transformers import Device
from crossroads.core.storage.cache import record_fingerprint
from crossroads.sentences.evidence import PUBLISHED, SCORES, Score, ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem, SentenceItems, sentence_items

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
BLANK = "BLANK"
"""The place of the words that fill a context."""
CONTEXT = "context"
"""Column of the contexts."""
NO_BLANK = f"its {CONTEXT} has no {BLANK}"
SEVERAL_BLANKS = f"its {CONTEXT} has more than one {BLANK}"
NOT_FILLED = f"it does not follow its {CONTEXT}, so that the words for {BLANK} cannot be told"
_NO_PUNCTUATION = str.maketrans("", "", punctuation)
NOTHING_SHARED = "its sentences share no token"
NO_TOKEN = "no token of it can be scored"


def score_sentences(
    model: str | Path,
    sentences: Any,
    *,
    score: AskedScore = "auto",
    asked_as: Asked = "auto",
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

    :func:`~crossroads.sentence_test` measures what it prefers.

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
    asked_as, revision, device, threads, batch_size, unit_texts, restart, progress
        As in :func:`~crossroads.probe`. Texts of a batch have one length, so that nothing is padded: a score
        depends on the other texts only through rounding.

    Notes
    -----
    Special tokens never count. A causal model is given its token for the beginning of a text first, so that
    the first word counts; where it has none, the first token does not count. Of triples, ``"pll"`` counts
    the tokens that all three sentences share.

    ``"blank"`` follows the released code of StereoSet: of a word with several tokens, each is asked for with
    those before it in place and those after it left out, and the score is the mean of their probabilities.
    *Departures:* words keep their hyphens and apostrophes, several words fill a blank together, and all
    tokens are those of the sentence as it is written. ``"released"`` has none of these: it asks RoBERTa for a
    word without the space before it, and gives ALBERT a space before a full stop, unlike the sentence. For
    models such as BERT, whose tokens contain no spaces, both are the same where a single word without
    punctuation fills the blank.

    Examples
    --------
    ``folder`` holds a masked model:

    >>> import crossroads as cr
    >>> pairs = [{"sent_more": "women are warm.", "sent_less": "men are warm."}]
    >>> scores = cr.score_sentences(folder, pairs)
    >>> scores.score, scores[0].tokens
    ('pll', (10, 10))
    """
    options = RunOptions.of(locals())
    one_of("score", score, AskedScore)
    items = sentence_items(sentences)
    check_blanks(items, score)
    place = None if store is None else Path(store)
    loaded = _loaded(model, options)
    by = _score(loaded, score)
    check_blanks(items, by)
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
        mask = None if causal else int(tokenizer.mask_token_id)
        blanks = [filled(item) if score == "blank" else () for item in sentences.items]
        words: list[str] = []
        for item, blank in zip(sentences.items, blanks, strict=True):  # with their blanks filled, if known
            words += [one.text for one in blank] if blank and not isinstance(blank, str) else item.sentences
        splits = split_sentences(tokenizer, words, begin=begin)
        self._sentences, self._score, rest = sentences, score, iter(splits)
        self._items: list[SentenceItem] = []
        self._texts: list[tuple[Text, tuple[int, int]]] = []  # with the places of item and sentence
        self._left_out: dict[str, str] = {}
        for item, blank in zip(sentences.items, blanks, strict=True):
            own = list(islice(rest, len(item.sentences)))
            if isinstance(blank, str):
                texts: list[list[Text]] | str = blank
            elif score == "released":
                texts = _released(item, tokenizer, model.longest)
            else:
                texts = _too_long(own, model.longest) or texts_of(own, score, mask, blank)
            if isinstance(texts, str):
                self._left_out[item.sentences[0]] = texts
            else:
                at = len(self._items)
                self._texts += [(text, (at, j)) for j, some in enumerate(texts) for text in some]
                self._items.append(item)
        if self._left_out and not (options.missing == "drop" and self._items):
            why = [f"{in_short(text)} ({reason})" for text, reason in self._left_out.items()]
            hint = "leave them out of the file, or drop them with missing='drop'."
            raise InputError(
                f"sentences cannot be scored: {join_words(why, most=3)}.",
                hint=hint if self._items else "nothing is left; give other sentences.",
                option="missing",
            )
        readings = (zip(text.places, text.tokens, strict=True) for text, _ in self._texts)
        self.plan = plan_texts(
            [text.ids for text, _ in self._texts],
            [(n, *one) for n, reading in enumerate(readings) for one in reading],
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
        shape = (len(self._items), len(self._items[0].sentences))
        totals, rounding, tokens = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
        owner = tuple(np.array([self._texts[at][1] for at in self.plan.order]).T)
        np.add.at(totals, owner, values[:, 0])
        np.add.at(rounding, owner, values[:, 1])
        np.add.at(tokens, owner, [len(self._texts[at][0].places) for at in self.plan.order])
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
                for at, item in enumerate(self._items)
            ),
            left_out=self._left_out,
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


class Filled(NamedTuple):
    """A context with its blank filled, and where the words that fill it begin and end."""

    text: str
    start: int
    end: int


def _context(item: SentenceItem) -> tuple[str, str] | str:
    """What is before and after the blank of an item; or why there is none."""
    parts = item.columns.get(CONTEXT, "").strip().split(BLANK)
    if len(parts) == 2:
        return parts[0], parts[1]
    return NO_BLANK if len(parts) == 1 else SEVERAL_BLANKS


def filled(item: SentenceItem) -> tuple[Filled, ...] | str:
    """The sentences of an item with the places of the words that fill its blank; or why there are none.

    The words are what a sentence has between the parts of its context; where it differs from its context
    elsewhere, its word at the place of the blank, without punctuation around it, is put into the context, as
    in the released code of StereoSet.
    """
    context = _context(item)
    if isinstance(context, str):
        return context
    before, after = context
    words = [_words(sentence, before, after) for sentence in item.sentences]
    if not all(words):
        return NOT_FILLED
    start = len(before)
    return tuple(Filled(f"{before}{some}{after}", start, start + len(some)) for some in words)


def _words(sentence: str, before: str, after: str) -> str:
    """The words in the place of the blank; empty where they cannot be found."""
    inner = sentence[len(before) : len(sentence) - len(after)].strip()
    if sentence.startswith(before) and sentence.endswith(after) and inner:
        return inner
    return _word_at(sentence, before).strip(punctuation)


def _word_at(sentence: str, before: str) -> str:
    """The word of a sentence at the place of the blank, as spaces separate words; empty if there is none."""
    place = before.count(" ")
    return "".join(sentence.split(" ")[place : place + 1])


def released_words(item: SentenceItem) -> tuple[str, ...] | str:
    """The word that the released code of StereoSet finds in each sentence; or why it finds none.

    The word of the sentence at the place of the blank, as spaces separate words, without any punctuation.
    """
    context = _context(item)
    if isinstance(context, str):
        return context
    found = [_word_at(one, context[0]).translate(_NO_PUNCTUATION) for one in item.sentences]
    return tuple(found) if all(found) else NOT_FILLED


def check_blanks(given: SentenceItems, score: AskedScore) -> None:
    """Refuse sentences of which none has a context with a blank, where what fills it is scored."""
    if score in ("blank", "released") and not any(
        BLANK in one.columns.get(CONTEXT, "") for one in given.items
    ):
        raise InputError(
            f"no row of {given.name} has a {CONTEXT} with {BLANK}, and what fills it is to be scored.",
            hint=f"add a column {CONTEXT!r}, such as 'Girls are {BLANK}.', or score whole sentences, as with "
            "score='aul'.",
            option="score",
        )


class Split(NamedTuple):
    """A sentence in tokens: the places of those that are not special, and the characters of each."""

    ids: tuple[int, ...]
    counted: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()


class Text(NamedTuple):
    """What a model is given: tokens, the places where it is read, and the token that is read at each."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    tokens: tuple[int, ...]


def split_sentences(tokenizer: Any, sentences: Sequence[str], *, begin: int | None = None) -> list[Split]:
    """Sentences in tokens.

    With ``begin``, the token with which a text begins, it is put before sentences whose tokenizer does not,
    and special tokens at the end are left off.
    """
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    found = []
    for encoding in backend.encode_batch(list(sentences)):
        ids, special, spans = map(list, (encoding.ids, encoding.special_tokens_mask, encoding.offsets))
        if begin is not None:
            while len(special) > 1 and special[-1]:
                ids, special, spans = ids[:-1], special[:-1], spans[:-1]
            if not special or not special[0]:
                ids, special, spans = [begin, *ids], [1, *special], [(0, 0), *spans]
        counted = tuple(at for at, one in enumerate(special) if not one)
        found.append(Split(tuple(ids), counted, tuple(spans)))
    return found


def shared_places(splits: Sequence[Split]) -> list[tuple[int, ...]]:
    """Places of the tokens that several sentences share, in each of them.

    The longest common blocks of tokens, as in the released code of CrowS-Pairs; with three sentences, what
    the first shares with both others.
    """
    first, *others = splits
    ways = []
    for other in others:
        blocks = SequenceMatcher(None, first.ids, other.ids).get_matching_blocks()
        ways.append({block.a + i: block.b + i for block in blocks for i in range(block.size)})
    shared = [at for at in first.counted if all(at in way for way in ways)]
    return [tuple(shared), *(tuple(way[at] for at in shared) for way in ways)]


def texts_of(
    splits: Sequence[Split], score: str, mask: int | None, blanks: Sequence[Filled] = ()
) -> list[list[Text]] | str:
    """The texts of the sentences of an item, or why it cannot be scored.

    ``mask`` is None for causal models; ``blanks`` are the words that are scored, for ``blank``.
    """
    if score == "pll":
        places = shared_places(splits)
        if not places[0]:
            return NOTHING_SHARED
        return [
            [Text((*s.ids[:at], int(mask or 0), *s.ids[at + 1 :]), (at,), (s.ids[at],)) for at in some]
            for s, some in zip(splits, places, strict=True)
        ]
    if score == "blank":
        found = [_unmasked(s, one, int(mask or 0)) for s, one in zip(splits, blanks, strict=True)]
    else:
        found = [_bare(s) if score == "bare" else _whole(s, shift=int(mask is None)) for s in splits]
    return found if all(found) else NO_TOKEN


def _whole(split: Split, *, shift: int) -> list[Text]:
    """The sentence itself, read at every token, or before it; empty where no token is read."""
    some = tuple(at for at in split.counted if at >= shift)
    tokens = tuple(split.ids[at] for at in some)
    return [Text(split.ids, tuple(at - shift for at in some), tokens)] if some else []


def _bare(split: Split) -> list[Text]:
    """What begins a text, read for the first token; then the sentence without it, read for the others."""
    first = split.counted[0] if split.counted else len(split.ids)
    begin, rest = split.ids[:first], split.ids[first:]
    opening = [Text(begin, (first - 1,), rest[:1])] if begin and rest else []
    return [*opening, *_whole(Split(rest, tuple(at - first for at in split.counted)), shift=1)]


def _unmasked(split: Split, one: Filled, mask: int) -> list[Text]:
    """The tokens of the words in a blank, each masked after those before it, with none of those behind it."""
    spaced = len(one.text[: one.start].rstrip())
    # characters of the words, or only the space before them; one without width is where the words begin
    spans = ((at, *split.spans[at]) for at in split.counted)
    inside = [
        at
        for at, start, end in spans
        if start < one.end and end > spaced and (start < end or start <= one.start)
    ]
    places = range(inside[0], inside[-1] + 1) if inside else range(0)
    rest = split.ids[places.stop :]
    return [Text((*split.ids[:at], mask, *rest), (at,), (split.ids[at],)) for at in places]


def _released(item: SentenceItem, tokenizer: Any, longest: int) -> list[list[Text]] | str:
    """What the released code of StereoSet asks a masked model.

    A word is split into tokens without its sentence; for each, the text of those before it and a mask are
    written into the context, which is then split.
    """
    words, texts = released_words(item), []
    if isinstance(words, str):
        return words
    for word in words:
        tokens = tokenizer.encode(word, add_special_tokens=False)
        begun = [tokenizer.decode(tokens[:at]) + tokenizer.mask_token for at in range(len(tokens))]
        ids = [tuple(tokenizer.encode(item.columns[CONTEXT].replace(BLANK, one))) for one in begun]
        places = [one.index(tokenizer.mask_token_id) for one in ids]
        texts.append([Text(*one) for one in zip(ids, zip(places), zip(tokens), strict=True)])
    if not all(texts):
        return NO_TOKEN
    return _too_long([text for some in texts for text in some], longest) or texts


def _too_long(texts: Sequence[Split] | Sequence[Text], longest: int) -> str:
    """Why a model cannot take all of some texts; empty where it can."""
    size = max(len(one.ids) for one in texts)
    return f"it has {size} tokens, and the model takes {longest}" if size > longest else ""
