"""Traits and people: agreement first, scores with their intervals, and pairs of identities as pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Provenance
from crossroads.core.report.documents.records import Record, results_document
from crossroads.core.report.page.page import write_page
from crossroads.traits.measures.scores import TraitScores, cell_intervals

Open = Callable[..., Any]
TRAITS = ("cold-warm", "poor-wealthy", "dominated-dominating", "traditional-modern")
SCORES = np.array(
    [[1.0, -0.4, 0.3, 0.1], [-0.2, 0.5, -0.6, 0.4], [0.7, -0.9, 0.2, -0.3], [0.1, 0.2, -0.1, 0.8]]
)
ERRORS, FREE = np.full((4, 4), 0.2), np.full((4, 4), 60.0)  # whose t is 2.0003
GROUPS = ("woman", "man", "elderly", "teenager")
ABOUT = (Provenance(source="a model"),)


def scores() -> TraitScores:
    """Scores with a standard error of 0.2: the intervals of those of more than 0.4 leave out 0."""
    return TraitScores(
        measure="ilps",
        groups=GROUPS,
        traits=TRAITS,
        scores=SCORES,
        **cell_intervals(SCORES, ERRORS, FREE),
        pairs=tuple(tuple(trait.split("-")) for trait in TRAITS),  # type: ignore[misc]
        templates=("All {plural} are {trait}.", "Most {plural} are {trait}."),
        conventions={"measure": "ilps"},
        provenance=ABOUT,
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with everything about traits."""
    path = tmp_path_factory.mktemp("traits") / "report.html"
    human = {
        group: dict(zip(TRAITS, (50 + 40 * row).tolist(), strict=True))
        for group, row in zip(GROUPS, SCORES, strict=True)
    }
    found = [scores(), cr.align(scores(), human, draws=9, resamples=50)]
    write_page(path, [Record(document=results_document(found, model="a model"))])
    return path


def test_a_score_whose_interval_holds_zero_is_set_lighter(opened: Open, page: Path) -> None:
    seen = opened(page).page
    seen.locator("#traits details", has_text="4 groups, 4 pairs").locator("summary").first.click()
    seen.wait_for_selector("#traits .heat")
    cells = seen.evaluate(
        "[...document.querySelectorAll('#traits .heat')].map((e) =>"
        " [e.querySelector('data').value, e.classList.contains('weak'), getComputedStyle(e).fontWeight,"
        " e.querySelector('svg path') !== null])"
    )
    assert [float(cell[0]) for cell in cells] == SCORES.ravel().tolist()
    for value, weak, weight, line in cells:
        assert weak is (abs(float(value)) <= 0.4 + 1e-12)
        assert int(weight) == (400 if weak else 600)  # not by colour alone
        assert line
    assert "6 of 16 scores have an interval" in seen.locator("#traits").inner_text()


def test_agreement_with_people_and_profiles_are_told(opened: Open, page: Path) -> None:
    section = opened(page).page.locator("#traits")
    told = section.locator("h3 + p").first.inner_text()
    assert told.startswith("ILPS orders traits within groups as people do")
    assert "τ = 1.00" in told
    section.get_by_label("Group", exact=True).select_option(label="elderly")
    assert "ILPS puts elderly nearest to poor (−0.90), warm (0.70)." in section.inner_text()
