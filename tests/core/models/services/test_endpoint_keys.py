"""Keys of embedding services: sent to the service, and seen by nobody else."""

from __future__ import annotations

import base64
import json
import socket
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from crossroads.core.errors import CrossroadsWarning, InputError
from crossroads.core.models.services.addresses import without
from crossroads.core.models.services.calls import EndpointError
from crossroads.words.models.endpoint import endpoint_embeddings

if TYPE_CHECKING:
    from tests.fixtures.sources import Service

WORDS = ["rose", "wasp", "José", "東京", "new york"]
SECRET = "sk-a-secret-nobody-may-see"

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in part": lambda key: key[3:-2],
    "the first half": lambda key: key[: len(key) // 2],
    "the ends": lambda key: f"{key[:3]}{'*' * 20}{key[-4:]}",
    "capitals": str.upper,
    "percent": lambda key: quote(key, safe=""),
    "every sign in percent": lambda key: "".join(f"%{ord(sign):02x}" for sign in key),
    "half in percent": lambda key: "".join(f"%{ord(s):02X}" if i % 2 else s for i, s in enumerate(key)),
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 without its end": lambda key: base64.b64encode(key.encode()).decode().rstrip("="),
    "the header in base64": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "a name and the key in base64": lambda key: base64.urlsafe_b64encode(f"me:{key}".encode()).decode(),
    "base64 in percent": lambda key: quote(base64.b64encode(key.encode()).decode(), safe=""),
    "hexadecimal": lambda key: key.encode().hex(),
    "JSON": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
    "JSON with slashes": lambda key: key.replace("/", "\\/"),
    "a web page": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "two lines": lambda key: f"{key[:9]}\n  {key[9:]}",
}


class TestKeys:
    def test_the_key_is_sent_and_not_kept(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        endpoint_embeddings(service.url, WORDS)
        assert "Authorization" not in service.asked[0][2]
        for variable in ("CROSSROADS_API_KEY", "MY_KEY"):
            monkeypatch.setenv(variable, f" {SECRET}\n")
            found = endpoint_embeddings(service.url, WORDS, key_variable=variable)
            assert service.asked[-1][2]["Authorization"] == f"Bearer {SECRET}"
            assert SECRET not in json.dumps(found.provenance.to_dict())
        with pytest.raises(InputError, match="'OTHER_KEY' is not set"):
            endpoint_embeddings(service.url, WORDS, key_variable="OTHER_KEY")
        with pytest.raises(InputError, match="that was named is not set") as caught:
            endpoint_embeddings(service.url, WORDS, key_variable=SECRET)  # in the place of its name
        assert SECRET not in str(caught.value)

    @pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
    def test_a_key_that_cannot_be_sent_is_refused_unseen(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, key: str
    ) -> None:
        monkeypatch.setenv("CROSSROADS_API_KEY", key)
        with pytest.raises(InputError, match="cannot be sent as a key") as caught:
            endpoint_embeddings(service.url, WORDS)
        assert key not in str(caught.value)
        assert service.asked == []

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

    @pytest.mark.parametrize("status", [200, 401])
    @pytest.mark.parametrize("way", SPELLINGS)
    def test_no_message_shows_a_key_that_comes_back_in_another_spelling(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, way: str, status: int
    ) -> None:
        key = "sk-Proj/4f+Q9z_Tr0u8bdor.x7=K2"
        monkeypatch.setenv("CROSSROADS_API_KEY", key)
        written = SPELLINGS[way](key)
        said = json.dumps({"error": {"message": f"I know no {written}, said the service."}}).encode()
        service.answer = lambda path, body: (status, {}, said)
        service.reason = "no"
        with pytest.raises(EndpointError, match=r"I know no .*….* said the service") as caught:
            endpoint_embeddings(service.url, WORDS, protocol="openai", retries=0)
        shown = "".join(traceback.format_exception(caught.value)) + caught.value.answer
        assert written not in shown
        parts = {written[at : at + 6] for at in range(len(written) - 5)}
        assert [part for part in parts if part in shown.replace("said the service", "")] == []

    @pytest.mark.parametrize("way", SPELLINGS)
    def test_nothing_else_is_taken_out_of_a_message(self, way: str) -> None:
        long = f"<p>I know no {SPELLINGS[way](SECRET)}, {'x' * 70_000}."
        assert without(long, SECRET).startswith("<p>I know no …")
        said = "The model `text-embedding-3` does not exist; aGVsbG8gd29ybGQ= is 68656c6c6f, 100%25 of it."
        assert without(said, SECRET) == without(said, None) == said

    def test_a_line_that_repeats_the_key_does_not_spread_it(self, secret: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def echo() -> None:
                line, _ = server.accept()
                with line:
                    line.recv(1 << 16)
                    line.sendall(f"you said {secret}\r\n".encode())

            threading.Thread(target=echo, daemon=True).start()
            with pytest.raises(EndpointError, match="does not speak HTTP: you said …") as caught:
                endpoint_embeddings(f"http://127.0.0.1:{server.getsockname()[1]}", WORDS, timeout=60)
        assert secret not in str(caught.value)

    def test_no_secret_is_kept(self, service: Service, secret: str, tmp_path: Path) -> None:
        service.serve(service.numbers, iter([f"for {secret}"]))  # a model that is named like the key
        found = endpoint_embeddings(f"{service.url}?token={secret}", ["rose"], cache=tmp_path)
        assert found.provenance.source == "for …"
        assert secret not in json.dumps(found.provenance.to_dict())
        (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
        assert secret not in kept.read_text(encoding="utf-8")

    @pytest.mark.usefixtures("secret")
    def test_an_open_line_to_another_machine_is_warned_about(self) -> None:
        with pytest.warns(CrossroadsWarning, match="unencrypted"), pytest.raises(EndpointError):
            endpoint_embeddings("http://0.0.0.0:9", WORDS, retries=0)  # nobody is there

    def test_secrets_in_the_address_are_refused_or_left_out(self, service: Service) -> None:
        with pytest.raises(InputError, match="contains a user name or a password") as caught:
            endpoint_embeddings(f"http://me:{SECRET}@127.0.0.1:1/v1", WORDS)
        assert SECRET not in str(caught.value)
        service.answer = lambda path, body: service.openai(path.partition("?")[0], body)
        found = endpoint_embeddings(f"{service.url}/v1?token={SECRET}&api-version=3", WORDS)
        assert service.asked[0][0] == f"/v1/embeddings?token={SECRET}&api-version=3"
        assert found.provenance.details["url"] == f"{service.url}/v1?api-version=3"
