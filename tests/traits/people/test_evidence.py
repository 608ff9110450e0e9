"""Ratings by people: means, subgroups, halves, and files of every published shape."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from crossroads.core.errors import CrossroadsWarning, EvidenceError, FormatError, InputError, UnknownNameError
from crossroads.core.stimuli import catalog
from crossroads.traits.people.evidence import Judgements
from crossroads.traits.people.files import read_demographics, read_judgements

WARM, POOR = "cold-warm", "poor-wealthy"


def people(ratings: list[list[list[float]]]) -> Judgements:
    count, groups, _ = np.shape(ratings)
    return Judgements(
        groups=("woman", "man", "veteran")[:groups],
        traits=(WARM, POOR),
        annotators=tuple(f"p{i}" for i in range(count)),
        ratings=np.array(ratings),
    )


def saved(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_means_leave_out_what_was_not_rated() -> None:
    nan = float("nan")
    human = people([[[10, 20], [nan, nan]], [[30, nan], [nan, 50]]])
    assert human.means()[0].tolist() == [20, 20]
    assert human.means()[1, 1] == 50
    assert human.missing == (("man", WARM),)
    assert human.counts().tolist() == [[2, 1], [0, 1]]
    assert human.raters("man") == ("p1",)
    assert human.to_dict() == {"woman": {WARM: 20.0, POOR: 20.0}, "man": {POOR: 50.0}}


def test_a_subgroup_has_the_means_of_its_members() -> None:
    human = people([[[10, 20]], [[30, 40]], [[50, 60]]])
    assert human.subgroup(["p0", "p2"]).means().tolist() == [[30, 40]]
    about = {"p0": {"gender": "Female"}, "p1": {"gender": "male"}, "p2": {"gender": "female"}}
    assert human.where(about, gender="female").annotators == ("p0", "p2")
    with pytest.raises(UnknownNameError, match="unknown gender 'femal'"):
        human.where(about, gender="femal")
    with pytest.raises(UnknownNameError, match="column of the demographics 'gendr'"):
        human.where(about, gendr="female")
    with pytest.raises(UnknownNameError, match="annotator 'p9'"):
        human.subgroup(["p9"])
    with pytest.raises(InputError, match="no annotator is left"):
        human.subgroup([])


def test_means_for_all_people_are_not_passed_off_as_those_of_some() -> None:
    human = Judgements(
        groups=("woman",),
        traits=(WARM, POOR),
        annotators=("p", "q"),
        ratings=np.array([[[10.0, np.nan]], [[20.0, np.nan]]]),
        given=np.array([[np.nan, 70.0]]),
    )
    assert human.means().tolist() == [[15.0, 70.0]]
    assert human.subgroup(["p"]).missing == (("woman", POOR),)


def test_published_ratings_of_the_catalogue_are_judgements() -> None:
    ratings = catalog().ratings("abc-annotators")
    human = Judgements.from_ratings(ratings, "White female")
    assert human.to_dict() == ratings["White female"]
    assert human.annotators == ()
    assert human.missing == ()
    with pytest.raises(EvidenceError, match="means over all annotators"):
        human.subgroup(["p"])
    assert human.notes == ("Means of White female annotators only (Table A17).",)
    assert human.provenance.details["entry"] == "abc-annotators"
    assert human.provenance.details["table"] == "Table A17"
    with pytest.raises(UnknownNameError, match=r"unknown group of annotators 'Blak'(.|\n)*Black"):
        Judgements.from_ratings(ratings, "Blak")
    with pytest.raises(InputError, match=r"ratings are a Traits(.|\n)*abc-annotators"):
        Judgements.from_ratings(catalog("abc-traits"), "Black")


def test_halves_are_two_parts_of_the_people_of_each_group() -> None:
    human = people([[[10, 0], [40, 0]], [[20, 0], [40, 0]], [[60, 0], [40, 0]], [[90, 0], [40, 0]]])
    first, second = human.halves(np.random.default_rng(0))
    # halves of equal size: their means average to the mean of all
    assert (first + second) / 2 == pytest.approx(human.means())
    assert first[0, 0] != second[0, 0]


def test_shapes_names_and_numbers_must_fit() -> None:
    with pytest.raises(EvidenceError, match="from 0"):
        people([[[100.5, 20]]])
    with pytest.raises(EvidenceError, match="shape"):
        Judgements(groups=("woman",), traits=(WARM,), annotators=("p",), ratings=np.zeros((1, 2, 1)))
    with pytest.raises(EvidenceError, match="twice"):
        Judgements(groups=("woman", "woman"), traits=(WARM,), ratings=np.empty((0, 2, 1)))


def test_copies_without_means_are_all_left_out(tmp_path: Path) -> None:
    answers = {f"a{i}": {"women": {WARM: str(9 * i), POOR: str(9 * i)}} for i in range(5)}
    file = saved(tmp_path, "full.json", json.dumps(answers))
    with pytest.warns(CrossroadsWarning, match="without a file of means"):
        human = read_judgements(file)
    assert human.missing == (("woman", POOR), ("woman", WARM))
    means = saved(tmp_path, "means.csv", f"group,trait,score\nwomen,{WARM},18\nwomen,{POOR},70\n")
    with pytest.warns(CrossroadsWarning, match=r"poor-wealthy are taken from means\.csv"):
        mended = read_judgements(file, means=means)
    assert mended.to_dict() == {"woman": {WARM: 18.0, POOR: 70.0}}
    assert mended.counts().tolist() == [[0, 5]]


def test_few_people_may_answer_alike(tmp_path: Path) -> None:
    answers = {f"a{i}": {"women": {WARM: 9 * i, POOR: 9 * i}} for i in range(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_judgements(saved(tmp_path, "full.json", json.dumps(answers))).missing == ()


def test_long_and_wide_tables_say_the_same(tmp_path: Path) -> None:
    long = saved(
        tmp_path,
        "long.csv",
        f"group,trait,score\nmen,{WARM},10\nmen,{POOR},\nwomen,{WARM},30\nwomen,{POOR},40\n",
    )
    wide = saved(tmp_path, "wide.csv", f"Group,{WARM},{POOR}\nmen,10,NA\nwomen,30,40\n")
    nested = saved(tmp_path, "n.json", json.dumps({"men": {WARM: "10"}, "women": {WARM: 30, POOR: "40"}}))
    expected = {"man": {WARM: 10.0}, "woman": {POOR: 40.0, WARM: 30.0}}
    for file in (long, wide, nested):
        found = read_judgements(file)
        assert found.to_dict() == expected
        assert found.missing == (("man", POOR),)


def test_answers_of_single_people_come_long_or_wide(tmp_path: Path) -> None:
    long = saved(tmp_path, "long.csv", f"annotator,group,trait,score\np,men,{WARM},10\nq,men,{WARM},20\n")
    wide = saved(tmp_path, "wide.csv", f"annotator,group,{WARM}\np,men,10\nq,men,20\n")
    for file in (long, wide):
        human = read_judgements(file)
        assert human.annotators == ("p", "q")
        assert human.means().tolist() == [[15.0]]


def test_a_pair_written_the_other_way_round_is_turned(tmp_path: Path) -> None:
    file = saved(tmp_path, "h.csv", "group,trait,score\nmen,warm - cold,80\n")
    human = read_judgements(file)
    assert human.to_dict() == {"man": {WARM: 20.0}}
    assert human.respelled["warm - cold"] == "cold-warm, turned"


def test_traits_of_ones_own_are_read_on_demand(tmp_path: Path) -> None:
    file = saved(tmp_path, "h.csv", "group,trait,score\nmen,slow-fast,80\n")
    with pytest.raises(FormatError, match="unknown trait 'slow-fast'"):
        read_judgements(file)
    assert read_judgements(file, names="own").traits == ("slow-fast",)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("h.csv", "", "the file is empty"),
        ("h.json", "{", "not a JSON document"),
        ("h.json", '{"women": 3}', "expected an object of traits"),
        ("h.json", '{"women": {"cold-warm": "x"}}', "'x' is not a number"),
        ("h.json", '{"women": {}}', "holds no score"),
        ("h.json", '{"women": {"cold-warm": 101}}', "the score is 101"),
        ("h.json", '{"a": {"women": {"cold-warm": 1}}, "women": {"cold-warm": 1}}', "some have none"),
        ("h.csv", "a,b\n1,2\n", "no column 'group'"),
        ("h.csv", "group,cold-warm\nwomen\n", "1 cells, but the header has 2"),
        ("h.csv", "group,trait,score\n,cold-warm,3\n", "a name is missing"),
        ("h.csv", "group,trait,score\nwomen,cold-warm,3\nWomen,cold - warm,4\n", "rated twice"),
        ("h.csv", "group,trait,score\nwomen,cold-wram,3\n", "did you mean 'cold-warm'"),
        ("h.csv", f"group,trait,score\nwomen,cold-warm,{'9' * 310}\n", "is not a number"),
    ],
)
def test_a_bad_file_gets_a_sentence(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        read_judgements(saved(tmp_path, name, text))
    assert caught.value.path == tmp_path / name


def test_demographics_are_a_table_of_annotators(tmp_path: Path) -> None:
    file = saved(tmp_path, "d.csv", "Annotator,Gender\np,female\nq,male\n")
    assert read_demographics(file) == {"p": {"gender": "female"}, "q": {"gender": "male"}}
    for text, said in (
        ("who,gender\np,f\n", "first line reads"),
        ("annotator,gender\np\n", "do not match"),
        ("annotator,gender\np,f\np,m\n", "twice"),
    ):
        with pytest.raises(FormatError, match=said):
            read_demographics(saved(tmp_path, "d.csv", text))
