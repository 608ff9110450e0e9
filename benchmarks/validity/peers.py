"""The same vectors through other packages: ``python -m benchmarks.validity.peers [NAME=PYTHON …]``.

Each package runs in an environment of its own: that of the interpreter given, or one that is made for the
purpose and thrown away. Numbers are kept with versions in docs/validity/peers.json, from which the page of
the study takes them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.core.inference.geometry import unit

from .study import ROOT
from .worlds import vector_worlds

FILE = ROOT / "docs" / "validity" / "peers.json"
DESIGNS = ("weat6", "weat7", "weat8", "topical targets")
"""Published tests in the default vectors, and a world without an association."""
MIXED = tuple(f"weat{i}" for i in range(1, 11))
"""Published tests whose cosines lme4 is given."""
SAMPLES = 200
"""Divisions that are drawn where a package draws them: one of them takes half a minute for a thousand."""
BEGIN = """
import json, sys, time
from importlib.metadata import version
import numpy as np
data, samples = np.load(sys.argv[1]), int(sys.argv[2])
names = sorted({key.split("|")[0] for key in data.files})
found = {}
"""
END = """
for name in names:
    x, y, a, b = (data[f"{name}|{role}"] for role in "xyab")
    begun = time.perf_counter()
    d, p = measure(x, y, a, b)
    found[name] = {"d": float(d), "p": float(p), "seconds": time.perf_counter() - begun}
print(json.dumps({"version": version(package), "numpy": np.__version__, "tests": found}))
"""
PEERS = {
    "wefe": """
package = "wefe"
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel
def measure(x, y, a, b):
    vectors = KeyedVectors(x.shape[1])
    sets = [[f"{role}{i}" for i in range(len(rows))] for role, rows in zip("xyab", (x, y, a, b))]
    vectors.add_vectors([word for words in sets for word in words], np.concatenate([x, y, a, b]))
    query = Query(sets[:2], sets[2:], ["x", "y"], ["a", "b"])
    told = WEAT().run_query(query, WordEmbeddingModel(vectors, "given"), return_effect_size=True,
                            calculate_p_value=True, p_value_iterations=samples)
    return told["effect_size"], told["p_value"]
""",
    "bias-scope": """
package = "bias-scope"
from bias_scope.embeddings_based import WEAT
def measure(x, y, a, b):
    told = WEAT().evaluate((x, y), (a, b), return_details=True, n_permutation_samples=samples)
    return told["effect_size"], told["p_value"]
""",
    "fairlms": """
package = "fairlms"
from fairlms.definition.encoder_only.intrinsic_bias.similarity_based.weat.weat import compute_weat
def measure(x, y, a, b):
    return compute_weat(x, y, a, b, n_samples=samples, seed=1)
""",
}
CONVENTIONS = {
    "wefe": "d divides by the standard deviation of the population (`ddof=0`); words are drawn with "
    "replacement, so that what is counted are not divisions of X ∪ Y; 1 is added to both counts",
    "bias-scope": "d as here; all divisions up to 100,000, else drawn; ties are not counted, the observed "
    "division among them, so that p can be 0; X and Y must be of one size",
    "fairlms": "d as here; all divisions where there are no more than are to be drawn, else these and the "
    "observed one; ties are counted; X and Y must be of one size",
}


def given_vectors() -> dict[str, np.ndarray[Any, Any]]:
    """Vectors of all designs by role, as a file of arrays holds them."""
    found: dict[str, np.ndarray[Any, Any]] = {}
    for name in DESIGNS:
        if name == "topical targets":
            emb, design = vector_worlds("topical targets")[0]
        else:
            design = cr.catalog(name)
            emb = cr.load("default", words=design.words)
        for role, words in design.sets.items():
            found[f"{name}|{role}"] = np.stack([np.asarray(emb[word], dtype=np.float64) for word in words])
    return found


def ours(vectors: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """What this package says of the same vectors."""
    tests: dict[str, dict[str, float]] = {}
    for name in DESIGNS:
        rows = {role: vectors[f"{name}|{role}"] for role in "xyab"}
        labels = {role: [f"{role}{i}" for i in range(len(some))] for role, some in rows.items()}
        emb = cr.Embeddings([w for words in labels.values() for w in words], np.concatenate([*rows.values()]))
        x, y, a, b = labels.values()
        design = cr.Design(name=name, x=x, y=y, a=a, b=b)
        begun = time.perf_counter()
        one = cr.weat(emb, design, alternative="greater")
        seconds = time.perf_counter() - begun
        tests[name] = {"d": one.effect_size, "p": one.pvalue, "seconds": seconds}
    return {"version": cr.__version__, "numpy": np.__version__, "tests": tests}


def measured(name: str, python: str | None, file: Path, folder: Path) -> dict[str, Any]:
    """What another package says of the vectors in a file, or why it says nothing."""
    try:
        if python is None:
            place = folder / name
            venv.create(place, with_pip=True)
            python = str(place / "bin" / "python")
            installed = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name]
            subprocess.run(installed, check=True, capture_output=True, text=True, timeout=900)
        code = BEGIN + PEERS[name] + END
        command = [python, "-c", code, str(file), str(SAMPLES)]
        run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
        return dict(json.loads(run.stdout.splitlines()[-1]))
    except subprocess.CalledProcessError as error:
        return {"error": (error.stderr.strip().splitlines() or ["it failed"])[-1][:300]}
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return {"error": f"{type(error).__name__}"}


def mixed_models() -> dict[str, Any]:
    """The maximal model of lme4 and the crossed test, with every word as independent, of published tests."""
    emb, tests = cr.load("default"), {}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for name in MIXED:
            options: dict[str, Any] = {"missing": "drop", "method": "normal"}
            found = cr.weat(emb, cr.catalog(name), words="independent", **options)
            x, y, a, b = (
                unit(np.stack([emb[word] for word in words]).astype(np.float64))
                for words in found.sets.values()
            )
            table = np.concatenate([x, y]) @ np.concatenate([a, b]).T
            print(len(x), len(a), *table.shape, file=file)
            print(*table.ravel().tolist(), file=file)
            tests[name] = {
                "ours": [getattr(found.crossed, key) for key in ("difference", "se", "df", "pvalue")]
            }
            tests[name]["copies"] = [cr.weat(emb, cr.catalog(name), **options).crossed.pvalue]
        file.flush()
        command = ["Rscript", str(Path(__file__).with_name("lme4.R")), file.name]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for name, line in zip(MIXED, told, strict=False):
        tests[name]["lme4"] = [float(value) for value in line.split()[:4]]
    return {"software": told[-1].strip(), "tests": tests}


def _mixed_section(kept: dict[str, Any]) -> list[str]:
    lines = [
        "## The maximal mixed model",
        "",
        "lme4's `c ~ T*A + (1+A|word) + (1+T|attr)` of the cosines of published tests in the default vectors",
        f"({kept['software']}; [lme4.R](../benchmarks/validity/lme4.R)), and the crossed test, which is that",
        "model in closed form with a variance for each set. Last: near copies counted, the default.",
        "",
        "| test | Δ | standard error: lme4, crossed | df: same | p: same | p, copies counted |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, one in kept["tests"].items():
        (_, se, df, p), (difference, own_se, own_df, own_p) = one["lme4"], one["ours"]
        cells = f"{difference:.3f} | {se:.4f}, {own_se:.4f} | {df:.1f}, {own_df:.1f} | {p:.2g}, {own_p:.2g}"
        lines.append(f"| {name} | {cells} | {one['copies'][0]:.2g} |")
    return [*lines, ""]


def main() -> None:
    """Run every package and keep the numbers."""
    pythons = dict(one.split("=", 1) for one in sys.argv[1:])
    vectors = given_vectors()
    ours(vectors)  # compiled code is loaded once
    found: dict[str, Any] = {
        "date": date.today().isoformat(),
        "samples": SAMPLES,
        "crossroads": ours(vectors),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npz"
        np.savez(file, **vectors)  # type: ignore[arg-type]
        for name in PEERS:
            found[name] = measured(name, pythons.get(name), file, Path(folder))
            print(name, found[name], flush=True)
    try:
        found["lme4"] = mixed_models()
    except (OSError, subprocess.CalledProcessError):  # no R here, or not these packages
        found["lme4"] = json.loads(FILE.read_text(encoding="utf-8"))["lme4"]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def section(file: Path = FILE) -> list[str]:
    """The part of the page that compares other packages with this one."""
    if not file.is_file():
        return []
    found = json.loads(file.read_text(encoding="utf-8"))
    mixed = _mixed_section(found["lme4"]) if "lme4" in found else []
    here, there = found["crossroads"], {name: found[name] for name in PEERS if name in found}
    working = {name: one for name, one in there.items() if "tests" in one}
    lines = [
        "## Other packages",
        "",
        "The same vectors, one-sided as published (`python -m benchmarks.validity.peers`). Times are in",
        "milliseconds, of one run on a busy machine, and of unlike work: all divisions where a package",
        f"counts them, {found['samples']:,} where it draws them. The last line has no association, and the",
        "topics of its targets make p small or large all the same.",
        "",
        f"| test | {' | '.join(f'{name}: d, p, ms' for name in ('crossroads', *working))} |",
        f"|---|{'---|' * (1 + len(working))}",
    ]
    for test in DESIGNS:
        told = [one["tests"][test] for one in (here, *working.values())]
        cells = [f"{one['d']:.3f}, {one['p']:.2g}, {1000 * one['seconds']:,.0f}" for one in told]
        lines.append(f"| {test} | {' | '.join(cells)} |")
    lines.append("")
    lines.append(f"* **crossroads** {here['version']}: `ddof=1`, all divisions counted, ties included.")
    for name, one in there.items():
        if name in working:
            lines.append(f"* **{name}** {one['version']}: {CONVENTIONS[name]}.")
        else:
            lines.append(f"* **{name}** could not be run: `{one['error']}`.")
    return [
        *mixed,
        *lines,
        "* None of the three calls returns a p-value or an interval for other words than these.",
        "",
    ]


if __name__ == "__main__":
    main()
