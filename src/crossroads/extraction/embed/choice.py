"""Options of an extraction, resolved and checked against the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crossroads.errors import InputError, one_of
from crossroads.extraction.embed.layers import parse_layers
from crossroads.extraction.embed.pieces import Piece
from crossroads.extraction.embed.settings import Settings, Stored
from crossroads.sources.models.files import find_model
from crossroads.sources.models.transformers import (
    Device,
    load_config,
    load_tokenizer,
    longest_input,
    padding_id,
    resolve_device,
    versions,
)


def resolve(
    model: str | Path,
    *,
    revision: str | None = None,
    layer: int | str = -1,
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

    Parameters
    ----------
    model, revision, layer, piece, dtype, batch_size, batch_tokens, unit_tokens, max_length, device, threads
        As for :func:`crossroads.extraction.embed.run.embed`.
    elsewhere
        Whether other machines compute: they may have a device that this one lacks.

    Returns
    -------
    tuple
        The settings, and the tokenizer.
    """
    for kind, value, known in (
        ("piece", piece, Piece),
        ("dtype", dtype, Stored),
        ("device", device, Device),
    ):
        one_of(kind, value, known)
    files = find_model(model, revision=revision)
    config, tokenizer = load_config(files), load_tokenizer(files)
    longest = longest_input(config, tokenizer)
    least = int(tokenizer.num_special_tokens_to_add()) + 1
    if max_length is not None and not least <= max_length <= longest:
        raise InputError(
            f"max_length={max_length} cannot be used with {files.name}.",
            hint=f"give a number from {least} to {longest:,}.",
        )
    settings = Settings(
        files=files,
        model_class=(config.architectures or [config.model_type])[0],
        layers=parse_layers(layer, int(config.num_hidden_layers)),
        piece=piece,
        dtype=dtype,
        batch_size=batch_size,
        batch_tokens=batch_tokens,
        unit_tokens=unit_tokens,
        max_length=max_length or longest,
        padding=padding_id(config, tokenizer),
        threads=threads,
        device=device if elsewhere and device != "auto" else resolve_device(device),
        versions=versions(),
    )
    return settings, tokenizer
