"""``crossroads report``: saved audits, or saved results of commands, on one page."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from crossroads.cli import options as o
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError
from crossroads.report.documents.reading import records_of
from crossroads.report.documents.records import Record
from crossroads.report.page.page import compares, models_of, write_page
from crossroads.report.published import tests_of
from crossroads.report.renderers.card import card_files, write_card
from crossroads.storage.files import check_file

_OURS = '<meta name="generator" content="crossroads">'


def report_command(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of audits and of comparisons; or files that other commands wrote with --json.",
            metavar="RESULTS",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.", metavar="FILE.html")
    ] = Path("report.html"),
    name: o.Names = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.", metavar="TEXT")] = None,
    vectors: Annotated[
        bool, typer.Option(help="Include the vectors of the stimuli, which the explorer needs.")
    ] = True,
    card: Annotated[
        Path | None,
        typer.Option(
            help="Also write what was found as a section of a model card; its other contents stay.",
            metavar="README.md",
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            help="Also write an entry for each test to .eval_results beside the card; a benchmark on the "
            "Hugging Face hub whose tasks are the tests.",
            metavar="OWNER/NAME",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Combine saved audits, or output of --json, into one page, which opens from disk without a network."""
    check_page(output)
    if benchmark is not None and card is None:
        raise InputError(
            "--benchmark names where the entries of a card belong.", hint="add --card README.md."
        )
    if card is not None:
        check_file(card)
    found, repeated = records_of(results)
    printing.repeated(repeated)
    records = called(found, name)
    if not vectors:
        records = [dataclasses.replace(one, vectors=None) for one in records]
    printing.unshown({name: why for one in records for name, why in one.unshown.items()})
    models = [one for one in records if not compares(one)]
    files = {} if card is None else card_files(card, models, benchmark)
    write_page(output, records, title=title)
    size = output.stat().st_size
    write_card(files)
    if json:
        tests = dict.fromkeys(test for one in records for test in tests_of(one.document))
        names = {"models": [one.model for one in models_of(records)], "tests": list(tests)}
        printing.document(
            "report", [], output=str(output), bytes=size, card=[str(one) for one in files], **names
        )
        return
    printing.out.print(f"written to {output} ({size / 1e6:.1f} MB)", markup=False, soft_wrap=True)
    for one in files:
        printing.out.print(f"written to {one}", markup=False, soft_wrap=True)


def called(records: list[Record], names: list[str] | None) -> list[Record]:
    """Records under the names given for their models; comparisons keep theirs."""
    models = [at for at, one in enumerate(records) if not compares(one)]
    given = o.checked_names(names, [records[at].model for at in models])
    found = list(records)
    for at, name in zip(models, given or (), strict=False):
        found[at] = dataclasses.replace(found[at], document={**found[at].document, "model": name})
    return found


def check_page(output: Path) -> None:
    """Refuse a path that has other contents or cannot be written, before any work is done."""
    if output.is_dir():
        raise InputError(f"{output} is a folder.", hint="name a file with --output, such as report.html.")
    if output.suffix.lower() not in (".html", ".htm"):
        named = output.with_suffix(".html") if output.suffix else Path("report.html")
        raise InputError(f"{output} does not end in .html.", hint=f"name it {named.name}.")
    check_file(output)
    if output.exists():
        with output.open("rb") as file:
            head = file.read(2000)
        if head and _OURS.encode() not in head:
            raise InputError(
                f"{output} exists and is not a page of crossroads.",
                hint="name another file with --output.",
            )
