"""Keys of kept work: what a result or vectors depend on changes them, and nothing else does."""

from __future__ import annotations

import inspect
import pickle
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.comparison.audit import ROWS as COMPARISONS
from crossroads.contexts.audit import Stored
from crossroads.core.audit.audit import Plan, make_plan, table
from crossroads.core.audit.engine import Context, Evidence, Settings, make_tasks, outcome_form
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.models.kinds import Kind, SourceOptions, recognise
from crossroads.core.models.saved import VECTORS, vectors_identity
from crossroads.core.stimuli import Design
from crossroads.core.storage import files
from crossroads.core.storage.cache import Cache
from crossroads.core.storage.files import code
from crossroads.words.audit import ROWS
from crossroads.words.evidence import Series, words_evidence
from crossroads.words.measures.stability import InfluenceResult
from crossroads.words.models.ask import Request
from tests.core.audit.conftest import made_design

DESIGNS = [made_design("one"), made_design("two")]
WORDS = [word for design in DESIGNS for word in design.words]
OTHERS = [f"w{i}" for i in range(1000)]
COUNTS = {word: 1.0 + i for i, word in enumerate(WORDS)}
ROWS_OF_TESTS = {row.name: row for row in ROWS if row.on in ("words", "others")}
del ROWS_OF_TESTS["ordinary"]  # of the whole model
CHECKS = set(ROWS_OF_TESTS)
SPACE = {"anisotropy", "corrections", "ordinary"}


def vectors(words: list[str], seed: int) -> Embeddings:
    rng = np.random.default_rng(seed)
    ranks = list(range(1, len(words) + 1))
    return Embeddings(words, rng.normal(size=(len(words), 4)), provenance=Provenance(source="x"), ranks=ranks)


EMB = vectors(WORDS, 1).with_pool(vectors(OTHERS, 2))
LAYERS = {0: vectors(WORDS, 3), 1: vectors(WORDS, 4)}
PLAN = replace(make_plan(Kind(name="vectors", model="x", because=""), DESIGNS), layers=True)


def keys(
    emb: Embeddings = EMB, layers: Mapping[int, Embeddings] = LAYERS, plan: Plan = PLAN, **options: Any
) -> dict[str, str]:
    """The files of all tasks on words, by name."""
    evidence: dict[str, Evidence] = {**words_evidence(emb, emb, plan.words), "layers": Series(layers)}
    context = Context(plan=plan, evidence=evidence, settings=Settings(**options), cache=Cache(None))
    return {task.name: task.key.file for task in make_tasks(table(), context)}


def of(rows: set[str], designs: str = "one two") -> set[str]:
    return {f"{row} {name}" for row in rows for name in designs.split()}


def taking(option: str) -> set[str]:
    """Measures of a test that depend on an option."""
    return {name for name, row in ROWS_OF_TESTS.items() if option in row.takes}


def moved(emb: Embeddings, word: str) -> Embeddings:
    """The same vectors, except for one word."""
    rows = emb.vectors.copy()
    rows[emb.labels.index(word)] += 1e-9
    return emb.with_vectors(rows, provenance=emb.provenance).with_pool(emb.pool)


def elsewhere(emb: Embeddings) -> Embeddings:
    """The same vectors of another source, with another number of words read."""
    about = Provenance(source="y", details={"kept": 7})
    ranks = list((emb.ranks or {}).values())
    return Embeddings(emb.labels, emb.vectors, provenance=about, ranks=ranks).with_pool(emb.pool)


SEEDED = of(taking("seed") | {"layers"}) | SPACE


def replaced_common(emb: Embeddings) -> Embeddings:
    """The same vectors of a source whose common words are others."""
    common = np.random.default_rng(9).normal(size=(60, emb.dim))
    return emb.with_vectors(emb.vectors, provenance=emb.provenance, pool=emb.pool, common=common)


EVERYTHING = of(CHECKS | {"layers"}) | SPACE
TURNED = [Design(name="one", x=DESIGNS[0].x, y=DESIGNS[0].y, a=DESIGNS[0].b, b=DESIGNS[0].a), DESIGNS[1]]
ABSENT = DESIGNS[0].words[0]


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({}, set()),
        ({"seed": 1}, SEEDED),
        ({"alternative": "less"}, of(taking("alternative") | {"layers"})),
        ({"missing": "balance"}, EVERYTHING - {"anisotropy", "ordinary"}),
        ({"samples": 5, "fallback": "none", "correct": "rank"}, set()),
        ({"frequencies": COUNTS}, of({"frequency"})),
        ({"emb": elsewhere(EMB)}, set()),
        ({"emb": moved(EMB, ABSENT)}, of(CHECKS, "one") | SPACE),
        ({"emb": EMB.with_pool(vectors(OTHERS, 5))}, of({"placebo", "frequency"}) | SPACE),
        ({"emb": EMB.with_pool(vectors(OTHERS[::-1], 2))}, of({"placebo", "frequency"}) | SPACE),
        ({"emb": replaced_common(EMB)}, of(CHECKS) | SPACE),
        ({"layers": {**LAYERS, 1: moved(LAYERS[1], ABSENT)}}, of({"layers"}, "one")),
        ({"layers": {**LAYERS, 2: LAYERS[0]}}, of({"layers"})),
        ({"plan": replace(PLAN, words=tuple(TURNED))}, of(CHECKS | {"layers"}, "one") | {"corrections"}),
    ],
)
def test_a_change_moves_the_keys_of_what_depends_on_it_and_no_others(
    change: dict[str, Any], changed: set[str]
) -> None:
    before, after = keys(frequencies={"x": 1.0}), keys(**{"frequencies": {"x": 1.0}, **change})
    assert before.keys() == after.keys() == EVERYTHING
    assert {name for name in before if before[name] != after[name]} == changed


def test_tests_over_contexts_depend_on_their_own_options_and_on_every_vector_of_the_store(
    tmp_path: Path, store: Path
) -> None:
    design = made_design("mine")
    plan = make_plan(recognise(store), [design])

    def over(place: Path, **options: Any) -> dict[str, str]:
        evidence = {"contexts": Stored(place, "none")}
        context = Context(plan=plan, evidence=evidence, settings=Settings(**options), cache=Cache(None))
        return {task.row.name: task.key.file for task in make_tasks(table(), context)}

    def changed(other: dict[str, str]) -> set[str]:
        return {name for name in before if before[name] != other[name]}

    before = over(store)
    assert changed(over(store, samples=5)) == {"ceat", "levels"}
    assert over(store, frequencies=COUNTS).keys() - before.keys() == {"frequency in contexts"}
    contexts = cr.Contexts.open(store)
    rows = {word: np.array(contexts[word]) for word in contexts.words}
    rows[ABSENT.replace("one", "mine")][3] += 1e-6
    cr.Contexts.from_dict(rows, provenance="made up").save(tmp_path / "other")
    assert changed(over(tmp_path / "other")) == before.keys()


def test_outcomes_and_vectors_are_read_back_as_they_were() -> None:
    emb = Embeddings(
        ["rose", "東京", "trailing\0", "🌹"],
        np.arange(8, dtype=np.float16).reshape(4, 2),
        provenance="made up",
        fallback="lower",
    )
    found = VECTORS.read(VECTORS.write(emb))
    assert (found.labels, found.fallback, found.provenance) == (emb.labels, emb.fallback, emb.provenance)
    assert found.vectors.dtype == np.float16
    np.testing.assert_array_equal(found.vectors, emb.vectors)
    result = cr.stats.influence(EMB, DESIGNS[0])
    form = outcome_form(type(result), (EMB.provenance,))
    assert form.read(form.write(result)) == result
    assert form.read(form.write("there are too few words.")) == "there are too few words."
    # how many words were read along with those of a test says nothing about the test
    again = outcome_form(type(result), (elsewhere(EMB).provenance,)).read(form.write(result))
    assert isinstance(again, InfluenceResult) and again.provenance[0].source == "y"


@pytest.mark.parametrize("row", [*table(), *COMPARISONS], ids=lambda row: row.name)
def test_a_row_takes_only_options_that_its_measure_has(row: Any) -> None:
    assert set(row.takes) <= set(inspect.signature(row.measure).parameters)


def request(model: Path, words: list[str], **options: Any) -> str:
    kind = Kind(name="encoder", model=str(model), because="")
    return Request(kind, words, DESIGNS, SourceOptions(**options)).key.file


def test_every_file_of_a_model_every_word_and_every_option_decide_its_vectors(
    tmp_path: Path, small_bert: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(small_bert, model)
    ask = partial(request, model, WORDS)
    before = ask()
    assert ask() == ask(served="x", format="npz", pool=5) == before  # which are not for transformers
    options = {"prompt": "a {word}", "layer": 0, "pooling": "mean", "device": "cpu"}
    others = [ask(**{name: value}) for name, value in options.items()]
    others += [request(model, WORDS[:at] + WORDS[at + 1 :]) for at in range(len(WORDS))]
    for file in sorted(model.rglob("*")):
        content = file.read_bytes()
        weights = file.suffix == ".safetensors"
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if weights else content + b"\n")
        others.append(ask())
        file.write_bytes(content)
    assert ask() == before
    assert len({before, *others}) == 1 + len(others)


def test_the_words_of_a_decade_are_part_of_what_was_read(tmp_path: Path) -> None:
    matrix, words = tmp_path / "1900-w.npy", tmp_path / "1900-vocab.pkl"
    np.save(matrix, np.eye(2))
    words.write_bytes(pickle.dumps(["rose", "wasp"]))
    before = vectors_identity(str(matrix))
    assert vectors_identity(str(matrix)) == before
    words.write_bytes(pickle.dumps(["wasp", "rose"]))
    assert vectors_identity(str(matrix)) != before


def asked() -> str:
    kind = Kind(name="endpoint", model="http://localhost", because="")
    return Request(kind, ["rose"]).key.file


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("core/stimuli/catalogue/data/abc/abc-templates.toml", asked),
        ("words/models/ask.py", asked),
        ("core/results/gaps.py", lambda: keys()["mleat one"]),
        ("core/inference/multiplicity.py", lambda: keys()["mleat one"]),
        ("core/evidence/embeddings.py", lambda: keys()["mleat one"]),
        ("core/inference/geometry.py", lambda: keys()["mleat one"]),
    ],
)
def test_code_and_catalogue_decide_what_is_asked_and_measured_again(
    file: str, what: Callable[[], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, home = what(), tmp_path / "crossroads"
    shutil.copytree(Path(files.__file__).parents[2], home, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(files, "__file__", str(home / "core" / "storage" / "files.py"))
    code.cache_clear()
    try:
        assert what() == before
        text = (home / file).read_text(encoding="utf-8")
        (home / file).write_text(f"{text}\n# changed\n", encoding="utf-8")
        code.cache_clear()
        assert what() != before
        with pytest.raises(FileNotFoundError):
            code("core/models", "core/gone")
    finally:
        code.cache_clear()
