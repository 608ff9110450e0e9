"""``crossroads catalog``: the published stimuli."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from rich.markup import escape
from rich.padding import Padding

from crossroads.core.cli.runner import Arg, Opt, Shown, command
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.results import encode
from crossroads.core.stimuli import (
    About,
    Design,
    Groups,
    Ratings,
    Sentences,
    Templates,
    Traits,
    WordLists,
    batteries,
    catalog,
)


def _complete(incomplete: str) -> list[str]:
    return [name for name in catalog() if name.startswith(incomplete.lower())]


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What is looked up."""

    name: Annotated[str | None, Arg("NAME", "An entry to show in full.", complete=_complete)] = None
    variant: Annotated[str | None, Opt("A variant, such as google-news.", "NAME")] = None


@command
def catalog_command(looked: Looked, shown: Shown) -> None:
    """List the published word lists, or show one with its source."""
    if looked.name is None:
        _list(shown.json)
        return
    found: Any = catalog(looked.name, variant=looked.variant)
    if shown.json:
        printing.write_json(found.to_dict() if isinstance(found, Design) else encode(found))
    elif isinstance(found, Design):
        _show_design(found)
    else:
        _show_other(found)


def _list(json: bool) -> None:
    shelf = catalog()
    if json:
        data = {
            "entries": {entry.name: {"title": entry.title, "kind": entry.kind} for entry in shelf.entries},
            "batteries": {name: list(members) for name, members in batteries().items()},
        }
        printing.write_json(data)
        return
    most = len(shelf.entries) if printing.out.verbose else 20
    grouped = {one for members in batteries().values() if len(members) > most for one in members}
    table = printing.plain_table()
    table.add_column("name", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("what")
    for entry in shelf.entries:
        if entry.name not in grouped:
            table.add_row(escape(entry.name), entry.kind, escape(entry.title))
    printing.out.print(table)
    printing.out.print("Batteries, which --test also takes:")
    for name, members in batteries().items():
        shown = ", ".join(members) if len(members) <= most else f"{members[0]} … {members[-1]}"
        printing.out.print(f"  [b]{escape(name)}[/b] ({len(members)}): {escape(shown)}")


def _show_design(design: Design) -> None:
    _show_head(design, design.name)
    for role, words in design.sets.items():
        _show_words(f"{role.upper()}[/b] {escape(words.name)} ({len(words)})", words)
    _show_departures(design.departures)


def _show_other(found: Any) -> None:
    _show_head(found.about, found.about.name)
    apart = "\n" if isinstance(found, Traits | Templates | Sentences | Ratings) else ", "
    for heading, lines in _parts(found):
        _show_words(heading, lines, apart)
    _show_departures(found.about.departures)


def _parts(found: Any) -> Iterator[tuple[str, Iterable[str]]]:
    """Headings and the content under each, for any kind of entry."""
    if isinstance(found, Groups):
        for group in found.members:
            what = ", ".join(f"{k}: {v}" for k, v in group.categories.items())
            yield f"{escape(group.name)}[/b] {escape(group.label)} ({escape(what)})", group.items
            if group.omitted:
                yield "  left out[/b]", [f"{name} ({why})" for name, why in group.omitted.items()]
    elif isinstance(found, WordLists):
        for category, kinds in found.items():
            for kind, words in kinds.items():
                yield f"{escape(category)}[/b] {escape(kind)} ({len(words)})", words
    elif isinstance(found, Traits):
        for scale in dict.fromkeys(trait.scale for trait in found):
            yield f"{escape(scale)}[/b]", [f"{t.left} – {t.right}" for t in found if t.scale == scale]
    elif isinstance(found, Templates):
        for family in found.families:
            yield f"{escape(family.name)}[/b] {escape(family.use)}", [t.text for t in family.templates]
    elif isinstance(found, Sentences):
        for name, sentences in found.items():
            yield f"{escape(name)}[/b] ({len(sentences)})", [f"{s.text} [{s.keyword}]" for s in sentences]
    elif isinstance(found, Ratings):
        for annotators in found:
            yield f"{escape(annotators)}[/b] {escape(found.tables[annotators])}", _rated(found, annotators)


def _rated(ratings: Ratings, annotators: str) -> Iterator[str]:
    """A line of groups and one for each trait, in columns; numbers are unchanged."""
    means = ratings[annotators]
    first = max(map(len, ratings.traits))
    widths = {group: max(len(group), 5) for group in ratings.groups}
    yield "  ".join([" " * first, *(f"{group:>{width}}" for group, width in widths.items())])
    for trait in ratings.traits:
        cells = (f"{means[group][trait]:>{width}}" for group, width in widths.items())
        yield "  ".join([f"{trait:<{first}}", *cells])


def _show_head(about: About | Design, name: str) -> None:
    printing.out.print(f"[b]{escape(name)}[/b]  {escape(about.title)}")
    lines = []
    if about.source is not None:
        lines = [about.source.text, f"doi:{about.source.doi}" if about.source.doi else ""]
    lines += [f"{label}: {text}" if (text := getattr(about, label)) else "" for label in ("table", "licence")]
    for line in filter(None, lines):
        printing.out.print(line, markup=False)


def _show_words(heading: str, words: Iterable[str], apart: str = ", ") -> None:
    """A heading, which closes its own bold part, and the words under it, indented."""
    printing.out.print(f"\n[b]{heading}")
    printing.out.print(Padding(escape(apart.join(words)), (0, 0, 0, 2)))


def _show_departures(departures: Iterable[str]) -> None:
    for at, sentence in enumerate(departures):
        if at == 0:
            printing.out.print("\n[b]departures[/b]")
        printing.out.print(Padding(escape(sentence), (0, 0, 0, 2)))
