"""Embedding services: a real server on this machine that answers well, badly, late, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Embeddings, catalog, weat
from crossroads.errors import CrossroadsWarning, FormatError, InputError, UnknownNameError
from crossroads.sources import EndpointError, endpoint_embeddings, is_endpoint

WORDS = ["rose", "wasp", "José", "東京", "new york"]
SECRET = "sk-a-secret-nobody-may-see"
Reply = tuple[int, dict[str, str], bytes]


def numbers(text: str) -> list[float]:
    """The vector that the service has for a text: a function of its letters."""
    return [byte / 128 - 1 for byte in hashlib.sha256(text.encode()).digest()[:6]]


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
        rows = [{"index": at, "embedding": numbers(text)} for at, text in enumerate(body["input"])]
        return 200, {}, json.dumps({"data": rows[::-1], "model": "tiny-1"}).encode()

    def ollama(self, path: str, body: dict[str, Any]) -> Reply:
        if path != "/api/embed":
            return 404, {}, b"404 page not found"
        rows = [numbers(text) for text in body["input"]]
        return 200, {}, json.dumps({"model": body["model"], "embeddings": rows}).encode()

    def tei(self, path: str, body: dict[str, Any]) -> Reply:
        if path != "/embed":
            return 404, {}, b""
        if len(body["inputs"]) > 2:
            said = f"batch size {len(body['inputs'])} > maximum allowed batch size 2"
            return 422, {}, json.dumps({"error": said, "error_type": "Validation"}).encode()
        return 200, {}, json.dumps([numbers(text) for text in body["inputs"]]).encode()


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


def assert_right(found: Embeddings, words: list[str] | None = None) -> None:
    assert found.labels == tuple(words or WORDS)
    for word in words or WORDS:
        assert found[word].tolist() == numbers(word)


def test_vectors_are_put_in_the_order_that_their_numbers_say(service: Service) -> None:
    found = endpoint_embeddings(service.url, WORDS, model="tiny")  # the server answers from back to front
    assert_right(found)
    assert found.provenance.source == "tiny"
    assert found.provenance.format == "endpoint"
    assert found.provenance.details == {
        "kind": "endpoint",
        "url": service.url,
        "protocol": "openai",
        "model": "tiny",
        "answered by": "tiny-1",
        "prompt": "{word}",
        "words": 5,
    }
    ((path, body, _),) = service.asked
    assert path == "/v1/embeddings"
    assert body == {"input": WORDS, "model": "tiny", "encoding_format": "float"}


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_the_address_may_be_given_in_part_or_in_full(service: Service, ending: str) -> None:
    assert_right(endpoint_embeddings(service.url + ending, WORDS))
    assert [path for path, _, _ in service.asked] == ["/v1/embeddings"]


def test_ollama_is_recognised_by_trying(service: Service) -> None:
    service.answer = service.ollama
    found = endpoint_embeddings(service.url, WORDS, model="tiny", batch_size=2)
    assert_right(found)
    assert found.provenance.details["protocol"] == "ollama"
    # once it is known nobody asks for the other protocol again
    assert [path for path, _, _ in service.asked] == ["/v1/embeddings", *["/api/embed"] * 3]


def test_tei_is_recognised_and_asked_for_less_where_it_says_so(service: Service) -> None:
    service.answer = service.tei
    found = endpoint_embeddings(service.url, WORDS)
    assert_right(found)
    assert found.provenance.details["protocol"] == "tei"
    assert found.provenance.source == service.url
    sizes = [len(body["inputs"]) for path, body, _ in service.asked if path == "/embed"]
    assert sizes == [5, 3, 2, 2, 1]  # halves, until two are accepted


@pytest.mark.parametrize(
    "said", ["Too many inputs. The max number of inputs is 2.", "array too long: maximum length 2"]
)
def test_a_service_that_says_otherwise_that_it_is_too_much_is_asked_for_less(
    service: Service, said: str
) -> None:
    def answer(path: str, body: dict[str, Any]) -> Reply:
        if len(body["input"]) > 2:
            return 400, {}, json.dumps({"error": {"message": said}}).encode()
        return service.openai(path, body)

    service.answer = answer
    assert_right(endpoint_embeddings(service.url, WORDS))


def test_a_batch_of_one_that_is_too_large_is_an_error(service: Service) -> None:
    service.answer = lambda path, body: (413, {}, b"payload too large")
    with pytest.raises(EndpointError, match="413: payload too large"):
        endpoint_embeddings(service.url, WORDS, protocol="openai")
    assert [len(body["input"]) for _, body, _ in service.asked] == [5, 3, 2, 1]


def test_a_service_without_any_of_the_protocols_is_an_error(service: Service) -> None:
    service.answer = lambda path, body: (404, {}, b'{"detail": "Not Found"}')
    with pytest.raises(EndpointError, match="none of the protocols openai, ollama and tei: Not Found"):
        endpoint_embeddings(service.url, WORDS)


def test_a_model_that_is_missing_is_not_taken_for_a_protocol_that_is(service: Service) -> None:
    said = b'{"error": {"message": "The model `tinny` does not exist", "code": "model_not_found"}}'
    service.answer = lambda path, body: (404, {}, said)
    with pytest.raises(EndpointError, match="The model `tinny` does not exist") as caught:
        endpoint_embeddings(service.url, WORDS, model="tinny")
    assert caught.value.status == 404
    assert len(service.asked) == 1


def test_words_are_asked_for_in_their_prompts_and_each_text_once(service: Service) -> None:
    found = endpoint_embeddings(service.url, ["axe", "rose", "axe"], prompt="This is {article} {word}")
    assert service.texts == ["This is an axe", "This is a rose"]
    assert found.labels == ("axe", "rose")
    assert found["axe"].tolist() == numbers("This is an axe")
    own = endpoint_embeddings(service.url, {"rose": "the {word}", "wasp": "an insect"})
    assert service.texts[2:] == ["the rose", "an insect"]
    assert own.provenance.details["prompt"] == ["an insect", "the {word}"]


def test_progress_is_told_in_words(service: Service) -> None:
    seen: list[tuple[int, int]] = []
    endpoint_embeddings(service.url, WORDS, batch_size=2, progress=lambda *now: seen.append(now))
    assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]


def test_a_planted_association_comes_through_the_service(service: Service) -> None:
    # Flowers and pleasant words lie along the first axis, insects and unpleasant ones along the second.
    design = catalog("weat1")
    first = {*design.x, *design.a}

    def planted(path: str, body: dict[str, Any]) -> Reply:
        rows = [[1.0, 0.1, n / 99] if t in first else [0.1, 1.0, n / 99] for n, t in enumerate(body["input"])]
        return 200, {}, json.dumps({"data": [{"embedding": row} for row in rows]}).encode()

    service.answer = planted
    result = weat(endpoint_embeddings(service.url, design.words), design)
    # within a target all associations are nearly equal, so that the pooled deviation is half the difference
    # of the means: d is close to its bound of 2 (for 25 and 25 with ddof 1: 2 · sqrt(49/50) = 1.98)
    assert 1.9 < result.effect_size < 1.981


class TestKeys:
    def test_the_key_is_sent_and_kept_out_of_sight(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", f" {SECRET}\n")
        found = endpoint_embeddings(service.url, WORDS)
        assert service.asked[0][2]["Authorization"] == f"Bearer {SECRET}"
        assert SECRET not in json.dumps(found.provenance.to_dict())

    def test_without_a_key_none_is_sent(self, service: Service) -> None:
        endpoint_embeddings(service.url, WORDS)
        assert "Authorization" not in service.asked[0][2]

    def test_another_variable_has_to_be_set(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(InputError, match="'MY_KEY' is not set"):
            endpoint_embeddings(service.url, WORDS, key_variable="MY_KEY")
        monkeypatch.setenv("MY_KEY", SECRET)
        endpoint_embeddings(service.url, WORDS, key_variable="MY_KEY")
        assert service.asked[0][2]["Authorization"] == f"Bearer {SECRET}"

    @pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
    def test_a_key_that_cannot_be_sent_is_refused_unseen(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, key: str
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", key)
        with pytest.raises(InputError, match="cannot be sent as a key") as caught:
            endpoint_embeddings(service.url, WORDS)
        assert key not in str(caught.value)
        assert service.asked == []

    def test_a_service_that_repeats_the_key_does_not_spread_it(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        said = json.dumps({"error": {"message": f"Incorrect API key provided: {SECRET}."}}).encode()
        service.answer = lambda path, body: (401, {}, said)
        with pytest.raises(EndpointError, match="401: Incorrect API key provided: …") as caught:
            endpoint_embeddings(service.url, WORDS)
        assert SECRET not in f"{caught.value} {caught.value.answer}"

    @pytest.mark.parametrize("key", [SECRET, "a/secret/that/nobody/may/see"])
    @pytest.mark.parametrize(
        "answer",
        [
            (200, {}, '{"error": {"message": "Incorrect key: KEY"}}'),
            (200, {}, "Authorization: Bearer KEY"),
            (200, {}, '{"data": "KEY"}'),
            (400, {}, "x" * 190 + " KEY"),  # cut off in the middle of the key
            (400, {}, ""),
            (302, {"Location": "http://example.org/KEY"}, ""),
        ],
    )
    def test_no_message_repeats_a_key_wherever_the_service_puts_it(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, Any, str], key: str
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", key)
        status, headers, text = answer
        escaped = json.dumps(key)[1:-1].replace("/", "\\/") if text.startswith("{") else key
        there = {name: value.replace("KEY", key) for name, value in headers.items()}
        service.answer = lambda path, body: (status, there, text.replace("KEY", escaped).encode())
        service.reason = key
        with pytest.raises(EndpointError) as caught:
            endpoint_embeddings(service.url, WORDS, protocol="openai")
        assert key[:12] not in f"{caught.value} {caught.value.answer}"

    def test_a_line_that_repeats_the_key_does_not_spread_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        with socket.create_server(("127.0.0.1", 0)) as server:

            def echo() -> None:
                line, _ = server.accept()
                with line:
                    line.recv(1 << 16)
                    line.sendall(f"you said {SECRET}\r\n".encode())

            threading.Thread(target=echo, daemon=True).start()
            with pytest.raises(EndpointError, match="does not speak HTTP: you said …") as caught:
                endpoint_embeddings(f"http://127.0.0.1:{server.getsockname()[1]}", WORDS, timeout=60)
        assert SECRET not in str(caught.value)

    def test_a_model_named_like_the_key_is_not_recorded(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        rows = {"data": [{"embedding": [1.0, 2.0]}], "model": f"for {SECRET}"}
        service.answer = lambda path, body: (200, {}, json.dumps(rows).encode())
        found = endpoint_embeddings(service.url, ["rose"], cache=tmp_path)
        assert found.provenance.source == "for …"
        assert SECRET not in json.dumps(found.provenance.to_dict())
        (kept,) = tmp_path.rglob("*.json")
        assert SECRET not in kept.read_text(encoding="utf-8")

    def test_a_key_in_the_place_of_the_variable_is_not_shown(self, service: Service) -> None:
        with pytest.raises(InputError, match="that was named is not set") as caught:
            endpoint_embeddings(service.url, WORDS, key_variable=SECRET)
        assert SECRET not in str(caught.value)

    def test_an_open_line_to_another_machine_is_warned_about(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        with pytest.warns(CrossroadsWarning, match="unencrypted"), pytest.raises(EndpointError):
            endpoint_embeddings("http://0.0.0.0:9", WORDS, retries=0)  # nobody is there

    def test_secrets_in_the_address_are_refused_or_left_out(self, service: Service) -> None:
        with pytest.raises(InputError, match="holds a name or a password") as caught:
            endpoint_embeddings(f"http://me:{SECRET}@127.0.0.1:1/v1", WORDS)
        assert SECRET not in str(caught.value)
        service.answer = lambda path, body: service.openai(path.partition("?")[0], body)
        found = endpoint_embeddings(f"{service.url}/v1?token={SECRET}&api-version=3", WORDS)
        assert service.asked[0][0] == f"/v1/embeddings?token={SECRET}&api-version=3"
        assert found.provenance.details["url"] == f"{service.url}/v1?api-version=3"


class TestFailuresThatPass:
    @pytest.mark.parametrize("status", [429, 500, 502, 503, 0])
    def test_a_busy_or_broken_service_is_asked_again(self, service: Service, status: int) -> None:
        failures = iter([status])

        def answer(path: str, body: dict[str, Any]) -> Reply:
            now = next(failures, 200)
            return service.openai(path, body) if now == 200 else (now, {"Retry-After": "0"}, b"busy")

        service.answer = answer
        assert_right(endpoint_embeddings(service.url, WORDS))
        assert len(service.asked) == 2

    def test_an_answer_that_breaks_off_is_asked_for_again(self, service: Service) -> None:
        lengths = iter([100_000])

        def answer(path: str, body: dict[str, Any]) -> Reply:
            status, _, data = service.openai(path, body)
            return status, {"Content-Length": str(next(lengths, len(data)))}, data

        service.answer = answer
        assert_right(endpoint_embeddings(service.url, WORDS, timeout=60))
        assert len(service.asked) == 2

    def test_the_service_says_when_to_come_back(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waited: list[float] = []
        monkeypatch.setattr(time, "sleep", waited.append)
        pauses = iter(["7", "Thu, 01 Jan 1970 00:00:00 GMT", "soon"])

        def answer(path: str, body: dict[str, Any]) -> Reply:
            pause = next(pauses, None)
            return service.openai(path, body) if pause is None else (429, {"Retry-After": pause}, b"")

        service.answer = answer
        assert_right(endpoint_embeddings(service.url, WORDS))
        assert waited == [7.0, 0.0, 2.0]  # as said; long ago; and where it cannot be read, 0.5 · 2²

    def test_a_service_that_wants_an_hour_is_not_waited_for(self, service: Service) -> None:
        service.answer = lambda path, body: (429, {"Retry-After": "3600"}, b'{"error": "quota"}')
        with pytest.raises(EndpointError, match=r"429: quota(.|\n)*come back in 3,600 s"):
            endpoint_embeddings(service.url, WORDS)
        assert len(service.asked) == 1

    def test_what_does_not_pass_is_an_error_with_the_words_of_the_service(self, service: Service) -> None:
        said = b'{"error": {"message": "over\\u001b[31mloaded\\nnow"}}'
        service.answer = lambda path, body: (503, {"Retry-After": "0"}, said)
        with pytest.raises(EndpointError, match=r"503: over \[31mloaded now, also after 2 more") as caught:
            endpoint_embeddings(service.url, WORDS, retries=2)
        assert caught.value.status == 503
        assert len(service.asked) == 3

    def test_a_service_that_is_silent_is_not_waited_for(self, service: Service) -> None:
        over = threading.Event()

        def answer(path: str, body: dict[str, Any]) -> Reply:
            over.wait(300)
            return service.openai(path, body)

        service.answer = answer
        try:
            with pytest.raises(EndpointError, match="did not answer in time"):
                endpoint_embeddings(service.url, WORDS, timeout=0.2, retries=0)
        finally:
            over.set()


class TestAnswersThatCannotBeUsed:
    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"<html><h1>Welcome</h1></html>", "no JSON(.|\n)*web page"),
            (b"", "no JSON"),
            (b"[" * 100_000, "no JSON"),
            (b"\xff\xfe", "no JSON"),
            (b"{}", "no list of vectors"),
            (b"[1, 2]", "no list of vectors"),
            (b'{"error": "model is loading"}', "the service says: model is loading"),
            (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', "1 vectors for 2 texts"),
            (b'{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}', "not of one length"),
            (b'{"data": [{"embedding": []}, {"embedding": []}]}', "empty or not of one length"),
            (b'{"data": [{"embedding": [1, NaN]}, {"embedding": [1, 2]}]}', "'rose' that is not finite"),
            (b'{"data": [{"embedding": [1, 1e999]}, {"embedding": [1, 2]}]}', "'rose' that is not finite"),
            (
                b'{"data": [{"embedding": [1, 2]}, {"embedding": [1, 1' + b"0" * 400 + b"]}]}",
                "'wasp' that is not finite",
            ),
            (b'{"data": [{"embedding": [1, "2"]}, {"embedding": [1, 2]}]}', "something else than numbers"),
            (b'{"data": [{"embedding": [1, true]}, {"embedding": [1, 2]}]}', "something else than numbers"),
            (b'{"data": [{"embedding": "AACAPw=="}, {"embedding": "AACAPw=="}]}', "vectors as text"),
            (
                b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
                "numbers are not 0",
            ),
            (b'{"data": [{"index": 1, "embedding": [1]}, {"embedding": [1]}]}', "numbers are not 0"),
            (b'{"data": [[1, 2], [3, 4]]}', "items without an embedding"),
        ],
    )
    def test_they_are_told_plainly(self, service: Service, data: bytes, said: str) -> None:
        service.answer = lambda path, body: (200, {}, data)
        with pytest.raises(EndpointError, match=said) as caught:
            endpoint_embeddings(service.url, ["rose", "wasp"], protocol="openai")
        assert len(str(caught.value)) < 400

    def test_an_endless_answer_is_cut_off(self, service: Service) -> None:
        service.answer = lambda path, body: (200, {}, b" " * 4_000_000)
        with pytest.raises(EndpointError, match="more than 1,572,864 bytes"):
            endpoint_embeddings(service.url, ["rose"])

    def test_a_model_that_changes_between_batches_is_noticed(self, service: Service) -> None:
        sizes = iter([6, 5])

        def answer(path: str, body: dict[str, Any]) -> Reply:
            size = next(sizes)
            return (
                200,
                {},
                json.dumps({"data": [{"embedding": numbers(t)[:size]} for t in body["input"]]}).encode(),
            )

        service.answer = answer
        with pytest.raises(EndpointError, match="of 5 numbers, and before of 6"):
            endpoint_embeddings(service.url, WORDS, batch_size=3)

    def test_a_model_that_changes_its_name_is_noticed(self, service: Service) -> None:
        names = iter(["one", "two"])

        def answer(path: str, body: dict[str, Any]) -> Reply:
            rows = [{"embedding": numbers(text)} for text in body["input"]]
            return 200, {}, json.dumps({"data": rows, "model": next(names)}).encode()

        service.answer = answer
        with pytest.raises(EndpointError, match="with the model 'two', and before with 'one'"):
            endpoint_embeddings(service.url, WORDS, batch_size=3)

    @pytest.mark.parametrize("encoding", ["gzip", "deflate"])
    def test_a_packed_answer_is_unpacked(self, service: Service, encoding: str) -> None:
        def pack(data: bytes) -> bytes:
            return gzip.compress(data) if encoding == "gzip" else zlib.compress(data)

        def answer(path: str, body: dict[str, Any]) -> Reply:
            status, _, data = service.openai(path, body)
            return status, {"Content-Encoding": encoding}, pack(data)

        service.answer = answer
        assert_right(endpoint_embeddings(service.url, WORDS))
        service.answer = lambda path, body: (400, {"Content-Encoding": encoding}, pack(b'{"error": "no"}'))
        with pytest.raises(EndpointError, match="answered 400: no"):
            endpoint_embeddings(service.url, WORDS)

    def test_a_packed_answer_is_not_unpacked_without_end(self, service: Service) -> None:
        packed = gzip.compress(b" " * 100_000_000, compresslevel=1)
        service.answer = lambda path, body: (200, {"Content-Encoding": "gzip"}, packed)
        tracemalloc.start()
        try:
            with pytest.raises(EndpointError, match="no JSON"):
                endpoint_embeddings(service.url, ["rose"])
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirection_to_another_host_is_not_followed(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, status: int
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        there = service.url.replace("127.0.0.1", "localhost")
        service.answer = lambda path, body: (status, {"Location": f"{there}/v1/embeddings"}, b"")
        with pytest.raises(EndpointError, match=f"leads on to {there}/v1/embeddings"):
            endpoint_embeddings(service.url, WORDS, protocol="openai")
        assert len(service.asked) == 1

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirection_on_the_same_host_is_followed(self, service: Service, status: int) -> None:
        def answer(path: str, body: dict[str, Any]) -> Reply:
            if path == "/v1/embeddings":
                return status, {"Location": "/new/v1/embeddings"}, b""
            return service.openai(path, body)

        service.answer = answer
        assert_right(endpoint_embeddings(service.url, WORDS))

    @pytest.mark.parametrize("location", ["", "http://[1", "https://\xe9"])
    def test_a_redirection_to_nowhere_is_not_followed(self, service: Service, location: str) -> None:
        service.answer = lambda path, body: (302, {"Location": location}, b"")
        with pytest.raises(EndpointError, match="leads on to"):
            endpoint_embeddings(service.url, WORDS, protocol="openai")

    def test_a_circle_of_redirections_ends(self, service: Service) -> None:
        service.answer = lambda path, body: (308, {"Location": path}, b"")
        with pytest.raises(EndpointError, match="leads in a circle"):
            endpoint_embeddings(service.url, WORDS, protocol="openai")


class TestPlacesThatCannotBeReached:
    def test_a_proxy_that_is_not_there_is_not_mistaken_for_the_service(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        monkeypatch.setenv("http_proxy", f"http://me:{SECRET}@127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(EndpointError, match=r"the proxy does not answer(.|\n)*http_proxy") as caught:
            endpoint_embeddings("http://service.invalid/v1", WORDS)
        assert SECRET not in str(caught.value)

    def test_nobody_is_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        with pytest.raises(EndpointError, match=f"nothing answers at http://127.0.0.1:{port}"):
            endpoint_embeddings(f"http://127.0.0.1:{port}", WORDS)

    def test_a_service_without_encryption_is_told_apart(self, service: Service) -> None:
        with pytest.raises(EndpointError, match=r"does not speak https(.|\n)*try http://"):
            endpoint_embeddings(service.url.replace("http:", "https:"), WORDS, timeout=60)

    def test_something_that_is_no_web_server_is_told_apart(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def greet() -> None:
                line, _ = server.accept()
                with line:
                    line.recv(1 << 16)
                    line.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

            threading.Thread(target=greet, daemon=True).start()
            with pytest.raises(EndpointError, match="does not speak HTTP"):
                endpoint_embeddings(f"http://127.0.0.1:{server.getsockname()[1]}", WORDS, timeout=60)

    @pytest.mark.parametrize(
        "url",
        [
            "ftp://example.org",
            "http://",
            "example.org",
            "http://[::1",
            "http://a:b",
            "http://a b/",
            "http://ü.de",
        ],
    )
    def test_what_is_no_address_is_refused(self, url: str) -> None:
        with pytest.raises(InputError, match="address"):
            endpoint_embeddings(url, WORDS)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of our own for this machine, which nobody has reason to trust, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the command openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    chain, key = folder / "chain.pem", folder / "key.pem"
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=crossroads"
    command = [openssl, *made.split(), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(chain)], check=True, capture_output=True)
    return chain, key


def test_a_certificate_counts_only_where_it_is_trusted(
    service: Service, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
    url = service.url.replace("http:", "https:")
    with pytest.raises(
        EndpointError, match=r"certificate of https://127.0.0.1:\d+/\S+ cannot be trusted: self"
    ):
        endpoint_embeddings(url, WORDS)
    assert service.asked == []
    monkeypatch.setenv("SSL_CERT_FILE", str(chain))  # as the hint says
    assert_right(endpoint_embeddings(url, WORDS))


class TestKeptAnswers:
    def test_an_interrupted_run_goes_on_and_ends_the_same(self, service: Service, tmp_path: Path) -> None:
        whole = endpoint_embeddings(service.url, WORDS, batch_size=2)
        service.asked.clear()

        def fails_late(path: str, body: dict[str, Any]) -> Reply:
            return (400, {}, b"enough") if len(service.asked) > 2 else service.openai(path, body)

        service.answer = fails_late
        with pytest.raises(EndpointError, match="400: enough"):
            endpoint_embeddings(service.url, WORDS, batch_size=2, cache=tmp_path / "kept")
        service.answer = service.openai
        service.asked.clear()
        found = endpoint_embeddings(service.url, WORDS, batch_size=2, cache=tmp_path / "kept")
        assert service.texts == ["new york"]
        assert np.array_equal(found.vectors, whole.vectors)
        assert found.provenance == whole.provenance
        again = endpoint_embeddings(service.url, WORDS, batch_size=2, cache=tmp_path / "kept")
        assert len(service.asked) == 1
        assert again.provenance == whole.provenance
        assert np.array_equal(again.vectors, whole.vectors)

    def test_another_prompt_or_model_is_asked_anew(self, service: Service, tmp_path: Path) -> None:
        endpoint_embeddings(service.url, ["rose"], cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], prompt="a {word}", cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], model="other", cache=tmp_path)
        assert service.texts == ["rose", "a rose", "rose"]

    def test_addresses_that_differ_in_a_parameter_are_two_services(
        self, service: Service, tmp_path: Path
    ) -> None:
        def answer(path: str, body: dict[str, Any]) -> Reply:
            rows = [{"embedding": numbers(path + text)} for text in body["input"]]
            return 200, {}, json.dumps({"data": rows}).encode()

        service.answer = answer
        one = endpoint_embeddings(f"{service.url}/v1?deployment=a", ["rose"], cache=tmp_path)
        two = endpoint_embeddings(f"{service.url}/v1?deployment=b", ["rose"], cache=tmp_path)
        assert one["rose"].tolist() == numbers("/v1/embeddings?deployment=arose")
        assert two["rose"].tolist() == numbers("/v1/embeddings?deployment=brose")

    def test_no_secret_is_kept(
        self, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", SECRET)
        service.answer = lambda path, body: service.openai(path.partition("?")[0], body)
        endpoint_embeddings(f"{service.url}?token={SECRET}", WORDS, cache=tmp_path)
        kept = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
        assert len(kept) == 1
        assert SECRET not in kept[0]

    def test_a_damaged_answer_is_noticed(self, service: Service, tmp_path: Path) -> None:
        endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        (path,) = tmp_path.rglob("*.json")
        path.write_bytes(path.read_bytes().replace(b"0.", b"1.", 1))
        with pytest.raises(FormatError, match="kept answer is damaged") as caught:
            endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        assert caught.value.path == path

    def test_a_file_in_the_place_of_the_folder_is_an_error(self, service: Service, tmp_path: Path) -> None:
        (tmp_path / "taken").write_text("mine")
        with pytest.raises(InputError, match="answers cannot be kept"):
            endpoint_embeddings(service.url, WORDS, cache=tmp_path / "taken")
        assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "batch_size=0"),
        ({"retries": -1}, "retries=-1"),
        ({"timeout": 0}, "timeout=0"),
        ({"timeout": float("inf")}, "timeout=inf"),
        ({"timeout": float("nan")}, "timeout=nan"),
    ],
)
def test_numbers_that_cannot_be_used_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        endpoint_embeddings("http://127.0.0.1:9", WORDS, **options)


def test_an_unknown_protocol_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'openai'"):
        endpoint_embeddings("http://127.0.0.1:9", WORDS, protocol="open-ai")


def test_addresses_are_known_by_their_beginning() -> None:
    assert is_endpoint("http://localhost:11434")
    assert is_endpoint(" HTTPS://example.org/v1")
    assert not is_endpoint("bert-base-cased")
    assert not is_endpoint("httpd/vectors.txt")
    assert not is_endpoint(Path("http:"))
