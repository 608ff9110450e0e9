"""SC-WEAT, the single-category test: one word, or every word of a vocabulary, against two attributes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, InputError, in_short, join_words, one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, rounding_error
from crossroads.inference.options import seed_of, work
from crossroads.inference.permutation import ALTERNATIVES, MAX_WORK, METHODS, TIES
from crossroads.inference.rows import permutation_blocks
from crossroads.measures.gathering import check_vectors, gather
from crossroads.measures.overlaps import keyed_by_word, overlap_notes, titles_of, warn_about_words
from crossroads.measures.weat import check_ddof, recorded_work
from crossroads.results import Coverage, Result, read_only
from crossroads.stimuli import StimulusSet

EVERY_WORD = "*"
"""Stands for the whole vocabulary."""

_CHUNK = 1 << 14
_SAFE: dict[type[Any], tuple[float, float]] = {np.float32: (1e-12, 1e12), np.float64: (1e-120, 1e120)}


@dataclass(frozen=True, kw_only=True, eq=False)
class ScWeatResult(Result):
    """Association of single words with two attributes; every array has one entry a word."""

    words: tuple[str, ...]
    """The words measured."""
    effect_size: NDArray[np.float64]
    """Difference of the mean cosines with A and B, in standard deviations of all those cosines."""
    association: NDArray[np.float64]
    """Difference of the mean cosines itself, s(w, A, B)."""
    pvalue: NDArray[np.float64]
    """p-value of permuting the attributes; empty where none was asked for."""
    pvalue_low: NDArray[np.float64]
    """Lower bounds of the p-values."""
    pvalue_high: NDArray[np.float64]
    """Upper bounds of the p-values."""
    method: str
    """How the p-values were found; ``none`` where none was asked for."""
    alternative: str
    """Which tail the p-values are of."""
    min_pvalue: float
    """The smallest p-value that attributes of these sizes can give."""
    attributes: tuple[tuple[str, ...], tuple[str, ...]]
    """The attribute words A and B."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What A and B stand for, where they were given as sets with a name."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a word."""
        tested = self.pvalue.size > 0
        return [
            {
                "word": word,
                "effect_size": float(self.effect_size[i]),
                "association": float(self.association[i]),
                "pvalue": float(self.pvalue[i]) if tested else None,
            }
            for i, word in enumerate(self.words)
        ]

    def strongest(self, n: int = 10) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The n words that lean most to A, and the n that lean most to B, strongest first."""
        order = np.argsort(self.effect_size, kind="stable")
        return (
            tuple(self.words[i] for i in order[::-1][:n]),
            tuple(self.words[i] for i in order[:n]),
        )


def sc_weat(
    emb: Embeddings,
    words: str | Iterable[str],
    a: Iterable[str],
    b: Iterable[str],
    *,
    alternative: str = "greater",
    ddof: int = 1,
    ties: str = "weak",
    method: str = "auto",
    seed: int = 0,
    missing: str = "raise",
    max_work: float = MAX_WORK,
    precision: str = "auto",
    progress: Callable[[int], None] | None = None,
) -> ScWeatResult:
    r"""Measure the association of each word with two attributes.

    .. math::
        d_w = \frac{\operatorname{mean}_{a \in A} \cos(w, a) - \operatorname{mean}_{b \in B} \cos(w, b)}
                   {\operatorname{sd}_{c \in A \cup B} \cos(w, c)}

    The p-value permutes the attribute labels of the cosines of each word.

    Parameters
    ----------
    emb
        Vectors of the words and the attributes.
    words
        One word, several, or ``"*"`` for the whole vocabulary (rows of zeros are left out).
    a, b
        Attribute words; sets with a name keep it in the result.
    alternative, ddof, ties, seed, missing, max_work
        As in :func:`~crossroads.measures.weat.weat`.
    method
        As there, or ``"none"`` for effect sizes without p-values.
    precision
        Of effect sizes without p-values (``method="none"``): ``"float64"``; ``"float32"``, which halves the
        time over a large vocabulary stored so and leaves an error of about 1e-6; or ``"auto"``, float32
        for more than 100,000 words stored so. With p-values everything is computed in float64.
    progress
        Called with the number of words done while p-values are computed.

    References
    ----------
    Caliskan, A., Bryson, J. J., & Narayanan, A. (2017). doi:10.1126/science.aal4230
    """
    check_vectors(emb)
    check_ddof(ddof)
    one_of("alternative", alternative, ALTERNATIVES)
    one_of("ties", ties, TIES)
    one_of("method", method, (*METHODS, "none"))
    seed_of(seed)
    work(max_work)
    sets = {"a": tuple(_as_words("a", a)), "b": tuple(_as_words("b", b))}
    titles = titles_of({"a": a, "b": b})
    if isinstance(words, str) and words == EVERY_WORD:
        warn_about_words(sets, titles)
        found = gather(emb, sets, missing=missing, least={"a": 2, "b": 2})
        rows, labels = _every_row(emb)
        among = keyed_by_word({"words": (*found.words["a"], *found.words["b"]), **found.words})
        coverage = dataclasses.replace(found.coverage, notes=overlap_notes(among, titles))
    else:
        asked = {"words": (words,) if isinstance(words, str) else tuple(_as_words("words", words)), **sets}
        warn_about_words(asked, titles)
        least = {"words": 1, "a": 2, "b": 2}
        found = gather(emb, asked, missing=missing, least=least, rows_only=("words",))
        labels, rows, coverage = found.words["words"], found.rows["words"], found.coverage
    single = _single_precision(precision, emb, len(labels)) and method == "none"
    q, n_a = _centred(found.vectors["a"], found.vectors["b"])
    tested = None
    if method == "none":
        effect, association = _effects(emb.vectors, rows, q, n_a, ddof, np.float32 if single else np.float64)
    else:
        effect, association = np.empty(len(labels)), np.empty(len(labels))
        tested = permutation_blocks(
            _scored(emb.vectors, rows, q, n_a, ddof, effect, association),
            (len(labels), len(q)),
            n_a,
            alternative=alternative,
            ties=ties,
            method=method,
            seed=seed,
            score_error=rounding_error(emb.dim),
            max_work=max_work,
            progress=progress,
        )
    _check_spread(effect, labels)
    none = np.empty(0)
    return ScWeatResult(
        words=labels,
        effect_size=read_only(effect),
        association=read_only(association),
        pvalue=read_only(tested.pvalue if tested else none),
        pvalue_low=read_only(tested.pvalue_low if tested else none.copy()),
        pvalue_high=read_only(tested.pvalue_high if tested else none.copy()),
        method=tested.method if tested else "none",
        alternative=alternative,
        min_pvalue=tested.min_pvalue if tested else 1.0,
        attributes=(found.words["a"], found.words["b"]),
        titles={key: words.name for key, words in (("a", a), ("b", b)) if isinstance(words, StimulusSet)},
        coverage=_without_vocabulary(coverage),
        conventions={
            "measure": "sc-weat",
            "alternative": alternative,
            "ties": ties,
            "ddof": ddof,
            "missing": missing,
            "method": method,
            "max_work": recorded_work(max_work),
            "seed": seed,
            "precision": "float32" if single else "float64",
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def _as_words(name: str, words: Iterable[str]) -> list[str]:
    if isinstance(words, str):
        raise InputError(f"{name} is one string, {in_short(words)}.", hint="give a list of words.")
    if not hasattr(words, "__iter__"):
        raise InputError(f"{name} is {in_short(words)}.", hint="give a list of words.")
    words = list(words)
    if not words:
        raise InputError(f"{name} is empty.", hint="give at least one word.")
    for kind in set(map(type, words)):
        if not issubclass(kind, str):
            raise InputError(f"{name} holds something of type {kind.__name__}.", hint="give words.")
    if len(set(words)) < len(words):
        seen: set[str] = set()
        twice = [word for word in words if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
        raise InputError(
            f"{name} lists {join_words(map(in_short, twice), most=3)} twice.", hint="list each word once."
        )
    return words


def _every_row(emb: Embeddings) -> tuple[NDArray[np.intp] | slice, tuple[str, ...]]:
    """Every row that has a direction."""
    keep = np.concatenate([emb.vectors[i : i + _CHUNK].any(axis=1) for i in range(0, len(emb), _CHUNK)])
    if keep.all():
        return slice(None), emb.labels
    return np.flatnonzero(keep), tuple(label for label, kept in zip(emb.labels, keep, strict=True) if kept)


def _single_precision(precision: str, emb: Embeddings, n: int) -> bool:
    if precision not in ("auto", "float32", "float64"):
        raise InputError(f"precision is {in_short(precision)}.", hint="use 'auto', 'float32' or 'float64'.")
    return precision == "float32" or (precision == "auto" and n > 100_000 and emb.vectors.dtype == np.float32)


def _centred(a: Floats, b: Floats) -> tuple[Floats, int]:
    """Attributes less their common mean.

    The mean adds the same number to every score of a word, which changes neither its effect size nor its
    p-value; without it, cosines that are all alike lose no digits.
    """
    q = np.concatenate([a, b])
    return q - q.mean(axis=0), len(a)


def _from_scores(scores: NDArray[Any], n_a: int, ddof: int, *, smallest: Any) -> tuple[Any, Any]:
    """Effect sizes and differences of means of centred scores.

    Not a number where scores differ by no more than ``smallest``, which is what rounding leaves.
    """
    n = scores.shape[1]
    contrast = np.concatenate([np.full(n_a, 1 / n_a), np.full(n - n_a, -1 / (n - n_a))]).astype(scores.dtype)
    difference = scores @ contrast
    squares = np.einsum("ij,ij->i", scores, scores)
    flat = squares <= n * smallest**2
    return np.where(flat, np.nan, difference * np.sqrt((n - ddof) / np.where(flat, 1, squares))), difference


def _chunks(
    vectors: NDArray[Any], rows: NDArray[np.intp] | slice, kind: type[Any]
) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Rows a few at a time: where they belong, the vectors, and the lengths of the vectors."""
    total = len(vectors) if isinstance(rows, slice) else len(rows)
    for start in range(0, total, _CHUNK):
        part = slice(start, min(start + _CHUNK, total))
        chunk: NDArray[Any] = np.asarray(
            vectors[part] if isinstance(rows, slice) else vectors[rows[part]], dtype=kind
        )
        with np.errstate(over="ignore", under="ignore"):
            lengths = np.sqrt(np.einsum("ij,ij->i", chunk, chunk))
        odd = ~((lengths > _SAFE[kind][0]) & (lengths < _SAFE[kind][1]))
        if odd.any():  # squares left the range of the type: scale these rows, which changes no cosine
            chunk = chunk.copy()
            chunk[odd] /= np.abs(chunk[odd]).max(axis=1, keepdims=True)
            lengths = np.sqrt(np.einsum("ij,ij->i", chunk, chunk))
        yield part, chunk, lengths


def _effects(
    vectors: NDArray[Any],
    rows: NDArray[np.intp] | slice,
    q: Floats,
    n_a: int,
    ddof: int,
    kind: type[Any],
) -> tuple[Floats, Floats]:
    """Effect sizes and associations without keeping the scores."""
    columns: NDArray[Any] = np.ascontiguousarray(q.T, dtype=kind)
    total = len(vectors) if isinstance(rows, slice) else len(rows)
    effect, association = np.empty(total), np.empty(total)
    error = rounding_error(vectors.shape[1]) * float(np.finfo(kind).eps / np.finfo(np.float64).eps)
    for part, chunk, lengths in _chunks(vectors, rows, kind):
        effect[part], difference = _from_scores(chunk @ columns, n_a, ddof, smallest=error * lengths)
        association[part] = difference / lengths
    return effect, association


def _scored(
    vectors: NDArray[Any],
    rows: NDArray[np.intp] | slice,
    q: Floats,
    n_a: int,
    ddof: int,
    effect: Floats,
    association: Floats,
) -> Iterator[Floats]:
    """Centred cosines of words with each attribute in float64, a block of words at a time.

    Fills in the effect sizes and associations of the words of each block.
    """
    columns = np.ascontiguousarray(q.T)
    error = rounding_error(vectors.shape[1])
    for part, chunk, lengths in _chunks(vectors, rows, np.float64):
        scores = (chunk @ columns) / lengths[:, None]
        effect[part], association[part] = _from_scores(scores, n_a, ddof, smallest=error)
        yield scores


def _check_spread(effect: Floats, labels: tuple[str, ...]) -> None:
    bad = np.flatnonzero(~np.isfinite(effect))
    if bad.size:
        words = [repr(labels[i]) for i in bad[:4]]
        raise EvidenceError(
            f"{join_words(words, most=3)} ({bad.size} in all) has the same cosine with every attribute, or a "
            "vector that is not finite, so there is no effect size.",
            hint="leave these words out, or check the vectors.",
        )


def _without_vocabulary(coverage: Coverage) -> Coverage:
    """Coverage that lists words only where they were asked for one by one."""
    if "words" not in coverage.used:
        return coverage
    used = {name: words for name, words in coverage.used.items() if name != "words"}
    return dataclasses.replace(coverage, used=used)
