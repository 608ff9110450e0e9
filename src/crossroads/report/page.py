"""Results in, one self-contained HTML file out: it opens from disk, and asks nothing of any network.

The page is a frame, a style sheet, a script and the data; the script builds everything a reader sees out of
text nodes, so that no word of the data is ever read as markup. A policy in the head of the page lets run
this script alone and forbids every request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from crossroads.errors import InputError
from crossroads.report.escaping import number, one_line, pvalue
from crossroads.report.folder import write_whole
from crossroads.report.json_text import json_pieces
from crossroads.report.page_data import page_data
from crossroads.report.records import Record, results_document
from crossroads.results import Result

_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def page_html(records: Sequence[Record], **options: Any) -> str:
    """One page of all that was measured; takes what :func:`page_pieces` takes."""
    return "".join(page_pieces(records, **options))


def page_pieces(
    records: Sequence[Record],
    *,
    comparison: Result | None = None,
    findings: Mapping[str, Sequence[Any]] | None = None,
    fidelity: Sequence[Any] | None = None,
    title: str | None = None,
) -> Iterator[str]:
    """One page of all that was measured, in pieces: the text of large results is never held at once.

    Parameters
    ----------
    records
        One for each model; several models share the page.
    comparison
        Paired tests of the models, where there are any beyond those in the records.
    findings
        Published findings by test, to stand beside ours.
    fidelity
        For each measure, whose formula it follows.
    title
        Heading; by default it names the models.
    """
    if not records:
        raise InputError("there is nothing to show.", hint="give at least one record.")
    shown = list(records)
    if comparison is not None:
        shown.append(Record(document=results_document([comparison], model="comparison")))
    heading = one_line(title or _title(records))
    data = page_data(shown, title=heading, findings=findings, fidelity=fidelity)
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts: dict[str, Iterable[str]] = {
        "POLICY": [html.escape(policy, quote=True).replace("&#x27;", "'")],
        "TITLE": [html.escape(_printable(heading))],
        "STYLE": [style],
        "STATIC": [_static(shown)],
        "DATA": _in_script(data),
        "SCRIPT": [script],
    }
    frame = re.split(r"\{\{(\w+)\}\}", _file("frame.html"))  # text and names of parts in turn
    pieces = (parts[one] if place % 2 else [one] for place, one in enumerate(frame))
    return itertools.chain.from_iterable(pieces)


def write_page(path: str | Path, records: Sequence[Record], **options: Any) -> None:
    """Write a page to a file, whole or not at all; takes what :func:`page_pieces` takes."""
    write_whole(Path(path), page_pieces(records, **options))


def in_script(data: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element or start another."""
    return "".join(_in_script(data))


def _in_script(data: Any) -> Iterator[str]:
    for text in json_pieces(data):
        harmless = text.isascii() and not any(sign in text for sign in "<>&")  # quicker told than replaced
        yield text if harmless else _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _printable(text: str) -> str:
    """Text that can be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _title(records: Sequence[Record]) -> str:
    models = [one for one in records if not compares(one)] or records
    names = list(dict.fromkeys(one.model for one in models))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"Associations in {shown}"


def compares(record: Record) -> bool:
    """Whether a record is about differences of models, and so about none of its own."""
    return all(
        one["type"] in ("CompareResult", "CompareBatteryResult", "CompareTraitsResult")
        for one in record.results
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _file(name: str) -> str:
    return (resources.files("crossroads.report") / "page_files" / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    """All style sheets, in the order of their names."""
    return "\n".join(_files(".css"))


@cache
def _script() -> str:
    """All scripts in one scope, in the order of their names."""
    return '"use strict";\n(() => {\n' + "\n".join(_files(".js")) + "\n})();\n"


def _files(ending: str) -> list[str]:
    folder = resources.files("crossroads.report") / "page_files"
    return [_file(name) for name in sorted(one.name for one in folder.iterdir()) if name.endswith(ending)]


def _static(records: Sequence[Record]) -> str:
    """The main numbers as plain markup, for readers without scripts."""
    blocks = []
    for record in records:
        rows = [
            "<tr>"
            + "".join(f"<td>{html.escape(_printable(one))}</td>" for one in _static_row(test))
            + "</tr>"
            for result in record.results
            if result["type"] == "BatteryResult"
            for test in result["tests"]
        ]
        if rows:
            head = "<tr><th>test</th><th>effect size</th><th>p</th><th>pattern</th></tr>"
            caption = f"<caption>{html.escape(_printable(record.model))}</caption>"
            blocks.append(f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>")
    said = "These are its main numbers." if blocks else "Its numbers are in results.json."
    return f"{said}</p>{''.join(blocks)}"


def _static_row(test: Mapping[str, Any]) -> tuple[str, ...]:
    level = test["level1"]
    return (
        str(test["design"]),
        number(level["effect_size"]),
        pvalue(level["pvalue"], level["method"]),
        str(test["pattern"]),
    )
