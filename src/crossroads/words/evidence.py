"""One vector per word as evidence of audits, with what identifies it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from crossroads.core.audit.engine import Evidence, Outcome, Unit
from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli import Design
from crossroads.words.checks.placebo import OtherWords


class Words(Evidence):
    """One vector per word; ``given`` is read in its place, where a measure needs more."""

    def __init__(self, emb: Embeddings, given: object = None) -> None:
        self.emb, self.provenance = emb, (emb.provenance,)
        self._given = emb if given is None else given
        self._rows: dict[tuple[str, ...], str] = {}

    def read(self) -> Any:
        """The vectors, or what is read in their place."""
        return self._given

    def identity(self, unit: Unit) -> Any:
        """Checksum of the vectors of the words, how each was found, and which rules would find others."""
        if unit.words not in self._rows:
            self._rows[unit.words] = self._common + _rows_checksum(self.emb, unit.words)
        return self._rows[unit.words]

    @cached_property
    def _common(self) -> str:
        """Checksum of the vectors of common words, which tell near copies."""
        common = self.emb.common
        return "" if common is None else hashlib.sha256(np.ascontiguousarray(common).data).hexdigest()

    @cached_property
    def pool(self) -> str:
        """Checksum of the other words, their vectors and ranks."""
        pool = self.emb.pool
        if pool is None:
            return ""
        return _words_checksum(pool) + hashlib.sha256(np.ascontiguousarray(pool.vectors).data).hexdigest()

    @cached_property
    def ranks(self) -> str:
        """Checksum of the words and their ranks."""
        return _words_checksum(self.emb)


class Space(Words):
    """All vectors together, as they were read."""

    def identity(self, unit: Unit) -> Any:
        """Checksums of every vector and of other words."""
        del unit
        every = self._common + _rows_checksum(self.emb, self.emb.labels)
        return {"all": every, "pool": self.pool, "ranks": self.ranks}


class Series(Evidence):
    """The same words in several models: decades, or layers."""

    def __init__(
        self, models: Mapping[int, Embeddings], last: Mapping[str, Outcome] = MappingProxyType({})
    ) -> None:
        self._models = {point: Words(models[point]) for point in sorted(models)}
        self._last = last  # tests in the last model, if they were measured already
        self.provenance = tuple(one.emb.provenance for one in self._models.values())

    def read(self) -> tuple[dict[int, Embeddings], Mapping[str, Outcome]]:
        """The models by decade or layer, and the tests in the last one that were measured already."""
        return {point: one.emb for point, one in self._models.items()}, self._last

    def identity(self, unit: Unit) -> Any:
        """Checksums of the words in each model."""
        return {str(point): one.identity(unit) for point, one in self._models.items()}


def words_evidence(read: Embeddings, used: Embeddings, designs: Sequence[Design]) -> dict[str, Evidence]:
    """Evidence of one vector per word: as it was read, and in the space that is used."""
    return {"words": Words(used), "others": Words(used, OtherWords(used, designs)), "space": Space(read)}


def _rows_checksum(emb: Embeddings, words: Sequence[str]) -> str:
    digest = hashlib.sha256(f"{emb.dim} {emb.vectors.dtype} {' '.join(emb.fallback)}".encode())
    for word in words:
        match = emb.find(word)
        digest.update(f"\0{word}\0{match.label if match else ''}\0{match.rule if match else ''}\0".encode())
        if match is not None:
            digest.update(np.ascontiguousarray(emb.vectors[match.row]).tobytes())
    digest.update(repr(emb.helpful_rules(word for word in words if word not in emb)).encode())
    return digest.hexdigest()


def _words_checksum(emb: Embeddings) -> str:
    ranks = None if emb.ranks is None else list(emb.ranks.values())
    return hashlib.sha256(json.dumps([emb.labels, ranks], ensure_ascii=True).encode()).hexdigest()


def words_of(designs: Sequence[Design]) -> list[str]:
    """Every stimulus of several designs, once."""
    return list(dict.fromkeys(word for design in designs for word in design.words))
