"""The CLIP tables of the ML-EAT paper beside vectors of words and images."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Design, Embeddings, catalog, mleat
from crossroads.core.errors import InputError
from crossroads.papers.cells import Reproduction
from crossroads.papers.ml_eat import (
    AS_PRINTED,
    Measured,
    Number,
    clip_texts_of_ml_eat,
    image_sets_of_ml_eat,
    kind_of,
    recognised,
    reproduce_ml_eat,
)
from crossroads.sources import Provenance

PROMPT = "a picture that brings to mind {word}"
SETS = tuple(image_sets_of_ml_eat())


def world(
    sets: tuple[str, ...] = SETS, *, dim: int = 12, source: str = "some-clip", images: int = 6
) -> Embeddings:
    """Random vectors of every text of the tests, and of some images a set."""
    labels = [*clip_texts_of_ml_eat(), *(f"{name}/{i}.png" for name in sets for i in range(images))]
    vectors = np.random.default_rng(0).normal(size=(len(labels), dim))
    return Embeddings(labels, vectors, provenance=Provenance(source=source))


def ours(emb: Embeddings, x: str, y: str, words: str, prompt: str = "{word}", **changed: int) -> float:
    labels = [[label for label in emb.labels if label.startswith(f"{name}/")] for name in (x, y)]
    design = catalog(words)
    a, b = ([prompt.replace("{word}", word) for word in given] for given in (design.a, design.b))
    made = Design(name="made", x=labels[0], y=labels[1], a=a, b=b)
    return mleat(emb, made, **{**AS_PRINTED, **changed}).level1.effect_size


def test_another_clip_is_shown_beside_tables_2_and_12() -> None:
    emb = world()
    result = reproduce_ml_eat(emb)
    bare, prompted = "Table 2, CLIP-ViT-L14-336", "Table 2, CLIP-ViT-L14-336 with prompt"
    shown = {name for name, found in result.tables.items() if "other model" in found}
    assert shown == {bare, prompted, "Table 12, CLIP-ViT-L14-336"}
    cells = {(c.table, c.row, c.column): c.ours for c in result.cells}
    assert cells[bare, "flower-insect", "level1"] == ours(emb, "Flower", "Insect", "weat1")
    assert cells[bare, "male-female-career", "level1"] == ours(emb, "Male", "Female", "weat6")
    assert cells[bare, "science-arts", "level1"] == ours(emb, "Science", "Arts", "weat8")
    with_prompt = ours(emb, "Thin", "Heavy", "weat1", PROMPT)
    assert cells[prompted, "thin-heavy with prompt", "level1"] == with_prompt
    assert Reproduction.from_json(result.to_json()) == result


@pytest.mark.slow
def test_the_model_of_the_paper_is_recognised_and_judged() -> None:
    emb = world(dim=512, source="openai/clip-vit-base-patch32")
    assert recognised(emb) == "CLIP-ViT-B32"
    result = reproduce_ml_eat(emb)
    assert result.same_vectors
    found = result.tables["Table 9, CLIP-ViT-B32"]
    assert found["differs"] > 50
    assert set(found) <= {"equal", "differs", "convention"}
    assert set(result.tables["Table 10, CLIP-ViT-B16"]) == {"model absent"}
    # without images the same numbers of dimensions and the same name are no CLIP of the paper
    assert recognised(emb.select([one for one in emb.labels if "/" not in one])) is None


def test_numbers_under_other_conventions_are_told() -> None:
    emb = world()
    model = "CLIP-ViT-L14-336"
    measured = Measured(emb, model)
    here = Number("12", model, "{word}", "flower-insect", "level1", "", variant="weat1")
    equal = ours(emb, "Flower", "Insect", "weat1")
    assert measured.cell(here._replace(text=f"{equal:.4f}")).verdict == "equal"
    other = ours(emb, "Flower", "Insect", "weat1", ddof=0)
    cell = measured.cell(here._replace(text=f"{other:.4f}"))
    assert (cell.verdict, cell.reason) == ("convention", "population standard deviation (ddof=0)")
    names = ours(emb, "Flower", "Insect", "weat3")
    cell = measured.cell(here._replace(text=f"{names:.4f}"))
    assert cell.verdict == "convention"
    assert cell.reason == "unpleasant words of the tests of names (agony, bomb, evil and prison)"


def test_words_that_an_audit_asked_for_in_the_prompt_serve_the_table_with_it() -> None:
    design = catalog("weat1")
    images = [f"{name}/{i}.jpg" for name in ("flowers", "Insect") for i in range(6)]
    labels = [*design.a, *design.b, *images]
    vectors = np.random.default_rng(1).normal(size=(len(labels), 8))
    about = Provenance(source="some-clip", details={"prompt": PROMPT})
    result = reproduce_ml_eat(Embeddings(labels, vectors, provenance=about))
    cells = {(c.table, c.row): c for c in result.cells}
    prompted = cells["Table 2, CLIP-ViT-L14-336 with prompt", "flower-insect with prompt"]
    assert prompted.verdict == "other model"
    bare = cells["Table 2, CLIP-ViT-L14-336", "flower-insect"]
    assert bare.verdict == "not covered"
    assert bare.reason.startswith("no vector of caress, freedom, health and 47 more by itself")


def test_a_word_with_a_slash_is_no_image_and_models_without_images_have_none() -> None:
    words = Embeddings.from_dict({"black/white": np.ones(3), "male/female": np.ones(3)})
    assert (kind_of(words), kind_of(world(("Black",)))) == ("words", "images")
    with pytest.raises(InputError, match="GloVe 840B, none of whose tests compare images"):
        reproduce_ml_eat(world(), model="glove-840b")
