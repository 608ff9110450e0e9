"""Scores that a language model gives to sentences, each next to those it is compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import index
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, FormatError, InputError, in_short, one_of
from crossroads.core.evidence.embeddings import Provenance, provenance_of
from crossroads.core.stimuli.files.text import load_json
from crossroads.core.storage.files import rebuilt, with_checksum, write_file
from crossroads.sentences.material import ROLES, Kind, SentenceItem

FORMAT = "crossroads-sentence-scores/2"
_EPSILON = float(np.finfo(np.float32).eps)
_MOST = 1e100  # no logarithm of a probability is as large, and sums of such numbers are finite
Score = Literal["pll", "aul", "aula", "blank", "released", "likelihood", "bare"]
"""How a sentence is scored; see :data:`SCORES`."""
Per = Literal["auto", "sentence", "token", "probability"]
"""Whether a score is the sum of log-probabilities over the tokens that count, their mean, or the logarithm
of the mean of the probabilities themselves (of ``blank`` and ``released`` only); ``"auto"`` is as
published."""
SCORES: Mapping[str, str] = {
    "pll": "log-probabilities of the tokens that the compared sentences share, each masked by itself",
    "aul": "log-probabilities of all tokens, none of them masked",
    "aula": "log-probabilities of all tokens, none of them masked, weighted by the attention they get",
    "blank": "log-probabilities of the tokens that fill the blank, each given those of them before it and "
    "the context",
    "released": "log-probabilities of the tokens of the word that fills the blank, which is split apart from "
    "its sentence, each given those of them before it and the context",
    "likelihood": "log-probabilities of all tokens, each given those before it",
    "bare": "log-probabilities of all tokens, the first given what begins a text, the others given only the "
    "tokens of the sentence before them",
}
"""What is added up or averaged; special tokens never count."""
PUBLISHED: Mapping[str, str] = {
    **dict.fromkeys(("pll", "likelihood"), "sentence"),
    **dict.fromkeys(("aul", "aula", "bare"), "token"),
    **dict.fromkeys(("blank", "released"), "probability"),
}
"""Sum or mean, as published for each score."""
SCALES: Mapping[str, str] = {
    "sentence": "log-probability per sentence",
    "token": "log-probability per token",
    "probability": "the logarithm of the mean probability",
}
"""What a score is on each scale."""


@dataclass(frozen=True, kw_only=True)
class ScoredItem:
    """Sentences that are compared, with what a model gives each."""

    item: SentenceItem
    """The sentences."""
    totals: tuple[float, ...]
    """Sum of the log-probabilities that count, of each sentence."""
    tokens: tuple[int, ...]
    """Number of tokens that count, of each sentence."""
    averages: tuple[float, ...] = ()
    """Logarithm of the mean probability of the tokens that count, of each sentence; for ``blank`` and
    ``released`` only."""
    rounding: tuple[float, ...] = ()
    """Largest error that the rounding of logits leaves in each of ``totals``; empty where it is not known."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SentenceScores(Sequence[ScoredItem]):
    """Scores of the sentences of pairs or triples, in the order of their file."""

    name: str
    """Name of the sentences: that of their file."""
    kind: Kind
    """``pairs`` or ``triples``."""
    score: Score
    """How sentences were scored; a key of :data:`SCORES`."""
    items: tuple[ScoredItem, ...]
    """The pairs or triples."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Sentences that could not be scored, with the reason."""
    provenance: Provenance = field(default_factory=lambda: provenance_of(None, "given as arrays"))
    """The model, and how it was asked."""

    def __post_init__(self) -> None:
        """Check that every sentence has a finite score over at least one token."""
        one_of("kind of sentences", self.kind, Kind)
        one_of("score", self.score, Score)
        wanted = len(ROLES[self.kind])
        averages = wanted if PUBLISHED[self.score] == "probability" else 0
        if not self.items:
            raise EvidenceError("there are no scores.", hint="score the sentences first.")
        for at, one in enumerate(self.items, start=1):
            whole = len(one.item.sentences) == len(one.totals) == len(one.tokens) == wanted
            whole &= len(one.averages) == averages and len(one.rounding) in (0, wanted)
            finite = all(abs(some) < _MOST for some in (*one.totals, *one.averages, *one.rounding))
            if not (whole and finite and min(one.rounding, default=0.0) >= 0 and min(one.tokens) >= 1):
                raise EvidenceError(
                    f"item {at} has the scores {in_short(one.totals)} over {in_short(one.tokens)} tokens.",
                    hint=f"give {wanted} finite scores, each over at least one token.",
                )

    def __getitem__(self, at: Any) -> Any:
        return self.items[at]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        what = f"{len(self)} {self.kind} of {self.name}, {self.score}"
        return f"<SentenceScores of {self.provenance.source}: {what}>"

    def values(self, per: Per = "auto") -> NDArray[np.float64]:
        """The score of each sentence, one row per item: ``per`` sentence, token, or mean probability."""
        if self.resolved(per) == "probability":
            return np.array([one.averages for one in self.items], dtype=np.float64)
        return self._scaled([one.totals for one in self.items], per)

    def _scaled(self, sums: list[tuple[float, ...]], per: Per) -> NDArray[np.float64]:
        """Sums over tokens, or their means."""
        tokens = np.array([one.tokens for one in self.items]) if self.resolved(per) == "token" else 1
        return np.array(sums, dtype=np.float64) / tokens

    def rounding(self, per: Per = "auto") -> NDArray[np.float64]:
        """Largest error that rounding leaves in each score: one row per item, as in :meth:`values`.

        A log-probability is a logit minus the logarithm of a sum, both of which are rounded when they are
        computed; the errors of all tokens are added up. The logarithm of a mean probability is at most as
        wrong as the worst log-probability. Scores of unknown origin count as rounded to 32 bits.
        """
        known = [one.rounding or tuple(_EPSILON * abs(some) for some in one.totals) for one in self.items]
        return self._scaled(known, per)

    def resolved(self, per: Per) -> str:
        """Sum, mean, or mean probability."""
        one_of("scale of scores", per, Per)
        if per == "probability" and PUBLISHED[self.score] != per:
            raise InputError(
                f"{self.name} was scored by {self.score!r}, which has no mean probability of tokens.",
                hint="use per='token' or per='sentence', or the score 'blank' or 'released'.",
                option="per",
            )
        return PUBLISHED[self.score] if per == "auto" else per

    def save(self, path: str | Path) -> None:
        """Write the scores to a JSON file, with their checksum."""
        document = {
            "format": FORMAT,
            **{key: getattr(self, key) for key in ("name", "kind", "score")},
            "left_out": dict(self.left_out),
            "provenance": self.provenance.to_dict(),
            "items": [
                {**asdict(one.item), "totals": one.totals, "tokens": one.tokens}
                | {key: some for key in ("averages", "rounding") if (some := getattr(one, key))}
                for one in self.items
            ],
        }
        write_file(Path(path), json.dumps(with_checksum(document), ensure_ascii=False, indent=1))

    @classmethod
    def open(cls, path: str | Path) -> SentenceScores:
        """Read scores from a file of :meth:`save`; one that was changed since is an error."""
        document = read_document(path)
        if document is None:
            raise FormatError(
                "it holds no scores of sentences.", path=path, hint=f"expected the format {FORMAT!r}."
            )
        return rebuilt(document, cls._rebuilt, path, what="scores", again="score the sentences again")

    @classmethod
    def _rebuilt(cls, document: dict[str, Any]) -> SentenceScores:
        return cls(
            **{key: _text(document[key]) for key in ("name", "kind", "score")},
            left_out=_texts(document["left_out"]),
            items=tuple(map(_read, document["items"])),
            provenance=Provenance.from_dict(document["provenance"]),
        )


def read_document(path: str | Path) -> dict[str, Any] | None:
    """The content of a file of scores; None of any other file."""
    try:
        document = load_json(Path(path).read_text(encoding="utf-8"), path)
    except FormatError:
        raise
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) and document.get("format") == FORMAT else None


def _read(data: Mapping[str, Any]) -> ScoredItem:
    item = SentenceItem(
        sentences=tuple(map(_text, data["sentences"])),
        category=_text(data["category"]),
        direction=_text(data["direction"]),
        columns=_texts(data["columns"]),
    )
    numbers = {key: tuple(map(float, data.get(key, ()))) for key in ("totals", "averages", "rounding")}
    return ScoredItem(item=item, tokens=tuple(map(index, data["tokens"])), **numbers)


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _texts(value: Mapping[str, Any]) -> dict[str, str]:
    return {_text(key): _text(one) for key, one in value.items()}
