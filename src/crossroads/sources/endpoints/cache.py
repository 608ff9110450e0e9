"""Cached answers of a service, so that no text is sent, and paid for, twice.

One folder per service and model, one file per batch. A file is written under another name and moved into
place; its name carries the checksum of its content, so that a damaged one is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError, InputError
from crossroads.sources.endpoints.addresses import OLLAMA, OPENAI, TEI
from crossroads.storage.files import fingerprint, write_file

FORMAT = "crossroads-endpoint-cache/1"


class AnswerCache:
    """Vectors of texts that a service has answered.

    Parameters
    ----------
    folder
        Where answers of all services are kept; created if it is missing.
    key
        What answers depend on: address, protocol and model.

    Attributes
    ----------
    folder
        Where answers of this service are kept.
    vectors
        Text to vector.
    model
        The model named in the answers, if any.
    protocol
        The protocol of the answers, if there are any.
    """

    def __init__(self, folder: str | Path, key: dict[str, Any]) -> None:
        self._key = key
        self.folder = Path(folder) / fingerprint(key)[:16]
        self.vectors: dict[str, NDArray[np.float64]] = {}
        self.model: str | None = None
        self.protocol: str | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"answers cannot be kept in {str(folder)!r}: {error.strerror}.", hint="name another folder."
            ) from error
        for path in sorted(self.folder.glob("*.json")):
            self._take(path)

    def keep(
        self, texts: Sequence[str], vectors: NDArray[np.float64], *, protocol: str, model: str | None
    ) -> None:
        """Keep the answer to a batch.

        Parameters
        ----------
        texts, vectors
            The texts sent and the vectors received.
        protocol
            The protocol used.
        model
            The model named in the answer.
        """
        rows = dict(zip(texts, vectors.tolist(), strict=True))
        document = {
            "format": FORMAT,
            "asked": self._key,
            "protocol": protocol,
            "answered by": model,
            "vectors": rows,
        }
        data = json.dumps(document, ensure_ascii=False).encode()
        target = self.folder / f"{hashlib.sha256(data).hexdigest()[:32]}.json"
        write_file(target, data, parts=self.folder)

    def _take(self, path: Path) -> None:
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest()[:32] != path.stem:
            raise _damaged(path)
        try:
            document = json.loads(data)
            rows = {text: np.array(row, np.float64) for text, row in document["vectors"].items()}
            model, protocol = document["answered by"], document["protocol"]
            if not all(row.ndim == 1 and row.size and np.isfinite(row).all() for row in rows.values()):
                raise ValueError("not all of these are vectors")
            if not isinstance(model, str | None) or protocol not in (OPENAI, OLLAMA, TEI):
                raise TypeError("these are not the names of a model and a protocol")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise _damaged(path) from error
        self.vectors.update(rows)
        if len({len(row) for row in self.vectors.values()}) > 1:
            raise _damaged(path)
        self.model, self.protocol = model or self.model, protocol


def _damaged(path: Path) -> FormatError:
    return FormatError(
        "the cached answer is damaged.", path=path, hint="remove this file; the request is then repeated."
    )
