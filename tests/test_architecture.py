"""The plan of the house, checked on the syntax trees: who may import whom, and what a plain import loads."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import crossroads

SOURCE = Path(crossroads.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))

ALL = {
    "errors", "stimuli", "geometry", "inference", "evidence", "results", "measures", "sources", "corpus",
    "extraction", "papers", "plots", "report", "auditing", "cli", "version",
}  # fmt: skip
ROOMS: dict[str, tuple[set[str], set[str]]] = {
    # room: (rooms of ours that it may import, packages of others)
    "errors": (set(), set()),
    "version": (set(), set()),
    "stimuli": ({"errors"}, set()),
    "geometry": ({"errors"}, {"numpy", "scipy"}),
    "inference": ({"errors"}, {"numpy", "scipy", "numba"}),
    "evidence": ({"errors", "stimuli"}, {"numpy"}),
    # results hold the provenance of their evidence
    "results": ({"errors", "stimuli", "evidence", "version"}, {"numpy"}),
    "measures": (
        {"errors", "stimuli", "geometry", "inference", "evidence", "results"}, {"numpy", "scipy"},
    ),
    "sources": ({"errors", "stimuli", "evidence"}, {"numpy"}),
    "corpus": ({"errors", "stimuli", "evidence", "version"}, {"numpy"}),
    "extraction": ({"errors", "stimuli", "evidence", "sources", "corpus"}, {"numpy"}),
    "papers": ({"errors", "stimuli", "evidence", "measures", "results"}, set()),
    # each figure draws one type of result, and those are defined beside the measures
    "plots": ({"errors", "results", "measures", "geometry", "inference"}, {"numpy"}),
    # a page carries vectors, for readers to compute with, and shows reproductions of papers
    "report": (
        {"errors", "stimuli", "inference", "evidence", "results", "measures", "papers", "plots"}, {"numpy"},
    ),
    "auditing": (
        {
            "errors", "stimuli", "evidence", "results", "measures", "inference", "sources", "corpus",
            "extraction", "report", "version",
        }, {"numpy"},
    ),
    "cli": (ALL | {"__init__"}, {"typer", "rich"}),
    "__init__": (ALL - {"cli", "plots", "report"}, set()),
}  # fmt: skip


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def running(node: ast.AST) -> Iterator[ast.AST]:
    """Every node of a tree but those for type checkers only; imports inside functions are among them."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield from running(child)


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
    ours, theirs = ROOMS[room]
    top, *rest = name.split(".")
    if top == "crossroads":
        other = rest[0] if rest and rest[0] in ROOMS else "__init__"
        return None if other == room or other in ours else f"{room} may not import from {other} ({name})"
    return None if top in theirs or top in sys.stdlib_module_names else f"{room} may not import {name}"


@each_module
def test_rooms_import_only_what_the_plan_allows(path: Path) -> None:
    room = room_of(path)
    assert room in ROOMS, f"{room} is a new room: say in the plan what it may import"
    assert [fault for name in imports_of(path) if (fault := faults(room, name))] == []


def test_the_check_itself_sees_what_is_wrong() -> None:
    assert faults("measures", "crossroads.results") is None
    assert faults("measures", "crossroads.sources.loading") is not None
    assert faults("stimuli", "numpy") is not None
    assert faults("geometry", "math") is None
    assert faults("inference", "crossroads") is not None
    seen = [name for path in MODULES for name in imports_of(path)]
    assert {"crossroads.errors", "numpy", "numba", "scipy.stats"} <= set(
        seen
    )  # the last two: inside functions


def test_only_the_kernels_import_the_compiler() -> None:
    users = [path.relative_to(SOURCE).as_posix() for path in MODULES if "numba" in set(imports_of(path))]
    assert users == ["inference/kernels.py"]


HEAVY = {
    "torch", "transformers", "ray", "pandas", "matplotlib", "numba", "pyarrow", "scipy.stats",
    "scipy.optimize", "typer", "rich", "gensim", "spacy", "jinja2",
}  # fmt: skip


@pytest.mark.parametrize("use", ["", "crossroads.weat; crossroads.Contexts; crossroads.probe"])
def test_importing_the_package_loads_nothing_heavy(use: str) -> None:
    code = f"import sys, json, crossroads; {use}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(json.loads(run.stdout))
    assert ("crossroads.measures.weat" in loaded) == bool(use)
    assert loaded & HEAVY == set()
    assert run.stderr == ""


def test_every_public_name_has_a_home() -> None:
    homes = {name for names in crossroads._HOMES.values() for name in names}
    assert homes == set(crossroads.__all__) - {"__version__"}
    assert set(crossroads.__all__) <= set(dir(crossroads))
    with pytest.raises(AttributeError, match="wheat"):
        crossroads.wheat  # noqa: B018


@each_module
def test_modules_are_named_after_what_they_hold(path: Path) -> None:
    banned = {"utils", "util", "helpers", "helper", "misc", "base", "common", "core"}
    assert banned.isdisjoint(part.removesuffix(".py").strip("_") for part in path.relative_to(SOURCE).parts)


@each_module
def test_input_is_not_checked_by_assert_and_nothing_is_printed(path: Path) -> None:
    for node in running(tree_of(path)):
        assert not isinstance(node, ast.Assert), f"line {node.lineno}: assert"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and room_of(path) != "cli":
            assert node.func.id != "print", f"line {node.lineno}: print"


@each_module
def test_no_error_is_a_bare_exception(path: Path) -> None:
    for node in running(tree_of(path)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            assert ast.unparse(called) not in ("Exception", "BaseException"), f"line {node.lineno}"


@each_module
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree_of(path))


def test_every_public_name_is_there_and_documented() -> None:
    names = set(crossroads.__all__)
    assert len(names) == len(crossroads.__all__)
    for name in names - {"__version__"}:
        public = getattr(crossroads, name)
        assert public.__doc__, name
        assert not isinstance(public, ModuleType), f"{name} is a module, not a name of the interface"


def test_who_has_evidence_need_not_wait_at_the_first_measure() -> None:
    code = "import sys, crossroads; crossroads.Embeddings; print('crossroads.measures.rsa' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "True"
