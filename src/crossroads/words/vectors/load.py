"""Load static vectors in any known format: how one is recognised, and the words that are asked for."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.errors import FormatError, InputError, join_words, nearest, one_of
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
from crossroads.core.storage.streams import Stream, compression
from crossroads.words.vectors import default as embedded
from crossroads.words.vectors.formats import (
    arrays,
    fasttext,
    gensim_files,
    parquet,
    spacy_pipelines,
    word2vec,
)
from crossroads.words.vectors.reader import (
    Duplicates,
    Progress,
    Reading,
    Request,
    Vocabulary,
    damage_reported,
    is_number,
    shown,
    wanted_forms,
)
from crossroads.words.vectors.rows import Pool, order_of

_AUTO = "auto"


class Format(NamedTuple):
    """How a format of vectors is read."""

    read: Callable[[Path, Request], Reading]
    streamed: bool = False
    """Whether a file is read from start to end, and may be compressed."""
    ranked: bool = False
    """Whether those who write it list words by frequency."""


FORMATS = {
    "glove-text": Format(partial(word2vec.read_text, header=False), streamed=True, ranked=True),
    "word2vec-text": Format(partial(word2vec.read_text, header=True), streamed=True, ranked=True),
    "word2vec-binary": Format(word2vec.read_binary, streamed=True, ranked=True),
    "fasttext-binary": Format(fasttext.read, streamed=True, ranked=True),
    "gensim": Format(gensim_files.read, streamed=True),
    "histwords": Format(arrays.read_histwords),
    "npz": Format(arrays.read_npz),
    "npy": Format(arrays.read_npy),
    "safetensors": Format(arrays.read_safetensors),
    "parquet": Format(parquet.read),
    "spacy": Format(spacy_pipelines.read),
}
"""The formats that can be read."""

NAMES = {"default": "GloVe 6B, lower-case words × 50: the most frequent, and those of audits"}
"""Vectors that can be loaded by name."""


def kind_of_format(name: str) -> tuple[str, str]:
    """The kind of a model with vectors in a format, and why it is of this kind."""
    known = one_of("format", name, FORMATS)
    return "series" if known == "histwords" else "vectors", f"its format is {known}"


def kind_of_folder(folder: Path) -> tuple[str, str] | None:
    """The same for a folder; None where it has no vectors in a format of folders."""
    if arrays.decades(folder):
        return "series", "it contains decades such as 1900-w.npy"
    return ("vectors", "it is a spaCy pipeline") if spacy_pipelines.is_pipeline_folder(folder) else None


def kind_of_file(file: Path) -> tuple[str, str]:
    """The same for a file."""
    return "vectors", f"it is a file of vectors ({sniff(file)})"


def kind_of_name(name: str) -> tuple[str, str] | None:
    """The same for a name that is not a path; None where it is not one of vectors."""
    if name in NAMES:
        return "vectors", "it is the name of embedded vectors"
    installed = spacy_pipelines.is_installed_pipeline(name)
    return ("vectors", "it is an installed spaCy pipeline") if installed else None


_HEAD = 1 << 16
_PICKLE_SUFFIXES = (".kv", ".model", ".pkl", ".pickle", ".wordvectors")
_FIRST_BYTES = {fasttext.MAGIC: "fasttext-binary", b"\x93NUMPY": "npy", b"PAR1": "parquet"}
"""First bytes of formats that have their own."""
_PICKLES = (b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5")
_NOT_VECTORS = {
    b"<!doctype": ("this is a web page.", "fetch the file itself, not the page about it."),
    b"<html": ("this is a web page.", "fetch the file itself, not the page about it."),
    b"version https://git-lfs": ("this is a Git LFS pointer, not the file itself.", "run git lfs pull."),
    b"\xff\xfe": ("the text is UTF-16.", "convert the file to UTF-8."),
    b"\xfe\xff": ("the text is UTF-16.", "convert the file to UTF-8."),
}
"""First bytes of what is often taken for vectors, what it is, and what to do."""
_BYTE_ORDER = b"\xef\xbb\xbf"


def sniff(path: str | os.PathLike[str], member: str | None = None) -> str:
    """Name the format of a file, compressed or not, of one member of a zip archive, or of a folder."""
    path = Path(path)
    with damage_reported(path):
        check_exists(path)
        if path.is_dir():
            if found := kind_of_folder(path):
                return "histwords" if found[0] == "series" else "spacy"
            names = sorted(entry.name for entry in path.iterdir() if entry.is_file())
            hint = f"name a file in it, such as {names[0]!r}." if names else "it holds no files."
            raise FormatError("this folder is neither a HistWords folder nor a spaCy pipeline.", hint=hint)
        if path.stat().st_size == 0:
            raise FormatError("the file is empty.", hint="fetch it again.")
        if member is None and compression(path) == "zip" and _is_npz(path):
            return "npz"
        with Stream(path, member=member) as stream:
            head, name = stream.read(_HEAD), stream.name
        if not head:
            raise FormatError("the file is empty once decompressed.", hint="fetch it again.")
        return _sniff_bytes(head, name)


def check_exists(path: Path) -> None:
    """Raise if there is no such file, naming the nearest one in the same folder."""
    if path.exists():
        return
    folder = path.parent
    if not folder.is_dir():
        raise FormatError("there is no such file or folder.", path=path, hint=f"check {str(folder)!r}.")
    near = nearest(path.name, [entry.name for entry in folder.iterdir()])
    hint = f"did you mean {', '.join(repr(n) for n in near)}?" if near else "check the path."
    raise FormatError("there is no such file.", path=path, hint=hint)


def _is_npz(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise FormatError(
            f"the zip archive cannot be read: {error}.", hint="fetch the file again."
        ) from error
    return bool(names) and all(name.endswith(".npy") for name in names)


def _sniff_bytes(head: bytes, name: str) -> str:
    known = next((kind for first, kind in _FIRST_BYTES.items() if head.startswith(first)), None)
    if known is not None:
        return known
    if head[8:9] == b"{" and head[6:8] == b"\0\0":
        return "safetensors"
    if head.startswith(_PICKLES) or name.endswith(_PICKLE_SUFFIXES):
        return "gensim"
    first, newline, rest = head.removeprefix(_BYTE_ORDER).partition(b"\n")
    header = word2vec.HEADER.fullmatch(first)
    if header is not None and newline:
        return _sniff_after_header(rest, int(header[2]))
    fields = first.split() if newline or len(head) < _HEAD else first.split()[:-1]
    if len(fields) > 1 and is_number(fields[-1]):
        return "glove-text"
    begins = head.removeprefix(_BYTE_ORDER).lstrip()[:40].lower()
    for known_first, (what, hint) in _NOT_VECTORS.items():
        if begins.startswith(known_first):
            raise FormatError(what, hint=hint)
    raise FormatError(
        f"the format is not known; the file begins with {shown(head, 40)}.",
        hint="as text, a line is a word and its numbers, with spaces or tabs between them and points for "
        f"decimals; name any other format= if you know it: {', '.join(FORMATS)}.",
        option="format",
    )


def _sniff_after_header(rest: bytes, dim: int) -> str:
    """Text or binary, or text without a header whose first word happens to be a number."""
    line = rest.partition(b"\n")[0]
    fields = line.split()
    if len(fields) >= dim and all(map(is_number, fields[-dim:] if dim else [])):
        return "word2vec-text"
    if len(fields) == 2 and is_number(fields[1]) and dim != 1:
        return "glove-text"
    if len(fields) > 1 and b"\0" not in rest and all(map(is_number, fields[1:])):
        return "word2vec-text"
    return "word2vec-binary"


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
    more = None if words is None else partial(_others, again, options)
    about = Provenance(source=recorded_path(source), format=kind, revision=read.revision, sha256=sha256)
    how = "automatically" if rules is None else "as asked"
    return _embeddings(words, request, read, about, chosen, how, size=size, more=more)


def _others(path: str | os.PathLike[str], options: Mapping[str, Any], size: int) -> Embeddings | None:
    """Other words of a source that was read without them."""
    return load_vectors(path, pool=size, **options).pool


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
        common=reading.common,
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
