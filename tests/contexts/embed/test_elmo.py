"""Contexts through an ELMo: the same vectors as sentence by sentence, and the same bytes on every path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.contexts.corpus import read_contexts
from crossroads.contexts.embed.encoder import unit_encoder
from crossroads.contexts.embed.plan import make_plan, resolve
from crossroads.contexts.embed.run import Step, embed, encode_locally
from crossroads.core.errors import InputError
from crossroads.core.models.elmo import Elmo, split_text
from crossroads.traits.probe.run import probe
from tests.small_models import save_elmo

SMALL: dict[str, Any] = {"unit_tokens": 150, "batch_size": 4}


@pytest.fixture(scope="module")
def elmo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_elmo(tmp_path_factory.mktemp("models") / "elmo")


def bytes_of(store: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}


def pieces_of(text: str, start: int, end: int) -> list[int]:
    return [at for at, (left, right) in enumerate(split_text(text)) if left < end and right > start]


@pytest.mark.parametrize("piece", ["last", "first", "mean"])
@pytest.mark.parametrize("layer", ["auto", "mean:0,2", "-1"])
def test_vectors_equal_those_of_each_sentence_alone(
    layer: str, piece: Any, elmo: Path, folder: Path, tmp_path: Path
) -> None:
    made = embed(folder, elmo, tmp_path / "store", layer=layer, piece=piece, workers=1)
    model, contexts = Elmo(elmo), read_contexts(folder)
    for word in made.words:
        for context, vector in zip(contexts.contexts[word], made[word], strict=True):
            states = model.layers([context.text[left:right] for left, right in split_text(context.text)])
            combined = {"auto": states.sum(0), "mean:0,2": states[[0, 2]].mean(0), "-1": states[2]}[layer]
            at = pieces_of(context.text, context.start, context.end)
            chosen = {"last": at[-1:], "first": at[:1], "mean": at}[piece]
            np.testing.assert_allclose(vector, combined[chosen].mean(0), rtol=1e-5, atol=1e-5)
    details = made.provenance.details
    assert (made.provenance.format, details["class"]) == ("elmo", "ELMo")
    assert details["record"]["layer"] == {"auto": "sum:0,1,2", "mean:0,2": "mean:0,2", "-1": "2"}[layer]
    assert details["record"]["tokens"] == "words, clitics and signs"


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(
    elmo: Path, many: Path, tmp_path: Path
) -> None:
    embed(many, elmo, tmp_path / "whole", workers=1, **SMALL)

    def interrupt(step: Step) -> None:
        if step.stage == "encoding" and step.done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed(many, elmo, tmp_path / "again", workers=1, progress=interrupt, **SMALL)
    kept: list[int] = []
    embed(many, elmo, tmp_path / "again", workers=2, progress=lambda step: kept.append(step.kept), **SMALL)
    assert max(kept) >= 1000
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "whole")


def test_an_actor_of_ray_computes_what_a_local_worker_computes(elmo: Path, many: Path) -> None:
    settings, tokenizer = resolve(elmo, **SMALL)
    plan = make_plan(read_contexts(many), tokenizer, settings)
    actor = unit_encoder((settings, settings.files.place, plan))
    here = dict(encode_locally(plan, [0, plan.units - 1], settings, workers=1))
    for number, vectors in here.items():
        np.testing.assert_allclose(actor(number, lambda *_: None), vectors, atol=1e-6)
    assert len(plan.unit(0).vocabulary) < len(plan.vocabulary)  # a unit brings its own words only


def test_what_an_elmo_does_not_have_is_refused(elmo: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no layer 5"):
        embed(folder, elmo, tmp_path / "store", layer="sum:1,5")
    with pytest.raises(InputError, match="runs on the processor"):
        embed(folder, elmo, tmp_path / "store", device="cuda")
    with pytest.raises(InputError, match="cannot predict words"):
        probe(elmo, groups=["woman"], traits=[("cold", "warm")])
    assert not (tmp_path / "store").exists()
