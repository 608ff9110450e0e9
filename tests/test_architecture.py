"""The plan of the house, checked on the syntax trees: who may import whom, and what a plain import loads."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import operator
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.site import api

import crossroads

SOURCE = Path(crossroads.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

ROOMS: dict[str, tuple[str, str]] = {
    # room: (rooms of ours that it may import, packages of others); a sub-room may have a line of its own,
    # and then that line is what counts for it
    "errors": ("", ""),
    "version": ("", ""),
    "stimuli": ("errors", ""),
    "storage": ("errors", "numpy"),
    "workers": ("errors", ""),
    "geometry": ("errors", "numpy scipy"),
    "inference": ("errors geometry", "numpy scipy"),
    "inference/permutation": ("errors geometry inference", "numpy scipy numba"),
    "wording": ("errors", ""),
    "evidence": ("errors stimuli storage", "numpy"),
    # results hold the provenance of their evidence
    "results": ("errors stimuli evidence wording version", "numpy"),
    "measures": ("errors stimuli geometry inference evidence results storage wording", "numpy scipy"),
    "sources": ("errors stimuli evidence storage", "numpy"),
    "corpus": ("errors stimuli evidence storage workers version", "numpy"),
    "extraction": ("errors stimuli evidence sources corpus storage workers", "numpy"),
    "papers": ("errors stimuli evidence measures results wording", ""),
    # each figure draws one type of result, and those are defined beside the measures
    "plots": ("errors results measures geometry inference storage wording", "numpy"),
    # a page carries vectors, for readers to compute with, and shows reproductions of papers
    "report": ("errors stimuli inference evidence results measures papers plots storage wording", "numpy"),
    "audit": (
        "errors stimuli evidence results measures inference sources corpus extraction report storage workers"
        " version",
        "numpy",
    ),
    "cli": (
        "errors stimuli storage geometry inference wording evidence results measures sources corpus"
        " extraction papers plots report audit version __init__",
        "typer rich",
    ),
    "__main__": ("cli", ""),
    # the groups of public names
    "stats": ("inference measures", ""),
    "traits": ("evidence measures", ""),
    "pairs": ("stimuli measures", ""),
    "__init__": (
        "errors stimuli geometry inference evidence results measures sources corpus extraction papers audit"
        " version",
        "",
    ),
}


def room_of(path: Path) -> str:
    """The smallest room of the plan that a module lies in."""
    inside = path.relative_to(SOURCE).with_suffix("")
    (room, *_) = [str(one) for one in (inside, *inside.parents) if str(one) in ROOMS] or [inside.parts[0]]
    return room


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def running(tree: ast.Module) -> list[ast.AST]:
    """Every node of a tree but those for type checkers only; imports inside functions are among them."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            found.append(node)
            waiting.extend(ast.iter_child_nodes(node))
    return found


def imports_of(path: Path) -> Iterator[str]:
    """Full names of what a module imports, wherever in it."""
    for node in running(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            yield from (f"{module}.{a.name}" for a in node.names) if module == "crossroads" else (module,)


def faults(room: str, name: str) -> str | None:
    ours, theirs = (names.split() for names in ROOMS[room])
    top, *rest = name.split(".")
    if top == "crossroads":
        other = rest[0] if rest and rest[0] in ROOMS else "__init__"
        allowed = other == room.split("/")[0] or other in ours
        return None if allowed else f"{room} may not import from {other} ({name})"
    return None if top in theirs or top in sys.stdlib_module_names else f"{room} may not import {name}"


def in_words(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_rooms_import_only_what_the_plan_allows() -> None:
    assert {room_of(path) for path in MODULES} <= ROOMS.keys(), "say in the plan what new rooms may import"
    found = [(path, faults(room_of(path), name)) for path in MODULES for name in imports_of(path)]
    assert [f"{in_words(path)}: {fault}" for path, fault in found if fault] == []


def test_the_check_itself_sees_what_is_wrong() -> None:
    for room, name in (("measures", "crossroads.results"), ("geometry", "math")):
        assert faults(room, name) is None
    for room, name in (("measures", "crossroads.sources.load"), ("stimuli", "numpy"), ("inference", "numba")):
        assert faults(room, name) is not None
    assert room_of(SOURCE / "inference" / "permutation" / "rows.py") == "inference/permutation"
    seen = {name for path in MODULES for name in imports_of(path)}
    assert {"crossroads.errors", "numpy", "numba", "scipy.stats"} <= seen  # the last two: inside functions


def test_data_of_inference_and_measures_cannot_be_changed() -> None:
    changed = [
        (in_words(path), node.name)
        for path in MODULES
        if room_of(path).partition("/")[0] in ("inference", "measures", "results")
        for node in running(tree_of(path))
        if isinstance(node, ast.ClassDef)
        for made in map(ast.unparse, node.decorator_list)
        if made.startswith("dataclass") and "frozen=True" not in made
    ]
    assert changed == [("measures/contextual/draws.py", "_Known")]  # it keeps what was computed before


def test_seeds_are_0_unless_another_is_given() -> None:
    # numbers that were published without a word about the seed can be had again
    defaults = {
        ast.unparse(default)
        for path in MODULES
        for node in running(tree_of(path))
        if isinstance(node, ast.FunctionDef)
        for word, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if word.arg == "seed" and default is not None
    }
    assert defaults == {"0"}


HEAVY = {
    "torch", "transformers", "ray", "pandas", "matplotlib", "numba", "pyarrow", "scipy.stats",
    "scipy.optimize", "typer", "rich", "gensim", "spacy", "jinja2",
}  # fmt: skip


@pytest.mark.parametrize("use", ["", "crossroads.weat; crossroads.Contexts; crossroads.probe"])
def test_importing_the_package_loads_nothing_heavy(use: str) -> None:
    code = f"import sys, json, crossroads; {use}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(json.loads(run.stdout))
    assert ("crossroads.measures.association.weat" in loaded) == bool(use)
    assert loaded & HEAVY == set()
    assert run.stderr == ""


def test_the_stub_is_the_one_place_of_public_names() -> None:
    stub = ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    written = [alias.asname for node in imported for alias in node.names]
    assert dir(crossroads) == sorted([*map(str, written), "__version__"])
    for node in imported:
        for alias in node.names:
            public = getattr(crossroads, alias.name)
            assert public is getattr(importlib.import_module(str(node.module)), alias.name)


def test_a_wrong_name_gets_the_nearest_right_one() -> None:
    for wrong, right in {"wheat": "weat", "holm": "stats.holm", "forrest": "plots.forest"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{wrong}'; did you mean '{right}'"):
            getattr(crossroads, wrong)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing_like_it'$"):
        crossroads.nothing_like_it  # type: ignore[attr-defined]  # noqa: B018


def test_groups_can_be_imported_and_are_attributes() -> None:
    groups = ("stats", "traits", "pairs", "plots", "sources")
    lines = [f"import crossroads.{one} as one; assert crossroads.{one} is one" for one in groups]
    subprocess.run([sys.executable, "-c", "\n".join(["import crossroads", *lines])], check=True, timeout=60)


def test_input_is_not_checked_by_assert() -> None:
    nodes = [(in_words(path), node) for path in MODULES for node in running(tree_of(path))]
    assert [f"{where}, line {node.lineno}" for where, node in nodes if isinstance(node, ast.Assert)] == []


def test_every_public_name_is_documented_with_an_example() -> None:
    names = [name for group in api.public_names().values() for name in group]
    public = {name: operator.attrgetter(name.partition(".")[2])(crossroads) for name in names}
    assert [name for name, one in public.items() if not callable(one)] == []
    examples = {name: (one.__doc__ or "").partition("Examples\n")[2] for name, one in public.items()}
    assert [name for name, text in examples.items() if ">>> " not in text] == []
