"""The cells of the study, and how they are run: in two processes, kept as they finish."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import multiprocessing
import time
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from .pieces import PIECES, PLACEBOS
from .procedures import Cell, run
from .structured import STRUCTURED
from .tally import Tally
from .worlds.blocks import BlockKind
from .worlds.meta import MetaKind
from .worlds.names import NameKind
from .worlds.real import Population
from .worlds.tables import PairKind
from .worlds.vectors import Kind, Sizes

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".cache" / "validity" / "cells.jsonl"
SUBJECTS = ("words", "contexts", "intersections", "comparison", "traits", "chat", "sentences")
CODE = (
    "src/crossroads/core/inference",
    *(f"src/crossroads/{one}" for one in SUBJECTS),
    "benchmarks/validity/worlds",
)
SIZES = ((4, 4, 4, 4), (8, 8, 8, 8), (16, 16, 16, 16), (25, 25, 25, 25), (4, 12, 4, 12))
NULLS = tuple(kind for kind in get_args(Kind) if kind != "frequency in both")
EFFECTS = (0.1, 0.2, 0.3, 0.4)
DESIGNS = ("weat1", "weat3", "weat5", "weat6", "weat7", "weat10", "i1", "i3")
EIGHT, SIXTEEN, UNEQUAL = SIZES[1], SIZES[2], SIZES[4]
LISTED = ("own ranks", "reliability 0.9", "reliability 0.8", "reliability 0.7")
SPACES = ("GloVe", "Google News", "synthetic")
MANY, SINGLE = 4_000, 200
"""Worlds of a cell in the whole study: where many are computed at once, and where one after the other."""


def cells(share: float = 1.0) -> list[Cell]:
    """All cells, with a share of their worlds."""

    def some(most: int) -> int:
        return max(3, round(share * most))

    many, few = max(50, some(MANY)), some(SINGLE)
    both = ("exchangeable", "both topical")
    return [
        *_on_real_words(many),
        *(Cell("vectors", kind, many, few if n == EIGHT else 0, n) for kind in NULLS for n in SIZES),
        Cell("vectors", "frequency in both", many, few),
        *(Cell("vectors", kind, many // 4, 0, n, by) for kind in both for n in SIZES[:4] for by in EFFECTS),
        *(Cell("dealt", design, many // 4, 0, (0, 0, 0, 0)) for design in DESIGNS),
        *(Cell("frequency", one, 0, some(300), n) for one in LISTED for n in (EIGHT, SIXTEEN)),
        *(Cell("frequency", LISTED[0], 0, some(300), n, effect=0.2) for n in (EIGHT, SIXTEEN)),
        *(Cell("contexts", kind, some(2000), few) for kind in NULLS),
        Cell("contexts", "both topical", some(2000), few, effect=0.4),
        *(Cell("rsa", kind, 0, 2 * few, (10, 10, 10, 2)) for kind in NULLS),
        *(Cell("plans", kind, 0, 2 * few, effect=0.4) for kind in (*both, "both topical, twice")),
        *(
            Cell("metas", f"{kind}{end}", 0, 2 * few)
            for kind in get_args(MetaKind)
            for end in ("", ", apart")
        ),
        *(Cell("projection", kind, 0, 2 * few) for kind in NULLS),
        *(Cell("compare", kind, 0, few) for kind in NULLS),
        *(Cell("compare", kind, 0, few, effect=0.4) for kind in both),
        *(Cell("traits", f"{kind}{end}", 0, few) for kind in get_args(BlockKind) for end in ("", ", strong")),
        *(Cell("traits", kind, 0, few, effect=0.3) for kind in ("nothing shared", "domain × factor")),
        *(Cell("pairs", kind, 0, 2 * few) for kind in get_args(PairKind)),
        *(Cell("names", kind, 0, few) for kind in get_args(NameKind)),
        *(Cell("series", kind, 0, few // 2 or 1) for kind in ("exchangeable", "topical targets")),
        *(Cell("pieces", name, 0, few if name == PLACEBOS else some(2000)) for name in PIECES),
        *(
            Cell("structured", name, 0, some(2000 if name.startswith("cells") else 400))
            for name in STRUCTURED
        ),
    ]


def _on_real_words(many: int) -> list[Cell]:
    """Cells whose words are those of real spaces."""
    of_sizes = [(n, n, n, n) for n in (3, 4, 6, 8, 12, 16, 25)] + [(4, 12, 8, 8), (3, 12, 3, 12)]
    of_lists = {SPACES[0]: [*of_sizes[:5], of_sizes[-1]], SPACES[1]: of_sizes[:4]}  # few lists are longer
    kinds: dict[str, tuple[Sizes, ...]] = {
        **dict.fromkeys(("none", "fours", "twos", "plurals", "fours in one topic"), (EIGHT, SIXTEEN)),
        "none in one topic": (EIGHT, SIXTEEN),
        "twos ": (UNEQUAL,),
        "fours in the longer": (UNEQUAL,),
        "fours in the longer in one topic": (UNEQUAL,),
        "one cluster in one topic": (UNEQUAL,),
    }
    return [
        *(
            Cell("populations", f"{kind}, {name}", many, 0, n)
            for name in SPACES[:2]
            for kind in get_args(Population)
            for n in of_sizes
            if kind != "lists" or n in of_lists[name]
        ),
        *(
            Cell("copies", f"{kind.strip()}, {name}", many, 0, n)
            for name in SPACES
            for kind, sizes in kinds.items()
            for n in sizes
            if (kind, name) != ("plurals", "synthetic")
        ),
    ]


@functools.cache
def code_digest() -> str:
    """Checksum of the code behind the numbers, whatever its comments and docstrings say."""
    digest = hashlib.sha256()
    here = [
        Path(__file__).with_name(f"{name}.py")
        for name in ("crossing", "pieces", "procedures", "structured", "tally")
    ]
    for folder in CODE:  # a file that is not there is an error: no code would stand behind the numbers
        here += sorted((ROOT / folder).rglob("*.py"), key=str) or [ROOT / folder / "is not there"]
    for file in here:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                node.body = [one for one in body if not _only_text(one)]  # type: ignore[attr-defined]
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:16]


def _only_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def finished(file: Path, digest: str) -> dict[str, dict[str, Any]]:
    """Cells that were finished with this code, by key; the one with the most worlds of each."""
    found: dict[str, dict[str, Any]] = {}
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue  # the last line of a study that was killed
            before = found.get(row["key"])
            if row["code"] == digest and (before is None or row["asked"] >= before["asked"]):
                found[row["key"]] = row
    return found


def run_cell(cell: Cell, digest: str) -> dict[str, Any]:
    """Run a cell, and say what it was."""
    begun = time.process_time()
    tallies = run(cell, zlib.crc32(cell.key.encode()))
    return {
        "key": cell.key,
        "code": digest,
        "asked": [cell.worlds, cell.single],
        **{name: getattr(cell, name) for name in ("family", "world", "sizes", "effect")},
        "seconds": round(time.process_time() - begun, 2),
        "tallies": {name: asdict(tally) for name, tally in tallies.items()},
    }


def run_study(
    share: float, *, processes: int = 2, file: Path = KEPT, only: str = ""
) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Run what is not finished; yields how many cells are done, of how many, and each as it finishes."""
    digest = code_digest()
    done = finished(file, digest)
    wanted = [cell for cell in cells(share) if only in cell.key]
    left = [
        cell
        for cell in wanted
        if cell.key not in done or done[cell.key]["asked"] < [cell.worlds, cell.single]
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    count = len(wanted) - len(left)
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(run_cell, cell, digest) for cell in left]
        try:
            for future in as_completed(waiting):
                row = future.result()
                with file.open("a", encoding="utf-8") as kept:
                    kept.write(json.dumps(row) + "\n")
                count += 1
                yield count, len(wanted), row
        finally:
            pool.shutdown(cancel_futures=True)


def rows(share: float, file: Path = KEPT) -> list[dict[str, Any]]:
    """Finished cells in the order of the study."""
    done = finished(file, code_digest())
    return [done[cell.key] for cell in cells(share) if cell.key in done]


def tally(row: Mapping[str, Any], name: str) -> Tally | None:
    """What a procedure did in a cell; None where it was not tried."""
    found = row["tallies"].get(name)
    return None if found is None else Tally(**found)
