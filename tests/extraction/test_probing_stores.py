"""Probes that are kept: killed or not, they end with the same bytes, and answer for their settings only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import InputError
from crossroads.extraction.probing import ProbeStep, probe
from crossroads.stimuli import Trait

MakeModel = Callable[[str], Path]
TRAITS = [("powerless", "powerful"), ("cold", "warm"), ("low status", "high status")]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1, "batch_size": 8}
SCRIPT = (
    "import json, sys\n"
    "from crossroads.extraction.probing import probe\n"
    "probe(sys.argv[1], store=sys.argv[2], **json.loads(sys.argv[3]))\n"
)


def bytes_of(store: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a signal of POSIX systems")
def test_a_probe_that_is_killed_goes_on_and_ends_with_the_same_bytes(
    model_of: MakeModel, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {
        "groups": ["woman", "man", "elderly", "teenager"], "traits": TRAITS,
        "templates": ["plural", "belief"], **OPTIONS, "batch_size": 2, "unit_texts": 4,
    }  # fmt: skip
    probe(model_of("roberta"), store=tmp_path / "whole", **asked)
    store, parts = tmp_path / "killed", tmp_path / "killed.part"
    moment = [str(Path(__file__).parents[1] / "moments.py"), "os.rename", "/part-", "6", "SIGKILL:self"]
    command = [sys.executable, *moment, SCRIPT, str(model_of("roberta")), str(store), json.dumps(asked)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not store.exists()
    kept = len(list(parts.glob("part-*.npy")))
    assert kept == 5
    steps: list[ProbeStep] = []
    probe(model_of("roberta"), store=store, progress=steps.append, **asked)
    assert max(step.kept for step in steps) >= 4 * kept
    assert bytes_of(store) == bytes_of(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
    # A third run finds it there; other settings are told apart.
    steps.clear()
    again = probe(model_of("roberta"), store=store, progress=steps.append, **asked)
    assert steps[-1].stage == "present"
    assert again.groups == ("woman", "man", "elderly", "teenager")
    with pytest.raises(InputError, match="finished probe with other settings: groups"):
        probe(model_of("roberta"), store=store, **{**asked, "groups": ["woman"]})


def test_a_finished_store_answers_only_for_the_same_ends_of_the_same_traits(
    model_of: MakeModel, tmp_path: Path
) -> None:
    # the same words are asked for; which end they stand for differs, and with it every score
    one = Trait(left="cold", right="warm", scale="", human_key="", left_synonyms=("kind",))
    two = Trait(left="cold", right="warm", scale="", human_key="", right_synonyms=("kind",))
    asked: dict[str, Any] = {"groups": ["woman"], "templates": ["{plural} are {trait}."], "synonyms": True}
    store = tmp_path / "store"
    probe(model_of("bert"), store=store, traits=[one], **asked, **OPTIONS)
    with pytest.raises(InputError, match="other settings"):
        probe(model_of("bert"), store=store, traits=[two], **asked, **OPTIONS)
    # a folder beside it that is not ours is left alone
    (tmp_path / "store.part").mkdir()
    (tmp_path / "store.part" / "thesis.txt").write_text("precious", encoding="utf-8")
    probe(model_of("bert"), store=store, traits=[one], **asked, **OPTIONS)
    assert (tmp_path / "store.part" / "thesis.txt").read_text(encoding="utf-8") == "precious"
