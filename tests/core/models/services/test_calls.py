"""Calls of embedding services that are late, busy, elsewhere, or not there at all."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crossroads.core.errors import InputError
from crossroads.core.models.services.calls import Caller, EndpointError
from crossroads.words.models.endpoint import endpoint_embeddings

if TYPE_CHECKING:
    from tests.fixtures.sources import Reply, Service

WORDS = ["rose", "wasp", "José", "東京", "new york"]


class TestFailuresThatPass:
    @pytest.mark.parametrize(
        "reply",
        [
            *((status, {"Retry-After": "0"}, b"busy") for status in (429, 500, 502, 503, 0)),
            (200, {"Content-Length": "100000"}, b"breaks off"),
        ],
    )
    def test_a_busy_or_broken_service_is_asked_again(self, service: Service, reply: Reply) -> None:
        service.first(reply)
        service.assert_right(endpoint_embeddings(service.url, WORDS, timeout=60), WORDS)
        assert len(service.asked) == 2

    def test_the_service_says_when_to_come(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        waited: list[float] = []
        monkeypatch.setattr(time, "sleep", waited.append)
        pauses = ("7", "Thu, 01 Jan 1970 00:00:00 GMT", "soon")
        service.first(*((429, {"Retry-After": pause}, b"") for pause in pauses))
        service.assert_right(endpoint_embeddings(service.url, WORDS), WORDS)
        assert waited == [7.0, 0.0, 2.0]  # as said; long ago; and where it cannot be read, 0.5 · 2²

    def test_a_service_that_wants_an_hour_is_not_waited_for(self, service: Service) -> None:
        service.answer = lambda path, body: (429, {"Retry-After": "3600"}, b'{"error": "quota"}')
        with pytest.raises(EndpointError, match=r"429: quota(.|\n)*wait 3,600 s"):
            endpoint_embeddings(service.url, WORDS)
        assert len(service.asked) == 1

    def test_what_does_not_pass_is_an_error_with_the_words_of_the_service(self, service: Service) -> None:
        said = b'{"error": {"message": "over\\u001b[31mloaded\\nnow"}}'
        service.answer = lambda path, body: (503, {"Retry-After": "0"}, said)
        with pytest.raises(EndpointError, match=r"503: over \[31mloaded now, even after 2 more") as caught:
            endpoint_embeddings(service.url, WORDS, retries=2)
        assert caught.value.status == 503
        assert len(service.asked) == 3


class TestRedirections:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.usefixtures("secret")
    def test_a_redirection_to_another_host_is_not_followed(self, service: Service, status: int) -> None:
        there = service.url.replace("127.0.0.1", "localhost")
        service.answer = lambda path, body: (status, {"Location": f"{there}/v1/embeddings"}, b"")
        with pytest.raises(EndpointError, match=f"redirects to {there}/v1/embeddings"):
            endpoint_embeddings(service.url, WORDS, protocol="openai")
        assert len(service.asked) == 1

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirection_on_the_same_host_is_followed(self, service: Service, status: int) -> None:
        service.first((status, {"Location": "/new/v1/embeddings"}, b""))
        service.assert_right(endpoint_embeddings(service.url, WORDS), WORDS)
        assert [path for path, _, _ in service.asked] == ["/v1/embeddings", "/new/v1/embeddings"]

    @pytest.mark.parametrize(
        ("location", "said"), [("/v1/embeddings", "in a circle"), ("", "to"), ("http://[1", "to")]
    )
    def test_a_redirection_to_nowhere_ends(self, service: Service, location: str, said: str) -> None:
        service.answer = lambda path, body: (308, {"Location": location}, b"")
        with pytest.raises(EndpointError, match=f"redirects {said}"):
            endpoint_embeddings(service.url, WORDS, protocol="openai")


class TestPlacesThatCannotBeReached:
    def test_an_absent_proxy_is_not_taken_for_the_service(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(EndpointError, match=r"the proxy does not answer(.|\n)*http_proxy") as caught:
            endpoint_embeddings("http://service.invalid/v1", WORDS)
        assert "secret" not in str(caught.value)

    def test_nobody_is_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        with pytest.raises(EndpointError, match=f"nothing answers at http://127.0.0.1:{port}"):
            endpoint_embeddings(f"http://127.0.0.1:{port}", WORDS)

    def test_a_service_without_encryption_is_told_apart(self, service: Service) -> None:
        with pytest.raises(EndpointError, match=r"does not speak https(.|\n)*try http://"):
            endpoint_embeddings(service.url.replace("http:", "https:"), WORDS, timeout=60)

    @pytest.mark.parametrize("url", ["ftp://example.org", "http://", "http://[::1", "http://a b/"])
    def test_what_is_no_address_is_refused(self, url: str) -> None:
        with pytest.raises(InputError, match="address"):
            endpoint_embeddings(url, WORDS)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the command openssl is not installed")
def test_a_certificate_counts_only_where_it_is_trusted(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"  # our own, which nobody has reason to trust
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=crossroads"
    command = ["openssl", *made.split(), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(chain)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
    url = service.url.replace("http:", "https:")
    with pytest.raises(EndpointError, match=r"certificate of https://127\.\S+ cannot be trusted: self"):
        endpoint_embeddings(url, WORDS)
    assert service.asked == []
    monkeypatch.setenv("SSL_CERT_FILE", str(chain))  # as the hint says
    service.assert_right(endpoint_embeddings(url, WORDS), WORDS)


TRICKLED = {
    "nothing": (b"", b""),
    "the status line": (b"", b"HTTP/1.1 200 OK"),
    "an interim status": (b"HTTP/1.1 10", b"0 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
    "a header": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a" * 60),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 20),
    "a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" " * 100),
    "the body of an error": (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 100000\r\n\r\n", b"x" * 100),
    "the body of a redirection": (b"HTTP/1.1 308 There\r\nLocation: /\r\nContent-Length: 9999\r\n\r\n", b"x"),
    "the size of a chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 100),
    "what follows the last chunk": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n",
        b"A: b\r\n" * 20,
    ),
}
"""What a service sends at once, and what it then sends byte by byte, over and over, if anything."""


def trickling(server: socket.socket, at_once: bytes, slowly: bytes, over: threading.Event) -> None:
    """Answer every connection, and never come to an end."""

    def answer(line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            line.recv(1 << 16)
            line.sendall(at_once)
            if not slowly:
                over.wait(300)
            for byte in itertools.cycle(slowly):
                if over.wait(0.03):
                    return
                line.sendall(bytes([byte]))

    with contextlib.suppress(OSError):  # the server is closed at the end of the test
        while True:
            threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()


@pytest.mark.parametrize("place", [*TRICKLED, "a handshake"])
def test_a_service_that_sends_a_byte_at_a_time_is_not_waited_for(place: str) -> None:
    over, said = threading.Event(), r"did not answer in time|400: Bad|redirects in a circle|not speak https"
    # a handshake of 16 KiB takes some minutes
    sent = TRICKLED.get(place, (b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb", b"\x00"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=trickling, args=(server, *sent, over), daemon=True).start()
        scheme = "http" if place in TRICKLED else "https"
        address = f"{scheme}://127.0.0.1:{server.getsockname()[1]}/v1"
        begun = time.monotonic()
        try:
            with pytest.raises(EndpointError, match=said):
                Caller(key=None, timeout=0.3, retries=0).post(address, b"{}", most_bytes=1 << 20)
        finally:
            over.set()
        assert time.monotonic() - begun < 2
