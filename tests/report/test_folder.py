"""The folder of an audit stands whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossroads.errors import InputError
from crossroads.report.folder import MARK, check_output, staged, write_whole

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
