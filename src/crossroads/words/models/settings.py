"""A transformer that gives vectors of words: its configuration and resolved options."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.core.errors import InputError, one_of, require
from crossroads.core.models.elmo import NAME, TOKENS, Elmo, ElmoTokenizer, elmo_versions
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.transformers import (
    Device,
    load_config,
    load_tokenizer,
    longest_input,
    resolve_device,
    versions,
)
from crossroads.words.models.clip import is_clip
from crossroads.words.models.sentence import SentenceEncoder, is_sentence_encoder, load_sentence_encoder

DECODER, ENCODER, SENTENCES = "decoder", "encoder", "sentence encoder"
DEFAULT_POOLING = {DECODER: "last", ENCODER: "word", SENTENCES: "sentence"}
DEFAULT_PROMPT = {DECODER: "This is {word}", ENCODER: "This is {word}", SENTENCES: "{word}"}


@dataclass(frozen=True, kw_only=True)
class ResolvedModel:
    """A model and its resolved options."""

    files: ModelFiles
    """The model."""
    tokenizer: Any
    """Its fast tokenizer, or that of an ELMo; ``None`` for a sentence encoder without one."""
    architecture: str
    """Class of the model, such as ``"GPT2LMHeadModel"``."""
    kind: str
    """Decoder, encoder or sentence encoder."""
    prompt: str
    """Template for words that have none of their own."""
    pooling: str
    """One of :data:`~crossroads.core.models.kinds.Pooling`, but not ``"auto"``."""
    layer: int | str
    """The layer that is read, from 0; or ``"sum"`` of an ELMo's."""
    top: int
    """The top layer."""
    longest: float
    """Most tokens of a text, special ones included."""
    device: str
    """Where it runs."""
    sentences: SentenceEncoder | None = None
    """The sentence encoder, if it is used as such."""
    elmo: Elmo | None = None
    """The ELMo, if it is one."""


def packages(files: ModelFiles) -> dict[str, str]:
    """What the last bits of the vectors of a model depend on: packages, and how an ELMo's text is split."""
    return {**elmo_versions(), "tokens": TOKENS} if files.elmo else versions()


def device_of(files: ModelFiles, device: str) -> str:
    """Check a device, and resolve ``"auto"``; an ELMo runs on the processor."""
    if not files.elmo:
        return resolve_device(device)
    if one_of("device", device, Device) not in ("auto", "cpu"):
        raise InputError(
            f"device={device} was given, but an ELMo runs on the processor.",
            hint="use device='cpu'.",
            option="device",
        )
    return "cpu"


def model_kind(config: Any) -> str:
    """Whether a transformer is a decoder or an encoder, by its configuration."""
    tables = require("transformers.models.auto.modeling_auto", extra="models", purpose="loading models")
    if config.model_type in tables.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return DECODER if getattr(config, "is_decoder", False) else ENCODER
    return DECODER if config.model_type in tables.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else ENCODER


def layer_count(files: ModelFiles) -> int:
    """Number of the top layer of a transformer or an ELMo; the input of the first block is layer 0."""
    return Elmo(files.folder).options.layers if files.elmo else int(load_config(files).num_hidden_layers)


def resolve_model(
    model: str | Path,
    *,
    revision: str | None,
    prompt: str | None,
    pooling: str,
    layer: int | None,
    device: str,
) -> ResolvedModel:
    """Find a model, and check every option against it."""
    files = find_model(model, revision=revision)
    if is_clip(files.folder):
        raise InputError(
            f"{files.name} is a vision-language model.",
            hint="use clip_embeddings.",
        )
    if files.elmo:
        return _elmo(files, prompt, pooling, layer, device)
    if pooling in ("auto", "sentence") and is_sentence_encoder(files):
        return _sentence_encoder(files, prompt, -1 if layer is None else layer, resolve_device(device))
    if pooling == "sentence":
        raise InputError(
            f"{files.name} is not a sentence encoder: it has no modules.json.",
            hint="use pooling='mean', 'cls', 'word' or 'last'.",
            option="pooling",
        )
    config, tokenizer = load_config(files), load_tokenizer(files)
    kind, top = model_kind(config), int(config.num_hidden_layers)
    layer = -1 if layer is None else layer
    _check_layer(layer, top)
    usual = DEFAULT_PROMPT[SENTENCES if is_sentence_encoder(files) else kind]  # whatever its pooling
    return ResolvedModel(
        files=files,
        tokenizer=tokenizer,
        architecture=str((config.architectures or [config.model_type])[0]),
        kind=kind,
        prompt=usual if prompt is None else prompt,
        pooling=DEFAULT_POOLING[kind] if pooling == "auto" else pooling,
        layer=layer % (top + 1),
        top=top,
        longest=longest_input(config, tokenizer),
        device=resolve_device(device),
    )


def _sentence_encoder(files: ModelFiles, prompt: str | None, layer: int, device: str) -> ResolvedModel:
    encoder = load_sentence_encoder(files, device=device)
    config, tokenizer, first = encoder.config, encoder.tokenizer, type(encoder.model[0]).__name__
    top = int(getattr(config, "num_hidden_layers", 0))
    _check_layer(layer, top)
    if layer % (top + 1) != top:
        raise InputError(
            f"layer {layer} of a sentence encoder has no pooling of its own.",
            hint="use pooling='mean' or another to read a layer below the top.",
            option="pooling",
        )
    limits: list[float] = [encoder.model.max_seq_length or math.inf]
    if tokenizer is not None and config is not None:
        limits.append(longest_input(config, tokenizer))
    return ResolvedModel(
        files=files,
        tokenizer=tokenizer,
        architecture=str((getattr(config, "architectures", None) or [first])[0]),
        kind=SENTENCES,
        prompt=DEFAULT_PROMPT[SENTENCES] if prompt is None else prompt,
        pooling=DEFAULT_POOLING[SENTENCES],
        layer=top,
        top=top,
        longest=min(limits),
        device=device,
        sentences=encoder,
    )


def _elmo(
    files: ModelFiles, prompt: str | None, pooling: str, layer: int | None, device: str
) -> ResolvedModel:
    if pooling in ("cls", "sentence"):
        raise InputError(
            f"{files.name} is an ELMo, which has no pooling {pooling!r}.",
            hint="use pooling='word', 'mean' or 'last'.",
            option="pooling",
        )
    device = device_of(files, device)
    model = Elmo(files.folder)
    top = model.options.layers
    if layer is not None:
        _check_layer(layer, top)
    return ResolvedModel(
        files=files,
        tokenizer=ElmoTokenizer(),
        architecture=NAME,
        kind=ENCODER,
        prompt=DEFAULT_PROMPT[ENCODER] if prompt is None else prompt,
        pooling=DEFAULT_POOLING[ENCODER] if pooling == "auto" else pooling,
        layer="sum" if layer is None else layer % (top + 1),
        top=top,
        longest=math.inf,
        device=device,
        elmo=model,
    )


def _check_layer(layer: int, top: int) -> None:
    if not -top - 1 <= layer <= top:
        raise InputError(
            f"there is no layer {layer}: the model has layers 0 (embeddings) to {top} (top).",
            hint=f"give a number from {-top - 1} to {top}; -1 is the top.",
        )
