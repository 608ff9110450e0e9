"""Addresses of embedding services: where texts are sent, what may be shown, and what is refused."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from crossroads.errors import InputError

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
        raise InputError(
            "the address of the service contains a user name or a password.",
            hint=f"put the key into the environment variable {KEY_VARIABLE} instead.",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise InputError(f"{plain(public_url(url))!r} is not the address of a service.", hint=_URL_HINT)
    if not url.isascii() or not url.isprintable() or " " in url:
        raise InputError(
            "the address of the service has characters that are not allowed in addresses.",
            hint="encode them: %C3%A8 for è in a path, xn--… for an international host name.",
        )
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
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    return f"{parts.scheme}_proxy" if parts.scheme in getproxies() else None


def protocol_of(url: str) -> str | None:
    """The protocol that follows from an address, or ``None``.

    Examples
    --------
    >>> protocol_of("http://localhost:11434/api/embed"), protocol_of("http://localhost:8000")
    ('ollama', None)
    """
    path = urlsplit(url).path.rstrip("/")
    if path.endswith(("/embeddings", "/v1")):
        return OPENAI
    if path.endswith(("/api/embed", "/api")):
        return OLLAMA
    return TEI if path.endswith("/embed") else None


def address(url: str, protocol: str, paths: Mapping[str, str] = _PATHS) -> str:
    """The address to which texts are sent.

    Examples
    --------
    >>> address("https://example.org/v1?api-version=2", "openai")
    'https://example.org/v1/embeddings?api-version=2'
    """
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
