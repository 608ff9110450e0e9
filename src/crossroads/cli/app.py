"""The program ``crossroads``: its commands, and how errors reach the shell."""

from __future__ import annotations

import functools
import importlib
import io
import os
import re
import shutil
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.markup import escape
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

import crossroads
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import (
    CrossroadsError,
    CrossroadsWarning,
    InputError,
    nearest,
    printable,
    without_middle,
)
from crossroads.storage.disks import full_disk, is_full

COMMANDS = {
    "audit": ("audit.command", "Run all measures that apply to models, and write the results to a folder."),
    "weat": ("associations", "Test whether two targets differ in their association with two attributes."),
    "mleat": (
        "associations",
        "Measure three levels of association and their pattern; over decades for a HistWords folder.",
    ),
    "sc-weat": ("associations", "Measure which single words lean to one attribute or the other."),
    "ibd": ("intersections", "Detect words associated with an intersectional group."),
    "eibd": ("intersections", "Detect words that emerge at an intersection, not in its parents."),
    "rsa": (
        "intersections",
        "Compare the geometry of a model with two hypotheses about two groups and a concept.",
    ),
    "contexts": ("contexts", "Find sentences with the stimuli, and keep a random sample for each."),
    "embed": ("embed", "Compute the vector of every context; an interrupted run resumes where it stopped."),
    "ceat": ("ceat", "Test associations over contexts: the CEAT, with a p-value over stimuli."),
    "reproduce": ("reproduce.command", "Print published numbers beside ours, with a verdict for every cell."),
    "probe": (
        "probe.command",
        "Ask a masked or causal language model for traits of groups: ILPS, ILPS* and SeT.",
    ),
    "chat": ("chat", "Ask a chat model to give words to labels, or to decide between two people."),
    "sentences": ("probe.sentences", "Score pairs or triples of sentences, and say which a model prefers."),
    "align": ("align", "Compare a model's scores of groups on traits with human judgements."),
    "compare": ("compare", "Compare the audits of two or more models."),
    "report": (
        "report",
        "Combine saved audits, or output of --json, into one page, which opens from disk without a network.",
    ),
    "catalog": ("catalog", "List the published stimuli, or show one entry with its source and its words."),
}
"""The commands: the module of ``crossroads.cli.commands`` with the function of each (``rsa_command``), and
the first sentence of its help. Lists of commands need no more; only a command that is called is loaded."""


class _Program(TyperGroup):
    """The program; a command is loaded when it is called, or when its options are completed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else _command(name), rest


class _Command(TyperCommand):
    """A command whose errors name the option with a wrong value, and suggest the nearest valid one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = _wrong_value(error.message, error.__cause__)
            raise


_EXPECTED = {
    "int_parsing": "a whole number was expected",
    "int_from_float": "a whole number was expected",
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
        help="Measure the social and intersectional associations that a model has learned.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        suggest_commands=True,
        epilog="Exit status: 0 success, 1 failure, 2 bad usage or input, 130 interrupted.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, (place, sentence) in COMMANDS.items():
        if name in loaded:
            module = importlib.import_module(f"crossroads.cli.commands.{place}")
            app.command(name, cls=_Command)(getattr(module, f"{name.replace('-', '_')}_command"))
        else:
            app.command(name, help=sentence)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Take the place of a command in lists."""


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
        _tell(error.message, error.hint, error.option)
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


def _program(*loaded: str) -> Any:
    """The commands; in narrow terminals with plain-text help."""
    narrow = shutil.get_terminal_size().columns < NARROW
    app = app_of(*loaded)
    app.rich_markup_mode = None if narrow else "rich"
    program: Any = typer.main.get_command(app)
    for command in (program, *program.commands.values()):
        command.help = _prose(command.help or "")
        for one in (command, *command.params) if narrow else ():
            one.help = Text.from_markup(getattr(one, "help", None) or "").plain
    return program


def _command(name: str) -> Any:
    """A command, loaded."""
    return _program(name).commands[name]


def _prose(text: str) -> str:
    """Help without the line breaks of its source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


_THEIRS = (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""Failures that are about the paths that were given."""


def _tell(message: str, hint: str | None, about: str | tuple[str, ...] | None = None) -> None:
    """Print an error; the arguments that it is about are spelled as options of the command."""
    options = _options(sys.argv[1:]) if about else {}
    for argument in (about,) if isinstance(about, str) else about or ():
        if option := options.get(argument):
            message, hint = (_spelled(text, f"{argument}=", option) for text in (message, hint or ""))
    printing.err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    if hint:
        printing.err.print(f"\nhint: {hint}", markup=False, soft_wrap=True)


def _spelled(text: str, argument: str, option: str) -> str:
    """A text with an option in place of an argument: ``--missing 'drop'`` for ``missing='drop'``."""
    return (
        text.replace(f"{argument}True", option)
        .replace(f"{argument} ", f"{option} ")
        .replace(argument, f"{option} ")
    )


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """The options of the current command, by their names in Python."""
    name = next((one for one in arguments if one in COMMANDS), None)
    options = [] if name is None else [(one.name, max(one.opts, key=len)) for one in _command(name).params]
    return {name.rstrip("_"): text for name, text in options if text.startswith("--")}


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
