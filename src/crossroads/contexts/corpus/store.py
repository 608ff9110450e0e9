"""Contexts: how they are sampled, and on disk a folder that is written whole or not at all.

The folder holds ``contexts.jsonl`` (one context per line), ``coverage.csv`` (one stimulus per line)
and ``manifest.json``, which records how the contexts were found, with the checksum of the first. The same
search gives the same bytes: nothing in the folder depends on the time, the place or the number of workers.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from json.encoder import encode_basestring
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core import VERSION
from crossroads.core.errors import FormatError, InputError, in_short, join_words
from crossroads.core.evidence.contexts import SENTENCES as FORMAT
from crossroads.core.stimuli.files.text import write_rows
from crossroads.core.storage.files import read_record
from crossroads.core.storage.staging import check_place, replaced

SAMPLE = "crossroads-sample/2"
"""Name of the procedure that finds contexts and draws a sample of them. It is raised whenever the same
corpus, settings and seed would give other contexts or another order of them, as the change log then says."""
Kept = tuple[str, int, int]  # text, start and end of a context
_ALL = b"\xff" * 17  # a value above every priority


class Reservoirs:
    """A sample of contexts for each of some forms, and how often each form occurred.

    Every context has a priority, a keyed hash of itself; a sample is the contexts of lowest priority,
    whatever the order or the division of the corpus. Equal contexts have equal priorities and are kept once,
    and the sample of a union is found from those of its parts (bottom-k sampling; Cohen and Kaplan 2007,
    doi:10.1145/1281100.1281133). Text, start and form are hashed in this order, so that a text with many
    targets need not be hashed for each of them.
    """

    def __init__(self, forms: Sequence[str], *, limit: int, seed: int) -> None:
        self.forms, self.limit = tuple(forms), limit
        self.occurrences: NDArray[np.int64] = np.zeros(len(self.forms), np.int64)
        self._kept: list[dict[bytes, Kept]] = [{} for _ in self.forms]
        self._below = [_ALL] * len(self.forms)
        self._room = limit + max(limit // 4, 64)
        salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
        self._blank = hashlib.blake2b(digest_size=16, salt=salt)

    def add(self, contexts: Iterable[tuple[int, str, int, int]]) -> None:
        """Offer contexts: number of a form, text, start and end. A repeated text is best the same object."""
        below, kept, forms, blank = self._below, self._kept, self.forms, self._blank
        last, hashed = "", blank
        for form, text, start, end in contexts:
            rest = f"\0{start}\0{forms[form]}"
            if text is last:  # so a text with many targets is hashed twice, not for each of them
                if hashed is blank:
                    hashed = blank.copy()
                    hashed.update(text.encode())
                priority = hashed.copy()
                priority.update(rest.encode())
            else:
                last, hashed = text, blank
                priority = blank.copy()
                priority.update(f"{text}{rest}".encode())
            key = priority.digest()
            if key < below[form]:
                kept[form][key] = (text, start, end)
                if len(kept[form]) > self._room:
                    self._cut(form)

    def merge(self, other: Mapping[int, Mapping[bytes, Kept]], occurrences: NDArray[np.int64]) -> None:
        """Add the contexts and counts of another reservoir with the same forms and seed."""
        self.occurrences += occurrences
        for form, contexts in other.items():
            self._kept[form].update(contexts)
            if len(self._kept[form]) > self.limit:
                self._cut(form)

    def contents(self) -> dict[int, dict[bytes, Kept]]:
        """The kept contexts of each form found, by priority."""
        for form in range(len(self.forms)):
            self._cut(form)
        return {form: kept for form, kept in enumerate(self._kept) if kept}

    def thresholds(self) -> list[bytes]:
        """For each form the priority that a context must stay below to be kept."""
        return list(self._below)

    def restrict(self, thresholds: Iterable[bytes]) -> None:
        """Keep nothing that reaches these priorities, because the merged sample would drop it."""
        self._below = [min(mine, theirs) for mine, theirs in zip(self._below, thresholds, strict=True)]

    def count(self, form: int) -> int:
        """How many contexts of a form there are, up to the limit."""
        return min(len(self._kept[form]), self.limit)

    def sample(self, form: int) -> tuple[Context, ...]:
        """The contexts of a form in the order of their priority, which is random."""
        kept, name = self._kept[form], (self.forms[form],)
        return tuple(_context(name + kept[key]) for key in sorted(kept)[: self.limit])

    def _cut(self, form: int) -> None:
        """Drop contexts above the limit, and store the threshold."""
        kept = self._kept[form]
        if len(kept) < self.limit:
            return
        keys = sorted(kept)[: self.limit]
        if len(keys) < len(kept):
            self._kept[form] = {key: kept[key] for key in keys}
        self._below[form] = keys[-1]


class Context(NamedTuple):
    """One occurrence of a stimulus."""

    form: str
    """The spelling that was looked for, such as ``"john"`` for the stimulus ``"John"``."""
    text: str
    """The words around it, with single spaces between them."""
    start: int
    """Start of the stimulus in the text, in characters."""
    end: int
    """Its end."""


_context = functools.partial(tuple.__new__, Context)
"""A context of its four values, in half the time that ``Context._make`` takes."""


@dataclass(frozen=True, kw_only=True)
class WordCoverage:
    """How often one stimulus was found, and in which spelling."""

    word: str
    """The stimulus."""
    form: str
    """The spelling whose contexts are kept."""
    rule: str
    """How that spelling follows from the stimulus: ``"exact"``, or the rules of the fallback."""
    occurrences: int
    """How often that spelling occurs in the corpus, repetitions included."""
    contexts: int
    """How many distinct contexts of it are kept."""
    enough: bool
    """Whether these reach the minimum, and are at least one."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Totals over all files read."""

    documents: int = 0
    """Lines, paragraphs or records with text in them."""
    characters: int = 0
    """Characters of these documents."""
    bytes: int = 0
    """Bytes of the files as they are stored."""
    broken: int = 0
    """Lines that are not a JSON object; they are skipped."""
    invalid: int = 0
    """Documents with bytes that are not UTF-8; each such byte is read as U+FFFD."""
    without_text: int = 0
    """Records without text in the field that is read."""
    run_on: int = 0
    """Rows of CSV files that go on for more than a hundred lines; a quotation mark may be missing."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class CorpusFile:
    """A record of a file of the corpus."""

    name: str
    """Its name, without the folder."""
    bytes: int
    """Its size."""
    format: str
    """Its format: ``"text"``, ``"jsonl"``, ``"csv"``, ``"tsv"`` or ``"parquet"``."""
    field: str | None
    """The field that holds the text, if there are fields."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Contexts of stimuli, and how well the corpus covers them."""

    words: tuple[str, ...]
    """The stimuli, in the order given."""
    contexts: Mapping[str, tuple[Context, ...]]
    """The contexts of each stimulus, in the random order of the sample."""
    coverage: tuple[WordCoverage, ...]
    """How each stimulus was found, in the same order."""
    counts: Counts
    """Totals of what was read, and of what could not be."""
    files: tuple[CorpusFile, ...]
    """The files read, sorted by name."""
    settings: Mapping[str, Any]
    """Every option that the contexts depend on."""

    @property
    def below(self) -> tuple[WordCoverage, ...]:
        """The stimuli with fewer contexts than the minimum, including those without any."""
        return tuple(one for one in self.coverage if not one.enough)

    def __repr__(self) -> str:
        contexts = sum(map(len, self.contexts.values()))
        found = sum(bool(rows) for rows in self.contexts.values())
        return f"<Found: {contexts:,} contexts of {found:,} of {len(self.words):,} words>"


CONTEXTS, COVERAGE, MANIFEST = "contexts.jsonl", "coverage.csv", "manifest.json"
OURS = frozenset({CONTEXTS, COVERAGE, MANIFEST})
"""The files of the folder; one that holds anything else is never replaced."""


@dataclass(frozen=True, kw_only=True)
class StoredContexts:
    """Contexts read from a folder, checked."""

    words: tuple[str, ...]
    """The stimuli, in the order of the search; some may have no context."""
    contexts: Mapping[str, tuple[Context, ...]]
    """The contexts of each stimulus, in the random order of the sample."""
    manifest: Mapping[str, Any]
    """How they were found."""
    sha256: str
    """Checksum of ``contexts.jsonl``."""

    @property
    def sample(self) -> str | None:
        """The procedure by which they were drawn, such as ``"crossroads-sample/2"``; None if not known."""
        named = self.manifest["settings"].get("sample")
        return named if isinstance(named, str) else None

    def __repr__(self) -> str:
        total = sum(map(len, self.contexts.values()))
        return f"<StoredContexts: {total:,} contexts of {len(self.words):,} words>"


def write_contexts(found: Found, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write contexts to a folder and return its path.

    Parameters
    ----------
    found
        The result of :func:`crossroads.contexts.corpus.find_contexts`.
    folder
        A new or an empty folder.
    overwrite
        Whether existing contexts may be replaced. Anything else is never changed.
    """
    folder = Path(folder)
    check_folder(folder, overwrite=overwrite)
    with replaced(folder, needed=lambda: sum(map(len, _context_lines(found)))) as staging:
        digest = hashlib.sha256()
        with (staging / CONTEXTS).open("wb") as file:
            for lines in _context_lines(found):
                digest.update(lines)
                file.write(lines)
        with (staging / COVERAGE).open("w", encoding="utf-8", newline="") as table:
            names = [field.name for field in fields(WordCoverage)]
            rows = ({**asdict(row), "enough": "yes" if row.enough else "no"} for row in found.coverage)
            write_rows(table, names, rows, end="\n")
        manifest = {
            "format": FORMAT,
            "crossroads": VERSION,
            "sha256": digest.hexdigest(),
            "contexts": sum(map(len, found.contexts.values())),
            "settings": dict(found.settings),
            "corpus": [asdict(file) for file in found.files],
            "counts": asdict(found.counts),
            "words": list(found.words),
        }
        text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    return folder


def check_folder(folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a folder that holds something else or cannot be written; contexts left aside are restored."""
    folder = Path(folder)
    check_place(folder)
    present = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    foreign = [name for name in present if name not in OURS]
    ours = str(read_record(folder / MANIFEST).get("format")).startswith("crossroads-contexts/")
    if foreign or (present and not ours):  # contexts of any version of the layout are ours
        shown = join_words([repr(name) for name in foreign or present], most=3)
        raise InputError(
            f"the folder {folder} holds other things: {shown}.", hint="name a folder that is new or empty."
        )
    if present and not overwrite:
        hint = "name another folder, or pass overwrite=True to replace them."
        raise InputError(f"the folder {folder} holds contexts already.", hint=hint, option="overwrite")


def read_contexts(folder: str | os.PathLike[str]) -> StoredContexts:
    """Read a folder of contexts, and check that it is complete and unchanged.

    Parameters
    ----------
    folder
        A folder that :func:`write_contexts` or ``crossroads contexts`` has written.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        hint = "name a folder that crossroads contexts has written."
        raise InputError(f"the folder of contexts {str(folder)!r} {what}.", hint=hint)
    manifest = _read_manifest(folder / MANIFEST)
    path = folder / CONTEXTS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise _damaged("the file is missing.", path) from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != manifest["sha256"]:
        raise _damaged(f"the SHA-256 is {digest[:16]}…, the manifest says {manifest['sha256'][:16]}….", path)
    contexts: dict[str, list[Context]] = {word: [] for word in manifest["words"]}
    for number, line in enumerate(data.splitlines(), 1):
        word, context = _parsed(line, path, number)
        if word not in contexts:
            raise _damaged(f"{in_short(word)} is not among the words of the manifest.", path, number)
        contexts[word].append(context)
    return StoredContexts(
        words=tuple(contexts),
        contexts=MappingProxyType({word: tuple(rows) for word, rows in contexts.items()}),
        manifest=MappingProxyType(manifest),
        sha256=digest,
    )


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _damaged("the file is missing, so this is not a folder of contexts.", path) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(f"the file is not JSON ({error}).", path) from error
    layout = manifest.get("format") if isinstance(manifest, dict) else None
    if layout != FORMAT:
        fault = f"the format is {in_short(layout)}, expected {in_short(FORMAT)}."
        hint = "name a folder that crossroads contexts has written, or write it with this version."
        raise FormatError(fault, path=path, hint=hint)
    words = manifest.get("words")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _damaged("there is no list of words.", path, key="words")
    if not isinstance(manifest.get("sha256"), str):
        raise _damaged("there is no checksum.", path, key="sha256")
    if not isinstance(manifest.setdefault("settings", {}), dict):
        raise _damaged("there are no settings.", path, key="settings")
    return dict(manifest)


def _parsed(line: bytes, path: Path, number: int) -> tuple[str, Context]:
    try:
        row = json.loads(line)
        word, form, text = row["word"], row["form"], row["text"]
        start, end = row["start"], row["end"]
        if isinstance(word, str) and isinstance(form, str) and 0 <= start < end <= len(text):
            return word, Context(form, text, start, end)
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise _damaged("this is not a context.", path, number)


def _damaged(message: str, path: Path, line: int | None = None, key: str | None = None) -> FormatError:
    hint = "the folder is damaged or was changed; write it again with crossroads contexts."
    return FormatError(message, path=path, line=line, key=key, hint=hint)


def _context_lines(found: Found) -> Iterator[bytes]:
    """The lines of each word, as :func:`json.dumps` writes them, in a fraction of its time."""
    for word in found.words:
        begin = {
            form: f'{{"word": {encode_basestring(word)}, "form": {encode_basestring(form)}, "text": '
            for form in {context.form for context in found.contexts[word]}
        }
        lines = [
            f'{begin[form]}{encode_basestring(text)}, "start": {start}, "end": {end}}}\n'
            for form, text, start, end in found.contexts[word]
        ]
        yield "".join(lines).encode()
