"""Addresses of services: where texts are sent, what may be shown, and removal of the key from texts.

Parts of a key are searched for as they are and escaped as in addresses (``%2F``), JSON and web pages
(``&#47;``), also several times over; and in base64 and hexadecimal digits, with whatever precedes and
follows. Matches are shown as "…". In doubt, too much is removed rather than too little.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError

OPENAI, OLLAMA, TEI = "openai", "ollama", "tei"
Protocol = Literal["auto", "openai", "ollama", "tei"]
"""Protocols of embedding services; ``"auto"`` detects the protocol."""
_PATHS = {OPENAI: "/v1/embeddings", OLLAMA: "/api/embed", TEI: "/embed"}
CHAT_PATHS = {OPENAI: "/v1/chat/completions", OLLAMA: "/api/chat"}
"""Where chat services of each protocol are."""
KEY_VARIABLE = "CROSSROADS_API_KEY"
"""Name of the environment variable that holds the key by default."""
_SHORT = 200
_SHOWN_PARAMETERS = ("api-version",)
_PORTS = {"http": 80, "https": 443}
_URL_HINT = "give one such as http://localhost:11434 or https://example.org/v1."


def checked_url(url: str) -> str:
    """Return an address that can be called; anything else is an error."""
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except (ValueError, AttributeError) as error:
        raise InputError("the address of the service cannot be read.", hint=_URL_HINT) from error
    if parts.username is not None or parts.password is not None:
        hint = f"put the key into the environment variable {KEY_VARIABLE} instead."
        raise InputError("the address of the service contains a user name or a password.", hint=hint)
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise InputError(f"{plain(public_url(url))!r} is not the address of a service.", hint=_URL_HINT)
    if not url.isascii() or not url.isprintable() or " " in url:
        message = "the address of the service has characters that are not allowed in addresses."
        hint = "encode them: %C3%A8 for è in a path, xn--… for an international host name."
        raise InputError(message, hint=hint)
    return url


def public_url(url: str) -> str:
    """An address without anything secret: no user name, no password, no parameter but the version."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    shown = [pair for pair in parse_qsl(parts.query) if pair[0] in _SHOWN_PARAMETERS]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), urlencode(shown), ""))


def parameters_sha256(url: str) -> str | None:
    """Checksum of the parameters of an address, which may be secret, or ``None`` if it has none."""
    query = urlsplit(url).query
    return hashlib.sha256(query.encode()).hexdigest() if query else None


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port, which identify a service."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None


def is_loopback(url: str) -> bool:
    """Whether an address is that of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def proxy_variable(url: str) -> str | None:
    """The environment variable that sets a proxy for an address, or ``None``."""
    from urllib.request import getproxies, proxy_bypass  # slow to import

    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    return f"{parts.scheme}_proxy" if parts.scheme in getproxies() else None


def protocol_of(url: str) -> str | None:
    """The protocol that follows from an address, or ``None``."""
    path = urlsplit(url).path.rstrip("/")
    if path.endswith(("/embeddings", "/v1")):
        return OPENAI
    if path.endswith(("/api/embed", "/api")):
        return OLLAMA
    return TEI if path.endswith("/embed") else None


def address(url: str, protocol: str, paths: Mapping[str, str] = _PATHS) -> str:
    """The address to which texts are sent."""
    parts = urlsplit(url)
    path, names = parts.path.rstrip("/"), paths[protocol].strip("/").split("/")
    if not path.endswith(f"/{names[-1]}"):
        given = (n for n in range(len(names) - 1, 0, -1) if path.endswith(f"/{'/'.join(names[:n])}"))
        path = "/".join([path, *names[next(given, 0) :]])
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def plain(text: str, *, most: int = _SHORT) -> str:
    """A text as one short line without control characters, of at most ``most`` characters."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_PART = 6
"""Number of characters that count as a part of a key; of a short key, half of it."""
_DEPTH = 4
_ESCAPED = re.compile(
    r"%([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|&#[xX]([0-9A-Fa-f]{1,6});?|&#([0-9]{1,7});?"
    r"|\\([\"'\\/])|&(amp|lt|gt|quot|apos|sol|num|plus|equals|lowbar|hyphen|period|colon);"
)
_NAMED = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "sol": "/", "num": "#", "plus": "+",
    "equals": "=", "lowbar": "_", "hyphen": "-", "period": ".", "colon": ":",
}  # fmt: skip
_PACKED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE64 = np.full(256, -1, np.int16)
"""The six bits of each digit; −1 of all other characters."""
_BASE64[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")] = range(64)
_BASE64[list(b"-_")] = 62, 63
_HEX = np.full(256, -1, np.int16)
_HEX[list(b"0123456789abcdefABCDEF")] = [*range(16), *range(10, 16)]
_WORD = re.compile(r"[^\s\"'<>]+")
_STARS = re.compile("[*•●]{3}")
"""Characters that replace the middle of a key of which a service shows the ends only."""


_Places = NDArray[np.int64]


class _Signs(NamedTuple):
    """Characters, and where each of them starts and ends in the text that it is read from."""

    text: str
    starts: _Places
    ends: _Places


def without(text: str, secret: str | None) -> str:
    """Remove a secret from a text, whether it is repeated whole, in part or in another spelling."""
    if not secret:
        return text
    hidden = np.zeros(len(text) + 1, np.int64)  # starts of spans count up, their ends down
    if _STARS.search(text):
        starred = [word.span() for word in _WORD.finditer(text) if _STARS.search(word.group())]
        _hide(hidden, *np.array(starred).T)
    places = np.arange(len(text) + 1)
    signs = _Signs(text, places[:-1], places[1:])
    for _ in range(_DEPTH):
        _hide(hidden, *_plain_spans(signs, secret))
        _hide(hidden, *_packed_spans(signs, secret))
        plainer = _unescaped(signs)
        if len(plainer.text) == len(signs.text):
            break
        signs = plainer
    edges = np.flatnonzero(np.diff(np.cumsum(hidden) > 0, prepend=False))
    bounds = [0, *edges.tolist(), len(text)]
    return "…".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))


def _hide(hidden: _Places, starts: _Places, ends: _Places) -> None:
    np.add.at(hidden, starts, 1)
    np.add.at(hidden, ends, -1)


def _unescaped(signs: _Signs) -> _Signs:
    """The same characters with one layer of escapes undone."""
    escapes = np.array([match.span() for match in _ESCAPED.finditer(signs.text)], np.int64).reshape(-1, 2)
    gone = np.zeros(len(signs.text) + 1, np.int64)
    _hide(gone, escapes[:, 0] + 1, escapes[:, 1])  # the first character of an escape stays
    kept = np.cumsum(gone[:-1]) == 0
    ends = signs.ends.copy()
    ends[escapes[:, 0]] = signs.ends[escapes[:, 1] - 1]
    return _Signs(_ESCAPED.sub(_meant, signs.text), signs.starts[kept], ends[kept])


def _meant(match: re.Match[str]) -> str:
    percent, unit, byte, hexadecimal, decimal, sign, name = match.groups()
    digits = percent or unit or byte or hexadecimal
    code = int(digits, 16) if digits else int(decimal) if decimal else None
    if code is not None:
        return chr(code) if code < 0x110000 else "\0"
    return str(sign or _NAMED[name])


def _plain_spans(signs: _Signs, secret: str) -> tuple[_Places, _Places]:
    """Where parts of the secret start and end, ignoring case and blanks in between."""
    unseen = {sign for sign in set(signs.text) if sign.isspace() or not sign.isprintable()}
    text = signs.text.translate(dict.fromkeys(map(ord, unseen)))
    codes = np.frombuffer(signs.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    written = np.flatnonzero(~np.isin(codes, [ord(sign) for sign in unseen]))
    # the one letter that is two in lower case stays as it is
    found = _parts_in("İ".join(part.lower() for part in text.split("İ")), secret)
    return signs.starts[written[found]], signs.ends[written[found + _part(secret) - 1]]


def _parts_in(text: str, secret: str) -> _Places:
    """Where parts of the secret start in a lower-case text."""
    secret = secret.lower()
    size = _part(secret)
    found = []
    for piece in {secret[at : at + size] for at in range(len(secret) - size + 1)}:
        at = text.find(piece)
        while at >= 0:
            found.append(at)
            at = text.find(piece, at + 1)
    return np.array(found, np.int64)


def _part(secret: str) -> int:
    return max(1, min(_PART, (len(secret) + 1) // 2))


def _packed_spans(signs: _Signs, secret: str) -> tuple[_Places, _Places]:
    """Where base64 or hexadecimal digits that encode part of the secret start and end."""
    found = []
    for text, size, digits, skipped in _unpacked(signs.text):
        group, byte = np.divmod(_parts_in(text.lower(), secret), size)
        found.append(skipped + group * digits + byte)
    places = np.unique(np.concatenate(found))
    runs = [match.span() for match in _PACKED.finditer(signs.text)] if places.size else []
    starts, ends = np.array(runs, np.int64).reshape(-1, 2).T
    holds = np.searchsorted(places, starts) < np.searchsorted(places, ends)
    return signs.starts[starts[holds]], signs.ends[ends[holds] - 1]


def _unpacked(text: str) -> Iterator[tuple[str, int, int, int]]:
    """What digits may encode, from any place on: base64, and bytes in hexadecimal.

    What is encoded is followed by the number of bytes in a group, the number of digits that encode them, and
    the number of characters before the first group. A byte whose digits are not all there is "ÿ".
    """
    codes = text.encode("latin-1", "replace").replace(b"?", b" ")
    for table, bits, size, digits in ((_BASE64, 6, 3, 4), (_HEX, 4, 1, 2)):
        values = table[np.frombuffer(codes, np.uint8)]
        for skipped in range(digits):
            groups = values[skipped:]
            groups = np.pad(groups, (0, -len(groups) % digits), constant_values=-1).reshape(-1, digits)
            there = (groups[:, :-1] >= 0) & (groups[:, 1:] >= 0)
            packed = np.full((len(groups), size), 255, np.uint8)
            for byte in range(size):
                up = 8 - bits + 2 * byte  # places that the bits of the first digit are moved
                whole = (groups[:, byte] << up | groups[:, byte + 1] >> (bits - up)) & 255
                packed[:, byte] = np.where(there[:, byte], whole, 255)
            yield packed.tobytes().decode("latin-1"), size, digits, skipped
