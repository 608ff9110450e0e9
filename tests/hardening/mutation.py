"""Change the code in one place at a time, and count how often the tests notice.

``python -m tests.hardening.mutation --mutants 300 --seed 0`` (``make mutation``). The changes are those of
cosmic-ray: another operator, another number, a condition negated, a loop that never runs. Its own runner
changes files where they are and has one test command for all; here a sample is drawn, every change is made in
a copy of the checkout, and the tests of the changed file are run first. Processes are forked: POSIX only.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/crossroads")
ROOMS = ("inference", "measures")
COPIED = ("src", "tests", "docs", "benchmarks", "packages", "pyproject.toml", "README.md", "CHANGELOG.md")
EVERYTHING = (
    "tests/inference",
    "tests/measures",
    "tests/test_results.py",
    "tests/test_conclusions.py",
    "tests/test_architecture.py",
)
"""What a mutant is run against before it is said to have survived, besides slow tests of its name."""
QUICK = "not models and not browser and not slow"
SLOW = "slow and not models and not browser"
PROCESSOR_SECONDS = 120
SECONDS = 900
MEMORY = 8 << 30
IMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
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
class Stage:
    """Tests that are run together."""

    paths: tuple[str, ...]
    """Files and folders of tests, and files with examples."""
    marker: str
    """Which of their tests, as an expression of pytest."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of a mutant."""

    mutant: Mutant
    outcome: str
    """``failed``, ``stopped`` (a limit of time or memory, or a crash) or ``survived``."""
    change: str
    """The line before and after."""
    seconds: float
    """How long its tests took."""

    @property
    def killed(self) -> bool:
        """Whether the tests noticed."""
        return self.outcome != "survived"


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


def stages(root: Path, file: str) -> list[Stage]:
    """The tests of a file: those of its name and its examples, their slow ones, those of its folder, all."""
    inside = Path(file).relative_to(PACKAGE)
    folder = Path("tests") / inside.parent
    named = sorted(
        one.relative_to(root).as_posix() for one in (root / folder).glob(f"test_{inside.stem}*.py")
    )
    last = tuple(one for one in EVERYTHING if (root / one).exists())
    asked = [
        Stage(paths=(*named, file), marker=QUICK),
        Stage(paths=tuple(named), marker=SLOW),
        Stage(paths=(folder.as_posix(),) if (root / folder).is_dir() else (), marker=QUICK),
        Stage(paths=last, marker=QUICK),
    ]
    return [one for one in asked if one.paths]


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


def tested(folder: Path, stage: Stage, log: Path) -> str:
    """Run tests in a copy of this process: ``passed``, ``failed``, ``stopped`` or ``empty``."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            status = _pytest(folder, stage, log)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    ended, end = None, time.monotonic() + SECONDS
    try:
        while ended is None and time.monotonic() < end:
            found, raw = os.waitpid(child, os.WNOHANG)
            ended = os.waitstatus_to_exitcode(raw) if found else None
            time.sleep(0.02)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # the tests, or what they have left running
        if ended is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return {0: "passed", 1: "failed", 2: "failed", 5: "empty"}.get(-1 if ended is None else ended, "stopped")


def _pytest(folder: Path, stage: Stage, log: Path) -> int:
    """Run pytest in this process, with limits, and everything it prints in a file."""
    import resource

    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(out, number)
    os.chdir(folder)
    source = str(folder / "src")
    sys.path[:] = [
        source,
        *(one for one in sys.path if one not in ("", str(ROOT)) and "src" not in Path(one).parts),
    ]
    os.environ |= {
        "PYTHONPATH": source,
        "PYTHONDONTWRITEBYTECODE": "1",
        "CROSSROADS_SHARED": os.environ.get("CROSSROADS_SHARED") or str(ROOT.parent / "shared"),
        "CROSSROADS_CACHE": os.environ.get("CROSSROADS_CACHE") or str(ROOT / ".cache" / "registry"),
    }
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] in ("crossroads", "tests")]:
        del sys.modules[name]
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", IMPORTED, "-m", stage.marker]
    return int(pytest.main([*options, *stage.paths]))


def judged(folder: Path, mutant: Mutant, ordered: Sequence[Stage], sound: set[Stage]) -> Verdict:
    """Make the change in a copy of the checkout, and run its tests until one fails.

    Raises :class:`RuntimeError` where these tests fail without the change as well: nothing follows from their
    failing with it. Those that are known to pass are in ``sound``.
    """
    file = folder / mutant.file
    source = file.read_text(encoding="utf-8")
    code = mutant.code(source)
    if code is None:
        raise ValueError(f"{mutant} changes nothing.")
    begun, outcome = time.monotonic(), "survived"
    with changed(file, code):
        for stage in ordered:
            said = tested(folder, stage, folder.parent / "log")
            if said in ("failed", "stopped"):
                outcome = said
                break
    seconds = time.monotonic() - begun
    if outcome != "survived" and stage not in sound:
        if tested(folder, stage, folder.parent / "log") != "passed":
            log = (folder.parent / "log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"tests fail before anything is changed: {stage.paths}\n\n{log[-4000:]}")
        sound.add(stage)
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


def preloaded() -> None:
    """Import what every run needs and no change touches, once."""
    import importlib

    for name in ("pytest", "hypothesis", "numpy", "scipy.stats", "scipy.optimize", "scipy.special", "numba"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def run(
    root: Path,
    files: Sequence[str],
    number: int,
    seed: int = 0,
    *,
    order: Callable[[Path, str], list[Stage]] = stages,
    tell: Callable[[Verdict], None] = lambda verdict: None,
    until: float = math.inf,
) -> list[Verdict]:
    """Draw mutants and judge them, in the order in which they are drawn, until a time is reached."""
    preloaded()
    verdicts: list[Verdict] = []
    sound: set[Stage] = set()
    with copied(root) as folder:
        for mutant in drawn(root, files, number, seed):
            if time.monotonic() >= until:
                break
            verdict = judged(folder, mutant, order(folder, mutant.file), sound)
            verdicts.append(verdict)
            tell(verdict)
    return verdicts


def room(file: str) -> str:
    """The room of a file, as the score is told."""
    return Path(file).relative_to(PACKAGE).parts[0]


def scores(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Any]]:
    """Killed mutants and their share with its interval, by room and in total."""
    whole, part = Counter[str](), Counter[str]()
    for one in verdicts:
        for name in (room(one.mutant.file), "total"):
            whole[name] += 1
            part[name] += one.killed
    return {
        name: {
            "mutants": whole[name],
            "killed": part[name],
            "interval": list(wilson(part[name], whole[name])),
        }
        for name in (*ROOMS, "total")
        if whole[name]
    }


def table(found: dict[str, dict[str, Any]]) -> str:
    """The scores as lines."""
    lines = []
    for name, one in found.items():
        low, high = one["interval"]
        share = one["killed"] / one["mutants"]
        killed = f"{name:<10} {one['killed']:>4} of {one['mutants']:>4} killed"
        lines.append(f"{killed}: {share:.1%} ({low:.1%} to {high:.1%})")
    return "\n".join(lines)


def told(verdict: Verdict) -> None:
    """Print a verdict as soon as it is known."""
    one = verdict.mutant
    where = f"{one.file}:{one.line} {one.operator.removeprefix('core/')} {one.occurrence}"
    print(f"{verdict.outcome:<9}{verdict.seconds:6.0f} s  {where}\n{'':>20}{verdict.change}", flush=True)


def main() -> None:
    """Draw mutants, judge them, and print the score and what survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="draw no further after this time")
    parser.add_argument("--record", action="store_true", help="write the numbers into docs/hardening.md")
    asked = parser.parse_args()
    files = [
        path.relative_to(ROOT).as_posix()
        for name in ROOMS
        for path in sorted((ROOT / PACKAGE / name).rglob("*.py"))
    ]
    until = time.monotonic() + 60 * asked.minutes
    verdicts = run(ROOT, files, asked.mutants, asked.seed, tell=told, until=until)
    if not verdicts:
        raise SystemExit("no mutant was judged: allow more, or more time.")
    found = scores(verdicts)
    left = [one for one in verdicts if not one.killed]
    print("\nSurvivors:", *(f"  {one.mutant.file}:{one.mutant.line}  {one.change}" for one in left), sep="\n")
    print("", table(found), sep="\n")
    if asked.record:
        from tests.hardening.figures import record

        rows = [{"file": one.mutant.file, "line": one.mutant.line, "change": one.change} for one in left]
        record("mutation", {"seed": asked.seed, "scores": found, "survivors": rows})


if __name__ == "__main__":
    main()
