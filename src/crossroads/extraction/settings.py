"""What is asked of an extraction, and what decides every byte of its store."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from crossroads.errors import InputError, one_of
from crossroads.extraction.layers import Layers
from crossroads.extraction.pieces import PIECES
from crossroads.sources.model_files import ModelFiles

STORED = ("float32", "float16")
"""Types in which vectors may be stored; they are always computed in float32."""
TOLD = ("sample",)
"""Entries of a record that decide nothing, since others do: they say why those differ."""
SCHEME = "crossroads-extraction/2"
"""Name of the procedure; changes when the same input would give other bytes."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that the bytes of a store depend on, beside the contexts."""

    files: ModelFiles
    """The model."""
    model_class: str
    """Architecture, such as ``"BertModel"``."""
    layers: Layers
    """Which hidden states are taken."""
    piece: str
    """Which token of a word split into several."""
    dtype: str
    """Type of the stored numbers."""
    batch_size: int
    """Most sentences a batch."""
    batch_tokens: int
    """Most tokens a batch, padding included."""
    unit_tokens: int
    """Tokens after which a work unit ends."""
    max_length: int
    """Most tokens a sentence, special ones included."""
    padding: int
    """The token that fills up short sentences; masked."""
    threads: int
    """Threads of a worker; more than one may change last bits."""
    device: str
    """Kind of device that computes."""
    versions: dict[str, str]
    """Packages that decide last bits."""

    def __post_init__(self) -> None:
        one_of("piece", self.piece, PIECES)
        one_of("dtype", self.dtype, STORED)
        for name in ("batch_size", "batch_tokens", "unit_tokens", "threads"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"{name}={getattr(self, name)} is too small.", hint="give a number from 1 up."
                )

    def record(self, contexts_sha256: str, sample: str | None = None) -> dict[str, Any]:
        """Plain data that decides the store: equal records, equal bytes.

        Parameters
        ----------
        contexts_sha256
            Checksum of the contexts.
        sample
            By which procedure they were drawn.
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
            "piece": self.piece,
            "dtype": self.dtype,
            "batch size": self.batch_size,
            "batch tokens": self.batch_tokens,
            "unit tokens": self.unit_tokens,
            "max length": self.max_length,
            "padding": self.padding,
            "threads": self.threads,
            "device": self.device,
            **self.versions,
        }


def fingerprint(record: dict[str, Any]) -> str:
    """Checksum of what decides in a record."""
    deciding = {name: value for name, value in record.items() if name not in TOLD}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """What differs between two records, in words."""
    return [
        f"{name} ({_short(theirs.get(name))} there, {_short(ours.get(name))} now)"
        for name in dict.fromkeys([*ours, *theirs])
        if ours.get(name) != theirs.get(name) and (name not in TOLD or name in theirs)
    ]


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text
