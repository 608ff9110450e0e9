from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import InputError
from crossroads.plots import association_plot, eat_map, save, taxonomy
from tests.fixtures.figures import Toy

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BEGINNINGS)
def test_a_figure_saved_twice_gives_the_same_bytes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Toy().mleat()
    ax = association_plot(result)
    first = save(ax, tmp_path / f"one.{kind}").read_bytes()
    assert first.startswith(BEGINNINGS[kind])
    assert save(ax, tmp_path / f"two.{kind}").read_bytes() == first
    # drawn anew, and on another day
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert save(association_plot(result), tmp_path / f"three.{kind}").read_bytes() == first


@pytest.mark.slow
@pytest.mark.parametrize("kind", BEGINNINGS)
def test_letters_without_a_glyph_do_not_warn(kind: str, tmp_path: Path) -> None:
    titles = {"x": "花", "y": "昆虫", "a": "𓀀", "b": "नमस्ते"}
    assert save(eat_map(Toy(titles=titles).mleat()), tmp_path / f"map.{kind}").stat().st_size > 1000


@pytest.mark.slow
def test_files_hold_no_date_and_a_pdf_type_that_can_be_edited(tmp_path: Path) -> None:
    figure = taxonomy()
    assert b"<dc:date>" not in save(figure, tmp_path / "map.SVG").read_bytes()
    content = save(figure, tmp_path / "map.pdf").read_bytes()
    assert b"CreationDate" not in content
    assert b"/Type3" not in content


def test_dots_per_inch_decide_the_size_of_a_png(tmp_path: Path) -> None:
    ax = eat_map(Toy().mleat())
    widths = [
        int.from_bytes(save(ax, tmp_path / f"{dpi}.png", dpi=dpi).read_bytes()[16:20]) for dpi in (100, 200)
    ]
    assert widths == [350, 700]


def test_axes_inside_a_part_of_a_figure_save_the_whole(tmp_path: Path) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(8, 4), dpi=100)
    parts: Any = figure.subfigures(1, 2)
    ax = eat_map(Toy().mleat(), ax=parts[0].add_subplot())
    assert save(ax, tmp_path / "a.png").read_bytes() == save(figure, tmp_path / "b.png").read_bytes()


@pytest.mark.slow
def test_what_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    figure = taxonomy()
    refused: list[tuple[Any, str, Any, str]] = [
        (figure, "map.gif", 100, "unknown"),
        (figure, "map", 100, "unknown"),
        (figure, "missing/map.png", 100, "there is no folder"),
        (figure, "folder.png", 100, "is a folder"),
        (figure, "map.png", 0, "dpi is 0"),
        ("taxonomy", "map.png", 100, "a str cannot be saved"),
    ]
    for drawn, name, dpi, message in refused:
        with pytest.raises(InputError, match=message):
            save(drawn, tmp_path / name, dpi=dpi)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "map.png"
    path.write_bytes(b"old")

    def fails(self: Path, target: Path) -> Path:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="no space left"):
        save(taxonomy(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    path = save(taxonomy(), tmp_path / "map.png")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)
