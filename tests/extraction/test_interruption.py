"""Killed at any moment, a run goes on, and the store has the bytes of one that was never interrupted."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.extraction import embed

if sys.platform != "linux":
    pytest.skip("processes are found in /proc", allow_module_level=True)

OPTIONS: dict[str, Any] = {"unit_tokens": 150, "batch_size": 4, "device": "cpu"}
"""Small units, so that there are many of them."""
SCRIPT = (
    "import json, sys\n"
    "from crossroads.extraction import embed\n"
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


def start(many: Path, model: Path, store: Path, **options: Any) -> subprocess.Popen[bytes]:
    arguments = [str(many), str(model), str(store), json.dumps({**OPTIONS, **options})]
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], start_new_session=True, stderr=subprocess.PIPE
    )


def finish(run: subprocess.Popen[bytes]) -> None:
    _, said = run.communicate(timeout=120)
    assert run.returncode == 0, said.decode()


def wait_for(run: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not reached() and run.poll() is None:
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.001)


def kill_group(run: subprocess.Popen[bytes]) -> None:
    """The run and everything it has started in its session, at once."""
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()


def kill_parent(run: subprocess.Popen[bytes]) -> None:
    """The run only; its workers must notice that nobody listens any more."""
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    deadline = time.monotonic() + 30
    while processes("crossroads.extraction.working", run.pid):
        assert time.monotonic() < deadline, "workers live on"
        time.sleep(0.05)


def processes(mark: str, session: int | None) -> list[int]:
    """Processes with something in their command line; of one session, or of any."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            owner = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
        except (OSError, IndexError):
            continue
        if mark in line and (session is None or owner == session):
            found.append(int(folder.name))
    return found


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    rng, store, kills = random.Random(11), tmp_path / "store", 0
    for kill, target in ((kill_group, 0), (kill_parent, 2), (kill_group, 20)):
        run = start(many, model, store, workers=2)
        wait_for(run, lambda target=target: parts_of(store) > target)  # type: ignore[misc]
        time.sleep(rng.uniform(0, 0.02))
        if run.poll() is None and not store.exists():
            kill(run)
            kills += 1
        else:
            run.communicate()
    assert kills >= 2
    finish(start(many, model, store, workers=2))
    assert bytes_of(store) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_a_killed_worker_costs_time_but_no_data(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    run = start(many, model, store, workers=2)
    killed = set()
    for target in (0, 8):
        wait_for(run, lambda target=target: parts_of(store) > target)  # type: ignore[misc]
        for process in processes("crossroads.extraction.working", run.pid)[:1]:
            os.kill(process, signal.SIGKILL)
            killed.add(process)
    finish(run)
    assert len(killed) == 2
    assert bytes_of(store) == expected


def test_ray_gives_the_same_bytes_though_the_run_and_an_actor_are_killed(
    model: Path, many: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="extra 'ray'")
    store = tmp_path / "store"
    run = start(many, model, store, engine="ray", workers=1)
    wait_for(run, lambda: parts_of(store) > 5)
    assert run.poll() is None, run.communicate()[1].decode()
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    kept = parts_of(store)
    others = set(processes("ray::MapWorker", None))
    run = start(many, model, store, engine="ray", workers=1)
    wait_for(run, lambda: parts_of(store) > kept)
    actors = [process for process in processes("ray::MapWorker", None) if process not in others]
    for process in actors:
        os.kill(process, signal.SIGKILL)
    assert actors
    finish(run)
    assert bytes_of(store) == expected
