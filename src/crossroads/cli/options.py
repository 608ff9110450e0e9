"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.errors import InputError, Missing, UnknownNameError, join_words, nearest
from crossroads.inference.permutation.test import Alternative, Method, Ties
from crossroads.stimuli import Design, batteries, catalog, read_designs


def complete_test(incomplete: str) -> list[str]:
    """Names of designs that begin as typed, for shell completion."""
    return [
        name for name in (*batteries(), *catalog().of_kind("design")) if name.startswith(incomplete.lower())
    ]


Tests = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        "-t",
        help="A test or a battery of the catalogue, or a design of the files given with --design; "
        "may be given several times.",
        metavar="NAME",
        autocompletion=complete_test,
    ),
]
DesignFiles = Annotated[
    list[Path] | None,
    typer.Option("--design", "-d", help="Your own designs: TOML, JSON or CSV.", metavar="FILE"),
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON document to stdout and nothing else.")]
Fallback = Annotated[
    str,
    typer.Option(
        help="Spellings to try for words not found as written: none, or some of lower,title,accents; "
        "auto means lower if almost no word of the vocabulary has a capital letter (at most one in 2,000).",
        metavar="RULES",
    ),
]
MissingOption = Annotated[Missing, typer.Option(help="What to do with stimuli that have no vector.")]
MissingByDefault = Annotated[
    Missing | None,
    typer.Option(
        help="What to do with stimuli that have no vector; by default raise if tests are named, and "
        "drop otherwise.",
        show_default=False,
    ),
]
AlternativeOption = Annotated[Alternative, typer.Option(help="Which tail.")]
TiesOption = Annotated[Ties, typer.Option(help="Whether divisions equal to the observed one count.")]
MethodOption = Annotated[Method, typer.Option(help="Method of p-values.")]
Ddof = Annotated[int, typer.Option(help="1: sample standard deviation, 0: population.", metavar="0|1")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        help="Name of a model in titles and tables; once for each model, in their order.",
        metavar="TEXT",
    ),
]
Format = Annotated[str | None, typer.Option("--format", help="Format of the vectors; detected if left out.")]


def checked_names(names: list[str] | None, models: Sequence[str]) -> list[str] | None:
    """Names given for models: one for each, all different."""
    if names is None or not names:
        return None
    if len(names) != len(models):
        raise InputError(
            f"--name was given {len(names)} time{'' if len(names) == 1 else 's'}, for "
            f"{len(models)} model{'' if len(models) == 1 else 's'}: {join_words(models, most=6)}.",
            hint="give one name for each model, in their order.",
        )
    plain = [" ".join(name.split()) for name in names]
    for at, name in enumerate(plain):
        if not name or not name.isprintable():
            raise InputError(f"--name is {names[at]!r}.", hint="give a name with visible characters.")
        if name in plain[:at]:
            raise InputError(f"--name {name!r} was given twice.", hint="give each model a different name.")
    return plain


def _checked_figure(path: Path | None) -> Path | None:
    """Check that a figure can be written to a file, before any work is done."""
    if path is not None:
        from crossroads.plots.frame.saving import check_figure_file
        from crossroads.plots.frame.style import matplotlib

        check_figure_file(path)
        matplotlib("figure")
    return path


FigureFile = Annotated[
    Path | None,
    typer.Option("--figure", help="Also draw: PNG, SVG or PDF.", metavar="FILE", callback=_checked_figure),
]


def chosen_designs(
    tests: list[str] | None, files: list[Path] | None, *, default: tuple[str, ...]
) -> list[Design]:
    """The requested designs, in order, or those of the default batteries.

    Names are first looked up in the files. If one is found, only named designs are taken from the files;
    otherwise it is looked up in the catalogue, and all designs of the files are taken.
    """
    names = list(tests or [])
    if not names and not files:
        names = list(default)
    known = batteries()
    _check_kinds(names, files or [], known)
    own = [design for file in files or [] for design in read_designs(file)]
    mine = {design.name.casefold(): design.name for design in own}
    chosen = {mine[name.casefold()] for name in names if name.casefold() in mine}
    designs: list[Design] = []
    for name in names:
        if name.casefold() in mine:
            continue
        for found in _of_the_catalogue(name, known, mine.values()):
            if found not in designs:  # a test named twice, or of two batteries, is tested once
                designs.append(found)
    designs += [design for design in own if not chosen or design.name in chosen]
    twice = {d.name for i, d in enumerate(designs) if d.name in [e.name for e in designs[:i]]}
    if twice:
        raise InputError(f"two designs are named {sorted(twice)[0]!r}.", hint="give each one a name.")
    return designs


def _of_the_catalogue(name: str, known: Mapping[str, Any], own: Collection[str]) -> Iterator[Design]:
    """The tests of a test or battery by name; errors also suggest names from the files."""
    for member in known.get(name.lower(), (name,)):
        try:
            found: Any = catalog(member)
        except UnknownNameError as error:
            if not own:
                raise
            near = nearest(name, own, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            listed = join_words(map(repr, own), most=12)
            raise UnknownNameError(
                "test", name, (*own, *error.known), hint=f"{hint}the files contain {listed}."
            ) from error
        if not isinstance(found, Design):
            raise InputError(
                f"{name!r} is a catalogue entry, but not a test.",
                hint="crossroads catalog lists the kind of each entry.",
            )
        yield found


def _check_kinds(names: Sequence[str], files: Sequence[Path], known: Mapping[str, Any]) -> None:
    """Refuse a file given as a name, or the reverse, and name the right option."""
    entries = {entry.casefold() for entry in (*catalog().of_kind("design"), *known)}
    for name in names:
        if name.casefold() not in entries and Path(name).is_file():
            raise InputError(f"{name!r} is a file, not a test of the catalogue.", hint=f"--design {name}")
    for file in files:
        if not file.exists() and str(file).casefold() in entries:
            raise InputError(f"{str(file)!r} is of the catalogue, not a file.", hint=f"--test {file}")


def missing_policy(given: Missing | None, tests: list[str] | None, files: list[Path] | None) -> Missing:
    """The given choice; by default raise for named tests and drop for the default battery."""
    if given is not None:
        return given
    return "raise" if tests or files else "drop"


def words_of(designs: list[Design]) -> list[str]:
    """Every stimulus of several designs, once."""
    return list(dict.fromkeys(word for design in designs for word in design.words))
