"""docs/reference/conformance.md: what it says of other packages and of R comes out again."""

from __future__ import annotations

import json

import pytest
from benchmarks.validity import conformance, peers


@pytest.mark.reference
@pytest.mark.slow
def test_other_packages_give_our_numbers_under_their_conventions() -> None:
    found = conformance.compared()
    assert set(found) == set(peers.PEERS)
    for name, (d, p) in found.items():
        assert d < (1e-6 if name == "wefe" else 1e-12), name  # which computes in single precision
        if name in conformance.COUNTS:
            assert p < 1e-12, name
    text = conformance.PAGE.read_text(encoding="utf-8")
    kept = json.loads(peers.FILE.read_text(encoding="utf-8"))
    assert f"last on {kept['date']}" in text
    for name in found:
        assert f"| {name} | {kept[name]['version']} |" in text


@pytest.mark.reference
def test_r_gives_our_numbers() -> None:
    text = conformance.PAGE.read_text(encoding="utf-8")
    for what, kept, script, off in conformance.by_r():
        assert off < 1e-9, what
        assert f"| {what} | {kept['software']} | `tests/references/{script}` | {len(kept['cases'])} |" in text
