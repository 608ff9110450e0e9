"""The program ``crossroads``: its commands, and how errors reach the shell."""

from __future__ import annotations

import functools
import importlib
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

import crossroads
from crossroads.core.cli import help as helping
from crossroads.core.cli.runner import TAKERS, keys_of
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import CrossroadsError, CrossroadsWarning, nearest, printable, without_middle
from crossroads.core.storage.files import full_disk, is_full
from crossroads.core.subjects import Command, commands

_START = "Start here"
_OURS = {
    "audit": Command(
        "crossroads.core.cli.audit", _START, "Run every measure that applies; write one page and the numbers."
    ),
    "catalog": Command(
        "crossroads.core.cli.catalog", _START, "List the published word lists, or show one with its source."
    ),
}
_ALL = {**_OURS, **commands()}
_GROUPS = dict.fromkeys(one.group for one in _ALL.values())
COMMANDS = {name: one for group in _GROUPS for name, one in _ALL.items() if one.group == group}
"""The commands. Lists of commands need no more; only a command that is called is loaded."""
SECOND = {
    "mleat": ("weat", "levels", "With each group alone, and their pattern: weat --levels."),
    "sc-weat": ("weat", "each", "With single words: weat --each."),
    "eibd": ("ibd", "emergent", ""),
    "align": ("probe", "", ""),
}
"""Second names of commands: the command, the option that they stand for, and a sentence if they are shown."""
_RENAMED = {
    "--figure": "-o FILE.svg",
    **dict.fromkeys(("--restart", "--overwrite"), "--fresh"),
    "--yes": "--limit none",
    "--github": "--summary github",
    "--ray-address": "--ray ADDRESS",
    "--pairs": "crossroads probe MODEL --pairs --answers DIR, then crossroads audit DIR",
}
"""Options of earlier versions and of other commands, and what to type instead; keys of -M or -C are known."""


class _Program(TyperGroup):
    """The program; a command is loaded when it is called, or when its options are completed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else _command(name), rest

    def format_help(self, _: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, one in COMMANDS.items():
            shown = groups.setdefault(one.group, [])
            shown.append((name, one.sentence))
            shown += [(second, said) for second, (first, _, said) in SECOND.items() if said and first == name]
        formatter.write(helping.program_help(groups))


class _Command(TyperCommand):
    """A command with a help in groups, whose errors name what to type instead."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        typed = args[: args.index("--")] if "--" in args else args
        if "--help-all" in typed:
            typer.echo(helping.command_help(self, ctx.command_path, whole=True))
            raise typer.Exit
        try:
            return super().parse_args(ctx, list(_with_addresses(args)))
        except typer.BadParameter as error:
            error.message = _wrong_value(error.message, error.__cause__)
            raise
        except Exception as error:
            if new := self._moved(str(getattr(error, "option_name", ""))):
                raise CrossroadsError(new) from None
            raise

    def _moved(self, option: str) -> str:
        """What to type instead of an option that the command does not have."""
        name = option.removeprefix("--").replace("-", "_")
        for kind, keys in keys_of(self.callback).items():
            for key in keys.values():
                if option.startswith("--") and name in (key.shown, key.name):
                    return f"{option} is now: {TAKERS[kind][1]} {key.shown}=VALUE"
        new, known = _RENAMED.get(option, ""), {opt for one in self.params for opt in one.opts}
        here = {"crossroads", *known} & {new.split(" ")[0]} and f"{option}s" not in known  # as in --figures
        return f"{option} is now: {new}" if here else ""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(helping.command_help(self, ctx.command_path))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        return [one for one in super().shell_complete(ctx, incomplete) if one.value not in helping.HIDDEN]


_ADDRESS = re.compile(r"auto|ray://.+|[\w.-]+:\d+")


def _with_addresses(args: Sequence[str]) -> Iterator[str]:
    """Arguments in which ``--ray`` has a value, which may be left out: an empty one."""
    for at, one in enumerate(args):
        has_address = at + 1 < len(args) and _ADDRESS.fullmatch(args[at + 1])
        yield "--ray=" if one == "--ray" and not has_address else one


_EXPECTED = {
    **dict.fromkeys(("int_parsing", "int_from_float"), "a whole number was expected"),
    "int_parsing_size": "a smaller number was expected",
    "float_parsing": "a number was expected",
    "greater_than_equal": "a number of at least {ge} was expected",
    "greater_than": "a number above {gt} was expected",
    "less_than_equal": "a number of at most {le} was expected",
    "less_than": "a number below {lt} was expected",
}
"""Messages for pydantic's error types."""


def _wrong_value(text: str, cause: BaseException | None) -> str:
    """The error of an option's value: the value, and the nearest valid one or what was expected."""
    text = text.removeprefix("Value error, ")
    if choice := re.match(r"'(.*)' is not one of ('.*)\.$", text):
        near = nearest(choice[1], re.findall("'([^']*)'", choice[2]), n=1)
        return f"{text} Did you mean {near[0]!r}?" if near else text
    faults: Any = getattr(cause, "errors", list)()
    if not faults:
        return text
    expected = _EXPECTED.get(faults[0]["type"])
    said = text.rstrip(".").lower() if expected is None else expected.format(**faults[0].get("ctx", {}))
    return f"{faults[0]['input']!r}: {said}."


@functools.cache
def app_of(*loaded: str) -> typer.Typer:
    """The program with some of its commands loaded, and the names and first sentences of the others."""
    app = typer.Typer(
        name="crossroads",
        cls=_Program,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        suggest_commands=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in (*COMMANDS, *SECOND):
        first, _, said = SECOND.get(name, (name, "", COMMANDS[name].sentence if name in COMMANDS else ""))
        if name in loaded:
            module = importlib.import_module(COMMANDS[first].module)
            app.command(name, cls=_Command, hidden=not said)(getattr(module, f"{first}_command"))
        else:
            app.command(name, help=said, hidden=not said)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Take the place of a command in lists."""


def __getattr__(name: str) -> typer.Typer:
    """``app``, the program with all commands."""
    if name == "app":
        return app_of(*COMMANDS, *SECOND)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _version(wanted: bool) -> None:
    if wanted:
        printing.out.print(f"crossroads {crossroads.__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Measure the social and intersectional associations that a model has learned."""
    if not version:  # which ends the program by itself
        interrupting.promise("interrupted.")


def main() -> None:
    """Run the program; expected errors become sentences, not tracebacks."""
    with interrupting.guarded(), warnings.catch_warnings():  # which puts back the function that shows them
        warnings.showwarning = _show_warning
        sys.exit(_status())


def _status() -> int:
    """Run the program and return its exit status: 1 if a rule was broken, 2 if anything else went wrong."""
    if sys.stdout is None:  # closed by the shell
        printing.err.print("error: standard output is closed.")
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="crossroads.plain")  # a terminal without a sign still gets the number
    try:
        with waiting.telling(sys.argv[1:]):
            _program()(standalone_mode=True)
    except CrossroadsError as error:
        _tell(error.message, error.hint, error.option)
        return error.exit_status
    except BrokenPipeError:
        pass
    except MemoryError:
        _tell("there is not enough memory.", "use fewer samples, resamples or workers, or smaller batches.")
    except OSError as error:
        told: Any = None
        if is_full(error):
            told = full_disk(error, None if error.filename is None else Path(os.fsdecode(error.filename)))
        _tell(told.message if told else without_middle(str(error)), told.hint if told else None)
    except Exception:
        traceback.print_exc()
    return 2


def _program(*loaded: str) -> Any:
    """The commands; second names have the option that they stand for."""
    program: Any = typer.main.get_command(app_of(*loaded))
    for name, (_, option, _) in SECOND.items():
        for one in program.commands[name].params:
            if one.name == option:
                one.default = True
    return program


def _command(name: str) -> Any:
    """A command, loaded."""
    return _program(name).commands[name]


def _tell(message: str, hint: str | None, about: str | tuple[str, ...] | None = None) -> None:
    """Print an error; the arguments that it is about are spelled as options of the command."""
    spelled = _spellings(sys.argv[1:]) if about else {}
    for argument in (about,) if isinstance(about, str) else about or ():
        if option := spelled.get(argument):
            message, hint = (_spelled(text, argument, option) for text in (message, hint or ""))
    printing.err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    if hint:
        printing.err.print(f"\nhint: {hint}", markup=False, soft_wrap=True)


def _spelled(text: str, argument: str, option: str) -> str:
    """A text with an option for an argument: ``--missing drop``, ``-C ties=weak``, ``--pairs``."""
    is_key = option.endswith("=")

    def spell(found: re.Match[str]) -> str:
        if found["true"]:
            return f"{option}true" if is_key else option
        if found["end"] is not None:
            return option.rstrip("=")
        value = found["quoted"] or re.sub("[' ]", "", found["listed"] or "")
        return f"{option}{'' if is_key else ' '}{value}"

    values = r"(?P<true>True\b)|'(?P<quoted>[^']*)'|\[(?P<listed>[^]]*)\]|(?P<end>(?=[\s.,;)]|$))|"
    return re.sub(rf"\b{argument}=(?:{values})", spell, text)


def _spellings(arguments: Sequence[str]) -> dict[str, str]:
    """How the current command spells arguments of Python: ``--missing``, ``-C ties=``."""
    name = next((one for one in arguments if one in COMMANDS or one in SECOND), None)
    if name is None:
        return {}
    command = _command(name)
    found = {one.name: one.opts[0] for one in command.params if one.opts[0].startswith("--")}
    for kind, keys in keys_of(command.callback).items():
        found |= {key.name: f"{TAKERS[kind][1]} {key.shown}=" for key in keys.values()}
    return found


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, CrossroadsWarning):
        printing.err.print(f"[yellow]warning:[/] {escape(str(message))}", soft_wrap=True)
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line)
        print(printable(text), end="", file=file or sys.stderr)
