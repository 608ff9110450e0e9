"""Calls of a service over HTTP, repeated after failures that may be temporary; and answers of such services.

The key is read from the environment, sent only to the address that was given, and appears in no
message, even if the service repeats it. Certificates are checked. A redirection is followed only to the
same host.

Requests and answers are in three protocols. An answer is used only if it has one vector for each text, all
finite and of one length. OpenAI's protocol numbers its vectors, and they are put in that order.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import io
import json
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, CrossroadsWarning, InputError, join_words
from crossroads.core.models.services.addresses import (
    KEY_VARIABLE,
    OPENAI,
    TEI,
    is_loopback,
    origin,
    plain,
    proxy_variable,
    public_url,
    without,
)

Found = TypeVar("Found")
_PASSING = (408, 425, 429, 500, 502, 503, 504, 529)
_LONGEST_TIMEOUT = 86_400
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 120.0
_HOPS = 3
_LEADS_ON = (301, 302, 307, 308)
"""Redirections that are followed; 303 is not, because it refers to another resource."""
_VARIABLE = re.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
"""Names of variables, as opposed to keys given in their place."""
_BLOCK = 1 << 16
_ERROR_BYTES = 1 << 16
_CHECK = "check the address, the protocol and the name of the model."


@dataclass(frozen=True, kw_only=True)
class Caller:
    """How a service is called."""

    key: str | None
    """The key, or ``None``."""
    timeout: float
    """Seconds that an answer may take."""
    retries: int
    """How often a call is repeated after a failure that may be temporary."""
    repeated: list[str] = field(default_factory=list, compare=False)
    """What failed, for every call that was repeated."""

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise InputError(f"retries={self.retries} is too small.", hint="give a number from 0 up.")
        if not 0 < self.timeout <= _LONGEST_TIMEOUT:
            message = f"timeout={self.timeout} is not a number of seconds up to a day."
            raise InputError(message, hint="give 60 or so.")

    def __repr__(self) -> str:
        return f"Caller(key={'…' if self.key else None}, timeout={self.timeout}, retries={self.retries})"

    def post(self, url: str, body: bytes, *, most_bytes: int) -> bytes:
        """Send a body and return the answer."""
        attempt = 0
        while True:
            try:
                return self._redirected(url, body, most_bytes)
            except _TemporaryError as failure:
                if attempt == self.retries or (failure.pause or 0) > _LONGEST_PAUSE:
                    raise failure.final(attempt) from failure
                self.repeated.append(failure.message)
                time.sleep(_FIRST_PAUSE * 2**attempt if failure.pause is None else failure.pause)
            attempt += 1

    def _redirected(self, url: str, body: bytes, most_bytes: int) -> bytes:
        """Send a body, and follow redirections within the same host; all of it within the timeout."""
        here, ends = url, time.monotonic() + self.timeout
        for _ in range(_HOPS):
            status, headers, data = self._once(here, body, most_bytes, ends)
            if status < 300:
                return data
            there = _joined(here, headers.get("Location") or "")
            if status not in _LEADS_ON or origin(there) != origin(url):
                place = plain(without(public_url(there), self.key)) or "nowhere"
                message = f"{public_url(url)} redirects to {place} (HTTP {status}), which is another host."
                hint = "give that address if you trust it; the key is sent only to the one you name."
                raise EndpointError(message, status=status, hint=hint)
            here = there
        raise EndpointError(f"{public_url(url)} redirects in a circle.", hint="give the final address.")

    def _once(self, url: str, body: bytes, most_bytes: int, ends: float) -> tuple[int, Any, bytes]:
        headers = dict.fromkeys(("Content-Type", "Accept"), "application/json") | {"User-Agent": "crossroads"}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        request = urllib.request.Request(url, data=body, headers=headers, method="POST")
        handlers: list[urllib.request.BaseHandler] = [_NoRedirection(), _Handler(ends)]
        if is_loopback(url):  # never by way of a proxy
            handlers.append(urllib.request.ProxyHandler({}))
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=_left(ends)) as answer:
                return answer.status, answer.headers, _read(answer, most_bytes, url)
        except urllib.error.HTTPError as error:
            with error:
                if 300 <= error.code < 400:
                    return error.code, error.headers, b""
                refusal = self._refusal(error, url)
                error.msg = plain(without(str(error.reason), self.key))  # a traceback shows it too
                raise refusal from error
        except urllib.error.URLError as error:
            raise self._unreachable(error.reason, url) from error
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise self._unreachable(error, url) from error

    def _refusal(self, error: urllib.error.HTTPError, url: str) -> Exception:
        try:
            data = unpacked(error.read(_ERROR_BYTES), error.headers, _ERROR_BYTES)
            said = error_message(data, secret=self.key)
        except (OSError, http.client.HTTPException):
            said = ""
        said = said or plain(without(str(error.reason), self.key))
        message = f"{public_url(url)} answered {error.code}: {said}"
        if error.code in _PASSING:
            return _TemporaryError(message, status=error.code, answer=said, pause=_pause(error.headers))
        hints = dict.fromkeys((400, 404, 405, 422), _CHECK) | {
            401: "put the key of the service into the environment variable that key_variable names.",
            403: "the key may not use this; put the right one into the environment variable.",
        }
        return EndpointError(message, status=error.code, answer=said, hint=hints.get(error.code))

    def _unreachable(self, reason: object, url: str) -> Exception:
        place, said = public_url(url), plain(without(str(reason), self.key))
        if isinstance(reason, ssl.SSLCertVerificationError):
            message = f"the certificate of {place} cannot be trusted: {plain(reason.verify_message or said)}."
            hint = "check the address; SSL_CERT_FILE names certificates of your own organisation."
            return EndpointError(message, hint=hint)
        if isinstance(reason, ssl.SSLError):
            hint = "try http:// where the service runs on this machine."
            return EndpointError(f"{place} does not speak https: {plain(reason.reason or said)}.", hint=hint)
        if isinstance(reason, TimeoutError):
            return _TemporaryError(f"{place} did not answer in time")
        if isinstance(reason, http.client.IncompleteRead):
            return _TemporaryError(f"{place} broke off while answering")
        if isinstance(reason, ConnectionRefusedError | socket.gaierror) and proxy_variable(url) is not None:
            hint = f"check the environment variable {proxy_variable(url)}, or name the host in no_proxy."
            return EndpointError(f"{place} cannot be reached: the proxy does not answer ({said}).", hint=hint)
        if isinstance(reason, ConnectionRefusedError):
            hint = "is the service running, and the port right?"
            return EndpointError(f"nothing answers at {place}.", hint=hint)
        if isinstance(reason, socket.gaierror) and reason.errno != socket.EAI_AGAIN:
            return EndpointError(f"there is no host {urlsplit(url).hostname!r}.", hint="check the address.")
        if isinstance(reason, OSError):
            return _TemporaryError(f"{place} cannot be reached: {said or type(reason).__name__}")
        return EndpointError(f"{place} does not speak HTTP: {said}.", hint="check the address.")


@dataclass(eq=False)
class _TemporaryError(Exception):
    """A failure that may be temporary."""

    message: str
    status: int | None = None
    answer: str = ""
    pause: float | None = None

    def final(self, retries: int) -> EndpointError:
        hint = "run it again later; answers in a cache are kept."
        if self.pause is not None and self.pause > _LONGEST_PAUSE:
            hint = f"the service asks to wait {self.pause:,.0f} s; {hint}"
        again = f", even after {retries} more attempt{'s' if retries > 1 else ''}" if retries else ""
        return EndpointError(f"{self.message}{again}.", status=self.status, answer=self.answer, hint=hint)


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follow no redirection; return it as an answer like others."""

    def http_error_302(self, *_: Any, **__: Any) -> None:
        """Do not follow, and do not even read the address."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class Protocols:
    """The protocols that a service may speak, until one is found that it understands."""

    def __init__(self, url: str, known: str | None, candidates: tuple[str, ...], example: str) -> None:
        self._url, self._example = url, example
        self.candidates = candidates if known is None else (known,)

    def ask(self, send: Callable[[str], Found]) -> Found:
        """Send a request in the protocol of the service; the first time, try each candidate."""
        refused: list[EndpointError] = []
        for protocol in self.candidates:
            try:
                answer = send(protocol)
            except EndpointError as error:
                # whether there is nothing at that address; a missing model does not count
                nothing = error.status in (404, 405, 501) and "model" not in error.answer.lower()
                if len(self.candidates) == 1 or not nothing:
                    raise
                refused.append(error)
                continue
            self.candidates = (protocol,)
            return answer
        known, reply = join_words(self.candidates), refused[0].answer or refused[0].message
        message = f"{public_url(self._url)} understands none of the protocols {known}: {reply}"
        hint = f"give the full address, such as {self._example}."
        raise EndpointError(message, status=refused[0].status, hint=hint)


def read_key(variable: str, url: str) -> str | None:
    """The key of a service, from the environment."""
    key = os.environ.get(variable, "").strip()
    if not key:
        if variable != KEY_VARIABLE:
            named = repr(variable) if _VARIABLE.fullmatch(variable) else "that was named"  # it may be the key
            hint = "set it to the key of the service; give the name of the variable, not the key."
            raise InputError(f"the environment variable {named} is not set.", hint=hint)
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        message = f"the value of the environment variable {variable!r} cannot be sent as a key."
        raise InputError(message, hint="a key has printable ASCII characters only.")
    if urlsplit(url).scheme == "http" and not is_loopback(url):
        message = f"the key is sent to {public_url(url)} unencrypted; use https if the service has it."
        warnings.warn(message, CrossroadsWarning, stacklevel=3)
    return key


def _joined(url: str, location: str) -> str:
    """The target of a redirection; empty if it cannot be read."""
    with contextlib.suppress(ValueError):
        joined = urljoin(url, location) if location else ""
        public_url(joined)
        return joined
    return ""


def _left(ends: float) -> float:
    """Seconds until the end of a call; it is an error if there are none."""
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class _Incoming(io.RawIOBase):
    """What a service sends, until the end of a call.

    The timeout of a socket is that of a single read, which a service that sends one byte at a time never
    exceeds; so every read has the time that is left.
    """

    def __init__(self, sock: socket.socket, ends: float) -> None:
        super().__init__()
        self._sock, self._ends = sock, ends
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._ends))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """An answer whose status line, headers and body all have to arrive before the end of a call."""

    def __init__(self, sock: socket.socket, *args: Any, ends: float, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_Incoming(sock, ends))


class _Connection(http.client.HTTPConnection):
    """A connection for one call, which ends at a given time."""

    ends: float

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(_left(self.ends))  # for the handshake of https, which follows

    def send(self, data: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(_left(self.ends))
        super().send(data)


class _SafeConnection(http.client.HTTPSConnection, _Connection):
    """The same over https."""


class _Handler(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Opens connections that end at a given time."""

    def __init__(self, ends: float) -> None:
        super().__init__()
        self._ends = ends

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._made, _Connection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(self._made, _SafeConnection), req)

    def _made(self, kind: type[_Connection], host: str, **options: Any) -> _Connection:
        connection = kind(host, **options)
        connection.ends = self._ends
        connection.response_class = partial(_Response, ends=self._ends)  # type: ignore[assignment]
        return connection


def _read(answer: Any, most_bytes: int, url: str) -> bytes:
    """The answer; one that is too long is an error."""
    blocks, size = [], 0
    while block := answer.read1(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > most_bytes:
            hint = "is this an embedding service? A smaller batch_size allows shorter answers only."
            raise EndpointError(f"{public_url(url)} answers with more than {most_bytes:,} bytes.", hint=hint)
    if answer.length:  # what is missing of the length that the service announced
        raise http.client.IncompleteRead(b"", answer.length)
    return unpacked(b"".join(blocks), answer.headers, most_bytes)


def _pause(headers: Any) -> float | None:
    """Seconds that the service asks to wait, as a number or as a date."""
    wait = (headers.get("Retry-After") or "").strip()
    try:
        if wait.replace(".", "", 1).isdecimal():
            return float(wait)
        return max(0.0, email.utils.parsedate_to_datetime(wait).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


Floats = NDArray[np.float64]
_SHOWN_BYTES = 1 << 16


class EndpointError(CrossroadsError):
    """A service that refused, failed, or answered something that cannot be used."""

    def __init__(
        self, message: str, *, status: int | None = None, answer: str = "", hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status, self.answer = status, answer


class Answer(NamedTuple):
    """Vectors of one batch."""

    vectors: Floats
    """One row per text, in the order asked."""
    model: str | None
    """The model named in the answer."""


def question(protocol: str, texts: Sequence[str], model: str | None) -> bytes:
    """The body of a request."""
    body: dict[str, Any] = {"inputs" if protocol == TEI else "input": list(texts)}
    if protocol != TEI and model is not None:
        body["model"] = model
    if protocol == OPENAI:
        body["encoding_format"] = "float"
    return json.dumps(body).encode()


def read_answer(protocol: str, data: bytes, texts: Sequence[str], *, secret: str | None = None) -> Answer:
    """The vectors in an answer, one per text and in their order."""
    try:
        document = _document(data)
        vectors = _vectors(_rows(protocol, document), texts)
    except _UnusableError as fault:
        said = without(data[:_SHOWN_BYTES].decode("utf-8", "replace"), secret)
        if not fault.what:
            raise EndpointError(f"the service says: {_message(said)}", answer=_message(said)) from None
        message = f"the service answered with {fault.what}: {plain(said[:1000], most=80)}"
        hint = fault.hint or "is this the address of an embedding service, and the protocol the right one?"
        raise EndpointError(message, answer=_message(said[:4000]), hint=hint) from None
    model = document.get("model") if isinstance(document, dict) else None
    named = plain(without(model, secret)) if isinstance(model, str) and model else None
    return Answer(vectors=vectors, model=named)


@dataclass(eq=False)
class _UnusableError(Exception):
    """An answer without one vector per text; its message may still contain the key."""

    what: str  # what it has instead; empty where the answer says it itself
    hint: str | None = None


def _document(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        page = "it is a web page; give the address of the service, such as http://localhost:8000/v1."
        hint = page if data.lstrip()[:1] == b"<" else None
        raise _UnusableError("something other than JSON", hint=hint) from None


def error_message(data: bytes, *, secret: str | None = None) -> str:
    """The error message of a service if it has one, or the beginning of its answer."""
    return plain(without(_message(without(data.decode("utf-8", "replace"), secret)), secret))


def _message(text: str) -> str:
    """The message in an answer in JSON, or the beginning of the answer."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        return plain(text)
    for key in ("error", "detail", "message", "message"):
        if isinstance(said, dict) and key in said:
            said = said[key]
    return plain(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


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
    rows = document
    if protocol != TEI:
        fields = document if isinstance(document, dict) else {}
        rows = fields.get("data" if protocol == OPENAI else "embeddings")
        if rows is None and "error" in fields:
            raise _UnusableError("")
    if not isinstance(rows, list):
        raise _UnusableError("no list of vectors")
    return _in_order(rows) if protocol == OPENAI else rows


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


def _vectors(rows: list[Any], texts: Sequence[str]) -> Floats:
    if len(rows) != len(texts):
        raise _UnusableError(f"{len(rows)} vectors for {len(texts)} texts")
    if any(isinstance(row, str) for row in rows):
        raise _UnusableError("vectors as text instead of numbers")
    lengths = {len(row) if isinstance(row, list) else 0 for row in rows}
    if len(lengths) > 1 or 0 in lengths:
        raise _UnusableError("vectors that are empty or not of one length")
    vectors = np.empty((len(rows), *lengths))
    for vector, row, text in zip(vectors, rows, texts, strict=True):
        if any(type(number) not in (int, float) for number in row):
            raise _UnusableError(f"a vector of {plain(text)!r} that holds something other than numbers")
        try:
            vector[:] = row
        except OverflowError:
            vector[:] = np.inf
        if not np.isfinite(vector).all():
            raise _UnusableError(f"a vector of {plain(text)!r} that is not finite")
    return vectors
