"""The explorer: edits by keyboard, the numbers of edited lists, refusals, history, designs to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.core.errors import CrossroadsWarning
from crossroads.core.evidence import Embeddings
from crossroads.core.report.documents.records import Record, results_document
from crossroads.core.report.page import data as page_data
from crossroads.core.report.page.page import write_page
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult
from tests.browser.conftest import design_of, lists, random_vectors


def _explore(page: Any, test: str | None = None) -> Any:
    """Go to the explorer, and begin with a test."""
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    if test is not None:
        _start(page, test)
    return page


def _start(page: Any, test: str) -> None:
    options = page.locator("select.start option").all_text_contents()
    places = [i for i, one in enumerate(options) if one.split(" (")[0] == test]
    page.select_option("select.start", index=places[0])


@pytest.fixture
def explored(opened: Callable[..., Any], report: Path) -> Callable[..., Any]:
    """``explored("weat7")``: the explorer with the lists of a test, in a page of its own."""
    return lambda test=None, **more: _explore(opened(report, **more).page, test)


def _words(page: Any, role: str) -> list[str]:
    found: list[str] = page.locator(f".explorer-list.{role} .chip-word").all_text_contents()
    return found


def _number(page: Any, place: str) -> float:
    return float(page.locator(f".{place} data").first.get_attribute("value"))


def _settled(page: Any) -> None:
    page.wait_for_selector(".explorer-results[data-counting=no]")


def _compare(page: Any, expected: MleatResult) -> None:
    """Every number of the explorer against a result of the library."""
    _settled(page)
    for key, level in {"level1": expected.level1, **expected.level2}.items():
        assert _number(page, f"d-{key}") == pytest.approx(level.effect_size, rel=1e-12)
        assert _number(page, f"p-{key}") == pytest.approx(level.pvalue, rel=1e-11)
    for key, cell in expected.level3.items():
        assert _number(page, f"mean-{key}") == pytest.approx(cell.mean, rel=1e-11)
        assert _number(page, f"sd-{key}") == pytest.approx(cell.sd, rel=1e-12)
    assert page.locator(".explorer-map .pattern").text_content() == expected.crossed_pattern


def _measured(
    vectors: Embeddings, lists: Mapping[str, list[str]], alternative: Any = "two-sided"
) -> MleatResult:
    return cr.mleat(vectors, design_of("edited", lists), alternative=alternative)


def _lists(page: Any) -> dict[str, list[str]]:
    return {role: _words(page, role) for role in "xyab"}


def _add(page: Any, role: str, text: str) -> None:
    field = page.locator(f".explorer-list.{role} [role=combobox]")
    field.focus()
    field.fill(text)
    page.keyboard.press("Enter")


def _said(page: Any, role: str) -> str:
    return str(page.locator(f".explorer-list.{role} .said").text_content())


def test_it_begins_with_the_numbers_of_the_saved_test(
    explored: Callable[..., Any], tested: BatteryResult
) -> None:
    page = explored()
    for test in tested.tests[1:]:
        _start(page, test.design)
        assert _lists(page) == {role: list(words) for role, words in test.level1.sets.items()}
        _compare(page, test)
    page.get_by_text("Every word", exact=True).click()
    rows = page.locator(".explorer-results details tbody").first.locator("tr")
    rows.first.wait_for()
    shown = {
        rows.nth(i).locator("th").text_content(): float(rows.nth(i).locator("data").get_attribute("value"))
        for i in range(rows.count())
    }
    assert shown == pytest.approx(dict(tested.tests[-1].level1.associations), rel=1e-11)


def test_the_tail_can_be_chosen_and_is_called_as_in_every_other_output(
    explored: Callable[..., Any], vectors: Embeddings
) -> None:
    page = explored("weat7")
    for alternative in ("greater", "less", "observed", "two-sided"):
        page.select_option("select.tail", alternative)
        assert page.locator("select.tail option:checked").inner_text() == phrases.TOLD_TAILS[alternative]
        _compare(page, _measured(vectors, _lists(page), alternative))
        saved = page.locator(".explorer-results tbody tr").first.locator("td").nth(6).locator("data")
        assert saved.get_attribute("value") == page.locator(".p-level1 data").get_attribute("value")


def test_lists_that_take_long_are_bounded_at_once_and_counted_later(made: Callable[..., Any]) -> None:
    """Level 2 has C(40, 20) divisions, more than are counted at once; both targets have the same words."""
    sets = {**lists(20), **{key: [f"{key}{i}" for i in range(3)] for key in "xy"}}
    emb = random_vectors(word for words in sets.values() for word in words)
    design = design_of("long", sets)
    page = _explore(made(cr.mleat(emb, design), vectors=emb))
    for word in sets["y"]:
        page.locator(f".explorer-list.y [aria-label^='remove {word} ']").click()
    _add(page, "y", ", ".join(sets["x"]))
    region = page.get_by_role("group", name="Levels 1 and 2")
    region.focus()
    counting = page.locator("select.tail").evaluate(
        "(one) => { one.value = 'greater'; one.dispatchEvent(new Event('change'));"
        " const shown = document.querySelector('.explorer-results');"
        " return [shown.dataset.counting, shown.textContent.includes('certainly between')]; }"
    )
    assert counting == ["yes", True]
    _settled(page)
    expected = cr.mleat(emb, design, alternative="greater").level2["x"]
    for role in "xy":
        assert _number(page, f"p-{role}") == pytest.approx(expected.pvalue, rel=1e-9)
    assert "certainly between" not in region.text_content()
    assert f"all {expected.exchange.divisions:,} divisions were counted" in region.text_content()
    assert region.evaluate("(one) => one === document.activeElement")  # where it was


def test_two_tests_of_one_name_are_two(made: Callable[..., Any]) -> None:
    words = lists()
    emb = random_vectors(word for some in words.values() for word in some)
    turned = {**words, "x": words["y"], "y": words["x"]}
    tests = [cr.mleat(emb, design_of("same", some)) for some in (words, turned)]
    page = _explore(made(*tests, vectors=emb))
    page.select_option("select.start", "1")
    _compare(page, tests[1])


def test_words_go_come_and_move_by_the_keyboard_alone(
    explored: Callable[..., Any], vectors: Embeddings
) -> None:
    page = explored("weat7")
    before = _lists(page)
    page.get_by_role("button", name=f"remove {before['x'][2]} from math", exact=True).focus()
    page.keyboard.press("Enter")
    assert _words(page, "x") == before["x"][:2] + before["x"][3:]
    field = page.locator(".explorer-list.x [role=combobox]")
    field.focus()
    page.keyboard.type("tuli")
    assert field.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert _words(page, "x")[-1] == "tulip"
    _compare(page, _measured(vectors, _lists(page)))
    moved = _lists(page)
    page.locator(".explorer-list.x .chip-word").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert _lists(page) == {**moved, "x": moved["x"][1:], "y": [*moved["y"], moved["x"][0]]}
    _compare(page, _measured(vectors, _lists(page)))  # unequal sizes


def test_edits_are_undone_and_done_again(explored: Callable[..., Any], tested: BatteryResult) -> None:
    page = explored("weat7")
    saved = next(one for one in tested.tests if one.design == "weat7")
    states = [_lists(page)]
    for role, word in (("x", "tulip"), ("a", "love")):
        _add(page, role, word)
        states.append(_lists(page))
    page.get_by_role("button", name="Swap the groups").click()
    states.append(_lists(page))
    assert states[3] == {**states[2], "x": states[2]["y"], "y": states[2]["x"]}
    for expected in reversed(states[:3]):
        page.get_by_role("button", name="Undo").click()
        assert _lists(page) == expected
    _compare(page, saved)
    for expected in states[1:]:
        page.get_by_role("button", name="Redo").click()
        assert _lists(page) == expected
    page.get_by_role("button", name="Reset").click()
    assert _lists(page) == states[0]
    page.get_by_role("button", name="Undo").click()
    assert _lists(page) == states[3]  # a reset can be undone, too


def test_unknown_words_are_refused_by_name_and_nothing_is_lost(explored: Callable[..., Any]) -> None:
    page = explored("weat7")
    before = _words(page, "a")
    _add(page, "a", "tulipp, love, qzqzqzqz, love")
    assert _words(page, "a") == [*before, "love"]
    said = _said(page, "a")
    assert "tulipp is not among the words of this page; nearest: add tulip" in said
    assert "qzqzqzqz is not among the words of this page; and nothing like it is." in said
    field = page.locator(".explorer-list.a [role=combobox]")
    assert field.input_value() == "tulipp, qzqzqzqz"
    page.get_by_role("button", name="add tulip", exact=True).click()
    assert _words(page, "a") == [*before, "love", "tulip"]
    assert field.input_value() == "qzqzqzqz"


def _copied(page: Any, kind: str, folder: Path) -> Design:
    page.evaluate("emptied()")
    page.get_by_role("button", name=f"Copy as {kind}").click()
    path = folder / f"copied.{kind.lower()}"
    path.write_text(page.evaluate("copied()"), encoding="utf-8")
    return cr.read_designs(path)[0]


@pytest.mark.parametrize("kind", ["TOML", "JSON"])
def test_what_is_copied_is_a_design_that_the_library_reads(
    explored: Callable[..., Any], kind: str, tmp_path: Path, designs: list[Design]
) -> None:
    page = explored("weat7")
    same = _copied(page, kind, tmp_path)
    saved = next(one for one in designs if one.name == "weat7")
    assert (same.name, same.digest) == ("weat7", saved.digest)
    assert {role: one.name for role, one in same.sets.items()} == {
        role: one.name for role, one in saved.sets.items()
    }
    _add(page, "x", "tulip")
    page.locator(".explorer-list.a .title").fill('say "A" \\ B')
    page.keyboard.press("Tab")
    edited = _copied(page, kind, tmp_path)
    assert {role: list(words) for role, words in edited.sets.items()} == _lists(page)
    assert (edited.name, edited.a.name) == ("weat7-edited", 'say "A" \\ B')
    assert edited.departures == ("Edited in the explorer of a report, starting from weat7.",)


def test_no_word_is_compared_with_itself(explored: Callable[..., Any], vectors: Embeddings) -> None:
    page = explored("weat7")
    shared = _words(page, "a")[0]
    _add(page, "x", shared)
    said = page.locator(".explorer-warnings").text_content()
    assert f"{shared} is in math and male terms: it counts in the attribute only" in said
    with pytest.warns(CrossroadsWarning, match="left out of the target"):
        expected = _measured(vectors, _lists(page))
    _compare(page, expected)


def test_one_target_alone_has_a_second_level_only(explored: Callable[..., Any], vectors: Embeddings) -> None:
    page = explored("weat7")
    lists = _lists(page)
    for _ in lists["y"]:
        page.locator(".explorer-list.y .remove").first.click()
    expected = cr.weat(
        vectors, Design(name="single", x=lists["x"], a=lists["a"], b=lists["b"]), alternative="two-sided"
    )
    _settled(page)
    assert _number(page, "d-x") == pytest.approx(expected.effect_size, rel=1e-12)
    assert _number(page, "p-x") == pytest.approx(expected.pvalue, rel=1e-12)
    assert page.locator(".d-level1 data, .d-y data").count() == 0
    assert page.locator(".explorer-map .pattern").text_content() == "none"


def test_the_same_lists_are_measured_in_every_model(opened: Callable[..., Any], tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(24)]
    models = {
        "first.vec": random_vectors(words, seed=1),
        "second.vec": random_vectors(words[:-1], seed=2),
    }
    design = design_of("both", {role: words[5 * k : 5 * k + 5] for k, role in enumerate("xyab")})
    records = [
        Record(document=results_document([cr.battery(emb, [design])], model=name), vectors=emb)
        for name, emb in models.items()
    ]
    write_page(tmp_path / "page.html", records)
    page = _explore(opened(tmp_path / "page.html").page)
    _add(page, "x", "w22, w23")
    page.get_by_text("The same lists in every model").click()
    rows = page.locator(".explorer-results details").last.locator("tbody tr")
    lists = _lists(page)
    for i, (name, vectors) in enumerate(models.items()):
        known = {role: [word for word in some if word in vectors] for role, some in lists.items()}
        expected = _measured(vectors, known)
        assert rows.nth(i).locator("th").text_content() == name
        shown = [float(one.get_attribute("value")) for one in rows.nth(i).locator("data").all()]
        effects = [one.effect_size for one in (expected.level1, *expected.level2.values())]
        assert shown == pytest.approx([expected.level1.crossed.agreement, *effects], rel=1e-11)
    page.select_option(
        "#model", "1"
    )  # the lists stay; a word that the other model lacks is left out and named
    _explore(page)
    assert _lists(page) == lists
    assert "left out here: w23" in page.locator(".explorer-warnings").text_content()
    _compare(page, expected)


def test_vectors_of_sixteen_bits_are_said_to_be_rounded(
    opened: Callable[..., Any],
    record: Record,
    vectors: Embeddings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # room for two bytes a number, not for four
    monkeypatch.setattr(page_data, "BUDGET", vectors.vectors.size * 3)
    write_page(tmp_path / "page.html", [record])
    page = _explore(opened(tmp_path / "page.html").page, "weat7")
    assert "rounded to sixteen bits" in page.locator("#explorer").text_content()
    expected = _measured(vectors, _lists(page))
    assert _number(page, "d-level1") != expected.level1.effect_size
    assert _number(page, "d-level1") == pytest.approx(expected.level1.effect_size, abs=1e-3)
    assert _number(page, "p-level1") == pytest.approx(expected.level1.pvalue, rel=0.05)
