"""Chat models: a service with OpenAI's protocol or Ollama's, a model on this machine, a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any, Literal, NamedTuple

from crossroads.core.errors import InputError, in_short, one_of, require
from crossroads.core.models.files import find_model
from crossroads.core.models.language import AUTO_CLASSES, CAUSAL, find_kind
from crossroads.core.models.services.addresses import (
    CHAT_PATHS,
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
from crossroads.core.models.transformers import (
    load_config,
    load_model,
    load_tokenizer,
    longest_input,
    padding_id,
    plain_errors,
    resolve_device,
)
from crossroads.core.storage.files import fingerprint

ChatProtocol = Literal["auto", "openai", "ollama"]
"""Protocols of chat services; ``"auto"`` detects the protocol."""
Message = dict[str, str]
ChatFunction = Callable[[list[Message]], str]
"""A function that is given the messages of a conversation and returns the answer."""
_MOST_BYTES = 1 << 22
_OPTIONAL = ("seed", "max_tokens", "temperature")
"""Parts of a request that some services do not accept."""
_FILTERED = ("content_filter", "content management policy")
"""What services say that refuse the question itself."""
_HINT = "is this the address of a chat service, such as https://example.org/v1, and the protocol right?"


FINISHES = (
    *("stop", "length", "content_filter", "refusal", "tool_calls", "function_call"),
    *("eos", "end_turn", "max_tokens", "stop_sequence", "load", "unload"),
)
"""How answers end, in the words of services; whatever else a service says is neither kept nor shown."""


class Reply(NamedTuple):
    """What a model answered."""

    text: str
    finish: str = ""
    """How it ended: one of :data:`FINISHES`, ``other``, or empty if that is not said."""
    model: str | None = None
    """The model that the service names."""


@dataclass(frozen=True)
class FunctionChat:
    """A function of the user as a model."""

    function: ChatFunction

    @property
    def identity(self) -> dict[str, Any]:
        """What its answers depend on, as far as can be told: its name, its code and what it encloses."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return {"model": name, "sha256": fingerprint(_content(self.function))}

    def reply(self, messages: Sequence[Message], **_: Any) -> Reply:
        """Ask once."""
        text = self.function([dict(one) for one in messages])
        if not isinstance(text, str):
            raise InputError(f"the function answered {in_short(text)}.", hint="it has to return a text.")
        return Reply(text)


def _content(function: Any) -> list[Any]:
    """What a function does, as far as can be told: its code, its defaults and what it encloses."""
    if isinstance(function, MethodType):
        return [*_content(function.__func__), repr(function.__self__)]
    if not isinstance(function, FunctionType):
        call = vars(type(function)).get("__call__")
        return [*_content(call), repr(vars(function))] if isinstance(call, FunctionType) else [repr(function)]
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    codes = [getattr(one, "__code__", None) or repr(one) for one in enclosed]
    return [*map(_code, (function.__code__, *codes)), repr(function.__defaults__)]


def _code(code: CodeType | str) -> Any:
    """Instructions, names and constants of code; other values as they are."""
    if not isinstance(code, CodeType):
        return code
    constants = [_code(one if isinstance(one, CodeType) else repr(one)) for one in code.co_consts]
    return [code.co_code.hex(), code.co_names, constants]


class ChatService:
    """A chat service behind an address; ``options`` are those of :func:`crossroads.ask_chat`."""

    def __init__(self, url: str, options: SimpleNamespace) -> None:
        one_of("protocol", options.protocol, ChatProtocol)
        self._url, self._model = checked_url(url.strip()), options.served_model
        path = public_url(self._url).partition("?")[0]
        ends = {OPENAI: ("/chat/completions", "/v1"), OLLAMA: ("/api/chat", "/api")}
        found = next((one for one, some in ends.items() if path.endswith(some)), None)
        known = found if options.protocol == "auto" else options.protocol
        self._protocols = Protocols(
            self._url, known, (OPENAI, OLLAMA), "https://example.org/v1/chat/completions"
        )
        key = read_key(options.key_variable, self._url)
        self._caller = Caller(key=key, timeout=options.timeout, retries=options.retries)
        self._refused: set[str] = set()

    @property
    def identity(self) -> dict[str, Any]:
        """What its answers depend on, without anything secret."""
        parameters = parameters_sha256(self._url)
        more = {} if parameters is None else {"parameters sha256": parameters}
        return {"url": public_url(self._url), "model": self._model, **more}

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
            refused = set(self._refused)  # others may add to these while this request is on its way
            body = json.dumps(_question(protocol, messages, self._model, options, refused)).encode()
            place = address(self._url, protocol, CHAT_PATHS)
            try:
                data = self._caller.post(place, body, most_bytes=_MOST_BYTES)
            except EndpointError as error:
                text = error.answer.lower()
                if error.status == 400 and any(sign in text for sign in _FILTERED):
                    return Reply("", "content_filter")
                known = [one for one in _OPTIONAL if one in text and one not in refused]
                if error.status not in (400, 422) or not known:
                    raise
                self._refused.add(known[0])
                continue
            return _read(protocol, data, self._caller.key)
        raise EndpointError("the service accepts no request.", hint=_HINT)


def _question(
    protocol: str, messages: Sequence[Message], model: str | None, options: dict[str, Any], refused: set[str]
) -> dict[str, Any]:
    """The body of a request."""
    body = {"messages": list(messages), "stream": False, **({} if model is None else {"model": model})}
    sent = {name: value for name, value in options.items() if value is not None and name not in refused}
    if protocol == OLLAMA:
        if "max_tokens" in sent:
            sent["num_predict"] = sent.pop("max_tokens")
        return body | {"options": sent}
    if "max_tokens" in refused:
        sent["max_completion_tokens"] = options["max_tokens"]
    return body | sent


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


class LocalChat:
    """A model in a folder, a GGUF file or of the hub, that answers messages; loaded when first asked."""

    def __init__(self, model: str | Path, *, revision: str | None = None, device: str = "auto") -> None:
        self._files = find_model(model, revision=revision)
        self._device = resolve_device(device)
        self._config, self._tokenizer = load_config(self._files), load_tokenizer(self._files)
        kind = find_kind(self._config, self._tokenizer, "auto", name=self._files.name)
        if kind != CAUSAL or not self._tokenizer.chat_template:
            lacks = "is a masked language model" if kind != CAUSAL else "has no chat template"
            raise InputError(
                f"{self._files.name} {lacks}, so it cannot be asked as a chat model.",
                hint="give a model that was trained for chat, whose name often ends in -Instruct or -chat.",
            )
        self._model: Any = None

    @property
    def identity(self) -> dict[str, Any]:
        """What its answers depend on."""
        return {"model": self._files.name, "sha256": self._files.sha256}

    def reply(
        self, messages: Sequence[Message], *, temperature: float | None, max_tokens: int, seed: int
    ) -> Reply:
        """Ask once."""
        torch = require("torch", extra="models", purpose="running transformer models")
        if self._model is None:
            self._model = load_model(self._files, auto_class=AUTO_CLASSES[CAUSAL], device=self._device)
        with plain_errors(self._files, "chat template"):
            ids = self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_tensors="pt", return_dict=True
            )["input_ids"].to(self._device)
        room = longest_input(self._config, self._tokenizer) - ids.shape[1]
        if room < 1:
            raise InputError(
                f"the question has {ids.shape[1]:,} tokens, more than {self._files.name} reads.",
                hint="use a design with fewer words.",
            )
        sampled: dict[str, Any] = {"do_sample": False, "top_k": None, "top_p": None}
        if temperature != 0:
            sampled = {"do_sample": True, "temperature": temperature or 1.0, "top_k": 0, "top_p": 1.0}
        with torch.random.fork_rng(), torch.inference_mode(), plain_errors(self._files, "answer"):
            torch.manual_seed(seed)
            found = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=min(max_tokens, room),
                pad_token_id=padding_id(self._config, self._tokenizer),
                **sampled,
            )[0, ids.shape[1] :]
        ends = self._model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        ended = len(found) < min(max_tokens, room) or int(found[-1]) in ends
        text = self._tokenizer.decode(found, skip_special_tokens=True)
        return Reply(str(text), "stop" if ended else "length", self._files.name)


ChatModel = FunctionChat | ChatService | LocalChat
"""What answers questions."""
