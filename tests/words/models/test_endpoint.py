"""Embedding services: a real server on this machine that speaks each of the protocols, and kept answers."""

from __future__ import annotations

import gzip
import hashlib
import json
import tracemalloc
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crossroads.core.errors import CrossroadsWarning, InputError
from crossroads.core.models.services.calls import EndpointError
from crossroads.words.models.endpoint import endpoint_embeddings

if TYPE_CHECKING:
    from tests.fixtures.sources import Reply, Service

WORDS = ["rose", "wasp", "José", "東京", "new york"]


def test_vectors_are_put_in_the_order_that_their_numbers_say(service: Service) -> None:
    found = endpoint_embeddings(service.url, WORDS, model="tiny")  # the server answers from back to front
    service.assert_right(found, WORDS)
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
    service.assert_right(endpoint_embeddings(service.url + ending, WORDS), WORDS)
    assert [path for path, _, _ in service.asked] == ["/v1/embeddings"]


def test_ollama_is_recognised_by_trying(service: Service) -> None:
    service.answer = service.ollama
    seen: list[tuple[int, int]] = []
    found = endpoint_embeddings(
        service.url, WORDS, model="tiny", batch_size=2, progress=lambda *now: seen.append(now)
    )
    assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]
    service.assert_right(found, WORDS)
    assert found.provenance.details["protocol"] == "ollama"
    # once it is known nobody asks for the other protocol again
    assert [path for path, _, _ in service.asked] == ["/v1/embeddings", *["/api/embed"] * 3]


def test_tei_is_recognised_and_asked_for_less_where_it_says_so(service: Service) -> None:
    service.answer = service.tei
    found = endpoint_embeddings(service.url, WORDS)
    service.assert_right(found, WORDS)
    assert found.provenance.details["protocol"] == "tei"
    assert found.provenance.source == service.url
    sizes = [len(body["inputs"]) for path, body, _ in service.asked if path == "/embed"]
    assert sizes == [5, 3, 2, 2, 1]  # halves, until two are accepted


@pytest.mark.parametrize("said", ["Too many inputs: the most are 2.", "array too long: maximum length 2"])
def test_a_service_that_says_that_it_is_too_much_is_asked_for_less(service: Service, said: str) -> None:
    def answer(path: str, body: dict[str, Any]) -> Reply:
        if len(body["input"]) > 2:
            return 400, {}, json.dumps({"error": {"message": said}}).encode()
        return service.openai(path, body)

    service.answer = answer
    service.assert_right(endpoint_embeddings(service.url, WORDS), WORDS)


@pytest.mark.parametrize(
    ("reply", "said", "sizes"),
    [
        ((413, {}, b"payload too large"), "413: payload too large", [5, 3, 2, 1]),
        ((404, {}, b'{"detail": "Not Found"}'), "none of the protocols openai, ollama and tei", [5, 5, 5]),
        # a model that is missing is not taken for a protocol that is
        ((404, {}, b'{"error": {"message": "model does not exist", "code": "model_not_found"}}'),
         "404: model does not exist", [5]),
    ],
)  # fmt: skip
def test_what_a_service_cannot_do_is_told(service: Service, reply: Reply, said: str, sizes: Any) -> None:
    service.answer = lambda path, body: reply
    with pytest.raises(EndpointError, match=said):
        endpoint_embeddings(service.url, WORDS, model="tiny")
    assert [len(body.get("input") or body["inputs"]) for _, body, _ in service.asked] == sizes


def test_words_are_asked_for_in_their_prompts_and_each_text_once(service: Service) -> None:
    found = endpoint_embeddings(service.url, ["axe", "rose", "axe"], prompt="This is {article} {word}")
    assert service.texts == ["This is an axe", "This is a rose"]
    assert found.labels == ("axe", "rose")
    assert found["axe"].tolist() == service.numbers("This is an axe")
    own = endpoint_embeddings(service.url, {"rose": "the {word}", "wasp": "an insect"})
    assert service.texts[2:] == ["the rose", "an insect"]
    assert own.provenance.details["prompt"] == ["an insect", "the {word}"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "batch_size=0"),
        ({"timeout": float("nan")}, "timeout=nan"),
        ({"protocol": "open-ai"}, "did you mean 'openai'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        endpoint_embeddings("http://127.0.0.1:9", WORDS, **options)


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
        assert service.texts == ["rose", "new york"]  # one kept text, to compare
        assert np.array_equal(found.vectors, whole.vectors)
        assert found.provenance == whole.provenance
        again = endpoint_embeddings(service.url, WORDS, batch_size=2, cache=tmp_path / "kept")
        assert len(service.asked) == 2
        assert again.provenance == whole.provenance
        assert np.array_equal(again.vectors, whole.vectors)

    def test_a_model_that_changed_behind_its_name_is_noticed(self, service: Service, tmp_path: Path) -> None:
        service.serve(service.numbers, iter(["same"] * 9))
        first = endpoint_embeddings(service.url, WORDS[:3], cache=tmp_path)
        service.serve(lambda text: service.numbers(f"other{text}"), iter(["same"] * 9))
        with pytest.raises(EndpointError, match="gives another vector for 'wasp' than the one"):
            endpoint_embeddings(service.url, WORDS[1:], cache=tmp_path)
        asked = len(service.asked)
        kept = endpoint_embeddings(service.url, WORDS[:3], cache=tmp_path)  # nothing to join
        assert len(service.asked) == asked
        assert np.array_equal(kept.vectors, first.vectors)

    def test_vectors_that_differ_by_rounding_are_of_one_model(self, service: Service, tmp_path: Path) -> None:
        service.serve(service.numbers)
        endpoint_embeddings(service.url, WORDS[:3], cache=tmp_path)
        service.serve(lambda text: [1.001 * number for number in service.numbers(text)])
        assert endpoint_embeddings(service.url, WORDS, cache=tmp_path).labels == tuple(WORDS)

    def test_another_prompt_or_model_is_asked_anew(self, service: Service, tmp_path: Path) -> None:
        endpoint_embeddings(service.url, ["rose"], cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], prompt="a {word}", cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], model="other", cache=tmp_path)
        assert service.texts == ["rose", "rose", "a rose", "rose"]  # the second to compare

    def test_addresses_with_other_parameters_are_two_services(self, service: Service, tmp_path: Path) -> None:
        def answer(path: str, body: dict[str, Any]) -> Reply:
            rows = [{"embedding": service.numbers(path + text)} for text in body["input"]]
            return 200, {}, json.dumps({"data": rows}).encode()

        service.answer = answer
        one = endpoint_embeddings(f"{service.url}/v1?deployment=a", ["rose"], cache=tmp_path)
        two = endpoint_embeddings(f"{service.url}/v1?deployment=b", ["rose"], cache=tmp_path)
        assert one["rose"].tolist() == service.numbers("/v1/embeddings?deployment=arose")
        assert two["rose"].tolist() == service.numbers("/v1/embeddings?deployment=brose")

    @pytest.mark.parametrize(
        ("key", "value"),
        [(2, {"rose": []}), (2, {"rose": [float("nan")]}), (1, ["m"]), (0, "other")],
    )
    def test_a_wrong_answer_with_the_right_checksum_is_noticed(
        self, service: Service, tmp_path: Path, key: int, value: Any
    ) -> None:
        endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        (path,) = tmp_path.rglob("*.json")
        batch = json.loads(path.read_bytes().partition(b"\n")[2])
        batch[key] = value
        data = json.dumps(batch).encode()
        path.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
        with pytest.warns(CrossroadsWarning, match="is damaged: the question is asked again"):
            found = endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        assert found.labels == tuple(WORDS)
