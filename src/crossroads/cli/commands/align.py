"""``crossroads align``: agreement of a model's scores of groups on traits with human judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossroads.cli import options as o
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError
from crossroads.evidence.judgement_files import read_judgements
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.alignment_result import AlignmentResult
from crossroads.measures.traits.files import TraitTable, read_trait_tables
from crossroads.results import describe_coverage
from crossroads.wording import phrases
from crossroads.wording.numbers import P, number, p_equals, pvalue

_SAMPLED = "monte-carlo"

ScoreFile = Annotated[
    Path,
    typer.Argument(
        help="Scores: the JSON of [b]crossroads probe --json[/b], or CSV group,trait,score.", metavar="SCORES"
    ),
]
HumanFile = Annotated[
    Path, typer.Option("--human", help="Human judgements from 0 to 100: JSON or CSV.", metavar="FILE")
]
MeansFile = Annotated[
    Path | None,
    typer.Option(
        "--means",
        help="Means over all annotators, for columns of individual answers that are copies.",
        metavar="FILE",
    ),
]
GroupNames = Annotated[
    list[str] | None,
    typer.Option("--groups", "-g", help="Compare these groups only, separated by commas.", metavar="NAMES"),
]


def align_command(
    scores: ScoreFile,
    human: HumanFile,
    groups: GroupNames = None,
    means: MeansFile = None,
    own_traits: Annotated[
        bool, typer.Option("--own-traits", help="Allow traits that are not in the catalogue.")
    ] = False,
    threshold: Annotated[float, typer.Option(help="Threshold of human means for precision.")] = 50.0,
    k: Annotated[int, typer.Option("-k", help="Traits at each end for precision.", min=1)] = 3,
    permutations: Annotated[
        int, typer.Option(help="Number of exchanges for p; 0 for none.", metavar="N", min=0)
    ] = 999,
    bootstrap: Annotated[
        int, typer.Option(help="Number of resamples for intervals; 0 for none.", metavar="N", min=0)
    ] = 1000,
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Compare a model's scores of groups on traits with human judgements.

    The figure shows all groups, or for one group its profile and that of people.
    """
    judged = read_judgements(human, means=means, names="own" if own_traits else "catalogue")
    tables = read_trait_tables(scores, own_traits=own_traits)
    wanted = _names(groups)
    results = [
        align(
            table,
            judged,
            threshold=threshold,
            k=k,
            permutations=permutations,
            bootstrap=bootstrap,
            seed=seed,
            groups=wanted,
        )
        for table in tables
    ]
    if figure is not None:
        _draw(results, tables, figure)
    if json:
        printing.document("align", results)
        return
    for result in results:
        _show(result)


def _names(groups: list[str] | None) -> list[str] | None:
    if groups is None:
        return None
    names = [name.strip() for part in groups for name in part.split(",") if name.strip()]
    if not names:
        raise InputError("--groups names no group.", hint="separate names by commas.")
    return names


def _draw(results: list[AlignmentResult], tables: tuple[TraitTable, ...], figure: Path) -> None:
    """One group as a profile, several as a map of the first measure."""
    from crossroads.plots.frame.saving import save
    from crossroads.plots.traits.heatmap import trait_heatmap
    from crossroads.plots.traits.profile import profile

    first = results[0]
    if len(first.groups) > 1:
        save(trait_heatmap(first), figure)
        return
    named: dict[str, AlignmentResult] = {}
    for i, (result, table) in enumerate(zip(results, tables, strict=True), start=1):
        named[table.measure if table.measure not in named else f"{table.measure} {i}"] = result
    save(profile(named, first.groups[0]), figure)


def _show(result: AlignmentResult) -> None:
    cells = sum(one.traits for one in result.by_group.values())
    printing.out.print(
        f"[b]{escape(result.measure)}[/b] beside people: {len(result.groups)} groups, {cells} scores"
    )
    printing.out.print(_overall(result))
    printing.out.print(_by_group(result))
    for line in _sentences(result):
        printing.out.print(line, style="dim", markup=False)
    for sentence in describe_coverage(result.coverage) if result.coverage else []:
        if not sentence.startswith("found"):  # people and models may name groups differently
            printing.out.print(sentence, style="dim", markup=False)


def _overall(result: AlignmentResult) -> Table:
    table = printing.plain_table()
    table.add_column("all groups")
    for name in ("", "95 % CI" if result.conventions["level"] == 0.95 else "interval", "chance", "ceiling"):
        table.add_column(name, justify="right", no_wrap=True)
    exchanged = result.exchanges.get("groups")
    noise = result.noise
    table.add_row(
        "Kendall's τ",
        number(result.kendall_tau),
        _interval(result.interval),
        "–" if exchanged is None else number(exchanged.expected_tau),
        "–" if noise is None else number(noise.truth),
    )
    table.add_row(
        f"precision at {result.k}",
        number(result.precision_at_3),
        _interval(result.precision_interval),
        number(result.precision_chance),
        "–" if noise is None else number(noise.truth_precision),
    )
    return table


def _interval(found: tuple[float, float] | None) -> str:
    return "–" if found is None else f"{number(found[0])} to {number(found[1])}"


def _by_group(result: AlignmentResult) -> Table:
    table = printing.plain_table()
    table.add_column("group", overflow="fold")
    for name in ("τ", "p", f"P@{result.k}", "top", "bottom", "people", "ceiling"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in result.by_group.items():
        table.add_row(
            escape(name),
            _known(one.kendall_tau),
            "–" if one.kendall_pvalue is None else pvalue(one.kendall_pvalue),
            _known(one.precision_at_3),
            _known(one.precision_top),
            _known(one.precision_bottom),
            str(one.annotators or "–"),
            _known(one.ceiling),
        )
    return table


def _known(value: float | None) -> str:
    return "–" if value is None else number(value)


def _sentences(result: AlignmentResult) -> list[str]:
    """Explanations of the numbers."""
    said = [f"p = {pvalue(result.kendall_pvalue)} for τ as published, with cells as if independent."]
    asks = {
        "groups": "human profiles are assigned to other groups (does the model distinguish groups?)",
        "traits": "traits are permuted in the same way in all groups (does their order agree?)",
    }
    for name, one in result.exchanges.items():
        said.append(f"{p_equals(P.of(one.pvalue, _SAMPLED))} if {asks[name]}.")
    if result.exchanges:
        said += phrases.marks_used([("≈", _SAMPLED)])
        said.append("chance: mean τ with human profiles of other groups; precision of a random order.")
    if result.noise is not None:
        low, high = result.noise.split_half_interval
        said.append(
            "ceiling: agreement of the mean of all people with the mean of those asked. "
            f"Halves of them agree at τ = {number(result.noise.split_half)} "
            f"({number(low)} to {number(high)})."
        )
    return said
