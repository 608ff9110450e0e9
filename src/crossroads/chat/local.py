"""Answers from a causal language model on this machine, asked through its chat template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crossroads.chat.endpoint import Message, Reply
from crossroads.core.errors import InputError, require
from crossroads.core.models.files import find_model
from crossroads.core.models.language import AUTO_CLASSES, CAUSAL, find_kind
from crossroads.core.models.transformers import (
    load_config,
    load_model,
    load_tokenizer,
    longest_input,
    padding_id,
    plain_errors,
    resolve_device,
)


class LocalChat:
    """A model in a folder, a GGUF file or of the hub, that answers messages; loaded when first asked."""

    def __init__(self, model: str | Path, *, revision: str | None = None, device: str = "auto") -> None:
        self.files = find_model(model, revision=revision)
        self.device = resolve_device(device)
        self._config, self._tokenizer = load_config(self.files), load_tokenizer(self.files)
        kind = find_kind(self._config, self._tokenizer, "auto", name=self.files.name)
        if kind != CAUSAL or not self._tokenizer.chat_template:
            lacks = "is a masked language model" if kind != CAUSAL else "has no chat template"
            raise InputError(
                f"{self.files.name} {lacks}, so it cannot be asked as a chat model.",
                hint="give a model that was trained for chat, whose name often ends in -Instruct or -chat.",
            )
        self._model: Any = None

    @property
    def identity(self) -> dict[str, Any]:
        """What its answers depend on."""
        return {"model": self.files.name, "sha256": self.files.sha256}

    def reply(
        self, messages: Sequence[Message], *, temperature: float | None, max_tokens: int, seed: int
    ) -> Reply:
        """Ask once; see :meth:`crossroads.chat.endpoint.ChatService.reply`."""
        torch = require("torch", extra="models", purpose="running transformer models")
        if self._model is None:
            self._model = load_model(self.files, auto_class=AUTO_CLASSES[CAUSAL], device=self.device)
        with plain_errors(self.files, "chat template"):
            ids = self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_tensors="pt", return_dict=True
            )["input_ids"].to(self.device)
        room = longest_input(self._config, self._tokenizer) - ids.shape[1]
        if room < 1:
            raise InputError(
                f"the question has {ids.shape[1]:,} tokens, more than {self.files.name} reads.",
                hint="use a design with fewer words.",
            )
        sampled = (
            {"do_sample": False}
            if temperature == 0
            else {"do_sample": True, "temperature": temperature or 1.0}
        )
        with torch.random.fork_rng(), torch.inference_mode(), plain_errors(self.files, "answer"):
            torch.manual_seed(seed)
            found = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=min(max_tokens, room),
                pad_token_id=padding_id(self._config, self._tokenizer),
                top_k=0 if sampled["do_sample"] else None,
                top_p=1.0 if sampled["do_sample"] else None,
                **sampled,
            )[0, ids.shape[1] :]
        ended = len(found) < min(max_tokens, room) or int(found[-1]) in self._ends()
        text = self._tokenizer.decode(found, skip_special_tokens=True)
        return Reply(str(text), "stop" if ended else "length", self.files.name)

    def _ends(self) -> tuple[int, ...]:
        """Tokens that end an answer."""
        given = self._model.generation_config.eos_token_id
        return tuple(given) if isinstance(given, list) else () if given is None else (int(given),)
