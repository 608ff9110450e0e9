"""Whatever is given to ``report`` stands on the page, or is named there as not shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crossroads.cli.app import app
from crossroads.evidence import Provenance
from tests.results import MAKERS, every_result


def _reported(folder: Path, data: Any) -> tuple[Path, str]:
    """The page that the command makes of a document, and what it says of it on stderr."""
    source, page = folder / "given.json", folder / "page.html"
    source.write_text(json.dumps(data), encoding="utf-8")
    run = CliRunner().invoke(app, ["report", str(source), "-o", str(page)])
    assert run.exit_code == 0, run.output
    return page, run.stderr


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


@pytest.mark.full
@pytest.mark.parametrize("name", MAKERS)
def test_a_result_of_any_type_is_shown(opened: Callable[..., Any], tmp_path: Path, name: str) -> None:
    path, said = _reported(tmp_path, every_result()[name].to_dict())
    page = opened(path).page
    assert "not shown" not in said
    if name == "screen":  # of one person, whose agreement with others is no number
        page.evaluate("unfolded()")
        assert "<p>" in page.locator("#traits").inner_text()
    else:
        assert "/results/0" in _shown(page, 0)


def test_results_of_every_type_are_shown_together(opened: Callable[..., Any], tmp_path: Path) -> None:
    path, _ = _reported(tmp_path, {"results": [one.to_dict() for one in every_result().values()]})
    page = opened(path).page
    holders = "[...crossroads.data.audits, ...crossroads.data.comparisons]"
    audits = page.evaluate(f"{holders}.map((one) => one.document.results.length)")
    assert sum(audits) == len(every_result())
    models = page.evaluate("crossroads.data.audits.length")
    for audit, count in enumerate(audits):
        page.evaluate(f"crossroads.choose({min(audit, models - 1)})")  # comparisons stand beside every model
        missing = {f"/results/{i}" for i in range(count)} - _shown(page, audit)
        types = page.evaluate(f"{holders}[{audit}].document.results.map((one) => one.type)")
        named = [types[int(place.rpartition("/")[2])] for place in missing]
        assert [one for one in named if one != "ScreenResult"] == []


def test_agreement_with_people_beside_the_scores_is_on_the_page_of_its_model(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    # as probe --human --json writes it: the main results, and three lists beside them
    scores, agreement = (
        next(one for one in every_result().values() if type(one).__name__ == kind)
        for kind in ("TraitScores", "AlignmentResult")
    )
    model = Provenance(source="a model").to_dict()
    people = {**model, "source": "people"}
    given = {
        "crossroads": "0", "command": "probe", "results": [{**scores.to_dict(), "provenance": [model]}],
        "choices": [],
        "alignments": [{**agreement.to_dict(), "provenance": [model, people]}],
        "without_pilot": [{**agreement.to_dict(), "provenance": [model, people]}],
    }  # fmt: skip
    path, said = _reported(tmp_path, given)
    page = opened(path).page
    assert page.evaluate("crossroads.data.audits.map((one) => one.document.model)") == ["a model"]
    assert {"/results/0", "/results/1", "/results/2"} <= _shown(page, 0)
    assert page.evaluate("crossroads.data.audits[0].document.names")[-1].endswith(", without pilot alignment")
    assert "not shown" not in said


def test_what_is_no_result_is_named_on_the_page_and_on_stderr(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    result = next(one for one in every_result().values() if type(one).__name__ == "WeatResult")
    given = {
        "command": "weat",
        "results": [result.to_dict()],
        "holm": [0.5],
        "bh": [0.5],
        "<b>x</b>": {"y": 1},
    }
    path, said = _reported(tmp_path, given)
    note = opened(path).page.locator("#methods .unshown").inner_text()
    for name in ("holm", "bh", "<b>x</b>"):
        assert f"{name} (" in note
        assert f"{name} (" in said
