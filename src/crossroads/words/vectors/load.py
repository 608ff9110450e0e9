"""Load static vectors in any known format, keeping only the words that are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.core.errors import FormatError, InputError, join_words, one_of
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.evidence.spelling import (
    RULES,
    Unread,
    check_fallback,
    helpful_rules,
    is_cased,
    nearest_words,
)
from crossroads.core.storage.files import checksum as file_checksum
from crossroads.core.storage.streams import compression
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.formats import arrays, spacy_pipelines
from crossroads.words.vectors.reader import (
    Duplicates,
    Progress,
    Reading,
    Request,
    Vocabulary,
    damage_reported,
    wanted_forms,
)
from crossroads.words.vectors.rows import Pool, order_of
from crossroads.words.vectors.signatures import FORMATS, NAMES, check_exists, sniff

_AUTO = "auto"


def load_vectors(
    path_or_name: str | os.PathLike[str],
    *,
    words: Iterable[str] | None = None,
    format: str | None = None,  # noqa: A002 - what it is called everywhere
    fallback: str | Iterable[str] = _AUTO,
    checksum: bool = False,
    progress: Progress | None = None,
    pool: int | None = None,
    **reading: Any,
) -> Embeddings:
    """Static vectors from a file, a folder or a name, with the options of :func:`crossroads.load`."""
    rules, request = _asked(words, fallback, progress=progress, pool=pool, **reading)
    path, sha256 = Path(path_or_name), None
    again: str | os.PathLike[str] = path_or_name
    if isinstance(path_or_name, str) and path_or_name in NAMES and format is None:
        kind, source, sha256 = "default", embedded.NAME, embedded.about()["sha256"]["vectors.npy"]
        request = replace(request, usually_ranked=True)
        read, file = embedded.read(request), embedded.FOLDER / "vectors.npy"
    else:
        with damage_reported(path):
            kind = _format_of(path_or_name, format, request.member)
            request = replace(request, usually_ranked=FORMATS[kind].ranked)
            read = FORMATS[kind].read(path, request)
        source, file, again = path.as_posix(), path, path.absolute() if path.exists() else again
        sha256 = file_checksum(path) if checksum and path.is_file() else None
    size = file.stat().st_size if file.is_file() else None
    if progress is not None and size is not None:
        progress(size, size)
    chosen = _chosen(rules, read.vocabulary)
    options = {**reading, "words": words, "format": format, "fallback": chosen or "none"}

    def others(size: int) -> Embeddings | None:
        """Other words of a source that was read without them."""
        return load_vectors(again, pool=size, **options).pool

    about = Provenance(source=recorded_path(source), format=kind, revision=read.revision, sha256=sha256)
    how = "automatically" if rules is None else "as asked"
    return _embeddings(
        words, request, read, about, chosen, how, size=size, more=None if words is None else others
    )


def load_decades(
    path: str | os.PathLike[str],
    *,
    words: Iterable[str] | None = None,
    fallback: str | Iterable[str] = _AUTO,
    duplicates: Duplicates = "raise",
    progress: Progress | None = None,
) -> dict[int, Embeddings]:
    """Every decade of a HistWords folder; progress is in bytes of vectors."""
    folder, readings = Path(path), dict[int, Reading]()
    rules, request = _asked(words, fallback, duplicates=duplicates)
    with damage_reported(folder):
        sizes = {
            decade: (folder / f"{decade}-w.npy").stat().st_size for decade in arrays.held_decades(folder)
        }
        for decade in sizes:
            readings[decade] = arrays.read_decade(folder, decade, request)
            if progress is not None:
                progress(sum(sizes[d] for d in readings), sum(sizes.values()))
    chosen = _chosen(rules, *(reading.vocabulary for reading in readings.values()))
    how, series = "automatically" if rules is None else "as asked", {}
    for decade, reading in readings.items():
        source = recorded_path(f"{folder.as_posix()}/{decade}-w.npy")
        about = Provenance(source=source, format="histwords")
        series[decade] = _embeddings(words, request, reading, about, chosen, how, size=sizes[decade])
    return series


def _asked(
    words: Iterable[str] | None, fallback: str | Iterable[str], **options: Any
) -> tuple[tuple[str, ...] | None, Request]:
    """The rules, None to decide them by the vocabulary, and a request for words under any in question."""
    rules = None if fallback == _AUTO else check_fallback(fallback)
    wanted = noticed = None
    if words is not None:
        wanted = wanted_forms(words, ("lower",) if rules is None else rules)
        noticed = wanted_forms(words, RULES) - wanted
    return rules, Request(wanted=wanted, noticed=noticed or frozenset(), **options)


def _chosen(rules: tuple[str, ...] | None, *vocabularies: Vocabulary) -> tuple[str, ...]:
    """The rules that were given, or those that fit the vocabulary."""
    if rules is not None:
        return rules
    capitalised = sum(one.capitalised for one in vocabularies)
    return () if is_cased(capitalised, sum(one.looked_at for one in vocabularies)) else ("lower",)


def _format_of(path_or_name: str | os.PathLike[str], format: str | None, member: str | None) -> str:  # noqa: A002
    if format is not None:
        one_of("format", format, FORMATS)
    path = Path(path_or_name)
    known = format == "spacy" or (format is None and spacy_pipelines.is_installed_pipeline(str(path)))
    if known and not path.exists():
        return "spacy"
    check_exists(path)
    kind = format or sniff(path, member)
    if path.is_dir() and kind not in {"histwords", "spacy"}:
        raise FormatError(f"this is a folder, {kind} is a file.", hint="name a file in it.")
    if path.is_file() and kind in {"histwords", "spacy"}:
        raise FormatError(f"this is a file, {kind} is a folder.", hint="name the folder.")
    if path.is_file() and not FORMATS[kind].streamed and kind != "npz" and (how := compression(path)):
        raise FormatError(
            f"{kind} files cannot be read while compressed ({how}).", hint="decompress it first."
        )
    return kind


def _embeddings(
    words: Iterable[str] | None,
    request: Request,
    reading: Reading,
    about: Provenance,
    rules: tuple[str, ...],
    how: str,
    *,
    size: int | None,
    more: Callable[[int], Embeddings | None] | None = None,
) -> Embeddings:
    """The words that the rules find, with all that is known of the source."""
    vocabulary = reading.vocabulary
    labels, vectors, ranks, unread = reading.labels, reading.vectors, reading.ranks, None
    if words is not None:
        allowed = wanted_forms(words, rules)
        rows = [row for row, label in enumerate(labels) if label in allowed]
        forms = vocabulary.forms.union(label for label in labels if label not in allowed)
        unread = Unread(forms=frozenset(forms), blocks=tuple(vocabulary.blocks))
        if not rows:
            raise _nothing_found(sorted(words), reading, unread, rules, about.source)
        if len(rows) < len(labels):
            labels, vectors, ranks = [labels[row] for row in rows], vectors[rows], ranks[rows]
    order = order_of(request, vocabulary)
    details: dict[str, Any] = {
        "vocabulary": vocabulary.size,
        "kept": len(labels),
        "dim": int(vectors.shape[1]),
        "dtype": str(vectors.dtype),
        "cased": is_cased(vocabulary.capitalised, vocabulary.looked_at),
        "capitalised": vocabulary.capitalised,
        "capitalised_share": vocabulary.capitalised / max(vocabulary.looked_at, 1),
        "fallback": list(rules),
        "fallback_chosen": how,
        "bytes": size,
        "order": order.decided,
        **reading.details,
    }
    if not isinstance(vectors, np.memmap):
        zeros = len(vectors) - int(np.count_nonzero(vectors.any(axis=1)))
        details |= {"zero_rows": zeros} if zeros else {}
    sample = reading.pool
    if request.wanted is None and request.pool is not None:
        thinned = Pool(request, vocabulary, vectors.shape[1], vectors.dtype)
        rows = thinned.settle(labels, ranks)
        thinned.add([labels[row] for row in rows], np.array(vectors[rows]), ranks[rows].tolist())
        sample = thinned.sample()
    others = None
    if sample is not None and sample.labels:
        others = Embeddings(
            sample.labels,
            sample.vectors,
            provenance=replace(about, details={**details, "kept": len(sample.labels)}),
            fallback=rules,
            ranks=sample.ranks if order.by_frequency else None,
        )
    return Embeddings(
        labels,
        vectors,
        provenance=replace(about, details=details),
        fallback=rules,
        unread=unread,
        ranks=ranks if order.by_frequency else None,
        pool=others,
        more=more,
    )


def _nothing_found(
    asked: list[str], reading: Reading, unread: Unread, rules: tuple[str, ...], source: str
) -> InputError:
    vocabulary = reading.vocabulary
    looks = join_words([repr(word) for word in vocabulary.head[:3]])
    hint = f"its words look like {looks}"
    allowed, found = helpful_rules(asked, unread.forms.__contains__, rules)
    if found:
        hint += f"; fallback={','.join(allowed)!r} would find {len(found)} of those asked for"
    else:
        near = nearest_words(asked[:3], unread.blocks, n=1)
        similar = [f"{labels[0]!r} resembles {word!r}" for word, labels in near.items()]
        hint += f"; {join_words(similar)}" if similar else ""
    if "complete" in reading.details:
        hint += f"; for other words give the complete file, {reading.details['complete']}"
    words = join_words([repr(word) for word in asked], most=3)
    return InputError(
        f"none of the {len(asked)} words asked for ({words}) is among the {vocabulary.size:,} of {source}.",
        hint=f"{hint}.",
        option="fallback",
    )
