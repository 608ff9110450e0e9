"""Write docs/reference/conformance.md: ``python -m benchmarks.validity.conformance``.

The same vectors as in ``peers.py``, whose kept numbers of other packages are compared with ours under the
conventions of each; and the same cases as the tests compare with R, from tests/references.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.permutation.test import Alternative, permutation_test
from crossroads.core.inference.random_effects import combine
from crossroads.stats import benjamini_hochberg, holm

from .peers import CONVENTIONS, DESIGNS, FILE, PEERS, given_vectors
from .study import ROOT

PAGE = ROOT / "docs" / "reference" / "conformance.md"
REFERENCES = ROOT / "tests" / "references"
THEIRS: dict[str, dict[str, Any]] = {"wefe": {"ddof": 0}, "bias-scope": {"ties": "strict"}, "fairlms": {}}
"""What to ask of ours to get what each package computes."""
TAILS: dict[bool, tuple[Alternative, ...]] = {
    True: ("greater", "less", "two-sided"),
    False: ("greater", "less"),
}
"""Tails that coin defines as we do; two-sided, where sets are of one size."""
COUNTS = {"bias-scope"}
"""Packages that count all divisions of tests of this size, so that p-values can be compared."""


TEXT = """# The same numbers elsewhere

Made by `python -m benchmarks.validity.conformance`. Numbers of other packages are kept with their versions in
`docs/validity/peers.json` (`python -m benchmarks.validity.peers` runs them again, each in an environment of
its own; last on {date}). [Reproduction](reproduction.md) sets published tables next to ours, and
[fidelity](../concepts/fidelity.md) lists the choices where a paper and its code disagree.

## Packages for word vectors

{tests}: the same vectors go in, and ours gets the conventions of the other package.

{packages}

The packages sweater and PsychWordVec are on CRAN alone; they were not run. After its documentation,
`weat_es` of sweater adjusts the variance for groups of unlike sizes, which is no option here.

## Statistics, by R

{references}

`tests/references/crossed.R` compares crossed inference with lmerTest where the two models agree, and the
tests compare it with brute force.
"""


def _ours(vectors: dict[str, Any], test: str, options: dict[str, Any]) -> Any:
    rows = {role: vectors[f"{test}|{role}"] for role in "xyab"}
    labels = {role: [f"{role}{i}" for i in range(len(some))] for role, some in rows.items()}
    emb = Embeddings([w for words in labels.values() for w in words], np.concatenate([*rows.values()]))
    x, y, a, b = labels.values()
    return cr.weat(emb, cr.Design(name=test, x=x, y=y, a=a, b=b), alternative="greater", **options)


def compared() -> dict[str, tuple[float, float]]:
    """The largest differences of d and of p between ours and each package that could be run."""
    kept, vectors = json.loads(FILE.read_text(encoding="utf-8")), given_vectors()
    found = {}
    for name in PEERS:
        if "tests" in kept[name]:
            both = [(kept[name]["tests"][test], _ours(vectors, test, THEIRS[name])) for test in DESIGNS]
            d = max(abs(one["d"] - own.effect_size) for one, own in both)
            found[name] = d, max(abs(one["p"] - own.pvalue) for one, own in both)
    return found


def _packages() -> list[str]:
    """One row for each package."""
    kept, found = json.loads(FILE.read_text(encoding="utf-8")), compared()
    lines = [
        "| package | version | asked of ours | largest difference of d | largest difference of p |",
        "|---|---|---|---|---|",
    ]
    for name in PEERS:
        if name not in found:
            lines.append(f"| {name} | | | could not be run: `{kept[name]['error']}` | |")
            continue
        d, p = found[name]
        said = f"{p:.0e}" if name in COUNTS else "draws divisions: not comparable"
        asked = ", ".join(f"`{key}={value!r}`" for key, value in THEIRS[name].items()) or "the default"
        lines.append(f"| {name} | {kept[name]['version']} | {asked} | {d:.0e} | {said} |")
    return [*lines, "", *(f"* **{name}**: {said}." for name, said in CONVENTIONS.items())]


def _relative(ours: Any, theirs: Any) -> float:
    one, other = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return float(np.max(np.abs(one - other) / np.maximum(np.abs(other), 1e-300)))


def by_r() -> list[tuple[str, Any, str, float]]:
    """What is compared with R: its name, the kept numbers, their script, the largest relative difference."""
    coin, adjusted, combined = (
        json.loads((REFERENCES / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("coin", "adjust", "metafor")
    )
    exact = max(
        _relative(permutation_test(case["x"], case["y"], alternative=tail).pvalue, case[tail])
        for case in coin["cases"]
        for tail in TAILS[len(case["x"]) == len(case["y"])]
    )
    steps = max(
        _relative(
            how([p for p in case["p"] if p > 0]),
            [q for p, q in zip(case["p"], case[key], strict=True) if p > 0],
        )
        for case in adjusted["cases"]
        if 0 not in case["p"]
        for how, key in ((holm, "holm"), (benjamini_hochberg, "bh"))
    )
    effects = max(
        _relative(combine(case["effect_sizes"], case["variances"]).effect_size, case["effect_size"])
        for case in combined["cases"]
        if case["effect_size"] != 0
    )
    return [
        ("exact p-values of two samples", coin, "coin.R", exact),
        ("Holm, Benjamini–Hochberg", adjusted, "adjust.R", steps),
        ("random effects (CEAT)", combined, "metafor.R", effects),
    ]


def _references() -> list[str]:
    """One row for each kept file of numbers from R."""
    lines = [
        "| what | software | script | cases | largest relative difference |",
        "|---|---|---|---|---|",
    ]
    for what, kept, script, off in by_r():
        cells = (
            what,
            kept["software"],
            f"`tests/references/{script}`",
            str(len(kept["cases"])),
            f"{off:.0e}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def page() -> str:
    """The page."""
    return TEXT.format(
        date=json.loads(FILE.read_text(encoding="utf-8"))["date"],
        tests=f"{len(DESIGNS)} tests, one-sided as published ({', '.join(DESIGNS)})",
        packages="\n".join(_packages()),
        references="\n".join(_references()),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
