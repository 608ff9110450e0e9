"""One vector per word from an embedding service: OpenAI's protocol, Ollama's, or that of Hugging Face's TEI.

Only the standard library is used. The words are sent to the service that is given and to no other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import in_short, one_of
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.models.services.addresses import (
    KEY_VARIABLE,
    OLLAMA,
    OPENAI,
    TEI,
    Protocol,
    address,
    checked_url,
    parameters_sha256,
    protocol_of,
    public_url,
)
from crossroads.core.models.services.calls import (
    Answer,
    Caller,
    EndpointError,
    Protocols,
    question,
    read_answer,
    read_key,
)
from crossroads.core.storage.cache import Cache, Form, Key, make_folder
from crossroads.core.storage.files import fingerprint
from crossroads.words.models.prompts import Words, prompted_words, said_prompts
from crossroads.words.models.settings import Progress, check_counts, ignore

_BYTES_A_TEXT = 1 << 19
_BYTES_AROUND = 1 << 20
_ALIKE = 0.02
"""Largest relative distance of two vectors that a model gives one text; services compute in 16 bits, too."""
_SAYS_TOO_MANY = ("batch", "too many", "too large", "too long", "maximum")


class Batch(NamedTuple):
    """The answer to the texts of one request, as it is kept."""

    protocol: str
    model: str | None
    vectors: dict[str, list[float]]


def _read_batch(data: bytes) -> Batch:
    protocol, model, vectors = json.loads(data)
    if not isinstance(model, str | None) or protocol not in (OPENAI, OLLAMA, TEI):
        raise TypeError("these are not the names of a model and a protocol")
    rows = np.array(list(vectors.values()), np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise ValueError("these are not vectors of one length")
    return Batch(protocol, model, vectors)


BATCH = Form(".json", lambda batch: json.dumps(batch).encode(), _read_batch)
"""The answer to one request on disk."""


def is_endpoint(text: object) -> bool:
    """Whether a text is the address of a service: it begins with ``http://`` or ``https://``."""
    return isinstance(text, str) and text.strip().lower().startswith(("http://", "https://"))


def endpoint_embeddings(
    url: str,
    words: Words,
    *,
    model: str | None = None,
    prompt: str = "{word}",
    protocol: Protocol = "auto",
    key_variable: str = KEY_VARIABLE,
    batch_size: int = 64,
    timeout: float = 60.0,
    retries: int = 4,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Embeddings:
    """One vector per word, from an embedding service.

    Parameters
    ----------
    url
        Its address: the root, ``…/v1``, or the full path.
    words
        Words, or a mapping of word to its own prompt.
    model
        Name of the model, for services that have several.
    prompt
        Template with ``{word}``; the bare word by default.
    protocol
        ``"openai"`` (also vLLM, LM Studio, llama.cpp …), ``"ollama"``, ``"tei"``, or ``"auto"``, which
        follows from the address or else is found by trying.
    key_variable
        Name of the environment variable that holds the key of the service, which is neither kept nor shown.
    batch_size
        Most words per request; halved if the service answers that it is too many.
    timeout, retries
        Seconds that an answer may take, and how often a request is repeated when the service is busy or the
        connection breaks.
    cache
        Folder in which answers are kept, so that an interrupted run continues where it stopped. One kept text
        is then asked for again: a service that gives it another vector has changed its model.
    progress
        Called with the number of words done and the total.

    Examples
    --------
    ``url`` is the address of an embedding service:

    >>> import crossroads as cr
    >>> emb = cr.sources.endpoint_embeddings(url, ["rose", "wasps"], model="tiny")
    >>> emb.labels, emb.vectors.tolist()
    (('rose', 'wasps'), [[4.0, 1.0], [5.0, 1.0]])
    """
    one_of("protocol", protocol, Protocol)
    check_counts(batch_size=batch_size)
    url = checked_url(str(url).strip())
    texts = prompted_words(words, prompt)
    caller = Caller(key=read_key(key_variable, url), timeout=timeout, retries=retries)
    service = _Service(url, model, protocol, caller, batch_size, cache)
    vectors = service.vectors([text.text for text in texts], progress or ignore)
    details = {
        "kind": "endpoint",
        "url": public_url(url),
        "protocol": service.protocol,
        "model": model,
        "answered by": service.answered_by,
        "prompt": said_prompts(words.values() if isinstance(words, Mapping) else [prompt]),
        "words": len(texts),
    }
    source = model or service.answered_by or public_url(url)
    about = Provenance(source=source, format="endpoint", details=details)
    return Embeddings([text.word for text in texts], vectors, provenance=about)


class _Service:
    """A service, its protocol, and its answers so far."""

    def __init__(
        self,
        url: str,
        model: str | None,
        protocol: str,
        caller: Caller,
        batch_size: int,
        cache: str | Path | None,
    ) -> None:
        self._url, self._model, self._caller, self._size = url, model, caller, batch_size
        found = protocol_of(url) if protocol == "auto" else protocol
        example = "https://example.org/v1/embeddings"
        self._protocols = Protocols(url, found, (OPENAI, OLLAMA, TEI), example)
        key = {"url": public_url(url), "model": model, "protocol": protocol}
        if (parameters := parameters_sha256(url)) is not None:
            key["parameters sha256"] = parameters
        self._cache = Cache(None if cache is None else Path(cache) / fingerprint(key)[:16], paid=True)
        if self._cache.folder is not None:
            make_folder(self._cache.folder)  # before anything is asked
        self.answered_by: str | None = None
        self._known: dict[str, NDArray[np.float64]] = {}
        for batch in self._cache.all(BATCH):
            rows = {text: np.array(row, np.float64) for text, row in batch.vectors.items()}
            if len({len(next(iter(some.values()))) for some in (rows, self._known) if some}) > 1:
                continue  # of another model: the texts are asked for again
            self._known |= rows
            self.answered_by = batch.model or self.answered_by
            self._protocols.candidates = (batch.protocol,)

    @property
    def protocol(self) -> str:
        """The protocol; ``"auto"`` before the first request."""
        candidates = self._protocols.candidates
        return candidates[0] if len(candidates) == 1 else "auto"

    def vectors(self, texts: Sequence[str], progress: Progress) -> NDArray[np.float64]:
        """One vector per text; cached ones are not requested again."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        total, at = len(set(texts)), 0
        progress(total - len(missing), total)
        if missing and self._known:
            self._ask_again(next((text for text in texts if text in self._known), next(iter(self._known))))
        while at < len(missing):
            batch = missing[at : at + self._size]
            try:
                answer = self._ask(batch)
            except EndpointError as error:
                said = error.answer.lower()
                refused = error.status in (400, 422) and any(sign in said for sign in _SAYS_TOO_MANY)
                if len(batch) == 1 or not (refused or error.status == 413):
                    raise
                self._size = -(-len(batch) // 2)
                continue
            self._check(answer)
            rows = dict(zip(batch, answer.vectors.tolist(), strict=True))
            self._cache.keep(
                Key("batch", "", {"texts": batch}), Batch(self.protocol, answer.model, rows), BATCH
            )
            self._known.update(zip(batch, answer.vectors, strict=True))
            at += len(batch)
            progress(total - len(missing) + at, total)
        return np.stack([self._known[text] for text in texts])

    def _ask(self, texts: Sequence[str]) -> Answer:
        def send(protocol: str) -> Answer:
            body, most = question(protocol, texts, self._model), _BYTES_AROUND + _BYTES_A_TEXT * len(texts)
            data = self._caller.post(address(self._url, protocol), body, most_bytes=most)
            return read_answer(protocol, data, texts, secret=self._caller.key)

        return self._protocols.ask(send)

    def _ask_again(self, text: str) -> None:
        """Ask for a kept text again, so that vectors of two models are never joined under one name."""
        before, answer = self._known[text], self._ask([text])
        self._check(answer)
        if np.linalg.norm(answer.vectors[0] - before) > _ALIKE * np.linalg.norm(before):
            place = "" if self._cache.folder is None else f" in {self._cache.folder}"
            raise EndpointError(
                f"{public_url(self._url)} gives another vector for {in_short(text)} than the one that is kept"
                f"{place}: the model behind the address has changed.",
                hint="remove that folder and start again, or name another one.",
            )

    def _check(self, answer: Answer) -> None:
        """Check that an answer is of the same model as those before."""
        before, changed = next(iter(self._known.values()), None), ""
        if before is not None and len(before) != answer.vectors.shape[1]:
            changed = f"vectors of {answer.vectors.shape[1]} numbers, and before of {len(before)}"
        elif answer.model and self.answered_by and answer.model != self.answered_by:
            changed = f"the model {in_short(answer.model)}, and before with {in_short(self.answered_by)}"
        if changed:
            raise EndpointError(
                f"the service answered with {changed}.",
                hint="name one model; if it has changed, remove the cache (in the shell: --fresh).",
            )
        self.answered_by = self.answered_by or answer.model
