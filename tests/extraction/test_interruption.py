"""Killed at any moment, a run goes on, and the store has the bytes of one that was never interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from crossroads.extraction.embed.run import embed

if sys.platform != "linux":
    pytest.skip("processes are found in /proc", allow_module_level=True)

OPTIONS: dict[str, Any] = {"unit_tokens": 150, "batch_size": 4, "device": "cpu"}
"""Small units, so that there are many of them."""
MOMENTS = str(Path(__file__).parents[1] / "moments.py")
SCRIPT = (
    "import json, sys\n"
    "from crossroads.extraction.embed.run import embed\n"
    "embed(sys.argv[1], sys.argv[2], sys.argv[3], **json.loads(sys.argv[4]))\n"
)


def bytes_of(store: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}


def parts_of(store: Path) -> int:
    return len(list(store.with_name(f"{store.name}.part").glob("part-*.npy")))


@pytest.fixture(scope="module")
def model(tiny_model: Callable[[str], Path]) -> Path:
    return tiny_model("bert")


@pytest.fixture(scope="module")
def expected(model: Path, many: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The store of one undisturbed run with one worker."""
    store = tmp_path_factory.mktemp("undisturbed") / "store"
    embed(many, model, store, workers=1, **OPTIONS)
    return bytes_of(store)


def run(many: Path, model: Path, store: Path, moment: Sequence[str] = (), **options: Any) -> int:
    """Embed in a process of its own, to which something happens at some moment; returns how it ended."""
    arguments = [str(many), str(model), str(store), json.dumps({**OPTIONS, **options})]
    program = [MOMENTS, *moment] if moment else ["-c"]
    with subprocess.Popen(
        [sys.executable, *program, SCRIPT, *arguments], start_new_session=True, stderr=subprocess.PIPE
    ) as process:
        _, said = process.communicate(timeout=600)
    assert process.returncode in (0, -signal.SIGKILL), said.decode()
    deadline = time.monotonic() + 300
    while workers_of(process.pid):  # of a run that was killed they must notice that nobody listens any more
        assert time.monotonic() < deadline, "workers live on"
        time.sleep(0.05)
    return process.returncode


def workers_of(session: int) -> list[str]:
    """Workers that were started in a session, of which the first process may be gone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            owner = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
        except (OSError, IndexError):
            continue
        if b"crossroads.extraction.embed.engines" in line and owner == session:
            found.append(folder.name)
    return found


def at_part(counts: str, what: str) -> list[str]:
    """When the part with this number, among those of one run, is about to get its name."""
    return ["os.rename", "/part-", counts, what]


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    store, kept = tmp_path / "store", 0
    for whom, count in (("group", 1), ("self", 3), ("group", 20)):
        assert run(many, model, store, at_part(str(count), f"SIGKILL:{whom}"), workers=2) == -signal.SIGKILL
        kept += count - 1
        assert parts_of(store) == kept
    assert not store.exists()
    assert run(many, model, store, workers=2) == 0
    assert bytes_of(store) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_a_killed_worker_costs_time_but_no_data(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    moment = at_part("1,9", "SIGKILL:crossroads.extraction.embed.engines")
    assert run(many, model, store, moment, workers=2) == 0
    assert bytes_of(store) == expected


def test_ray_gives_the_same_bytes_though_the_run_and_an_actor_are_killed(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="extra 'ray'")
    store = tmp_path / "store"
    ray: dict[str, Any] = {"engine": "ray", "workers": 1}
    assert run(many, model, store, at_part("6", "SIGKILL:self"), **ray) == -signal.SIGKILL
    assert parts_of(store) == 5
    assert run(many, model, store, at_part("1", "SIGKILL:ray::MapWorker"), **ray) == 0
    assert bytes_of(store) == expected
