"""One vector per word from a transformer that reads the word in a prompt.

A decoder such as GPT-2 is read at the last token of the prompt, as ML-EAT does; an encoder such as BERT at
the tokens of the word; a sentence encoder as its own files define. The kind of a model follows from its
configuration. All texts of a batch have the same number of tokens, so that nothing is padded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, InputError, join_words, one_of, require
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.models.elmo import Elmo
from crossroads.core.models.kinds import Pooling
from crossroads.core.models.transformers import Device, check_tokens, load_whole_model
from crossroads.words.models.prompts import PromptedWord, Words, prompted_words, said_prompts
from crossroads.words.models.settings import (
    DEFAULT_PROMPT,
    ENCODER,
    ResolvedModel,
    packages,
    resolve_model,
)

_BATCH, _BATCH_TOKENS = 64, 16_384

Progress = Callable[[int, int], None]
"""Called with the number done and the total."""


def prompted_embeddings(
    model: str | Path,
    words: Words,
    *,
    prompt: str | None = None,
    pooling: Pooling = "auto",
    layer: int | None = None,
    revision: str | None = None,
    batch_size: int = _BATCH,
    device: Device = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Embeddings:
    """One vector per word, from a transformer that reads the word in a prompt.

    Parameters
    ----------
    model
        A folder in the layout of Hugging Face, a name on its hub, or a GGUF file; or the folder of an ELMo.
    words
        Words, or a mapping of word to its own prompt; see
        :func:`~crossroads.words.models.prompts.prompts_for`.
    prompt
        Template with ``{word}``, and ``{article}`` for *a* or *an*. By default ``"This is {word}"``, and the
        bare word for sentence encoders.
    pooling
        ``"last"``: the last token of the prompt; ``"word"``: mean of the tokens of the word; ``"mean"``: mean
        of all tokens; ``"cls"``: the special token at the beginning; ``"sentence"``: as the files of a
        sentence encoder define, normalisation included. ``"auto"`` is ``last`` for decoders, ``word`` for
        encoders and ``sentence`` for sentence encoders.
    layer
        Hidden states that are read: 0 is the input of the first block, -1 the top, after the final norm. By
        default the top, and of an ELMo the sum of its layers.
    revision
        Branch, tag or commit of a model of the hub.
    batch_size
        Most prompts at once.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"``.
    threads
        Threads of torch; its own default if not given.
    progress
        Called with the number of words done and the total.

    Returns
    -------
    Embeddings
        Words that the model cannot read (unknown, too long) are left out, and listed with the reason under
        ``"left out"`` in the details of the provenance.

    References
    ----------
    Wolfe, Hiniker and Howe (2024), doi:10.48550/arXiv.2408.01966: prompt, last token and top layer of GPT-2.

    Examples
    --------
    ``folder`` holds a transformer:

    >>> import crossroads as cr
    >>> emb = cr.prompted_embeddings(folder, ["nurse", "banker"], prompt="the {word} is here")
    >>> emb.labels, emb.vectors.shape
    (('nurse', 'banker'), (2, 16))
    """
    asked = _resolved(model, words, prompt, pooling, layer, revision, batch_size, device, threads)
    (found,) = _read(asked, [asked.layer], words, batch_size, threads, progress)
    return found


def prompted_layers(
    model: str | Path,
    words: Words,
    *,
    prompt: str | None = None,
    pooling: Pooling = "auto",
    revision: str | None = None,
    device: Device = "auto",
    progress: Progress | None = None,
) -> dict[int, Embeddings]:
    """The vectors of words in every layer of a transformer, from 0, the input of the first block, to the top.

    Each text is read once. A sentence encoder needs another pooling than its own, which is for the top layer.
    """
    asked = _resolved(model, words, prompt, pooling, -1, revision, _BATCH, device, None)
    if asked.sentences is not None:
        raise InputError(
            f"{asked.files.name} is a sentence encoder, whose own pooling is for the top layer only.",
            hint="use pooling='mean', or another that its layers have in common.",
            option="pooling",
        )
    layers = range(asked.top + 1)
    return dict(zip(layers, _read(asked, layers, words, _BATCH, None, progress), strict=True))


def _resolved(
    model: str | Path,
    words: Words,
    prompt: str | None,
    pooling: Pooling,
    layer: int | None,
    revision: str | None,
    batch_size: int,
    device: Device,
    threads: int | None,
) -> ResolvedModel:
    """The model with its options, all of them checked."""
    one_of("pooling", pooling, Pooling)
    for name, number in (("batch_size", batch_size), ("threads", threads)):
        if number is not None and number < 1:
            raise InputError(f"{name}={number} is too small.", hint="give a number from 1 up.")
    prompted_words(words, prompt or DEFAULT_PROMPT[ENCODER])  # before a model is looked for
    return resolve_model(model, revision=revision, prompt=prompt, pooling=pooling, layer=layer, device=device)


def _read(
    asked: ResolvedModel,
    layers: Sequence[int | str],
    words: Words,
    batch_size: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Embeddings]:
    """The vectors of all words that the model can read, for each of some layers."""
    texts = prompted_words(words, asked.prompt)
    places, left_out = split_texts(texts, asked)
    if places:
        with contextlib.nullcontext() if asked.elmo is not None else _threads(threads):
            vectors = _encoded(places, asked, layers, batch_size, progress or _ignore)
        if asked.tokenizer is None:  # only the encoder itself knows which words it has
            known = vectors[0].any(axis=1)
            left_out |= {place.word: NO_PIECE for place, has in zip(places, known, strict=True) if not has}
            vectors = vectors[:, known]
            places = [place for place in places if place.word not in left_out]
    if not places:
        reasons = join_words(sorted(set(left_out.values())))
        raise InputError(
            f"{asked.files.name} can read none of the {len(texts)} words: {reasons}.",
            hint="check that the model is for the language of the words.",
        )
    if not np.isfinite(vectors).all():
        raise CrossroadsError(
            f"{asked.files.name} gave a vector that is not finite.",
            hint="its weights are damaged, or it does not work in float32 on this device.",
        )
    threads = None if asked.elmo is not None else threads  # numpy has its own
    labels = [place.word for place in places]
    return [
        Embeddings(
            labels,
            rows,
            provenance=_provenance(replace(asked, layer=layer), texts, left_out, words, batch_size, threads),
        )
        for layer, rows in zip(layers, vectors, strict=True)
    ]


def _encoded(
    places: Sequence[Place],
    asked: ResolvedModel,
    layers: Sequence[int | str],
    batch_size: int,
    report: Progress,
) -> NDArray[np.float32]:
    """For each layer one vector per place, in their order."""
    if asked.elmo is not None:
        return _elmo_means(places, asked.elmo, layers, asked, batch_size, report)
    torch = require("torch", extra="models", purpose="running transformer models")
    model = asked.sentences or load_whole_model(asked.files, device=asked.device)
    if asked.tokenizer is not None:
        check_tokens(asked.files, model.config, (place.ids for place in places))
    found: dict[int, NDArray[np.float32]] = {}
    report(0, len(places))
    with torch.inference_mode():
        for rows in _batches(places, batch_size):
            some = [places[row] for row in rows]
            if asked.sentences is not None:
                vectors = asked.sentences([place.text for place in some])[:, None]
            else:
                vectors = _means(torch, model, some, asked, layers)
            found.update(zip(rows, vectors, strict=True))
            report(len(found), len(places))
    return np.stack([found[row] for row in range(len(places))], axis=1)


def _batches(places: Sequence[Place], batch_size: int) -> Iterator[list[int]]:
    """Yield rows that are computed together, all of one length."""
    by_length: dict[int, list[int]] = {}
    for row, place in enumerate(places):
        by_length.setdefault(len(place.ids), []).append(row)
    for length, rows in sorted(by_length.items()):
        size = max(1, min(batch_size, _BATCH_TOKENS // length)) if length else 1  # unknown: one by one
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def _means(
    torch: Any, model: Any, places: Sequence[Place], asked: ResolvedModel, layers: Sequence[int | str]
) -> NDArray[np.float32]:
    """The mean over the wanted tokens of each prompt, in each layer that is read."""
    ids = torch.tensor([place.ids for place in places], device=asked.device)
    batch = {"input_ids": ids, "attention_mask": ids.new_ones(ids.shape)}
    below = any(layer != asked.top for layer in layers)
    given = model(**batch, output_hidden_states=True) if below else model(**batch)
    states = [
        given.last_hidden_state if layer == asked.top else given.hidden_states[layer] for layer in layers
    ]
    means = [
        torch.stack([one[at, place.first : place.stop].mean(dim=0) for one in states])
        for at, place in enumerate(places)
    ]
    found: NDArray[np.float32] = torch.stack(means).float().cpu().numpy()
    return found


def _elmo_means(
    places: Sequence[Place],
    elmo: Elmo,
    layers: Sequence[int | str],
    asked: ResolvedModel,
    batch_size: int,
    report: Progress,
) -> NDArray[np.float32]:
    """The mean over the wanted tokens of each prompt, in each layer that is read or over the sum of all."""
    words, found = asked.tokenizer.words, []
    report(0, len(places))
    for first in range(0, len(places), batch_size):
        some = places[first : first + batch_size]
        given = elmo.batch([[words[number] for number in place.ids] for place in some])
        for place, states in zip(some, given, strict=True):
            read = [states.sum(axis=0) if isinstance(layer, str) else states[layer] for layer in layers]
            found.append(np.stack([one[place.first : place.stop].mean(axis=0) for one in read]))
        report(len(found), len(places))
    return np.stack(found, axis=1)


@contextlib.contextmanager
def _threads(number: int | None) -> Iterator[None]:
    """Set the number of threads of torch within the context."""
    torch = require("torch", extra="models", purpose="running transformer models")
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _ignore(done: int, total: int) -> None:
    del done, total


def _provenance(
    asked: ResolvedModel,
    texts: Sequence[PromptedWord],
    left_out: dict[str, str],
    words: Words,
    batch_size: int,
    threads: int | None,
) -> Provenance:
    details: dict[str, Any] = {
        "class": asked.architecture,
        "kind": asked.kind,
        "prompt": said_prompts(words.values() if isinstance(words, Mapping) else [asked.prompt]),
        "pooling": asked.pooling,
        "layer": asked.layer,
        "layers of the model": asked.top,
        "words": len(texts),
        "left out": left_out,
        "batch size": batch_size,
        "device": asked.device,
        **packages(asked.files),
    }
    if threads is not None:
        details["threads"] = threads
    if asked.sentences is not None:
        details |= {
            "sentence-transformers": package_version("sentence-transformers"),
            "sentence modules": asked.sentences.said,
        }
        if asked.sentences.prefix:
            details["prefix"] = asked.sentences.prefix
    return Provenance(
        source=recorded_path(asked.files.name),
        format=asked.files.format,
        revision=asked.files.revision,
        sha256=asked.files.sha256,
        details=details,
    )


NO_PIECE = "no token of the model represents the word"
UNKNOWN = "the model knows the word only as unknown"
TOO_LONG = "the prompt is longer than the model's input"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The tokens of a prompt, and those whose mean is the vector."""

    word: str
    """The word."""
    text: str
    """The prompt."""
    ids: list[int]
    """All tokens, special ones and those of a sentence encoder's own prompt included; empty if not known."""
    first: int
    """The first of the wanted ones."""
    stop: int
    """The one after the last of them."""


def split_texts(texts: Sequence[PromptedWord], model: ResolvedModel) -> tuple[list[Place], dict[str, str]]:
    """Return the tokens of every prompt, and the words that cannot be read, with the reason."""
    if model.tokenizer is None:
        return [Place(word=one.word, text=one.text, ids=[], first=0, stop=0) for one in texts], {}
    prefix = "" if model.sentences is None else model.sentences.prefix
    batch = model.tokenizer(
        [prefix + one.text for one in texts],
        truncation=False,
        padding=False,
        return_offsets_mapping=True,
        split_special_tokens=True,  # "[SEP]" in a text is five characters, not the end of a sentence
        verbose=False,
    )
    places, left_out = [], {}
    for one, encoding in zip(texts, batch.encodings, strict=True):
        own = [at for at, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
        of_word = own if one.span is None else _overlapping(encoding.offsets, own, one.span, len(prefix))
        if not of_word:
            left_out[one.word] = NO_PIECE
        elif {encoding.ids[at] for at in of_word} == {model.tokenizer.unk_token_id}:
            left_out[one.word] = UNKNOWN
        elif len(encoding.ids) > model.longest:
            left_out[one.word] = TOO_LONG
        else:
            first, stop = _wanted(one, model, own, of_word, len(encoding.ids))
            places.append(Place(word=one.word, text=one.text, ids=encoding.ids, first=first, stop=stop))
    return places, left_out


def _overlapping(
    offsets: Sequence[tuple[int, int]], own: Sequence[int], span: tuple[int, int], ahead: int
) -> list[int]:
    """The tokens that share at least one character with the word, whose span is shifted by the prefix."""
    start, end = span[0] + ahead, span[1] + ahead
    return [at for at in own if offsets[at][0] < end and offsets[at][1] > start]


def _wanted(
    one: PromptedWord, model: ResolvedModel, own: Sequence[int], of_word: Sequence[int], length: int
) -> tuple[int, int]:
    """First token and the one after the last of those whose mean is taken."""
    if model.pooling == "word":
        if one.span is None:
            raise InputError(
                f"{one.word!r} does not occur in its prompt {one.text!r}, so it has no tokens there.",
                hint="write {word} in the prompt, or choose another pooling.",
            )
        return of_word[0], of_word[-1] + 1
    if model.pooling == "last":
        return own[-1], own[-1] + 1
    if model.pooling == "cls":
        if own[0] == 0:
            raise InputError(
                f"the tokenizer of {model.files.name} puts no special token before a text.",
                hint="use pooling='mean', 'word' or 'last'.",
                option="pooling",
            )
        return 0, 1
    return 0, length
