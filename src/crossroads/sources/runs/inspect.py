"""Logs of Inspect, in both of its formats."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, in_short
from crossroads.evidence.model_names import recorded_path
from crossroads.evidence.provenance import Provenance
from crossroads.evidence.runs import Run
from crossroads.sources.runs.samples import (
    TERM,
    Sample,
    Values,
    add_bias,
    bbq_outcome,
    checksum,
    cluster_of,
    items_of,
    labels_of,
    metric_of,
    split_accuracy,
)
from crossroads.storage.arrays import ARCHIVE_FAULTS
from crossroads.storage.streams import member_bytes

_HINT = "the file is damaged, incomplete or no log of Inspect; copy it again, or run the evaluation again."
_LETTERS: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What the letters of Inspect's scorers are worth: correct, partial, incorrect, no answer."""
_WORDS: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_STEREOTYPE, _AGAINST = "stereotype", "anti-stereotype"


def read_inspect(path: Path, *, model: str | None = None) -> Run:
    """Read a log.

    Parameters
    ----------
    path
        A file ``.eval`` or ``.json``.
    model
        Name of the model; otherwise that in the log.
    """
    header, samples = _archive(path) if zipfile.is_zipfile(path) else _document(path)
    about = header.get("eval")
    if not isinstance(about, dict) or not about.get("model") or not about.get("task"):
        raise FormatError("it names no model and no task.", path=path, hint=_HINT)
    lost: Counter[str] = Counter()
    found: list[Sample] = []
    seen: set[tuple[str, int]] = set()
    undirected: set[str] = set()
    for place, sample in samples:
        key = (str(sample.get("id")), sample.get("epoch", 1))
        if sample.get("id") is None or not isinstance(key[1], int):
            raise FormatError("a sample has no id or no epoch.", path=path, key=place, hint=_HINT)
        if key in seen:
            raise FormatError(
                f"the sample {in_short(key[0])} of epoch {key[1]} is there twice.",
                path=path,
                key=place,
                hint="two runs were joined in one file; give each its own.",
            )
        seen.add(key)
        found.append(_sample(sample, path, place, lost, undirected))
    if not found:
        raise FormatError(
            "it has no samples.", path=path, hint="run the evaluation again without --no-log-samples."
        )
    items = items_of(found)
    if not items:
        raise FormatError("no sample has a score.", path=path, hint="score it first: inspect score LOG.")
    notes = []
    if (status := str(header.get("status", "started"))) != "success":
        notes.append(f"the log says that the run ended as {status!r}")
    if header.get("invalidated"):
        notes.append("the log is marked as invalidated")
    if undirected:
        told = "which answer is about the stereotyped group cannot be told from the log"
        notes.append(f"for {len(undirected):,} items {told}: they have no bias score")
    names = dict.fromkeys(name for one in items for name in one.values)
    packages = about.get("packages")
    version = packages.get("inspect_ai", "") if isinstance(packages, dict) else "(version not known)"
    model = model or str(about["model"])
    return Run(
        model=model,
        task=str(about["task"]),
        items=items,
        metrics={name: metric_of(name) for name in names},
        cluster=cluster_of(items),
        lost=dict(lost),
        notes=tuple(notes),
        provenance=Provenance(
            source=model,
            format="inspect",
            details={
                "log": recorded_path(path),
                "written by": f"Inspect {version}",
                "task version": about.get("task_version"),
                "created": about.get("created"),
            },
        ),
    )


Samples = Iterator[tuple[str, Mapping[str, Any]]]


def _document(path: Path) -> tuple[Mapping[str, Any], Samples]:
    """A log that is one JSON document."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise FormatError("it is not JSON.", path=path, line=line, hint=_HINT) from error
    samples = found.get("samples") if isinstance(found, dict) else None
    if not isinstance(samples, list) or not all(isinstance(one, dict) for one in samples):
        raise FormatError("it has no samples.", path=path, hint=_HINT)
    return found, ((f"samples/{at}", one) for at, one in enumerate(samples))


def _archive(path: Path) -> tuple[Mapping[str, Any], Samples]:
    """A log that is a zip archive of JSON documents."""
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        names = [info.filename for info in archive.infolist()]
    head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if head is None:
        raise FormatError("the archive holds no header.", path=path, hint=_HINT)
    (_, header), *_ = _members(path, [head])
    return header, _members(path, [name for name in names if name.startswith("samples/")])


def _members(path: Path, names: list[str]) -> Samples:
    """Documents of an archive, by name."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            for name in names:
                found = json.loads(member_bytes(archive, name, file, path))
                if not isinstance(found, dict):
                    raise FormatError(f"it is {in_short(found)}.", path=path, key=name, hint=_HINT)
                yield name, found
    except FormatError:
        raise
    except (*ARCHIVE_FAULTS, RecursionError) as error:
        raise FormatError(f"the log cannot be read: {error!s:.200}.", path=path, hint=_HINT) from error


def _sample(
    sample: Mapping[str, Any], path: Path, place: str, lost: Counter[str], undirected: set[str]
) -> Sample:
    """A sample with its values; without any where it failed."""
    meta = sample.get("metadata")
    data: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
    scores = sample.get("scores")
    values: Values = {}
    if sample.get("error"):
        lost["error"] += 1
    elif isinstance(scores, dict) and scores:
        values = _scores(scores, path, place)
        _direct(values, scores, data, str(sample["id"]), undirected)
        if not values:
            lost["no score"] += 1
    else:
        lost["no score"] += 1
    labels = labels_of(data)
    if isinstance(data.get("target"), str) and isinstance(data.get("gold_labels"), list):
        labels[TERM] = data["target"]
    choices = sample.get("choices")
    offered = sorted(map(str, choices)) if isinstance(choices, list) else []
    given = sample.get("input")
    text = given if isinstance(given, str) else _said(given)
    return Sample(id=str(sample["id"]), digest=checksum(text, *offered), values=values, labels=labels)


def _said(messages: Any) -> str:
    """The text of messages, without their ids, which every run draws anew."""
    if not isinstance(messages, list):
        return ""
    kept = [(one.get("role"), one.get("content")) for one in messages if isinstance(one, dict)]
    return json.dumps(kept, ensure_ascii=False, sort_keys=True)


def _scores(scores: Mapping[str, Any], path: Path, place: str) -> Values:
    """Values of a sample by scorer, or by what a scorer names."""
    values: Values = {}
    for scorer, score in scores.items():
        given = score.get("value") if isinstance(score, dict) else None
        several = given if isinstance(given, dict) else {scorer: given}
        for name, value in several.items():
            called = str(name) if str(name) not in values else f"{scorer}/{name}"
            number = _number(value, path, place, called)
            if number is not None:
                values[called] = (number, 1.0)
    return values


def _number(value: Any, path: Path, place: str, name: str) -> float | None:
    """A score as a number, as Inspect counts it; None where there is none."""
    if value is None or isinstance(value, list) or (isinstance(value, float) and isnan(value)):
        return None  # not a number is Inspect's sign for a sample without a score
    if isinstance(value, str):
        known = _LETTERS.get(value, _WORDS.get(value.lower()))
        if known is not None:
            return known
        try:
            value = float(value)
        except ValueError:
            value = None
    if not isinstance(value, int | float) or abs(value) == float("inf") or value != value:
        raise FormatError(
            f"the score {in_short(name)} is not a finite number.",
            path=path,
            key=place,
            hint="give scores as numbers, or as C, I, P and N.",
        )
    return float(value)


def _direct(
    values: Values, scores: Mapping[str, Any], data: Mapping[str, Any], key: str, undirected: set[str]
) -> None:
    """Add the scores that say to which side an answer leans, where the log has what they need."""
    if _STEREOTYPE in values and _AGAINST in values:
        towards, against = values[_STEREOTYPE][0], values[_AGAINST][0]
        values["stereotype_score"] = (towards, towards + against)
    condition = data.get("context_condition")
    choice = scores.get("choice")
    if not isinstance(condition, str) or not isinstance(choice, dict) or "choice" not in values:
        return
    split_accuracy(values, condition, values["choice"])
    answer = choice.get("answer")
    at = "ABC".find(answer.strip().upper()[:1] or "?") if isinstance(answer, str) else -1
    found = bbq_outcome(data, None if at < 0 else at)
    if found is None:
        undirected.add(key)
    else:
        add_bias(values, condition, *found)
