"""Who computes: real workers that end, fail or are stopped."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from crossroads.corpus import read_contexts
from crossroads.errors import InputError, UnknownNameError
from crossroads.extraction.embed.choice import resolve
from crossroads.extraction.embed.engines import encode_locally
from crossroads.extraction.embed.plan import make_plan
from crossroads.extraction.embed.run import embed


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
        embed(many, tiny_model("bert"), tmp_path / "store", engine="rya")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="workers=0"):
        embed(many, tiny_model("bert"), tmp_path / "store", workers=0)
