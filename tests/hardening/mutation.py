"""Change the code in one place at a time, and count how often the tests notice.

``python -m tests.hardening.mutation --mutants 150 --seed 0`` (``make mutation``). The changes are those of
cosmic-ray: another operator, another number, a condition negated, a loop that never runs. Its own runner
changes files where they are and has one test command for all. Here a sample is drawn, every change is made
in a copy of the checkout, and it is judged by the tests that run the changed line (``reach.py``), those that
take least first, as many as fit into ``SECONDS``.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tests.hardening.reach import FOLDERS, PLACE, Reached

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/crossroads")
COPIED = ("src", "tests", "docs", "benchmarks", "packages", "pyproject.toml", "README.md", "CHANGELOG.md")
CHOSEN = "not models and not browser and not full"
SECONDS = 30
"""Processor time of the tests of a mutant, as they took without a change and with their lines counted."""
LIMIT = 400
"""Seconds of processor time after which a mutant is stopped: a busy machine stops none."""
MEMORY = 8 << 20
"""Its memory, in KiB."""
ONLY = {"ReplaceBinaryOperator": "operator", "ReplaceComparisonOperator": "comparison"}
"""The kind of node in which most operators of cosmic-ray look for something; the others look in all."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change of one file."""

    file: str
    """The file, from the root of the checkout."""
    line: int
    """The line of the change."""
    operator: str
    """The operator of cosmic-ray."""
    occurrence: int
    """The how-manyth place of the operator in the file."""

    def code(self, source: str) -> str | None:
        """The changed source, or None if Python reads it as the same program or not at all."""
        from cosmic_ray.mutating import mutate_code

        changed = mutate_code(source, _operators()[self.operator], self.occurrence)
        if changed is None:
            return None
        try:
            return None if _program(changed) == _program(source) else str(changed)
        except (SyntaxError, ValueError):
            return None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of a mutant."""

    mutant: Mutant
    outcome: str
    """``failed``, ``stopped`` (a limit, or a crash), ``survived``, or ``unseen`` if no test runs it."""
    change: str
    """The line before and after."""
    seconds: float
    """How long its tests took."""

    @property
    def killed(self) -> bool:
        """Whether the tests noticed."""
        return self.outcome in ("failed", "stopped")


@cache
def _operators() -> dict[str, Any]:
    """The operators of cosmic-ray that need no arguments, by name."""
    from cosmic_ray import plugins

    found = {name: plugins.get_operator(name) for name in sorted(plugins.operator_names())}
    return {name: one() for name, one in found.items() if not one.arguments()}


@lru_cache(8)
def _program(source: str) -> str:
    """The syntax tree without annotations: they are never evaluated, so that a change there is none."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def places(file: str, source: str) -> list[list[Mutant]]:
    """Every place of a file that can be changed, each with all its changes."""
    from cosmic_ray.ast import ast_nodes, get_ast

    nodes = list(ast_nodes(get_ast(source)))
    kinds = {kind: [node for node in nodes if node.type == kind] for kind in ONLY.values()}
    found: dict[tuple[int, int], list[Mutant]] = {}
    for name, operator in _operators().items():
        among = kinds.get(ONLY.get(name.removeprefix("core/").partition("_")[0], ""), nodes)
        positions = (start for node in among for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(positions):
            mutant = Mutant(file=file, line=start[0], operator=name, occurrence=occurrence)
            found.setdefault(start, []).append(mutant)
    return [found[start] for start in sorted(found)]


def drawn(root: Path, files: Iterable[str], number: int, seed: int) -> list[Mutant]:
    """A random sample: each place equally likely, one change of each place that is drawn."""
    sources = {file: (root / file).read_text(encoding="utf-8") for file in files}
    everywhere = [place for file, source in sources.items() for place in places(file, source)]
    rng = random.Random(seed)
    rng.shuffle(everywhere)
    sample: list[Mutant] = []
    for place in everywhere:
        if len(sample) == number:
            break
        mutant = rng.choice(place)
        if mutant.code(sources[mutant.file]) is not None:
            sample.append(mutant)
    return sample


def statement(source: str, line: int) -> range:
    """The lines of the statement that a line is in; of a block, those of its heading."""
    found = [range(line, line + 1)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno
            found.append(range(node.lineno, max(end or 0, node.lineno) + 1))
    return max((one for one in found[1:] if line in one), key=lambda one: one.start, default=found[0])


def chosen(reached: Reached, mutant: Mutant, source: str) -> list[str]:
    """The tests of a mutant: functions that run its statement.

    If it runs on import only, those that run its file; if nothing is seen to run it, as in compiled code,
    those of its folder.
    """
    lines = statement(source, mutant.line)
    among = reached.tests_of(mutant.file, lines)
    if not among and reached.on_import(mutant.file, lines):
        among = reached.tests_of(mutant.file, range(1, source.count("\n") + 2))
    if not among:
        folder = f"tests/{Path(mutant.file).relative_to(PACKAGE).parent.as_posix()}/"
        among = [name for name in reached.tests if name.startswith(folder)]
    functions = Counter[str]()
    for name in among:
        functions[name.partition("[")[0]] += reached.tests[name]["seconds"]
    asked: list[str] = []
    taken = 0.0
    for name, seconds in sorted(functions.items(), key=lambda one: (one[1], one[0])):
        taken += seconds
        if asked and taken > SECONDS:
            break
        asked.append(name)
    return asked


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """A copy of a checkout, in a folder that is removed afterwards: the checkout itself is never changed."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as place:
        copy = Path(place).resolve() / "checkout"
        copy.mkdir()
        for name in COPIED:
            if (root / name).is_dir():
                shutil.copytree(root / name, copy / name, symlinks=True)
            elif (root / name).exists():
                shutil.copy2(root / name, copy / name)
        yield copy


@contextmanager
def changed(file: Path, code: str) -> Iterator[None]:
    """The file with other code, and after the block as it was, with the time at which it was written."""
    source, stat = file.read_bytes(), file.stat()
    for kept in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        kept.unlink()  # its source may be as long and as old
    file.write_text(code, encoding="utf-8")
    os.utime(file, (stat.st_atime + 2, stat.st_mtime + 2))
    try:
        yield
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def pytested(
    folder: Path, *options: str, limit: float | None = None, variables: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run pytest on a checkout in a process with bounded memory: its exit status, and what it prints."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CROSSROADS_CACHE": os.environ.get("CROSSROADS_CACHE") or str(ROOT / ".cache" / "registry"),
        **(variables or {}),
    }
    bounds = f"ulimit -d {MEMORY}" + ("" if limit is None else f"; ulimit -t {math.ceil(limit)}")
    command = ["sh", "-c", f'{bounds}; exec "$@"', "sh", sys.executable, "-m", "pytest", *options]
    command += ["-p", "no:cacheprovider"]
    longest = None if limit is None else 20 * limit  # for one that waits for ever
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, ""
    return done.returncode, done.stdout + done.stderr


def reached(root: Path, kept: Path | None, *, workers: int = 2, paths: Sequence[str] = ()) -> Reached:
    """What each test runs: read from a folder, or found by running all tests that may judge mutants."""
    with tempfile.TemporaryDirectory(prefix="reach-") as place:
        folder = kept or Path(place)
        if not sorted(folder.glob("*.json")):
            options = ["-q", "-p", "tests.hardening.reach", "-m", CHOSEN, *paths]
            options += ["-n", str(workers)] if workers > 1 else []
            status, said = pytested(root, *options, variables={PLACE: str(folder)})
            if status not in (0, 1):
                raise RuntimeError(f"the tests could not be run:\n{said[-4000:]}")
        return Reached(folder, root)


def judged(folder: Path, mutant: Mutant, tests: Sequence[str]) -> Verdict:
    """Make the change in a copy of the checkout, and run tests until one fails."""
    file = folder / mutant.file
    source = file.read_text(encoding="utf-8")
    code = mutant.code(source)
    if code is None:
        raise ValueError(f"{mutant} changes nothing.")
    begun, outcome = time.monotonic(), "unseen"
    if tests:
        asked = folder.parent / "asked"
        asked.write_text("\n".join(tests) + "\n", encoding="utf-8")
        with changed(file, code):
            status, said = pytested(folder, "-x", "-q", f"@{asked}", limit=LIMIT)
        if status == 4 and not any(sign in said for sign in ("ERROR collecting", "while loading conftest")):
            raise RuntimeError(f"tests that were chosen are not there:\n{said[-2000:]}")
        outcome = {0: "survived", 1: "failed", 2: "failed", 4: "failed"}.get(status, "stopped")
    seconds = time.monotonic() - begun
    return Verdict(mutant=mutant, outcome=outcome, change=_difference(source, code), seconds=seconds)


def _difference(source: str, code: str) -> str:
    """The first line that differs, before and after."""
    pairs = zip(source.splitlines(), code.splitlines(), strict=False)
    before, after = next(pair for pair in pairs if pair[0] != pair[1])
    return f"{before.strip()}  →  {after.strip()}"


def wilson(part: int, whole: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """The interval of a share (Wilson 1927), by default of 95 %."""
    if whole == 0:
        return 0.0, 1.0
    share, scale = part / whole, 1 + z**2 / whole
    middle = (share + z**2 / (2 * whole)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / whole + z**2 / (4 * whole**2))
    return middle - half, middle + half


def run(
    root: Path,
    sample: Sequence[Mutant],
    known: Reached,
    *,
    workers: int = 2,
    tell: Callable[[Verdict], None] = lambda verdict: None,
    until: float = math.inf,
) -> list[Verdict]:
    """Judge mutants, each in one of several copies, until a time is reached."""
    with ExitStack() as stack, ThreadPoolExecutor(workers) as pool:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for _ in range(workers):
            copies.put(stack.enter_context(copied(root)))

        def one(mutant: Mutant) -> Verdict | None:
            if time.monotonic() >= until:
                return None
            folder = copies.get()
            try:
                source = (folder / mutant.file).read_text(encoding="utf-8")
                verdict = judged(folder, mutant, chosen(known, mutant, source))
            finally:
                copies.put(folder)
            tell(verdict)
            return verdict

        return [verdict for verdict in pool.map(one, sample) if verdict is not None]


def scores(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Any]]:
    """Killed mutants and their share with its interval, by subject and in total."""
    whole, part = Counter[str](), Counter[str]()
    for one in verdicts:
        for name in (Path(one.mutant.file).relative_to(PACKAGE).parts[0], "total"):
            whole[name] += 1
            part[name] += one.killed
    found: dict[str, dict[str, Any]] = {}
    for name in (*dict.fromkeys(folder.partition("/")[0] for folder in FOLDERS), "total"):
        if n := whole[name]:
            found[name] = {"mutants": n, "killed": part[name], "interval": list(wilson(part[name], n))}
    return found


def told(verdict: Verdict) -> None:
    """Print a verdict as soon as it is known."""
    one = verdict.mutant
    where = f"{one.file}:{one.line} {one.operator.removeprefix('core/')} {one.occurrence}"
    print(f"{verdict.outcome:<9}{verdict.seconds:6.0f} s  {where}\n{'':>20}{verdict.change}", flush=True)


def main() -> None:
    """Draw mutants, judge them, and print the score and what survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to change a copy of")
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="judge no further after this time")
    parser.add_argument("--reach", type=Path, help="folder in which what each test runs is kept")
    parser.add_argument("--record", action="store_true", help="write the numbers into docs/hardening.md")
    asked = parser.parse_args()
    root = asked.root.resolve()
    modules = [path for name in FOLDERS for path in sorted((root / PACKAGE / name).rglob("*.py"))]
    modules = [path for path in modules if path.stem not in ("audit", "commands", "figures", "subject")]
    files = [path.relative_to(root).as_posix() for path in modules]
    known = reached(root, asked.reach)
    until = time.monotonic() + 60 * asked.minutes
    verdicts = run(root, drawn(root, files, asked.mutants, asked.seed), known, tell=told, until=until)
    if not verdicts:
        raise SystemExit("no mutant was judged: allow more, or more time.")
    found = scores(verdicts)
    left = [one for one in verdicts if not one.killed]
    print("\nSurvivors:", *(f"  {one.mutant.file}:{one.mutant.line}  {one.change}" for one in left), sep="\n")
    from tests.hardening.figures import killed, record

    print("", *killed(found), sep="\n")
    if asked.record:
        rows = [{"file": one.mutant.file, "line": one.mutant.line, "change": one.change} for one in left]
        record("mutation", {"seed": asked.seed, "scores": found, "survivors": rows})


if __name__ == "__main__":
    main()
