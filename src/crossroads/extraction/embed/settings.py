"""Settings of an extraction, which determine every byte of its store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from crossroads.errors import InputError, one_of
from crossroads.extraction.embed.layers import Layers
from crossroads.extraction.embed.pieces import Piece
from crossroads.sources.models.files import ModelFiles

Stored = Literal["float32", "float16"]
"""Types in which vectors may be stored; they are always computed in float32."""
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
    """Most sentences per batch."""
    batch_tokens: int
    """Most tokens per batch, padding included."""
    unit_tokens: int
    """Tokens after which a work unit ends."""
    max_length: int
    """Most tokens per sentence, special ones included."""
    padding: int
    """The token that pads short sentences; masked."""
    threads: int
    """Threads of a worker; more than one may change last bits."""
    device: str
    """Kind of device that computes."""
    versions: dict[str, str]
    """Packages on which the last bits depend."""

    def __post_init__(self) -> None:
        one_of("piece", self.piece, Piece)
        one_of("dtype", self.dtype, Stored)
        for name in ("batch_size", "batch_tokens", "unit_tokens", "threads"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"{name}={getattr(self, name)} is too small.", hint="give a number from 1 up."
                )

    def record(self, contexts_sha256: str, sample: str | None = None) -> dict[str, Any]:
        """Plain data that determines the store: equal records give equal bytes.

        Parameters
        ----------
        contexts_sha256
            Checksum of the contexts.
        sample
            The procedure by which they were drawn.
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
