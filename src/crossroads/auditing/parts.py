"""The parts of an audit: small pieces of work whose results are kept, each under what it depends on.

A part is known by a fingerprint of everything that decides its result: the version and the code of the
measures, its options, its stimuli and its evidence. Equal fingerprints, equal results; so a
part that was finished by an earlier run is not run again, and one of which an option changed is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.auditing.watching import SMALL
from crossroads.errors import CrossroadsError, EvidenceError, FormatError, MissingStimuliError
from crossroads.evidence import Embeddings, Provenance
from crossroads.results import Result, encode, versions
from crossroads.stimuli import Design

_DECIDING = ("measures", "inference", "auditing", "geometry.py", "results.py")
"""Where the code lies that decides a result."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One piece of work of an audit, and what its result depends on."""

    name: str
    """What it is called while it runs, such as ``"mleat weat1"``."""
    gives: type[Result]
    """The type of its result."""
    inputs: Mapping[str, Any]
    """Plain data on which the result depends, beside the code."""
    run: Callable[[], Result]
    """Does the work."""
    provenance: tuple[Provenance, ...] = ()
    """Where its evidence came from. Kept apart from the result, because how many words were read along says
    nothing about a test."""
    skips: tuple[type[CrossroadsError], ...] = (MissingStimuliError,)
    """Errors that mean "cannot be measured here" and not "stop"."""
    alone: bool = False
    """Whether it uses all processors by itself."""
    work: float = SMALL
    """Rough seconds of the work: larger parts are begun earlier, and move the bar further."""

    @property
    def fingerprint(self) -> str:
        """Checksum of everything that decides the result."""
        return fingerprint({"part": self.name, "code": code(), "versions": versions(), **self.inputs})


@dataclass(frozen=True)
class Outcome:
    """What came of a part: a result, or the reason why there is none."""

    result: Result | None = None
    """The result."""
    reason: str | None = None
    """Why it could not be measured."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options that the measures of an audit share."""

    alternative: str = "two-sided"
    """Which tail p-values are of."""
    missing: str = "drop"
    """What happens to stimuli without a vector: ``"raise"``, ``"drop"`` or ``"balance"``."""
    fallback: str = "auto"
    """Spellings to try for words not found as written."""
    seed: int = 0
    """Of everything random."""
    samples: int = 10_000
    """How often the CEAT draws a context a word."""
    resamples: int = 2_000
    """Resamples behind intervals over contexts; 0 for none."""

    @property
    def skips(self) -> tuple[type[CrossroadsError], ...]:
        """What skips a test: missing stimuli, unless they are to stop the audit, and vectors all alike."""
        return (EvidenceError,) if self.missing == "raise" else (MissingStimuliError, EvidenceError)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What an audit has measured so far: fields of :class:`crossroads.report.audit.Audit`."""

    fields: dict[str, Any] = field(default_factory=dict)
    """The results, by field."""
    designs: tuple[Design, ...] = ()
    """The designs that could be measured."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""


@cache
def code(*names: str) -> str:
    """Checksum of the code that decides results, or of other rooms: nothing outlives a change of it."""
    home, digest = Path(__file__).parents[1], hashlib.sha256()
    for name in names or _DECIDING:
        place = home / name
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file() and file.suffix in (".py", ".toml"):
                digest.update(f"{file.relative_to(home).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def evidence_key(data: Mapping[str, Any]) -> str:
    """Checksum of what decides evidence: the data, and the code that reads files and asks models.

    The catalogue counts as code: groups, traits and templates that models are asked about stand in it.
    """
    return fingerprint({"code": code("sources", "extraction", "evidence", "stimuli"), **data})


def fingerprint(data: Any) -> str:
    """Checksum of plain data."""
    return hashlib.sha256(_json(encode(data)).encode()).hexdigest()


def design_inputs(design: Design) -> dict[str, Any]:
    """What a test takes from a design: its name, its words and what its sets are called."""
    titles = {role: words.name for role, words in design.sets.items()}
    return {"design": design.name, "words": design.digest, "titles": titles}


def rows_inputs(emb: Embeddings, words: Iterable[str]) -> str:
    """Checksum of the vectors of some words, of how each word was found, and of how others would be."""
    words = tuple(words)
    digest = hashlib.sha256(f"{emb.dim} {emb.vectors.dtype} {' '.join(emb.fallback)}".encode())
    for word in words:
        match = emb.find(word)
        digest.update(f"\0{word}\0{match.label if match else ''}\0{match.rule if match else ''}\0".encode())
        if match is not None:
            digest.update(np.ascontiguousarray(emb.vectors[match.row]).tobytes())
    digest.update(repr(emb.helpful_rules(word for word in words if word not in emb)).encode())
    return digest.hexdigest()


def packed(outcome: Outcome, provenance: Sequence[Provenance]) -> dict[str, Any]:
    """An outcome as plain data, with numbers in the place of provenances that are known."""
    if outcome.result is None:
        return {"reason": outcome.reason}
    known = [_json(encode(one.to_dict())) for one in provenance]
    return {"result": _numbered(outcome.result.to_dict(), known)}


def unpacked(data: Any, part: Part) -> Outcome | None:
    """Rebuild an outcome; None where the data are not of this part."""
    try:
        if isinstance(data.get("reason"), str):
            return Outcome(reason=data["reason"])
        known = [encode(one.to_dict()) for one in part.provenance]
        return Outcome(result=part.gives.from_dict(_filled_in(data["result"], known)))
    except (FormatError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def _numbered(value: Any, known: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_numbered(one, known) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: [known.index(text) if (text := _json(entry)) in known else entry for entry in one]
        if key == "provenance" and isinstance(one, list)
        else _numbered(one, known)
        for key, one in value.items()
    }


def _filled_in(value: Any, known: Sequence[dict[str, Any]]) -> Any:
    if isinstance(value, list):
        return [_filled_in(one, known) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: [known[entry] if isinstance(entry, int) else entry for entry in one]
        if key == "provenance" and isinstance(one, list)
        else _filled_in(one, known)
        for key, one in value.items()
    }


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
