"""Agreement of saved scores with human judgements: ``crossroads probe SCORES --human FILE``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from crossroads.core.cli.runner import Convention, Outcome
from crossroads.core.errors import InputError
from crossroads.core.results import describe_coverage
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, number, p_equals, pvalue
from crossroads.core.wording.table import Column, Interval, Table
from crossroads.traits.measures.files import read_trait_tables
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.traits.people.files import read_judgements

_SAMPLED = "monte-carlo"


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How saved scores are compared with people."""

    means: Annotated[
        str | None,
        Convention("file of means over all annotators, for columns of individual answers that are copies"),
    ] = None
    own_traits: Annotated[bool, Convention("allow traits that are not in the catalogue")] = False
    threshold: Annotated[float, Convention("threshold of human means for precision")] = 50.0
    k: Annotated[int, Convention("traits at each end for precision", least=1)] = 3
    permutations: Annotated[int, Convention("number of exchanges for p; 0 for none", least=0)] = 999
    bootstrap: Annotated[
        int, Convention("number of resamples for intervals; 0 for none", key="resamples", least=0)
    ] = 1000

    def refuse(self) -> None:
        """Refuse conventions that are about saved scores, where a model is asked."""
        usual = vars(Comparing())
        for name, value in vars(self).items():
            if value != usual[name]:
                raise InputError(
                    f"-C {'resamples' if name == 'bootstrap' else name} is about a file of scores.",
                    hint="give the file in place of the model, with --human.",
                )


def align_scores(
    scores: Path, human: Path | None, groups: Sequence[str] | None, comparing: Comparing, seed: int
) -> Outcome:
    """The scores of a file next to the judgements of people."""
    if human is None:
        raise InputError(f"{scores} has scores, and no judgements are named.", hint="add --human FILE.")
    own = comparing.own_traits
    judged = read_judgements(human, means=comparing.means, names="own" if own else "catalogue")
    tables = read_trait_tables(scores, own_traits=own)
    options: dict[str, Any] = {
        "threshold": comparing.threshold, "k": comparing.k, "permutations": comparing.permutations,
        "bootstrap": comparing.bootstrap,
    }  # fmt: skip
    results: dict[str, AlignmentResult] = {}
    for at, table in enumerate(tables, start=1):
        name = table.measure if table.measure not in results else f"{table.measure} {at}"
        results[name] = align(table, judged, seed=seed, groups=groups, **options)
    shown = [table for result in results.values() for table in (_overall(result), _by_group(result))]
    return Outcome(
        command="align",
        results=results,
        tables=shown,
        titled=True,
        files=[AlignmentResult._tabulate(results), *shown[1::2]],
        lines=list(dict.fromkeys(line for result in results.values() for line in _sentences(result))),
        covered=False,
        figure=lambda _: _drawn(results),
    )


def _drawn(results: dict[str, AlignmentResult]) -> Any:
    """One group as a profile, several as a map of the first measure."""
    from crossroads.plots import profile, trait_heatmap

    first = next(iter(results.values()))
    return trait_heatmap(first) if len(first.by_group) > 1 else profile(results, next(iter(first.by_group)))


def _overall(result: AlignmentResult) -> Table:
    """Agreement over all groups, with chance and ceiling."""
    cells = sum(group.traits for group in result.by_group.values())
    exchanged, noise = result.exchanges.get("groups"), result.noise
    rows: tuple[dict[str, Any], ...] = (
        {
            "what": "Kendall's τ",
            "value": result.kendall_tau,
            "interval": result.interval and Interval(*result.interval),
            "chance": exchanged and exchanged.expected_tau,
            "ceiling": noise and noise.truth,
        },
        {
            "what": f"precision at {result.k}",
            "value": result.precision_at_3,
            "interval": result.precision_interval and Interval(*result.precision_interval),
            "chance": result.precision_chance,
            "ceiling": noise and noise.truth_precision,
        },
    )
    head = "95 % CI" if result.conventions["level"] == 0.95 else "interval"
    columns = (
        Column(key="what", head="all groups"),
        Column(key="value", head="value"),
        Column(key="interval", head=head),
        Column(key="chance", head="chance"),
        Column(key="ceiling", head="ceiling"),
    )
    title = f"{result.measure} and people: {len(result.by_group)} groups, {cells} scores"
    return Table(name="overall", title=title, columns=columns, rows=rows)


def _by_group(result: AlignmentResult) -> Table:
    """Agreement for each group."""
    rows = [
        {
            "group": name,
            "tau": one.kendall_tau,
            "p": None if one.kendall_pvalue is None else P(one.kendall_pvalue),
            "precision": one.precision_at_3,
            "top": one.precision_top,
            "bottom": one.precision_bottom,
            "people": one.annotators or None,
            "ceiling": one.ceiling,
        }
        for name, one in result.by_group.items()
    ]
    heads = {"group": "group", "tau": "τ", "p": "p", "precision": f"P@{result.k}"}
    heads |= {name: name for name in ("top", "bottom", "people", "ceiling")}
    columns = tuple(Column(key=key, head=head) for key, head in heads.items())
    return Table(name="by-group", title="Each group", columns=columns, rows=tuple(rows))


def _sentences(result: AlignmentResult) -> Iterator[str]:
    """Explanations of the numbers."""
    before = f"{result.measure}: "
    yield f"{before}p = {pvalue(result.kendall_pvalue)} for τ as published, with cells as if independent."
    asks = {
        "groups": "human profiles are assigned to other groups (does the model distinguish groups?)",
        "traits": "traits are permuted in the same way in all groups (does their order agree?)",
    }
    for name, one in result.exchanges.items():
        yield f"{before}{p_equals(P.of(one.pvalue, _SAMPLED))} if {asks[name]}."
    if result.exchanges:
        yield from phrases.marks_used([("≈", _SAMPLED)])
        yield "chance: mean τ with human profiles of other groups; precision of a random order."
    if result.noise is not None:
        low, high = result.noise.split_half_interval
        yield (
            "ceiling: agreement of the mean of all people with the mean of those in the study. "
            f"Halves agree at τ = {number(result.noise.split_half)} ({number(low)} to {number(high)})."
        )
    for sentence in describe_coverage(result.coverage) if result.coverage else []:
        if not sentence.startswith("found"):  # people and models may name groups differently
            yield sentence
