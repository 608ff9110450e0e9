"""The parts of an audit: small pieces of work whose results are kept and reused.

A part is identified by a fingerprint of everything that decides its result: the version and the code of the
measures, its options, its stimuli and its evidence. A part finished by an earlier run is run again only if
its fingerprint has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crossroads.audit.progress import SMALL
from crossroads.errors import (
    CrossroadsError,
    DesignError,
    EvidenceError,
    FormatError,
    InputError,
    MissingStimuliError,
)
from crossroads.evidence import Embeddings, Provenance
from crossroads.inference.permutation.test import Alternative
from crossroads.measures.coverage.words import Missing
from crossroads.measures.geometry.corrections import Correction
from crossroads.results import Result, encode, versions
from crossroads.stimuli import Design
from crossroads.storage import files
from crossroads.storage.files import EVIDENCE, code

_DECIDING = ("measures", "inference", "audit", "geometry.py", "results", "wording")
"""The code that decides a result."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One piece of work of an audit, and what its result depends on."""

    name: str
    """Name shown while it runs, such as ``"mleat weat1"``."""
    gives: type[Result]
    """The type of its result."""
    inputs: Mapping[str, Any]
    """Plain data on which the result depends, besides the code."""
    run: Callable[[], Result]
    """Does the work."""
    provenance: tuple[Provenance, ...] = ()
    """Provenance of its evidence, kept apart from the result because it depends on what else was read."""
    skips: tuple[type[CrossroadsError], ...] = (MissingStimuliError,)
    """Errors that mean that the part cannot be measured, without stopping the audit."""
    alone: bool = False
    """Whether it uses all processors by itself."""
    work: float = SMALL
    """Approximate seconds of work: larger parts start earlier, and advance the progress bar further."""

    @cached_property
    def fingerprint(self) -> str:
        """Checksum of everything that decides the result."""
        return fingerprint({"part": self.name, "code": measure_code(), "versions": versions(), **self.inputs})


@dataclass(frozen=True)
class Outcome:
    """Outcome of a part: a result, or the reason why there is none."""

    result: Result | None = None
    """The result."""
    reason: str | None = None
    """Why it could not be measured."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options that the measures of an audit share."""

    alternative: Alternative = "two-sided"
    """Alternative of the p-values."""
    missing: Missing = "drop"
    """What happens to stimuli without a vector: ``"raise"``, ``"drop"`` or ``"balance"``."""
    fallback: str = "auto"
    """Spellings to try for words not found as written."""
    seed: int = 0
    """Seed of all random numbers."""
    samples: int = 10_000
    """Number of samples of the CEAT, each with one context per word."""
    resamples: int = 2_000
    """Resamples for intervals over contexts; 0 for none."""
    correct: Correction | None = None
    """Correction of the space of one vector per word, if any; see :func:`~crossroads.stats.corrected`."""
    frequencies: Mapping[str, float] | str | None = None
    """Frequencies of words, if not those of the vector file; see :func:`~crossroads.frequency`."""

    @property
    def skips(self) -> tuple[type[CrossroadsError], ...]:
        """Errors that skip a test: constant vectors, sets too small, and missing stimuli if they may be."""
        always = (EvidenceError, DesignError)
        return always if self.missing == "raise" else (MissingStimuliError, *always)


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Results of some parts of an audit."""

    results: dict[str, Result] = field(default_factory=dict)
    """The results by name."""
    designs: tuple[Design, ...] = ()
    """The designs that could be measured."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""


def measure_code() -> str:
    """Checksum of the code that decides results; a change invalidates kept parts."""
    return code(*_DECIDING)


def evidence_key(data: Mapping[str, Any]) -> str:
    """Checksum of what decides evidence: the data, and the code that reads files and queries models.

    The catalogue counts as code, because it contains the groups, traits and templates.
    """
    return fingerprint({"code": code(*EVIDENCE), **data})


def fingerprint(data: Any) -> str:
    """Checksum of plain data, or of results and arrays."""
    return files.fingerprint(encode(data))


def design_inputs(design: Design) -> dict[str, Any]:
    """What a test uses of a design: its name, its words and the names of its sets."""
    titles = {role: words.name for role, words in design.sets.items()}
    return {"design": design.name, "words": design.digest, "titles": titles}


def rows_inputs(emb: Embeddings, words: Iterable[str]) -> str:
    """Checksum of the vectors of some words, how each was found, and which rules would find the others."""
    words = tuple(words)
    digest = hashlib.sha256(f"{emb.dim} {emb.vectors.dtype} {' '.join(emb.fallback)}".encode())
    for word in words:
        match = emb.find(word)
        digest.update(f"\0{word}\0{match.label if match else ''}\0{match.rule if match else ''}\0".encode())
        if match is not None:
            digest.update(np.ascontiguousarray(emb.vectors[match.row]).tobytes())
    digest.update(repr(emb.helpful_rules(word for word in words if word not in emb)).encode())
    return digest.hexdigest()


def pool_inputs(emb: Embeddings, *, stimuli: bool = True) -> str:
    """Checksum of the words that tests can be compared with, their vectors, and ranks, also of stimuli."""
    digest = hashlib.sha256()
    for one in (emb if stimuli else None, emb.pool):
        if one is not None:
            ranks = None if one.ranks is None else list(one.ranks.values())
            digest.update(json.dumps([one.labels, ranks], ensure_ascii=True).encode())
            digest.update(np.ascontiguousarray(one.vectors).tobytes() if one is not emb else b"")
    return digest.hexdigest()


def packed(outcome: Outcome, provenance: Sequence[Provenance]) -> dict[str, Any]:
    """An outcome as plain data, with known provenances replaced by their index.

    A result with a number that does not exist becomes the reason why there is none.
    """
    if outcome.result is None:
        return {"reason": outcome.reason}
    try:
        data = outcome.result.to_dict()
    except InputError as error:
        return {"reason": f"a number does not exist for these data: {error.reason}"}
    known = [encode(one.to_dict()) for one in provenance]
    for result in _results_in(data):
        result["provenance"] = [known.index(one) if one in known else one for one in result["provenance"]]
    return {"result": data}


def unpacked(data: Any, part: Part) -> Outcome | None:
    """Rebuild an outcome; None if the data do not belong to this part."""
    try:
        if isinstance(data.get("reason"), str):
            return Outcome(reason=data["reason"])
        known = [encode(one.to_dict()) for one in part.provenance]
        for result in _results_in(data["result"]):
            result["provenance"] = [
                known[one] if isinstance(one, int) else one for one in result["provenance"]
            ]
        return Outcome(result=part.gives.from_dict(data["result"]))
    except (FormatError, AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None


def _results_in(value: Any) -> Iterator[dict[str, Any]]:
    """The plain data of a result and of every result in it: whatever has a provenance."""
    if isinstance(value, dict):
        if isinstance(value.get("provenance"), list):
            yield value
        value = [one for key, one in value.items() if key != "provenance"]
    for one in value if not {dict, list}.isdisjoint(map(type, value)) else ():
        if isinstance(one, (dict, list)):
            yield from _results_in(one)
