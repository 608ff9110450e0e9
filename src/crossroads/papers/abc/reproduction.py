"""The tables of the ABC study beside what they imply, and beside our alignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import Any

from crossroads.errors import join_words, one_of
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.measures.pairs.identities import origin
from crossroads.measures.traits.files import Scores
from crossroads.measures.traits.scores import TraitScores
from crossroads.papers.abc import groups, tables
from crossroads.papers.abc.paired_scores import PairedScores, Truth
from crossroads.papers.abc.pairs import notes_on_pairs, pair_cells
from crossroads.papers.cells import Reproduction, reproduction
from crossroads.papers.published import table
from crossroads.stimuli.files.lists import read_trait_lists


def reproduce_abc(
    scores: Mapping[str, Any] | None = None,
    human: Judgements | str | Path | None = None,
    *,
    pairs: Scores | Mapping[str, Mapping[str, float]] | None = None,
    truth: Truth | str | Path | None = None,
    same_models: bool = True,
    seed: int = 0,
) -> Reproduction:
    """Put the tables of Cao et al. (2022) beside what they imply, and beside our alignments.

    Precision in Table 6 is computed from Tables A12 and A13, and Table A8 from Table A9. The other cells
    need a model's scores: of single groups, together with the human data (Tables 5, 6, A11 to A13 and A19),
    or of pairs of groups (Tables A9 and A10, and the text of section 5.2).

    Parameters
    ----------
    scores
        Scores of models by column of the tables, such as ``{"SeT BERT": result}``: anything that
        :func:`~crossroads.align` takes. Of scores that are known by template, Table 5
        chooses among all, and the other tables take the templates that the paper chose.
    human
        The human judgements, or a file of them. Without scores, they are used to check which printed
        numbers are possible.
    pairs
        Scores of pairs of groups by their singular, and of single groups, by SeT: a result, or a mapping
        group → trait → score. The paper paired groups on RoBERTa.
    truth
        What people listed for pairs of race and gender, or a file of it (``pair,trait``): ends of the scales,
        such as ``"low Communion"``, or adjectives of the study.
    same_models
        Whether the scores are of the models of the paper. If not, they are shown but not judged.
    seed
        The random seed.
    """
    scores = scores or {}
    for name, one in scores.items():
        one_of("column of the tables", name, tables.columns())
        measure = getattr(one, "measure", None) or getattr(one, "conventions", {}).get("measure")
        tables.check_measure(name, str(measure or ""))
    judged = read_judgements(human) if isinstance(human, (str, Path)) else human
    said = read_trait_lists(truth) if isinstance(truth, (str, Path)) else truth
    given = TraitScores.from_table(pairs) if isinstance(pairs, Mapping) else pairs
    paired = None if given is None else PairedScores(given, said, same=same_models)
    measured = [*(scores if judged is not None else ()), *(() if pairs is None else ("pairs of groups",))]
    alignments = groups.Alignments(scores, judged, seed, same_models)
    found = {name: alignments.of(name) for name in tables.columns()}
    return reproduction(
        "abc",
        cells=(
            *groups.pilot_cells(alignments),
            *groups.overall_cells(alignments, found),
            *tables.domination_cells(),
            *pair_cells(paired),
            *groups.cells_by_group(alignments, found),
            *tables.annotator_cells(),
            *groups.cells_without_pilot(alignments),
        ),
        notes=(
            *_about_models(scores, judged, paired, said is not None),
            *notes_on_pairs(paired),
            *table("abc")["notes"],
            *([] if judged is None else [_possible(judged)]),
        ),
        vectors=join_words(measured) if measured else "the published tables alone",
        same_vectors=bool(measured) and same_models,
        conventions={"least": tables.LEAST, "seed": seed},
        provenance=(
            *(() if judged is None else (judged.provenance,)),
            *(() if given is None else origin(given)["provenance"]),
        ),
    )


def _about_models(
    scores: Mapping[str, Any], human: Judgements | None, pairs: PairedScores | None, truth: bool
) -> Iterator[str]:
    if not scores or human is None:
        lacking = "No scores" if not scores else "No human judgements"
        yield (
            f"{lacking} given, so τ is only shown as published, precision is computed from the printed rows, "
            "and domination from the printed correlations."
        )
    for column, one in scores.items():
        several = groups.by_template(one)
        if several is not None and human is not None:
            taken = getattr(groups.as_published(column, one), "templates", ())
            yield (
                f"{column}: scored with {len(several.templates)} templates; Table 5 chooses among them, and "
                f"the other tables average {'those that it prints' if len(taken) <= 2 else 'all of them'}."
            )
    if pairs is None and truth:
        column = tables.paired_column()
        yield f"A list of human answers about pairs was given without scores of pairs ({column})."
    if human is not None:
        absent = [group for group in table("abc")["tableA11"] if group not in human.groups]
        if absent:
            yield f"The judgements lack {join_words(absent, most=6)}."


def _possible(human: Judgements) -> str:
    """Cells of A11 to A13 that the human means make impossible for any model."""
    means = {group: list(row.values()) for group, row in human.to_dict().items()}
    cells = [one for one in tables.printed_cells() if len(means.get(one[1], ())) == tables.TRAITS]
    wrong = [
        f"{value} for {group}, {name} in Table {part[5:]}"
        for part, group, name, value in cells
        if not _is_possible(value, means[group], part)
    ]
    if wrong:
        return f"The human means make impossible: {join_words(wrong, most=5)}."
    return f"All {len(cells)} cells of Tables A11 to A13 are possible with these human means."


def attainable_tau(printed: float, values: list[float]) -> bool:
    """Whether some untied order of the traits gives a τ-b that prints so.

    Over n traits with d pairs that people do not tie, agreeing less disagreeing pairs are d, d − 2, …, −d,
    and τ-b divides them by √(d · n(n − 1)/2).
    """
    n = len(values)
    pairs = n * (n - 1) // 2
    untied = sum(values[i] != values[j] for i in range(n) for j in range(i))
    scale = sqrt(untied * pairs)
    return any(abs(s / scale - printed) <= tables.ROUNDING for s in range(-untied, untied + 1, 2))


def _is_possible(printed: float, values: list[float], part: str) -> bool:
    """Whether some order of the traits gives the τ, or three traits are on the right side that often."""
    if part == "tableA11":
        return attainable_tau(printed, values)
    right = sum(value > 50 if part == "tableA12" else value < 50 for value in values)
    return max(0, 3 - (len(values) - right)) <= round(3 * printed) <= min(3, right)
