from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from crossroads.errors import FormatError
from crossroads.sources.load import load, load_series
from crossroads.sources.vectors.signatures import sniff

# A list of Python 2, as the published folders hold them: eight-bit strings, protocol 2.
PYTHON_2 = b"\x80\x02]q\x00(U\x04roseU\x05caf\xc3\xa9U\x04waspe."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, decade in enumerate((1990, 1900), start=1):
        rows = np.full((3, 2), float(number))
        rows[2] = 0 if decade == 1900 else 1
        np.save(tmp_path / f"{decade}-w.npy", rows)
        (tmp_path / f"{decade}-vocab.pkl").write_bytes(PYTHON_2)
    return tmp_path


def test_a_series_comes_back_decade_by_decade(folder: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    series = load_series(folder, progress=lambda done, total: calls.append((done, total)))
    assert list(series) == [1900, 1990]
    assert series[1900].labels == ("rose", "café", "wasp")
    assert series[1900].provenance.details["decade"] == 1900
    assert series[1900].provenance.format == "histwords"
    np.testing.assert_array_equal(series[1990]["rose"], [1, 1])
    some = load_series(folder, words=["wasp", "rose"])
    assert not some[1900]["wasp"].any(), "a row of zeros is kept"
    assert [emb.provenance.details.get("zero_rows") for emb in some.values()] == [1, None]
    assert calls[-1][0] == calls[-1][1]


def test_one_choice_of_fallback_is_made_for_all_decades(folder: Path) -> None:
    assert {emb.fallback for emb in load_series(folder).values()} == {("lower",)}
    (folder / "1990-vocab.pkl").write_bytes(pickle.dumps(["rose", "Café", "wasp"], 2))
    series = load_series(folder, words=["rose"])
    assert {emb.fallback for emb in series.values()} == {()}


def test_one_decade_can_be_read_alone(folder: Path) -> None:
    assert load(folder / "1900-w.npy").labels == ("rose", "café", "wasp")
    assert sniff(folder) == "histwords"
    with pytest.raises(FormatError, match="2 decades: 1900 and 1990"):
        load(folder)
    (folder / "1990-w.npy").unlink()
    assert load(folder, words=["Rose"]).labels == ("rose",)


def test_other_folders_are_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (folder / "1900-vocab.pkl").unlink()
    with pytest.raises(FormatError, match=r"decade 1900 are missing: 1900-vocab\.pkl"):
        load_series(folder)
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(FormatError, match="not a HistWords folder"):
        load_series(empty)
    with pytest.raises(FormatError, match="no HistWords decades"):
        load(empty, format="histwords")
