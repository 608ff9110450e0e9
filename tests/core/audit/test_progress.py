"""How far an audit is, by the work that its parts hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crossroads.contexts.audit import encoding_seconds
from crossroads.core.audit.engine import design_unit
from crossroads.core.audit.progress import LOADING, SMALL, Event, ProgressTracker
from crossroads.core.models.files import ModelFiles
from crossroads.core.stimuli import catalog
from crossroads.traits.audit import asking_seconds
from crossroads.words.audit import test_seconds as seconds_of

MINILM = 90_990_200
"""Bytes of the weights of a MiniLM of six layers in single precision."""


def files(folder: Path, size: int) -> ModelFiles:
    """A model that is nothing but its size: a file of holes."""
    folder.mkdir()
    with (folder / "model.safetensors").open("wb") as file:
        os.truncate(file.fileno(), size)
    (folder / "vocab.txt").write_text("word\n" * 1000, encoding="utf-8")
    return ModelFiles(name=folder.name, folder=str(folder), sha256="0" * 64)


def tracked() -> tuple[ProgressTracker, list[Event]]:
    events: list[Event] = []
    return ProgressTracker(events.append), events


def shares(events: list[Event]) -> list[float]:
    return [round(one.share, 6) for one in events]


def test_a_part_counts_by_its_work_and_what_an_earlier_run_has_done_not_as_work_of_this_one() -> None:
    tracker, events = tracked()
    tracker.expect(3, 100.0)
    tracker.finish(work=10.0)
    tracker.finish(work=10.0, kept=True)
    tracker.begin("asking", 80.0)
    tracker.step(5, None)  # without a number of all, nothing is known about the share
    tracker.step(40, 80, 40)  # a run that was interrupted had come half the way
    tracker.step(60, 80, 40)
    tracker.finish(work=80.0)
    assert shares(events) == [0.1, 0.2, 0.2, 0.2, 0.6, 0.8, 1.0]
    assert [one.worked for one in events] == [10.0, 10.0, 10.0, 10.0, 10.0, 30.0, 50.0]
    assert {one.seconds for one in events} == {100.0}
    assert (events[-1].done, events[-1].total, events[-1].kept) == (3, 3, 1)


def test_the_share_never_goes_back_where_more_is_found_to_be_done() -> None:
    tracker, events = tracked()
    tracker.expect(1, 10.0)
    tracker.finish(work=9.0)
    tracker.expect(1, 10.0)
    tracker.begin("more", 10.0)
    tracker.step(5, 10)
    tracker.finish(work=10.0)
    assert shares(events) == [0.9, 0.9, 0.9, 0.95]


def test_the_second_of_two_models_begins_in_the_middle() -> None:
    tracker, events = tracked()
    tracker.divide(2)
    tracker.expect(1, 100.0)
    tracker.finish(work=100.0)
    tracker.next_model()
    tracker.expect(2, 10.0)
    tracker.finish(work=1.0)
    tracker.begin("writing")
    tracker.finish(work=9.0)
    assert shares(events) == [0.5, 0.55, 0.55, 1.0]


@pytest.mark.parametrize("larger", [2, 10])
def test_a_larger_model_and_more_groups_weigh_more(larger: int, tmp_path: Path) -> None:
    small, large = files(tmp_path / "small", MINILM), files(tmp_path / "large", larger * MINILM)
    assert asking_seconds(large) - LOADING == pytest.approx(larger * (asking_seconds(small) - LOADING))
    groups = list(catalog().groups("abc-groups"))
    assert asking_seconds(small, groups * larger) > asking_seconds(small)
    assert encoding_seconds(large, tmp_path / "small") > encoding_seconds(small, tmp_path / "small") > LOADING


def test_the_tests_of_large_sets_weigh_more_and_none_is_out_of_all_measure() -> None:
    designs = [catalog().design(name) for name in ("weat9", "weat4", "weat3")]
    weat9, weat4, weat3 = (seconds_of(design_unit(design)) for design in designs)
    assert SMALL <= weat9 < weat4 < weat3 < 10
