"""Full disks: which file found no room, how much it takes, and what is kept, if anything is."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from crossroads.cli import main
from crossroads.errors import CrossroadsError, DiskFullError, InputError
from crossroads.evidence import Contexts
from crossroads.storage.disks import disk_errors, full_disk, is_anything_finished
from crossroads.storage.staging import replaced, staged


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 kB, where one can be made."""
    with mounted(tmp_path / "disk", "size=200k") as folder:
        yield folder


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A disk that can only be read, where one can be made: as root, modes of folders forbid nothing."""
    with mounted(tmp_path / "locked", "ro,size=200k") as folder:
        yield folder


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        made = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("no small disk can be mounted here: that takes Linux, and root")
    yield folder
    subprocess.run(["umount", str(folder)], capture_output=True, check=True)


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (("audit", "nothing.txt", "-o"), "out"),
        (("audit", "nothing.txt", "-o", "out", "--summary"), "summary.md"),
        (("report", "nothing.json", "-o"), "page.html"),
        (("reproduce", "ml-eat", "--vectors", "nothing.txt", "-o"), "cells.csv"),
    ],
)
def test_a_disk_that_can_only_be_read_is_told_before_any_work(
    locked: Path, tmp_path: Path, arguments: tuple[str, ...], file: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["crossroads", *arguments, str(locked / file)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{locked} cannot be written to, so {locked / file} cannot be created." in said
    assert "nothing." not in said  # what is to be read was not looked for yet


def test_stores_and_vectors_say_what_they_take(small: Path) -> None:
    contexts = Contexts.from_dict({"rose": np.ones((100, 300)), "wasp": np.ones((50, 300))})
    with pytest.raises(DiskFullError, match=r"store takes 360 kB, 20\d kB are free") as caught:
        contexts.save(small / "store")
    assert (caught.value.needed, caught.value.place) == (150 * 300 * 8, small / "store")
    assert list(small.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_device_is_no_traceback(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-c", "from crossroads.cli import main; main()", "catalog", "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
    assert run.returncode == 1
    assert "the output cannot be written (no space left on device)" in run.stderr
    assert "Traceback" not in run.stderr


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
