"""A tiny vocabulary, gensim where it is installed, small models, and an embedding service."""

from __future__ import annotations

import hashlib
import importlib
import json
import socket
import struct
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Embeddings

Once = Callable[[str, Callable[[Path], object]], Path]
Vectors = dict[str, NDArray[np.float32]]


@pytest.fixture
def tiny() -> Vectors:
    """Six words, some of them awkward, with three dimensions each."""
    words = ["rose", "wasp", "café", "Ünal", "new_york", "1994"]
    rng = np.random.default_rng(7)
    return {word: rng.normal(size=3).astype(np.float32) for word in words}


@pytest.fixture(scope="session")
def gensim() -> Any:
    """gensim, an independent writer and reader of most formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module("gensim.models.fasttext")
            return importlib.import_module("gensim")
        except ImportError:
            pytest.skip("gensim is not installed (extra [test])")


@pytest.fixture(scope="session")
def tiny_bert(small_models: Any, once: Once) -> Path:
    """A small random encoder with a cased tokenizer of word pieces."""
    return once("tiny-bert", lambda folder: small_models.save_language_model("bert", folder, head=False))


@pytest.fixture(scope="session")
def tiny_gpt(small_models: Any, once: Once) -> Path:
    """A small random decoder with a tokenizer of bytes, saved as GPT-2 is published: with its head."""
    return once("tiny-gpt", lambda folder: small_models.save_language_model("gpt2", folder))


@pytest.fixture(scope="session")
def tiny_clip(small_models: Any, once: Once) -> Path:
    """A small random CLIP: single letters as tokens, images of 32 × 32."""
    return once("tiny", lambda folder: small_models.save_clip(folder / "tiny-clip")) / "tiny-clip"


Reply = tuple[int, dict[str, str], bytes]
"""Status, headers and body of an answer."""


class Service:
    """What the server does, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.answer: Callable[[str, dict[str, Any]], Reply] = self.openai
        self.url = ""
        self.server: Any = None
        self.reason: str | None = None

    @property
    def texts(self) -> list[str]:
        return [text for _, body, _ in self.asked for text in body.get("input") or body["inputs"]]

    def openai(self, path: str, body: dict[str, Any]) -> Reply:
        if not path.endswith("/v1/embeddings"):
            return 404, {}, b'{"detail": "Not Found"}'
        rows = [{"index": at, "embedding": self.numbers(text)} for at, text in enumerate(body["input"])]
        return 200, {}, json.dumps({"data": rows[::-1], "model": "tiny-1"}).encode()

    def ollama(self, path: str, body: dict[str, Any]) -> Reply:
        if path != "/api/embed":
            return 404, {}, b"404 page not found"
        rows = [self.numbers(text) for text in body["input"]]
        return 200, {}, json.dumps({"model": body["model"], "embeddings": rows}).encode()

    def tei(self, path: str, body: dict[str, Any]) -> Reply:
        if path != "/embed":
            return 404, {}, b""
        if len(body["inputs"]) > 2:
            said = f"batch size {len(body['inputs'])} > maximum allowed batch size 2"
            return 422, {}, json.dumps({"error": said, "error_type": "Validation"}).encode()
        return 200, {}, json.dumps([self.numbers(text) for text in body["inputs"]]).encode()

    def serve(self, numbers: Callable[[str], list[float]], names: Iterator[str] | None = None) -> None:
        """Answer with these numbers for a text, and say that the model has the next of these names."""

        def answer(path: str, body: dict[str, Any]) -> Reply:
            rows: dict[str, Any] = {"data": [{"embedding": numbers(text)} for text in body["input"]]}
            return 200, {}, json.dumps(rows | ({} if names is None else {"model": next(names)})).encode()

        self.answer = answer

    def first(self, *replies: Reply) -> None:
        """Give these answers first, and the right ones after them."""
        waiting = iter(replies)
        self.answer = lambda path, body: next(waiting, None) or self.openai(path, body)

    @staticmethod
    def numbers(text: str) -> list[float]:
        """The vector that the service has for a text: a function of its letters."""
        return [byte / 128 - 1 for byte in hashlib.sha256(text.encode()).digest()[:6]]

    def assert_right(self, found: Embeddings, words: Sequence[str]) -> None:
        """Every word has the vector that the service has for it."""
        assert found.labels == tuple(words)
        for word in words:
            assert found[word].tolist() == self.numbers(word)


@pytest.fixture
def service() -> Iterator[Service]:
    """A server on loopback; ``service.answer`` says what it does."""
    kept = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept.asked.append((self.path, body, dict(self.headers)))
            status, headers, data = kept.answer(self.path, body)
            if status == 0:  # cut the line, as a server that dies does
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self.send_response(status, kept.reason)
            for name, value in ({"Content-Length": str(len(data))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name is theirs)
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        kept.server = server
        kept.url = f"http://127.0.0.1:{server.server_port}"
        yield kept
        server.shutdown()


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CROSSROADS_API_KEY", raising=False)


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of the service, in the variable in which it is looked for."""
    monkeypatch.setenv("CROSSROADS_API_KEY", "sk-a-secret-nobody-may-see")
    return "sk-a-secret-nobody-may-see"
