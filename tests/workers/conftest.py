"""Both who have others work for them: a search for contexts, and a model that encodes them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.corpus import find_contexts, write_contexts
from crossroads.corpus import search as searching
from crossroads.extraction.embed.run import embed

Work = Callable[..., Any]
"""Does some work of many parts with the options that both share; returns what came of it."""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A text that is read in many parts."""
    pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")
    monkeypatch.setattr(searching, "PART_BYTES", 4000)
    rng, pool = random.Random(0), ["Anna", "Otto", "the", "a", "saw", "so", "dog’s", "née"]
    lines = [" ".join(rng.choices(pool, k=rng.randrange(1, 12))) for _ in range(3000)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def work(request: pytest.FixtureRequest, corpus: Path, tmp_path: Path) -> Work:
    if request.param == "contexts":
        return lambda **options: find_contexts(corpus, ["Anna", "Otto"], limit=25, **options).contexts
    model = Path(request.getfixturevalue("small_models").save_bert(tmp_path / "model", ["anna", "otto"]))
    folder = write_contexts(find_contexts(corpus, ["Anna", "Otto"], limit=8, workers=1), tmp_path / "found")
    numbers = itertools.count()

    def encode(**options: Any) -> dict[str, bytes]:
        store = tmp_path / f"store-{next(numbers)}"
        embed(folder, model, store, unit_tokens=60, device="cpu", **options)
        return {path.name: path.read_bytes() for path in store.iterdir()}

    return encode
