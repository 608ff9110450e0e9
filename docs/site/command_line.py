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

from crossroads.core.cli import app as program
from crossroads.core.cli.help import said_of_key, shown_names, usage_of
from crossroads.core.cli.runner import TAKERS, keys_of

PAGE = Path(__file__).parents[1] / "reference" / "command-line.md"
MADE = re.compile(r"(<!-- made from the program: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
CHOICES = typing.get_origin(typing.Literal[0])


def made(text: str) -> str:
    """The page with its tables as the program has them."""
    return MADE.sub(lambda found: f"{found[1]}{_part(found[2])}\n{found[3]}", text)


def commands() -> dict[str, Any]:
    """Every command that is shown, by its name."""
    return {name: program._command(name) for name in program.COMMANDS}


def _part(name: str) -> str:
    """The overview, or the options of a command."""
    if name == "commands":
        rows = [f"| [`{one}`](#{one}) | {entry.sentence} |" for one, entry in program.COMMANDS.items()]
        rows += [
            f"| `{second}` | second name of `{first} --{option}` |"
            for second, (first, option, _) in program.SECOND.items()
            if option
        ]
        return "\n".join(["", "| command | what it does |", "|---|---|", *rows, ""])
    return "\n".join(_command(name))


def _command(name: str) -> Iterator[str]:
    command = commands()[name]
    kinds = command.callback.__annotations__
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    usage = " ".join(map(usage_of, arguments))
    yield f"\n`crossroads {name} {usage} [OPTIONS]`\n"
    yield " ".join((command.help or "").split()) + "\n"
    yield "| argument or option | meaning |\n|---|---|"
    for one in arguments:
        yield f"| `{one.metavar}` | {one.help} |"
    for one in command.params:
        if one not in arguments and not one.hidden and "--help" not in one.opts:
            yield _option(one, typing.get_args(kinds[one.name])[0])
    for kind, keys in keys_of(command.callback).items():
        for key in keys.values():
            said = said_of_key(key).replace("|", r"\|")
            yield f"| `{TAKERS[kind][1]} {key.shown}=` | {said[:1].upper()}{said[1:]} |"
    yield ""


def _option(one: Any, kind: Any) -> str:
    choices = list(_choices(kind))
    names = shown_names(one)
    value = "" if one.metavar is None else f" {one.metavar}"
    shown = ", ".join(f"`{name}{value if name == names[-1] else ''}`" for name in names)
    said = one.help.partition(":")[0] if one.name in ("model_option", "convention") else one.help
    said = said.rstrip(".")
    if choices and not all(str(choice) in said + value for choice in choices):
        said += ". One of " + ", ".join(f"`{choice}`" for choice in choices)
    if one.required:
        said += ". Required"
    elif kind is not bool and one.default not in (None, "", [], ()):
        written = (
            " ".join(map(str, one.default)) if isinstance(one.default, tuple | list) else str(one.default)
        )
        said += f". `{written}` if left out"
    return f"| {shown.replace('|', chr(92) + '|')} | {said.replace('|', chr(92) + '|')} |"


def _choices(kind: Any) -> Iterator[Any]:
    """The values that an option can have, if they are listed."""
    if typing.get_origin(kind) is CHOICES:
        yield from typing.get_args(kind)
    elif typing.get_origin(kind) in (typing.Union, types.UnionType):
        for one in typing.get_args(kind):
            yield from _choices(one)


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
