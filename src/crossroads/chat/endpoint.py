"""Answers from a chat service that speaks OpenAI's protocol or Ollama's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from crossroads.core.errors import one_of
from crossroads.core.models.services.addresses import (
    CHAT_PATHS,
    KEY_VARIABLE,
    OLLAMA,
    OPENAI,
    address,
    checked_url,
    parameters_sha256,
    plain,
    public_url,
    without,
)
from crossroads.core.models.services.calls import Caller, EndpointError, Protocols, error_message, read_key

ChatProtocol = Literal["auto", "openai", "ollama"]
"""Protocols of chat services; ``"auto"`` detects the protocol."""
Message = dict[str, str]
_MOST_BYTES = 1 << 22
_OPTIONAL = ("seed", "max_tokens", "temperature")
"""Parts of a request that some services do not accept."""
_HINT = "is this the address of a chat service, such as https://example.org/v1, and the protocol right?"


FINISHES = (
    *("stop", "length", "content_filter", "refusal", "tool_calls", "function_call"),
    *("eos", "end_turn", "max_tokens", "stop_sequence", "load", "unload"),
)
"""How answers end, in the words of services; whatever else a service says is neither kept nor shown."""


class Reply(NamedTuple):
    """What a model answered."""

    text: str
    """The answer."""
    finish: str = ""
    """How it ended: one of :data:`FINISHES`, ``other``, or empty if that is not said."""
    model: str | None = None
    """The model that the service names."""


class ChatService:
    """A chat service behind an address."""

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        protocol: ChatProtocol = "auto",
        key_variable: str = KEY_VARIABLE,
        timeout: float = 120.0,
        retries: int = 4,
    ) -> None:
        one_of("protocol", protocol, ChatProtocol)
        self._url, self._model = checked_url(str(url).strip()), model
        known = _protocol_of(self._url) if protocol == "auto" else protocol
        example = "https://example.org/v1/chat/completions"
        self._protocols = Protocols(self._url, known, (OPENAI, OLLAMA), example)
        self._caller = Caller(key=read_key(key_variable, self._url), timeout=timeout, retries=retries)
        self._refused: set[str] = set()

    @property
    def identity(self) -> dict[str, Any]:
        """What its answers depend on, without anything secret."""
        given = {"url": public_url(self._url), "model": self._model}
        parameters = parameters_sha256(self._url)
        return given if parameters is None else {**given, "parameters sha256": parameters}

    @property
    def not_sent(self) -> tuple[str, ...]:
        """Parts of requests that the service did not accept, and that were left out."""
        return tuple(sorted(self._refused))

    @property
    def repeated(self) -> int:
        """How many requests were sent again, because the service was busy or the connection broke."""
        return len(self._caller.repeated)

    def reply(
        self, messages: Sequence[Message], *, temperature: float | None, max_tokens: int, seed: int
    ) -> Reply:
        """Ask once."""
        options = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        return self._protocols.ask(lambda protocol: self._ask(protocol, messages, options))

    def _ask(self, protocol: str, messages: Sequence[Message], options: dict[str, Any]) -> Reply:
        for _ in range(len(_OPTIONAL) + 1):
            body = json.dumps(_question(protocol, messages, self._model, options, self._refused)).encode()
            try:
                data = self._caller.post(
                    address(self._url, protocol, CHAT_PATHS), body, most_bytes=_MOST_BYTES
                )
            except EndpointError as error:
                if _is_filtered(error):
                    return Reply("", "content_filter")
                said = error.answer.lower() if error.status in (400, 422) else ""
                unknown = [one for one in _OPTIONAL if one in said and one not in self._refused]
                if not unknown:
                    raise
                self._refused.add(unknown[0])
                continue
            return _read(protocol, data, self._caller.key)
        raise EndpointError("the service accepts no request.", hint=_HINT)


def _protocol_of(url: str) -> str | None:
    """The protocol that follows from an address, or ``None``."""
    path = public_url(url).partition("?")[0]
    if path.endswith(("/chat/completions", "/v1")):
        return OPENAI
    return OLLAMA if path.endswith(("/api/chat", "/api")) else None


def _question(
    protocol: str,
    messages: Sequence[Message],
    model: str | None,
    options: dict[str, Any],
    refused: set[str],
) -> dict[str, Any]:
    """The body of a request."""
    body: dict[str, Any] = {"messages": list(messages), "stream": False}
    if model is not None:
        body["model"] = model
    given = {name: value for name, value in options.items() if value is not None and name not in refused}
    if protocol == OLLAMA:
        if "max_tokens" in given:
            given["num_predict"] = given.pop("max_tokens")
        return body | {"options": given}
    if "max_tokens" in refused:
        given["max_completion_tokens"] = options["max_tokens"]
    return body | given


def _is_filtered(error: EndpointError) -> bool:
    """Whether a service refused the question itself."""
    said = error.answer.lower()
    return error.status == 400 and ("content_filter" in said or "content management policy" in said)


def _read(protocol: str, data: bytes, secret: str | None) -> Reply:
    """The answer in what the service sent."""
    try:
        document = json.loads(data)
        if protocol == OPENAI:
            choice = document["choices"][0]
            message, finish = choice["message"], choice.get("finish_reason")
        else:
            message, finish = document["message"], document.get("done_reason")
        refusal, text = message.get("refusal"), message.get("content")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        said = error_message(data[: 1 << 16], secret=secret)
        raise EndpointError(
            f"the service answered with something other than a message: {plain(said, most=80) or 'nothing'}",
            answer=said,
            hint=_HINT,
        ) from None
    if isinstance(text, list):  # parts, as some services send them
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    model = document.get("model")
    return Reply(
        without(text, secret) if isinstance(text, str) else "",
        finish if finish in FINISHES else "other" if finish else "",
        plain(without(model, secret)) if isinstance(model, str) and model else None,
    )
