"""The parts of saved audits that a comparison needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossroads.errors import InputError
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.model_names import numbered
from crossroads.measures import BatteryResult, CeatBatteryResult, TraitScores
from crossroads.report.documents.records import Record, revive
from crossroads.stimuli import Design

_READ = ("BatteryResult", "CeatBatteryResult", "TraitScores")


@dataclass(frozen=True, kw_only=True)
class SavedAudit:
    """The parts of one audit that a comparison needs."""

    name: str
    """Name of the model."""
    designs: Mapping[str, Design]
    """The designs, by name."""
    battery: BatteryResult | None
    """Tests on one vector per word."""
    contexts: CeatBatteryResult | None
    """Tests over contexts."""
    traits: Mapping[str, TraitScores]
    """Scores of groups on traits, by measure."""
    vectors: Embeddings | None
    """Vectors of the stimuli."""


def saved_audits(records: Sequence[Record], names: Sequence[str] | None = None) -> list[SavedAudit]:
    """The audits among records, with unique names; saved comparisons are left out."""
    audits = [one for one in records if one.document["kind"] != "results"]
    if len(audits) < 2:
        raise InputError(
            f"there {'is one audit' if audits else 'are no audits'} to compare.",
            hint="name the folders of two audits or more.",
        )
    distinct = names or numbered([one.model for one in audits])
    return [_saved(one, name) for one, name in zip(audits, distinct, strict=True)]


def _saved(record: Record, name: str) -> SavedAudit:
    results = [revive(one) for one in record.results if one["type"] in _READ]
    designs = [Design.from_dict(one) for one in record.document["designs"]]
    battery = next((one for one in results if isinstance(one, BatteryResult)), None)
    return SavedAudit(
        name=name,
        designs={one.name: one for one in designs},
        battery=battery,
        contexts=next((one for one in results if isinstance(one, CeatBatteryResult)), None),
        traits={one.measure: one for one in results if isinstance(one, TraitScores)},
        vectors=None if record.vectors is None else _described(record.vectors, battery),
    )


def _described(vectors: Embeddings, battery: BatteryResult | None) -> Embeddings:
    """The vectors with the provenance that they had when they were measured."""
    if battery is None or not battery.provenance:
        return vectors
    about: Provenance = battery.provenance[0]
    return Embeddings(vectors.labels, vectors.vectors, provenance=about, fallback=vectors.fallback)
