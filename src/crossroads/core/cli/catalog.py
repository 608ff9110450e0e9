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
        return
    about = found if isinstance(found, Design) else found.about
    printing.out.print(f"[b]{escape(about.name)}[/b]  {escape(about.title)}")
    source = about.source
    lines = [] if source is None else [source.text, f"doi:{source.doi}" if source.doi else ""]
    lines += [f"{label}: {text}" if (text := getattr(about, label)) else "" for label in ("table", "licence")]
    for line in filter(None, lines):
        printing.out.print(line, markup=False)
    apart = "\n" if isinstance(found, Traits | Templates | Sentences | Ratings) else ", "
    for heading, words in _parts(found):
        printing.out.print(f"\n[b]{heading}")
        printing.out.print(Padding(escape(apart.join(words)), (0, 0, 0, 2)))
    for at, sentence in enumerate(about.departures):
        if at == 0:
            printing.out.print("\n[b]departures[/b]")
        printing.out.print(Padding(escape(sentence), (0, 0, 0, 2)))


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


def _parts(found: Any) -> Iterator[tuple[str, Iterable[str]]]:
    """Headings, each of which closes its own bold part, and the content under each."""
    if isinstance(found, Design):
        for role, words in found.sets.items():
            yield f"{role.upper()}[/b] {escape(words.name)} ({len(words)})", words
    elif isinstance(found, Groups):
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
