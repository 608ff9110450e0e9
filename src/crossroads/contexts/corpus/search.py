"""Contexts of stimuli in a corpus of any size."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.cluster import on_cluster
from crossroads.contexts.corpus.documents import batches, choose_field, parquet_file
from crossroads.contexts.corpus.files import (
    Part,
    Progress,
    Source,
    Unit,
    check_content,
    corpus_paths,
    format_of,
)
from crossroads.contexts.corpus.matches import Matcher, Matches, Window, Words, is_near, parse_window
from crossroads.contexts.corpus.sample import (
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
from crossroads.core.stimuli.sets import word_fault
from crossroads.core.storage.streams import compression
from crossroads.core.workers import Task, in_processes, processors

_FEW = 2500
"""Characters for each match beyond which it takes less time to search documents with a match again."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """The settings of a search, which are all that a worker needs."""

    forms: tuple[str, ...]
    """The spellings, each different."""
    window: Window
    """How many words are kept around them."""
    hyphens: str
    """Whether hyphens ``"join"`` or ``"split"`` words."""
    limit: int
    """Most contexts of a form."""
    seed: int
    """Seed of the sample."""

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

    kept: Mapping[int, Mapping[bytes, Kept]]
    """Form to priority to context."""
    occurrences: NDArray[np.int64]
    """How often each form was found."""
    counts: Counts
    """Totals of what was read."""
    sample: str
    """The procedure by which contexts were drawn, :attr:`Search.procedure` in the process that drew them."""


@functools.lru_cache(maxsize=2)
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


def checked(answer: Table, procedure: str) -> Table:
    """Return the table; samples of two procedures are never merged."""
    if answer.sample != procedure:
        raise CrossroadsError(
            f"a worker draws contexts by {answer.sample}, this process by {procedure}.",
            hint="install the same version of crossroads wherever workers run.",
        )
    return answer


def collect(
    documents: Iterable[str], matcher: Matcher, window: Window, reservoirs: Reservoirs
) -> tuple[int, int]:
    """Offer every match to the reservoirs; returns how many documents have text, and their characters."""
    texts = [text for text in documents if text.strip(BLANK)]
    simple = list(filter(str.isascii, texts))
    others = list(itertools.filterfalse(str.isascii, texts))
    for group in (simple, others):
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
    """Offer the contexts of matches to the reservoirs."""
    reservoirs.occurrences += np.bincount(matches.forms, minlength=len(reservoirs.forms))
    if matches.forms.size:
        reservoirs.add(Words(text).contexts(matches, window, matcher.unspaced(matches)))


Thresholds = Callable[[], Sequence[bytes]]
"""Returns the priorities above which contexts are no longer needed."""
Engine = Callable[[Search, Sequence[Part], Thresholds, Progress], Iterator[Table]]
"""Searches parts."""


def local(
    search: Search, parts: Sequence[Part], thresholds: Thresholds, progress: Progress, *, workers: int | None
) -> Iterator[Table]:
    """Search parts on this machine, in this process if one worker is enough."""
    workers = min(workers or processors(), len(parts))
    if workers <= 1:
        for part in parts:
            yield checked(search_part(search, part, thresholds(), progress), search.procedure)
        return
    for _, table in in_processes(
        searcher,
        search,
        lambda number: (parts[number], thresholds()),
        range(len(parts)),
        workers=workers,
        name=lambda number: str(parts[number].source.path),
        hint="if memory ran out, use fewer workers; with one, this process reads by itself.",
        progress=progress,
    ):
        yield checked(table, search.procedure)


def searcher(search: Search) -> Task:
    """The task of a worker: from a part and thresholds to a table."""
    return lambda question, tell: search_part(search, question[0], question[1], tell)


def on_ray(
    search: Search,
    parts: Sequence[Part],
    thresholds: Thresholds,  # noqa: ARG001 - known only when the work is done
    progress: Progress,
    *,
    workers: int | None,
    address: str | None,
) -> Iterator[Table]:
    """Search parts with Ray; every node must see the files under the same paths."""
    found = on_cluster(
        part_searcher,
        (search, [_absolute(part) for part in parts]),
        range(len(parts)),
        workers=workers,
        address=address,
        hint="check that crossroads is installed on every node, and that all of them see the files.",
    )
    for number, table in found:
        yield checked(table, search.procedure)
        progress(parts[number].bytes)


def part_searcher(setup: tuple[Search, Sequence[Part]]) -> Task:
    """The task of a Ray actor: from the number of a part to a table."""
    search, parts = setup
    return lambda number, _: search_part(search, parts[number])


def _absolute(part: Part) -> Part:
    """The same part for a process in another folder."""
    return dataclasses.replace(
        part, source=dataclasses.replace(part.source, path=part.source.path.absolute())
    )


EngineName = Literal["local", "ray"]
"""Where the work is done: in processes of this machine, or on a Ray cluster."""
Hyphens = Literal["join", "split"]
LIMIT = 1000
"""Most contexts of a word, as in the CEAT paper."""
MINIMUM = 20
"""Contexts below which a word is listed as not covered."""


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
    in scripts without spaces are found in running text: *医生* in *我喜欢医生的工作*. The
    sample of a word does not depend on how the corpus is divided into files, on their order, or on the
    number of workers. Equal contexts are kept once. Another version of crossroads draws the same
    sample if it names the same procedure, which is the setting ``"sample"``.

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
    limit
        Most contexts of a word.
    minimum
        Contexts a word should have; :attr:`Found.below` lists those that have fewer, and with 0 still those
        that have none. By default 20, or the limit if that is lower.
    seed
        Seed of the sample.
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
    engine
        ``"local"``, or ``"ray"`` for a Ray cluster.
    ray_address
        Which Ray cluster; by default the one in use, or a new one on this machine.
    progress
        Called with the bytes done and the bytes of all files.

    Returns
    -------
    Found
        Contexts by word, coverage, and totals of what was read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "corpus.txt"
    ...     _ = path.write_text("We met Anna on the way.\nJoanna stayed.\nAnna's dog barked.\n")
    ...     found = find_contexts(path, ["Anna", "Otto"], window=3, minimum=1)
    >>> sorted(context.text for context in found.contexts["Anna"])
    ["Anna's dog", 'met Anna on']
    >>> [one.word for one in found.below]
    ['Otto']
    """
    rules = check_fallback(fallback)
    forms = _forms(words, rules)
    _check_numbers(limit=limit, minimum=minimum, seed=seed, workers=workers)
    minimum = min(MINIMUM, limit) if minimum is None else minimum
    if minimum > limit:
        raise InputError(
            f"the minimum is {minimum:,}, and no more than {limit:,} contexts of a word are kept.",
            hint="lower the minimum, or raise the limit.",
        )
    search = Search(
        forms=tuple(dict.fromkeys(form for some in forms.values() for form, _ in some)),
        window=parse_window(window),
        hyphens=one_of("use of hyphens", hyphens, Hyphens),
        limit=limit,
        seed=seed,
    )
    run = _engine(one_of("engine", engine, EngineName), workers, ray_address)
    matcher_of(search)  # raises for words that cannot be looked for
    sources = sources_of(files, format=format, field=field, unit=unit)
    with uncollected():
        size = _part_bytes(sum(source.size for source in sources), workers, engine)
        reservoirs, counts = _gathered(search, sources, size, run, progress)
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
        files=records_of(sources),
        settings=MappingProxyType(settings),
    )


def _forms(words: Iterable[str], rules: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """The forms of each word under which it is looked for, with the rule of each."""
    if isinstance(words, str):
        raise DesignError(f"the words are one string, {in_short(words)}.", hint="give a list of words.")
    found: dict[str, list[tuple[str, str]]] = {}
    for word in words:
        fault = word_fault(word)
        if fault is not None:
            raise DesignError(f"{in_short(word)} {fault}.", hint="give every word as it is to be looked for.")
        found.setdefault(str(word), list(_in_text(str(word), rules)))
    if not found:
        raise DesignError("there are no words to look for.", hint="give at least one.")
    return found


def _in_text(word: str, rules: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Forms of a word that can occur in text, which has no underscores and is in NFC."""
    for form, rule in spellings(word, rules):
        ways = rule.split("+")
        if "unicode" not in ways and ("phrase" not in ways or ("_" in word and " " in form)):
            yield form, rule


def _check_numbers(**options: int | None) -> None:
    least = {"limit": 1, "minimum": 0, "workers": 1, "seed": None}
    for name, value in options.items():
        low = least[name]
        if value is not None and (type(value) is not int or (low is not None and value < low)):
            allowed = "a whole number" if low is None else f"a whole number, {low} or more"
            raise InputError(f"{name} is {in_short(value)}.", hint=f"give {allowed}.")


def _engine(engine: str, workers: int | None, ray_address: str | None) -> Engine:
    """The engine of a name, with its options filled in."""
    if engine == "ray":
        return functools.partial(on_ray, workers=workers, address=ray_address)
    if ray_address is not None:
        raise InputError(
            f"there is an address of a Ray cluster, {ray_address!r}, but the engine is 'local'.",
            hint="choose engine='ray', or leave out the address.",
            option="engine",
        )
    return functools.partial(local, workers=workers)


def _gathered(
    search: Search,
    sources: Sequence[Source],
    size: int,
    run: Engine,
    progress: Callable[[int, int], None] | None,
) -> tuple[Reservoirs, Counts]:
    """Search all files in parts of about that size, and merge their tables."""
    parts = [part for source in sources for part in parts_of(source, size=size)]
    total = sum(source.size for source in sources)
    reservoirs, counts, done = search.reservoirs(), Counts(bytes=total), 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(min(done, total), total)

    for table in run(search, parts, reservoirs.thresholds, advance):
        reservoirs.merge(table.kept, table.occurrences)
        counts += table.counts
    if not counts.documents:
        skipped = counts.broken + counts.without_text
        raise InputError(
            f"the corpus holds no document: {len(sources)} file(s), {total:,} bytes, {counts.broken:,} "
            f"broken line(s), {counts.without_text:,} record(s) without text.",
            hint="check the field and the format." if skipped else "name files with text in them.",
        )
    advance(total - done)
    return reservoirs, counts


def _chosen(
    forms: Mapping[str, list[tuple[str, str]]], reservoirs: Reservoirs, minimum: int
) -> tuple[dict[str, tuple[Context, ...]], tuple[WordCoverage, ...]]:
    """The contexts of each word under one of its forms, and how well it is covered.

    That is the first form with enough contexts, or else the first of those with most; none are never enough.
    """
    needed = max(minimum, 1)
    numbers = {form: number for number, form in enumerate(reservoirs.forms)}
    contexts: dict[str, tuple[Context, ...]] = {}
    coverage: list[WordCoverage] = []
    for word, some in forms.items():
        found = {form: reservoirs.count(numbers[form]) for form, _ in some}
        enough = (pair for pair in some if found[pair[0]] >= needed)
        form, rule = next(enough, max(some, key=lambda pair: found[pair[0]]))
        contexts[word] = reservoirs.sample(numbers[form])
        coverage.append(
            WordCoverage(
                word=word,
                form=form,
                rule=rule,
                occurrences=int(reservoirs.occurrences[numbers[form]]),
                contexts=found[form],
                enough=found[form] >= needed,
            )
        )
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
            raise InputError(
                f"{str(path)!r} cannot be read ({error.strerror or error}).",
                hint="check that it is a file and that you may read it.",
            ) from error
        sources.append(_source(path, kind, field, unit))
    return sources


def _source(path: Path, kind: str, field: str | None, unit: str) -> Source:
    source = Source(path=path, format=kind, unit=unit, size=path.stat().st_size)
    if kind == "text" or (not source.size and compression(path) is None and kind != "parquet"):
        return source
    return Source(path=path, format=kind, field=choose_field(source, field), size=source.size)


def _part_bytes(total: int, workers: int | None, engine: EngineName) -> int:
    """How much of a file one worker takes at a time: a quarter of its share, so that none waits long.

    A small corpus is read before more workers would have started; those of a cluster are not known here.
    """
    if workers is None and (engine == "ray" or total <= PART_BYTES):
        return PART_BYTES
    return min(PART_BYTES, max(_LEAST_BYTES, total // (4 * (workers or processors()))))


def parts_of(source: Source, *, size: int | None = None) -> list[Part]:
    """Divide a file: plain files by lines, Parquet by row groups, others not at all."""
    size = PART_BYTES if size is None else size
    if source.format == "parquet":
        with parquet_file(source.path) as file:
            return _divided(source, range(file.num_row_groups + 1))
    by_lines = source.format == "jsonl" or (source.format == "text" and source.unit == "line")
    if compression(source.path) is not None or not by_lines:
        return [Part.whole(source)] if source.size else []
    return _divided(source, [*range(0, source.size, size), source.size])


def _divided(source: Source, cuts: Sequence[int]) -> list[Part]:
    """The parts between some cuts, whose sizes add up to that of the file."""
    sizes = [source.size * cut // max(cuts[-1], 1) for cut in cuts]
    return [
        Part(source=source, begin=cuts[i], stop=cuts[i + 1], bytes=sizes[i + 1] - sizes[i])
        for i in range(len(cuts) - 1)
    ]


def records_of(sources: Iterable[Source]) -> tuple[CorpusFile, ...]:
    """Records of the files, in an order that does not depend on that of the arguments."""
    files = (CorpusFile(name=s.path.name, bytes=s.size, format=s.format, field=s.field) for s in sources)
    return tuple(sorted(files, key=lambda file: (file.name, file.bytes, file.format, file.field or "")))
