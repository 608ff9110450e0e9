"""Damaged files: cut short or with bytes changed, they load or are refused in a sentence, never otherwise."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import load
from crossroads.errors import CrossroadsError

WORDS = [*(f"word{i}" for i in range(20)), "José", "naïve", "日本"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)


def glove() -> bytes:
    lines = [" ".join([w, *(f"{x:.4f}" for x in v)]) for w, v in zip(WORDS, VECTORS, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def word2vec() -> bytes:
    rows = [w.encode() + b" " + v.tobytes() + b"\n" for w, v in zip(WORDS, VECTORS, strict=True)]
    return f"{len(WORDS)} 5\n".encode() + b"".join(rows)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("glove.txt", glove())
    return out.getvalue()


def npz() -> bytes:
    out = io.BytesIO()
    np.savez(out, labels=np.array(WORDS), vectors=VECTORS)
    return out.getvalue()


def safetensors() -> bytes:
    import json

    labels = json.dumps(WORDS)
    head: dict[str, Any] = {
        "__metadata__": {"labels": labels},
        "vectors": {"dtype": "F32", "shape": list(VECTORS.shape), "data_offsets": [0, VECTORS.nbytes]},
    }
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + VECTORS.tobytes()


FILES: dict[str, Callable[[], bytes]] = {
    "glove.txt": glove,
    "vectors.bin": word2vec,
    "glove.txt.gz": lambda: gzip.compress(glove()),
    "glove.txt.bz2": lambda: bz2.compress(glove()),
    "glove.txt.xz": lambda: lzma.compress(glove()),
    "glove.zip": zipped,
    "vectors.npz": npz,
    "vectors.safetensors": safetensors,
}


@pytest.mark.parametrize("name", FILES)
def test_damage_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    whole = FILES[name]()
    path = tmp_path / name
    path.write_bytes(whole)
    assert set(load(path).labels) == set(WORDS)
    rng = random.Random(name)
    for _ in range(150):
        damaged = bytearray(whole)
        if rng.random() < 0.3:
            del damaged[rng.randrange(len(damaged)) :]
        else:
            for _ in range(rng.choice([1, 2, 5])):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a library may warn before it gives up
            try:
                load(path)
            except CrossroadsError as error:
                assert str(error)
