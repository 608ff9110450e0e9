"""The files of the catalogue, and an index of their entries. Files are read when they are needed."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossroads.stimuli.about import About, Citation

FILES = (
    "weat",
    "ceat",
    "ceat-intersectional",
    "ceat-pairs",
    "ceat-groups",
    "ceat-validation",
    "rsa-names",
    "rsa-concepts",
    "rsa-sentences",
    "abc-traits",
    "abc-groups",
    "abc-templates",
    "abc-annotators",
    "seat-templates",
    "gpt2-prompts",
    "clip-prompts",
)
"""The files of the catalogue, in the order in which it lists them."""
KINDS = ("design", "groups", "traits", "templates", "words", "sentences", "ratings")
"""Kinds of entries of the catalogue."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the catalogue."""

    name: str
    """The name of the entry."""
    kind: str
    """One of ``design``, ``groups``, ``traits``, ``templates``, ``words``, ``sentences``,
    ``ratings``."""
    title: str
    """What it is, in one line."""
    file: str
    """The file of the catalogue that contains it."""
    battery: str | None = None
    """The battery a design belongs to."""
    variants: tuple[str, ...] = ()
    """Available variants."""


@functools.cache
def document(file: str) -> dict[str, Any]:
    """The contents of one file of the catalogue; do not modify them."""
    data = importlib.resources.files("crossroads.stimuli.catalogue") / "data"
    (found,) = (one for folder in data.iterdir() if (one := folder / f"{file}.toml").is_file())
    return tomllib.loads(found.read_text(encoding="utf-8"))


@functools.cache
def index() -> dict[str, Entry]:
    """Every entry by its name, in the order of the catalogue."""
    return {entry.name: entry for file in FILES for entry in _entries(file)}


def about(file: str, **changes: Any) -> About:
    """The description of a file in the file itself."""
    said = document(file)["about"]
    fields: dict[str, Any] = {
        "name": said.get("name", file),
        "kind": said.get("kind", "design"),
        "title": said["title"],
        "source": Citation(said["citation"], said["doi"]),
        "licence": said["licence"],
        "language": said["language"],
        "table": said["table"],
        "departures": tuple(said["departures"]),
    }
    return About(**(fields | changes))


def designs(file: str) -> dict[str, dict[str, Any]]:
    """The designs of a file as written there, by name; those of pairs of groups are generated here."""
    data = document(file)
    if "pairs" in data:
        return {raw["name"]: raw for raw in _pairs(data["pairs"])}
    return {raw["name"]: raw for raw in data.get("design", ())}


def _pairs(pairs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    labels = {group["name"]: group["label"] for group in document(pairs["groups"])["group"]}
    for pair in pairs["order"]:
        first, second = pair.split("/")
        for attributes in pairs["attributes"]:
            yield {
                "name": f"{first}-{second}-{attributes['name']}".casefold(),
                "title": f"{labels[first]} and {labels[second]}, {attributes['title']}",
                "x": f"{pairs['groups']}/{first}",
                "y": f"{pairs['groups']}/{second}",
                "a": attributes["a"],
                "b": attributes["b"],
            }


def _entries(file: str) -> Iterator[Entry]:
    data = document(file)
    variants: dict[str, Any] = data.get("variants", {})
    if "battery" not in data:
        said = data["about"]
        yield Entry(
            name=said["name"], kind=said["kind"], title=said["title"], file=file, variants=tuple(variants)
        )
        return
    for name, raw in designs(file).items():
        yield Entry(
            name=name,
            kind="design",
            title=raw["title"],
            file=file,
            battery=data["battery"],
            variants=tuple(key for key, value in variants.items() if name in value.get("only", (name,))),
        )
    if "sets-entry" in data:
        yield Entry(kind="words", file=file, **data["sets-entry"])
