"""The folder of an audit stands whole or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crossroads.errors import InputError
from crossroads.report.folder import MARK, OURS, check_output, folder_names, staged, write_whole

RECORD = '{"crossroads": "0", "designs": [], "results": []}'


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    output = tmp_path / "new" / "audit"
    with staged(output) as folder:
        (folder / MARK).write_text(RECORD, encoding="utf-8")
        (folder / "figures").mkdir()
        (folder / "figures" / "one.svg").write_text("<svg/>", encoding="utf-8")
        assert not output.exists()
    assert sorted(path.name for path in output.iterdir()) == ["figures", MARK]
    assert [path.name for path in output.parent.iterdir()] == ["audit"]


def test_an_error_leaves_an_earlier_audit_as_it_was(tmp_path: Path) -> None:
    output = tmp_path / "audit"
    with staged(output) as folder:
        (folder / MARK).write_text("first", encoding="utf-8")
    with pytest.raises(InputError), staged(output) as folder:
        (folder / MARK).write_text("second", encoding="utf-8")
        raise InputError("something is wrong.")
    assert (output / MARK).read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["audit"]


def test_a_new_audit_takes_the_place_of_an_old_one_with_nothing_left_of_it(tmp_path: Path) -> None:
    output = tmp_path / "audit"
    with staged(output) as folder:
        (folder / MARK).write_text(RECORD, encoding="utf-8")
        (folder / "gate.json").write_text("{}", encoding="utf-8")
    check_output(output)
    with staged(output) as folder:
        (folder / MARK).write_text(RECORD, encoding="utf-8")
    assert [path.name for path in output.iterdir()] == [MARK]


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(RECORD, encoding="utf-8")
    check_output(tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds other things: 'thesis.tex'"):
        check_output(tmp_path)


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    write_whole(tmp_path / "page.md", "one")
    write_whole(tmp_path / "page.md", "two")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_audits_of_several_models_below_a_comparison_are_ours(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "glove").mkdir()
    (tmp_path / "glove" / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "glove" / "vectors.npz").write_bytes(b"")
    check_output(tmp_path)
    (tmp_path / "glove" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="holds other things: 'glove'"):
        check_output(tmp_path)


def test_a_folder_that_only_looks_like_an_audit_of_a_model_is_foreign(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / MARK).write_text('{"my": "own"}', encoding="utf-8")
    with pytest.raises(InputError, match="holds other things: 'data'"):
        check_output(tmp_path)
    outside = tmp_path.parent / "elsewhere"
    outside.mkdir()
    (outside / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "data" / MARK).unlink()
    (tmp_path / "data").rmdir()
    (tmp_path / "data").symlink_to(outside, target_is_directory=True)
    with pytest.raises(InputError, match="holds other things: 'data'"):
        check_output(tmp_path)


def test_folders_of_models_have_names_of_their_own_and_none_of_ours() -> None:
    models = ["a/b.txt", "c/b.txt", "C:\\x\\B.TXT", "figures", "../..", "Zoë & co", "é" * 200, "...", "/"]
    names = folder_names(models)
    assert list(names) == models
    assert len({name.casefold() for name in names.values()}) == len(models)
    assert names["a/b.txt"] == "b.txt"
    assert names["c/b.txt"] == "b.txt-2"
    assert names["Zoë & co"] == "Zoë-co"
    assert not set(names.values()) & OURS
    assert all(name not in (".", "..") and "/" not in name and len(name) < 70 for name in names.values())


def test_an_output_that_is_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "audit").symlink_to(tmp_path / "large disk")
    for text in ("first", "second"):
        with staged(tmp_path / "audit") as folder:
            (folder / MARK).write_text(text, encoding="utf-8")
    assert (tmp_path / "audit").is_symlink()
    assert (tmp_path / "large disk" / MARK).read_text(encoding="utf-8") == "second"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit", "large disk"]


def test_a_folder_called_model_is_named_after_the_one_it_lies_in() -> None:
    assert folder_names(["mini/model", "mini"]) == {"mini/model": "mini-model", "mini": "mini"}


KILLED = (
    "import os, signal, sys\n"
    "from pathlib import Path\n"
    "from crossroads.report.folder import MARK, staged\n"
    "def hook(event, arguments):\n"
    "    if event == sys.argv[3] and sys.argv[4] in str(arguments):\n"
    "        os.kill(os.getpid(), getattr(signal, sys.argv[5]))\n"
    "with staged(Path(sys.argv[1])) as folder:\n"
    "    (folder / MARK).write_text(sys.argv[2])\n"
    "    sys.addaudithook(hook)\n"
)
# Events of the interpreter, in their order: the new folder takes its place; the old one, moved aside, gets
# the name of what is to go; it is removed.
MOMENTS = [
    (("os.rename", "audit.writing-"), "first"),
    (("os.rename", "going"), "second"),
    (("shutil.rmtree", "-old-"), "second"),
]


def record(text: str) -> str:
    return f'{{"crossroads": "{text}", "designs": [], "results": []}}'


def replaced_until(output: Path, event: tuple[str, str], sent: str) -> int:
    """Replace the folder of an audit in a process that gets a signal at some moment; returns how it ended."""
    with staged(output) as folder:
        (folder / MARK).write_text(record("first"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(output), record("second"), *event, sent],
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return run.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in another way")
@pytest.mark.parametrize(("event", "there"), MOMENTS)
def test_a_writer_that_was_killed_while_it_replaced_an_audit_loses_nothing(
    event: tuple[str, str], there: str, tmp_path: Path
) -> None:
    output = tmp_path / "audit"
    assert replaced_until(output, event, "SIGKILL") == -signal.SIGKILL
    assert output.exists() == (there == "second")  # between the two names there is a moment without either
    assert [one for one in tmp_path.iterdir() if one.name.startswith(".audit-old-")]
    check_output(output)  # the next run, before any work
    assert (output / MARK).read_text(encoding="utf-8") == record(there)
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".audit-old-")]
    with staged(output) as folder:
        (folder / MARK).write_text(record("third"), encoding="utf-8")
    assert (output / MARK).read_text(encoding="utf-8") == record("third")
    assert [one.name for one in tmp_path.iterdir()] == ["audit"]


@pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted in another way")
@pytest.mark.parametrize(("event", "there"), MOMENTS[:2])
def test_a_writer_that_was_interrupted_then_tidies_up_itself(
    event: tuple[str, str], there: str, tmp_path: Path
) -> None:
    output = tmp_path / "audit"
    assert replaced_until(output, event, "SIGINT") != 0
    assert (output / MARK).read_text(encoding="utf-8") == record(there)


def test_a_link_to_an_audit_that_was_moved_aside_leads_to_it_again(tmp_path: Path) -> None:
    (tmp_path / "audit").symlink_to(tmp_path / "disk")
    aside = tmp_path / ".disk-old-abcdefg1"
    (aside / "audit").mkdir(parents=True)
    (aside / "audit" / MARK).write_text(RECORD, encoding="utf-8")
    check_output(tmp_path / "audit")
    assert (tmp_path / "audit" / MARK).read_text(encoding="utf-8") == RECORD
    assert sorted(one.name for one in tmp_path.iterdir()) == ["audit", "disk"]


def test_half_an_audit_that_was_being_removed_is_not_put_back(tmp_path: Path) -> None:
    half = tmp_path / ".audit-old-abcdefg1" / "going"
    half.mkdir(parents=True)
    (half / MARK).write_text(RECORD, encoding="utf-8")
    check_output(tmp_path / "audit")
    assert list(tmp_path.iterdir()) == []


def test_folders_of_somebody_else_and_of_writers_at_work_are_left_alone(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    backup, busy = tmp_path / ".audit-old-20240101", tmp_path / ".audit-old-abcdefg1"
    backup.mkdir()
    (backup / MARK).write_text(RECORD, encoding="utf-8")
    (busy / "audit").mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", f"import fcntl, os; fcntl.flock(os.open({str(busy)!r}, 0), {fcntl.LOCK_EX});"
         "print('held', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        check_output(tmp_path / "audit")
        assert sorted(one.name for one in tmp_path.iterdir()) == [backup.name, busy.name]
        process.communicate("\n")
    check_output(tmp_path / "audit")
    assert sorted(one.name for one in tmp_path.iterdir()) == [backup.name, "audit"]
