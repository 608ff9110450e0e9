"""Places where a store cannot be made are found before any work is done."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import CrossroadsError, InputError
from crossroads.extraction.embed.run import embed
from crossroads.extraction.embed.store import usable_place
from crossroads.storage.parts import parts_folder


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


@pytest.fixture
def small_disk() -> Any:
    """Files may not grow past a limit, which is how a full disk looks to a program."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_up_while_the_store_is_put_together_costs_nothing(
    tiny_model: Callable[[str], Path], many: Path, tmp_path: Path, small_disk: Callable[[int], None]
) -> None:
    store = tmp_path / "store"
    options: dict[str, Any] = {"unit_tokens": 2000, "device": "cpu", "workers": 1}
    model = tiny_model("bert")
    small_disk(60_000)  # room for a part of about 130 × 32 numbers, not for a shard of 600 × 32
    with pytest.raises(CrossroadsError, match="is full"):
        embed(many, model, store, **options)
    assert not store.exists()
    kept = sorted(path.name for path in parts_folder(store).glob("part-*.npy"))
    assert len(kept) > 2
    small_disk(resource.RLIM_INFINITY)
    steps: list[Any] = []
    embed(many, model, store, progress=steps.append, **options)
    encoding = [step for step in steps if step.stage == "encoding"]
    assert encoding[0].kept == encoding[0].total  # nothing was encoded again
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_contexts_that_cannot_be_used_leave_nothing_behind(
    tiny_model: Callable[[str], Path], make_folder: Callable[..., Path], tmp_path: Path
) -> None:
    contexts = make_folder([("nothing", "a \u200b rose", 2, 3)])
    with pytest.raises(InputError, match="none of the 1 contexts"):
        embed(contexts, tiny_model("bert"), tmp_path / "store", device="cpu", workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["contexts"]
