"""The site: every public name has its place, nothing is loaded from elsewhere, and notebooks run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from docs.site import api

import crossroads as cr

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LOADED = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["'](?:https?:)?//""")


@pytest.mark.full
def test_the_site_has_everything_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    # One test, because a build takes half a minute: as ``make docs``, but without the outputs of notebooks.
    pytest.importorskip("myst_nb", reason="extra 'docs'")
    command = f"-m sphinx build --quiet --fail-on-warning --keep-going -c docs/site -d {tmp_path}/trees docs"
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, *command.split(), str(site)],
        cwd=ROOT,
        env=os.environ | {"CROSSROADS_NOTEBOOKS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    for page, text in pages.items():
        if "_downloads" not in page.parts:  # reports have tests of their own
            assert not LOADED.findall(text), page
    assert (site / "searchindex.js").exists()
    anchors = {name for text in pages.values() for name in re.findall(r'id="(crossroads\.[\w.]+)"', text)}
    assert {name for group in api.public_names().values() for name in group} - anchors == set()
    for source in [*(ROOT / "docs").rglob("*.md"), *NOTEBOOKS]:
        assert site / source.relative_to(ROOT / "docs").with_suffix(".html") in pages, source


def test_the_pages_of_the_reference_have_each_public_name_once() -> None:
    names = [name for page in api.pages() for name in page.names]
    assert len(names) == len(set(names))
    public = {f"crossroads.{name}" for name in dir(cr) if name not in ("__version__", *api.GROUPS)}
    assert public <= set(names)
    assert {f"crossroads.stats.{name}" for name in ("holm", "influence")} <= set(names)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_are_kept_without_outputs(file: Path) -> None:
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.full
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason="extra 'docs'")
    nbclient: Any = pytest.importorskip("nbclient", reason="extra 'docs'")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    notebook = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output.get("name") == "stderr"]
