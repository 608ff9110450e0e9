"""The same computations with every supported minor version of numpy, compared number by number.

``python -m tests.hardening.numpy_range`` (``make numpy-range``) makes one environment, changes numpy in it,
and writes ``docs/reference/numpy.md``. It needs nothing but the standard library; ``--record FILE`` is what
runs in the environment.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tests.lowest import declared

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "numpy.md"
PLACE = ROOT / ".venv-numpy"
EXTRAS = ("fast", "corpus")
ROUNDING = 1e-9
"""Relative differences above this are more than what rounding in double precision adds up to here."""
SINGLE = 1e-5
"""The same where numbers are computed in single precision."""
COARSE = re.compile(r"^(.* / )?matched / both_|^frequency / [345]$|^null_threshold / 0$")
"""Places of these: tests of `frequency` whose targets and attributes are all drawn, and `null_threshold`."""
TINY = 1e-12
"""Differences below this are those of rounding, whatever their ratio to numbers that are nearly 0."""
OLDER = {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "1", "NUMBA_CPU_NAME": "nehalem"}
"""What makes linear algebra and compiled kernels compute as on a processor of 2008, with one core."""
FEATURES = """
from numpy._core import _multiarray_umath as core
print(*filter(core.__cpu_features__.get, core.__cpu_dispatch__))
"""
"""Prints the instructions that numpy uses here and not everywhere."""


def streams() -> dict[str, Any]:
    """What the methods of a generator give that the package calls, for one seed."""
    import numpy as np

    def rng() -> Any:
        return np.random.default_rng(20260101)

    return {
        "random": rng().random(500).tolist(),
        "integers": rng().integers(0, 1000, 500).tolist(),
        "integers of int8": rng().integers(0, 2, 500, dtype=np.int8).tolist(),
        "permutation": rng().permutation(500).tolist(),
        "permuted": rng().permuted(np.tile(np.arange(50), (10, 1)), axis=1).tolist(),
        "choice without replacement": rng().choice(400_000, 500, replace=False).tolist(),
        "choice with weights": rng().choice(4, 500, p=[0.4, 0.25, 0.2, 0.15]).tolist(),
        "multinomial": rng().multinomial(25, np.full(25, 1 / 25), size=20).tolist(),
        "normal": rng().normal(size=500).tolist(),
        "standard_t": rng().standard_t(3, 500).tolist(),
        "uniform": rng().uniform(0, 100, 500).tolist(),
        "spawn": [child.random(100).tolist() for child in rng().spawn(2)],
        "seed sequence": np.random.default_rng(np.random.SeedSequence([7, 1])).random(100).tolist(),
    }


def samples() -> dict[str, str]:
    """Contexts drawn from texts, as checksums."""
    from crossroads.contexts.corpus import SAMPLE, find_contexts
    from tests.contexts.corpus import test_seeded_samples as seeded

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_text("\n".join(seeded.documents("text", 700)), encoding="utf-8")
        found = {}
        for options, _ in seeded.DIGESTS[SAMPLE]:
            drawn = find_contexts(f"{folder}/*", seeded.WORDS, workers=1, **{"limit": 25, **options})
            found[str(options)] = seeded.digest(dict(drawn.contexts))
        return found


def audit() -> Any:
    """The results of the audit of the default vectors."""
    from crossroads.core.cli import main

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["crossroads", "audit", "default", "--no-figures", "-o", f"{folder}/audit"]
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
        from crossroads.core.report.documents.records import read_document

        return read_document(Path(folder, "audit", "results.json"))


def record(file: Path) -> None:
    """Compute everything with the numpy that is installed."""
    import numpy as np
    import scipy

    from tests import test_seeded_draws as seeded
    from tests.results import every_result

    core = importlib.import_module("numpy._core._multiarray_umath")
    computed = {
        "streams": streams(),
        "samples": samples(),
        "draws": {name: draw(seeded.SEED) for name, draw in seeded.DRAWS.items()},
        "results": {name: json.loads(one.to_json()) for name, one in every_result().items()},
        "audit": audit(),
    }
    about = {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "features": [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]],
    }
    file.write_text(json.dumps({"about": about, "computed": computed}), encoding="utf-8")


def values(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number and text of a document with its place, without versions of packages."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key != "versions":
                yield from values(value, (*path, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from values(value, (*path, str(number)))
    else:
        yield path, node


@dataclass
class Compared:
    """How a section of one run differs from that of another."""

    count: int = 0
    """Numbers and texts compared."""
    rounded: int = 0
    """Numbers that differ by no more than rounding."""
    largest: float = 0.0
    """The largest relative difference of these."""
    single: float = 0.0
    """The largest relative difference of numbers that are computed in single precision."""
    changed: list[str] = field(default_factory=list)
    """Places of what differs by more."""

    def said(self) -> str:
        """The cell of a table."""
        if self.changed:
            return f"**{len(self.changed):,} of {self.count:,} changed**"
        if not self.rounded:
            return "identical"
        double = f"by {self.largest:.0e} at most" if self.largest else ""
        single = f"by {self.single:.0e} in single precision" if self.single else ""
        return ", ".join(filter(None, (f"{self.rounded:,} of {self.count:,} rounded", double, single)))


def apart(one: Any, other: Any) -> float:
    """The relative difference of two numbers; that of anything else is infinite."""
    if not (isinstance(one, float) and isinstance(other, float)):
        return math.inf
    size = max(abs(one), abs(other))
    return abs(one - other) / size if math.isfinite(size) else math.inf


def same(one: Any, other: Any) -> bool:
    """Whether two values are of one type and equal, to the last bit."""
    return type(one) is type(other) and (one == other or (one != one and other != other))


def compared(one: Any, other: Any) -> Compared:
    """Compare two documents of one form."""
    found = Compared()
    first, second = dict(values(one)), dict(values(other))
    found.changed += [" / ".join(path) for path in sorted(first.keys() ^ second.keys())]
    for path in [path for path in first if path in second]:
        found.count += 1
        a, b, place = first[path], second[path], " / ".join(path)
        if same(a, b):
            continue
        ratio, coarse = apart(a, b), bool(COARSE.search(place))
        if ratio > (SINGLE if coarse else ROUNDING):
            if ratio == math.inf or abs(a - b) > TINY:
                found.changed.append(place)
                continue
            ratio = 0.0  # of numbers that are 0 but for rounding, the ratio says nothing
        found.rounded += 1
        if coarse:
            found.single = max(found.single, ratio)
        else:
            found.largest = max(found.largest, ratio)
    return found


@dataclass(frozen=True, kw_only=True)
class Run:
    """One recording."""

    name: str
    """What the table calls it."""
    constraints: list[str]
    """Versions that are installed for it."""
    numba: bool = True
    """Whether there are compiled kernels."""
    older: bool = False
    """Whether to compute as on an older processor."""


def pip(*arguments: str, python: Path) -> str:
    """Run pip in the environment."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def minors(listed: str, floor: str) -> list[str]:
    """The floor, and the newest release of every minor version from there on, in ascending order."""
    lowest = tuple(map(int, floor.split(".")))
    newest: dict[tuple[int, ...], tuple[int, ...]] = {}
    for text in re.findall(r"\d+\.\d+\.\d+(?![\w.])", listed):
        version = tuple(map(int, text.split(".")))
        if version >= lowest:
            newest[version[:2]] = max(newest.get(version[:2], version), version)
    first = (*lowest, 0, 0)[:3]
    return [".".join(map(str, one)) for one in sorted({first, *newest.values()})]


def runs(versions: list[str], pins: list[str]) -> list[Run]:
    """What is recorded, the one that all others are compared with first."""
    others = [one for one in pins if not one.startswith("numpy==")]
    at = {version: [*others, f"numpy=={version}"] for version in versions}
    newest = versions[-1]
    lowest = [f"{name}=={version}" for name, version in declared(EXTRAS).items()]
    return [
        Run(name=f"numpy {newest}", constraints=at[newest]),
        Run(name=f"numpy {newest}, an older processor", constraints=at[newest], older=True),
        Run(name=f"numpy {newest}, without numba", constraints=at[newest], numba=False),
        *(Run(name=f"numpy {one}", constraints=at[one]) for one in reversed(versions[:-1])),
        Run(name=f"numpy {versions[0]}, and all others at their lowest", constraints=lowest),
    ]


def recorded(run: Run, file: Path, python: Path) -> None:
    """Install what a run asks for, compute, and say in the file what it was and how long it took."""
    begun = time.monotonic()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CROSSROADS"))}
    kept |= {"SOURCE_DATE_EPOCH": "0", "CROSSROADS_PROGRESS": "0"}
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder, "constraints.txt")
        pinned.write_text("\n".join(run.constraints) + "\n", encoding="utf-8")
        install = ("install", "--quiet", "--constraint", str(pinned), "--editable", f".[{','.join(EXTRAS)}]")
        pip(*install, *declared(EXTRAS), "pytest", python=python)
        if not run.numba:
            pip("uninstall", "--quiet", "--limit", "none", "numba", python=python)
        if run.older:
            asked = subprocess.run([str(python), "-c", FEATURES], capture_output=True, text=True, check=True)
            kept |= {**OLDER, "NPY_DISABLE_CPU_FEATURES": asked.stdout.strip()}
        kept["NUMBA_CACHE_DIR"] = folder  # what is compiled does not depend on the run before
        command = [str(python), "-m", "tests.hardening.numpy_range", "--record", str(file)]
        done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{run.name}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    found = json.loads(file.read_text(encoding="utf-8"))
    found["about"] |= {"name": run.name, "seconds": time.monotonic() - begun}
    file.write_text(json.dumps(found), encoding="utf-8")


SECTIONS = {
    "streams": "streams of generators",
    "samples": "samples of contexts",
    "draws": "seeded draws",
    "results": "a result of every type",
    "audit": "the audit of the default vectors",
}


def page(about: dict[str, Any], table: list[list[str]], notes: list[str], seconds: float) -> str:
    """What was found, as a page."""
    features = ", ".join(about["features"]) or "those of every processor"
    rows = [["computed with", "scipy", *SECTIONS.values()], ["---"] * (2 + len(SECTIONS)), *table]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    said = "\n".join(f"* {note}" for note in notes)
    python = ".".join(platform.python_version_tuple()[:2])
    machine = f"{platform.system()}, {platform.machine()}, numpy uses {features}"
    return f"""# Across versions of numpy

Made by `make numpy-range` on {date.today().isoformat()} in {seconds / 60:.0f} minutes, with Python {python}
({machine}). The same computations run with the newest release of every minor version of
numpy that the package supports and Python {python} can install, with the lowest release, and with the
lowest version of every dependency. Everything is compared with the first line.

{lines}

*Identical*: every number has the same bits and every text the same letters; versions of packages, which
results record, are left out. *Rounded*: numbers differ by at most {ROUNDING:.0e} of their size, {SINGLE:.0e}
where they are computed in single precision (tests of `frequency` whose targets and attributes are all
drawn, and `null_threshold`), or {TINY:.0e} where they are 0 but for rounding. *Changed*: anything else, such
as another draw.

The older processor is one of 2008 with a single core, imitated on this machine: numpy, OpenBLAS and numba are
set not to use vector instructions that came later. What differs there is not due to the version. In single
precision, `null_threshold` ends in `numpy.quantile`, which rounds differently before numpy 2.4.

{said}
"""


def noted(found: dict[str, dict[str, Compared]]) -> list[str]:
    """Where something changed."""
    return [
        f"{name}, {SECTIONS[section]}: changed are " + "; ".join(f"`{place}`" for place in one.changed[:5])
        for name, sections in found.items()
        for section, one in sections.items()
        if one.changed
    ]


def record_all(place: Path, folder: Path) -> None:
    """Make an environment, and compute with every version in it."""
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = place.absolute() / ("Scripts" if os.name == "nt" else "bin") / "python"
    pins = [line.split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()]
    versions = minors(pip("index", "versions", "numpy", python=python), declared(())["numpy"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, run in enumerate(runs(versions, list(filter(None, pins)))):
        print(f"{run.name} …", flush=True)
        recorded(run, folder.absolute() / f"{number}.json", python)


def compare_all(folder: Path) -> tuple[str, bool]:
    """The page about what was recorded, and whether anything differs by more than rounding."""
    first, table, found, seconds = None, list[list[str]](), dict[str, dict[str, Compared]](), 0.0
    for file in sorted(folder.glob("*.json"), key=lambda one: int(one.stem)):
        one = json.loads(file.read_text(encoding="utf-8"))
        first = first or one
        name, seconds = one["about"]["name"], seconds + one["about"]["seconds"]
        found[name] = {key: compared(first["computed"][key], one["computed"][key]) for key in SECTIONS}
        cells = [f"{each.count:,} values" if one is first else each.said() for each in found[name].values()]
        table.append([name, one["about"]["scipy"], *cells])
    if first is None:
        raise SystemExit(f"nothing was recorded in {folder}.")
    changed = any(each.changed for sections in found.values() for each in sections.values())
    return page(first["about"], table, noted(found), seconds), changed


def main() -> None:
    """Record with every version, compare, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, help="compute with the installed numpy, and write this file")
    parser.add_argument("--place", type=Path, default=PLACE, help="folder of the environment")
    parser.add_argument("--compare", action="store_true", help="compare what was recorded before")
    parser.add_argument("--check", action="store_true", help="do not write the page")
    asked = parser.parse_args()
    if asked.record:
        record(asked.record)
        return
    if not asked.compare:
        record_all(asked.place, asked.place / "recorded")
    written, changed = compare_all(asked.place / "recorded")
    print(written)
    if not asked.check:
        PAGE.write_text(written, encoding="utf-8")
    if changed:
        raise SystemExit("more than rounding differs.")


if __name__ == "__main__":
    main()
