"""The plan of the code, checked on the syntax trees: who may import whom, and what a plain import loads."""

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
from crossroads.core.subjects import subjects

SOURCE = Path(crossroads.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

CORE: dict[str, tuple[str, str]] = {
    # folder or module of the core: (others of the core that it may import, packages of others); a folder
    # inside may have a line of its own, and then that line is what counts for it
    "errors": ("", ""),
    "subjects": ("", ""),
    "lazy": ("", ""),
    "stimuli": ("errors", ""),
    "storage": ("errors", "numpy"),
    "workers": ("errors", ""),
    "inference": ("errors", "numpy scipy"),
    "inference/permutation": ("errors inference", "numpy scipy numba"),
    "wording": ("errors", ""),
    "evidence": ("errors stimuli storage", "numpy"),
    "results": ("errors stimuli evidence inference wording", "numpy"),
    "models": ("errors stimuli evidence storage workers", "numpy"),
    "figures": ("errors results inference storage wording", "numpy"),
    "report": ("errors stimuli inference evidence results figures storage wording", "numpy"),
    "audit": ("errors stimuli evidence results inference models report storage workers wording", "numpy"),
    "cli": (
        "errors subjects stimuli storage inference wording evidence results models figures report audit",
        "typer rich",
    ),
}
ALWAYS = ("subjects", "__init__")
"""What every part of the core may import."""


def part_of(path: Path) -> str:
    """The smallest part of the core that a module lies in; elsewhere the name of the subject or module."""
    inside = path.relative_to(SOURCE).with_suffix("")
    if inside.parts[0] != "core":
        return inside.parts[0]
    within = Path(*inside.parts[1:])
    return next((str(one) for one in (within, *within.parents) if str(one) in CORE), str(within))


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


def faults(path: Path, name: str) -> str | None:
    """What is wrong with an import, in words; None where it is allowed."""
    place, (top, *rest) = path.relative_to(SOURCE).parts[0], name.split(".")
    if place == "core":
        ours, theirs = (names.split() for names in CORE.get(part_of(path), ("", "")))
    else:
        ours, theirs = [], ["numpy", "scipy", "typer", "rich"]
    if top != "crossroads":
        return None if top in theirs or top in sys.stdlib_module_names else f"may not import {name}"
    (other, *below) = rest or ["__init__"]
    other = other if other in (*subjects(), "core") else "__init__"
    if other == "__init__" or other == place != "core":
        return None
    if other != "core":
        return None if place != "core" and other in subjects()[place].uses else f"may not import {name}"
    if place != "core":
        return None
    inside = below[0] if below else "__init__"
    allowed = inside in (*ours, *ALWAYS, part_of(path).partition("/")[0])
    return None if allowed else f"may not import {name}"


def in_words(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_the_core_imports_no_subject_and_a_subject_only_those_that_it_names() -> None:
    assert {part_of(path) for path in MODULES if in_words(path).startswith("core/")} <= {*CORE, "__init__"}
    found = [
        f"{in_words(path)} {fault}"
        for path in MODULES
        if path.parent != SOURCE
        for name in imports_of(path)
        if (fault := faults(path, name))
    ]
    assert found == []


def test_the_check_itself_sees_what_is_wrong() -> None:
    core, words = SOURCE / "core" / "inference" / "new.py", SOURCE / "words" / "new.py"
    for path, name in (
        (core, "math"),
        (core, "crossroads.core.errors"),
        (words, "crossroads.core.results.result"),
    ):
        assert faults(path, name) is None
    for path, name in (
        (core, "numba"),
        (core, "crossroads.core.results"),
        (core, "crossroads.words.measures.weat"),
        (words, "crossroads.chat.ask"),
        (words, "torch"),
    ):
        assert faults(path, name) is not None
    assert part_of(SOURCE / "core" / "inference" / "permutation" / "rows.py") == "inference/permutation"
    seen = {name for path in MODULES for name in imports_of(path)}
    assert {
        "crossroads.core.errors",
        "numpy",
        "numba",
        "scipy.stats",
    } <= seen  # the last two: inside functions


def test_subjects_name_only_what_is_there_and_keep_to_their_budgets() -> None:
    for name, subject in subjects().items():
        assert set(subject.uses) < set(subjects()), name
        lines = sum(
            len(path.read_text(encoding="utf-8").splitlines()) for path in (SOURCE / name).rglob("*.py")
        )
        assert lines <= subject.lines, f"{name} has {lines} lines"
        used = {
            other.split(".")[1]
            for path in (SOURCE / name).rglob("*.py")
            for other in imports_of(path)
            if other.startswith("crossroads.")
        }
        assert set(subject.uses) <= used, f"{name} does not use all that it names"


def test_data_of_inference_and_measures_cannot_be_changed() -> None:
    changed = [
        (in_words(path), node.name)
        for path in MODULES
        if part_of(path) in ("inference", "inference/permutation", "results", *subjects())
        for node in running(tree_of(path))
        if isinstance(node, ast.ClassDef)
        for made in map(ast.unparse, node.decorator_list)
        if made.startswith("dataclass") and "frozen=True" not in made
    ]
    assert changed == [("contexts/measures/draws.py", "_Known")]  # it keeps what was computed before


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
    assert ("crossroads.words.measures.weat" in loaded) == bool(use)
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
    for wrong, right in {"wheat": "weat", "hollm": "stats.holm", "forest": "plots.forest"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{wrong}'; did you mean '{right}'"):
            getattr(crossroads, wrong)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing_like_it'$"):
        crossroads.nothing_like_it  # type: ignore[attr-defined]  # noqa: B018


def test_measures_in_groups_are_found_without_their_group() -> None:
    assert crossroads.holm is crossroads.stats.holm  # type: ignore[attr-defined]
    assert "holm" not in dir(crossroads)


def test_groups_can_be_imported_and_are_attributes() -> None:
    groups = ("stats", "traits", "pairs", "plots")
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
