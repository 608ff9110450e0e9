"""Whatever is given to ``report`` stands on the page, or is named there as not shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from crossroads.core.cli.app import app
from tests.results import every_result


def _shown(page: Any, audit: int) -> set[str]:
    """Of which results of a record some number or table is on the page."""
    page.evaluate("unfolded()")
    numbers = f"document.querySelectorAll('main [data-at][data-audit=\"{audit}\"]')"
    places = page.evaluate(f"[...{numbers}].map((one) => one.dataset.at)")
    for pairs in page.locator("#comparison").get_by_label("Models", exact=True).all():
        for index in range(pairs.locator("option").count()):  # two models at a time
            pairs.select_option(str(index))
            places += page.evaluate(f"[...{numbers}].map((one) => one.dataset.at)")
    return {"/".join(place.split("/")[:3]) for place in places}


def test_results_of_every_type_are_shown_together_and_what_is_no_result_is_named(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    """Results of every type, which are of several models, are sorted into pages of models that are opened."""
    source, path = tmp_path / "given.json", tmp_path / "page.html"
    results = [one.to_dict() for one in every_result().values()]
    source.write_text(json.dumps({"results": results, "holm": [0.5], "<b>x</b>": {"y": 1}}), encoding="utf-8")
    run = CliRunner().invoke(app, ["report", str(source), "-o", str(path)])
    assert run.exit_code == 0, run.output
    page = opened(path).page
    note = page.locator("#methods .unshown").inner_text()
    for name in ("holm", "<b>x</b>"):
        assert f"{name} (" in note
        assert f"{name} (" in run.stderr
    holders = "[...crossroads.data.audits, ...crossroads.data.comparisons]"
    audits = page.evaluate(f"{holders}.map((one) => one.document.results.length)")
    assert sum(audits) == len(results)
    models = page.evaluate("crossroads.data.audits.length")
    for audit, count in enumerate(audits):
        page.evaluate(f"crossroads.choose({min(audit, models - 1)})")  # comparisons stand beside every model
        missing = {f"/results/{i}" for i in range(count)} - _shown(page, audit)
        types = page.evaluate(f"{holders}[{audit}].document.results.map((one) => one.type)")
        named = [types[int(place.rpartition("/")[2])] for place in missing]
        # a screening of one person, whose agreement with others is no number, has only its name
        assert [one for one in named if one != "ScreenResult"] == []
