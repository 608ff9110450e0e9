"""That a comparison tells what moved from what changed, and rounding from another number."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.__main__ import AUDITS, COMMANDS, FROZEN
from tests.oracle.comparing import compared

BEFORE: dict[str, Any] = {
    "a": {"p": 0.25, "n": 3},
    "words": ["x", "y"],
    "said": "one\ntwo\nthree",
    "ok": True,
}


def test_the_same_document_differs_in_nothing() -> None:
    found = compared(BEFORE, BEFORE)
    assert not found.matters and not found.moved
    assert (found.same, found.rounded) == (6, 0)


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"a": {"p": 0.26, "n": 3}}, "changed", [("/a/p", 0.25, 0.26)]),
        ({"a": {"p": 0.25, "n": 3.0}}, "rounded", 1),
        ({"a": {"p": 0.25 * (1 + 1e-12), "n": 3}}, "rounded", 1),
        ({"a": {"p": 0.25 * (1 + 1e-8), "n": 3}}, "changed", [("/a/p", 0.25, 0.25 * (1 + 1e-8))]),
        ({"a": {"p": None, "n": 3}}, "changed", [("/a/p", 0.25, None)]),
        ({"ok": 1}, "changed", [("/ok", True, 1)]),
        ({"a": {"p": 0.25}}, "gone", ["/a/n"]),
        ({"words": ["x", "y", "z"]}, "new", ["/words/2+1"]),
        ({"said": "one\n2\nthree"}, "changed", [("/said/1", "two", "2")]),
    ],
)
def test_each_difference_is_told_as_what_it_is(change: dict[str, Any], kind: str, said: Any) -> None:
    found = compared(BEFORE, BEFORE | change)
    assert getattr(found, kind) == said
    assert found.matters == (kind != "rounded")
    assert found.moved == []


def test_what_stands_elsewhere_with_the_same_value_has_moved() -> None:
    after = {key: value for key, value in BEFORE.items() if key != "a"} | {"b": BEFORE["a"]}
    found = compared(BEFORE, after)
    assert found.moved == [("/a", "/b")]
    assert not found.matters
    assert "1 moved" in found.lines()
    after["b"] = {"p": 0.5, "n": 3}
    assert (compared(BEFORE, after).gone, compared(BEFORE, after).new) == (["/a"], ["/b"])


def test_a_row_that_is_put_in_leaves_the_others_as_they_were() -> None:
    rows = [{"test": f"weat{n}", "p": f"0.{n}", "d": n} for n in range(9)]
    found = compared(
        rows, [*rows[:4], {"test": "new", "p": "0.5", "d": 1}, rows[4] | {"p": "0.7"}, *rows[5:]]
    )
    assert (found.new, found.gone, found.moved) == (["/4+1"], [], [])
    assert found.changed == [("/4/p", "0.4", "0.7")]


def test_every_command_is_asked_and_the_frozen_file_is_small() -> None:
    from crossroads.core.cli.app import app

    known = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert {arguments[0] for arguments in COMMANDS.values()} | {"audit"} == known
    assert {"default", "two models", "contexts", "language model"} <= set(AUDITS)
    assert FROZEN.stat().st_size <= 3_000_000
