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

from crossroads.contexts.embed.run import embed

if sys.platform != "linux":
    pytest.skip("processes are found in /proc", allow_module_level=True)

OPTIONS: dict[str, Any] = {"unit_tokens": 60, "batch_size": 4, "device": "cpu"}
"""Small units, so that there are some of them."""
MOMENTS = str(Path(__file__).parents[2] / "moments.py")
SCRIPT = (
    "import json, sys\n"
    "from crossroads.contexts.embed.run import embed\n"
    "embed(sys.argv[1], sys.argv[2], sys.argv[3], **json.loads(sys.argv[4]))\n"
)


def bytes_of(store: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}


def parts_of(store: Path) -> int:
    return len(list(store.with_name(f"{store.name}.part").glob("part-*.npy")))


@pytest.fixture(scope="module")
def model(tiny_model: Callable[[str], Path]) -> Path:
    return tiny_model("bert")


def undisturbed(contexts: Path, model: Path, store: Path) -> dict[str, bytes]:
    embed(contexts, model, store, workers=1, **OPTIONS)
    return bytes_of(store)


@pytest.fixture(scope="module")
def expected_of_many(model: Path, many: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The store of six hundred contexts."""
    return undisturbed(many, model, tmp_path_factory.mktemp("many") / "store")


def run(contexts: Path, model: Path, store: Path, moment: Sequence[str], **options: Any) -> int:
    """Embed in a process of its own, to which something happens at some moment; returns how it ended."""
    arguments = [str(contexts), str(model), str(store), json.dumps({**OPTIONS, **options})]
    with subprocess.Popen(
        [sys.executable, MOMENTS, *moment, SCRIPT, *arguments], start_new_session=True, stderr=subprocess.PIPE
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
        if b"crossroads.contexts.embed" in line and owner == session:
            found.append(folder.name)
    return found


def at_part(counts: str, what: str) -> list[str]:
    """When the part with this number, among those of one run, is about to get its name."""
    return ["os.rename", "/part-", counts, what]


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_bytes(
    engine: str, model: Path, folder: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each engine is killed once after its first part: processes that load torch, or start Ray, take long."""
    pytest.importorskip(engine if engine == "ray" else "torch", reason="extra 'ray'")
    store = tmp_path / "store"
    killed = run(folder, model, store, at_part("2", "SIGKILL:self"), engine=engine, workers=1)
    assert killed == -signal.SIGKILL
    assert not store.exists()
    assert parts_of(store) == 1
    assert undisturbed(folder, model, store) == undisturbed(folder, model, tmp_path_factory.mktemp("x") / "s")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


@pytest.mark.full
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(
    model: Path, many: Path, expected_of_many: dict[str, bytes], tmp_path: Path
) -> None:
    store, kept = tmp_path / "store", 0
    for whom, count in (("group", 1), ("self", 3), ("group", 20)):
        assert run(many, model, store, at_part(str(count), f"SIGKILL:{whom}"), workers=2) == -signal.SIGKILL
        kept += count - 1
        assert parts_of(store) == kept
    assert undisturbed(many, model, store) == expected_of_many


@pytest.mark.full
@pytest.mark.parametrize(
    ("engine", "worker", "counts"),
    [("local", "crossroads.contexts.embed", "1,9"), ("ray", "ray::_Actor", "1")],
)
def test_a_killed_worker_costs_time_but_no_data(
    engine: str, worker: str, counts: str, model: Path, many: Path,
    expected_of_many: dict[str, bytes], tmp_path: Path,
) -> None:  # fmt: skip
    pytest.importorskip(engine if engine == "ray" else "torch", reason="extra 'ray'")
    moment = at_part(counts, f"SIGKILL:{worker}")
    assert run(many, model, tmp_path / "store", moment, engine=engine, workers=2) == 0
    assert bytes_of(tmp_path / "store") == expected_of_many
