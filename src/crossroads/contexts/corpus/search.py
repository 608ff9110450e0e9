"""Contexts of stimuli in a corpus of any size.

A worker searches a part of a file, which gives a table; tables of all parts are merged, in any order.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.cluster import on_cluster
from crossroads.contexts.corpus.documents import (
    Part,
    Progress,
    Source,
    Unit,
    check_content,
    corpus_paths,
    format_of,
)
from crossroads.contexts.corpus.formats import batches, choose_field, parquet_file
from crossroads.contexts.corpus.matches import Matcher, Matches, Window, Words, is_near, parse_window
from crossroads.contexts.corpus.store import (
    SAMPLE,
    Context,
    CorpusFile,
    Counts,
    Found,
    Kept,
    Reservoirs,
    WordCoverage,
)
from crossroads.contexts.corpus.text import BLANK, Text, is_unspaced, plain
from crossroads.core.errors import CrossroadsError, DesignError, InputError, in_short, one_of
from crossroads.core.evidence.spelling import check_fallback, spellings
from crossroads.core.inference.options import whole
from crossroads.core.stimuli.sets import word_fault
from crossroads.core.storage.streams import compression
from crossroads.core.workers import Task, in_processes, processors

_FEW = 2500
"""Characters for each match beyond which it takes less time to search documents with a match again."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of a search, which are all that a worker needs."""

    forms: tuple[str, ...]  # the spellings, each different
    window: Window  # how many words are kept around them
    hyphens: str  # whether hyphens "join" or "split" words
    limit: int  # most contexts of a form
    seed: int  # seed of the sample

    @property
    def unspaced(self) -> tuple[str, ...]:
        """The forms that begin or end in a script without spaces, which are found in running text too."""
        return tuple(form for form in self.forms if is_unspaced(form[0]) or is_unspaced(form[-1]))

    @property
    def procedure(self) -> str:
        """The name of the procedure that finds and draws contexts; another if words in running text count."""
        return f"{SAMPLE}, with words in running text" if self.unspaced else SAMPLE

    def reservoirs(self) -> Reservoirs:
        """Empty reservoirs for the forms."""
        return Reservoirs(self.forms, limit=self.limit, seed=self.seed)


class Table(NamedTuple):
    """The contexts found in a part."""

    kept: Mapping[int, Mapping[bytes, Kept]]  # form to priority to context
    occurrences: NDArray[np.int64]  # how often each form was found
    counts: Counts  # totals of what was read
    sample: str
    """The procedure by which contexts were drawn, :attr:`Search.procedure` in the process that drew them."""


@lru_cache(maxsize=2)
def matcher_of(search: Search) -> Matcher:
    """What finds the forms of a search, built once per process; raises for forms that cannot be found."""
    return Matcher(search.forms, hyphens=search.hyphens)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector from going through all contexts again and again; none of them is part of a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def search_part(
    search: Search, part: Part, thresholds: Sequence[bytes] | None = None, progress: Progress | None = None
) -> Table:
    """Search a part of a file."""
    matcher, reservoirs = matcher_of(search), search.reservoirs()
    if thresholds is not None:
        reservoirs.restrict(thresholds)
    totals: Counter[str] = Counter()
    with uncollected():
        for documents, counts in batches(part, progress):
            number, characters = collect(documents, matcher, search.window, reservoirs)
            totals.update(counts, documents=number, characters=characters)
    return Table(reservoirs.contents(), reservoirs.occurrences, Counts(**totals), search.procedure)


def collect(
    documents: Iterable[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> tuple[int, int]:
    """Offer every match to the reservoirs; returns how many documents have text, and their characters."""
    texts = [text for text in documents if text.strip(BLANK)]
    for is_simple in (True, False):
        group = [text for text in texts if text.isascii() is is_simple]
        left = _collect_as_written(group, matcher, window, reservoirs) if is_near(window) else group
        if left:
            text = Text([plain(document) for document in left])
            _offer(text, matcher.find(text), matcher, window, reservoirs)
    return len(texts), sum(map(len, texts))


def _collect_as_written(
    documents: list[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> list[str]:
    """Offer matches in documents with any white space; those that need single spaces are returned."""
    text = Text(documents)
    matches, left = matcher.find_as_written(text)
    if matches.forms.size * _FEW < len(text.text):
        left[text.documents_at(matches.starts)] = True
    else:
        _offer(text, matches, matcher, window, reservoirs)
    return [documents[number] for number in np.flatnonzero(left)]


def _offer(text: Text, matches: Matches, matcher: Matcher, window: Window, reservoirs: Reservoirs) -> None:
    reservoirs.occurrences += np.bincount(matches.forms, minlength=len(reservoirs.forms))
    if matches.forms.size:
        reservoirs.add(Words(text).contexts(matches, window, matcher.unspaced(matches)))


def _tables(
    search: Search,
    parts: Sequence[Part],
    thresholds: Callable[[], Sequence[bytes]],
    progress: Progress,
    *,
    workers: int | None,
    engine: EngineName,
    ray_address: str | None,
) -> Iterator[Table]:
    """Search parts in this process, in others of this machine, or on Ray; tables come in any order."""
    count = min(workers or processors(), len(parts))
    if engine == "ray":  # every node must see the files under the same paths
        there = [replace(one, source=replace(one.source, path=one.source.path.absolute())) for one in parts]
        for number, table in on_cluster(
            part_searcher,
            (search, there),
            range(len(parts)),
            workers=workers,
            address=ray_address,
            hint="check that crossroads is installed on every node, and that all of them see the files.",
        ):
            yield table
            progress(parts[number].bytes)
    elif count <= 1:
        for part in parts:
            yield search_part(search, part, thresholds(), progress)
    else:
        for _, table in in_processes(
            searcher,
            search,
            lambda number: (parts[number], thresholds()),
            range(len(parts)),
            workers=count,
            name=lambda number: str(parts[number].source.path),
            hint="if memory ran out, use fewer workers; with one, this process reads by itself.",
            progress=progress,
        ):
            yield table


def searcher(search: Search) -> Task:
    """The task of a worker: from a part and thresholds to a table."""
    return lambda question, tell: search_part(search, question[0], question[1], tell)


def part_searcher(setup: tuple[Search, Sequence[Part]]) -> Task:
    """The task of a Ray actor: from the number of a part to a table."""
    search, parts = setup
    return lambda number, _: search_part(search, parts[number])


EngineName = Literal["local", "ray"]
"""Where the work is done: in processes of this machine, or on a Ray cluster."""
Hyphens = Literal["join", "split"]
LIMIT = 1000  # most contexts of a word, as in the CEAT paper
MINIMUM = 20  # contexts below which a word is listed as not covered


def find_contexts(
    files: Corpus,
    words: Iterable[str],
    *,
    window: int | str | None = 9,
    limit: int = LIMIT,
    minimum: int | None = None,
    seed: int = 0,
    fallback: str | Iterable[str] = (),
    hyphens: Hyphens = "join",
    field: str | None = None,
    format: str | None = None,  # noqa: A002
    unit: Unit = "line",
    workers: int | None = None,
    engine: EngineName = "local",
    ray_address: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Found:
    r"""Find sentences in which stimuli occur, and draw a sample of them for each.

    Words are found whole and in the case in which they are given: *Anna* in *Anna's*, not in *Joanna*. Words
    in scripts without spaces are found in running text: *医生* in *我喜欢医生的工作*. Equal contexts are kept
    once. The sample of a word does not depend on the division or order of files or the number of workers.
    Another version of crossroads draws the same sample if its setting ``"sample"`` is the same.

    Parameters
    ----------
    files
        Paths and patterns: ``.txt``, ``.jsonl``, ``.csv``, ``.tsv`` or ``.parquet``, all but the last also
        compressed (``.gz``, ``.bz2``, ``.xz``, ``.zst``, or ``.zip`` with one file in it).
    words
        The stimuli: words, or phrases, whose words may be separated by any white space; underscores that
        join them are tried as spaces.
    window
        Words kept around a stimulus: ``9`` has it in the middle of nine, ``"4+3"`` keeps four before and
        three after it, ``"all"`` the whole document. Near the ends of a document there are fewer.
    minimum
        Contexts a word should have; :attr:`Found.below` lists those that have fewer, and with 0 still those
        that have none. By default 20, or the limit if that is lower.
    fallback
        Spellings to take for a word that has too few contexts as it is written: some of ``"lower"``,
        ``"title"``, ``"accents"``. The first with the minimum is taken, else the one with most contexts;
        spellings are never mixed.
    hyphens
        ``"join"``: *short-term* is one word, in which *term* is not found; ``"split"``: hyphens are spaces.
    field
        Which field of a record holds the text; by default the first of *body*, *text*, *content*,
        *sentence*, *comment*, *selftext* that exists.
    format
        Format of all files, if their suffix does not imply it.
    unit
        What is a document of a text file: a ``"line"``, or a ``"paragraph"`` that ends at an empty line.
    workers
        How many processes read; by default as many as there are processors, and no more than there are
        parts to read: up to 64 MB are one part. With one, no process is started.
    engine, ray_address
        ``"local"``, or ``"ray"`` for a Ray cluster: by default the one in use, or a new one on this machine.
    progress
        Called with the bytes done and the bytes of all files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "corpus.txt"
    ...     _ = path.write_text("We met Anna on the way.\nJoanna stayed.\nAnna's dog barked.\n")
    ...     found = find_contexts(path, ["Anna", "Otto"], window=3, minimum=1)
    >>> sorted(context.text for context in found.contexts["Anna"]), found.below[0].word
    (["Anna's dog", 'met Anna on'], 'Otto')
    """
    rules = check_fallback(fallback)
    forms = _forms(words, rules)
    limit = whole("limit", limit, least=1)
    minimum = min(MINIMUM, limit) if minimum is None else whole("minimum", minimum)
    if workers is not None:
        whole("workers", workers, least=1)
    if minimum > limit:
        fault = f"the minimum is {minimum:,}, and no more than {limit:,} contexts of a word are kept."
        raise InputError(fault, hint="lower the minimum, or raise the limit.")
    search = Search(
        forms=tuple(dict.fromkeys(form for pairs in forms.values() for form, _ in pairs)),
        window=parse_window(window),
        hyphens=one_of("use of hyphens", hyphens, Hyphens),
        limit=limit,
        seed=whole("seed", seed, least=-(2**63), hint="give a whole number."),
    )
    if one_of("engine", engine, EngineName) == "local" and ray_address is not None:
        fault = f"there is an address of a Ray cluster, {ray_address!r}, but the engine is 'local'."
        raise InputError(fault, hint="choose engine='ray', or leave out the address.", option="engine")
    matcher_of(search)  # raises for words that cannot be looked for
    sources = sources_of(files, format=format, field=field, unit=unit)
    with uncollected():
        size = _part_bytes(sum(source.size for source in sources), workers, engine)
        parts = [part for source in sources for part in parts_of(source, size=size)]
        run = partial(_tables, search, parts, workers=workers, engine=engine, ray_address=ray_address)
        reservoirs, counts = _gathered(search, sources, run, progress)
        contexts, coverage = _chosen(forms, reservoirs, minimum)
    settings: dict[str, Any] = {
        "sample": SAMPLE,
        "window": str(search.window),
        "limit": limit,
        "minimum": minimum,
        "seed": seed,
        "fallback": list(rules),
        "hyphens": hyphens,
        "unit": unit,
    }
    if search.unspaced:
        settings["in_running_text"] = list(search.unspaced)
    return Found(
        words=tuple(forms),
        contexts=MappingProxyType(contexts),
        coverage=coverage,
        counts=counts,
        files=_records_of(sources),
        settings=MappingProxyType(settings),
    )


def _forms(words: Iterable[str], rules: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    if isinstance(words, str):
        raise DesignError(f"the words are one string, {in_short(words)}.", hint="give a list of words.")
    forms: dict[str, list[tuple[str, str]]] = {}
    for word in words:
        if (fault := word_fault(word)) is not None:
            raise DesignError(f"{in_short(word)} {fault}.", hint="give every word as it is to be looked for.")
        forms[str(word)] = []
        for form, rule in spellings(str(word), rules):
            ways = rule.split("+")  # text has no underscores and is in NFC
            if "unicode" not in ways and ("phrase" not in ways or ("_" in word and " " in form)):
                forms[str(word)].append((form, rule))
    if not forms:
        raise DesignError("there are no words to look for.", hint="give at least one.")
    return forms


def _gathered(
    search: Search,
    sources: Sequence[Source],
    run: partial[Iterator[Table]],
    progress: Callable[[int, int], None] | None,
) -> tuple[Reservoirs, Counts]:
    """Search all files, and merge the tables of their parts."""
    total = sum(source.size for source in sources)
    reservoirs, counts, done = search.reservoirs(), Counts(bytes=total), 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(min(done, total), total)

    for table in run(reservoirs.thresholds, advance):
        if table.sample != search.procedure:  # samples of two procedures are never merged
            fault = f"a worker draws contexts by {table.sample}, this process by {search.procedure}."
            raise CrossroadsError(fault, hint="install the same version of crossroads wherever workers run.")
        reservoirs.merge(table.kept, table.occurrences)
        counts += table.counts
    if not counts.documents:
        skipped = counts.broken + counts.without_text
        unread = f"{counts.broken:,} broken line(s), {counts.without_text:,} record(s) without text"
        hint = "check the field and the format." if skipped else "name files with text in them."
        read = f"{len(sources)} file(s), {total:,} bytes, {unread}"
        raise InputError(f"the corpus holds no document: {read}.", hint=hint)
    advance(total - done)
    return reservoirs, counts


def _chosen(
    forms: Mapping[str, list[tuple[str, str]]], reservoirs: Reservoirs, minimum: int
) -> tuple[dict[str, tuple[Context, ...]], tuple[WordCoverage, ...]]:
    """The contexts of each word under one of its forms, and how well it is covered.

    That is the first form with enough contexts, or else the first of those with most; none are never enough.
    """
    needed = max(minimum, 1)
    contexts: dict[str, tuple[Context, ...]] = {}
    coverage: list[WordCoverage] = []
    numbers = {form: number for number, form in enumerate(reservoirs.forms)}
    counts = {form: reservoirs.count(number) for form, number in numbers.items()}
    for word, pairs in forms.items():
        covered = (pair for pair in pairs if counts[pair[0]] >= needed)
        form, rule = next(covered, max(pairs, key=lambda pair: counts[pair[0]]))
        number = numbers[form]
        contexts[word] = reservoirs.sample(number)
        often = {"occurrences": int(reservoirs.occurrences[number]), "contexts": counts[form]}
        enough = counts[form] >= needed
        coverage.append(WordCoverage(word=word, form=form, rule=rule, **often, enough=enough))
    return contexts, tuple(coverage)


PART_BYTES, _LEAST_BYTES = 64 << 20, 8 << 20
"""How much of a file one worker takes at a time, at most and at least."""

Corpus = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def sources_of(corpus: Corpus, *, format: str | None, field: str | None, unit: str) -> list[Source]:  # noqa: A002
    """The files of a corpus, each with what has to be known to read it."""
    one_of("unit of text", unit, Unit)
    sources = []
    for path in corpus_paths(corpus):
        kind = format_of(path, format)
        try:
            check_content(path)
        except OSError as error:
            fault = f"{str(path)!r} cannot be read ({error.strerror or error})."
            raise InputError(fault, hint="check that it is a file and that you may read it.") from error
        source = Source(path=path, format=kind, unit=unit, size=path.stat().st_size)
        if kind != "text" and (source.size or kind == "parquet" or compression(path) is not None):
            source = replace(source, unit="line", field=choose_field(source, field))
        sources.append(source)
    return sources


def _part_bytes(total: int, workers: int | None, engine: EngineName) -> int:
    """How much of a file one worker takes at a time: a quarter of its share, so that none waits long.

    A small corpus is read before more workers would have started; those of a cluster are not known here.
    """
    if workers is None and (engine == "ray" or total <= PART_BYTES):
        return PART_BYTES
    return min(PART_BYTES, max(_LEAST_BYTES, total // (4 * (workers or processors()))))


def parts_of(source: Source, *, size: int | None = None) -> list[Part]:
    """Divide a file: plain files by lines, Parquet by row groups, others not at all."""
    if source.format == "parquet":
        with parquet_file(source.path) as file:
            return _divided(source, range(file.num_row_groups + 1))
    by_lines = source.format == "jsonl" or (source.format == "text" and source.unit == "line")
    if compression(source.path) is not None or not by_lines:
        return [Part(source=source, bytes=source.size)] if source.size else []
    return _divided(source, [*range(0, source.size, size or PART_BYTES), source.size])


def _divided(source: Source, cuts: Sequence[int]) -> list[Part]:
    """The parts between some cuts, whose sizes add up to that of the file."""
    sizes = [source.size * cut // max(cuts[-1], 1) for cut in cuts]
    return [
        Part(source=source, begin=begin, stop=stop, bytes=after - before)
        for (begin, stop), (before, after) in zip(pairwise(cuts), pairwise(sizes), strict=True)
    ]


def _records_of(sources: Iterable[Source]) -> tuple[CorpusFile, ...]:
    """Records of the files, in an order that does not depend on that of the arguments."""
    files = (CorpusFile(name=s.path.name, bytes=s.size, format=s.format, field=s.field) for s in sources)
    return tuple(sorted(files, key=lambda file: (file.name, file.bytes, file.format, file.field or "")))
