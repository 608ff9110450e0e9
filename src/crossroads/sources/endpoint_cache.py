"""Answers of a service, kept: what has been asked once is not asked, and not paid for, again.

One folder a service and model, one file a batch. A file is written under another name and moved into place;
its name carries the checksum of its content, so that a damaged one is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError, InputError
from crossroads.evidence.full_disks import disk_errors
from crossroads.evidence.staging import settle_folder

FORMAT = "crossroads-endpoint-cache/1"


class AnswerCache:
    """Vectors of texts that a service has answered.

    Parameters
    ----------
    folder
        Where answers of all services are kept; made if it is missing.
    key
        What answers depend on: address, protocol and model.

    Attributes
    ----------
    vectors
        Text to vector.
    model
        The model that the service said had answered, if any answer said so.
    protocol
        How it was asked, if it was.
    """

    def __init__(self, folder: str | Path, key: dict[str, Any]) -> None:
        self._key = key
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        self._folder = Path(folder) / digest[:16]
        self.vectors: dict[str, NDArray[np.float64]] = {}
        self.model: str | None = None
        self.protocol: str | None = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"answers cannot be kept in {str(folder)!r}: {error.strerror}.", hint="name another folder."
            ) from error
        for path in sorted(self._folder.glob("*.json")):
            self._take(path)

    def keep(
        self, texts: Sequence[str], vectors: NDArray[np.float64], *, protocol: str, model: str | None
    ) -> None:
        """Keep the answer to a batch.

        Parameters
        ----------
        texts, vectors
            What was asked, and what came back.
        protocol
            How it was asked.
        model
            The model that the service said had answered.
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
        target = self._folder / f"{hashlib.sha256(data).hexdigest()[:32]}.json"
        with disk_errors(target, parts=self._folder, needed=lambda: len(data)):
            self._write(target, data)

    def _write(self, target: Path, data: bytes) -> None:
        descriptor, name = tempfile.mkstemp(prefix=".writing-", dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        settle_folder(self._folder)

    def _take(self, path: Path) -> None:
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest()[:32] != path.stem:
            raise _damaged(path)
        try:
            document = json.loads(data)
            rows = {text: np.array(row, np.float64) for text, row in document["vectors"].items()}
            model, protocol = document["answered by"], document["protocol"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise _damaged(path) from error
        self.vectors.update(rows)
        if len({len(row) for row in self.vectors.values()}) > 1:
            raise _damaged(path)
        self.model, self.protocol = model or self.model, protocol


def _damaged(path: Path) -> FormatError:
    return FormatError("the kept answer is damaged.", path=path, hint="remove this file; it is asked again.")
