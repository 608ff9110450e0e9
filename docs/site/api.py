"""Pages of the reference of every public name, made from where the names are written.

The names are those of ``crossroads/__init__.pyi`` and of its groups, so that none can be missing; what is
said about each is its docstring. ``conf.py`` writes the pages before the site is built.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import crossroads
from crossroads.core.results import result_kinds

FOLDER = "reference/api"
PAGES = {
    "questions": ("Questions", "Word lists, designs, and the catalogue of published ones."),
    "loading": ("Sources", "Where vectors and answers come from: files, models and services."),
    "evidence": ("Evidence", "What came back: arrays with their labels and provenance."),
    "association": ("Associations of words", "Measures of one vector for each word, and how sure they are."),
    "intersections": ("Intersections", "Words that are associated with an intersectional group."),
    "geometry": ("Geometry", "Which of two groups a concept is closer to."),
    "contexts": ("Contexts", "Measures of many vectors for each word, one for each sentence."),
    "language-models": ("Language models", "Traits that a model expects of groups, and what people say."),
    "chat": ("Chat models", "Words that a model assigns to labels, and its decisions."),
    "sentences": ("Sentences", "Which of two or three sentences a model prefers."),
    "comparison": ("Comparison", "Several models on the same words."),
    "audits": ("Audits", "Every measure that applies to a model."),
    "errors": ("Errors and warnings", "What is raised, and what it carries."),
}
"""Pages of the names of the package itself: file, title, and a sentence about them."""
HOMES = {
    "core.stimuli": "questions",
    "traits.pairs.material": "questions",
    "core.evidence": "evidence",
    "traits.probe.evidence": "evidence",
    "words.vectors": "loading",
    "words.models": "loading",
    "traits.probe": "loading",
    "chat.ask": "loading",
    "words": "association",
    "core.results": "association",
    "intersections.rsa": "geometry",
    "intersections": "intersections",
    "contexts": "contexts",
    "traits": "language-models",
    "chat": "chat",
    "sentences": "sentences",
    "comparison": "comparison",
    "core.audit": "audits",
    "core.errors": "errors",
}
"""Where names live (without ``crossroads.``), and the page that has them."""
GROUPS = tuple(name for name, home in vars(crossroads)["_HOMES"].items() if home == "crossroads")
FURTHER = ("report", "contexts.corpus")
"""Packages whose own lists of names are documented as well."""

INNER = ("__init__", "__new__")
"""Members that users do not read."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of the reference."""

    file: str
    """Its name, without the ending."""
    title: str
    """Its heading."""
    about: str
    """What its names are for, in a sentence."""
    names: tuple[str, ...]
    """The names on it, as they are imported."""

    def text(self) -> str:
        """The page: a table of its names, then what is said about each."""
        parts = [_heading(self.title, "="), self.about, _table(self.names)]
        return "\n\n".join([*parts, *map(_entry, self.names)]) + "\n"


def public_names() -> dict[str, tuple[str, ...]]:
    """Every public name as it is imported, by the group that has it; those of the package itself under ''."""
    own = vars(crossroads)["_HOMES"]
    names = {"": tuple(f"crossroads.{name}" for name in own if name not in GROUPS)}
    for group in GROUPS:
        inside = vars(import_module(f"crossroads.{group}"))
        public = [name for name, one in inside.items() if name[0] != "_" and not inspect.ismodule(one)]
        names[group] = tuple(f"crossroads.{group}.{name}" for name in public)
    return names


def pages() -> list[Page]:
    """All pages of the reference."""
    names = public_names()
    by_page: dict[str, list[str]] = {file: [] for file in PAGES}
    for name in names[""]:
        by_page[_page_of(name)].append(name)
    made = [
        Page(file=file, title=title, about=about, names=tuple(by_page[file]))
        for file, (title, about) in PAGES.items()
    ]
    for group in (*GROUPS, *FURTHER):
        module = import_module(f"crossroads.{group}")
        inside = names.get(group) or tuple(f"crossroads.{group}.{name}" for name in module.__all__)
        about = (module.__doc__ or "").strip().partition("\n\n")[0]
        made.append(Page(file=group, title=f"crossroads.{group}", about=about, names=inside))
    return [*made, _results(names)]


def write(folder: Path) -> None:
    """Write all pages, and the overview of them, into a folder; a page that is as it was is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    found = pages()
    files = {f"{page.file}.rst": page.text() for page in found} | {"index.rst": _overview(found)}
    for old in {one.name for one in folder.glob("*.rst")} - set(files):
        (folder / old).unlink()
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _page_of(name: str) -> str:
    home = vars(crossroads)["_HOMES"][name.removeprefix("crossroads.")].removeprefix("crossroads.")
    for room, file in HOMES.items():
        if f"{home}.".startswith(f"{room}."):
            return file
    raise LookupError(f"no page of the reference has {name}, of crossroads.{home}: add it to HOMES.")


def _results(public: dict[str, tuple[str, ...]]) -> Page:
    """The page of what measures return."""
    classes = {kind.__name__: kind.__module__ for kind in result_kinds()}
    other = {name.rpartition(".")[2] for names in public.values() for name in names}
    return Page(
        file="results",
        title="Results",
        about="What measures return: frozen, with a sentence for each field, and readable without the model. "
        "All of them have ``to_dict``, ``to_json``, ``from_json``, ``to_frame`` and, where "
        "there is a figure, ``plot``.",
        names=tuple(f"{home}.{name}" for name, home in classes.items() if name not in other),
    )


def _overview(found: list[Page]) -> str:
    listed = "\n".join(f"   {page.file}" for page in found)
    tree = f".. toctree::\n   :hidden:\n\n{listed}"
    parts = [_heading("Every public name", "="), tree, "Names are those of ``import crossroads as cr``."]
    for page in found:
        parts += [
            _heading(page.title, "-"),
            f":doc:`{page.title} <{page.file}>`. {page.about}",
            _table(page.names),
        ]
    return "\n\n".join(parts) + "\n"


def _heading(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"


def _table(names: tuple[str, ...]) -> str:
    rows = "\n".join(
        f"   * - :py:obj:`{_short(name)} <{name}>`\n     - {_first_line(name)}" for name in names
    )
    return f".. list-table::\n   :widths: 35 65\n\n{rows}"


def _entry(name: str) -> str:
    """The directive that shows what is said about a name."""
    one = _found(name)
    if not inspect.isclass(one):
        return f".. {'autofunction' if callable(one) else 'autodata'}:: {name}"
    return f".. autoclass:: {name}\n   :members:\n   :exclude-members: {', '.join(INNER)}"


def _short(name: str) -> str:
    """A name as users write it."""
    inside = name.removeprefix("crossroads.")
    return inside.rpartition(".")[2] if inside.startswith((*FURTHER, "measures.")) else f"cr.{inside}"


def _found(name: str) -> Any:
    home, _, own = name.rpartition(".")
    return getattr(import_module(home), own)


def _first_line(name: str) -> str:
    """What a name is, in the first sentence of its docstring."""
    text = inspect.getdoc(_found(name)) if callable(_found(name)) else ""
    return " ".join((text or "").partition("\n\n")[0].split())
