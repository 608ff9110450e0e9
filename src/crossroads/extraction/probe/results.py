"""Results of a probe: labelled answers with their provenance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.evidence.logits import Logits
from crossroads.evidence.model_names import recorded_path
from crossroads.evidence.provenance import Provenance
from crossroads.extraction.probe.answers import FIRST_HEAD, GROWTH, Answers
from crossroads.extraction.probe.pieces import Marks
from crossroads.extraction.probe.plan import ProbePlan
from crossroads.extraction.probe.prompts import BLANK, UsableTemplates
from crossroads.extraction.probe.tokens import Material
from crossroads.sources.models.language import CAUSAL, LanguageModel
from crossroads.sources.models.transformers import versions
from crossroads.storage.cache import record_fingerprint

SCHEME = "crossroads-probe/2"
"""Name of the procedure; changes when the same input would give other bytes."""


def answered(
    model: LanguageModel,
    material: Material,
    marks: Marks,
    plan: ProbePlan,
    answers: Answers,
    about: Provenance,
) -> Logits:
    """The answers, labelled by groups, templates and adjectives."""
    edges = np.cumsum(answers.sizes)[:-1]
    logit, slot = _cells(plan.cells, plan, answers)
    chain: dict[str, Any] = {}
    if plan.chain is not None:
        chain["chain_logit"], chain["chain_slot"] = _cells(plan.chain, plan, answers)
    return Logits.from_arrays(
        groups=[row.name for row in material.groups],
        priors=[row.name for row in material.priors],
        templates=material.templates,
        traits=material.traits,
        adjectives=material.adjectives,
        kind=model.kind,
        vocabulary=model.vocabulary,
        logit=logit,
        slot=slot,
        **chain,
        word_initial=material.word_initial(marks),
        head=np.split(answers.heads, edges),
        log_sum_exp=answers.log_sum_exp,
        log_sum_initial=answers.log_sum_initial,
        log_sum_continuation=answers.log_sum_continuation,
        log_sum_bare_initial=answers.log_sum_bare_initial,
        log_sum_bare_continuation=answers.log_sum_bare_continuation,
        hidden_sq_norm=answers.hidden_sq_norm,
        provenance=about,
    )


def _cells(
    readings: NDArray[np.int64], plan: ProbePlan, answers: Answers
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Logit and slot of every cell."""
    there = readings >= 0
    logit = np.full(readings.shape, np.nan, np.float32)
    slot = np.full(readings.shape, -1, np.int64)
    logit[there] = answers.read[readings[there]]
    slot[there] = plan.asked_slot[readings[there]]
    return logit, slot


def provenance_of(
    model: LanguageModel,
    material: Material,
    sheet: UsableTemplates,
    marks: Marks,
    plan: ProbePlan,
    record: dict[str, Any],
) -> Provenance:
    """The provenance of the answers, with what was left out."""
    causal = model.kind == CAUSAL
    return Provenance(
        source=recorded_path(model.files.name),
        format="transformers",
        revision=model.files.revision,
        sha256=model.files.sha256,
        details={
            "class": model.architecture,
            "kind": model.kind,
            "output_bias": model.has_bias,
            "output_tied": model.is_tied,
            "word_sign": marks.sign,
            "mask_prior": f"the blank {BLANK}" if causal else model.tokenizer.mask_token,
            "templates_left_out": {**sheet.left_out, **material.dropped["templates"]},
            "templates_cut": list(sheet.cut),
            "dropped_groups": dict(material.dropped["groups"]),
            "dropped_adjectives": dict(material.dropped["adjectives"]),
            "texts": len(plan.texts),
            "fingerprint": record_fingerprint(record),
            "record": record,
        },
    )


def record_of(model: LanguageModel, material: Material, **limits: Any) -> dict[str, Any]:
    """Plain data that determines the result: equal records give equal bytes."""
    rows = {row.name: dict(row.forms) for row in (*material.groups, *material.priors)}
    asked = {
        "rows": rows,
        "templates": list(material.templates),
        "adjectives": list(material.adjectives),
        # scores depend on which adjectives are at which end, not on the name of the pair alone
        "traits": [
            [t.left, t.right, t.scale, list(t.left_synonyms), list(t.right_synonyms)] for t in material.traits
        ],
    }
    return {
        "scheme": SCHEME,
        "model": model.files.name,
        "revision": model.files.revision,
        "model sha256": model.files.sha256,
        "kind": model.kind,
        "groups": len(material.groups),
        "templates": len(material.templates),
        "adjectives": len(material.adjectives),
        "asked sha256": record_fingerprint(asked),
        "heads": f"{FIRST_HEAD} × {GROWTH}",
        "device": model.device,
        **{name.replace("_", " "): value for name, value in limits.items()},
        **versions(),
    }
