"""A transformer that is asked for words, and how: its configuration, and options made definite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.errors import InputError, require
from crossroads.sources.clip_models import is_clip
from crossroads.sources.model_files import ModelFiles, find_model
from crossroads.sources.prompt_texts import PromptedWord
from crossroads.sources.sentence_modules import SentenceModules, read_modules
from crossroads.sources.transformers_models import load_config, load_tokenizer, longest_input, resolve_device

DECODER, ENCODER, SENTENCES = "decoder", "encoder", "sentence encoder"
POOLINGS = ("auto", "last", "word", "mean", "cls", "sentence")
"""Which tokens give the vector: the last of the prompt, those of the word, all, the first, or as the model's
own files say."""
DEFAULT_POOLING = {DECODER: "last", ENCODER: "word", SENTENCES: "sentence"}
DEFAULT_PROMPT = {DECODER: "This is {word}", ENCODER: "This is {word}", SENTENCES: "{word}"}


@dataclass(frozen=True, kw_only=True)
class AskedModel:
    """A model, and how it is asked."""

    files: ModelFiles
    """The model."""
    tokenizer: Any
    """Its fast tokenizer."""
    architecture: str
    """Class of the model, such as ``"GPT2LMHeadModel"``."""
    kind: str
    """Decoder, encoder or sentence encoder."""
    prompt: str
    """Template for words that have none of their own."""
    pooling: str
    """One of :data:`POOLINGS`, made definite."""
    layer: int
    """The layer that is read, from 0."""
    top: int
    """The top layer."""
    longest: int
    """Most tokens of a text, special ones included."""
    device: str
    """Where it runs."""
    modules: SentenceModules | None
    """What follows the transformer in a sentence encoder."""

    def texts(self, texts: Sequence[PromptedWord]) -> list[PromptedWord]:
        """The texts as a sentence encoder changes them: its own prompt before them, small letters."""
        if self.modules is None:
            return list(texts)
        ahead = len(self.modules.prefix)
        made = []
        for one in texts:
            text = self.modules.prefix + one.text
            lowered = text.lower() if self.modules.lower else text
            kept = one.span is not None and len(lowered) == len(text)
            span = (one.span[0] + ahead, one.span[1] + ahead) if kept and one.span is not None else None
            made.append(PromptedWord(word=one.word, text=lowered, span=span))
        return made


def model_kind(config: Any, modules: object | None = None) -> str:
    """Whether a transformer is a decoder, an encoder or a sentence encoder, by its configuration.

    Parameters
    ----------
    config
        Its configuration, as :func:`crossroads.sources.transformers_models.load_config` gives it.
    modules
        What :func:`crossroads.sources.sentence_modules.read_modules` found.
    """
    if modules is not None:
        return SENTENCES
    tables = require("transformers.models.auto.modeling_auto", extra="models", purpose="loading models")
    if config.model_type in tables.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return DECODER if getattr(config, "is_decoder", False) else ENCODER
    return DECODER if config.model_type in tables.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else ENCODER


def resolve_model(
    model: str | Path, *, revision: str | None, prompt: str | None, pooling: str, layer: int, device: str
) -> AskedModel:
    """Find a model, and check every option against it.

    Parameters
    ----------
    model, revision, prompt, pooling, layer, device
        As for :func:`crossroads.sources.prompted_embeddings`.
    """
    files = find_model(model, revision=revision)
    if is_clip(files.folder):
        raise InputError(
            f"{files.name} is a model of language and images.",
            hint="ask it with clip_texts or clip_embeddings.",
        )
    config, tokenizer = load_config(files), load_tokenizer(files)
    modules = read_modules(files) if pooling in ("auto", "sentence") else None
    kind, top = model_kind(config, modules), int(config.num_hidden_layers)
    chosen = DEFAULT_POOLING[kind] if pooling == "auto" else pooling
    _check_layer(layer, top)
    if chosen == "sentence":
        _check_sentence(files, modules, layer, top)
    longest = longest_input(config, tokenizer)
    return AskedModel(
        files=files,
        tokenizer=tokenizer,
        architecture=str((config.architectures or [config.model_type])[0]),
        kind=kind,
        prompt=DEFAULT_PROMPT[kind] if prompt is None else prompt,
        pooling=chosen,
        layer=layer % (top + 1),
        top=top,
        longest=longest if modules is None else min(longest, modules.longest or longest),
        device=resolve_device(device),
        modules=modules,
    )


def _check_layer(layer: int, top: int) -> None:
    if not -top - 1 <= layer <= top:
        raise InputError(
            f"there is no layer {layer}: the model has layers 0 (embeddings) to {top} (top).",
            hint=f"give a number from {-top - 1} to {top}; -1 is the top.",
        )


def _check_sentence(files: ModelFiles, modules: SentenceModules | None, layer: int, top: int) -> None:
    if modules is None:
        raise InputError(
            f"{files.name} is no sentence encoder: it has no modules.json.",
            hint="say pooling='mean', 'cls', 'word' or 'last'.",
        )
    if layer % (top + 1) != top:
        raise InputError(
            f"layer {layer} of a sentence encoder has no pooling of its own.",
            hint="say pooling='mean' or another to read a layer below the top.",
        )
