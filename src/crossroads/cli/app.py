"""The program ``crossroads``: its commands, and how errors reach the shell."""

from __future__ import annotations

import io
import re
import sys
import warnings
from typing import Annotated, TextIO

import typer
from rich.markup import escape

import crossroads
from crossroads.cli import (
    aligning,
    associations,
    auditing,
    cataloguing,
    comparing,
    contextual,
    corpora,
    extracting,
    intersections,
    printing,
    probing,
    reporting,
    reproducing,
)
from crossroads.errors import CrossroadsError, CrossroadsWarning, InputError

app = typer.Typer(
    name="crossroads",
    help="Measure the social and intersectional associations that a model has learned.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    suggest_commands=True,
    epilog="Exit status: 0 done, 1 the work failed, 2 bad usage or input.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("audit")(auditing.audit_command)
app.command("weat")(associations.weat_command)
app.command("mleat")(associations.mleat_command)
app.command("sc-weat")(associations.sc_weat_command)
app.command("ibd")(
    intersections.detection_command("ibd", "Detect words associated with an intersectional group.")
)
app.command("eibd")(
    intersections.detection_command(
        "eibd", "Detect words that emerge at an intersection, not in its parents."
    )
)
app.command("rsa")(intersections.rsa_command)
app.command("contexts")(corpora.contexts_command)
app.command("embed")(extracting.embed_command)
app.command("ceat")(contextual.ceat_command)
app.command("reproduce")(reproducing.reproduce_command)
app.command("probe")(probing.probe_command)
app.command("align")(aligning.align_command)
app.command("compare")(comparing.compare_command)
app.command("report")(reporting.report_command)
app.command("catalog")(cataloguing.catalog_command)


def _version(wanted: bool) -> None:
    if wanted:
        printing.out.print(f"crossroads {crossroads.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Measure the social and intersectional associations that a model has learned."""


def main() -> None:
    """Run the program; errors that we foresee become sentences, not tracebacks."""
    warnings.showwarning = _show_warning
    if sys.stdout is None:  # closed by the shell: there is nobody to tell results to
        sys.exit("error: standard output is closed.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign still gets the number
    try:
        app()
    except CrossroadsError as error:
        _tell(error.message, error.hint)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except BrokenPipeError:
        sys.exit(1)
    except MemoryError:
        _tell("there is not enough memory.", "use fewer samples, resamples or workers, or smaller batches.")
        sys.exit(1)
    except OSError as error:
        _tell(str(error), None)
        sys.exit(2 if isinstance(error, _THEIRS) else 1)


_THEIRS = (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""Failures that are about the paths that were given."""
_OPTION = re.compile(
    r"\b(missing|method|dissimilarity|alternative|field|format|unit|window|hyphens|engine|device|dtype|piece"
    r"|layer|prior|kind|score|pieces|forms|measure|overwrite|restart|replace_concept|workers)"
    r"=(?:'([^']+)'|(\d+)|True)"
)


def _tell(message: str, hint: str | None) -> None:
    """Print an error, with options as the shell spells them."""
    printing.err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    if hint:
        spelled = _OPTION.sub(_as_the_shell_spells_it, hint)
        spelled = re.sub(
            r"fallback=\[([^]]*)\]", lambda m: "--fallback " + re.sub(r"[' ]", "", m[1]), spelled
        )
        spelled = spelled.replace("pass --", "use --")
        printing.err.print(f"\nhint: {spelled}", markup=False, soft_wrap=True)


def _as_the_shell_spells_it(option: re.Match[str]) -> str:
    """``missing='drop'`` as ``--missing drop``, ``replace_concept=True`` as ``--replace-concept``."""
    name = f"--{option[1].replace('_', '-')}"
    value = option[2] or option[3]
    return name if value is None else f"{name} {value}"


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
        print(text, end="", file=file or sys.stderr)
