"""The figures of an audit, as SVG for screens and as PDF for print."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.measures import CeatBatteryResult, CompareBatteryResult
from crossroads.plots.style import house, matplotlib
from crossroads.report.audit import Audit
from crossroads.report.naming import measure_of

_MOST_GROUPS, _MOST_ALIGNMENTS = 80, 6
Points = Mapping[str, Mapping[str, tuple[float, float]]]


def draw_figures(folder: Path, audit: Audit, *, published: Points) -> None:
    """Draw every figure of an audit into a new folder; needs matplotlib (the extra ``plots``).

    The figures of single tests are an SVG each and together one PDF, a page a test: embedding fonts is what
    takes time, and so it is done once.

    Parameters
    ----------
    folder
        The folder to make.
    audit
        What to draw.
    published
        Published points of detections, false and true positive rate: ``ibd`` and ``eibd`` to group to point.
    """
    folder.mkdir()
    for name, figure in _overviews(audit, published):
        plots.save(figure, folder / f"{name}.svg")
        plots.save(figure, folder / f"{name}.pdf")
        if name == "eat-maps":
            plots.save(figure, folder / f"{name}.png")
    pages = []
    tests = () if audit.battery is None else audit.battery.tests
    names = _file_names(test.design for test in tests)
    for test in tests:
        pages.append(plots.association_plot(test))
        plots.save(pages[-1], folder / f"{names[test.design]}-associations.svg")
    if pages:
        _save_pages(pages, folder / "associations.pdf")
    for name, maps in _maps(audit):
        plots.save(maps, folder / f"{name}.svg")
        plots.save(maps, folder / f"{name}.pdf")
    profiles = []
    groups = _file_names(_profiled(audit))
    for group, name in groups.items():
        with_it = {name: one for name, one in audit.alignments.items() if group in one.groups}
        profiles.append(plots.profile(dict(list(with_it.items())[:_MOST_ALIGNMENTS]), group))
        plots.save(profiles[-1], folder / f"{name}-profile.svg")
    if profiles:
        _save_pages(profiles, folder / "profiles.pdf")


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """A name of a file for each name, numbered where two would share one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        plain = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)[:80]
        number, file = 1, plain
        while file.casefold() in taken:
            number += 1
            file = f"{plain}-{number}"
        taken.add(file.casefold())
        found[name] = file
    return found


def _overviews(audit: Audit, published: Points) -> Iterator[tuple[str, Any]]:
    """The figures that show the whole audit, with the names of their files."""
    if audit.battery is not None and audit.battery.tests:
        yield "eat-maps", plots.eat_maps(audit.battery)
        yield "effect-sizes", plots.forest(audit.battery, {one.design: one for one in audit.intervals})
    for kind in ("ibd", "eibd"):
        mine = {name: one for name, one in audit.detections.items() if one.kind == kind}
        found = {name: one for name, one in mine.items() if one.curve}  # drawn where the truth is known
        if found:
            yield kind, plots.roc(found, published=published.get(kind, {}))
    if audit.fits:
        yield "geometry", plots.fit_plot(audit.fits)
    if audit.contexts is not None and audit.contexts.tests:
        yield "context-effect-sizes", plots.context_forest(_with_intervals(audit, audit.contexts))
        yield "context-distributions", plots.context_histograms(audit.contexts)
    if audit.context_levels:
        yield "context-levels", plots.context_levels(audit.context_levels)


def _with_intervals(audit: Audit, battery: CeatBatteryResult) -> CeatBatteryResult:
    """The battery with intervals that were measured beside it."""
    names = {test.design for test in battery.tests}
    beside = {one.design: one for one in audit.context_intervals if one.design in names}
    return dataclasses.replace(battery, intervals={**battery.intervals, **beside})


def _maps(audit: Audit) -> Iterator[tuple[str, Any]]:
    """Figures of single results beyond the battery, with the names of their files."""
    designs = _file_names(series.design for series in audit.series)
    for series in audit.series:
        if series.points:
            yield f"{designs[series.design]}-decades", plots.decades(series)
    scored = [*(one.measure for one in audit.traits), *map(measure_of, (*audit.dominance, *audit.emergent))]
    measures = _file_names(scored)
    for scores in audit.traits:
        if len(scores.groups) <= _MOST_GROUPS:
            yield f"{measures[scores.measure]}-traits", plots.trait_heatmap(scores)
    for dominance in audit.dominance:
        if dominance.table:
            yield f"{measures[measure_of(dominance)]}-dominance", plots.dominance_matrix(dominance)
    for emergent in audit.emergent:
        if emergent.increase.size:
            yield f"{measures[measure_of(emergent)]}-emergent", plots.emergent_traits(emergent)


def _profiled(audit: Audit) -> list[str]:
    """The groups that are drawn beside people, while they are few enough for a picture each."""
    groups = dict.fromkeys(group for one in audit.alignments.values() for group in one.groups)
    return list(groups)[:_MOST_GROUPS]


def draw_comparison(folder: Path, result: CompareBatteryResult) -> None:
    """Draw a comparison of models into a new folder, a figure for each pair of models."""
    folder.mkdir()
    pairs = dict.fromkeys([*result.pairs, *(one.models for one in result.unpaired)])
    for i, pair in enumerate(pairs, start=1):
        name = "comparison" if len(pairs) == 1 else f"comparison-{i}"
        axes = plots.comparison_plot(result, pair)
        plots.save(axes, folder / f"{name}.svg")
        plots.save(axes, folder / f"{name}.pdf")


@house()
def _save_pages(drawn: Iterable[Any], path: Path) -> None:
    """Write figures as the pages of one PDF, which holds no date."""
    with matplotlib("backends.backend_pdf").PdfPages(path, metadata={"CreationDate": None}) as pages:
        for axes in drawn:
            pages.savefig(axes.figure)
