"""The default vectors are part of the package, and give what all of GloVe gives."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from packages import default

import crossroads as cr
from crossroads import load
from crossroads.core.errors import FormatError, InputError, MissingStimuliError
from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli import catalog
from crossroads.words.vectors import default as embedded


@pytest.fixture(scope="module")
def whole() -> Embeddings:
    try:
        return default.whole()
    except (ImportError, metadata.PackageNotFoundError) as error:
        pytest.skip(f"all words of GloVe are not installed (extra [test]): {error}")


def test_the_default_is_glove_in_lower_case() -> None:
    emb = load("default", words=["Martha", "rose", "wasp"])
    assert (len(emb), emb.dim, emb.fallback) == (3, 50, ("lower",))
    assert (emb.provenance.source, emb.provenance.format) == ("GloVe 6B, 50 dimensions", "default")
    every = load("default")
    assert emb.provenance.details["vocabulary"] == 400_000
    assert every.provenance.details["included"] == f"{len(every):,} of 400,000 words"
    assert every.ranks is not None and every.ranks[every.labels[-1]] > len(every)


@pytest.mark.parametrize("names", [("weat3", "weat6", "i1"), ("weat7",)])
def test_words_and_pools_are_those_of_all_words(
    names: tuple[str, ...], whole: Embeddings, tmp_path: Path
) -> None:
    words = [word for name in names for word in catalog(name).words]
    file = tmp_path / "glove.npz"
    np.savez(file, labels=np.array(whole.labels), vectors=whole.vectors)
    complete = load(file, words=words, fallback="lower", pool=embedded.POOL, ranked=True)
    emb = load("default", words=words, pool=embedded.POOL)
    for ours, expected in ((emb, complete), (emb.pool, complete.pool)):
        assert ours is not None and expected is not None
        assert ours.labels == expected.labels
        np.testing.assert_array_equal(ours.vectors, expected.vectors)
        assert ours.ranks == expected.ranks


def test_the_included_words_are_those_that_the_script_chooses(whole: Embeddings) -> None:
    rows = default.chosen(whole.labels, default.stimuli())
    every = load("default")
    assert every.labels == tuple(whole.labels[row] for row in rows)
    np.testing.assert_array_equal(every.vectors, whole.vectors[rows])


def test_a_word_that_is_not_included_is_said_to_be_in_the_complete_file() -> None:
    complete = r"the complete file, glove\.6B\.50d\.txt"
    with pytest.raises(InputError, match=r"none of the 1 words.* of GloVe 6B") as nothing:
        load("default", words=["zyzzyva"])
    assert "the complete file, glove.6B.50d.txt" in str(nothing.value)
    design = cr.Design(name="own", x=["rose", "zyzzyva"], y=["wasp", "ant"], a=["love"], b=["hate"])
    emb = load("default", words=design.words)
    with pytest.raises(MissingStimuliError, match=complete):
        cr.weat(emb, design)
    with pytest.raises(MissingStimuliError, match=complete):
        cr.weat(emb, replace(design, x=cr.sources.StimulusSet("x", ("zyzzyva", "zyzzyvas"))), missing="drop")


@pytest.mark.parametrize("name", [*embedded.FILES, embedded.ABOUT])
def test_damaged_and_missing_files_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "glove"
    shutil.copytree(embedded.FOLDER, folder)
    monkeypatch.setattr(embedded, "FOLDER", folder)
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 0x80
    (folder / name).write_bytes(data)
    expected = "cannot be read" if name == embedded.ABOUT else f"{name} of the default vectors is damaged"
    with pytest.raises(FormatError, match=expected):
        load("default", words=["rose"])
    (folder / name).unlink()
    with pytest.raises(FormatError, match="default vectors"):
        load("default", words=["rose"])
