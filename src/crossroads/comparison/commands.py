"""``crossroads report`` and ``crossroads compare``: saved audits on one page, or compared with each other."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from crossroads.comparison.models import Against, Attributes, Scale
from crossroads.comparison.report import compare_audits, joint, saved_audits, write_comparison
from crossroads.core.cli import options as o
from crossroads.core.cli.audit import show_joint
from crossroads.core.cli.runner import Arg, Convention, Opt, Seeded, Shown, command, passed
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.report.documents.reading import records_of
from crossroads.core.report.documents.records import Record, tests_of
from crossroads.core.report.folder import check_output
from crossroads.core.report.page.page import compares, models_of, write_page
from crossroads.core.report.renderers.card import card_files, write_card
from crossroads.core.storage.files import check_file

_OURS = b'<meta name="generator" content="crossroads">'


@dataclass(frozen=True, kw_only=True)
class Paged:
    """What is put on a page."""

    results: Annotated[
        list[Path],
        Arg(
            "RESULTS", "Folders of audits and of comparisons; or files that other commands wrote with --json."
        ),
    ]
    output: Annotated[Path, Opt("The page to write.", "FILE.html", names="--output -o")] = Path("report.html")
    name: o.Names = None
    title: Annotated[str | None, Opt("Heading of the page.", "TEXT")] = None
    card: Annotated[
        Path | None,
        Opt("Also write what was found as a section of a model card; its other contents stay.", "README.md"),
    ] = None
    benchmark: Annotated[
        str | None,
        Opt(
            "Also write an entry for each test to .eval_results next to the card; a benchmark on the "
            "Hugging Face hub whose tasks are the tests.",
            "OWNER/NAME",
        ),
    ] = None
    vectors: Annotated[
        bool,
        Opt("Leave out the vectors of the words, which the explorer needs.", names="--vectors/--no-vectors"),
    ] = True


@command
def report_command(paged: Paged, shown: Shown) -> None:
    """Put saved results on one page, or into a model card.

    The page opens from disk without a network.
    """
    output = paged.output
    check_page(output)
    if paged.benchmark is not None and paged.card is None:
        raise InputError(
            "--benchmark names where the entries of a card belong.", hint="add --card README.md."
        )
    if paged.card is not None:
        check_file(paged.card)
    records = _records(paged.results, paged.name)
    if not paged.vectors:
        records = [dataclasses.replace(one, vectors=None) for one in records]
    printing.unshown({name: why for one in records for name, why in one.unshown.items()})
    models = [one for one in records if not compares(one)]
    files = {} if paged.card is None else card_files(paged.card, models, paged.benchmark)
    write_page(output, records, title=paged.title)
    size = output.stat().st_size
    write_card(files)
    if shown.json:
        tests = dict.fromkeys(test for one in records for test in tests_of(one.document))
        details = {"models": [one.model for one in models_of(records)], "tests": list(tests)}
        card = [str(one) for one in files]
        printing.document("report", [], output=str(output), bytes=size, card=card, **details)
        return
    for text in (f"{output} ({size / 1e6:.1f} MB)", *files):
        printing.out.print(f"written to {text}", markup=False, soft_wrap=True)


def _records(places: list[Path], names: list[str] | None) -> list[Record]:
    """Saved results under the names given for their models; comparisons keep theirs."""
    records, repeated = records_of(places)
    printing.repeated(repeated)
    models = [at for at, one in enumerate(records) if not compares(one)]
    renamed = o.checked_names(names, [records[at].model for at in models])
    for at, name in zip(models, renamed or (), strict=False):
        records[at] = dataclasses.replace(records[at], document={**records[at].document, "model": name})
    return records


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What is compared, and how."""

    audits: Annotated[list[Path], Arg("AUDIT", "Folders written by crossroads audit; two or more.")]
    output: Annotated[Path, Opt("Folder for the comparison.", "FOLDER", names="--output -o")] = Path(
        "comparison"
    )
    name: o.Names = None
    against: Annotated[Against, Opt("Compare all pairs of models, or each with the first.", "all|first")] = (
        "all"
    )
    figures: Annotated[bool, Opt("Draw no figures.", names="--figures/--no-figures", panel="Output")] = True
    alternative: Annotated[Tail, Convention("which tail")] = "two-sided"
    scale: Annotated[
        Scale, Convention("changes in standard deviations, or of cosines: for models of one kind")
    ] = "sd"
    attributes: Annotated[
        Attributes, Convention("attribute words: a sample, or the only ones of interest")
    ] = "drawn"


@command
def compare_command(compared: Compared, shown: Seeded) -> None:
    """Compare the audits of two or more models.

    Every design that both have is measured again on the words that both have, with a paired test, on the
    saved vectors and over contexts; otherwise the saved numbers are shown side by side without a test.
    """
    check_output(compared.output)
    records = _records(compared.audits, compared.name)
    saved = saved_audits(records)
    shared = {name for one in saved for name in one.designs}
    kinds = any(one.vectors is not None for one in saved) + any(one.contexts is not None for one in saved)
    with waiting.counting("comparing", len(shared) * max(kinds, 1)) as (bar, task):
        options = passed(compare_audits, compared, shown) | {"audits": saved}
        comparison = compare_audits(progress=lambda _: bar.advance(task), **options)
    audits = [one for one in records if one.document["kind"] != "results"]
    written = write_comparison(compared.output, comparison, records=audits, figures=compared.figures)
    if shown.json:
        printing.document("compare", comparison.results, output=str(compared.output))
        return
    show_joint(joint(comparison))
    printing.ending(compared.output, written.absent)


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
        if head and _OURS not in head:
            what = f"{output} exists and is not a page of crossroads."
            raise InputError(what, hint="name another file with --output.")
