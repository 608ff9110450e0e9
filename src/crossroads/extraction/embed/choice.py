"""Options of an extraction, resolved and checked against the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.errors import InputError, one_of
from crossroads.extraction.embed.layers import AUTO, parse_layers
from crossroads.extraction.embed.pieces import Piece
from crossroads.extraction.embed.settings import Settings, Stored
from crossroads.sources.models.elmo import NAME, ElmoTokenizer
from crossroads.sources.models.elmo_files import read_options, required_files
from crossroads.sources.models.files import ModelFiles, find_model
from crossroads.sources.models.settings import device_of, packages
from crossroads.sources.models.transformers import (
    Device,
    load_config,
    load_tokenizer,
    longest_input,
    padding_id,
)

_NO_LIMIT = 1_000_000


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
    found = _elmo(files) if files.elmo else _transformer(files)
    if max_length is not None and not found.least <= max_length <= found.longest:
        raise InputError(
            f"max_length={max_length} cannot be used with {files.name}.",
            hint=f"give a number from {found.least} to {found.longest:,}.",
            option="max_length",
        )
    settings = Settings(
        files=files,
        model_class=found.architecture,
        layers=parse_layers(found.layer if layer == AUTO else layer, found.top),
        piece=piece,
        dtype=dtype,
        batch_size=batch_size,
        batch_tokens=batch_tokens,
        unit_tokens=unit_tokens,
        max_length=max_length or found.longest,
        padding=found.padding,
        threads=threads,
        device=device if elsewhere and device != "auto" and not files.elmo else device_of(files, device),
        versions=packages(files),
    )
    return settings, found.tokenizer


@dataclass(frozen=True, kw_only=True)
class _Model:
    """What an extraction has to know of a model."""

    tokenizer: Any
    architecture: str
    top: int
    layer: int | str
    """The layers that are read if none are named: those of the published tests."""
    least: int
    longest: int
    """Fewest and most tokens of a sentence, special ones included."""
    padding: int


def _transformer(files: ModelFiles) -> _Model:
    config, tokenizer = load_config(files), load_tokenizer(files)
    return _Model(
        tokenizer=tokenizer,
        architecture=(config.architectures or [config.model_type])[0],
        top=int(config.num_hidden_layers),
        layer=-1,
        least=int(tokenizer.num_special_tokens_to_add()) + 1,
        longest=longest_input(config, tokenizer),
        padding=padding_id(config, tokenizer),
    )


def _elmo(files: ModelFiles) -> _Model:
    return _Model(
        tokenizer=ElmoTokenizer(),
        architecture=NAME,
        top=read_options(required_files(files.folder)[0]).layers,
        layer="sum",
        least=1,
        longest=_NO_LIMIT,
        padding=0,
    )
