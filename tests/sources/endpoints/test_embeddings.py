"""Embedding services: a real server on this machine that speaks each of the protocols."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crossroads import catalog, weat
from crossroads.errors import InputError
from crossroads.sources.endpoints.answers import EndpointError
from crossroads.sources.endpoints.embeddings import endpoint_embeddings, is_endpoint

if TYPE_CHECKING:
    from tests.sources.conftest import Reply, Service

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
def test_a_service_that_says_otherwise_that_it_is_too_much_is_asked_for_less(
    service: Service, said: str
) -> None:
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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "batch_size=0"),
        ({"retries": -1}, "retries=-1"),
        ({"timeout": float("nan")}, "timeout=nan"),
        ({"protocol": "open-ai"}, "did you mean 'openai'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        endpoint_embeddings("http://127.0.0.1:9", WORDS, **options)


def test_addresses_are_known_by_their_beginning() -> None:
    assert is_endpoint("http://localhost:11434")
    assert is_endpoint(" HTTPS://example.org/v1")
    assert not is_endpoint("httpd/vectors.txt")
    assert not is_endpoint(Path("http:"))
