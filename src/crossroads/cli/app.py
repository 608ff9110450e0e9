"""The program ``crossroads``: its commands, and how errors reach the shell."""

from __future__ import annotations

import functools
import importlib
import io
import os
import shutil
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.markup import escape
from rich.text import Text
from typer.core import TyperCommand

import crossroads
from crossroads.cli.terminal import hints as spelling
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import CrossroadsError, CrossroadsWarning, InputError, printable, without_middle
from crossroads.storage.disks import full_disk, is_full


class _Command(TyperCommand):
    """A command whose errors name the option with a wrong value, and suggest the nearest valid one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = spelling.value_in_the_shell(error.message, error.__cause__)
            raise


COMMANDS = {
    "audit": "audit.command",
    "weat": "associations",
    "mleat": "associations",
    "sc-weat": "associations",
    "ibd": "intersections",
    "eibd": "intersections",
    "rsa": "intersections",
    "contexts": "contexts",
    "embed": "embed",
    "ceat": "ceat",
    "reproduce": "reproduce.command",
    "probe": "probe.command",
    "chat": "chat",
    "sentences": "probe.sentences",
    "align": "align",
    "compare": "compare",
    "report": "report",
    "catalog": "catalog",
}
"""The commands, and the module of ``crossroads.cli.commands`` with the function of each (``rsa_command``).
Only the one that is called is loaded, which is most of the time that a short command takes."""


@functools.cache
def app_of(*names: str) -> typer.Typer:
    """The program with some of its commands."""
    app = typer.Typer(
        name="crossroads",
        help="Measure the social and intersectional associations that a model has learned.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        suggest_commands=True,
        epilog="Exit status: 0 success, 1 failure, 2 bad usage or input, 130 interrupted.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in names:
        module = importlib.import_module(f"crossroads.cli.commands.{COMMANDS[name]}")
        app.command(name, cls=_Command)(getattr(module, f"{name.replace('-', '_')}_command"))
    return app


def _called(arguments: Sequence[str]) -> typer.Typer:
    """The program with the command that is called, or with all of them if that is none of these."""
    name = arguments[0] if arguments else ""
    return app_of(name) if name in COMMANDS else app_of(*COMMANDS)


def __getattr__(name: str) -> typer.Typer:
    """``app``, the program with all commands."""
    if name == "app":
        return app_of(*COMMANDS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


NARROW = 72
"""Width below which tables would truncate the names of options, so that the help is plain text."""


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
    with interrupting.guarded():
        _run()


def _run() -> None:
    with warnings.catch_warnings():  # which puts back who shows them
        warnings.showwarning = _show_warning
        _heard()


def _heard() -> None:
    if sys.stdout is None:  # closed by the shell: there is nobody to tell results to
        sys.exit("error: standard output is closed.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="crossroads.plain")  # a terminal without a sign still gets the number
    try:
        with waiting.telling(sys.argv[1:]):
            _program()()
    except CrossroadsError as error:
        _tell(error.message, error.hint)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except BrokenPipeError:
        sys.exit(1)
    except MemoryError:
        _tell("there is not enough memory.", "use fewer samples, resamples or workers, or smaller batches.")
        sys.exit(1)
    except OSError as error:
        if is_full(error):
            told = full_disk(error, None if error.filename is None else Path(os.fsdecode(error.filename)))
            _tell(told.message, told.hint)
            sys.exit(1)
        _tell(without_middle(str(error)), None)
        sys.exit(2 if isinstance(error, _THEIRS) else 1)


def _program() -> Any:
    """The commands; in narrow terminals with plain-text help."""
    narrow = shutil.get_terminal_size().columns < NARROW
    app = _called(sys.argv[1:])
    app.rich_markup_mode = None if narrow else "rich"
    program: Any = typer.main.get_command(app)
    for command in (program, *program.commands.values()):
        command.help = _prose(command.help or "")
        for one in (command, *command.params) if narrow else ():
            one.help = Text.from_markup(getattr(one, "help", None) or "").plain
    return program


def _prose(text: str) -> str:
    """Help without the line breaks of its source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


_THEIRS = (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""Failures that are about the paths that were given."""


def _tell(message: str, hint: str | None) -> None:
    """Print an error, with options as the shell spells them."""
    options = _options(sys.argv[1:])
    said = spelling.message_in_the_shell(message, options)
    printing.err.print(f"[bold red]error:[/] {escape(said)}", soft_wrap=True)
    advice = spelling.hint_in_the_shell(hint or "", options)
    if advice:
        printing.err.print(f"\nhint: {advice}", markup=False, soft_wrap=True)


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """The options of the current command, by their names in Python."""
    commands = getattr(typer.main.get_command(_called(arguments)), "commands", {})
    command = next((commands[one] for one in arguments if one in commands), None)
    found = {} if command is None else {one.name: max(one.opts, key=len) for one in command.params}
    return {name.rstrip("_"): text for name, text in found.items() if text.startswith("--")}


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
