"""What results come to, in sentences: who, in which direction, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.report.audit import conclusions_of
from crossroads.report.renderers.findings import findings_by_status
from crossroads.results import Conclusion, Result, association, status_of
from crossroads.wording import phrases
from crossroads.wording.numbers import P

TITLES = {"x": "flowers", "y": "insects", "a": "pleasant", "b": "unpleasant"}


def said(value: float, status: Any, titles: Mapping[str, str] = TITLES) -> Conclusion:
    found = {"value": ("crossed/difference", value)}
    return association(name="t", titles=titles, sets={}, status=status, found=found)


@pytest.mark.parametrize(
    ("value", "status", "sentence"),
    [
        (0.1, "holds", "The model places flowers nearer to pleasant, insects nearer to unpleasant."),
        (-0.1, "holds", "The model places flowers nearer to unpleasant, insects nearer to pleasant."),
        (
            0.1,
            "depends",
            "With just these words, the model places flowers nearer to pleasant, insects nearer to "
            "unpleasant.",
        ),
        (
            0.1,
            "absent",
            "It was not found that the model places flowers and insects differently between pleasant and "
            "unpleasant.",
        ),
    ],
)
def test_the_direction_is_that_of_the_number_and_the_status_is_in_the_sentence(
    value: float, status: str, sentence: str
) -> None:
    assert said(value, status).sentence == sentence


def test_one_target_is_compared_with_nothing() -> None:
    alone = said(0.1, "holds", {key: TITLES[key] for key in "xab"})
    assert alone.sentence == "The model places flowers nearer to pleasant than to unpleasant."
    assert (alone.subject, alone.rival, alone.poles) == ("flowers", "", ("unpleasant", "pleasant"))


def test_names_are_at_odd_places_so_that_outputs_can_set_them_apart() -> None:
    for status in ("holds", "depends", "absent"):
        one = said(0.1, status)
        assert sorted(one.parts[1::2]) == sorted(TITLES.values())
        assert not set(TITLES.values()) & set(one.parts[::2])


def test_sets_without_names_are_told_by_a_few_words() -> None:
    titles = {key: key for key in "xyab"}
    sets = {"x": ["rose", "tulip", "lily"], "y": ["wasp"], "a": ["joy", "love"], "b": ["pain"]}
    found = {"value": ("", 1.0)}
    one = association(name="t", titles=titles, sets=sets, status="holds", found=found)
    assert one.sentence == "The model places rose, tulip, … nearer to joy, love, wasp nearer to pain."


@pytest.mark.parametrize(
    ("other", "these", "status"),
    [
        (0.049, 0.9, "holds"),
        (0.05, 0.01, "depends"),
        (None, 0.01, "depends"),
        (P(0.2), P(0.05), "absent"),
        (None, 0.6, "unknown"),
    ],
)
def test_other_words_decide_before_these(other: Any, these: Any, status: str) -> None:
    assert status_of(other, these) == status


WORDS = ["rose", "tulip", "daisy", "wasp", "bee", "ant", "joy", "love", "pain", "war"]


def test_a_set_of_one_word_cannot_be_told_and_the_sentence_says_why() -> None:
    emb = cr.Embeddings(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 9)))
    design = cr.Design(name="few", x=WORDS[:3], y=WORDS[3:6], a=WORDS[6:7], b=WORDS[8:])
    test = cr.weat(emb, design)
    assert test.pvalue > 0.05
    ladder = cr.ladder(test)
    assert [one.answer for one in ladder.tests["few"][:2]] == ["no", "cannot tell"]
    assert ladder.headline() == (
        "0 of 1 association would be found with other words for the same things (1 cannot be told)."
    )
    for results in ({"few": test}, {"few": test, "how sure": ladder}):
        lines = findings_by_status(conclusions_of(results))
        assert list(lines) == ["Cannot tell"]
        assert lines["Cannot tell"][0].startswith(
            "It cannot be told whether the model places rose, tulip, … and wasp, bee, … differently between "
        )
        assert "joy has a single word, and one word has no spread. (few, " in lines["Cannot tell"][0]
    (one,) = test.conclusions("few")
    assert sorted(one.parts[1::2]) == sorted(["rose, tulip, …", "wasp, bee, …", "joy", "pain, war", "joy"])


def test_words_that_do_not_differ_cannot_be_told() -> None:
    vectors = np.repeat([[1.0, 0.2], [0.3, 1.0], [1.0, 0.0], [0.0, 1.0]], 2, axis=0)
    emb = cr.Embeddings(WORDS[:8], vectors)
    design = cr.Design(name="flat", x=WORDS[:2], y=WORDS[2:4], a=WORDS[4:6], b=WORDS[6:8])
    (one,) = cr.weat(emb, design).conclusions("flat")
    assert (one.status, one.heading) == ("unknown", "Cannot tell")
    assert one.sentence.endswith(": the words of each set do not differ.")


def test_every_number_is_where_its_pointer_says(every_result: dict[str, Result]) -> None:
    concluded = 0
    for name, result in every_result.items():
        plain = result.to_dict()
        for one in result.conclusions(name):
            assert one.status in phrases.STATUSES
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


def test_the_ladder_decides_where_it_was_asked() -> None:
    design = cr.catalog("weat7")
    emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    battery = cr.battery(emb, [design])
    ladder = cr.ladder(battery)
    rungs = {"weat7": tuple(replace(one, answer="yes") for one in ladder.tests["weat7"])}
    for asked, status in ((ladder, "absent"), (replace(ladder, tests=rungs), "holds")):
        (found,) = conclusions_of({"how sure": asked, "battery": battery})
        assert (found.result, found.section, found.found.status) == (1, "tests", status)
        assert found.found.parts == found.found.wordings[status]


def test_files_of_before_say_nothing_about_other_words() -> None:
    design = cr.catalog("weat6")
    battery = cr.battery(cr.load("default", words=design.words), [design], missing="drop")
    old = tuple(replace(test, level1=replace(test.level1, crossed=None)) for test in battery.tests)
    (now,), (then,) = battery.conclusions(""), replace(battery, tests=old).conclusions("")
    assert (now.status, then.status) == ("holds", "depends")


def test_findings_are_grouped_with_the_surest_first() -> None:
    designs = [cr.catalog(name) for name in ("weat7", "weat6")]
    words = [word for design in designs for word in design.words]
    battery = cr.battery(cr.load("default", words=words), designs, missing="drop", resamples=50)
    lines = findings_by_status(conclusions_of({"battery": battery}))
    assert list(lines) == ["Holds for other words", "Depends on the words chosen"]
    (line,) = lines["Holds for other words"]
    assert line == (
        "The model places male names nearer to career, female names nearer to family. "
        "(weat6, Δ = 0.290, 0.165 to 0.414)"
    )


def test_resampled_lists_agree_in_the_share_that_is_counted() -> None:
    design = cr.catalog("weat7")
    emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    found = cr.stats.bootstrap(emb, design, resamples=200)
    agreeing = [d for d in found.effect_sizes if d * found.effect_size > 0]
    assert found.same_sign == len(agreeing) / found.effect_sizes.size


def test_headings_say_what_was_drawn(every_result: dict[str, Result]) -> None:
    wanted = {"RunsResult": "items", "SentencePairsResult": "sentences", "SentenceTriplesResult": "sentences"}
    found = {
        type(result).__name__: {one.drawn for one in result.conclusions(name)}
        for name, result in every_result.items()
    }
    assert {kind: found[kind] for kind in wanted} == {kind: {drawn} for kind, drawn in wanted.items()}
    assert found["BatteryResult"] == {"words"}
    assert phrases.heading("holds", "items") == "Holds for other items"
    assert phrases.heading("absent", "items") == phrases.heading("absent") == "Not found"
    assert all("{" not in text for text in phrases.as_json()["statuses"].values())


def test_findings_of_benchmarks_and_sentences_are_apart_from_those_of_words(
    every_result: dict[str, Result],
) -> None:
    kinds = ("BatteryResult", "RunsResult", "SentencePairsResult")
    some = {name: one for name, one in every_result.items() if type(one).__name__ in kinds}
    held = [one._replace(found=replace(one.found, status="holds")) for one in conclusions_of(some)]
    assert set(findings_by_status(held)) == {
        "Holds for other words",
        "Holds for other items",
        "Holds for other sentences",
    }
