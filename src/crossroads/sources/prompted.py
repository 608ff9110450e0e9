"""One vector a word out of a transformer that is given the word in a prompt.

A decoder such as GPT-2 is read at the last token of the prompt, as ML-EAT does; an encoder such as BERT at
the tokens of the word; a sentence encoder as its own files say. Which of these a model is, its configuration
tells. Texts share a batch only with texts of as many tokens, so that nothing is padded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, InputError, join_words, one_of, require
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.model_names import recorded_path
from crossroads.sources.asked_models import DEFAULT_PROMPT, ENCODER, POOLINGS, AskedModel, resolve_model
from crossroads.sources.prompt_texts import PromptedWord, Words, prompted_words, said_prompts
from crossroads.sources.transformers_models import versions
from crossroads.sources.whole_models import check_tokens, load_whole_model
from crossroads.sources.word_tokens import Place, split_texts

_BATCH_TOKENS = 16_384

Progress = Callable[[int, int], None]
"""Called with what is done and how much there is."""


def prompted_embeddings(
    model: str | Path,
    words: Words,
    *,
    prompt: str | None = None,
    pooling: str = "auto",
    layer: int = -1,
    revision: str | None = None,
    batch_size: int = 64,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Embeddings:
    """One vector a word, from a transformer that reads the word in a prompt.

    Parameters
    ----------
    model
        A folder of Hugging Face's layout, a name on its hub, or a GGUF file.
    words
        Words, or a mapping of word to its own prompt; see :func:`crossroads.sources.prompts_for`.
    prompt
        Template with ``{word}``, and ``{article}`` for *a* or *an*. By default ``"This is {word}"``, and the
        bare word for sentence encoders.
    pooling
        ``"last"``: the last token of the prompt; ``"word"``: mean of the tokens of the word; ``"mean"``: mean
        of all tokens; ``"cls"``: the special token at the beginning; ``"sentence"``: what the files of a
        sentence encoder say, normalisation included. ``"auto"`` is ``last`` for decoders, ``word`` for
        encoders and ``sentence`` for sentence encoders.
    layer
        Hidden states that are read: 0 is what enters the first block, -1 the top, after the final norm.
    revision
        Branch, tag or commit of a model of the hub.
    batch_size
        Most prompts at once.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"mps"``.
    threads
        Threads of torch; as many as it likes by default.
    progress
        Called with the number of words done, and of all.

    Returns
    -------
    Embeddings
        Words that the model cannot read (unknown, too long) are left out, and named with the reason under
        ``"left out"`` in the details of the provenance.

    References
    ----------
    Wolfe, Hiniker and Howe (2024), doi:10.48550/arXiv.2408.01966: prompt, last token and top layer of GPT-2.
    """
    one_of("pooling", pooling, POOLINGS)
    for name, number in (("batch_size", batch_size), ("threads", threads)):
        if number is not None and number < 1:
            raise InputError(f"{name}={number} is too small.", hint="give a number from 1 up.")
    prompted_words(words, prompt or DEFAULT_PROMPT[ENCODER])  # before a model is looked for
    asked = resolve_model(
        model, revision=revision, prompt=prompt, pooling=pooling, layer=layer, device=device
    )
    texts = asked.texts(prompted_words(words, asked.prompt))
    places, left_out = split_texts(texts, asked)
    if not places:
        reasons = join_words(sorted(set(left_out.values())))
        raise InputError(
            f"{asked.files.name} can read none of the {len(texts)} words: {reasons}.",
            hint="is this the right model for the language of the words?",
        )
    with _threads(threads):
        vectors = _encoded(places, asked, batch_size, progress or _ignore)
    if not np.isfinite(vectors).all():
        raise CrossroadsError(
            f"{asked.files.name} gave a vector that is not finite.",
            hint="its weights are damaged, or it does not work in float32 on this device.",
        )
    provenance = _provenance(asked, texts, left_out, words, batch_size, threads)
    return Embeddings([place.word for place in places], vectors, provenance=provenance)


def _encoded(
    places: Sequence[Place], asked: AskedModel, batch_size: int, report: Progress
) -> NDArray[np.float32]:
    """One vector a place, in their order."""
    torch = require("torch", extra="models", purpose="running transformer models")
    model = load_whole_model(asked.files, device=asked.device)
    check_tokens(asked.files, model.config, (place.ids for place in places))
    found: dict[int, NDArray[np.float32]] = {}
    report(0, len(places))
    with torch.inference_mode():
        for rows in _batches(places, batch_size):
            ids = torch.tensor([places[row].ids for row in rows], device=asked.device)
            states = _states(model, ids, asked)
            if asked.modules is not None:
                vectors = asked.modules(states)
            else:
                spans = [(at, places[row].first, places[row].stop) for at, row in enumerate(rows)]
                vectors = torch.stack([states[at, first:stop].mean(dim=0) for at, first, stop in spans])
            found.update(zip(rows, vectors.float().cpu().numpy(), strict=True))
            report(len(found), len(places))
    return np.stack([found[row] for row in range(len(places))])


def _batches(places: Sequence[Place], batch_size: int) -> Iterator[list[int]]:
    """Rows that are computed together: all of one length."""
    by_length: dict[int, list[int]] = {}
    for row, place in enumerate(places):
        by_length.setdefault(len(place.ids), []).append(row)
    for length, rows in sorted(by_length.items()):
        size = max(1, min(batch_size, _BATCH_TOKENS // length))
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def _states(model: Any, ids: Any, asked: AskedModel) -> Any:
    """Hidden states of the layer, one vector a token."""
    batch = {"input_ids": ids, "attention_mask": ids.new_ones(ids.shape)}
    if asked.layer == asked.top:
        return model(**batch).last_hidden_state
    return model(**batch, output_hidden_states=True).hidden_states[asked.layer]


@contextlib.contextmanager
def _threads(number: int | None) -> Iterator[None]:
    """So many threads of torch meanwhile."""
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
    asked: AskedModel,
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
        **versions(),
    }
    if threads is not None:
        details["threads"] = threads
    if asked.modules is not None:
        details |= {"sentence modules": asked.modules.said, "modules sha256": asked.modules.sha256}
        if asked.modules.prefix:
            details["prefix"] = asked.modules.prefix
    return Provenance(
        source=recorded_path(asked.files.name),
        format="transformers",
        revision=asked.files.revision,
        sha256=asked.files.sha256,
        details=details,
    )
