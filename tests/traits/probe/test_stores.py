"""Probes that are kept: killed or not, they end with the same bytes, and answer for their settings only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")

from crossroads.core.errors import InputError  # noqa: E402
from crossroads.core.models.opening import ProbeStep  # noqa: E402
from crossroads.core.stimuli import Trait  # noqa: E402
from crossroads.traits.probe.run import probe  # noqa: E402

MakeModel = Callable[[str], Path]
TRAITS = [("powerless", "powerful"), ("cold", "warm"), ("low status", "high status")]
PLAIN = ["That {singular} is {trait}.", "{capitalised} are more {trait} than others."]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1, "batch_size": 8}
SCRIPT = (
    "import json, sys\n"
    "from crossroads.traits.probe.run import probe\n"
    "probe(sys.argv[1], store=sys.argv[2], **json.loads(sys.argv[3]))\n"
)


def bytes_of(store: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(store.iterdir())}


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a signal of POSIX systems")
def test_a_probe_that_is_killed_goes_on_and_ends_with_the_same_bytes(
    model_of: MakeModel, tmp_path: Path
) -> None:
    """A process that loads torch takes long; it is killed at a moment of its own."""
    asked: dict[str, Any] = {
        "groups": ["woman", "man", "elderly", "teenager"], "traits": TRAITS,
        "templates": ["plural", "belief"], **OPTIONS, "batch_size": 2, "unit_texts": 4, "threads": 3,
    }  # fmt: skip
    probe(model_of("roberta"), store=tmp_path / "whole", **asked)
    store, parts = tmp_path / "killed", tmp_path / "killed.part"
    moment = [str(Path(__file__).parents[2] / "moments.py"), "os.rename", "/part-", "6", "SIGKILL:self"]
    command = [sys.executable, *moment, SCRIPT, str(model_of("roberta")), str(store), json.dumps(asked)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not store.exists()
    assert len(list(parts.glob("part-*.npy"))) == 5
    steps: list[ProbeStep] = []
    probe(model_of("roberta"), store=store, progress=steps.append, **asked)
    assert max(step.kept for step in steps) >= 4 * 5
    assert bytes_of(store) == bytes_of(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
    # A third run finds it there; other settings are told apart.
    steps.clear()
    again = probe(model_of("roberta"), store=store, progress=steps.append, **asked)
    assert steps[-1].stage == "present"
    assert again.groups == ("woman", "man", "elderly", "teenager")
    with pytest.raises(InputError, match="finished probe with other settings: groups"):
        probe(model_of("roberta"), store=store, **{**asked, "groups": ["woman"]})


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_batches_that_are_under_way_together_change_no_bit_and_are_all_told_of(
    kind: str, model_of: MakeModel
) -> None:
    asked: dict[str, Any] = {"groups": ["woman", "man"], "traits": TRAITS, "templates": PLAIN}
    options = {**OPTIONS, "batch_size": 2, "unit_texts": 3}
    before = torch.get_num_threads()
    alone = probe(model_of(kind), **asked, **options)
    steps: list[ProbeStep] = []
    together = probe(model_of(kind), **asked, **{**options, "threads": 4}, progress=steps.append)
    for name in ("logit", "slot", "heads", "log_sum_exp", "hidden_sq_norm"):
        assert getattr(alone, name).tobytes() == getattr(together, name).tobytes(), name
    assert torch.get_num_threads() == before
    done = [step.done for step in steps if step.stage == "asking"]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, alone.provenance.details["texts"])
    assert max(later - one for one, later in pairwise(done)) <= 2  # after each batch, not each unit


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
