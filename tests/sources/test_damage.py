"""Damaged files: cut short or with bytes changed, they load or are refused in a sentence, never otherwise."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crossroads import load
from crossroads.errors import CrossroadsError
from tests.sources import written

WORDS = [*(f"word{i}" for i in range(20)), "José", "naïve", "日本"]
ROWS = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)
VECTORS = dict(zip(WORDS, ROWS, strict=True))


GLOVE = written.glove(VECTORS)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("glove.txt", GLOVE)
    return out.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "glove.txt": lambda: GLOVE,
    "vectors.bin": lambda: written.word2vec(VECTORS),
    "glove.txt.gz": lambda: gzip.compress(GLOVE),
    "glove.txt.bz2": lambda: bz2.compress(GLOVE),
    "glove.txt.xz": lambda: lzma.compress(GLOVE),
    "glove.zip": zipped,
    "vectors.npz": lambda: written.npz(labels=np.array(WORDS), vectors=written.matrix(VECTORS)),
    "vectors.safetensors": lambda: written.labelled(VECTORS),
}


@pytest.mark.parametrize("name", FILES)
def test_damage_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    whole = FILES[name]()
    path = tmp_path / name
    path.write_bytes(whole)
    assert set(load(path).labels) == set(WORDS)
    rng = random.Random(name)
    for _ in range(60):
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
