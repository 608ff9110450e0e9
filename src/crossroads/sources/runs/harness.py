"""Samples that lm-evaluation-harness logs with ``--log_samples``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, in_short
from crossroads.evidence.model_names import recorded_path
from crossroads.evidence.provenance import Provenance
from crossroads.evidence.runs import Run
from crossroads.sources.runs.samples import (
    AMBIGUOUS,
    DISAMBIGUATED,
    Sample,
    Values,
    add_bias,
    cluster_of,
    finite,
    items_of,
    labels_of,
    metric_of,
    split_accuracy,
)

_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
NAME = re.compile(rf"samples_(?P<task>.+?)_{_DATE}\.jsonl")
"""Names of its files of samples."""
RESULTS = re.compile(rf".+_{_DATE}\.json")
"""Names of its files of results: ``results_DATE.json``, or as ``--output_path`` says."""
_HINT = "the file is damaged, incomplete or of another program; run the harness again with --log_samples."
_BBQ = ("accuracy_amb", "accuracy_disamb", AMBIGUOUS, DISAMBIGUATED)


def read_harness(path: Path, *, model: str | None = None) -> Run:
    """Read a file of samples, and the file of results beside it if there is one.

    Parameters
    ----------
    path
        A file ``samples_TASK_DATE.jsonl``.
    model
        Name of the model; otherwise that of the results, or of the folder.
    """
    named = NAME.fullmatch(path.name)
    task = named["task"] if named else path.stem.removeprefix("samples_")
    beside = sorted(path.parent.glob(f"*_{named['date']}.json")) if named else []
    about = _results(beside[0]) if beside else {}
    samples, left = _samples(path)
    _check_number(path, about, task, len({one.id for one in samples}))
    items = items_of(samples)
    names = dict.fromkeys(name for one in items for name in one.values)
    notes = [f"{name} holds several numbers per sample and is left out" for name in left]
    model = model or str(about.get("model_name") or path.resolve().parent.name.replace("__", "/"))
    return Run(
        model=model,
        task=task,
        items=items,
        metrics={name: metric_of(name) for name in names},
        cluster=cluster_of(items),
        notes=tuple(notes),
        provenance=Provenance(
            source=model,
            format="lm-evaluation-harness",
            details={
                "log": recorded_path(path),
                "written by": f"lm-evaluation-harness {about.get('lm_eval_version', '(version not known)')}",
                "task version": about.get("versions", {}).get(task),
                "shots": about.get("n-shot", {}).get(task),
            },
        ),
    )


def _results(path: Path) -> Mapping[str, Any]:
    """The results of a run."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError("it is not JSON.", path=path, hint=_HINT) from error
    kept = found if isinstance(found, dict) else {}
    tables = ("versions", "n-shot", "n-samples")
    return {key: one for key, one in kept.items() if key not in tables or isinstance(one, dict)}


def _check_number(path: Path, about: Mapping[str, Any], task: str, found: int) -> None:
    """Compare the number of items with that in the results."""
    counts = about.get("n-samples", {}).get(task)
    wanted = counts.get("effective") if isinstance(counts, dict) else None
    if isinstance(wanted, int) and wanted != found:
        raise FormatError(
            f"it has {found:,} items, and the results beside it were computed from {wanted:,}.",
            path=path,
            hint=_HINT,
        )


def _samples(path: Path) -> tuple[list[Sample], list[str]]:
    """One sample for each item, with the values of all filters; and metrics that were left out."""
    found: dict[str, Sample] = {}
    seen: set[tuple[str, str]] = set()
    left: dict[str, None] = {}
    for line, record in _records(path):
        doc, digest, metrics = record.get("doc"), record.get("doc_hash"), record.get("metrics")
        if "doc_id" not in record or not isinstance(doc, dict):
            raise FormatError("it has no 'doc_id' or no 'doc'.", path=path, line=line, hint=_HINT)
        if not isinstance(digest, str) or not isinstance(metrics, list):
            raise FormatError(
                "it has no 'doc_hash' or no 'metrics'.",
                path=path,
                line=line,
                hint="it was written by a version before 0.4.3; run the harness again.",
            )
        key, how = str(record["doc_id"]), str(record.get("filter", "none"))
        if (key, how) in seen:
            raise FormatError(
                f"the item {in_short(key)} is there twice.",
                path=path,
                line=line,
                hint="two runs were joined in one file; give each its own.",
            )
        seen.add((key, how))
        values = _values(record, [str(one) for one in metrics], how, doc, left, path, line)
        if key in found:
            found[key].values.update(values)
        else:
            prompt = str(record.get("prompt_hash", ""))
            found[key] = Sample(id=key, digest=digest, values=values, labels=labels_of(doc), prompt=prompt)
    if not found:
        raise FormatError("it has no samples.", path=path, hint=_HINT)
    return list(found.values()), list(left)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines with their numbers."""
    with path.open(encoding="utf-8", errors="strict", newline="\n") as file:
        try:
            for line, text in enumerate(file, start=1):
                if not text.strip():
                    continue
                try:
                    record = json.loads(text)
                except (ValueError, RecursionError) as error:
                    raise FormatError("it is not JSON.", path=path, line=line, hint=_HINT) from error
                if not isinstance(record, dict):
                    raise FormatError(f"it is {in_short(record)}.", path=path, line=line, hint=_HINT)
                yield line, record
        except UnicodeDecodeError as error:
            raise FormatError("it is not UTF-8 text.", path=path, hint=_HINT) from error


def _values(
    record: Mapping[str, Any],
    names: list[str],
    how: str,
    doc: Mapping[str, Any],
    left: dict[str, None],
    path: Path,
    line: int,
) -> Values:
    """Values of the metrics of a line."""
    values: Values = {}
    condition = str(doc.get("context_condition", ""))
    for name in names:
        given = record.get(name)
        called = name if how == "none" else f"{name},{how}"
        if isinstance(given, list):
            if name in (AMBIGUOUS, DISAMBIGUATED) and len(given) == 4:
                biased, known = finite(given[1]), finite(given[2])
                if biased is None or known is None:
                    raise _not_a_number(path, line, name, given)
                add_bias(values, condition, biased, known)
            elif name not in _BBQ and not name.startswith((f"{AMBIGUOUS}_", f"{DISAMBIGUATED}_")):
                left[name] = None
            continue
        number = finite(given)
        if number is None:
            raise _not_a_number(path, line, name, given)
        values[called] = (number, 1.0)
        if name == "acc" and condition:
            split_accuracy(values, condition, (number, 1.0))
    return values


def _not_a_number(path: Path, line: int, name: str, given: object) -> FormatError:
    return FormatError(
        f"{in_short(name)} is {in_short(given)}, not a finite number.",
        path=path,
        line=line,
        hint="mend the task, so that every sample has a score, and run it again.",
    )
