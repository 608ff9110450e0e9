"""The tables of ``docs/reference/command-line.md``, made from the program itself.

``python -m docs.site.command_line`` writes them anew; a test compares them. What stands between the tables is
written by hand.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from crossroads.cli.app import app

PAGE = Path(__file__).parents[1] / "reference" / "command-line.md"
MADE = re.compile(r"(<!-- made from the program: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
CHOICES = typing.get_origin(typing.Literal[0])


def made(text: str) -> str:
    """The page with its tables as the program has them."""
    return MADE.sub(lambda found: f"{found[1]}{_part(found[2])}\n{found[3]}", text)


def commands() -> dict[str, Any]:
    """Every command by its name."""
    program: Any = typer.main.get_command(app)
    return dict(program.commands)


def _part(name: str) -> str:
    """The overview, or the options of a command."""
    if name == "commands":
        rows = (
            f"| [`{one}`](#{one}) | {_plain(command.help).partition(chr(10))[0]} |"
            for one, command in commands().items()
        )
        return "\n".join(["", "| command | what it does |", "|---|---|", *rows, ""])
    return "\n".join(_command(name))


def _command(name: str) -> Iterator[str]:
    command = commands()[name]
    own = next(one.callback for one in app.registered_commands if one.name == name)
    types_of = typing.get_type_hints(own)
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    usage = " ".join(
        f"{one.metavar}{'…' if one.nargs != 1 else ''}"
        if one.required
        else f"[{one.metavar}{'…' if one.nargs != 1 else ''}]"
        for one in arguments
    )
    yield f"\n`crossroads {name} {usage} [OPTIONS]`\n"
    yield " ".join(_plain(command.help).split()) + "\n"
    yield "| argument or option | meaning |\n|---|---|"
    for one in arguments:
        yield f"| `{one.metavar}` | {_plain(one.help)} |"
    for one in command.params:
        if one not in arguments and "--help" not in one.opts:
            yield _option(one, types_of.get(one.name))
    yield ""


def _option(one: Any, kind: Any) -> str:
    choices = list(_choices(kind))
    names = [*sorted(one.opts, key=len), *one.secondary_opts]
    value = "" if kind is bool or one.metavar is None else f" {one.metavar}"
    shown = ", ".join(f"`{name}{value if name == names[-1] else ''}`" for name in names)
    said = _plain(one.help).rstrip(".")
    if choices:
        said += ". One of " + ", ".join(f"`{choice}`" for choice in choices)
    default = one.default
    if one.required:
        said += ". Required"
    elif kind is not bool and default not in (None, "", [], ()):
        written = " ".join(map(str, default)) if isinstance(default, tuple | list) else str(default)
        said += f". `{written}` if left out"
    elif kind is bool and default and one.secondary_opts:
        said += f". On, unless `{one.secondary_opts[0]}` is given"
    return f"| {shown} | {said.replace('|', chr(92) + '|')} |".replace("FILE|", "FILE\\|")


def _choices(kind: Any) -> Iterator[Any]:
    """The values that an option can have, if they are listed."""
    if typing.get_origin(kind) is CHOICES:
        yield from typing.get_args(kind)
    elif typing.get_origin(kind) in (typing.Union, types.UnionType):
        for one in typing.get_args(kind):
            yield from _choices(one)


def _plain(text: str | None) -> str:
    """Help as plain text."""
    return "\n".join(line.strip() for line in Text.from_markup(text or "").plain.splitlines())


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
