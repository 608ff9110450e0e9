"""Answers of embedding services: those that cannot be used are told plainly, packed ones are unpacked."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from crossroads.sources.endpoints.answers import EndpointError
from crossroads.sources.endpoints.embeddings import endpoint_embeddings

if TYPE_CHECKING:
    from tests.sources.conftest import Reply, Service

WORDS = ["rose", "wasp", "José", "東京", "new york"]


class TestAnswersThatCannotBeUsed:
    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"<html><h1>Welcome</h1></html>", "other than JSON(.|\n)*web page"),
            (b"[" * 100_000, "other than JSON"),
            (b"{}", "no list of vectors"),
            (b'{"error": "model is loading"}', "the service says: model is loading"),
            (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', "1 vectors for 2 texts"),
            (b'{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}', "not of one length"),
            (b'{"data": [{"embedding": [1, NaN]}, {"embedding": [1, 2]}]}', "'rose' that is not finite"),
            (b'{"data": [{"embedding": [1]}, {"embedding": [1' + b"0" * 400 + b"]}]}", "'wasp' that is not"),
            (b'{"data": [{"embedding": [1, true]}, {"embedding": [1, 2]}]}', "something other than numbers"),
            (b'{"data": [{"embedding": "AACAPw=="}, {"embedding": "AACAPw=="}]}', "vectors as text"),
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
        service.serve(lambda text: service.numbers(text)[: 6 if text in WORDS[:3] else 5])
        with pytest.raises(EndpointError, match="of 5 numbers, and before of 6"):
            endpoint_embeddings(service.url, WORDS, batch_size=3)
        service.serve(service.numbers, iter(["one", "two"]))
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
        service.assert_right(endpoint_embeddings(service.url, WORDS), WORDS)
        service.answer = lambda path, body: (400, {"Content-Encoding": encoding}, pack(b'{"error": "no"}'))
        with pytest.raises(EndpointError, match="answered 400: no"):
            endpoint_embeddings(service.url, WORDS)

    def test_a_packed_answer_is_not_unpacked_without_end(self, service: Service) -> None:
        packed = gzip.compress(b" " * 100_000_000, compresslevel=1)
        service.answer = lambda path, body: (200, {"Content-Encoding": "gzip"}, packed)
        tracemalloc.start()
        try:
            with pytest.raises(EndpointError, match="other than JSON"):
                endpoint_embeddings(service.url, ["rose"])
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()
