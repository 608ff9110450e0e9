"""The help: of the program, and of a command in groups of options, as plain text of any width."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from crossroads.core.cli.runner import TAKERS, Convention, Key, keys_of

HIDDEN = frozenset({"--design", "-d", "--fallback", "--fail-on"})
"""Second names of options, which work and are not shown."""
_EVERYWHERE = {"json": "--json", "verbose": "--verbose", "seed": "--seed N"}
_HELPS = ("--help", "--help-all")
_PANELS = ("Common", "Words", "Models", "Asking", "Cost", "Output", "Scale")
_INDENT = 26  # column in which explanations begin


def program_help(groups: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """The help of the program: its commands in groups, each with a sentence."""
    lines = [
        "Measure the social and intersectional associations that a model has learned.",
        "",
        *_wrapped("Usage: crossroads COMMAND [MODEL] [OPTIONS]; MODEL may be left out: default", 7),
        "",
    ]
    for group, commands in groups.items():
        lines.append(_bold(group))
        for name, sentence in commands:
            lines += _entry(name, sentence, 13)
    lines += [
        "",
        *_wrapped(f"Everywhere: {', '.join([*_EVERYWHERE.values(), *_HELPS])}; crossroads --version", 12),
        *_wrapped("Exit status: 0 done, 1 a rule was broken, 2 anything else wrong, 130 interrupted", 13),
    ]
    return "\n".join(lines)


def command_help(command: Any, place: str, *, whole: bool = False) -> str:
    """The help of a command that is called as ``place``; ``whole`` lists each key of ``-M`` and ``-C``."""
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    usage = " ".join(["Usage:", place, *map(usage_of, arguments), "[OPTIONS]"])
    lines = []
    for part in (command.help or "").split("\n\n"):  # without the line breaks of the source
        lines += [*_wrapped(" ".join(part.split()), 0), ""]
    lines += _wrapped(usage, 7)
    for one in arguments:
        lines += ["", *_entry(one.metavar, one.help or "", 4 + len(one.metavar))]
    lines.append("")
    keys = keys_of(command.callback)
    for panel, options in _grouped(command.params).items():
        lines.append(_bold(panel))
        for one in options:
            lines += _option(one, short=not whole)
    if keys.get(Convention) and not whole:
        lines.append(_bold("Advanced"))
        lines += _entry("-C, --convention K=V", "How a measure is defined: --help-all lists it.", _INDENT)
    for kind, known in keys.items() if whole else ():
        lines += [_bold("Keys of {}, {} KEY=VALUE".format(*TAKERS[kind][1:]))] if known else []
        for key in known.values():
            lines += _entry(key.shown, said_of_key(key), _INDENT)
    there = {one.name for one in command.params}
    named = [shown for name, shown in _EVERYWHERE.items() if name in there]
    lines += [_bold("Everywhere"), f"  {' · '.join([*named, *_HELPS])}"]
    return "\n".join(lines)


def usage_of(argument: Any) -> str:
    """An argument as the usage has it: in brackets if it may be left out."""
    named = f"{argument.metavar}{'...' if argument.nargs != 1 else ''}"
    return named if argument.required else f"[{named}]"


def said_of_key(key: Key) -> str:
    """A key in a line: what it does, its values and its default."""
    said = key.setting.said
    if key.choices:
        said += f": {', '.join(map(str, key.choices))}"
    elif bool in key.values:
        said += ": true or false"
    default = ",".join(key.default) if isinstance(key.default, tuple) else key.default
    return said if default in (None, False, "") else f"{said} [default: {default}]"


def shown_names(option: Any) -> list[str]:
    """The names of an option that are shown, the short one first; of switches that are on the other one."""
    names = option.secondary_opts if option.default is True else option.opts
    return sorted((name for name in names if name not in HIDDEN), key=len)


def _grouped(params: Sequence[Any]) -> dict[str, list[Any]]:
    """Options that are shown by their panel; those of all commands and the conventions stand at the end."""
    found: dict[str, list[Any]] = {name: [] for name in _PANELS}
    for one in params:
        hidden = getattr(one, "hidden", False) or one.name in (*_EVERYWHERE, "help", "convention")
        if one.opts[0].startswith("-") and not hidden:
            found.setdefault(getattr(one, "rich_help_panel", None) or "Common", []).append(one)
    return {panel: options for panel, options in found.items() if options}


def _option(one: Any, *, short: bool) -> list[str]:
    """The lines of an option; in short the first keys of ``-M`` only."""
    value = "" if one.metavar is None else f" {one.metavar}"
    said = one.help or ""
    if one.name == "model_option":
        value = " K=V"
        said = f"{said.partition(':')[0]}: --help-all lists it." if short else said.partition(":")[0]
    if one.required:
        said += " [required]"
    elif one.default not in (None, False, True, "", (), []) and not one.multiple:
        default = " ".join(map(str, one.default)) if isinstance(one.default, tuple) else one.default
        said += f" [default: {default}]"
    return _entry(f"{', '.join(shown_names(one))}{value}", said, _INDENT)


def _entry(name: str, text: str, indent: int) -> list[str]:
    """A name and its explanation on its line, or below it if the name is long."""
    lines = _wrapped(" " * indent + text, indent)
    if len(name) + 3 > indent:
        return [f"  {name}", *lines]
    return [f"  {name}".ljust(indent) + lines[0][indent:], *lines[1:]]


def _wrapped(text: str, indent: int) -> list[str]:
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False) or [""]


def _bold(text: str) -> str:
    return typer.style(text, bold=True)
