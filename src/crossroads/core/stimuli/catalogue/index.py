"""Published stimuli by name: the files of the catalogue, an index of their entries, and the entries.

``catalog()`` lists the entries, ``catalog("weat6")`` returns one. Each entry records where it was published,
under which terms, and how it departs from the publication. Files are read when needed.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, overload

from crossroads.core.errors import InputError, UnknownNameError, in_short, join_words, one_of
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
from crossroads.core.stimuli.sets import About, Citation, FrozenDict, Named, StimulusSet

FILES = (
    *("weat", "ceat", "ceat-intersectional", "ceat-pairs", "ceat-groups", "ceat-validation"),
    *("rsa-names", "rsa-concepts", "rsa-sentences"),
    *("abc-traits", "abc-groups", "abc-templates", "abc-annotators"),
    *("seat-templates", "gpt2-prompts", "clip-prompts"),
)
"""The files of the catalogue, in the order in which it lists them."""
_DATA = importlib.resources.files("crossroads.core.stimuli.catalogue") / "data"


DesignName = Literal[
    "weat1", "weat2", "weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10",
    "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10",
    "i1", "i2", "i3", "i4",
]  # fmt: skip
"""Names that type checkers recognise as designs."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the catalogue."""

    name: str
    """The name of the entry."""
    kind: str
    """One of :data:`KINDS`."""
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
    (path,) = (path for folder in _DATA.iterdir() if (path := folder / f"{file}.toml").is_file())
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def index() -> dict[str, Entry]:
    """Every entry by its name, in the order of the catalogue."""
    return {entry.name: entry for file in FILES for entry in _entries(file)}


def about(file: str, **changes: Any) -> About:
    """The description of a file in the file itself."""
    said = document(file)["about"]
    fields: dict[str, Any] = {key: said[key] for key in ("title", "licence", "language", "table")}
    fields |= {"name": said.get("name", file), "kind": said.get("kind", "design")}
    fields |= {"source": Citation(said["citation"], said["doi"]), "departures": tuple(said["departures"])}
    return About(**(fields | changes))


def designs(file: str) -> dict[str, dict[str, Any]]:
    """The designs of a file as written there, by name; those of pairs of groups are generated here."""
    data = document(file)
    listed = _pairs(data["pairs"]) if "pairs" in data else data.get("design", ())
    return {raw["name"]: raw for raw in listed}


def _pairs(pairs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    labels = {group["name"]: group["label"] for group in document(pairs["groups"])["group"]}
    for pair in pairs["order"]:
        first, second = pair.split("/")
        for attributes in pairs["attributes"]:
            yield attributes | {
                "name": f"{first}-{second}-{attributes['name']}".casefold(),
                "title": f"{labels[first]} and {labels[second]}, {attributes['title']}",
                "x": f"{pairs['groups']}/{first}",
                "y": f"{pairs['groups']}/{second}",
            }


def _entries(file: str) -> Iterator[Entry]:
    data = document(file)
    variants: dict[str, Any] = data.get("variants", {})
    if "battery" not in data:
        described = {key: data["about"][key] for key in ("name", "kind", "title")}
        yield Entry(**described, file=file, variants=tuple(variants))
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
    lines = (_DATA / "panel" / "panel.txt").read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


Material = Design | Groups | Traits | Templates | WordLists | Sentences | Ratings
"""Any type of catalogue entry."""
M = TypeVar("M", Design, Groups, Traits, Templates, WordLists, Sentences, Ratings)


@functools.cache
def build(name: str, variant: str | None = None) -> Material:
    """Build the entry of that name, which must be in the index, in one of its variants."""
    entry = index()[name]
    return KINDS[entry.kind](entry) if variant is None else _varied(build(name), entry, variant)


def _design(entry: Entry) -> Design:
    said, raw = about(entry.file), designs(entry.file)[entry.name]
    if "like" in raw:
        sets = _design(index()[raw["like"]]).sets
    else:
        sets = {role: _set(entry, raw[role]) for role in ROLES if role in raw}
    return Design(
        name=entry.name,
        title=entry.title,
        source=said.source,
        language=said.language,
        licence=said.licence,
        table=raw.get("table", said.table),
        departures=(*said.departures, *raw.get("departures", ())),
        **sets,
    )


def _set(entry: Entry, value: Any) -> StimulusSet:
    """A set of words: a table, ``design.role``, ``groups/group`` or the name of a set of the same file."""
    if isinstance(value, dict):
        return StimulusSet(value["name"], tuple(value["items"]))
    name, _, part = value.replace("/", ".").partition(".")
    other = build(name) if part else None
    if isinstance(other, Design):
        return other.sets[part]
    if isinstance(other, Groups):
        return other[part].items
    data = document(entry.file)
    return StimulusSet(data.get("titles", {}).get(value, value), tuple(data["sets"][value]))


def _varied(material: Material, entry: Entry, variant: str) -> Material:
    said = document(entry.file)["variants"][variant]
    if isinstance(material, Design):
        return _varied_design(material, said.get(entry.name, {}), variant, said["reason"])
    note = (*material.about.departures, said["reason"])
    changed = dataclasses.replace(material.about, departures=note)
    varied: Material = dataclasses.replace(_replaced(material, said["replace"]), about=changed)
    return varied


def _replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """The same data with other texts, however deep they are."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, tuple):
        return tuple(_replaced(item, texts) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dataclasses.replace(value, **{name: _replaced(item, texts) for name, item in fields.items()})


def _varied_design(design: Design, changes: Mapping[str, Any], variant: str, reason: str) -> Design:
    before = len(design.departures)
    substitutions = dict(changes.get("replace", {})) | dict.fromkeys(changes.get("drop", ()))
    varied = design.replace(substitutions).add(**changes.get("add", {}))
    new = " ".join((*varied.departures[before:], reason)) if changes else ""
    departures = (*design.departures, new) if new else design.departures
    return dataclasses.replace(varied, name=f"{design.name}:{variant}", departures=departures)


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
    pairs = []
    for raw in document(entry.file)["trait"]:
        key = f"{raw['left']} - {raw['right']}"
        synonyms = {name: tuple(raw[name]) for name in ("left_synonyms", "right_synonyms")}
        pairs.append(Trait(**({"human_key": key} | raw | synonyms)))
    return Traits(about=about(entry.file), pairs=tuple(pairs))


def _templates(entry: Entry) -> Templates:
    families = tuple(
        Family(name=name, use=raw["use"], templates=tuple(Template(text) for text in raw["templates"]))
        for name, raw in document(entry.file)["families"].items()
    )
    return Templates(about=about(entry.file), families=families)


def _words(entry: Entry) -> WordLists:
    data = document(entry.file)
    raw = data.get("lists") or {name: {"words": items} for name, items in data["sets"].items()}
    lists: dict[str, FrozenDict[str, StimulusSet]] = {}
    for category, kinds in raw.items():
        names = {kind: f"{category} {kind}" for kind in kinds}
        names |= dict.fromkeys(("words", "concept", category), category)
        sets = {kind: StimulusSet(names[kind], tuple(words)) for kind, words in kinds.items()}
        lists[category] = FrozenDict(sets)
    said = about(entry.file, name=entry.name, kind=entry.kind, title=entry.title)
    return WordLists(about=said, lists=FrozenDict(lists))


def _ratings(entry: Entry) -> Ratings:
    data = document(entry.file)
    groups = tuple(data["rated"])
    means: dict[str, Means] = {}
    for raw in data["annotators"]:  # a row per trait, with a number per group
        cells = {trait: dict(zip(groups, row, strict=True)) for trait, row in raw["means"].items()}
        by_group = {group: FrozenDict({t: row[group] for t, row in cells.items()}) for group in groups}
        means[raw["name"]] = FrozenDict(by_group)
    return Ratings(
        about=about(entry.file),
        groups=groups,
        traits=tuple(data["annotators"][0]["means"]),
        means=FrozenDict(means),
        tables=FrozenDict({raw["name"]: raw["table"] for raw in data["annotators"]}),
    )


def _sentences(entry: Entry) -> Sentences:
    data = document(entry.file)
    sets = tuple((raw["name"], _generated(raw, data["generate"])) for raw in data["set"])
    return Sentences(about=about(entry.file), sets=sets, comparisons=_compared(data))


def _generated(raw: Mapping[str, str], rule: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """Fill the singular templates with every noun's singular and the plural ones with its plural."""
    families = _templates(index()[rule["templates"]])
    made: list[Sentence] = []
    for forms in rule["nouns"][raw["nouns"]]:
        for number, noun in zip(("singular", "plural"), forms, strict=True):
            keyword = raw["modifier"] if raw["keyword"] == "modifier" else noun
            phrase = f"{raw['modifier']} {noun}" if "modifier" in raw else noun
            for name in rule[number]:
                made += [Sentence(t.fill(word=phrase), keyword) for t in families[name].templates]
    return tuple(made)


KINDS: Mapping[str, Callable[[Entry], Material]] = {
    "design": _design,
    "groups": _groups,
    "traits": _traits,
    "templates": _templates,
    "words": _words,
    "sentences": _sentences,
    "ratings": _ratings,
}
"""Kinds of entries of the catalogue, and what makes them."""


class Catalogue(Named[str]):
    """Every entry of the catalogue: a mapping from names to one-line descriptions.

    Iterate over it for the names; the methods return entries of a given type.

    Examples
    --------
    >>> from crossroads.core.stimuli import catalog
    >>> catalog()["weat6"]
    'Male and female names, career and family'
    >>> catalog().design("weat6").x[0], len(catalog().traits("abc-traits"))
    ('John', 16)
    """

    noun: ClassVar[str] = "catalogue entry"

    def _named(self) -> Mapping[str, str]:
        return {name: entry.title for name, entry in index().items()}

    def __getitem__(self, name: str) -> str:
        return self.entry(name).title

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _key(name) in index()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries with their kind, battery and variants."""
        return tuple(index().values())

    def entry(self, name: str) -> Entry:
        """The line of the catalogue for a name, ignoring case."""
        if (entry := index().get(_key(name))) is None:
            battery = batteries().get(_key(name))
            hint = f"{name} is a battery of tests: {join_words(battery or (), most=10)}."
            raise UnknownNameError("catalogue entry", name, index(), hint=hint if battery else None)
        return entry

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """The names of all entries of a kind, such as ``"groups"``."""
        one_of("kind of catalogue entry", kind, KINDS)
        return tuple(entry.name for entry in self.entries if entry.kind == kind)

    def design(self, name: str, variant: str | None = None) -> Design:
        """A design, such as ``"weat6"``."""
        return self._of_type(Design, "design", name, variant)

    def groups(self, name: str, variant: str | None = None) -> Groups:
        """Social groups, such as ``"ceat-groups"``."""
        return self._of_type(Groups, "groups", name, variant)

    def traits(self, name: str, variant: str | None = None) -> Traits:
        """Trait pairs, such as ``"abc-traits"``."""
        return self._of_type(Traits, "traits", name, variant)

    def templates(self, name: str, variant: str | None = None) -> Templates:
        """Sentence templates, such as ``"seat-templates"``."""
        return self._of_type(Templates, "templates", name, variant)

    def words(self, name: str, variant: str | None = None) -> WordLists:
        """Word lists, such as ``"ceat-validation"``."""
        return self._of_type(WordLists, "words", name, variant)

    def sentences(self, name: str, variant: str | None = None) -> Sentences:
        """Sentences, such as ``"rsa-sentences"``."""
        return self._of_type(Sentences, "sentences", name, variant)

    def ratings(self, name: str, variant: str | None = None) -> Ratings:
        """Mean ratings by people, such as ``"abc-annotators"``."""
        return self._of_type(Ratings, "ratings", name, variant)

    def _of_type(self, kind: type[M], label: str, name: str, variant: str | None) -> M:
        found = _find(name, variant)
        if not isinstance(found, kind):
            given = self.entry(name.partition(":")[0]).kind
            hint = f"entries of kind {label}: {join_words(self.of_kind(label), most=8)}."
            raise InputError(f"the catalogue entry {name!r} is of kind {given}, not {label}.", hint=hint)
        return found

    def __repr__(self) -> str:
        rows: list[tuple[str, str, str]] = []
        for entry in self.entries:
            battery = batteries().get(entry.battery or "", ())
            if len(battery) <= 12:
                rows.append((entry.name, entry.kind, entry.title))
            elif entry.name == battery[0]:  # a battery that is too long to print
                ends = f"from {battery[0]} to {battery[-1]}"
                title = f"{len(battery)} designs of the battery {entry.battery}, {ends}"
                rows.append((f"{entry.name} …", entry.kind, title))
        width = max(len(name) for name, _, _ in rows)
        lines = [f"{name:<{width}}  {kind:<9}  {title}" for name, kind, title in rows]
        return "\n".join([f"Catalogue of {len(self)} entries", *lines])


@overload
def catalog() -> Catalogue: ...
@overload
def catalog(name: DesignName, variant: str | None = None) -> Design: ...
@overload
def catalog(name: str, variant: str | None = None) -> Any: ...
def catalog(name: str | None = None, variant: str | None = None) -> Any:
    """Look up published stimuli by name; without a name, list all entries.

    Parameters
    ----------
    name
        The name of an entry, in any case: ``weat1`` to ``weat10``, ``c1`` to ``c10``, ``i1`` to ``i4``, or
        any other that ``catalog()`` lists. A variant may follow after a colon: ``"weat2:google-news"``.
    variant
        A published variation of the lists, such as ``"google-news"``. Where a variant of a battery does not
        change a test, it has the same words under the name of the variant.

    Returns
    -------
    Catalogue, Design, Groups, Traits, Templates, WordLists, Sentences or Ratings
        The list, or the entry; :class:`Catalogue` has a method for each type.

    Examples
    --------
    >>> catalog("WEAT6")
    <Design weat6: male names (8) and female names (8), career (8) and family (8)>
    >>> catalog("weat9", variant="google-news").departures
    ("'short-term' is replaced by 'short'. As used with the Google News vectors (ML-EAT, Table 4).",)
    """
    if name is None:
        if variant is not None:
            raise InputError(f"the variant {variant!r} has no name before it.", hint="give both.")
        return Catalogue()
    return _find(name, variant)


def batteries() -> dict[str, tuple[str, ...]]:
    """List the batteries of designs by name, such as ``"weat"`` with ``weat1`` to ``weat10``.

    Examples
    --------
    >>> import crossroads as cr
    >>> cr.sources.batteries()["weat"][:3]
    ('weat1', 'weat2', 'weat3')
    """
    names: dict[str, tuple[str, ...]] = {}
    for entry in index().values():
        if entry.battery is not None:
            names[entry.battery] = (*names.get(entry.battery, ()), entry.name)
    return names


def _find(name: str, variant: str | None) -> Material:
    key = _key(name)
    if ":" in key and variant is None:
        key, _, variant = key.partition(":")
    entry = Catalogue().entry(key)
    if variant is None:
        return build(entry.name)
    key = _key(variant)
    if key not in entry.variants:
        hint = None if entry.variants else f"{entry.name} has no variants."
        raise UnknownNameError(f"variant of {entry.name}", variant, entry.variants, hint=hint)
    return build(entry.name, key)


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"{in_short(name)} is not the name of a catalogue entry.", hint="give a text.")
    return name.strip().casefold()
