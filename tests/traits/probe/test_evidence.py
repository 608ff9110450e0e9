"""Logits: what they must satisfy, and that they are written and read back whole."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import EvidenceError, FormatError, InputError, UnknownNameError
from crossroads.core.evidence import Provenance
from crossroads.traits.probe.evidence import Logits

TEMPLATES = ["{capitalised} are {trait}.", "Why are {plural} {trait}?"]


def arrays(**changes: Any) -> dict[str, Any]:
    """Two groups and a prior, two templates, two adjectives of one and two pieces: twelve slots."""
    rng = np.random.default_rng(0)
    full = rng.normal(size=(24, 9)).astype(np.float32)
    logit, slot = np.full((3, 2, 2, 2), np.nan), np.full((3, 2, 2, 2), -1)
    chain_logit, chain_slot = logit.copy(), slot.copy()
    for at, (row, template) in enumerate(np.ndindex(3, 2)):
        for place, (a, j) in enumerate([(0, 0), (1, 0), (1, 1)]):
            slot[row, template, a, j] = chain_slot[row, template, a, j] = 4 * at + place
            logit[row, template, a, j] = chain_logit[row, template, a, j] = full[4 * at + place, place]
        chain_slot[row, template, 1, 1] = 4 * at + 3
        chain_logit[row, template, 1, 1] = full[4 * at + 3, 2]
    total = np.log(np.exp(full.astype(float)).sum(axis=1))
    given = {
        "groups": ["women", "José"],
        "priors": ["mask"],
        "templates": TEMPLATES,
        "traits": [("cold", "warm")],
        "logit": logit,
        "slot": slot,
        "chain_logit": chain_logit,
        "chain_slot": chain_slot,
        "head": -np.sort(-full, axis=1)[:, :6],
        "log_sum_exp": total,
        "hidden_sq_norm": rng.uniform(1, 2, size=24),
        "log_sum_initial": total - 0.5,
        "log_sum_continuation": total - 1.0,
        "log_sum_bare_initial": total - 0.4,
        "log_sum_bare_continuation": total - 0.9,
        "vocabulary": 9,
        "provenance": Provenance(source="a model", revision="r", details={"k": [1]}),
    }
    return {**given, **changes}


def made(**changes: Any) -> Logits:
    return Logits.from_arrays(**arrays(**changes))


def same(one: Logits, other: Logits) -> bool:
    pairs = [(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one)]
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and a.dtype == b.dtype
        if isinstance(a, np.ndarray)
        else a == b
        for a, b in pairs
    )


def test_sizes_are_known_and_nothing_can_be_changed() -> None:
    given = arrays()
    logits = Logits.from_arrays(**given)
    assert (logits.rows, logits.adjectives) == (("women", "José", "mask"), ("cold", "warm"))
    assert (logits.slots, logits.head(3).size, logits.pieces.tolist()) == (24, 6, [[1, 2], [1, 2]])
    assert logits.heads.dtype == logits.logit.dtype == np.float32
    for name in ("logit", "slot", "heads", "log_sum_exp", "chain_logit"):
        assert not getattr(logits, name).flags.writeable
    given["logit"][...] = 0
    assert not np.array_equal(logits.logit[0, 0, 0], [0, 0])


def test_log_probabilities_are_logits_less_their_sum() -> None:
    logits = made()
    found = logits.log_probabilities(filled=True)
    assert np.isnan(found[:, :, 0, 1]).all()
    assert found[1, 0, 1, 1] == float(logits.chain_logit[1, 0, 1, 1]) - logits.log_sum_exp[11]  # type: ignore[index]
    assert found[1, 0, 1, 0] == logits.log_probabilities(filled=False)[1, 0, 1, 0]
    assert found[1, 0, 1, 1] != logits.log_probabilities(filled=False)[1, 0, 1, 1]


def test_folders_of_earlier_versions_are_read_and_lack_the_sums_with_special_tokens(tmp_path: Path) -> None:
    made(**dict.fromkeys(SUMS[2:])).save(tmp_path / "old")
    assert not list((tmp_path / "old").glob("*bare*"))
    old = Logits.open(tmp_path / "old")
    assert np.isfinite(old.log_probabilities(filled=True, restricted="position")[0, 0, 0, 0])
    with pytest.raises(EvidenceError, match=r"special tokens included, were not kept(.|\n)*earlier versions"):
        old.log_probabilities(filled=True, restricted="code")


def test_heads_may_differ_in_length() -> None:
    logits = made(head=[row[: 9 - i % 3] for i, row in enumerate(-np.sort(-made_full(), axis=1))])
    assert [logits.head(i).size for i in range(4)] == [9, 8, 7, 9]


def made_full() -> Any:
    full = np.random.default_rng(0).normal(size=(24, 9)).astype(np.float32)
    return full.astype(np.float64)


def test_logits_of_a_causal_model_run_left_to_right_already() -> None:
    logits = made(kind="causal", chain_logit=None, chain_slot=None, provenance="gpt")
    assert logits.cells(filled=True)[0] is logits.logit
    with pytest.raises(InputError, match="a causal model has no masks that could stay empty"):
        logits.cells(filled=False)
    assert "2 adjectives, causal model, gpt" in repr(logits)


# Files


SUMS = ("log_sum_initial", "log_sum_continuation", "log_sum_bare_initial", "log_sum_bare_continuation")
OPTIONAL = ("chain_logit", "chain_slot", *SUMS)


@pytest.mark.parametrize("without", [(), OPTIONAL, SUMS[2:]])
def test_what_is_written_is_read(tmp_path: Path, without: tuple[str, ...]) -> None:
    logits = made(**dict.fromkeys(without))
    logits.save(tmp_path / "probe")
    again = Logits.open(tmp_path / "probe")
    assert same(logits, again)
    assert isinstance(again.heads.base, np.memmap) or isinstance(again.heads, np.memmap)
    again.save(tmp_path / "twice")
    for file in (tmp_path / "probe").iterdir():
        assert file.read_bytes() == (tmp_path / "twice" / file.name).read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["probe", "twice"]
    with pytest.raises(InputError, match="exists already"):
        logits.save(tmp_path / "probe")
    with pytest.raises(FormatError, match=r"this has no manifest(.|\n)*crossroads probe"):
        Logits.open(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: "{", "not JSON"),
        (lambda m: [], "describes None"),
        (lambda m: {**m, "format": "crossroads-store/1"}, "describes 'crossroads-store/1'"),
        (lambda m: {**m, "about": 3}, "key 'about'"),
        (lambda m: {**m, "arrays": {"logit": 3}}, "'logit' is not described"),
        (lambda m: {**m, "arrays": {"../logit": m["arrays"]["logit"]}}, "outside the folder"),
        (lambda m: {**m, "arrays": {**m["arrays"], "more": m["arrays"]["slot"]}}, "this array is missing"),
        (lambda m: {**m, "about": {}}, "does not describe logits"),
        (lambda m: {**m, "about": {**m["about"], "groups": ["women"]}}, "logit has shape"),
        (lambda m: {**m, "arrays": {**m["arrays"], "slot": m["arrays"]["chain_logit"]}}, "checksum"),
    ],
)
def test_a_manifest_that_was_changed_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    made().save(tmp_path / "probe")
    file = tmp_path / "probe" / "manifest.json"
    new = change(json.loads(file.read_text()))
    file.write_text(new if isinstance(new, str) else json.dumps(new))
    with pytest.raises(FormatError, match=message):
        Logits.open(tmp_path / "probe")


def test_an_array_that_was_changed_is_refused(tmp_path: Path) -> None:
    made().save(tmp_path / "probe")
    file = tmp_path / "probe" / "heads.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(FormatError, match="the checksum is"):
        Logits.open(tmp_path / "probe")
    file.write_bytes(b"")
    with pytest.raises(FormatError, match="is not a numpy array"):
        Logits.open(tmp_path / "probe", verify=False)
    np.save(file, np.zeros(3))
    with pytest.raises(FormatError, match="expected"):
        Logits.open(tmp_path / "probe", verify=False)


# A part of it


def test_a_selection_keeps_priors_and_drops_slots() -> None:
    logits = made()
    part = logits.select(groups=["José"], templates=TEMPLATES[1:])
    assert (part.groups, part.priors, part.templates) == (("José",), ("mask",), (TEMPLATES[1],))
    assert part.slots == 8  # two rows with four slots each
    for filled in (False, True):
        whole = logits.log_probabilities(filled=filled)[[1, 2]][:, [1]]
        assert np.array_equal(part.log_probabilities(filled=filled), whole, equal_nan=True)
    assert same(logits.select(), logits)
    turned = logits.select(groups=["José", "women"])
    assert np.array_equal(turned.logit[0], logits.logit[1], equal_nan=True)


def test_a_selection_of_nothing_known_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown group 'Jose'(.|\n)*did you mean 'José'"):
        made().select(groups=["Jose"])
    with pytest.raises(InputError, match="no group is left"):
        made().select(groups=[])


# What makes no sense


def put(name: str, at: tuple[int, ...], value: float) -> dict[str, Any]:
    array = arrays()[name].copy()
    array[at] = value
    return {name: array}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": ["women", "women"]}, r"a group is missing, empty or given twice: \('women', 'women'\)"),
        ({"groups": ["women", "mask"]}, "a group or prior is missing, empty or given twice"),
        ({"groups": "women"}, "groups is 'women'"),
        ({"templates": [TEMPLATES[0], " "]}, "a template is missing, empty"),
        ({"traits": ["cold"]}, "'cold' is not a pair"),
        ({"adjectives": ["cold", "hot"]}, "unknown adjective of a trait 'warm'"),
        ({"vocabulary": 5}, "longer than the vocabulary of 5"),
        ({"logit": 1.0}, "logit has shape "),
        ({"slot": np.zeros((3, 2, 2, 2))}, r"slot has shape .* of float64, expected .* of integer"),
        ({"provenance": 3}, "the provenance is of type int"),
        (put("logit", (0, 0, 0, 0), np.inf), "'cold' lacks a logit or its slot, .* with 'women'"),
        (put("logit", (1, 0, 0, 0), np.nan), "'cold' lacks a logit .* with 'José'"),
        (put("slot", (1, 0, 1, 1), -1), "'warm' lacks a logit .* with 'José'"),
        (put("slot", (0, 0, 0, 0), 24), "'cold' lacks a logit or its slot"),
        (put("slot", (0, 0, 0, 1), -2), "'cold' lacks a logit or its slot"),
        (put("chain_logit", (0, 0, 1, 1), 77.0), "'warm' .* above its head"),
        ({"head": []}, "a head is empty"),
        ({"head": np.sort(made_full(), axis=1)}, "not in descending order"),
        (put("head", (3, 5), np.nan), "a head is not finite"),
        (put("log_sum_exp", (2,), -9.0), "log_sum_exp of slot 2 is -9(.|\n)*largest logit"),
        (put("log_sum_initial", (2,), np.nan), "log_sum_initial of slot 2 is nan"),
        (put("hidden_sq_norm", (2,), 0.0), "hidden_sq_norm of slot 2 is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((EvidenceError, InputError), match=message):
        made(**changes)
