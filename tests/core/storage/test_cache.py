"""Finished work on disk: whole or not counted, whatever operation a run is killed before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.core.audit.audit import audit_cache, audit_folder, draw_once
from crossroads.core.errors import CrossroadsWarning, InputError
from crossroads.core.storage.cache import JSON, Cache, Key, Parts, parts_folder

RECORD = {"layer": "6", "piece": "last"}
KEY, OTHER = Key("part", "Ünï / one", {"seed": 1}), Key("part", "Ünï / one", {"seed": 2})


def test_a_value_is_found_by_its_key_and_made_once(tmp_path: Path) -> None:
    cache, made = Cache(tmp_path), iter([{"d": 0.1}, {"d": 0.2}])
    assert cache.find(KEY, JSON) is None
    assert [cache.get(key, lambda: next(made), JSON)["d"] for key in (KEY, OTHER, KEY)] == [0.1, 0.2, 0.1]
    assert Cache(tmp_path).find(KEY, JSON) == {"d": 0.1}  # also in another run
    assert sorted(one["d"] for one in cache.all(JSON)) == [0.1, 0.2]
    assert KEY.file != OTHER.file and KEY.file.startswith("part-n-one-")
    assert Cache(None).get(KEY, lambda: 5, JSON) == 5  # and nothing is kept


@settings(deadline=None)
@given(cut=st.integers(min_value=0, max_value=200), junk=st.binary(max_size=8))
def test_a_damaged_value_is_not_there_and_one_that_was_paid_for_is_reported(
    tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    Cache(folder).keep(KEY, {"d": [0.1, "text", None]}, JSON)
    (file,) = folder.iterdir()
    data = file.read_bytes()
    at = cut % len(data)
    damaged = data[:at] + junk + data[at + len(junk) :] if junk else data[:at]
    file.write_bytes(damaged)
    assert (Cache(folder).find(KEY, JSON) is None) == (damaged != data)
    if damaged != data:
        with pytest.warns(CrossroadsWarning, match="is damaged: the question is asked again"):
            assert Cache(folder, paid=True).find(KEY, JSON) is None


def test_what_was_not_needed_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    folder = tmp_path / "new" / ".audit.parts"
    audit_cache(folder).close()
    assert list(tmp_path.iterdir()) == []  # nothing was finished, and nothing stays
    with audit_cache(folder) as cache:
        cache.keep(KEY, 1, JSON)
        (folder / "thesis.txt").write_text("keep me", encoding="utf-8")
        (folder / ".writing-half").write_text("torn", encoding="utf-8")
    with audit_cache(folder) as cache:
        cache.keep(OTHER, 2, JSON)
        cache.sweep()
        assert (cache.find(OTHER, JSON), cache.find(KEY, JSON)) == (2, None)
    with audit_cache(folder, fresh=True) as cache:
        assert cache.find(OTHER, JSON) is None
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "thesis.txt"]


@pytest.mark.parametrize("damage", [0, 100, -31])
def test_figures_are_drawn_once_and_again_where_they_show_something_else_or_are_damaged(
    tmp_path: Path, damage: int
) -> None:
    drawn: list[Path] = []

    def drawing(folder: Path) -> None:
        drawn.append(folder)
        folder.mkdir()
        (folder / "one.svg").write_text(f"<svg>{len(drawn)}</svg>", encoding="utf-8")
        (folder / "two.pdf").write_bytes(bytes(range(256)))

    cache = Cache(tmp_path / "parts")
    draw_once(cache, tmp_path / "1", {"d": 0.5}, drawing)
    draw_once(cache, tmp_path / "2", {"d": 0.5}, drawing)
    shown = [file.read_bytes() for file in sorted((tmp_path / "2").iterdir())]
    assert shown == [b"<svg>1</svg>", bytes(range(256))]
    draw_once(cache, tmp_path / "3", {"d": 0.6}, drawing)
    assert drawn == [tmp_path / "1", tmp_path / "3"]
    for file in (tmp_path / "parts").glob("figures-*"):
        content = bytearray(file.read_bytes())
        content[damage] ^= 255
        file.write_bytes(content)
    draw_once(cache, tmp_path / "4", {"d": 0.6}, drawing)
    assert (tmp_path / "4" / "one.svg").read_text(encoding="utf-8") == "<svg>3</svg>"


# Finishes a store of five units from given vectors. Before the n-th operation on files it kills itself, then
# a second process goes on undisturbed; for every n, until there is nothing left to be killed before.
EVERY_MOMENT = """
import os, shutil, signal, sys
from pathlib import Path
import numpy as np
from crossroads.core.evidence import Provenance
from crossroads.contexts.embed.run import assemble
from crossroads.core.storage.cache import Parts
from crossroads.contexts.embed.plan import Plan

root = Path(sys.argv[1])
wanted = np.array([[at, 1, 2] for at in range(10)])
plan = Plan(
    words=("rose", "wasp"), counts=(7, 5), dropped={}, ids=np.zeros(30, np.int32), bounds=np.arange(0, 33, 3),
    wanted=wanted, vector_of=np.array([9, 0, 4, 4, 8, 1, 2, 3, 7, 6, 5, 0]), cuts=np.arange(0, 12, 2),
    wanted_cuts=np.arange(0, 12, 2), batch_size=2, batch_tokens=99,
)
vectors = np.random.default_rng(0).normal(size=(10, 4)).astype(np.float32)

def work(store):
    parts = Parts(store, {"layer": "6"})
    for number in range(5):
        if number not in parts.finished:
            parts.save(number, vectors[2 * number : 2 * number + 2])
    assemble(store, plan, parts, Provenance(source="test"), "float32", lambda step: None)
    parts.remove()
    parts.close()

def in_child(job):
    child = os.fork()
    if child == 0:
        try:
            job()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]

def bytes_of(store):
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}

def disturbed(store, moment):
    count = 0
    watched = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")
    def hook(event, arguments):
        nonlocal count
        if event in watched and str(root) in str(arguments[0]):
            count += 1
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    work(store)

assert in_child(lambda: work(root / "whole")) == 0
expected = bytes_of(root / "whole")
assert np.array_equal(np.load(root / "whole" / "vectors-00000.npy"), vectors[plan.vector_of])
moment = 0
while True:
    moment += 1
    folder = root / f"moment-{moment}"
    folder.mkdir()
    status = in_child(lambda: disturbed(folder / "store", moment))
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL, status
    finished = (folder / "store" / "manifest.json").exists()
    if not finished:
        assert in_child(lambda: work(folder / "store")) == 0, moment
        assert sorted(path.name for path in folder.iterdir()) == ["store"], moment
    assert bytes_of(folder / "store") == expected, moment
    shutil.rmtree(folder)
print(moment)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and waits for signals")
def test_a_run_may_be_killed_before_any_operation_on_files(tmp_path: Path) -> None:
    """Two processes are forked for each of some forty operations: no moment may be left out."""
    command = [sys.executable, "-c", EVERY_MOMENT, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 30  # five parts alone are opened, renamed and settled


def begun(store: Path, record: dict[str, str], numbers: range = range(1)) -> Parts:
    """Some finished parts."""
    parts = Parts(store, record)
    for number in numbers:
        parts.save(number, np.full((2, 3), number, np.float32))
    parts.close()
    return parts


def finished(store: Path, record: dict[str, str], **options: bool) -> list[int]:
    """The numbers of the parts that a run with such settings finds."""
    parts = Parts(store, record, **options)
    parts.close()
    return sorted(parts.finished)


def test_a_damaged_part_is_thrown_away_and_others_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "store"
    parts = begun(store, RECORD, range(3))
    damaged = parts.finished[1]
    data = bytearray(damaged.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    (parts.folder / ".writing-part-000009-0000000000000000.npy").write_bytes(b"torn")
    assert finished(store, RECORD) == [0, 2]
    assert not damaged.exists()
    assert not list(parts.folder.glob(".writing-*"))


def test_other_settings_are_named_and_thrown_away_only_on_request(tmp_path: Path) -> None:
    begun(tmp_path / "store", RECORD)
    with pytest.raises(InputError, match=r"layer \(6 there, 3 now\)(.|\n)*restart"):
        Parts(tmp_path / "store", {**RECORD, "layer": "3"})
    assert finished(tmp_path / "store", RECORD) == [0]
    assert finished(tmp_path / "store", {**RECORD, "layer": "3"}, restart=True) == []


def test_parts_of_another_version_are_never_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path / "store", RECORD)
    monkeypatch.setattr(
        "crossroads.core.storage.files.code", lambda *names: "of another version", raising=False
    )
    with pytest.warns(CrossroadsWarning, match="made by another version of crossroads: they are discarded"):
        assert finished(tmp_path / "store", RECORD) == []


def test_the_procedure_that_drew_the_contexts_is_named_and_decides_nothing_by_itself(tmp_path: Path) -> None:
    first, second = ({**RECORD, "sample": f"crossroads-sample/{number}"} for number in (1, 2))
    begun(tmp_path / "store", first)
    named = r"sample \(crossroads-sample/1 there, crossroads-sample/2 now\)"
    with pytest.raises(InputError, match=named):
        Parts(tmp_path / "store", {**second, "contexts": "of other bytes"})
    # the same contexts, whatever they are said to come from, and as versions wrote it that did not say it
    for record in (second, RECORD):
        assert finished(tmp_path / "store", record) == [0]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    folder = parts_folder(tmp_path / "store")
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="not a folder of unfinished work"):
        Parts(tmp_path / "store", RECORD, restart=True)
    assert (folder / "thesis.tex").read_text(encoding="utf-8") == "years of work"


def left_open(hold: Callable[[], object]) -> None:
    """Begin work in another process, which ends without letting go."""
    child = os.fork()
    if not child:
        hold()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_run_that_finished_nothing_binds_nobody_to_its_settings(tmp_path: Path) -> None:
    left_open(lambda: Parts(tmp_path / "store", RECORD))
    folder = parts_folder(tmp_path / "store")
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "plan.json"]
    assert finished(tmp_path / "store", {**RECORD, "layer": "3"}) == []
    assert list(tmp_path.iterdir()) == []
    folder.mkdir()
    (folder / "plan.json").write_text('{"plan": "of somebody else"}', encoding="utf-8")
    with pytest.raises(InputError, match="other settings"):
        Parts(tmp_path / "store", RECORD)


def hold_parts(place: Path) -> Any:
    return Parts(place, RECORD)


def hold_audit(place: Path) -> Any:
    return audit_cache(audit_folder(place))


both = pytest.mark.parametrize("hold", [hold_parts, hold_audit], ids=["parts", "audit"])


@both
def test_a_folder_of_work_is_held_by_one_run_at_a_time(hold: Callable[[Path], Any], tmp_path: Path) -> None:
    left_open(lambda: hold(tmp_path / "out"))
    held = hold(tmp_path / "out")
    with pytest.raises(InputError, match=r"another run is working on .*/out"):
        hold(tmp_path / "out")
    held.close()
    hold(tmp_path / "out").close()
    assert list(tmp_path.iterdir()) == []  # nothing was finished, and nothing stays


@both
def test_a_folder_that_cannot_be_made_is_a_sentence(hold: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="for finished parts cannot be made: "):
        hold(tmp_path / "file" / "out")
    for folder in (parts_folder(tmp_path / "out"), audit_folder(tmp_path / "out")):
        (folder / "lock").mkdir(parents=True)  # stands in for a lock of somebody else
    with pytest.raises(InputError, match="for finished parts cannot be written to: "):
        hold(tmp_path / "out")
