"""Published stimuli by name.

``catalog()`` lists the entries, ``catalog("weat6")`` returns one. Each entry records where it was published,
under which terms, and how it departs from the publication.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeVar, overload

from crossroads.core.errors import InputError, UnknownNameError, in_short, join_words, one_of
from crossroads.core.stimuli.catalogue.index import KINDS, Entry, Material, build, index
from crossroads.core.stimuli.design import Design
from crossroads.core.stimuli.material import Groups, Ratings, Sentences, Templates, Traits, WordLists
from crossroads.core.stimuli.sets import Named

DesignName = Literal[
    "weat1", "weat2", "weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10",
    "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10",
    "i1", "i2", "i3", "i4",
]  # fmt: skip
"""Names that type checkers recognise as designs."""

M = TypeVar("M", Design, Groups, Traits, Templates, WordLists, Sentences, Ratings)


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
        entry = index().get(_key(name))
        if entry is None:
            raise _unknown(name)
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
            raise InputError(
                f"the catalogue entry {name!r} is of kind {given}, not {label}.",
                hint=f"entries of kind {label}: {join_words(self.of_kind(label), most=8)}.",
            )
        return found

    def __repr__(self) -> str:
        rows = [row for block in _blocks().values() for row in _lines(block)]
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
        return _catalogue()
    return _find(name, variant)


def batteries() -> dict[str, tuple[str, ...]]:
    """List the batteries of designs by name, such as ``"weat"`` with ``weat1`` to ``weat10``.

    Examples
    --------
    >>> import crossroads as cr
    >>> cr.batteries()["weat"][:3]
    ('weat1', 'weat2', 'weat3')
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in index().values():
        if entry.battery is not None:
            found[entry.battery] = (*found.get(entry.battery, ()), entry.name)
    return found


@functools.cache
def _catalogue() -> Catalogue:
    return Catalogue()


def _find(name: str, variant: str | None) -> Material:
    key = _key(name)
    if ":" in key and variant is None:
        key, _, variant = key.partition(":")
    entry = _catalogue().entry(key)
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


def _unknown(name: str) -> UnknownNameError:
    battery = batteries().get(_key(name))
    hint = None
    if battery is not None:
        hint = f"{name} is a battery of tests: {join_words(battery, most=10)}."
    return UnknownNameError("catalogue entry", name, index(), hint=hint)


def _blocks() -> dict[str, list[Entry]]:
    """The entries by battery; an entry without one is a block by itself."""
    blocks: dict[str, list[Entry]] = {}
    for entry in index().values():
        blocks.setdefault(entry.battery or entry.name, []).append(entry)
    return blocks


def _lines(block: list[Entry]) -> list[tuple[str, str, str]]:
    """A line for each entry, or one for a battery that is too long to print."""
    if len(block) <= 12:
        return [(entry.name, entry.kind, entry.title) for entry in block]
    title = (
        f"{len(block)} designs of the battery {block[0].battery}, from {block[0].name} to {block[-1].name}"
    )
    return [(f"{block[0].name} …", "design", title)]
