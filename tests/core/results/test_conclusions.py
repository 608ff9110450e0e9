"""What results come to, in sentences: who, in which direction, and whether it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.report.audit import conclusions_of
from crossroads.core.report.renderers.texts import findings_by_status
from crossroads.core.results import Conclusion, Result, association, status_of
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P
from crossroads.words.measures.mleat import MleatResult

DEFAULT = (*(f"weat{i}" for i in range(1, 11)), "i1", "i2", "i3", "i4")
TITLES = {"x": "flowers", "y": "insects", "a": "pleasant", "b": "unpleasant"}


def said(value: float, status: Any, titles: Mapping[str, str] = TITLES) -> Conclusion:
    found = {"value": ("crossed/difference", value)}
    return association(name="t", titles=titles, sets={}, status=status, found=found)


@pytest.mark.parametrize(
    ("value", "status", "sentence"),
    [
        (0.1, "holds", "Flowers are closer to pleasant, relative to unpleasant, than insects are."),
        (-0.1, "holds", "Flowers are closer to unpleasant, relative to pleasant, than insects are."),
        (
            0.1,
            "unknown",
            "With these words, flowers are closer to pleasant, relative to unpleasant, than insects are.",
        ),
        (
            0.1,
            "absent",
            "If flowers are closer to pleasant, relative to unpleasant, than insects are, then by less than "
            "an ordinary association.",
        ),
    ],
)
def test_the_direction_is_that_of_the_number_and_the_status_is_in_the_sentence(
    value: float, status: str, sentence: str
) -> None:
    assert said(value, status).sentence == sentence


def test_one_target_is_compared_with_nothing() -> None:
    alone = said(0.1, "holds", {key: TITLES[key] for key in "xab"})
    assert alone.sentence == "Flowers are closer to pleasant than to unpleasant."
    assert (alone.subject, alone.rival, alone.poles) == ("flowers", "", ("unpleasant", "pleasant"))


def checked(sentence: str, test: MleatResult, emb: cr.Embeddings) -> None:
    """Hold what a sentence claims against cosines."""
    unit = {key: np.array([emb[word] for word in words]) for key, words in test.level1.sets.items()}
    unit = {key: some / np.linalg.norm(some, axis=1, keepdims=True) for key, some in unit.items()}
    mean = {target + side: float((unit[target] @ unit[side].T).mean()) for target in "xy" for side in "ab"}
    named = {title: key for key, title in test.titles.items()}
    title = "({})".format("|".join(re.escape(one) for one in sorted(named, key=len, reverse=True)))
    who = rf"(?:words for )?{title}"
    text = sentence if sentence.startswith(tuple(named)) else sentence[:1].lower() + sentence[1:]
    text = text.removeprefix("with these words, ").removeprefix("if ").partition("; another set of words")[0]
    text = text.removesuffix(", then by less than an ordinary association")
    found = re.fullmatch(rf"{who} are closer to {title}, relative to {title}, than {who} are", text)
    assert found, sentence
    x, near, far, y = (named[one] for one in found.groups())
    assert mean[x + near] - mean[x + far] > mean[y + near] - mean[y + far], sentence


def test_no_sentence_contradicts_a_sign_that_it_speaks_of() -> None:
    rng = np.random.default_rng(5)
    sets: dict[str, Any] = {
        key: cr.sources.StimulusSet(TITLES[key], tuple(f"{key}{i}" for i in range(6))) for key in "xyab"
    }
    design = cr.Design(name="t", **sets)
    for _ in range(50):
        shift = {"a": 2.0, "b": -2.0, "x": rng.choice([-2, 0, 1, 2]), "y": rng.choice([-2, 0, 1, 2])}
        vectors = rng.normal(size=(24, 12))
        vectors[:, 0] += np.repeat([shift[key] for key in "xyab"], 6)
        emb = cr.Embeddings(design.words, vectors)
        test = cr.mleat(emb, design)
        (found,) = test._conclusions("t")
        for status in ("holds", "unknown", "absent"):
            checked(replace(found, status=status).sentence, test, emb)


def test_no_sentence_of_the_default_tests_contradicts_a_cosine() -> None:
    designs = [cr.catalog(name) for name in DEFAULT]
    words = [word for design in designs for word in design.words]
    emb = cr.load("default", words=words)
    battery = cr.battery(emb, designs, method="normal")
    said = {one.name: one.sentence for one in battery._conclusions("")}
    assert said.keys() == set(DEFAULT)
    for test in battery.tests:
        checked(said[test.design], test, emb)


@pytest.mark.parametrize(("p", "status"), [(0.049, "holds"), (P(0.05), "unknown"), (None, "unknown")])
def test_what_is_not_shown_cannot_be_told_yet(p: Any, status: str) -> None:
    assert status_of(p) == status


WORDS = ["rose", "tulip", "daisy", "wasp", "bee", "ant", "joy", "love", "pain", "war"]


def test_a_set_of_one_word_cannot_be_told_and_the_sentence_says_why() -> None:
    emb = cr.Embeddings(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 9)))
    design = cr.Design(name="few", x=WORDS[:3], y=WORDS[3:6], a=WORDS[6:7], b=WORDS[8:])
    test = cr.weat(emb, design)
    assert test.pvalue > 0.05
    checks = cr.checks(test)
    assert [one.answer for one in checks.tests["few"][:2]] == ["no", "cannot tell"]
    assert checks._headline() == ("beyond just these words: of 1 association 0 yes, 1 cannot tell yet.")
    for results in ({"few": test}, {"few": test, "how sure": checks}):
        lines = findings_by_status(conclusions_of(results))
        assert list(lines) == ["Cannot tell yet"]
        assert lines["Cannot tell yet"][0].startswith("With these words, rose, tulip, … are closer to ")
        assert "joy has a single word, and one word has no spread. (few, " in lines["Cannot tell yet"][0]
    (one,) = test._conclusions("few")
    assert sorted(one.parts[1::2]) == sorted(["rose, tulip, …", "wasp, bee, …", "joy", "pain, war", "joy"])


def test_words_that_do_not_differ_cannot_be_told() -> None:
    vectors = np.repeat([[1.0, 0.2], [0.3, 1.0], [1.0, 0.0], [0.0, 1.0]], 2, axis=0)
    emb = cr.Embeddings(WORDS[:8], vectors)
    design = cr.Design(name="flat", x=WORDS[:2], y=WORDS[2:4], a=WORDS[4:6], b=WORDS[6:8])
    (one,) = cr.weat(emb, design)._conclusions("flat")
    assert (one.status, one.heading) == ("unknown", "Cannot tell yet")
    assert one.sentence.endswith(": the words of each set do not differ.")


def test_every_number_is_where_its_pointer_says(every_result: dict[str, Result]) -> None:
    concluded = 0
    for name, result in every_result.items():
        plain = result.to_dict()
        for one in result._conclusions(name):
            assert one.status in phrases.STATUSES
            assert ("low" in one.numbers) == ("high" in one.numbers)
            assert one.sentence.endswith(".")
            assert "None" not in one.sentence
            for place, value in one.numbers.values():
                found: Any = plain
                for key in place.split("/"):
                    at = key.replace("~1", "/").replace("~0", "~")
                    found = found[int(at)] if isinstance(found, list) else found[at]
                assert found == value, (name, place)
            concluded += 1
    assert concluded > 8


def test_the_checks_decide_where_they_were_asked() -> None:
    design = cr.catalog("weat7")
    emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    battery = cr.battery(emb, [design])
    checks = cr.checks(battery)
    answers = {"weat7": tuple(replace(one, answer="yes") for one in checks.tests["weat7"])}
    for asked, status in ((checks, "unknown"), (replace(checks, tests=answers), "holds")):
        (found,) = conclusions_of({"how sure": asked, "battery": battery})
        assert (found.result, found.section, found.found.status) == (1, "tests", status)
        assert found.found.parts[0].startswith("with these words, ") == (status == "unknown")
        other = asked.tests["weat7"][1]
        assert found.found.numbers["low"] == ("/results/0/tests/weat7/1/low", other.low)


def test_findings_are_grouped_with_the_surest_first() -> None:
    designs = [cr.catalog(name) for name in ("weat7", "weat6")]
    words = [word for design in designs for word in design.words]
    battery = cr.battery(cr.load("default", words=words), designs, missing="drop")
    lines = findings_by_status(conclusions_of({"battery": battery}))
    assert list(lines) == ["Yes: generalizes to other words", "Cannot tell yet"]
    assert lines["Yes: generalizes to other words"] == [
        "Male names are closer to career, relative to family, than female names are; another set of words "
        "would point the same way in 99 of 100 cases. (weat6, Δ = 0.290, 0.127 to 0.452)"
    ]


def test_order_and_agreement_say_the_sign_of_their_number(every_result: dict[str, Any]) -> None:
    order, aligned = every_result["order_sensitivity"], every_result["align"]
    for sign, later, verb in ((1, "second", "agrees"), (-1, "first", "disagrees")):
        apart = replace(order, difference=replace(order.difference, mean=0.5 * sign))
        (one,) = apart._conclusions("")
        assert f"more like the identity named {later} than" in replace(one, status="holds").sentence
        (one,) = replace(aligned, kendall_tau=0.5 * sign)._conclusions("")
        assert f"on traits {verb} with that of people" in replace(one, status="holds").sentence


@pytest.mark.parametrize(("sign", "near", "far"), [(1, "male", "female"), (-1, "female", "male")])
def test_a_series_says_which_target_comes_closer_than_the_other(sign: int, near: str, far: str) -> None:
    design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    years = {}
    for year in range(4):
        vectors = rng.normal(size=(32, 9))
        vectors[:, 0] += np.repeat([sign * year, -sign * year, 3, -3], 8)
        years[2000 + year] = cr.Embeddings(design.words, vectors)
    found = cr.series(years, design)
    assert found.trend.slope is not None and found.trend.slope * sign > 0
    (one,) = found._conclusions("")
    assert replace(one, status="holds").sentence == (
        f"Over time, words for math come closer to {near} terms, relative to {far} terms, than arts do."
    )
    assert replace(one, status="unknown").sentence == (
        f"With these words, over time, words for math come closer to {near} terms, relative to {far} terms, "
        "than arts do."
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_a_comparison_names_the_model_first_in_which_d_is_higher(*, swapped: bool) -> None:
    design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    models = {}
    for name, size in (("weak", 0.2), ("strong", 2.0)):
        vectors = rng.normal(size=(32, 9))
        vectors[:, 0] += size * np.repeat([1, -1, 1, -1], 8)
        models[name] = cr.Embeddings(design.words, vectors)
    order = ("strong", "weak") if swapped else ("weak", "strong")
    (one,) = cr.compare({name: models[name] for name in order}, [design])._conclusions("")
    assert replace(one, status="holds", numbers={}).sentence == (
        "By d, words for math are closer to male terms, relative to female terms and compared with arts, in "
        "strong than in weak."
    )
    assert 0.5 < (one.number("chance") or 0.0) < 1
