"""Frequencies of words on a log scale, from ranks of a file, a table or a package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.errors import InputError, in_short
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import is_number
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.text import read_frequencies, wordfreq_language, wordfreq_package


class Scale(NamedTuple):
    """Log frequencies: of a word as it is written and stored, and of a vocabulary, NaN where unknown."""

    source: str
    of: Callable[[str, str], float | None]
    of_pool: Callable[[Embeddings], Floats]
    own: bool = False
    """Whether it is the order of the model's own words, and not that of another text."""


def scale_of(frequencies: object, emb: Embeddings, design: Design) -> Scale:
    """Log frequencies by the option ``frequencies``; see :func:`~crossroads.frequency`."""
    if frequencies is None:
        return _rank_scale(emb)
    if isinstance(frequencies, str) and not Path(frequencies).suffix:
        return _wordfreq_scale(frequencies, design)
    if isinstance(frequencies, str | Path):
        frequencies = read_frequencies(Path(frequencies))
    if isinstance(frequencies, Mapping):
        return _table_scale(frequencies)
    raise InputError(
        f"frequencies is of type {type(frequencies).__name__}: {in_short(frequencies)}.",
        hint="give {word: count, ...}, the path of a file, 'wordfreq', or None for the order of the file.",
    )


def _rank_scale(emb: Embeddings) -> Scale:
    ranks = emb.ranks
    if ranks is None:
        order = emb.provenance.details.get("order", "unknown: it does not come from a file")
        raise InputError(
            f"the frequencies of the words of {emb.provenance.source} are not known: their order is {order}.",
            hint="give frequencies={word: count, ...} or 'wordfreq'; or load the file with ranked=True, "
            "if it lists words by frequency.",
        )

    def of_pool(pool: Embeddings) -> Floats:
        known = pool.ranks or {}
        return -np.log(np.array([known.get(word, np.nan) for word in pool.labels], dtype=np.float64))

    return Scale("order of the vector file", lambda _, label: -log(ranks[label]), of_pool, own=True)


def _table_scale(table: Mapping[Any, Any]) -> Scale:
    def of(word: str, label: str) -> float | None:
        value = _first_of(table, (word, label, label.lower()))
        if value is None:
            return None
        if not _is_frequency(value):
            raise InputError(
                f"the frequency of {word!r} is {in_short(value)}.",
                hint="give counts or frequencies above 0; leave out words without one.",
            )
        return log(value)

    def of_pool(pool: Embeddings) -> Floats:
        values = (_first_of(table, (word, word.lower())) for word in pool.labels)
        return np.log(np.array([one if _is_frequency(one) else np.nan for one in values], dtype=np.float64))

    return Scale("given as a table", of, of_pool)


def _first_of(table: Mapping[Any, Any], forms: Iterable[str]) -> Any:
    """What a table has under the first of some spellings that is in it; None where it has none of them."""
    return next((table[form] for form in forms if form in table), None)


def _is_frequency(value: Any) -> bool:
    return is_number(value) and 0 < value < np.inf


def _wordfreq_scale(name: str, design: Design) -> Scale:
    language = wordfreq_language(name) or design.language or "en"
    wordfreq = wordfreq_package(language)

    def of(word: str, _: str) -> float | None:
        value = float(wordfreq.word_frequency(word.replace("_", " "), language))
        return log(value) if value > 0 else None

    def of_pool(pool: Embeddings) -> Floats:
        table = wordfreq.get_frequency_dict(language)
        return np.log(np.array([table.get(word.lower(), np.nan) for word in pool.labels], dtype=np.float64))

    return Scale(f"wordfreq, {language}", of, of_pool)
