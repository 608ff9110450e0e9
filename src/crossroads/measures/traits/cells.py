"""From log-scores of adjectives in templates to scores of groups on traits: priors, synonyms, means."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsWarning, InputError, UnknownNameError, one_of
from crossroads.evidence import Embeddings
from crossroads.evidence.logits import Logits
from crossroads.inference.crossed import spread
from crossroads.measures.traits.scores import Cell, TraitScores, averaged, template_errors
from crossroads.results import Coverage, read_only

Adjectives = Literal["pairs", "synonyms", "synonyms-median"]
"""Which words stand for an adjective: itself, or the mean or median of itself and its synonyms."""

Floats = NDArray[np.float64]


def selected(logits: Logits, templates: Iterable[str] | None) -> Logits:
    """Check the logits, and select the templates to measure."""
    given: Any = logits
    if not isinstance(given, Logits):
        hint = "give the logits of a language model: cr.Logits."
        if isinstance(given, Embeddings):
            hint = "word vectors have no logits; use weat, mleat or group_ceat."
        raise InputError(f"logits are of type {type(given).__name__}.", hint=hint)
    return logits if templates is None else logits.select(templates=templates)


def resolved_prior(logits: Logits, prior: str | None) -> str:
    """The prior asked for; by default ``mask`` for masked models and ``noun`` for causal ones."""
    wanted: Any = ("mask" if logits.kind == "masked" else "noun") if prior is None else prior
    if not isinstance(wanted, str) or wanted not in logits.priors:
        hint = None if logits.priors else "probe again with a prior: mask or noun."
        raise UnknownNameError("prior", str(wanted), logits.priors, hint=hint)
    return str(wanted)


def trait_scores(
    logits: Logits,
    values: Floats,
    *,
    measure: str,
    prior: str | None,
    adjectives: str,
    conventions: Mapping[str, Any],
    floored: NDArray[np.bool_] | None = None,
) -> TraitScores:
    """Scores relative to a prior, averaged over synonyms and templates.

    Parameters
    ----------
    logits
        Logits of the model.
    values
        Log-scores, rows × templates × adjectives; NaN where undefined.
    measure, conventions
        Name of the measure and its options.
    prior
        The row that the others are relative to.
    adjectives
        One of :data:`Adjectives`.
    floored
        Cells that were moved to a floor, rows × templates × adjectives.
    """
    one_of("choice of adjectives", adjectives, Adjectives)
    prior = resolved_prior(logits, prior)
    base = len(logits.groups) + logits.priors.index(prior)
    relative = values[: len(logits.groups)] - values[base]
    words = tuple(dict.fromkeys(word for trait in logits.traits for word in (trait.left, trait.right)))
    stand_ins, dropped = _stand_ins(logits, words, adjectives)
    reduce = np.median if adjectives == "synonyms-median" else np.mean
    merged = [reduce(relative[:, :, stand_ins[word]], axis=2) for word in words]
    table = np.stack(merged, axis=2).transpose(1, 0, 2)
    pairs = tuple((trait.left, trait.right) for trait in logits.traits)
    by_adjective, scores = averaged(table, words, pairs)
    se = template_errors(table, words, pairs)
    if adjectives == "synonyms" and se is not None:
        se = _crossed_errors(relative, stand_ins, pairs)
    undefined = tuple(_cells(np.isnan(table), logits.templates, logits.groups, words))
    if undefined:
        warnings.warn(
            f"{len(undefined)} of {table.size} cells are undefined, and so is every score they enter; "
            "see .undefined.",
            CrossroadsWarning,
            stacklevel=4,
        )
    lowered: tuple[Cell, ...] = ()
    if floored is not None:
        at = [*range(len(logits.groups)), base]
        rows = tuple(logits.rows[i] for i in at)
        lowered = tuple(_cells(floored[at].swapaxes(0, 1), logits.templates, rows, logits.adjectives))
    return TraitScores(
        measure=measure,
        groups=logits.groups,
        traits=tuple(trait.name for trait in logits.traits),
        scores=scores,
        se=se,
        pairs=pairs,
        adjectives=words,
        adjective_scores=by_adjective,
        templates=logits.templates,
        template_scores=read_only(np.ascontiguousarray(table)),
        undefined=undefined,
        floored=lowered,
        coverage=_coverage(logits, stand_ins, dropped),
        conventions={
            "measure": measure,
            "prior": prior,
            "model": "causal: the adjective continues the text before it"
            if logits.kind == "causal"
            else "masked",
            "adjectives": adjectives,
            "trait score": "right minus left",
            "templates": "mean",
            **conventions,
        },
        provenance=(logits.provenance,),
    )


def _crossed_errors(
    relative: Floats, stand_ins: Mapping[str, list[int]], pairs: tuple[tuple[str, str], ...]
) -> Any:
    """Standard errors over templates and over the words of either end, which are crossed."""
    columns = []
    for left, right in pairs:
        words = stand_ins[left], stand_ins[right]
        tables = relative[:, :, [*words[0], *words[1]]]
        columns.append(np.sqrt(spread(tables, relative.shape[1], len(words[0])).total))
    return read_only(np.stack(columns, axis=1))


def _stand_ins(
    logits: Logits, words: tuple[str, ...], adjectives: str
) -> tuple[dict[str, list[int]], dict[str, str]]:
    """Columns that stand for each adjective, and synonyms that were not asked for."""
    synonyms: dict[str, tuple[str, ...]] = {}
    for trait in logits.traits:
        synonyms.update({trait.left: trait.left_synonyms, trait.right: trait.right_synonyms})
    found: dict[str, list[int]] = {}
    dropped: dict[str, str] = {}
    for word in words:
        close = synonyms[word] if adjectives != "pairs" else ()
        found[word] = [logits.adjectives.index(w) for w in (word, *close) if w in logits.adjectives]
        dropped |= {w: "the model was not asked for it" for w in close if w not in logits.adjectives}
    if adjectives != "pairs" and all(len(columns) == 1 for columns in found.values()):
        raise InputError(
            "the model was asked for no synonym of any adjective.", hint='use adjectives="pairs".'
        )
    return found, dropped


def _coverage(logits: Logits, stand_ins: dict[str, list[int]], dropped: dict[str, str]) -> Coverage:
    used = dict.fromkeys(logits.adjectives[i] for columns in stand_ins.values() for i in columns)
    return Coverage(
        policy="drop",
        used={"groups": logits.groups, "adjectives": tuple(used), "templates": logits.templates},
        dropped={"adjectives": dropped},
        respelled={},
    )


def _cells(
    bad: NDArray[np.bool_], templates: tuple[str, ...], rows: tuple[str, ...], words: tuple[str, ...]
) -> Iterable[Cell]:
    return ((templates[t], rows[g], words[a]) for t, g, a in np.argwhere(bad).tolist())
