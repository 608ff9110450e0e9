"""A folder that takes the place of another: at every moment one of the two is there, or comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crossroads.corpus.store import check_folder
from crossroads.errors import InputError
from crossroads.extraction.embed.store import usable_place
from crossroads.report.folder import check_output
from crossroads.storage.staging import recover, replaced

FILE = "content.txt"
CODE = (
    "import sys\n"
    "from pathlib import Path\n"
    "from crossroads.storage.staging import replaced\n"
    "with replaced(Path(sys.argv[1])) as folder:\n"
    f"    (folder / {FILE!r}).write_text('second')\n"
)
MOMENTS = [
    # Events of the interpreter, in their order, and which folder stands or comes back if one is the last:
    (("tempfile.mkdtemp", ".place.writing-"), "first"),  # nothing was begun
    (("open", FILE), "first"),  # the new folder is being filled
    (("tempfile.mkdtemp", ".place-old-"), "first"),  # it is whole
    (("os.rename", "/whole"), "first"),  # the old one is about to be moved aside
    (("os.rename", ".place.writing-"), "first"),  # it was, and the new one is about to take its place
    (("os.rename", "/going"), "second"),  # it has; the old one gets the name of what is to go
    (("shutil.rmtree", ".place-old-"), "second"),  # and is removed
    (("os.remove", FILE), "second"),
    (("os.rmdir", "going"), "second"),
    (("os.rmdir", ".place-old-"), "second"),
]


def fill(place: Path, text: str) -> None:
    with replaced(place) as folder:
        (folder / FILE).write_text(text, encoding="utf-8")


def text_of(place: Path) -> str:
    return (place / FILE).read_text(encoding="utf-8")


def interrupted(place: Path, event: tuple[str, str], sent: str) -> int:
    """Replace a folder in a process that gets a signal at some moment; returns how it ended."""
    fill(place, "first")
    moments = str(Path(__file__).parents[1] / "moments.py")
    command = [sys.executable, moments, *event, "1", f"{sent}:self", CODE, str(place)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False, timeout=300).returncode


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    place = tmp_path / "new" / "place"
    with replaced(place) as folder:
        (folder / FILE).write_text("x", encoding="utf-8")
        (folder / "inner").mkdir()
        (folder / "inner" / "one.svg").write_text("<svg/>", encoding="utf-8")
        assert not place.exists()
    assert sorted(path.name for path in place.iterdir()) == [FILE, "inner"]
    assert [path.name for path in place.parent.iterdir()] == ["place"]


def test_an_error_leaves_an_earlier_folder_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "place"
    fill(place, "first")
    with pytest.raises(LookupError), replaced(place) as folder:
        (folder / FILE).write_text("second", encoding="utf-8")
        raise LookupError
    assert text_of(place) == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


def test_a_name_that_is_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "place").symlink_to(tmp_path / "large disk")
    for text in ("first", "second"):
        fill(tmp_path / "place", text)
    assert (tmp_path / "place").is_symlink()
    assert text_of(tmp_path / "large disk") == "second"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large disk", "place"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in another way")
@pytest.mark.parametrize(("event", "there"), MOMENTS)
def test_a_writer_that_was_killed_while_it_replaced_a_folder_loses_nothing(
    event: tuple[str, str], there: str, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    assert interrupted(place, event, "SIGKILL") == -signal.SIGKILL
    # between the two names there is a moment without either
    assert place.exists() == (event != ("os.rename", ".place.writing-"))
    recover(place)
    assert text_of(place) == there
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".place-old-")]
    fill(place, "third")
    assert text_of(place) == "third"
    assert [one.name for one in tmp_path.iterdir()] == ["place"]


@pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted in another way")
@pytest.mark.parametrize(("event", "there"), MOMENTS[1:7])
def test_a_writer_that_was_interrupted_then_tidies_up_itself(
    event: tuple[str, str], there: str, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    assert interrupted(place, event, "SIGINT") != 0
    assert text_of(place) == there


def test_folders_of_somebody_else_and_of_writers_at_work_are_left_alone(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    backup, busy = tmp_path / ".place-old-20240101", tmp_path / ".place-old-abcdefg1"
    backup.mkdir()
    (backup / FILE).write_text("mine", encoding="utf-8")
    (busy / "whole").mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", f"import fcntl, os; fcntl.flock(os.open({str(busy)!r}, 0), {fcntl.LOCK_EX});"
         "print('held', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        recover(tmp_path / "place")
        assert sorted(one.name for one in tmp_path.iterdir()) == [backup.name, busy.name]
        process.communicate("\n")
    recover(tmp_path / "place")
    assert sorted(one.name for one in tmp_path.iterdir()) == [backup.name, "place"]


@pytest.mark.parametrize(
    "check", [check_folder, check_output, usable_place], ids=["contexts", "audit", "store"]
)
def test_places_that_cannot_become_a_folder_are_refused_before_any_work(
    check: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
    monkeypatch.chdir(inner)
    wrong = {
        tmp_path / "nothing": "is a link to nothing",
        tmp_path / ("n" * 300): "cannot be used: File name too long",
        tmp_path / "file": "is a file",
        tmp_path / "file" / "deeper" / "store": "file is not a folder, so ",
        **dict.fromkeys([Path(), tmp_path, Path("../inner")], "current folder or above it"),
        **{Path(path): "is a mount point" for path in ("/proc", "/dev", "/sys") if os.path.ismount(path)},
    }
    for place, what in wrong.items():
        with pytest.raises(InputError, match=what):
            check(place)
    # what the system says is replaced, because the superuser may write anywhere
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK | os.X_OK or Path(path) != tmp_path)
    with pytest.raises(InputError, match="cannot be written to"):
        check(tmp_path / "new" / "contexts")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "inner", "nothing"]
