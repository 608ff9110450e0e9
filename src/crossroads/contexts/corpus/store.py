"""Contexts on disk: a folder that is written whole or not at all.

The folder holds ``contexts.jsonl`` (one context per line), ``coverage.csv`` (one stimulus per line)
and ``manifest.json``, which records how the contexts were found, with the checksum of the first. The same
search gives the same bytes: nothing in the folder depends on the time, the place or the number of workers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from json.encoder import encode_basestring
from pathlib import Path
from types import MappingProxyType
from typing import Any

from crossroads.contexts.corpus.sample import Context, Found, WordCoverage
from crossroads.core.errors import FormatError, InputError, in_short, join_words
from crossroads.core.evidence.contexts import SENTENCES as FORMAT
from crossroads.core.stimuli.files.spreadsheets import write_rows
from crossroads.core.storage.files import read_record
from crossroads.core.storage.staging import check_place, replaced
from crossroads.version import VERSION

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

    @property
    def rows(self) -> Iterator[tuple[str, str, str, int, int]]:
        """Every context as word, form, text, start and end, in the order of the file."""
        for word, contexts in self.contexts.items():
            for context in contexts:
                yield word, *context

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
    if foreign or (present and not _is_ours(folder)):
        shown = join_words([repr(name) for name in foreign or present], most=3)
        raise InputError(
            f"the folder {folder} holds other things: {shown}.", hint="name a folder that is new or empty."
        )
    if present and not overwrite:
        raise InputError(
            f"the folder {folder} holds contexts already.",
            hint="name another folder, or pass overwrite=True to replace them.",
            option="overwrite",
        )


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
        raise InputError(
            f"the folder of contexts {str(folder)!r} {what}.",
            hint="name a folder that crossroads contexts has written.",
        )
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
        raise FormatError(
            f"the format is {in_short(layout)}, expected {in_short(FORMAT)}.",
            path=path,
            hint="name a folder that crossroads contexts has written, or write it with this version.",
        )
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


def _is_ours(folder: Path) -> bool:
    """Whether a folder is a folder of contexts, of any version of the layout."""
    return str(read_record(folder / MANIFEST).get("format")).startswith("crossroads-contexts/")
