"""Messages: short whatever is in the file, and never the work of a bomb."""

from __future__ import annotations

import json
import pickle
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.contexts.embed.foreign import import_store
from crossroads.core.errors import (
    CrossroadsError,
    CrossroadsWarning,
    InputError,
    UnknownNameError,
    in_short,
    one_of,
)
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.gate import read_rules
from crossroads.core.stimuli import read_designs
from crossroads.core.storage.pickles import load_pickle
from crossroads.traits.people.files import read_judgements
from crossroads.traits.probe.material import read_groups, read_templates, read_traits

LONG = "A" * 20_000
MANY = [f"{LONG}{i}" for i in range(30)]
MOST = 600
"""Characters of a message and its hint, whatever a file holds; the path of the file comes on top."""


def kind(value: Any) -> str:
    """What a test is called: the values themselves cannot be written out."""
    return value if isinstance(value, str) and len(value) < 40 else type(value).__name__


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("rose", "'rose'"),
        ("it's", '"it\'s"'),
        (b"rose", "b'rose'"),
        (Path("a/b"), "'a/b'"),
        (["a", (1, 2)], "['a', (1, 2)]"),
        ({"a": {"b": []}}, "{'a': {'b': []}}"),
        (frozenset([3]), "{3}"),
        (10**5000, "a number of about 5,001 digits"),
        ("x" * 100, f"'{'x' * 60}…'"),
        (np.zeros((3, 4)), "ndarray of shape (3, 4)"),
    ],
    ids=kind,
)
def test_a_value_is_shown_as_python_writes_it_but_short(value: Any, shown: str) -> None:
    assert in_short(value) == shown


class Broken:
    """Something that cannot say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError


def doubled(times: int, value: Any = "x") -> Any:
    """A tuple of itself, so many times over: a few hundred bytes that are terabytes when written out."""
    for _ in range(times):
        value = (value, value)
    return value


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    "value",
    [
        doubled(200), {"a": doubled(200)}, endless(), [LONG] * 1000, list(range(10**6)), Broken(),
        "\0" * 1000, b"\0" * 1000, {LONG: LONG}, [[[[[[[[LONG]]]]]]]], {1: {2: {3: {4: {5: {6: {7: 8}}}}}}},
        np.zeros((1000, 1000)), [np.zeros((1000, 1000))], 10**100_000, [10**100_000],
    ],
    ids=kind,
)  # fmt: skip
def test_no_value_is_shown_at_length(value: Any) -> None:
    assert len(in_short(value)) <= 70


def test_a_message_keeps_its_beginning_and_its_end() -> None:
    error = CrossroadsError(f"the word {LONG} is not known.", hint=f"did you mean {LONG}?")
    assert len(error.message) <= 400
    assert error.message.startswith("the word AAA")
    assert error.message.endswith("AAA is not known.")
    assert str(error) == f"{error.message}\n\nhint: {error.hint}"
    assert str(InputError("short.")) == "short."
    assert len(str(CrossroadsWarning(LONG))) <= 800
    with pytest.warns(CrossroadsWarning) as caught:
        warnings.warn(LONG, CrossroadsWarning, stacklevel=1)
    assert len(str(caught[0].message)) <= 800


def test_names_that_are_no_text_are_named_too() -> None:
    for name in (3, None, [LONG] * 5, doubled(99), 10**5000):
        with pytest.raises(UnknownNameError, match="unknown kind") as caught:
            one_of("kind", name, ["a", "b"])
        assert len(str(caught.value)) < MOST
    with pytest.raises(UnknownNameError):
        one_of(
            "kind", "a" * 10**6, [f"{'a' * 1000}{i}" for i in range(1000)]
        )  # compared, it would take hours


def bomb(after: bytes, before: bytes = b"", times: int = 60) -> bytes:
    """A pickle with a tuple that is doubled by the memo."""
    steps = b"".join(b"h" + bytes([i]) + b"\x86\x94" for i in range(times))
    return b"\x80\x04" + before + b"(X\x01\x00\x00\x00xt\x94" + steps + after


@pytest.mark.parametrize(
    "data",
    [
        bomb(b"K\x01s.", b"}"),  # a key
        bomb(b"\x90.", b"\x8f("),  # a member of a set
        bomb(b"t\x85R.", b"cbuiltins\nfrozenset\n("),
        bomb(b"K\x01\x86\x85\x85R.", b"cbuiltins\ndict\n"),
        bomb(b"Q."),  # an object from outside
        bomb(b"\x85R.", b"cnumpy\ndtype\n"),
        bomb(b"\x86R.", b"c_codecs\nencode\nX\x01\x00\x00\x00x"),
        bomb(b"\x85R.", b"c_codecs\nencode\n"),
        bomb(b"\x85R.", b"cbuiltins\nbytes\n"),
    ],
)
def test_a_pickle_that_repeats_itself_is_refused_at_once(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.pkl"
    path.write_bytes(data)
    with path.open("rb") as file, pytest.raises(CrossroadsError) as caught:
        load_pickle(file, path=path)
    assert len(str(caught.value)) - len(str(path)) < MOST


@pytest.mark.parametrize(
    "value", [doubled(60), [doubled(60)], {"rose": [doubled(60, 1.0)]}, {"a": 10**5000}], ids=kind
)
def test_whoever_reads_a_pickle_refuses_one_that_repeats_itself(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "bomb.pkl"
    path.write_bytes(pickle.dumps(value))
    for read in (cr.load, lambda path: import_store(path, tmp_path / "store")):
        with pytest.raises(CrossroadsError) as caught:
            read(path)
        assert len(str(caught.value)) - len(str(path)) < MOST


@pytest.mark.slow
def test_vectors_that_are_named_again_and_again_are_no_vectors(tmp_path: Path) -> None:
    """Only what would take more than 64 MiB is refused, so that as much has to be read."""
    row = [float(i) for i in range(2000)]
    path = tmp_path / "bomb.pkl"
    path.write_bytes(pickle.dumps({"rose": [row] * 4_500}))
    assert path.stat().st_size < 200_000
    with pytest.raises(CrossroadsError, match="over 200 to 1"):
        import_store(path, tmp_path / "store")
    path.write_bytes(pickle.dumps({f"w{i}": row for i in range(4_500)}))
    with pytest.raises(CrossroadsError, match="over 200 to 1"):
        cr.load(path)


CASES: list[tuple[str, bytes, Callable[[Path], Any]]] = [
    ("d.json", json.dumps({"name": LONG, "x": [*MANY, MANY[0]], "a": ["a"], "b": []}).encode(), read_designs),
    ("r.toml", f'[[rule]]\nstatistic = "effect_size"\nabove = {json.dumps(MANY)}'.encode(), read_rules),
    ("p.csv", f"group,singular,plural\n{LONG},{LONG},{LONG}\n{LONG},a,b\n".encode(), read_groups),
    ("t.toml", f'[[trait]]\nleft = "{LONG}"\nright = "{LONG}"'.encode(), read_traits),
    ("t.json", json.dumps({"templates": [f"{{{LONG}}} {{trait}}"]}).encode(), read_templates),
    ("t.json", json.dumps({"templates": [f"{LONG} {{trait}}"]}).encode(), read_templates),
    ("j.csv", f"group,trait,score\na,cold-warm,{LONG}\n".encode(), read_judgements),
    ("results.json", json.dumps({"type": "WeatResult", "schema": 1, LONG: 1}).encode(), read_records),
    ("v.txt", f"{LONG} 1 2\n{LONG} 3 4\n".encode(), cr.load),
    ("v.pkl", b"\x80\x04c" + LONG.encode() + b"\nx\n.", cr.load),
    ("v.safetensors", struct.pack("<Q", 9000) + b"{" + b"A" * 8999, cr.load),
]


@pytest.mark.parametrize(("name", "data", "read"), CASES, ids=kind)
def test_no_message_about_a_file_is_long(
    name: str, data: bytes, read: Callable[[Path], Any], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(CrossroadsError) as caught:
            read(path)
    assert len(str(caught.value)) - len(str(path)) < MOST, str(caught.value)
