"""Requests to embedding services and their answers, in three protocols; every number is checked.

An answer is used only if it has one vector for each text, all finite and of one length. OpenAI's protocol
numbers its vectors, and they are put in that order.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError
from crossroads.core.models.services.addresses import OPENAI, TEI, plain, without

Floats = NDArray[np.float64]
_SHOWN_BYTES = 1 << 16


class EndpointError(CrossroadsError):
    """A service that refused, failed, or answered something that cannot be used."""

    def __init__(
        self, message: str, *, status: int | None = None, answer: str = "", hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status, self.answer = status, answer


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Vectors of one batch."""

    vectors: Floats
    """One row per text, in the order asked."""
    model: str | None
    """The model named in the answer."""


def question(protocol: str, texts: Sequence[str], model: str | None) -> bytes:
    """The body of a request."""
    if protocol == TEI:
        body: dict[str, Any] = {"inputs": list(texts)}
    else:
        body = {"input": list(texts)}
        if model is not None:
            body["model"] = model
        if protocol == OPENAI:
            body["encoding_format"] = "float"
    return json.dumps(body).encode()


def read_answer(protocol: str, data: bytes, texts: Sequence[str], *, secret: str | None = None) -> Answer:
    """The vectors in an answer, one per text and in their order."""
    try:
        return _answer(protocol, data, texts, secret)
    except _UnusableError as fault:
        said = without(data[:_SHOWN_BYTES].decode("utf-8", "replace"), secret)
        if fault.is_said:
            raise EndpointError(f"the service says: {_message(said)}", answer=_message(said)) from None
        raise EndpointError(
            f"the service answered with {fault.what}: {plain(said[:1000], most=80)}",
            answer=_message(said[:4000]),
            hint=fault.hint or "is this the address of an embedding service, and the protocol the right one?",
        ) from None


class _UnusableError(Exception):
    """An answer without one vector per text; its message may still contain the key."""

    def __init__(self, what: str, *, hint: str | None = None, is_said: bool = False) -> None:
        super().__init__(what)
        self.what, self.hint, self.is_said = what, hint, is_said


def _answer(protocol: str, data: bytes, texts: Sequence[str], secret: str | None) -> Answer:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _UnusableError("something other than JSON", hint=_not_json_hint(data)) from None
    model = document.get("model") if isinstance(document, dict) else None
    rows = _rows(protocol, document)
    if len(rows) != len(texts):
        raise _UnusableError(f"{len(rows)} vectors for {len(texts)} texts")
    if any(isinstance(row, str) for row in rows):
        raise _UnusableError("vectors as text instead of numbers")
    lengths = {len(row) if isinstance(row, list) else 0 for row in rows}
    if len(lengths) > 1 or 0 in lengths:
        raise _UnusableError("vectors that are empty or not of one length")
    vectors = np.stack([_vector(row, text) for row, text in zip(rows, texts, strict=True)])
    named = plain(without(model, secret)) if isinstance(model, str) and model else None
    return Answer(vectors=vectors, model=named)


def error_message(data: bytes, *, secret: str | None = None) -> str:
    """The error message of a service if it has one, or the beginning of its answer."""
    return plain(without(_message(without(data.decode("utf-8", "replace"), secret)), secret))


def _message(text: str) -> str:
    """The message in an answer in JSON, or the beginning of the answer."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return plain(text)
    for key in ("error", "detail", "message"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    if isinstance(found, dict) and "message" in found:
        found = found["message"]
    return plain(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))


def unpacked(data: bytes, headers: Any, most_bytes: int) -> bytes:
    """Decompress an answer that is compressed without having been requested so, up to ``most_bytes``."""
    if (headers.get("Content-Encoding") or "").strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return data
    try:
        return zlib.decompressobj(wbits=47).decompress(data, most_bytes)  # 47: gzip or zlib, by its header
    except zlib.error:
        return data


def _rows(protocol: str, document: Any) -> list[Any]:
    """The vectors as received, in the order of the texts."""
    if protocol == TEI:
        found = document
    else:
        key = "data" if protocol == OPENAI else "embeddings"
        found = document.get(key) if isinstance(document, dict) else None
        if found is None and isinstance(document, dict) and "error" in document:
            raise _UnusableError("an error", is_said=True)
    if not isinstance(found, list):
        raise _UnusableError("no list of vectors")
    return _in_order(found) if protocol == OPENAI else found


def _in_order(items: list[Any]) -> list[Any]:
    """Vectors sorted by their ``index``; unchanged if none has one."""
    if not all(isinstance(item, dict) and "embedding" in item for item in items):
        raise _UnusableError("items without an embedding")
    numbers = [item.get("index") for item in items]
    if all(number is None for number in numbers):
        return [item["embedding"] for item in items]
    if any(type(number) is not int for number in numbers) or sorted(numbers) != list(range(len(items))):
        raise _UnusableError("vectors whose numbers are not 0, 1, 2, …")
    return [items[numbers.index(place)]["embedding"] for place in range(len(items))]


def _vector(row: list[Any], text: str) -> Floats:
    if any(type(number) not in (int, float) for number in row):
        raise _UnusableError(f"a vector of {plain(text)!r} that holds something other than numbers")
    try:
        vector = np.array(row, np.float64)
    except OverflowError:
        vector = np.array([np.inf])
    if not np.isfinite(vector).all():
        raise _UnusableError(f"a vector of {plain(text)!r} that is not finite")
    return vector


def _not_json_hint(data: bytes) -> str | None:
    if data.lstrip()[:1] == b"<":
        return "it is a web page; give the address of the service, such as http://localhost:8000/v1."
    return None
