"""Files that ``reproduce`` writes: every cell, or every badge, as a document or a table."""

from __future__ import annotations

import io
import json as json_text
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import crossroads
from crossroads.errors import InputError
from crossroads.papers import Reproduction
from crossroads.report.folder import write_whole
from crossroads.stimuli.spreadsheets import write_rows


def write_badges(output: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write whose formula each measure is."""
    plain = [
        {**one, "options": "; ".join(f"{c['name']}={c['value']}" for c in one["options"])} for one in entries
    ]
    _write(output, {"fidelity": entries}, plain)


def check_output(output: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is measured."""
    if output is None:
        return
    if output.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"--output {output} is neither .json nor .csv.", hint="name the file so.")
    if output.is_dir() or not output.parent.is_dir():
        raise InputError(f"--output {output} cannot be written.", hint="name a file in a folder that exists.")


def save(output: Path, results: Sequence[Reproduction]) -> None:
    """Write every cell of some reproductions."""
    rows = [{"paper": result.paper, **row} for result in results for row in result.rows()]
    _write(output, {"results": [result.to_dict() for result in results]}, rows)


def _write(output: Path, data: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the document, or the rows of it as CSV, in one step."""
    if output.suffix.lower() == ".csv":
        rows = list(rows)
        text = io.StringIO()
        write_rows(text, list(rows[0]), rows, end="\n")
        write_whole(output, text.getvalue())
        return
    head = {"crossroads": crossroads.__version__, "command": "reproduce"}
    whole = json_text.dumps({**head, **data}, ensure_ascii=False, allow_nan=False, indent=1)
    write_whole(output, whole + "\n")
