"""``crossroads contexts``, ``embed`` and ``ceat``: sentences of a corpus, their vectors, tests on them."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, TextColumn
from rich.table import Table

from crossroads.contexts.corpus import SAMPLE, Found, find_contexts, write_contexts
from crossroads.contexts.corpus.documents import Format, Unit
from crossroads.contexts.corpus.search import LIMIT, Hyphens
from crossroads.contexts.corpus.store import check_folder
from crossroads.contexts.embed.foreign import import_store
from crossroads.contexts.embed.plan import AUTO, Piece, Stored
from crossroads.contexts.embed.run import Step, embed
from crossroads.contexts.measures.battery import CeatBatteryResult, ceat_battery, unmeasured
from crossroads.contexts.measures.ceat import Variance, ceat
from crossroads.contexts.measures.levels import MultilevelCeatResult, multilevel_ceat
from crossroads.core.audit.audit import CONTEXTUAL
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import (
    Arg,
    Convention,
    ModelOption,
    Opt,
    Outcome,
    Seeded,
    Shown,
    Written,
    command,
    passed,
)
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError, join_words
from crossroads.core.evidence import Contexts
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.results import encode
from crossroads.core.results.gaps import measured
from crossroads.core.stimuli import Design, batteries, catalog
from crossroads.core.stimuli.files.text import read_text
from crossroads.core.stimuli.material import Groups, Traits, WordLists
from crossroads.core.storage.cache import parts_folder
from crossroads.words.measures.mleat import similarities_table

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
    window: Annotated[str, Opt("Words to keep: 9 with the target in the middle, 4+3, or all.", "N")] = "9"
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
        where = f"in the {found.counts.documents:,} documents; nothing is written"
        hint = "is it the right field? if the corpus is in lower case, use --spelling lower."
        raise InputError(f"none of the {len(found.words):,} words is {where}.", hint=hint)
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
        designs = o.chosen_designs(names, others, default=CONTEXTUAL)
        lists |= {design.name: tuple(design.words) for design in designs}
    for file in plain:
        words = read_text(file, "a text file with one word per line").splitlines()
        name = f"{file.name} (--words)"  # a file may have the name of a test
        lists[name] = tuple(dict.fromkeys(filter(None, map(str.strip, words))))
        if not lists[name]:
            raise InputError(f"{file} has no words.", hint="write one word per line.")
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
        return material.adjectives
    return ()


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
    few = [row for row in found.below if row.contexts]
    for heading, words in {
        "not in the corpus": [row.word for row in found.below if not row.contexts],
        f"fewer than {minimum:,} contexts": [f"{row.word} ({row.contexts})" for row in few],
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


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """Sentences, and the model that reads them."""

    folder: Annotated[Path | None, Arg("DIR", "A folder written by crossroads contexts.")] = None
    model: Annotated[
        str | None, Opt("A folder, a .gguf file, or a name on the hub.", "MODEL", names="--model -m")
    ] = None
    output: Annotated[Path, Opt("The store to write.", "STORE", names="--output -o")]
    imported: Annotated[
        Path | None,
        Opt("Make the store from the vectors in this .npz or pickle instead.", "FILE", names="--import"),
    ] = None
    restart: o.Fresh = False
    layer: Annotated[
        str,
        ModelOption(
            "a number (-1 is the top, 0 the embeddings), sum, mean, or sum:1,2,3; auto is the top, and of "
            "ELMo the sum"
        ),
    ] = AUTO
    piece: Annotated[Piece, ModelOption("which token of a word that is split")] = "last"
    dtype: Annotated[Stored | None, ModelOption("type of the stored numbers; float32 by default")] = None
    revision: o.Revision = None
    max_length: Annotated[
        int | None, ModelOption("most tokens per sentence; longer ones are cut around the word")
    ] = None
    batch_size: o.BatchSize = 64
    batch_tokens: Annotated[int, ModelOption("largest number of tokens per batch, with padding", least=1)] = (
        16_384
    )
    device: o.DeviceOption = "auto"
    threads: Annotated[int, ModelOption("threads per worker", least=1)] = 1


@command
def embed_command(embedded: Embedded, cluster: o.Cluster, shown: Shown) -> None:
    """Compute the vector of every word in its sentence.

    An interrupted run resumes where it stopped.
    """
    watch = Watch()
    if embedded.imported is not None:
        _refuse_others(embedded, cluster)
        contexts = import_store(embedded.imported, embedded.output, dtype=embedded.dtype)
    elif embedded.folder is None or embedded.model is None:
        missing = "a folder of contexts" if embedded.folder is None else "--model"
        hint = "crossroads embed DIR --model MODEL -o STORE; or --import FILE."
        raise InputError(f"{missing} is missing.", hint=hint)
    else:
        interrupting.promise(interrupting.kept_or_finished(embedded.output, parts_folder(embedded.output)))
        options = passed(embed, embedded) | cluster.options | {"dtype": embedded.dtype or "float32"}
        with watch.bar:
            contexts = embed(embedded.folder, progress=watch, **options | {"folder": embedded.output})
    summary = _summary(embedded.output, contexts, watch)
    if shown.json:
        printing.write_json(Outcome(command="embed", results={}, more={"results": [summary]}).document)
        return
    for name, value in _lines(summary):
        printing.out.print(f"[b]{name:<9}[/b]{escape(value)}")


def _refuse_others(embedded: Embedded, cluster: o.Cluster) -> None:
    if embedded.folder is not None or embedded.model is not None:
        raise InputError("--import was given with DIR or --model.", hint="give one or the other.")
    usual = Embedded(output=embedded.output, imported=embedded.imported, dtype=embedded.dtype)
    changed = [name for name, value in vars(embedded).items() if value != getattr(usual, name)]
    ignored = ["--fresh" if name == "restart" else f"-M {name}" for name in changed]
    ignored += ["--workers"] if cluster.workers else []
    ignored += ["--ray"] if cluster.options["engine"] == "ray" else []
    if ignored:
        hint = "the vectors already exist; only -M dtype changes how they are stored."
        raise InputError(f"{join_words(ignored)} cannot be used with --import.", hint=hint)


class Watch:
    """Progress of an extraction: its speed, on a bar with the time left."""

    def __init__(self) -> None:
        self.bar = waiting.Bar(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=16),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[speed]}"),
            waiting.TimeLeft(),
        )
        self._task = self.bar.add_task("loading", total=None, speed="")
        self._stage, self._begun, self._first = "", 0.0, 0
        self.present, self.tokens, self.kept, self.seconds = False, 0, 0, 0.0

    def __call__(self, step: Step) -> None:
        """Take note of a step."""
        now, speed = time.monotonic(), ""
        if step.stage != self._stage:
            self._stage, self._begun, self._first = step.stage, now, step.contexts
            self.bar.reset(self._task, description=step.stage, completed=step.done)
        self.present = self.present or step.stage == "present"
        if step.stage == "encoding":
            self.kept, self.tokens, self.seconds = step.kept, step.done - step.kept, now - self._begun
            if self.tokens:
                contexts = (step.contexts - self._first) / self.seconds
                speed = f"{contexts:,.0f} contexts/s {self.tokens / self.seconds:,.0f} tokens/s"
        self.bar.update(self._task, completed=step.done, total=step.total or None, speed=speed)


def _summary(store: Path, contexts: Contexts, watch: Watch) -> dict[str, Any]:
    return {
        "store": str(store),
        "present": watch.present,  # before the run
        "words": len(contexts),
        "contexts": int(contexts.offsets[-1]),
        "dim": contexts.dim,
        "dtype": contexts.dtype.name,
        "bytes": sum(file.stat().st_size for file in store.iterdir()),
        "tokens": watch.tokens,
        "tokens_kept": watch.kept,  # encoded by earlier runs
        "seconds": watch.seconds,
        "provenance": contexts.provenance.to_dict(),
    }


def _lines(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    store, tokens, seconds = summary["store"], summary["tokens"], summary["seconds"]
    details = summary["provenance"]["details"]
    yield "store", f"{store} (was there already)" if summary["present"] else store
    how = ""
    if "layer" in details:
        how = f" ({details['class']}, layer {details['layer']}, {details['piece']} piece)"
    yield "source", summary["provenance"]["source"] + how
    shape = f"{summary['dim']} × {summary['dtype']}, {summary['bytes'] / 1e6:,.1f} MB"
    yield "vectors", f"{summary['contexts']:,} contexts of {summary['words']:,} words, {shape}"
    if tokens:
        yield "encoded", f"{tokens:,} tokens in {seconds:,.1f} s, {tokens / seconds:,.0f} tokens/s"
    if summary["tokens_kept"]:
        yield "kept", f"{summary['tokens_kept']:,} tokens of a run that was interrupted"
    sample = details.get("record", {}).get("sample")
    if sample not in (None, SAMPLE):
        yield "sample", f"drawn by {sample}; now {SAMPLE}, which draws other contexts with the same seed"
    reasons: Counter[str] = Counter()
    for dropped in details.get("dropped_by_word", {}).values():
        reasons.update(dropped)
    for reason, number in reasons.items():
        yield "dropped", f"{number:,} contexts: {reason}"
    if details.get("words_without_contexts"):
        words = join_words(details["words_without_contexts"], most=8)
        yield "missing", f"no context for {words}"


FEW = 10  # words with fewer contexts than this are listed


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """A store of context vectors, and how contexts are drawn from it."""

    store: Annotated[Path, Arg("STORE", "A store of context vectors, as crossroads embed writes it.")]
    levels: Annotated[bool, Opt("Also each group alone, and the pattern.")] = False
    missing: o.MissingByDefault = None
    fallback: o.Fallback = "auto"
    samples: Annotated[int, Convention("number of samples of one context per word", least=3)] = 10_000
    ddof: Annotated[int, Convention("1: sample standard deviation, 0: population")] = 1
    words: o.WordsConvention = "effective"
    variance: Annotated[Variance, Convention("variance of a sample: as published, or the textbook one")] = (
        "paper"
    )


@command
def ceat_command(sampled: Sampled, chosen: o.Chosen, written: Written) -> Outcome:
    """Test associations over those sentences.

    The CEAT, with a p-value over stimuli. Without --test or --words, C1 to C10 and I1 to I4 of the CEAT
    paper, as far as the store has their words.
    """
    designs = chosen.designs(*CONTEXTUAL)
    contexts = open_contexts(sampled.store, sampled.fallback)
    missing = o.missing_policy(chosen, sampled.missing)
    options = passed(ceat, sampled, written) | {"missing": missing}
    with waiting.counting("drawing contexts", len(designs)) as (bar, task):

        def tell(name: str) -> None:
            bar.update(task, advance=1, description=f"drawing contexts of {escape(name)}")

        result = ceat_battery(contexts, designs, progress=tell, **options)
    _insist(result, designs, chosen.test)
    levels = _levels(contexts, designs, result, options) if sampled.levels else {}
    tables = [CeatBatteryResult._tabulate({result._label: result})]
    if levels:
        tables += [MultilevelCeatResult._tabulate(levels), similarities_table(levels)]
    return Outcome(
        command="ceat",
        results={test.design: test for test in result.tests},
        more={
            "adjusted_for": result.conventions["adjusted"],
            "adjusted": encode(result.adjusted),
            "levels": [one.to_dict() for one in levels.values()],
            "skipped": result.skipped,
        },
        tables=tables,
        lines=list(_explained(result)),
        skipped=result.skipped,
        figure=lambda plots: _drawn(plots, result, list(levels.values())),
    )


def _insist(result: CeatBatteryResult, designs: Sequence[Design], test: list[str] | None) -> None:
    """Raise an error if nothing, or not every named test, could be measured."""
    named = {name.lower() for name in test or [] if name.lower() not in batteries()}
    for name in result.skipped:
        if name.lower() in named or len(result.skipped) == len(designs):
            raise unmeasured(name, result.skipped[name], others=0 if named else len(designs) - 1)


def _levels(
    contexts: Contexts, designs: Sequence[Design], result: CeatBatteryResult, options: dict[str, Any]
) -> dict[str, MultilevelCeatResult]:
    """The levels of every test that could be measured; those that need more words are left out and listed."""
    found = ((design.name, design) for design in designs if design.name not in result.skipped)
    levels, lacking = measured(found, lambda one: multilevel_ceat(contexts, one, **options), missing="drop")
    for name, why in lacking.items():
        printing.err.print(f"[yellow]warning:[/] {escape(name)}: no levels: {escape(why)}")
    return dict(levels)


def _drawn(plots: Any, result: CeatBatteryResult, levels: list[MultilevelCeatResult]) -> Any:
    return plots.context_levels(levels) if levels else plots.context_forest(result)


def _explained(result: CeatBatteryResult) -> Iterator[str]:
    samples = result.tests[0].sample_effect_sizes.size
    yield (
        "The published p asks: would the mean over more samples of the same words and contexts "
        f"differ from 0? Its standard error shrinks with the {samples:,} samples by construction."
    )
    counts = {word: n for test in result.tests for word, n in test.contexts.items()}
    least, most = min(counts.values()), max(counts.values())
    spread = f"{least:,} to {most:,} contexts, median {median(counts.values()):,.0f}"
    yield f"{len(counts):,} words with {spread if least < most else f'{least:,} contexts each'}."
    if few := [word for word, n in counts.items() if n < FEW]:
        rest = f" and {len(few) - 8} more" if len(few) > 8 else ""
        yield f"Fewer than {FEW} contexts: {', '.join(few[:8])}{rest}."
