"""Answers of embedding services that are kept: nothing is asked for twice, and no secret stays."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crossroads.errors import FormatError, InputError
from crossroads.sources.endpoints.answers import EndpointError
from crossroads.sources.endpoints.embeddings import endpoint_embeddings

if TYPE_CHECKING:
    from tests.sources.conftest import Reply, Service

WORDS = ["rose", "wasp", "José", "東京", "new york"]
SECRET = "sk-a-secret-nobody-may-see"


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

    def test_vectors_that_differ_by_rounding_are_those_of_one_model(
        self, service: Service, tmp_path: Path
    ) -> None:
        service.serve(service.numbers)
        endpoint_embeddings(service.url, WORDS[:3], cache=tmp_path)
        service.serve(lambda text: [1.001 * number for number in service.numbers(text)])
        assert endpoint_embeddings(service.url, WORDS, cache=tmp_path).labels == tuple(WORDS)

    def test_another_prompt_or_model_is_asked_anew(self, service: Service, tmp_path: Path) -> None:
        endpoint_embeddings(service.url, ["rose"], cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], prompt="a {word}", cache=tmp_path)
        endpoint_embeddings(service.url, ["rose"], model="other", cache=tmp_path)
        assert service.texts == ["rose", "rose", "a rose", "rose"]  # the second to compare

    def test_addresses_that_differ_in_a_parameter_are_two_services(
        self, service: Service, tmp_path: Path
    ) -> None:
        def answer(path: str, body: dict[str, Any]) -> Reply:
            rows = [{"embedding": service.numbers(path + text)} for text in body["input"]]
            return 200, {}, json.dumps({"data": rows}).encode()

        service.answer = answer
        one = endpoint_embeddings(f"{service.url}/v1?deployment=a", ["rose"], cache=tmp_path)
        two = endpoint_embeddings(f"{service.url}/v1?deployment=b", ["rose"], cache=tmp_path)
        assert one["rose"].tolist() == service.numbers("/v1/embeddings?deployment=arose")
        assert two["rose"].tolist() == service.numbers("/v1/embeddings?deployment=brose")

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
        with pytest.raises(FormatError, match="cached answer is damaged") as caught:
            endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        assert caught.value.path == path

    @pytest.mark.parametrize(
        ("key", "value"),
        [("vectors", {"rose": []}), ("vectors", {"rose": [float("nan")]}), ("answered by", ["m"])],
    )
    def test_a_wrong_answer_with_the_right_checksum_is_noticed(
        self, service: Service, tmp_path: Path, key: str, value: Any
    ) -> None:
        endpoint_embeddings(service.url, WORDS, cache=tmp_path)
        (path,) = tmp_path.rglob("*.json")
        data = json.dumps(json.loads(path.read_bytes()) | {key: value}).encode()
        path.unlink()
        path.with_name(f"{hashlib.sha256(data).hexdigest()[:32]}.json").write_bytes(data)
        with pytest.raises(FormatError, match="cached answer is damaged"):
            endpoint_embeddings(service.url, WORDS, cache=tmp_path)

    def test_a_file_in_the_place_of_the_folder_is_an_error(self, service: Service, tmp_path: Path) -> None:
        (tmp_path / "taken").write_text("mine")
        with pytest.raises(InputError, match="answers cannot be kept"):
            endpoint_embeddings(service.url, WORDS, cache=tmp_path / "taken")
        assert (tmp_path / "taken").read_text() == "mine"
