"""Places where a store cannot be made are found before any work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import InputError
from crossroads.extraction import embed
from crossroads.extraction.places import usable_place


def refusal(store: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        usable_place(store)
    assert caught.value.hint
    return caught.value.message


def test_places_that_cannot_become_a_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    monkeypatch.chdir(inner)
    assert "link to nothing" in refusal(tmp_path / "nothing")
    assert "cannot be used" in refusal(tmp_path / "itself")
    assert "cannot be used" in refusal(tmp_path / ("n" * 300))
    for here in (".", "..", inner, tmp_path, "../inner"):
        assert "current folder or above it" in refusal(here)
    assert "is not a folder" in refusal(tmp_path / "file" / "deeper" / "store")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "inner", "itself", "nothing"]


@pytest.mark.skipif(sys.platform != "linux", reason="a mount point that every system has")
def test_a_mount_point_is_refused() -> None:
    assert "mount point" in refusal("/proc")


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what the system says is replaced, because the superuser may write anywhere
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    assert "cannot be written to" in refusal(tmp_path / "store")


def test_new_and_empty_folders_are_usable_and_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    assert usable_place(tmp_path / "empty") == tmp_path / "empty"
    assert usable_place(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert usable_place(tmp_path / "link") == (tmp_path / "empty").resolve()
    assert usable_place(tmp_path / "empty" / "..").name == tmp_path.name


def test_a_store_is_made_where_a_link_points(
    tiny_model: Callable[[str], Path], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    options: dict[str, Any] = {"device": "cpu", "workers": 1}
    made = embed(folder, tiny_model("bert"), tmp_path / "link", **options)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "empty" / "manifest.json").is_file()
    assert embed(folder, tiny_model("bert"), tmp_path / "link", **options).words == made.words


def test_nothing_is_read_for_a_place_that_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="is not a folder"):  # and not: there are no contexts
        embed(tmp_path / "no contexts", tmp_path / "no model", tmp_path / "file" / "store")
