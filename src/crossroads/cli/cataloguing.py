"""``crossroads catalog``: what there is to ask."""

from __future__ import annotations

import dataclasses
import json as json_module
import sys
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossroads.cli import options as o
from crossroads.cli import printing
from crossroads.results import encode
from crossroads.stimuli import Design, batteries, catalog


def _complete(incomplete: str) -> list[str]:
    return [name for name in catalog() if name.startswith(incomplete.lower())]


def catalog_command(
    name: Annotated[
        str | None, typer.Argument(help="An entry to show whole.", autocompletion=_complete)
    ] = None,
    variant: Annotated[str | None, typer.Option(help="A variant, such as google-news.")] = None,
    json: o.Json = False,
) -> None:
    """List the published stimuli, or show one entry with its source and its words."""
    if name is None:
        _list(json)
        return
    found: Any = catalog(name, variant=variant)
    if json:
        data = found.to_dict() if isinstance(found, Design) else encode(found)
        sys.stdout.write(json_module.dumps(data, ensure_ascii=False, indent=1) + "\n")
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
        sys.stdout.write(json_module.dumps(data, ensure_ascii=False, indent=1) + "\n")
        return
    grouped = {member for name, members in batteries().items() if len(members) > 20 for member in members}
    table = printing.plain_table()
    table.add_column("name", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("what")
    for entry in shelf.entries:
        if entry.name not in grouped:
            table.add_row(escape(entry.name), entry.kind, escape(entry.title))
    printing.out.print(table)
    printing.out.print("Batteries, which --test takes as well:")
    for name, members in batteries().items():
        shown = ", ".join(members) if len(members) <= 20 else f"{members[0]} … {members[-1]}"
        printing.out.print(f"  [b]{escape(name)}[/b] ({len(members)}): {escape(shown)}")


def _show_design(design: Design) -> None:
    printing.out.print(f"[b]{escape(design.name)}[/b]  {escape(design.title)}")
    if design.source is not None:
        printing.out.print(escape(str(design.source.text)))
        if design.source.doi:
            printing.out.print(f"doi:{design.source.doi}", markup=False)
    for label, text in (("table", design.table), ("licence", design.licence)):
        if text:
            printing.out.print(f"{label}: {text}", markup=False)
    for role, words in design.sets.items():
        printing.out.print(f"\n[b]{role.upper()}[/b] {escape(words.name)} ({len(words)})")
        printing.out.print("  " + ", ".join(words), markup=False)
    if design.departures:
        printing.out.print("\n[b]departures[/b]")
        for sentence in design.departures:
            printing.out.print(f"  {sentence}", markup=False)


def _show_other(found: Any) -> None:
    data = encode(found) if dataclasses.is_dataclass(found) else {"value": str(found)}
    printing.out.print(json_module.dumps(data, ensure_ascii=False, indent=1), markup=False)
