"""Settings and plan of an extraction, which determine every byte of its store.

Options are checked against the model. Layer 0 is the input of the first block (the embeddings), layer k the
output of block k; the top one is taken after the final normalisation if there is one, as in the published
tests. Negative numbers count from the top.

The plan has distinct sentences, sorted by length, cut into units and batches. It is a function of the
contexts and the settings alone. Padding changes the last bits of a vector, so which sentences share a batch
is fixed here, independently of workers and order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.corpus import StoredContexts
from crossroads.core.errors import InputError, UnknownNameError, join_words, one_of
from crossroads.core.models.elmo import NAME, ElmoTokenizer, read_options, required_files
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.opening import Integers, Span, find_pieces
from crossroads.core.models.transformers import Device, load_config, load_tokenizer, longest_input, padding_id
from crossroads.words.models.settings import device_of, packages

Piece = Literal["last", "first", "mean"]
"""Which of a word's tokens gives its vector; the paper takes the last."""
Stored = Literal["float32", "float16"]
"""Types in which vectors may be stored; they are always computed in float32."""
SCHEME = "crossroads-extraction/2"
"""Name of the procedure; changes when the same input would give other bytes."""
AUTO = "auto"  # the layers of the published tests: the top one, and of an ELMo the sum of all
_COMBINED = ("sum", "mean")
_NUMBER = re.compile(r"[-+]?\d+")
_NO_LIMIT = 1_000_000
_RECORDED = (
    *("piece", "dtype", "batch_size", "batch_tokens", "unit_tokens"),
    *("max_length", "padding", "threads", "device"),
)


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Layers of a model, and how they are combined."""

    numbers: tuple[int, ...]  # the layers, counted from 0, in ascending order
    combined: str  # "one", "sum" or "mean"
    of: int  # the top layer of the model

    def __str__(self) -> str:
        if self.combined == "one":
            return str(self.numbers[0])
        return f"{self.combined}:{','.join(map(str, self.numbers))}"


def parse_layers(wanted: int | str, top: int) -> Layers:
    """Parse a choice of layers, and check that the model has them; ``top`` is its number of blocks.

    A choice is a number such as ``-1`` (the top layer), ``"sum"`` or ``"mean"`` (of all, the embeddings among
    them), or ``"sum:-4,-3,-2,-1"``.

    Examples
    --------
    >>> str(parse_layers(-1, 12)), str(parse_layers("sum:-2,-1", 12))
    ('12', 'sum:11,12')
    """
    text = str(wanted).strip()
    one = _NUMBER.fullmatch(text) is not None
    kind, colon, rest = ("one", ":", text) if one else text.partition(":")
    if not one and kind not in _COMBINED:
        raise UnknownNameError("layer", text, (*_COMBINED, *map(str, range(-1, top + 1))), hint=None)
    parts = rest.split(",") if colon else map(str, range(top + 1))
    numbers = [_layer(part.strip(), text, top) for part in parts]
    if len(set(numbers)) < len(numbers):
        raise InputError(f"layers {text!r} name one layer twice.", hint="name each layer once.")
    return Layers(numbers=tuple(sorted(numbers)), combined=kind, of=top)


def _layer(number: str, text: str, top: int) -> int:
    if not _NUMBER.fullmatch(number):
        raise InputError(
            f"{number!r} in the layers {text!r} is not a number.", hint="write for example sum:1,2,3."
        )
    value = int(number)
    if not -top - 1 <= value <= top:
        fault = f"there is no layer {value}: the model has layers 0 (embeddings) to {top} (top)."
        raise InputError(fault, hint=f"give a number from {-top - 1} to {top}; -1 is the top.")
    return value % (top + 1)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that the bytes of a store depend on, apart from the contexts."""

    files: ModelFiles  # the model
    model_class: str  # architecture, such as "BertModel"
    layers: Layers  # which hidden states are taken
    piece: str  # which token of a word split into several
    dtype: str  # type of the stored numbers
    batch_size: int  # most sentences per batch
    batch_tokens: int  # most tokens per batch, padding included
    unit_tokens: int  # tokens after which a work unit ends
    max_length: int  # most tokens per sentence, special ones included
    padding: int  # the token that pads short sentences; masked
    threads: int  # threads of a worker; more than one may change last bits
    device: str  # kind of device that computes
    versions: dict[str, str]  # packages on which the last bits depend

    def record(self, contexts_sha256: str, sample: str | None = None) -> dict[str, Any]:
        """Plain data that determine the store: equal records give equal bytes.

        ``sample`` is the procedure by which the contexts were drawn.
        """
        return {
            "scheme": SCHEME,
            "contexts": contexts_sha256,
            "sample": sample,
            "model": self.files.name,
            "revision": self.files.revision,
            "model sha256": self.files.sha256,
            "class": self.model_class,
            "layer": str(self.layers),
            "layers of the model": self.layers.of,
            **{name.replace("_", " "): getattr(self, name) for name in _RECORDED},
            **self.versions,
        }


def resolve(
    model: str | Path,
    *,
    revision: str | None = None,
    layer: int | str = AUTO,
    piece: Piece = "last",
    dtype: Stored = "float32",
    batch_size: int = 64,
    batch_tokens: int = 16_384,
    unit_tokens: int = 16_384,
    max_length: int | None = None,
    device: Device = "auto",
    threads: int = 1,
    elsewhere: bool = False,
) -> tuple[Settings, Any]:
    """Find the model, check every option against it, and load its tokenizer.

    Options are those of :func:`crossroads.contexts.embed.run.embed`. If other machines compute
    (``elsewhere``), they may have a device that this one lacks.
    """
    one_of("piece", piece, Piece)
    one_of("dtype", dtype, Stored)
    one_of("device", device, Device)
    limits = {"batch_size": batch_size, "batch_tokens": batch_tokens, "unit_tokens": unit_tokens}
    for name, value in {**limits, "threads": threads}.items():
        if value < 1:
            raise InputError(f"{name}={value} is too small.", hint="give a number from 1 up.")
    files = find_model(model, revision=revision)
    tokenizer: Any
    if files.elmo:
        tokenizer, architecture, usual = ElmoTokenizer(), NAME, "sum"
        top = read_options(required_files(files.folder)[0]).layers
        least, longest, padding = 1, _NO_LIMIT, 0
    else:
        config, tokenizer = load_config(files), load_tokenizer(files)
        architecture, usual = (config.architectures or [config.model_type])[0], "-1"
        top = int(config.num_hidden_layers)
        least = int(tokenizer.num_special_tokens_to_add()) + 1
        longest, padding = longest_input(config, tokenizer), padding_id(config, tokenizer)
    if max_length is not None and not least <= max_length <= longest:
        fault = f"max_length={max_length} cannot be used with {files.name}."
        raise InputError(fault, hint=f"give a number from {least} to {longest:,}.", option="max_length")
    settings = Settings(
        files=files,
        model_class=architecture,
        layers=parse_layers(usual if layer == AUTO else layer, top),
        piece=piece,
        dtype=dtype,
        **limits,
        max_length=max_length or longest,
        padding=padding,
        threads=threads,
        device=device if elsewhere and device != "auto" and not files.elmo else device_of(files, device),
        versions=packages(files),
    )
    return settings, tokenizer


NO_PIECE = "no token of the model represents the word"
UNKNOWN = "the model knows the word only as unknown"
TOO_LONG = "the word alone is longer than the model's input"
_TEXTS_AT_ONCE = 4096


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Work for one worker: some sentences, and the tokens whose vectors are wanted."""

    ids: NDArray[np.int32]  # tokens of all sentences, one after the other
    lengths: Integers  # tokens of each sentence
    batches: Integers  # where each batch begins among the sentences, and where the last one ends
    sentence: Integers  # for each wanted vector its sentence, in ascending order
    first: Integers  # its first token in the sentence
    stop: Integers  # the token after its last one
    vocabulary: tuple[str, ...] = ()  # the words that the tokens number, for a model that reads characters


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All the work, and where its vectors belong."""

    words: tuple[str, ...]  # words with at least one usable context
    counts: tuple[int, ...]  # usable contexts of each word
    dropped: dict[str, dict[str, int]]  # contexts that cannot be used: word to reason to number
    ids: NDArray[np.int32]  # tokens of all distinct sentences, by length
    bounds: Integers  # where each sentence begins in them, and where the last ends
    wanted: Integers
    """Distinct wanted vectors: sentence, first and stop, one row each, in order of the sentences."""
    vector_of: Integers  # for each context, in the order of the words, its wanted vector
    cuts: Integers  # where each unit begins among the sentences, and where the last ends
    wanted_cuts: Integers  # the same among the wanted vectors
    batch_size: int  # most sentences per batch
    batch_tokens: int  # most tokens per batch, padding included
    vocabulary: tuple[str, ...] = ()  # the words that the tokens number, for a model that reads characters

    @property
    def units(self) -> int:
        """Number of work units."""
        return len(self.cuts) - 1

    @property
    def tokens(self) -> Integers:
        """Tokens of each unit, without padding."""
        return np.diff(self.bounds[self.cuts])

    def unit(self, number: int) -> Unit:
        """One unit, ready to be sent."""
        first, last = int(self.cuts[number]), int(self.cuts[number + 1])
        left, right = int(self.wanted_cuts[number]), int(self.wanted_cuts[number + 1])
        lengths = np.diff(self.bounds[first : last + 1])
        sentence, start, stop = self.wanted[left:right].T
        ids, words = self.ids[self.bounds[first] : self.bounds[last]], ()
        if self.vocabulary:  # the words of the unit, and their numbers among them
            there, numbers = np.unique(ids, return_inverse=True)
            ids = numbers.astype(np.int32)
            words = tuple(self.vocabulary[word] for word in there)
        return Unit(
            ids=ids,
            lengths=lengths,
            batches=_batches(lengths, self.batch_size, self.batch_tokens),
            sentence=sentence - first,
            first=start.copy(),
            stop=stop.copy(),
            vocabulary=words,
        )


def make_plan(
    contexts: StoredContexts,
    tokenizer: Any,
    settings: Settings,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Plan the extraction of some contexts.

    ``progress`` is called with the number of distinct texts split into tokens and the total.
    """
    rows = [(word, context) for word in contexts.words for context in contexts.contexts[word]]
    if not rows:
        hint = "look at the coverage that `crossroads contexts` printed; search a larger corpus."
        raise InputError(f"there is no context for any of the {len(contexts.words)} words.", hint=hint)
    rows_of: dict[str, list[int]] = {}
    for at, (_, context) in enumerate(rows):
        rows_of.setdefault(context.text, []).append(at)
    numbers: dict[bytes, int] = {}  # distinct sequences of tokens, in order of appearance
    places: list[tuple[int, int, int] | str] = [NO_PIECE] * len(rows)
    limits = {"longest": settings.max_length, "unknown": tokenizer.unk_token_id}
    for done, (text, split) in enumerate(_split(list(rows_of), tokenizer), 1):
        for at in rows_of[text]:
            found = _place(split, rows[at][1].start, rows[at][1].end, **limits)
            if isinstance(found, str):
                places[at] = found
            else:
                places[at] = numbers.setdefault(found[0], len(numbers)), *found[1:]
        if progress is not None and (done % _TEXTS_AT_ONCE == 0 or done == len(rows_of)):
            progress(done, len(rows_of))
    vocabulary = tokenizer.words if isinstance(tokenizer, ElmoTokenizer) else ()
    return _arranged([word for word, _ in rows], places, list(numbers), settings, vocabulary)


class _Split(NamedTuple):
    """A text as tokens: the specials around it, its own tokens, and their characters."""

    before: list[int]
    body: list[int]
    after: list[int]
    offsets: list[tuple[int, int]]


def _split(texts: Sequence[str], tokenizer: Any) -> Iterator[tuple[str, _Split]]:
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = list(texts[first : first + _TEXTS_AT_ONCE])
        batch = tokenizer(
            part,
            truncation=False,
            padding=False,
            return_offsets_mapping=True,
            split_special_tokens=True,  # "[SEP]" in a text is five characters, not the end of a sentence
            verbose=False,
        )
        for text, encoding in zip(part, batch.encodings, strict=True):
            # Special tokens belong to no sequence; they are before and after the text.
            own = [at for at, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
            left, right = (own[0], own[-1] + 1) if own else (0, 0)
            ids = encoding.ids
            yield text, _Split(ids[:left], ids[left:right], ids[right:], encoding.offsets[left:right])


def _place(
    split: _Split, start: int, end: int, longest: int, unknown: int | None
) -> tuple[bytes, int, int] | str:
    """The tokens of a sentence, and the first and stop one of a word; or why there are none."""
    pieces = find_pieces(split.offsets, start, end)
    if pieces is None:
        return NO_PIECE
    if set(split.body[pieces.first : pieces.stop]) == {unknown}:
        return UNKNOWN
    window = centred_window(len(split.body), pieces, longest - len(split.before) - len(split.after))
    if window is None:
        return TOO_LONG
    ids = np.asarray([*split.before, *split.body[window.first : window.stop], *split.after], np.int32)
    shift = len(split.before) - window.first
    return ids.tobytes(), pieces.first + shift, pieces.stop + shift


def centred_window(length: int, pieces: Span, room: int) -> Span | None:
    """The tokens of a sentence that fit the model, around the word; None if the word alone does not."""
    if length <= room:
        return Span(0, length)
    spare = room - (pieces.stop - pieces.first)
    if spare < 0:
        return None
    first = min(max(pieces.first - spare // 2, 0), length - room)
    return Span(first, first + room)


def _arranged(
    words: Sequence[str],
    places: Sequence[tuple[int, int, int] | str],
    texts: Sequence[bytes],
    s: Settings,
    vocabulary: tuple[str, ...],
) -> Plan:
    """Sort sentences by length, number the wanted vectors in that order, and cut."""
    usable = [place for place in places if not isinstance(place, str)]
    counts = Counter(word for word, place in zip(words, places, strict=True) if not isinstance(place, str))
    dropped: dict[str, Counter[str]] = {}
    for word, place in zip(words, places, strict=True):
        if isinstance(place, str):
            dropped.setdefault(word, Counter())[place] += 1
    if not usable:
        why = join_words(sorted({reason for reasons in dropped.values() for reason in reasons}))
        hint = "check that the model is for the language of the contexts."
        raise InputError(f"none of the {len(words):,} contexts can be used: {why}.", hint=hint)
    lengths = np.array([len(text) // 4 for text in texts], np.int64)
    order = np.argsort(lengths, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    vectors = np.array(usable, np.int64)
    vectors[:, 0] = rank[vectors[:, 0]]
    wanted, vector_of = np.unique(vectors, axis=0, return_inverse=True)
    cuts = _unit_cuts(lengths[order], s.unit_tokens, s.batch_size)
    return Plan(
        words=tuple(counts),
        counts=tuple(counts.values()),
        dropped={word: dict(reasons) for word, reasons in dropped.items()},
        ids=np.frombuffer(b"".join(texts[at] for at in order), np.int32),
        bounds=np.concatenate([[0], np.cumsum(lengths[order])]),
        wanted=wanted,
        vector_of=vector_of.reshape(-1),
        cuts=cuts,
        wanted_cuts=np.searchsorted(wanted[:, 0], cuts),
        batch_size=s.batch_size,
        batch_tokens=s.batch_tokens,
        vocabulary=vocabulary,
    )


def _unit_cuts(lengths: Integers, unit_tokens: int, batch_size: int) -> Integers:
    """Boundaries of units of about ``unit_tokens`` tokens, each of full batches only (except the last)."""
    cuts, first = [0], 0
    while first < len(lengths):
        ends = np.cumsum(lengths[first : first + unit_tokens])
        size = int(np.searchsorted(ends, unit_tokens)) + 1
        first = min(first + -(-size // batch_size) * batch_size, len(lengths))
        cuts.append(first)
    return np.array(cuts, np.int64)


def _batches(lengths: Integers, batch_size: int, batch_tokens: int) -> Integers:
    """Where batches begin, within the limits on sentences and on tokens with padding, at least one each."""
    cuts, first = [0], 0
    for at, length in enumerate(lengths.tolist()):
        size = at - first
        if size and (size == batch_size or (size + 1) * length > batch_tokens):
            cuts.append(at)
            first = at
    return np.array([*cuts, len(lengths)], np.int64)
