"""The strip inside a test: every word on one axis, cosines, edits by mouse, keys and touch, addresses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.multiplicity import adjust_known, interval_level
from crossroads.core.stimuli import Design
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.weat import WeatResult
from tests.browser.conftest import design_of, lists, random_vectors


def _part(page: Any, name: str) -> Any:
    """A test of the page."""
    return page.locator("#tests > details").filter(
        has=page.locator("summary .id").get_by_text(name, exact=True)
    )


def _test(page: Any, name: str) -> Any:
    """The bench of a test of the page, opened by its address, or by a click where its name is no address."""
    if name.isalnum():
        page.evaluate("(name) => { location.hash = name; }", name)
    else:
        _part(page, name).locator("summary").first.click()
    bench = _part(page, name).locator(".bench")
    bench.locator(".readout > div").first.wait_for()
    return bench


def _value(bench: Any, place: str, nth: int = 0) -> float:
    return float(bench.locator(f".readout .{place} data").nth(nth).get_attribute("value"))


def _settled(bench: Any) -> None:
    bench.locator(".readout[data-counting=no]").wait_for()


def _word(bench: Any, role: str, word: str) -> Any:
    return bench.locator(f"[data-key={json.dumps(f'{role} {word}')}]")


def _drop(bench: Any, role: str, word: str) -> None:
    _word(bench, role, word).click()
    bench.locator(".bench-panel .drop").click()


def _without(design: Design, dropped: Mapping[str, str], added: Mapping[str, str] | None = None) -> Design:
    """A design without a word of some sets, and with others."""
    sets = {}
    for role, words in design.sets.items():
        kept = [word for word in words if word != dropped.get(role)]
        more = [added[role]] if added and role in added else []
        sets[role] = cr.sources.StimulusSet(words.name, (*kept, *more))
    return Design(name=design.name, **sets)  # type: ignore[arg-type]


def _agrees(bench: Any, expected: WeatResult, others: list[float | None], place: int) -> None:
    """Every number of the edited strip against the library; the adjusted p among those of the other tests."""
    _settled(bench)
    crossed = expected.crossed
    adjusted = adjust_known([*others[:place], crossed.pvalue, *others[place + 1 :]])["bh"]
    ends = crossed.ends(interval_level(adjusted))
    assert [_value(bench, "delta", i) for i in range(3)] == pytest.approx(
        [crossed.difference, *ends], rel=1e-11, abs=1e-13
    )
    assert _value(bench, "chance") == pytest.approx(crossed.agreement, rel=1e-11)
    assert _value(bench, "d") == pytest.approx(expected.effect_size, rel=1e-12)
    assert _value(bench, "other") == pytest.approx(adjusted[place], rel=1e-10)
    shown = bench.locator(".readout .these dd").first.inner_text()
    assert expected.exchange.divisions is not None
    assert (
        f"{round(expected.pvalue * expected.exchange.divisions):,} of {expected.exchange.divisions:,} ways"
        in shown
    )
    drawn = f"\u0394 = {crossed.difference:.3f}".replace("-", "\u2212")
    assert drawn in bench.locator("svg.strip").text_content()


@pytest.fixture(scope="module")
def agrees(vectors: Embeddings, tested: BatteryResult, designs: list[Design]) -> Callable[..., None]:
    """``agrees(bench, dropped, added)``: every number of the edited strip of weat6 is that of the library."""
    others = [one.level1.crossed.pvalue for one in tested.tests]

    def checked(bench: Any, dropped: Mapping[str, str], added: Mapping[str, str] | None = None) -> None:
        _agrees(bench, cr.weat(vectors, _without(designs[1], dropped, added)), others, 1)

    return checked


def test_all_words_of_both_groups_lie_on_one_axis(
    opened: Callable[..., Any], report: Path, tested: BatteryResult
) -> None:
    bench = _test(opened(report).page, "weat6")
    level = tested.tests[1].level1
    places = bench.locator("svg.strip .strip-word").evaluate_all(
        """(some) => some.map((one) => {
          const box = one.querySelector('.dot').getBoundingClientRect();
          return [one.dataset.key, box.left + box.width / 2];
        })"""
    )
    expected = {f"{role} {word}": level.associations[word] for role in "xy" for word in level.sets[role]}
    assert {key for key, _ in places} == expected.keys()
    # one scale for both groups: places are a line of the associations
    slope, start = np.polyfit([expected[key] for key, _ in places], [x for _, x in places], 1)
    assert slope > 0
    assert [x for _, x in places] == pytest.approx(
        [start + slope * expected[key] for key, _ in places], abs=0.6
    )


def test_a_word_that_is_dropped_moves_every_number_at_once(
    opened: Callable[..., Any], report: Path, agrees: Callable[..., None]
) -> None:
    bench = _test(opened(report).page, "weat6")
    assert bench.locator(".readout .computed").count() == 0  # those of the results
    assert bench.locator(".readout data[data-at]").count() >= 6
    assert "2 of 12,870 ways" in bench.locator(".readout .these").inner_text()
    assert bench.locator(".bench-sentence").inner_text() == (
        "Male names are closer to career, relative to family, than female names are; "
        "another set of words would point the same way in 99 of 100 cases."
    )
    _drop(bench, "x", "John")
    agrees(bench, {"x": "John"})
    assert "was 1.71" in bench.locator(".readout .d").inner_text().replace("\n", " ")
    assert bench.locator(".strip-word.out").get_attribute("data-key") == "x John"
    assert "Edited: without John in male names." in bench.locator(".bench-edits").inner_text()
    assert bench.locator(".bench-sentence").inner_text().startswith("With these lists, male names are")
    _drop(bench, "b", "home")  # an attribute word as well
    agrees(bench, {"x": "John", "b": "home"})
    bench.get_by_role("button", name="Undo").click()
    agrees(bench, {"x": "John"})
    bench.get_by_role("button", name="Reset").click()
    assert bench.locator(".strip-word.out").count() == 0
    assert bench.locator(".readout .computed").count() == 0


def test_words_are_chosen_and_dropped_by_the_keyboard_alone(
    opened: Callable[..., Any], report: Path, agrees: Callable[..., None]
) -> None:
    page = opened(report).page
    bench = _test(page, "weat6")
    focused = "document.activeElement.dataset?.key"
    bench.locator(".strip-word[tabindex='0']").focus()
    for key, word in (
        ("ArrowRight", "x Paul"),
        ("ArrowDown", "y Donna"),
        ("ArrowUp", None),
        ("Home", "x John"),
    ):
        page.keyboard.press(key)
        assert word is None or page.evaluate(focused) == word
    page.keyboard.press("Enter")
    assert bench.locator(".bench-panel h5").inner_text() == "John in male names"
    page.keyboard.press("Delete")
    agrees(bench, {"x": "John"})
    assert page.evaluate(focused) == "x John"  # where it was taken out, it can be put back
    page.keyboard.press("Delete")
    assert bench.get_attribute("data-edited") == "no"


def test_a_tap_chooses_a_word_and_another_drops_it(
    opened: Callable[..., Any], report: Path, agrees: Callable[..., None]
) -> None:
    page = opened(report, width=390, height=800, has_touch=True).page
    bench = _test(page, "weat6")
    rooms = bench.locator(".strip-word .room, .bench-word").evaluate_all(
        "(some) => some.map((one) => one.getBoundingClientRect()).map((box) => [box.width, box.height])"
    )
    assert min(side for room in rooms for side in room) >= 24
    _word(bench, "y", "Diana").tap()
    bench.locator(".bench-panel .drop").tap()
    agrees(bench, {"y": "Diana"})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_panel_of_a_word_shows_its_cosines(
    opened: Callable[..., Any], report: Path, vectors: Embeddings, designs: list[Design]
) -> None:
    bench = _test(opened(report).page, "weat6")
    _word(bench, "x", "Kevin").click()
    a, b = designs[1].a, designs[1].b
    unit = {word: vectors[word] / np.linalg.norm(vectors[word].astype(float)) for word in ("Kevin", *a, *b)}
    means = [np.mean([unit["Kevin"] @ unit[word] for word in some]) for some in (a, b)]
    shown = [float(one.get_attribute("value")) for one in bench.locator(".bench-panel p data").all()]
    assert shown == pytest.approx([*means, means[0] - means[1]], abs=1e-6)


def test_edited_lists_live_in_the_address(
    opened: Callable[..., Any], report: Path, agrees: Callable[..., None]
) -> None:
    page = opened(report).page
    bench = _test(page, "weat6")
    _drop(bench, "x", "John")
    assert page.evaluate("location.hash") == "#weat6&e=x-John"
    bench.get_by_label("list to add words to").select_option("y")
    bench.get_by_label("words to add").fill("love")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#weat6&e=x-John,y+love"
    page.evaluate("emptied()")
    bench.get_by_role("button", name="Copy link").click()
    # a copied link in a new window
    other = page.context.new_page()
    other.goto(page.evaluate("copied()"))
    again = _part(other, "weat6").locator(".bench")
    again.locator(".readout .computed").first.wait_for()
    agrees(again, {"x": "John"}, {"y": "love"})
    # the back button, and forward again
    page.go_back()
    agrees(bench, {"x": "John"})
    page.go_back()
    bench.locator("xpath=self::*[@data-edited='no']").wait_for()
    page.go_forward()
    page.go_forward()
    agrees(bench, {"x": "John"}, {"y": "love"})


def test_an_address_that_is_none_of_ours_is_no_error(opened: Callable[..., Any], report: Path) -> None:
    page = opened(report).page
    page.evaluate("location.hash = 'weat6&e=x-%E0%A4%A,q+z,x,,*,x-John&e=2&m'")
    bench = _part(page, "weat6").locator(".bench[data-edited=yes]")
    bench.wait_for()
    assert bench.locator(".strip-word.out").get_attribute("data-key") == "x John"


def test_words_of_any_kind_come_back_out_of_the_address(made: Callable[..., Any]) -> None:
    hostile = ["a,b", "x+y", "100%", "<script>alert(1)</script>", "&e=x", "שלום", "👩🏽‍🔬", '"q" \\']
    words = [*hostile, *(f"w{i}" for i in range(8))]
    emb = random_vectors(words)
    design = design_of("any & all", {role: words[4 * k : 4 * k + 4] for k, role in enumerate("xyab")})
    page = made(cr.weat(emb, design), vectors=emb)
    bench = _test(page, design.name)
    for word in (words[0], words[3]):
        _drop(bench, "x", word)
    _drop(bench, "y", words[4])
    link = page.evaluate("location.href")
    other = page.context.new_page()
    other.goto(link)
    again = _part(other, design.name).locator(".bench")
    again.locator(".strip-word.out").first.wait_for()
    gone = again.locator(".strip-word.out").evaluate_all("(some) => some.map((one) => one.dataset.key)")
    assert set(gone) == {f"x {words[0]}", f"x {words[3]}", f"y {words[4]}"}


def test_a_set_of_one_word_says_why_there_is_no_interval(made: Callable[..., Any]) -> None:
    words = lists(2)
    emb = random_vectors(word for some in words.values() for word in some)
    result = cr.weat(emb, design_of("few", words, {"a": "set a"}))
    bench = _test(made(result, vectors=emb), "few")
    _drop(bench, "a", "a0")
    said = bench.locator(".bench-sentence").inner_text()
    assert "cannot be told: set a has a single word, and one word has no spread." in said
    assert bench.locator(".readout .delta data.computed").count() == 1


def test_a_reader_can_try_common_words_and_is_told_how_exact_they_are(made: Callable[..., Any]) -> None:
    words = lists(8)
    pool = random_vectors((f"common{i}" for i in range(300)), dim=40, seed=7)
    emb = random_vectors((word for some in words.values() for word in some), dim=40).with_pool(pool)
    design = design_of("pooled", words)
    page = made(cr.battery(emb, [design]), vectors=emb)
    bench = _test(page, "pooled")
    assert bench.locator(".accuracy").count() == 0  # words of the lists are exact
    bench.get_by_label("words to add").fill("common17")
    page.keyboard.press("Enter")
    assert bench.locator(".strip-word.new").get_attribute("data-key") == "x common17"
    error = float(bench.locator(".accuracy data").first.get_attribute("value"))
    assert 0 < error < 0.02
    whole = Embeddings([*emb.labels, "common17"], np.vstack([emb.vectors, pool["common17"]]))
    expected = cr.weat(whole, _without(design, {}, {"x": "common17"}))
    assert _value(bench, "delta") == pytest.approx(expected.crossed.difference, abs=error)


def test_an_own_test_lives_in_the_address_too(
    opened: Callable[..., Any], report: Path, vectors: Embeddings
) -> None:
    page = opened(report).page
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector("#explorer .explorer-results[data-shown=yes]")
    page.select_option("#explorer select.start", "")
    given = {"x": "rose, lily, tulip", "y": "wasp, gnat", "a": "love, peace", "b": "filth, agony"}
    for role, words in given.items():
        page.locator(f"#explorer .explorer-list.{role} [role=combobox]").fill(words)
        page.keyboard.press("Enter")
    page.locator("#explorer .explorer-list.x .title").fill("blossoms")
    page.keyboard.press("Tab")
    other = page.context.new_page()
    other.goto(page.evaluate("location.href"))
    bench = other.locator("#explorer .bench")
    bench.locator(".strip-word").first.wait_for()
    assert bench.locator(".strip-word").count() == 5
    own = design_of("own", {role: words.split(", ") for role, words in given.items()})
    expected = cr.weat(vectors, own)
    assert _value(bench, "delta") == pytest.approx(expected.crossed.difference, rel=1e-11)
    assert bench.locator("svg.strip").text_content().count("blossoms (3)") == 1
