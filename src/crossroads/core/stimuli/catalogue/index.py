"""The files of the catalogue, an index of their entries, and the entries. Files are read when needed."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossroads.core.stimuli.design import ROLES, Design
from crossroads.core.stimuli.material import (
    Comparison,
    Family,
    Group,
    Groups,
    Means,
    Ratings,
    Sentence,
    Sentences,
    Template,
    Templates,
    Trait,
    Traits,
    WordLists,
)
from crossroads.core.stimuli.sets import About, Citation, FrozenDict, StimulusSet

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
    data = importlib.resources.files("crossroads.core.stimuli.catalogue") / "data"
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


@functools.cache
def panel() -> tuple[str, ...]:
    """The words of the panel, the most frequent first; the file says how they were chosen."""
    data = importlib.resources.files("crossroads.core.stimuli.catalogue") / "data" / "panel" / "panel.txt"
    lines = data.read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


Material = Design | Groups | Traits | Templates | WordLists | Sentences | Ratings
"""Any type of catalogue entry."""


@functools.cache
def build(name: str, variant: str | None = None) -> Material:
    """Build the entry of that name, which must be in the index, in one of its variants."""
    entry = index()[name]
    makers: dict[str, Callable[[Entry], Material]] = {
        "design": _design,
        "groups": _groups,
        "traits": _traits,
        "templates": _templates,
        "words": _words,
        "sentences": _sentences,
        "ratings": _ratings,
    }
    if variant is None:
        return makers[entry.kind](entry)
    return _varied(build(name), entry, variant)


# Designs


def _design(entry: Entry) -> Design:
    said, raw = about(entry.file), designs(entry.file)[entry.name]
    return Design(
        name=entry.name,
        title=entry.title,
        source=said.source,
        language=said.language,
        licence=said.licence,
        table=raw.get("table", said.table),
        departures=(*said.departures, *raw.get("departures", ())),
        **_sets(entry, raw),
    )


def _sets(entry: Entry, raw: Mapping[str, Any]) -> dict[str, StimulusSet]:
    if "like" in raw:
        other = build(raw["like"])
        return other.sets if isinstance(other, Design) else {}
    return {role: _set(entry, raw[role]) for role in ROLES if role in raw}


def _set(entry: Entry, value: Any) -> StimulusSet:
    """A set of words: a table, ``design.role``, ``groups/group`` or the name of a set of the same file."""
    if isinstance(value, dict):
        return StimulusSet(value["name"], tuple(value["items"]))
    if "." in value:
        name, _, role = value.partition(".")
        other = build(name)
        if isinstance(other, Design):
            return other.sets[role]
    if "/" in value:
        name, _, member = value.partition("/")
        groups = build(name)
        if isinstance(groups, Groups):
            return groups[member].items
    data = document(entry.file)
    return StimulusSet(data.get("titles", {}).get(value, value), tuple(data["sets"][value]))


def _varied(material: Material, entry: Entry, variant: str) -> Material:
    said = document(entry.file)["variants"][variant]
    if isinstance(material, Design):
        return _varied_design(material, said.get(entry.name, {}), variant, said["reason"])
    note = (*material.about.departures, said["reason"])
    changed = dataclasses.replace(material.about, departures=note)
    if isinstance(material, Traits):
        pairs = tuple(_varied_trait(pair, said["replace"]) for pair in material)
        return Traits(about=changed, pairs=pairs)
    if isinstance(material, Templates):
        families = tuple(_varied_family(family, said["replace"]) for family in material.families)
        return Templates(about=changed, families=families)
    return material


def _varied_design(design: Design, changes: Mapping[str, Any], variant: str, reason: str) -> Design:
    before = len(design.departures)
    substitutions = dict(changes.get("replace", {})) | dict.fromkeys(changes.get("drop", ()))
    varied = design.replace(substitutions).add(**changes.get("add", {}))
    new = " ".join((*varied.departures[before:], reason)) if changes else ""
    departures = (*design.departures, new) if new else design.departures
    return dataclasses.replace(varied, name=f"{design.name}:{variant}", departures=departures)


# Other material


def _groups(entry: Entry) -> Groups:
    data = document(entry.file)
    members = [
        Group(
            name=raw["name"],
            label=raw["label"],
            categories=FrozenDict(raw["categories"]),
            items=StimulusSet(raw["label"], tuple(raw["items"])),
            omitted=FrozenDict(raw.get("omitted", {})),
        )
        for raw in data.get("group", ())
    ]
    for domain, groups in data.get("domains", {}).items():
        members += [_noun(name, {"domain": domain}, raw) for name, raw in groups.items()]
    prior = _noun("prior", {}, data["prior"]) if "prior" in data else None
    return Groups(about=about(entry.file), members=tuple(members), prior=prior, comparisons=_compared(data))


def _noun(name: str, categories: dict[str, str], raw: Mapping[str, str]) -> Group:
    """A group given by a noun; the capitalised plural is derived from the plural."""
    capitalised = raw["plural"][0].upper() + raw["plural"][1:]
    forms = {"singular": raw["singular"], "plural": raw["plural"], "capitalised": capitalised}
    return Group(
        name=name,
        label=raw["plural"],
        categories=FrozenDict(categories),
        items=StimulusSet(raw["plural"], tuple(dict.fromkeys(forms.values()))),
        forms=FrozenDict(forms),
        human_label=raw.get("human"),
    )


def _compared(data: Mapping[str, Any]) -> tuple[Comparison, ...]:
    return tuple(Comparison(**raw) for raw in data.get("comparison", ()))


def _traits(entry: Entry) -> Traits:
    pairs = tuple(
        Trait(
            left=raw["left"],
            right=raw["right"],
            scale=raw["scale"],
            human_key=raw.get("human_key", f"{raw['left']} - {raw['right']}"),
            left_synonyms=tuple(raw["left_synonyms"]),
            right_synonyms=tuple(raw["right_synonyms"]),
        )
        for raw in document(entry.file)["trait"]
    )
    return Traits(about=about(entry.file), pairs=pairs)


def _varied_trait(pair: Trait, words: Mapping[str, str]) -> Trait:
    return dataclasses.replace(
        pair,
        left=words.get(pair.left, pair.left),
        right=words.get(pair.right, pair.right),
        left_synonyms=tuple(words.get(word, word) for word in pair.left_synonyms),
        right_synonyms=tuple(words.get(word, word) for word in pair.right_synonyms),
    )


def _templates(entry: Entry) -> Templates:
    families = tuple(
        Family(name=name, use=raw["use"], templates=tuple(Template(text) for text in raw["templates"]))
        for name, raw in document(entry.file)["families"].items()
    )
    return Templates(about=about(entry.file), families=families)


def _varied_family(family: Family, texts: Mapping[str, str]) -> Family:
    new = tuple(Template(texts.get(template.text, template.text)) for template in family.templates)
    return dataclasses.replace(family, templates=new)


def _words(entry: Entry) -> WordLists:
    data = document(entry.file)
    if "lists" in data:
        raw = data["lists"]
        said = about(entry.file)
    else:
        raw = {name: {"words": items} for name, items in data["sets"].items()}
        said = about(entry.file, name=entry.name, kind=entry.kind, title=entry.title)
    lists = {
        category: FrozenDict(
            {kind: StimulusSet(_list_name(category, kind), tuple(words)) for kind, words in kinds.items()}
        )
        for category, kinds in raw.items()
    }
    return WordLists(about=said, lists=FrozenDict(lists))


def _list_name(category: str, kind: str) -> str:
    return category if kind in ("words", "concept", category) else f"{category} {kind}"


def _ratings(entry: Entry) -> Ratings:
    data = document(entry.file)
    groups = tuple(data["rated"])
    return Ratings(
        about=about(entry.file),
        groups=groups,
        traits=tuple(data["annotators"][0]["means"]),
        means=FrozenDict({raw["name"]: _by_group(groups, raw["means"]) for raw in data["annotators"]}),
        tables=FrozenDict({raw["name"]: raw["table"] for raw in data["annotators"]}),
    )


def _by_group(groups: tuple[str, ...], rows: Mapping[str, list[float]]) -> Means:
    """Means by group and trait from one row per trait, which must have one number per group."""
    cells = {trait: dict(zip(groups, row, strict=True)) for trait, row in rows.items()}
    return FrozenDict({group: FrozenDict({t: row[group] for t, row in cells.items()}) for group in groups})


def _sentences(entry: Entry) -> Sentences:
    data = document(entry.file)
    sets = tuple((raw["name"], _generated(raw, data["generate"])) for raw in data["set"])
    return Sentences(about=about(entry.file), sets=sets, comparisons=_compared(data))


def _generated(raw: Mapping[str, str], rule: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """Fill the singular templates with every noun's singular and the plural ones with its plural."""
    families = build(rule["templates"])
    made: list[Sentence] = []
    for forms in rule["nouns"][raw["nouns"]]:
        for number, noun in zip(("singular", "plural"), forms, strict=True):
            keyword = raw["modifier"] if raw["keyword"] == "modifier" else noun
            phrase = f"{raw['modifier']} {noun}" if "modifier" in raw else noun
            for name in rule[number]:
                if isinstance(families, Templates):
                    made += [Sentence(t.fill(word=phrase), keyword) for t in families[name].templates]
    return tuple(made)
