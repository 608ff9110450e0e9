"""``crossroads contexts``: sentences for every stimulus, from a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TextColumn,
    TransferSpeedColumn,
)
from rich.table import Table

from crossroads.contexts.corpus import Found, WordCoverage, find_contexts, write_contexts
from crossroads.contexts.corpus.files import Format, Unit
from crossroads.contexts.corpus.search import LIMIT, Hyphens
from crossroads.contexts.corpus.store import check_folder
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, Opt, Seeded, command, passed
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError, join_words
from crossroads.core.stimuli import batteries, catalog

DEFAULT = ("ceat", "ceat-intersectional")
_CORPUS = "Corpus"
_LONG = 20
"""Batteries with more tests than this are one line of the table."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A corpus, and what is searched for in it."""

    corpus: Annotated[
        list[str],
        Arg("CORPUS", "Files or patterns: .txt, .jsonl, .csv, .tsv, .parquet; also .gz, .bz2, .xz, .zst."),
    ]
    output: Annotated[Path, Opt("A new folder for the contexts.", "DIR", names="--output -o")]
    test: Annotated[
        list[str] | None,
        Opt(
            "A test or a battery, or all words of the catalogue; repeatable; by default ceat and "
            "ceat-intersectional.",
            "NAME",
            names="--test -t",
            complete=o.complete_test,
        ),
    ] = None
    design: Annotated[
        list[Path] | None,
        Opt(
            "Your own words: tests, or a text file with a word per line; repeatable.",
            "FILE",
            names="--words --design -w -d",
        ),
    ] = None
    window: Annotated[
        str,
        Opt("Words to keep: 9 with the target in the middle, 4+3, or all.", "N"),
    ] = "9"
    limit: Annotated[int, Opt("Largest number of contexts per word.", "N", least=1)] = LIMIT
    field: Annotated[
        str | None,
        Opt(
            "Field with the text; by default the first of body, text, content, sentence, comment, selftext.",
            "NAME",
            panel=_CORPUS,
        ),
    ] = None
    fallback: Annotated[
        str,
        Opt(
            "Other spellings for words with too few contexts: none, or some of lower,title,accents.",
            "RULES",
            names="--spelling --fallback",
            panel=_CORPUS,
        ),
    ] = "none"
    overwrite: o.Fresh = False
    minimum: Annotated[
        int | None,
        Convention("list words with fewer contexts; by default 20, or the limit if that is lower", least=0),
    ] = None
    hyphens: Annotated[Hyphens, Convention("whether short-term is one word, or contains the word term")] = (
        "join"
    )
    format: Annotated[Format | None, Convention("format of the files; by default from the suffix")] = None
    unit: Annotated[Unit, Convention("unit of a text file that is one document")] = "line"


@command
def contexts_command(searched: Searched, cluster: o.Cluster, shown: Seeded) -> None:
    """Find sentences with your words, and draw a sample of them."""
    check_folder(searched.output, overwrite=searched.overwrite)
    lists = chosen_lists(searched.test, searched.design)
    with _watching(searched.corpus) as progress:
        options = passed(find_contexts, searched, shown) | cluster.options
        words = dict.fromkeys(word for words in lists.values() for word in words)
        found = find_contexts(searched.corpus, words, progress=progress, **options)
    if not any(found.contexts.values()):
        raise InputError(
            f"none of the {len(found.words):,} words is in the {found.counts.documents:,} documents; nothing "
            "is written.",
            hint="is it the right field? if the corpus is in lower case, use --spelling lower.",
        )
    write_contexts(found, searched.output, overwrite=searched.overwrite)
    if shown.json:
        printing.document("contexts", [], **_document(found, lists, searched.output))
    else:
        _show(found, lists, searched.output)


def chosen_lists(tests: list[str] | None, files: list[Path] | None) -> dict[str, tuple[str, ...]]:
    """The words to search for, by the test or file they come from."""
    lists: dict[str, tuple[str, ...]] = {}
    names = [name for name in tests or [] if name.lower() != "all"]
    if len(names) < len(tests or []):
        lists |= _catalogue_lists()
    plain = [file for file in files or [] if _is_plain(file)]
    others = [file for file in files or [] if file not in plain]
    if names or others or not (lists or plain):
        designs = o.chosen_designs(names, others, default=DEFAULT)
        lists |= {design.name: tuple(design.words) for design in designs}
    for file in plain:
        lists[f"{file.name} (--words)"] = _read_words(file)  # a file may have the name of a test
    return lists


def _is_plain(file: Path) -> bool:
    """Whether a file is a list of words: text in which nothing separates columns."""
    if file.suffix.lower() in (".toml", ".json", ".jsonl", ".csv", ".tsv") or not file.is_file():
        return False
    return not re.search(r"[,;\t]", file.read_text(encoding="utf-8-sig", errors="replace"))


def _catalogue_lists() -> dict[str, tuple[str, ...]]:
    """Every stimulus of the catalogue by entry; a long battery is one entry."""
    long = {one: name for name, some in batteries().items() if len(some) > _LONG for one in some}
    lists: dict[str, tuple[str, ...]] = {}
    for entry in catalog().entries:
        name, words = long.get(entry.name, entry.name), _entry_words(entry.kind, entry.name)
        if words:
            lists[name] = tuple(dict.fromkeys([*lists.get(name, ()), *words]))
    return lists


def _entry_words(kind: str, name: str) -> list[str]:
    """The words of a catalogue entry; templates and sentences have none."""
    shelf = catalog()
    if kind == "design":
        return list(shelf.design(name).words)
    if kind == "words":
        return list(shelf.words(name).all_words)
    if kind == "groups":
        return [word for group in shelf.groups(name).members for word in group.items]
    if kind == "traits":
        return [word for trait in shelf.traits(name) for word in (trait.left, trait.right)]
    return []


def _read_words(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}.", hint="convert it, as with iconv.") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"the words in {str(path)!r} cannot be read ({reason}).",
            hint="give a text file with one word per line.",
        ) from error
    words = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not words:
        raise InputError(f"{path} has no words.", hint="write one word per line.")
    return words


@contextmanager
def _watching(corpus: Sequence[str]) -> Iterator[Any]:
    """A progress bar over the bytes of the corpus."""
    with waiting.Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
        waiting.TimeLeft(),
    ) as bar:
        name = Path(corpus[0]).name if len(corpus) == 1 else f"{len(corpus)} files"
        short = name if len(name) <= 16 else f"{name[:15]}…"
        task = bar.add_task(f"reading {escape(short)}", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _document(found: Found, lists: Mapping[str, tuple[str, ...]], output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "settings": dict(found.settings),
        "corpus": [asdict(file) for file in found.files],
        "counts": asdict(found.counts),
        "contexts": sum(map(len, found.contexts.values())),
        "lists": {name: list(words) for name, words in lists.items()},
        "coverage": [asdict(one) for one in found.coverage],
        "below": [one.word for one in found.below],
    }


def _show(found: Found, lists: Mapping[str, tuple[str, ...]], output: Path) -> None:
    """Print how well the corpus covers the words, and what could not be read."""
    counts, minimum = found.counts, found.settings["minimum"]
    total = sum(map(len, found.contexts.values()))
    printing.out.print(
        f"[b]{total:,} contexts[/b] of {len(found.words):,} words, out of {counts.documents:,} documents "
        f"({counts.bytes / 1e6:,.1f} MB)"
    )
    printing.out.print(coverage_table(found, lists))
    none = [one for one in found.below if not one.contexts]
    few = [one for one in found.below if one.contexts]
    _show_words("not in the corpus", [one.word for one in none])
    _show_words(f"fewer than {minimum:,} contexts", [f"{one.word} ({one.contexts})" for one in few])
    respelled = [one for one in found.coverage if one.rule != "exact" and one.contexts]
    _show_words("found under another spelling", [f"{one.word} as {one.form}" for one in respelled])
    for number, what in (
        (counts.broken, "lines are not JSON objects and were skipped"),
        (counts.without_text, "records have no text in the field and were skipped"),
        (counts.run_on, "rows have more than 100 lines; is a quotation mark missing?"),
        (counts.invalid, "documents have bytes that are not UTF-8, which were replaced"),
    ):
        if number:
            printing.out.print(f"{number:,} {what}", style="yellow", markup=False)
    printing.out.print(f"written to {output}", markup=False, soft_wrap=True)


def coverage_table(found: Found, lists: Mapping[str, tuple[str, ...]]) -> Table:
    """One line per test, and one for all of them."""
    by_word: dict[str, WordCoverage] = {one.word: one for one in found.coverage}
    table = printing.plain_table()
    table.add_column("test", overflow="fold")
    minimum = max(found.settings["minimum"], 1)
    for name in ("words", "found", f"≥ {minimum:,}", "contexts", "fewest"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = dict(lists) if len(lists) == 1 else {**lists, "all": found.words}
    for name, words in rows.items():
        some = [by_word[word] for word in words]
        least = min(some, key=lambda one: one.contexts)
        table.add_row(
            escape(name),
            f"{len(some):,}",
            f"{sum(one.contexts > 0 for one in some):,}",
            f"{sum(one.enough for one in some):,}",
            f"{sum(one.contexts for one in some):,}",
            escape(f"{least.word} {least.contexts:,}"),
            end_section=name == list(lists)[-1],
        )
    return table


def _show_words(heading: str, words: Sequence[str]) -> None:
    """List words under a heading."""
    if words:
        printing.out.print(f"[b]{escape(heading)}[/b] ({len(words):,})")
        printing.out.print(Padding(escape(join_words(words)), (0, 0, 0, 2)))
