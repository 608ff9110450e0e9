"""``crossroads contexts``: sentences for every stimulus, from a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from crossroads.contexts.corpus import Found, find_contexts, write_contexts
from crossroads.contexts.corpus.documents import Format, Unit
from crossroads.contexts.corpus.search import LIMIT, Hyphens
from crossroads.contexts.corpus.store import check_folder
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, Opt, Seeded, command, passed
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError, join_words
from crossroads.core.stimuli import Design, batteries, catalog
from crossroads.core.stimuli.files.text import read_text
from crossroads.core.stimuli.material import Groups, Traits, WordLists

DEFAULT = ("ceat", "ceat-intersectional")
_CORPUS = "Corpus"
_LONG = 20  # batteries with more tests than this are one line of the table


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
    name = Path(searched.corpus[0]).name if len(searched.corpus) == 1 else f"{len(searched.corpus)} files"
    with waiting.reading(name if len(name) <= 16 else f"{name[:15]}…") as progress:
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
    long = {test: name for name, tests in batteries().items() if len(tests) > _LONG for test in tests}
    lists: dict[str, tuple[str, ...]] = {}
    for entry in catalog().entries:
        name = long.get(entry.name, entry.name)
        if words := _words_of(catalog(entry.name)):
            lists[name] = tuple(dict.fromkeys([*lists.get(name, ()), *words]))
    return lists


def _words_of(material: Any) -> Iterable[str]:
    """The words of a catalogue entry; templates and sentences have none."""
    if isinstance(material, Design):
        return material.words
    if isinstance(material, WordLists):
        return material.all_words
    if isinstance(material, Groups):
        return [word for group in material.members for word in group.items]
    if isinstance(material, Traits):
        return [word for trait in material for word in (trait.left, trait.right)]
    return ()


def _read_words(path: Path) -> tuple[str, ...]:
    lines = map(str.strip, read_text(path, "a text file with one word per line").splitlines())
    words = tuple(dict.fromkeys(filter(None, lines)))
    if not words:
        raise InputError(f"{path} has no words.", hint="write one word per line.")
    return words


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
    respelled = [row for row in found.coverage if row.rule != "exact" and row.contexts]
    for heading, words in {
        "not in the corpus": [row.word for row in found.below if not row.contexts],
        f"fewer than {minimum:,} contexts": [
            f"{row.word} ({row.contexts})" for row in found.below if row.contexts
        ],
        "found under another spelling": [f"{row.word} as {row.form}" for row in respelled],
    }.items():
        if words:
            printing.out.print(f"[b]{heading}[/b] ({len(words):,})")
            printing.out.print(Padding(escape(join_words(words)), (0, 0, 0, 2)))
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
    by_word = {row.word: row for row in found.coverage}
    table = printing.plain_table()
    table.add_column("test", overflow="fold")
    minimum = max(found.settings["minimum"], 1)
    for name in ("words", "found", f"≥ {minimum:,}", "contexts", "fewest"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = lists if len(lists) == 1 else {**lists, "all": found.words}
    for name, words in shown.items():
        rows = [by_word[word] for word in words]
        counts = [row.contexts for row in rows]
        numbers = (len(rows), sum(map(bool, counts)), sum(row.enough for row in rows), sum(counts))
        least = min(rows, key=lambda row: row.contexts)
        cells = (name, *(f"{number:,}" for number in numbers), f"{least.word} {least.contexts:,}")
        table.add_row(*map(escape, cells), end_section=name == list(lists)[-1])
    return table
