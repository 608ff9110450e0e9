"""One self-contained HTML file of results that opens from disk and makes no requests.

The page is a frame, a style sheet, a script and the data; the script builds all content from text nodes, so
that data are never parsed as markup. A content security policy allows only this script and forbids all
requests.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from crossroads.core.errors import InputError
from crossroads.core.report.documents.records import Record
from crossroads.core.report.page.data import page_data
from crossroads.core.results import result_kinds
from crossroads.core.storage.files import write_file
from crossroads.core.wording.escaping import one_line
from crossroads.core.wording.table import in_html

STYLES = ("page.css", *(f"{one}/{one}.css" for one in ("findings", "tests", "sections", "explorer")))
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")

_IMPORT = re.compile(r'^import (?:\{\s*(\w+(?:,\s*\w+)*),?\s*\} from )?"(\.\.?/[^"\n]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*? |const )(\w+)(?:\(| = ))", re.MULTILINE)
_NOTES = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
_REST = re.compile(r"^\s*(?:import|export)\b.*|^(?!\s*(?:/?\*|//)).*\bimport\s*[(.].*", re.MULTILINE)


def page_html(records: Sequence[Record], *, title: str | None = None) -> str:
    """One page of all results: a record for each model, or for a comparison of several.

    The heading names the models by default.
    """
    if not records:
        raise InputError("there is nothing to show.", hint="give at least one record.")
    models = models_of(records)
    names = list(dict.fromkeys(one.model for one in models))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    heading = one_line(title or f"Associations in {', '.join(names[:3])}{more}")
    apart = [one for one in records if all(one is not model for model in models)]
    data = page_data(models, title=heading, comparisons=apart)
    style, script = _style_and_script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "POLICY": html.escape(policy, quote=True).replace("&#x27;", "'"),
        "TITLE": html.escape(_printable(heading)),
        "STYLE": style,
        "STATIC": _static(records),
        "DATA": in_script(data),
        "SCRIPT": script,
    }
    frame = re.split(r"\{\{(\w+)\}\}", _file("frame.html"))  # text and names of parts in turn
    return "".join(parts[one] if place % 2 else one for place, one in enumerate(frame))


def write_page(path: str | Path, records: Sequence[Record], **options: Any) -> None:
    """Write a page to a file atomically; takes the arguments of :func:`page_html`."""
    write_file(Path(path), page_html(records, **options))


def in_script(data: Any) -> str:
    """JSON for a script element, escaped so that it cannot end the element or start another."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def models_of(records: Sequence[Record]) -> list[Record]:
    """The records of models, without comparisons of these; all records where each is a comparison."""
    return [one for one in records if not compares(one)] or list(records)


def compares(record: Record) -> bool:
    """Whether a record is a comparison of models."""
    comparing = {kind.__name__ for kind in result_kinds() if kind._section == "comparison"}
    return bool(record.results) and all(one["type"] in comparing for one in record.results)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _file(name: str) -> str:
    return (resources.files("crossroads.core.report.page") / "files" / name).read_text(encoding="utf-8")


@cache
def _style_and_script() -> tuple[str, str]:
    return "\n".join(_file(name) for name in STYLES), joined("page.js", _file)


def _static(records: Sequence[Record]) -> str:
    """The tables as plain markup, for readers without scripts."""
    blocks = [
        f"<h2>{html.escape(_printable(record.model))}</h2>"
        + "".join(_printable(in_html(table, inline=False)) for table in record.tables.values() if table.rows)
        for record in records
        if any(table.rows for table in record.tables.values())
    ]
    said = "These are its main numbers." if blocks else "Its numbers are in results.json."
    return f"{said}</p>{''.join(blocks)}"


def joined(root: str, read: Callable[[str], str]) -> str:
    """One script from a JavaScript module and all its imports, in the order of their dependencies.

    Each file becomes a function that is called once, after the files it imports, and returns its exports.
    Only the forms that the page uses are supported: ``import { a, b } from "./file.js";``,
    ``import "./file.js";``, and ``export`` before a function or a single constant. Anything else is an error,
    and so are circular imports. Comments that begin with ``/**`` on their own line are left out.
    ``root`` is the path of the file that imports all others; ``read`` returns the text of a file.
    """
    exports: dict[str, list[str]] = {}
    pieces: list[str] = []

    def join(path: str, trail: tuple[str, ...]) -> None:
        if path in trail:
            circle = " → ".join((*trail[trail.index(path) :], path))
            hint = "move what they share to a third file."
            raise InputError(f"scripts import each other in a circle: {circle}.", hint=hint)
        if path in exports:
            return
        text, heads = _text(path, trail, read), []
        for names, target in _IMPORT.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            join(other, (*trail, path))
            wanted = re.findall(r"\w+", names)
            if missing := [name for name in wanted if name not in exports[other]]:
                raise InputError(f"{path} imports {', '.join(missing)}, which {other} does not export.")
            if wanted:
                heads.append(f'const {{ {", ".join(wanted)} }} = $files["{other}"];\n')
        exports[path] = _EXPORT.findall(text)
        body = _NOTES.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))
        if left := _REST.search(body):
            message = f"{path} has an import or export of an unknown form: {left[0].strip()!r}."
            hint = 'write import { a } from "./file.js"; or export before one function or one constant.'
            raise InputError(message, hint=hint)
        head, names = "".join(heads), ", ".join(exports[path])
        pieces.append(f'$files["{path}"] = (() => {{\n{head}{body}\nreturn {{ {names} }};\n}})();\n')

    join(posixpath.normpath(root), ())
    return '"use strict";\n(() => {\nconst $files = {};\n' + "".join(pieces) + "})();\n"


def _text(path: str, trail: tuple[str, ...], read: Callable[[str], str]) -> str:
    try:
        text = read(path)
    except FileNotFoundError as error:
        asker = f", which {trail[-1]} imports" if trail else ""
        raise InputError(f"there is no script {path}{asker}.") from error
    if found := re.search(r"</?script|<!--", text, re.IGNORECASE):
        raise InputError(f"{path} contains {found[0]!r}, which is not allowed in a script of a page.")
    return text
