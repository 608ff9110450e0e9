"""Folders that take the place of others, of which one is there at every moment, and disks without room."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from crossroads.contexts.corpus.store import check_folder
from crossroads.core.cli import main
from crossroads.core.errors import CrossroadsError, DiskFullError, InputError
from crossroads.core.evidence import Contexts
from crossroads.core.report.folder import check_output
from crossroads.core.storage.files import disk_errors, full_disk, is_anything_finished
from crossroads.core.storage.staging import recover, replaced, staged, usable_place

FILE = "content.txt"
CODE = (
    "import sys\n"
    "from pathlib import Path\n"
    "from crossroads.core.storage.staging import replaced\n"
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


def test_an_error_leaves_an_earlier_folder_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "place"
    with replaced(place) as folder:
        (folder / FILE).write_text("first", encoding="utf-8")
        assert not place.exists(), "it appears when it is whole"
    with pytest.raises(LookupError), replaced(place) as folder:
        (folder / FILE).write_text("second", encoding="utf-8")
        raise LookupError
    assert text_of(place) == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in another way")
@pytest.mark.parametrize(("event", "there"), MOMENTS)
def test_a_writer_that_was_killed_while_it_replaced_a_folder_loses_nothing(
    event: tuple[str, str], there: str, tmp_path: Path
) -> None:
    place, moments = tmp_path / "place", str(Path(__file__).parents[2] / "moments.py")
    fill(place, "first")
    command = [sys.executable, moments, *event, "1", "SIGKILL:self", CODE, str(place)]
    run = subprocess.run(command, stderr=subprocess.DEVNULL, check=False, timeout=300)
    assert run.returncode == -signal.SIGKILL
    # between the two names there is a moment without either
    assert place.exists() == (event != ("os.rename", ".place.writing-"))
    recover(place)
    assert text_of(place) == there
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".place-old-")]
    fill(place, "third")
    assert text_of(place) == "third"
    assert [one.name for one in tmp_path.iterdir()] == ["place"]


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


# full disks


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A small disk, where one can be made."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        made = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("no small disk can be mounted here: that takes Linux, and root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], capture_output=True, check=True)


def test_a_disk_that_can_only_be_read_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with mounted(tmp_path / "locked", "ro,size=200k") as locked:  # as root, modes of folders forbid nothing
        for arguments in ("audit nothing.txt -o out --summary", "reproduce ml-eat --vectors nothing.txt -o"):
            monkeypatch.setattr(sys, "argv", ["crossroads", *arguments.split(), str(locked / "file.csv")])
            with pytest.raises(SystemExit, match="2"):
                main()
            said = " ".join(capsys.readouterr().err.split())
            assert f"{locked} cannot be written to, so {locked / 'file.csv'} cannot be created." in said
            assert "nothing." not in said  # what is to be read was not looked for yet


def test_stores_say_what_they_take(tmp_path: Path) -> None:
    contexts = Contexts.from_dict({"rose": np.ones((100, 300)), "wasp": np.ones((50, 300))})
    with mounted(tmp_path / "disk", "size=200k") as small:
        with pytest.raises(DiskFullError, match=r"store takes 360 kB, 20\d kB are free") as caught:
            contexts.save(small / "store")
        assert (caught.value.needed, caught.value.place) == (150 * 300 * 8, small / "store")
        assert list(small.iterdir()) == []


@pytest.mark.parametrize("write", [staged, replaced])
def test_other_failures_stay_what_they_are(write: object, tmp_path: Path) -> None:
    for error in (OSError(errno.EACCES, "no"), OSError("odd"), InputError("mine")):
        with pytest.raises(type(error)) as caught, write(tmp_path / "x"):  # type: ignore[operator]
            raise error
        assert caught.value is error
    for full in (
        OSError(errno.ENOSPC, "no"),
        OSError(errno.EFBIG, "large"),
        OSError("9 requested and 0 written"),
    ):
        with pytest.raises(DiskFullError), write(tmp_path / "x"):  # type: ignore[operator]
            raise full
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_looked_at_and_not_promised(tmp_path: Path) -> None:
    parts, error = tmp_path / "x.part", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert not is_anything_finished(parts)
    (parts / "a.part").mkdir(parents=True)
    for name in ("lock", "plan.json", ".writing-part-1.npy", "a.part/lock", "empty.json"):
        (parts / name).write_text("" if name == "empty.json" else "x", encoding="utf-8")
    assert not is_anything_finished(parts)
    assert "nothing of this run is kept" in str(full_disk(error, tmp_path / "x", parts=parts).hint)
    (parts / "a.part" / "part-000001.npy").write_text("x", encoding="utf-8")
    assert is_anything_finished(parts)
    place = tmp_path / "x"
    with pytest.raises(CrossroadsError, match=r"is kept in x\.part"), disk_errors(place, parts=parts):
        raise full_disk(error, tmp_path / "y")  # by somebody who knows of no parts
