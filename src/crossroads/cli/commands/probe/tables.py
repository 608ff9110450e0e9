"""Terminal output of ``crossroads probe``: the strongest traits of each group, and agreement with people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table

from crossroads.cli.terminal import tables as printing
from crossroads.errors import join_words
from crossroads.evidence.logits import Logits
from crossroads.evidence.model_names import model_name
from crossroads.measures.traits.alignment_result import AlignmentResult
from crossroads.measures.traits.scores import TraitScores
from crossroads.measures.traits.templates import TemplateChoice
from crossroads.wording.numbers import number

STRONGEST = 3
"""Number of traits per group in the table."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Agreement of the scores with people."""

    choices: tuple[TemplateChoice, ...] = ()
    """The templates chosen for each measure."""
    alignments: tuple[AlignmentResult, ...] = ()
    """Each measure with all groups."""
    without_pilot: tuple[AlignmentResult, ...] = ()
    """The same without the groups on which templates were chosen."""


def show(logits: Logits, results: Sequence[TraitScores], compared: Compared) -> None:
    """Print scores, agreement and notes."""
    for one in results:
        printing.out.print(score_table(one))
    if compared.alignments:
        printing.out.print(alignment_table(results, compared))
    for line in sentences(logits, results, compared):
        printing.out.print(line, style="dim", markup=False)


def score_table(result: TraitScores, *, most: int | None = None) -> Table:
    """For each group the traits with the largest scores, each with the adjective that it leans to.

    Parameters
    ----------
    result
        The scores.
    most
        Largest number of groups to show; those with the strongest associations are kept.
    """
    name = {"ilps": "ILPS", "ilps*": "ILPS*", "set": "SeT"}.get(result.measure, result.measure)
    prior = result.conventions.get("prior")
    table = printing.plain_table(f"{name}, relative to the prior {prior}")
    table.add_column("group", max_width=24, overflow="fold")
    table.add_column("strongest associations")
    for group, row in _strongest(result, most):
        order = sorted(range(len(row)), key=lambda at: -abs(row[at]) if row[at] == row[at] else 0.0)
        shown = []
        for at in order[:STRONGEST]:
            if row[at] == row[at]:
                left, right = result.pairs[at]
                shown.append(f"{right if row[at] > 0 else left} {abs(row[at]):.2f}")
        table.add_row(escape(group), escape(", ".join(shown) or "undefined"))
    return table


def _strongest(result: TraitScores, most: int | None) -> Iterator[tuple[str, list[float]]]:
    """Groups with their scores, in their order; all of them, or those with the largest scores."""
    rows = result.scores.tolist()
    peaks = [max((abs(score) for score in row if score == score), default=0.0) for row in rows]
    for at in sorted(sorted(range(len(rows)), key=lambda at: -peaks[at])[:most]):
        yield result.groups[at], rows[at]


def alignment_table(results: Sequence[TraitScores], compared: Compared) -> Table:
    """One line per measure: agreement with people."""
    table = printing.plain_table("Beside human judgements")
    table.add_column("measure", no_wrap=True)
    for name in ("groups", "τ", "95 % CI", "P@3", "τ without pilot"):
        table.add_column(name, justify="right", no_wrap=True)
    for at, (one, found) in enumerate(zip(results, compared.alignments, strict=True)):
        low, high = found.interval or (float("nan"),) * 2
        rest = compared.without_pilot[at] if compared.without_pilot else None
        table.add_row(
            one.measure,
            str(len(found.groups)),
            number(found.kendall_tau),
            f"{number(low)} to {number(high)}" if found.interval else "–",
            number(found.precision_at_3),
            "–" if rest is None else number(rest.kendall_tau),
        )
    return table


def sentences(logits: Logits, results: Sequence[TraitScores], compared: Compared) -> Iterator[str]:
    """Notes on the numbers above."""
    details = logits.provenance.details
    yield (
        f"{model_name(logits.provenance)}, a {logits.kind} model: {len(logits.groups)} groups, "
        f"{len(logits.traits)} pairs of traits, {len(logits.templates)} templates."
    )
    yield "Numbers: score of the adjective shown minus that of its opposite."
    if logits.kind == "causal":
        yield "A causal model is asked for the trait as the next tokens after the text before it."
    for choice in compared.choices:
        chosen = join_words(choice.templates)
        yield f"{choice.measure}: templates chosen on {join_words(choice.groups)}: {chosen}"
    for text, reason in details.get("templates_left_out", {}).items():
        yield f"left out: {text} ({reason})"
    if details.get("templates_cut"):
        yield f"used up to the trait: {join_words(details['templates_cut'], most=3)}"
    for name in ("dropped_groups", "dropped_adjectives"):
        for word, reason in details.get(name, {}).items():
            yield f"dropped: {word} ({reason})"
    for one in results:
        if one.undefined:
            yield f"{one.measure}: {len(one.undefined)} cells are undefined, and the means they enter."
        if one.floored:
            yield f"{one.measure}: {len(one.floored)} cells already lead and get the smallest distance."
