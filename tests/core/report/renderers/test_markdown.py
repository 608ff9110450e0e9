"""The summary in Markdown: every column is explained, with the level of every interval."""

from __future__ import annotations

import dataclasses

from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.report.audit import Audit
from crossroads.core.report.renderers.texts import latex_table, markdown_blocks, markdown_summary
from crossroads.core.wording.table import Column, Table
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.traits.pairs.order import OrderSensitivityResult
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.measures.battery import BatteryResult


def test_intervals_come_with_both_levels(audit: Audit, whole: Audit) -> None:
    said = "which agrees with p (BH): it leaves out zero where that is below .05; 95 % intervals are in the"
    assert f"CI: of Δ, 97.5 %, {said} files." in markdown_summary(audit)  # 1 - .05/2
    (contexts,) = whole.of(CeatBatteryResult).values()
    other = Audit([dataclasses.replace(contexts, adjusted_level=0.8)])
    assert f"CI: of Δ, 80.0 %, {said} files." in markdown_summary(other)


def test_levels_of_what_is_about_groups_are_told(whole: Audit) -> None:
    (aligned,) = whole.of(AlignmentResult).values()
    (order,) = whole.of(OrderSensitivityResult).values()
    (dominance,) = whole.of(DominanceResult).values()
    other = Audit(
        [
            dataclasses.replace(aligned, conventions={**aligned.conventions, "level": 0.7}),
            dataclasses.replace(order, level=0.6),
            dataclasses.replace(dominance, level=0.5),
        ]
    )
    page, printed = markdown_summary(other), latex_table(other)
    for share in ("70", "60", "50"):
        assert f"CI: {share} %, " in page
        assert rf"CI: {share} \%, " in printed
    assert "no trend is given: a trend needs three points in time." in markdown_summary(whole)


def test_what_the_words_of_a_test_could_have_found_is_in_the_table_where_it_has_room(
    audit: Audit, tested: BatteryResult
) -> None:
    text, tex = markdown_summary(audit), latex_table(audit)
    assert f"| {tested.tests[0].level1.crossed.detectable:.3f} |" in text
    assert r"Not printed, for want of width: detectable $\Delta$, p." in tex
    assert "of cases, two-sided, p &lt; .05, not adjusted." in text
    assert "plain: nothing could be found with just these words: " in text


def test_numbers_are_printed_as_they_are_and_names_as_text(audit: Audit, tested: BatteryResult) -> None:
    page = markdown_summary(audit)
    assert f"| {tested.tests[1].level1.effect_size:.2f} |" in page  # and not 0\\.50, as a list would need
    odd = Table(name="n", title="1. *t*", columns=(Column(key="w", head="|w|"),), rows=({"w": "1. <b>|"},))
    assert markdown_blocks(odd) == [
        r"### 1\. \*t\*",
        "\n".join([r"| \|w\| |", "| --- |", r"| 1\. &lt;b&gt;\| |"]),
    ]
    assert markdown_blocks(dataclasses.replace(odd, rows=())) == []
