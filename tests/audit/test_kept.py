"""Finished parts: whole or not counted, held by one run at a time, known by what they depend on."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.audit import PartsFolder, Settings
from crossroads.audit.measured.words import word_parts
from crossroads.audit.parts import Outcome, Part, evidence_key, measure_code
from crossroads.audit.vectors import vectors_identity
from crossroads.evidence import Embeddings, Provenance
from crossroads.measures import BootstrapResult, bootstrap
from crossroads.stimuli import Design
from crossroads.storage import files
from crossroads.storage.files import code

SETS: dict[str, Any] = {role: [f"{role}{i}" for i in range(3)] for role in "xyab"}
DESIGN = Design(name="mine", **SETS)


def embeddings(seed: int = 1, source: str = "made up") -> Embeddings:
    rng = np.random.default_rng(seed)
    return Embeddings(list(DESIGN.words), rng.normal(size=(12, 4)), provenance=Provenance(source=source))


def part_of(emb: Embeddings, **inputs: Any) -> Part:
    return Part(
        name="bootstrap mine",
        gives=BootstrapResult,
        inputs={"evidence": "made up", **inputs},
        run=lambda: bootstrap(emb, DESIGN, resamples=20),
        provenance=(emb.provenance,),
    )


def test_what_is_kept_is_read_back_as_it_was(tmp_path: Path) -> None:
    part = part_of(embeddings())
    with PartsFolder(tmp_path / "parts") as place:
        assert place.read(part) is None
        place.write(part, Outcome(result=part.run()))
    with PartsFolder(tmp_path / "parts") as place:
        found = place.read(part)
        assert found is not None
        assert found.result == part.run()
        assert place.read(part_of(embeddings(), option="another")) is None
        # how many words were read along with those of a test says nothing about the test
        again = place.read(part_of(embeddings(source="elsewhere")))
        assert again is not None and again.result is not None
        assert again.result.provenance[0].source == "elsewhere"
        place.write(part, Outcome(reason="there are too few words."))
        assert place.read(part) == Outcome(reason="there are too few words.")


@settings(deadline=None)
@given(cut=st.integers(min_value=0, max_value=10_000), junk=st.binary(max_size=8))
def test_a_damaged_part_is_not_counted(
    tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes
) -> None:
    part, folder = part_of(embeddings()), tmp_path_factory.mktemp("damage") / "parts"
    with PartsFolder(folder) as place:
        place.write(part, Outcome(result=part.run()))
        (file,) = folder.glob("part-*.json")
        data = file.read_bytes()
        at = cut % len(data)
        damaged = data[:at] + junk + data[at + len(junk) :] if junk else data[:at]
        file.write_bytes(damaged)
        assert (place.read(part) is None) == (damaged != data)


def test_vectors_are_kept_with_their_type_labels_and_rules(tmp_path: Path) -> None:
    labels = ["rose", "東京", "trailing\0", "🌹"]
    emb = Embeddings(
        labels, np.arange(8, dtype=np.float16).reshape(4, 2), provenance="made up", fallback="lower"
    )
    with PartsFolder(tmp_path / "parts") as place:
        place.write_vectors("of words", "a" * 64, emb)
        found = place.read_vectors("of words", "a" * 64)
        assert found is not None
        assert (found.labels, found.fallback, found.provenance) == (emb.labels, emb.fallback, emb.provenance)
        assert found.vectors.dtype == np.float16
        np.testing.assert_array_equal(found.vectors, emb.vectors)
        (file,) = (tmp_path / "parts").glob("*.npz")
        file.write_bytes(file.read_bytes()[:-30])
        assert place.read_vectors("of words", "a" * 64) is None


@pytest.mark.parametrize("damage", [0, 30, -31])
def test_figures_are_drawn_once_and_again_where_they_show_something_else_or_are_damaged(
    tmp_path: Path, damage: int
) -> None:
    drawn: list[Path] = []

    def drawing(folder: Path) -> None:
        drawn.append(folder)
        folder.mkdir()
        (folder / "one.svg").write_text(f"<svg>{len(drawn)}</svg>", encoding="utf-8")
        (folder / "two.pdf").write_bytes(bytes(range(256)))

    with PartsFolder(tmp_path / "parts") as place:
        place.draw(tmp_path / "1", {"d": 0.5}, drawing)
        place.draw(tmp_path / "2", {"d": 0.5}, drawing)
        assert [file.read_bytes() for file in sorted((tmp_path / "2").iterdir())] == [
            b"<svg>1</svg>",
            bytes(range(256)),
        ]
        place.draw(tmp_path / "3", {"d": 0.6}, drawing)
        assert drawn == [tmp_path / "1", tmp_path / "3"]
        for file in (tmp_path / "parts").glob("figures-*"):
            content = bytearray(file.read_bytes())
            content[damage] ^= 255
            file.write_bytes(content)
        place.draw(tmp_path / "4", {"d": 0.6}, drawing)
        assert drawn[-1] == tmp_path / "4"
        assert (tmp_path / "4" / "one.svg").read_text(encoding="utf-8") == "<svg>3</svg>"


def test_a_place_in_which_nothing_was_finished_leaves_nothing(tmp_path: Path) -> None:
    PartsFolder(tmp_path / "new" / "folder" / ".audit.parts").close()
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_needed_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    old, new = part_of(embeddings(), seed=1), part_of(embeddings(), seed=2)
    with PartsFolder(tmp_path / "parts") as place:
        place.write(old, Outcome(result=old.run()))
        (tmp_path / "parts" / "thesis.txt").write_text("keep me", encoding="utf-8")
    with PartsFolder(tmp_path / "parts") as place:
        place.write(new, Outcome(result=new.run()))
        place.sweep()
        assert place.read(new) is not None
        assert place.read(old) is None
    assert (tmp_path / "parts" / "thesis.txt").exists()
    with PartsFolder(tmp_path / "parts", fresh=True) as place:
        assert place.read(new) is None


def test_parts_are_known_by_what_they_depend_on_and_by_nothing_else() -> None:
    def prints(emb: Embeddings, settings: Settings, design: Design = DESIGN) -> dict[str, str]:
        return {part.name: part.fingerprint for part in word_parts(emb, [design], settings)}

    base = prints(embeddings(), Settings())
    assert prints(embeddings(source="elsewhere"), Settings()) == base
    assert set(base) == {"mleat mine", "bootstrap mine", "influence mine", "reliability mine"}

    def changed(other: dict[str, str]) -> set[str]:
        return {name.split()[0] for name in base if other[name] != base[name]}

    assert changed(prints(embeddings(), Settings(seed=1))) == {"mleat", "bootstrap", "reliability"}
    assert changed(prints(embeddings(), Settings(alternative="less"))) == {"mleat"}
    every = {name.split()[0] for name in base}
    assert changed(prints(embeddings(), Settings(missing="balance"))) == every
    assert changed(prints(embeddings(seed=2), Settings())) == every
    assert changed(prints(embeddings(), Settings(samples=5, resamples=7))) == set()
    pools = [
        Embeddings([f"w{i}" for i in range(1000)], np.random.default_rng(seed).normal(size=(1000, 4)))
        for seed in (1, 1, 2)
    ]
    one, same, other = (prints(embeddings().with_pool(pool), Settings()) for pool in pools)
    assert one == same
    assert {name for name in one if one[name] != other[name]} == {"placebo mine"}
    assert set(one) - set(base) == {"placebo mine"}
    counts = {word: 1.0 + i for i, word in enumerate(DESIGN.words)}
    counted = prints(embeddings(), Settings(frequencies=counts))
    assert set(counted) - set(base) == {"frequency mine"}
    assert changed(counted) == set()
    doubled = prints(embeddings(), Settings(frequencies={word: 2 * n for word, n in counts.items()}))
    assert doubled["frequency mine"] != counted["frequency mine"]
    turned = Design(name="mine", x=DESIGN.x, y=DESIGN.y, a=DESIGN.b, b=DESIGN.a)
    assert changed(prints(embeddings(), Settings(), turned)) == every


def test_the_words_of_a_decade_are_part_of_what_was_read(tmp_path: Path) -> None:
    matrix, words = tmp_path / "1900-w.npy", tmp_path / "1900-vocab.pkl"
    np.save(matrix, np.eye(2))
    words.write_bytes(pickle.dumps(["rose", "wasp"]))
    before = vectors_identity(str(matrix))
    assert vectors_identity(str(matrix)) == before
    words.write_bytes(pickle.dumps(["wasp", "rose"]))
    assert vectors_identity(str(matrix)) != before


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("stimuli/catalogue/data/abc/abc-templates.toml", lambda: evidence_key({"model": "one"})),
        ("sources/words.py", lambda: evidence_key({"model": "one"})),
        ("measures/coverage/gaps.py", measure_code),
        ("inference/multiplicity.py", measure_code),
        ("geometry.py", measure_code),
    ],
)
def test_code_and_catalogue_decide_what_is_asked_and_measured_again(
    file: str, what: Callable[[], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, home = what(), tmp_path / "crossroads"
    shutil.copytree(Path(files.__file__).parents[1], home, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(files, "__file__", str(home / "storage" / "files.py"))
    code.cache_clear()
    try:
        assert what() == before
        (home / file).write_text(
            (home / file).read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8"
        )
        code.cache_clear()
        assert what() != before
    finally:
        code.cache_clear()
