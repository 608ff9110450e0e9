"""One runner for all commands: dataclasses of options in, an outcome out.

A command is a function of dataclasses. :func:`command` makes one flat signature of their fields for typer,
builds the objects again from what was typed, calls the function and shows its :class:`Outcome`. Fields marked
as :class:`ModelOption` or :class:`Convention` are no options of their own: ``-M`` and ``-C`` take them as
``KEY=VALUE``.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

import crossroads
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError, UnknownNameError, in_short, join_words
from crossroads.core.wording.table import Table, distinct

if TYPE_CHECKING:
    from crossroads.core.evidence import Embeddings
    from crossroads.core.results import Result

FIGURES = (".png", ".svg", ".pdf")
WRITTEN = (".csv", ".tex", ".json", *FIGURES)  # endings of the files that a measure can write


@dataclass(frozen=True)
class Opt:
    """An option of a command, named as its field unless it has other names."""

    said: str  # what it does, for the help
    value: str | None = None  # what its value is called in the help; None for switches
    panel: str = "Common"  # the group of the help that it belongs to
    names: str = ""  # its names, separated by blanks
    least: float | None = None
    most: float | None = None  # the range of a number
    complete: Callable[[str], list[str]] | None = None  # values for shell completion
    check: Callable[[Any], Any] | None = None  # called with the value before any work is done
    hidden: bool = False  # whether the help leaves it out

    def to_typer(self, field_name: str) -> Any:
        """The same for typer."""
        names = self.names.split() or [f"--{field_name.replace('_', '-')}"]
        return typer.Option(
            *names, help=self.said, metavar=self.value, rich_help_panel=self.panel, min=self.least,
            max=self.most, autocompletion=self.complete, callback=self.check, hidden=self.hidden,
        )  # fmt: skip


@dataclass(frozen=True)
class Arg:
    """An argument of a command."""

    value: str  # what it is called in the help
    said: str  # what it is
    complete: Callable[[str], list[str]] | None = None  # values for shell completion

    def to_typer(self, _: str) -> Any:
        """The same for typer."""
        return typer.Argument(help=self.said, metavar=self.value, autocompletion=self.complete)


@dataclass(frozen=True)
class Setting:
    """A rare setting, which ``KEY=VALUE`` takes."""

    said: str  # what it does, in a line
    key: str = ""  # its name in the shell, where that is not the name in Python
    least: float | None = None  # smallest number that it can be


class ModelOption(Setting):
    """How a model is read: ``-M``."""


class Convention(Setting):
    """How a measure is defined: ``-C``."""


TAKERS: Mapping[type[Setting], tuple[str, str, str]] = {
    ModelOption: ("model_option", "-M", "--model-option"),
    Convention: ("convention", "-C", "--convention"),
}
"""The two options for rare settings: name of the parameter, short and long name."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """How results are shown."""

    json: Annotated[bool, Opt("Write one JSON document to stdout, nothing else.")] = False
    verbose: Annotated[bool, Opt("Print all tables, with all rows.")] = False


@dataclass(frozen=True, kw_only=True)
class Seeded(Shown):
    """The same for what depends on random numbers."""

    seed: Annotated[int, Opt("Seed of all random numbers.", "N")] = 0


def _checked_files(paths: list[Path] | None) -> list[Path] | None:
    """Check that all files can be written, before any work is done."""
    from crossroads.core.storage.files import check_file

    for path in paths or ():
        if path.suffix.lower() not in WRITTEN:
            hint = f"the ending says what is written: {join_words(WRITTEN, last='or')}."
            raise InputError(f"--output {path} ends in {path.suffix or 'nothing'}.", hint=hint)
        check_file(path)
        if path.suffix.lower() in FIGURES:
            from crossroads.core.figures.style import matplotlib

            matplotlib("figure")
    return paths


@dataclass(frozen=True, kw_only=True)
class Written(Seeded):
    """The same for a measure, whose results can also be written to files."""

    output: Annotated[
        list[Path] | None,
        Opt(
            "Also write the results: .csv, .tex, .json, or a figure: .png, .svg, .pdf; repeatable.",
            "FILE",
            names="--output -o",
            check=_checked_files,
        ),
    ] = None

    def draw_one(self, count: int, noun: str = "test") -> None:
        """Refuse a figure of several things where it can only show one."""
        drawn = [path for path in self.output or () if path.suffix.lower() in FIGURES]
        if drawn and count != 1:
            hint = "name one with --test, or write a file that is not a figure."
            raise InputError(f"{drawn[0]} shows one {noun}, and {count} were chosen.", hint=hint)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command found, and how to show it."""

    command: str  # name of the command in the document
    results: Mapping[str, Result]  # results by name
    more: Mapping[str, Any] = field(default_factory=dict)  # what else is in the document
    heading: Sequence[str] = ()  # lines above the tables
    tables: Sequence[Table] = ()  # tables to print
    titled: bool = False  # whether the title of the first table is printed; those of further ones always are
    files: Sequence[Table] | None = None  # tables for files, where they are not those that are printed
    lines: Sequence[str] = ()
    """Lines below the tables; those that begin with an asterisk are as bright as results."""
    source: Embeddings | None = None  # vectors that were measured, if how they were read is to be said
    layer: bool = True  # whether their layer is worth saying
    covered: bool = True  # whether missing stimuli are reported
    skipped: Mapping[str, str] = field(default_factory=dict)  # what could not be measured, and why
    figure: Callable[[Any], Any] | None = None
    """Draws a figure with :mod:`crossroads.plots`, or several by name."""

    @property
    def document(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "crossroads": crossroads.__version__,
            "command": self.command,
            "results": [one.to_dict() for one in self.results.values()],
            **self.more,
        }

    def write(self, path: Path) -> None:
        """Write the results to a file, whose ending says what."""
        from crossroads.core.report.renderers.texts import latex_tables
        from crossroads.core.stimuli.files.text import write_rows
        from crossroads.core.storage.files import write_file

        ending, tables = path.suffix.lower(), self.tables if self.files is None else self.files
        if ending in FIGURES:
            self._draw(path)
        elif ending == ".json":
            write_file(path, "".join(printing.json_pieces(self.document)))
        elif ending == ".tex":
            write_file(path, latex_tables(tables, label="tab:crossroads"))
        else:
            for name, table in distinct([one for one in tables if one.rows] or tables[:1]).items():
                text = io.StringIO(newline="")
                write_rows(text, table.heads(), table.records())
                write_file(_named(path, name) if name else path, text.getvalue())

    def _draw(self, path: Path) -> None:
        from crossroads import plots

        if self.figure is None:
            raise InputError(f"{self.command} has no figure for {path}.", hint="write .csv, .tex or .json.")
        drawn = self.figure(plots)
        for name, one in drawn.items() if isinstance(drawn, dict) else {"": drawn}.items():
            plots.save(one, _named(path, name) if name else path)

    def show(self) -> None:
        """Print tables, lines and notes."""
        for line in self.heading:
            printing.out.print(line, markup=False)
        said: set[str] = set()
        for at, table in enumerate(self.tables):
            printing.show(table, title=at > 0 or self.titled, said=said)
        for line in self.lines:
            printing.out.print(line.removeprefix("*"), style="" if line[:1] == "*" else "dim", markup=False)
        if self.source is not None and (line := said_of(self.source, layer=self.layer)):
            printing.out.print(line, style="dim", markup=False)
        if self.covered:
            printing.notes([(name, one.coverage) for name, one in self.results.items()])
        printing.skipped(self.skipped)


def _named(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}-{name}{path.suffix}")


def said_of(emb: Embeddings, *, layer: bool = True) -> str:
    """How a model gave its vectors, in a line; nothing for files of vectors."""
    details, said = emb.provenance.details, []
    if "contexts of a word" in details:
        said.append(
            f"One vector per word: the mean over its contexts ({details['contexts of a word']} of a word); "
            "crossroads ceat draws them."
        )
    elif "bare words" in details:
        said.append(f"Words are read without a prompt: {details['bare words']}.")
    elif "prompt" in details:
        prompts = details["prompt"] if isinstance(details["prompt"], list) else [details["prompt"]]
        said.append(f"Words are read in: {'; '.join(map(str, prompts))}.")
    if layer and "layer" in details:
        said.append(f"Layer {details['layer']} of {details['layers of the model']}.")
    if "pooling" in details:
        said.append(f"Pooling: {details['pooling']}.")
    return " ".join(said)


_FLAGS = {"": True, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Key:
    """A setting of a command, with the type and the default of its field."""

    name: str  # name of the field, as in Python
    setting: Setting  # what it is
    kind: Any  # type of its values
    default: Any  # value if it is not given

    @property
    def shown(self) -> str:
        """Its name in the shell."""
        return self.setting.key or self.name

    @property
    def values(self) -> tuple[Any, ...]:
        """The type, or the types, of its values; without None."""
        union = get_args(self.kind) if get_origin(self.kind) not in (Literal, tuple, None) else (self.kind,)
        return tuple(one for one in union if one is not NoneType)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that it can have, where they are listed."""
        return tuple(choice for one in self.values if get_origin(one) is Literal for choice in get_args(one))

    def read(self, text: str) -> Any:
        """A value that was typed."""
        if text.lower() == "none" and NoneType in get_args(self.kind):
            return None
        if self.choices:
            by_text = {str(choice): choice for choice in self.choices}
            if text not in by_text:
                raise UnknownNameError(f"value of {self.shown}", text, by_text)
            return by_text[text]
        kind = self.values[0]
        if kind is bool:
            if text.lower() not in _FLAGS:
                raise InputError(f"{self.shown}={in_short(text)}: true or false was expected.")
            return _FLAGS[text.lower()]
        if get_origin(kind) is tuple:
            return tuple(part.strip() for part in text.split(",") if part.strip())
        try:
            found = kind(text)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            raise InputError(f"{self.shown}={in_short(text)}: {what} was expected.") from None
        if self.setting.least is not None and not found >= self.setting.least:
            raise InputError(f"{self.shown}={text}: a number of at least {self.setting.least} was expected.")
        return found


def read_settings(taker: str, typed: Sequence[str], known: Mapping[str, Key]) -> dict[str, Any]:
    """Settings by their names in Python, from ``KEY=VALUE``; a list may be given in parts."""
    found: dict[str, Any] = {}
    for text in typed:
        name, equals, value = (part.strip() for part in text.partition("="))
        name = name.replace("-", "_")
        if name not in known:
            raise UnknownNameError(f"key of {taker}", name, known)
        key = known[name]
        if not equals and bool not in key.values:
            raise InputError(f"{taker} {in_short(text)} has no value.", hint=f"give it as {name}=VALUE.")
        read = key.read(value)
        found[key.name] = (*found.get(key.name, ()), *read) if isinstance(read, tuple) else read
    return found


def passed(function: Callable[..., Any], *parts: Any) -> dict[str, Any]:
    """The fields of dataclasses of options that a function of Python takes, by name."""
    takes = inspect.signature(function).parameters
    return {name: value for part in parts for name, value in vars(part).items() if name in takes}


def command(function: Callable[..., Outcome | None]) -> Callable[..., None]:
    """Make a command for typer of a function of dataclasses of options."""
    hints = get_type_hints(function)
    parts = {name: hints[name] for name in inspect.signature(function).parameters}
    parameters: dict[str, inspect.Parameter] = {}
    keys: dict[type[Setting], dict[str, Key]] = {kind: {} for kind in TAKERS}
    for part in parts.values():
        extra = get_type_hints(part, include_extras=True)
        for one in fields(part):
            bare, *marks = get_args(extra[one.name])
            for mark in marks:
                if isinstance(mark, Setting):
                    key = Key(one.name, mark, bare, one.default)
                    keys[type(mark)][key.shown] = key
                else:
                    default = inspect.Parameter.empty if one.default is MISSING else one.default
                    parameters[one.name] = _parameter(one.name, bare, mark.to_typer(one.name), default)
    for kind, (name, *spelled) in TAKERS.items():
        if keys[kind]:
            parameters[name] = _taker(name, spelled, keys[kind])

    def run(**typed: Any) -> None:
        for kind, (name, _, long) in TAKERS.items():
            typed |= read_settings(long, typed.pop(name, None) or (), keys[kind])
        built = {
            name: part(**{one.name: typed[one.name] for one in fields(part) if one.name in typed})
            for name, part in parts.items()
        }
        show = next((one for one in built.values() if isinstance(one, Shown)), Shown())
        printing.out.verbose = show.verbose
        outcome = function(**built)
        if outcome is None:
            return
        for path in getattr(show, "output", None) or ():
            outcome.write(path)
        if show.json:
            printing.write_json(outcome.document)
        else:
            outcome.show()

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: one.annotation for name, one in parameters.items()}
    run.keys = keys  # type: ignore[attr-defined]
    return run


def keys_of(callback: Any) -> dict[type[Setting], dict[str, Key]]:
    """The settings that ``-M`` and ``-C`` of a command take, by their names in the shell."""
    found: dict[type[Setting], dict[str, Key]] = getattr(callback, "keys", {})
    return found


def _parameter(name: str, kind: Any, option: Any, default: Any = None) -> inspect.Parameter:
    annotation = Annotated[kind, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _taker(name: str, spelled: Sequence[str], keys: Mapping[str, Key]) -> inspect.Parameter:
    reads = name == "model_option"
    what = "How a model is read" if reads else "How a measure is defined"
    option = typer.Option(
        *spelled, help=f"{what}: {', '.join(keys)}.", metavar="KEY=VALUE",
        rich_help_panel="Models" if reads else "Advanced",
        autocompletion=lambda incomplete: [f"{key}=" for key in keys if key.startswith(incomplete)],
    )  # fmt: skip
    return _parameter(name, list[str] | None, option)
