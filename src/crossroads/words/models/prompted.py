"""One vector per word from a transformer that reads the word in a prompt.

A decoder such as GPT-2 is read at the last token of the prompt, as ML-EAT does; an encoder such as BERT at
the tokens of the word; a sentence encoder as its own files define. The kind of a model follows from its
configuration. All texts of a batch have the same number of tokens, so that nothing is padded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, join_words, require
from crossroads.core.evidence import Embeddings
from crossroads.core.models.elmo import Elmo
from crossroads.core.models.kinds import Pooling
from crossroads.core.models.transformers import Device, check_tokens, load_whole_model
from crossroads.words.models.prompts import PromptedWord, Words, prompted_words, said_prompts
from crossroads.words.models.settings import (
    DEFAULT_PROMPT,
    ENCODER,
    Progress,
    ResolvedModel,
    batches,
    check_counts,
    check_finite,
    ignore,
    packages,
    provenance_of,
    resolve_model,
)

_BATCH, _BATCH_TOKENS = 64, 16_384


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
    batch_size, device, threads
        Most prompts at once; ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"``; threads of torch.
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
    >>> emb = cr.sources.prompted_embeddings(folder, ["nurse", "banker"], prompt="the {word} is here")
    >>> emb.labels, emb.vectors.shape
    (('nurse', 'banker'), (2, 16))
    """
    check_counts(batch_size=batch_size, threads=threads)
    prompted_words(words, prompt or DEFAULT_PROMPT[ENCODER])  # before a model is looked for
    options: dict[str, Any] = {"revision": revision, "prompt": prompt, "pooling": pooling}
    resolved = resolve_model(model, layer=layer, device=device, **options)
    (emb,) = _read(resolved, [resolved.layer], words, batch_size, threads, progress)
    return emb


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
    options: dict[str, Any] = {"revision": revision, "prompt": prompt, "pooling": pooling}
    resolved = resolve_model(model, layer=-1, device=device, **options)
    if resolved.sentences is not None:
        raise InputError(
            f"{resolved.files.name} is a sentence encoder, whose own pooling is for the top layer only.",
            hint="use pooling='mean', or another that its layers have in common.",
            option="pooling",
        )
    layers = range(resolved.top + 1)
    return dict(zip(layers, _read(resolved, layers, words, _BATCH, None, progress), strict=True))


def _read(
    model: ResolvedModel,
    layers: Sequence[int | str],
    words: Words,
    batch_size: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Embeddings]:
    """The vectors of all words that the model can read, for each of some layers."""
    texts = prompted_words(words, model.prompt)
    places, left_out = split_texts(texts, model)
    if places:
        with contextlib.nullcontext() if model.elmo is not None else _threads(threads):
            vectors = _encoded(places, model, layers, batch_size, progress or ignore)
        if model.tokenizer is None:  # only the encoder itself knows which words it has
            known = vectors[0].any(axis=1)
            left_out |= {place.word: NO_PIECE for place, has in zip(places, known, strict=True) if not has}
            vectors = vectors[:, known]
            places = [place for place in places if place.word not in left_out]
    if not places:
        reasons = join_words(sorted(set(left_out.values())))
        raise InputError(
            f"{model.files.name} can read none of the {len(texts)} words: {reasons}.",
            hint="check that the model is for the language of the words.",
        )
    details: dict[str, Any] = {
        "class": model.architecture,
        "kind": model.kind,
        "prompt": said_prompts(words.values() if isinstance(words, Mapping) else [model.prompt]),
        "pooling": model.pooling,
        "layer": model.layer,
        "layers of the model": model.top,
        "words": len(texts),
        "left out": left_out,
        "batch size": batch_size,
        "device": model.device,
        **packages(model.files),
    }
    if threads is not None and model.elmo is None:  # numpy has its own
        details["threads"] = threads
    if model.sentences is not None:
        details["sentence-transformers"] = package_version("sentence-transformers")
        details["sentence modules"] = model.sentences.said
        if model.sentences.prefix:
            details["prefix"] = model.sentences.prefix
    labels = [place.word for place in places]
    return [
        Embeddings(labels, rows, provenance=provenance_of(model.files, {**details, "layer": layer}))
        for layer, rows in zip(layers, check_finite(model.files, vectors), strict=True)
    ]


def _encoded(
    places: Sequence[Place],
    model: ResolvedModel,
    layers: Sequence[int | str],
    batch_size: int,
    report: Progress,
) -> NDArray[np.float32]:
    """For each layer one vector per place, in their order."""
    report(0, len(places))
    if model.elmo is not None:
        return _elmo_means(places, model.elmo, model.tokenizer.words, layers, batch_size, report)
    torch = require("torch", extra="models", purpose="running transformer models")
    network = model.sentences or load_whole_model(model.files, device=model.device)
    if model.tokenizer is not None:
        check_tokens(model.files, network.config, (place.ids for place in places))
    by_row: dict[int, NDArray[np.float32]] = {}
    with torch.inference_mode():
        for rows in batches([len(place.ids) for place in places], batch_size, _BATCH_TOKENS):
            batch = [places[row] for row in rows]
            if model.sentences is not None:
                vectors = model.sentences([place.text for place in batch])[:, None]
            else:
                vectors = _means(torch, network, batch, model, layers)
            by_row.update(zip(rows, vectors, strict=True))
            report(len(by_row), len(places))
    return np.stack([by_row[row] for row in range(len(places))], axis=1)


def _means(
    torch: Any, network: Any, places: Sequence[Place], model: ResolvedModel, layers: Sequence[int | str]
) -> NDArray[np.float32]:
    """The mean over the wanted tokens of each prompt, in each layer that is read."""
    ids = torch.tensor([place.ids for place in places], device=model.device)
    below = {"output_hidden_states": True} if any(layer != model.top for layer in layers) else {}
    output = network(input_ids=ids, attention_mask=ids.new_ones(ids.shape), **below)
    states = [
        output.last_hidden_state if layer == model.top else output.hidden_states[layer] for layer in layers
    ]
    means = [
        torch.stack([state[row, place.first : place.stop].mean(dim=0) for state in states])
        for row, place in enumerate(places)
    ]
    vectors: NDArray[np.float32] = torch.stack(means).float().cpu().numpy()
    return vectors


def _elmo_means(
    places: Sequence[Place],
    elmo: Elmo,
    words: Sequence[str],
    layers: Sequence[int | str],
    batch_size: int,
    report: Progress,
) -> NDArray[np.float32]:
    """The mean over the wanted tokens of each prompt, in each layer that is read or over the sum of all."""
    means: list[NDArray[np.float32]] = []
    for first in range(0, len(places), batch_size):
        batch = places[first : first + batch_size]
        output = elmo.batch([[words[number] for number in place.ids] for place in batch])
        for place, states in zip(batch, output, strict=True):
            read = [states.sum(axis=0) if isinstance(layer, str) else states[layer] for layer in layers]
            means.append(np.stack([state[place.first : place.stop].mean(axis=0) for state in read]))
        report(len(means), len(places))
    return np.stack(means, axis=1)


@contextlib.contextmanager
def _threads(number: int | None) -> Iterator[None]:
    torch = require("torch", extra="models", purpose="running transformer models")
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


NO_PIECE = "no token of the model represents the word"
UNKNOWN = "the model knows the word only as unknown"
TOO_LONG = "the prompt is longer than the model's input"


class Place(NamedTuple):
    """A word, its prompt, and the tokens from ``first`` to before ``stop`` whose mean is its vector."""

    word: str
    text: str
    ids: list[int]
    """All tokens, special ones and those of a sentence encoder's own prompt included; empty if not known."""
    first: int
    stop: int


def split_texts(texts: Sequence[PromptedWord], model: ResolvedModel) -> tuple[list[Place], dict[str, str]]:
    """Return the tokens of every prompt, and the words that cannot be read, with the reason."""
    if model.tokenizer is None:
        return [Place(text.word, text.text, [], 0, 0) for text in texts], {}
    prefix = "" if model.sentences is None else model.sentences.prefix
    batch = model.tokenizer(
        [prefix + text.text for text in texts],
        truncation=False,
        padding=False,
        return_offsets_mapping=True,
        split_special_tokens=True,  # "[SEP]" in a text is five characters, not the end of a sentence
        verbose=False,
    )
    places, left_out = [], {}
    for text, encoding in zip(texts, batch.encodings, strict=True):
        own = [at for at, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
        of_word = own
        if text.span is not None:  # the tokens that share at least one character with the word
            start, end = (len(prefix) + at for at in text.span)
            offsets = encoding.offsets
            of_word = [at for at in own if offsets[at][0] < end and offsets[at][1] > start]
        if not of_word:
            left_out[text.word] = NO_PIECE
        elif {encoding.ids[at] for at in of_word} == {model.tokenizer.unk_token_id}:
            left_out[text.word] = UNKNOWN
        elif len(encoding.ids) > model.longest:
            left_out[text.word] = TOO_LONG
        else:
            first, stop = _wanted(text, model, own, of_word, len(encoding.ids))
            places.append(Place(text.word, text.text, encoding.ids, first, stop))
    return places, left_out


def _wanted(
    text: PromptedWord, model: ResolvedModel, own: Sequence[int], of_word: Sequence[int], length: int
) -> tuple[int, int]:
    """First token and the one after the last of those whose mean is taken."""
    if model.pooling == "word" and text.span is None:
        raise InputError(
            f"{text.word!r} does not occur in its prompt {text.text!r}, so it has no tokens there.",
            hint="write {word} in the prompt, or choose another pooling.",
        )
    if model.pooling == "cls" and own[0] == 0:
        raise InputError(
            f"the tokenizer of {model.files.name} puts no special token before a text.",
            hint="use pooling='mean', 'word' or 'last'.",
            option="pooling",
        )
    ends = {"word": (of_word[0], of_word[-1] + 1), "last": (own[-1], own[-1] + 1), "cls": (0, 1)}
    return ends.get(model.pooling, (0, length))
