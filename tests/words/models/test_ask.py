"""One door to every kind of model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.errors import InputError
from crossroads.traits.probe.evidence import FORMAT as LOGITS
from crossroads.words.models.prompts import prompts_for

GERMAN = cr.Design(name="Namen", x=["hans"], y=["anna"], a=["beruf"], b=["heim"], language="de")


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        ("rose", {}, "rose"),
        ([cr.catalog("weat7"), "rose"], {}, "designs and words are mixed"),
        (["rose"], {"layer": 0}, "layer= was given, but .* is static word vectors"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path: Path, words: Any, options: dict[str, Any], said: str) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("rose 1 0\nwasp 0 1\n", encoding="utf-8")
    assert cr.load(file, words=["Rose"]).labels == ("rose",)
    with pytest.raises(InputError, match=said):
        cr.load(file, words=words, **options)


def test_what_has_no_vectors_says_so(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(f'{{"format": "{LOGITS}"}}', encoding="utf-8")
    with pytest.raises(InputError, match="which has no vectors"):
        cr.load(tmp_path, words=["rose"])


def test_a_store_gives_the_mean_over_contexts_and_says_so(tmp_path: Path) -> None:
    rows = {"rose": [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], "wasp": [[0.0, 4.0]]}
    cr.Contexts.from_dict({word: np.array(some) for word, some in rows.items()}).save(tmp_path / "store")
    emb = cr.load(tmp_path / "store", words=["Rose", "wasp", "gnat"])
    assert emb.labels == ("rose", "wasp")
    assert emb["rose"].tolist() == [1.0, 1.0]  # (1, 0), (0, 1) and (2, 2)
    assert emb.provenance.details["vectors"] == "mean over the contexts of each word"
    assert emb.provenance.details["contexts of a word"] == "1 to 3"
    with pytest.raises(InputError, match="unknown word of the store 'roze'"):
        cr.load(tmp_path / "store", words=["roze"])


def test_a_transformer_reads_designs_in_the_prompts_of_an_audit(small_bert: Path) -> None:
    design = cr.catalog("weat1")
    emb = cr.load(small_bert, words=design)
    same = cr.sources.prompted_embeddings(small_bert, prompts_for(design))
    assert emb.labels == same.labels
    assert np.array_equal(emb.vectors, same.vectors)


def test_words_of_another_language_are_read_bare_and_said_to_be(small_bert: Path, tiny_clip: Path) -> None:
    for model in (small_bert, tiny_clip):
        emb = cr.load(model, words=GERMAN)
        assert emb.provenance.details["prompt"] == "{word}"
        assert emb.provenance.details["bare words"] == "the catalogue has no prompt in 'de'"
        asked = cr.load(model, words=GERMAN, prompt="das ist {word}")
        assert "bare words" not in asked.provenance.details


def test_a_sentence_is_read_at_the_word_in_brackets(small_bert: Path) -> None:
    items = ["that [old] woman", "that woman is old."]
    emb = cr.load(small_bert, words=items)
    word = cr.sources.prompted_embeddings(small_bert, {"old": "that old woman"})
    whole = cr.sources.prompted_embeddings(small_bert, ["that woman is old."], prompt="{word}")
    assert np.allclose(emb[items[0]], word["old"], atol=1e-6)
    assert np.allclose(emb[items[1]], whole.vectors[0], atol=1e-6)


def test_every_layer_is_as_if_it_were_read_alone(small_bert: Path) -> None:
    words = ["woman", "man", "cold"]
    layers = cr.load_series(small_bert, words=words, prompt="that {word}")
    assert list(layers) == [0, 1]
    for layer, emb in layers.items():
        alone = cr.load(small_bert, words=words, prompt="that {word}", layer=layer)
        assert np.allclose(emb.vectors, alone.vectors, atol=1e-6)
        assert emb.provenance.details["layer"] == layer
    with pytest.raises(InputError, match="all layers are read"):
        cr.load_series(small_bert, words=words, layer=0)


def test_checkpoints_are_a_series_by_step(small_bert: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for step in (1000, 500):
        (run / f"checkpoint-{step}").symlink_to(small_bert, target_is_directory=True)
    found = cr.load_series(run, words=["woman", "man"])
    assert list(found) == [500, 1000]
    with pytest.raises(InputError, match="holds 2 checkpoints of a training run"):
        cr.load(run, words=["woman"])
    with pytest.raises(InputError, match="holds no checkpoints"):
        cr.load_series(tmp_path, words=["woman"], over="checkpoints")
