"""Who computes: real workers that end, fail or are stopped."""

from __future__ import annotations

import dataclasses
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crossroads.corpus import read_contexts
from crossroads.errors import CrossroadsError, InputError, UnknownNameError
from crossroads.extraction import embed
from crossroads.extraction.local_engine import TRIES, encode_locally
from crossroads.extraction.planning import make_plan
from crossroads.extraction.ray_engine import encode_on_ray
from crossroads.extraction.resolving import resolve


def test_a_unit_that_always_ends_its_worker_is_named(
    tiny_model: Callable[[str], Path], many: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # every worker imports this at its start, and is gone
    (tmp_path / "sitecustomize.py").write_text("import os; os.kill(os.getpid(), 9)", encoding="utf-8")
    settings, tokenizer = resolve(tiny_model("bert"), unit_tokens=2000, device="cpu")
    plan = make_plan(read_contexts(many), tokenizer, settings)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        CrossroadsError, match=f"unit 1 of {plan.units} ended its worker {TRIES} times: signal 9"
    ):
        list(encode_locally(plan, [1], settings, workers=1))


@pytest.mark.parametrize(
    "engine",
    ["local", pytest.param("ray", marks=pytest.mark.filterwarnings("ignore"))],  # of its own settings
)
def test_no_worker_runs_a_file_of_the_current_folder(
    engine: str, tiny_model: Callable[[str], Path], many: Path, traps: Path, tmp_path: Path
) -> None:
    if engine == "ray":
        pytest.importorskip("ray", reason="extra 'ray'")
    embed(many, tiny_model("bert"), tmp_path / "store", engine=engine, workers=1, device="cpu")
    assert not traps.exists(), traps.read_text(encoding="utf-8").split()


def test_an_iteration_that_is_left_early_leaves_no_worker(
    tiny_model: Callable[[str], Path], many: Path
) -> None:
    settings, tokenizer = resolve(tiny_model("bert"), unit_tokens=300, device="cpu")
    plan = make_plan(read_contexts(many), tokenizer, settings)
    results = encode_locally(plan, range(plan.units), settings, workers=2)
    number, vectors = next(iter(results))
    assert vectors.shape == (plan.vectors[number], 32)
    results.close()  # type: ignore[attr-defined]
    command = ["ps", "-o", "args=", "--ppid", str(os.getpid())]
    children = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "ps -o" in children  # the list is not empty for another reason
    assert "crossroads.extraction.working" not in children


def test_a_worker_tells_what_is_wrong_with_a_model(
    tiny_model: Callable[[str], Path], many: Path, tmp_path: Path
) -> None:
    settings, tokenizer = resolve(tiny_model("bert"), unit_tokens=2000, device="cpu")
    plan = make_plan(read_contexts(many), tokenizer, settings)
    gone = dataclasses.replace(settings, files=dataclasses.replace(settings.files, folder=str(tmp_path)))
    with pytest.raises(InputError, match="the weights cannot be loaded"):
        list(encode_locally(plan, [0], gone, workers=1))


def test_the_engine_and_the_number_of_workers_are_checked(
    tiny_model: Callable[[str], Path], many: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ray'"):
        embed(many, tiny_model("bert"), tmp_path / "store", engine="rya")
    with pytest.raises(InputError, match="workers=0"):
        embed(many, tiny_model("bert"), tmp_path / "store", workers=0)


def test_a_cluster_that_is_not_there_is_a_sentence(tiny_model: Callable[[str], Path], many: Path) -> None:
    pytest.importorskip("ray", reason="extra 'ray'")
    settings, tokenizer = resolve(tiny_model("bert"), device="cpu")
    plan = make_plan(read_contexts(many), tokenizer, settings)
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):  # a port on which nobody listens
        with pytest.raises(InputError, match=r"no Ray cluster can be reached at '.*127\.0\.0\.1:1'"):
            list(encode_on_ray(plan, [0], settings, workers=1, address=address))
