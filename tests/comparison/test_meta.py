"""Meta-analysis over models and over word lists: what is pooled, what is refused, and what it says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.comparison.meta import MetaResult
from crossroads.core.errors import InputError, MissingStimuliError
from crossroads.core.stimuli import StimulusSet

TITLES = {"x": "roses", "y": "gnats", "a": "joys", "b": "pains"}


def design(name: str, own: str = "", **titles: str) -> cr.Design:
    """A design with the attributes of all others and, where ``own`` is said, with targets of its own."""
    ends = {"x": own, "y": own, "a": "", "b": ""}
    words = {key: tuple(f"{key}{i}{end}" for i in range(6)) for key, end in ends.items()}
    sets: dict[str, Any] = {k: StimulusSet((TITLES | titles)[k], some) for k, some in words.items()}
    return cr.Design(name=name, **sets)


def model(seed: int, shift: float, *designs: cr.Design) -> cr.Embeddings:
    words = list(dict.fromkeys(word for one in designs or (DESIGN,) for word in one.words))
    vectors = np.random.default_rng(seed).normal(size=(len(words), 20))
    vectors[:, 0] += [(shift if word[0] in "xy" else 2) * (1 if word[0] in "xa" else -1) for word in words]
    return cr.Embeddings(words, vectors, provenance=f"model {seed}")


DESIGN, LISTS = design("planted"), [design(name, name) for name in ("one", "two", "three")]
OTHER = design("other", "other", y="bees")
MODELS = {f"model {i}": model(i, 2) for i in range(4)}


def sentence(result: MetaResult) -> str:
    (said,) = result._conclusions("")
    return said.sentence


def test_models_are_in_ordinary_associations_and_one_sentence_says_what_all_show() -> None:
    margins: dict[str, Any] = {name: 0.1 + i / 100 for i, name in enumerate(MODELS)}
    result = cr.meta(MODELS, DESIGN, ordinary=margins)
    tests = {name: cr.weat(emb, DESIGN).crossed for name, emb in MODELS.items()}
    rows = result._rows()
    assert [row["member"] for row in rows] == [*MODELS, "mean", "a further model"]
    for (name, one), row in zip(tests.items(), rows, strict=False):
        scaled = [(end or 0) / margins[name] for end in (one.difference, one.low, one.high)]
        assert [row["value"], row["low"], row["high"], row["p"]] == pytest.approx([*scaled, one.pvalue])
    assert result.mean == pytest.approx(np.dot(result.weights, [row["value"] for row in rows[:4]]))
    assert sentence(result).startswith(
        "In all 4 models, roses are closer to joys, relative to pains, than gnats are; pooled Δ = "
    )
    assert "× ordinary" in sentence(result) and "another model with other words" in sentence(result)
    results = {name: SimpleNamespace(margin=m) for name, m in margins.items()}
    assert cr.meta(MODELS, DESIGN, ordinary=results) == result


def test_the_model_that_points_another_way_is_counted_and_without_units_it_is_said() -> None:
    result = cr.meta({**MODELS, "odd": model(9, -1)}, DESIGN)
    assert result.ordinary == {} and "values are Δ" in str(result._table().notes)
    surer = replace(result, pvalue=0.01)
    assert sentence(surer).startswith("In 4 of 5 models, roses are closer") and "×" not in sentence(surer)
    (less,) = replace(cr.meta(MODELS, DESIGN, ordinary=99.0), pvalue=0.1)._conclusions("")
    assert less.status == "absent"  # less than an ordinary association


def test_lists_share_the_error_of_their_attributes() -> None:
    emb = model(1, 1, *LISTS)
    result = cr.meta(emb, LISTS, ordinary=0.1)
    assert (result.over, result.design) == ("word list", "one, two, three")
    assert 0 < result.shared < 1
    results = {one.name: cr.mleat(emb, one) for one in LISTS}
    bound, said = cr.meta(results, ordinary=0.1), sentence(result)
    assert bound.tests.keys() == result.tests.keys() and bound.se > result.se
    assert bound.conventions["errors over words"] != result.conventions["errors over words"]
    assert f"another word list would point the same way in about {int(100 * result.agreement)}" in said


def test_ceats_have_the_cosines_of_their_contexts() -> None:
    def contexts(emb: cr.Embeddings) -> cr.Contexts:
        return cr.Contexts.from_dict({word: np.stack([emb[word]] * 2) for word in emb.labels})

    results = {name: cr.ceat(contexts(emb), DESIGN, samples=3) for name, emb in MODELS.items()}
    found, vectors = cr.meta(results), cr.meta(MODELS, DESIGN)
    assert (found.mean, found.se, found.df) == pytest.approx((vectors.mean, vectors.se, vectors.df), rel=1e-5)
    assert "x0, x1, …" in sentence(found)


def test_members_that_cannot_be_measured_are_left_out_or_refused() -> None:
    short = cr.Embeddings(["x0", "y0"], np.eye(2))
    result = cr.meta({**MODELS, "short": short}, DESIGN)
    assert [*result.tests] == [*MODELS] and "x has 1 of 6" in result.skipped["short"]
    with pytest.raises(MissingStimuliError, match="no usable vector"):
        cr.meta({**MODELS, "short": short}, DESIGN, missing="raise")
    single = cr.Design(name="planted", x=list(DESIGN.x), a=list(DESIGN.a), b=list(DESIGN.b))
    with pytest.raises(InputError, match="0 of 4 members"):
        cr.meta(MODELS, single)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (({"one": MODELS["model 1"]}, DESIGN), {}, "1 of 1 members"),
        ((MODELS, LISTS), {}, "3 designs"),
        (({"one": 3, "two": 4},), {}, "a member is 3"),
        ((MODELS, DESIGN), {"ordinary": {"model 1": 0.1}}, "association of model 0 is None"),
        ((MODELS, DESIGN), {"ordinary": 0.0}, "is 0.0"),
        ((MODELS, DESIGN), {"over": "planet"}, "planet"),
        ((model(1, 1, DESIGN, OTHER), [DESIGN, OTHER]), {}, "another roses / bees"),
    ],
)
def test_what_cannot_be_pooled_is_refused_with_a_hint(arguments: Any, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        cr.meta(*arguments, **options)
    assert caught.value.hint


def test_the_figure_has_a_diamond_for_the_mean_and_a_bar_for_a_further_member() -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    result = cr.meta(MODELS, DESIGN, ordinary=0.1)
    ax = result.plot()
    (diamond,) = ax.patches
    assert diamond.get_xy()[:4].tolist() == [
        [result.low, 4], [result.mean, 3.75], [result.high, 4], [result.mean, 4.25]
    ]  # fmt: skip
    lines = [tuple(line.get_xdata()) for line in ax.lines]
    assert result.prediction_interval in lines
    assert all((row["low"], row["high"]) in lines and (row["value"],) in lines for row in result._rows()[:4])
