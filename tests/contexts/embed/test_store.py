"""Stores at places that are links or too small."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.embed.run import embed
from crossroads.core.errors import CrossroadsError
from crossroads.core.storage.cache import parts_folder


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
