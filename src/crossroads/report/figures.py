"""The figures of an audit, as SVG for screens and as PDF for print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.measures import (
    AlignmentResult,
    BatteryResult,
    CeatBatteryResult,
    CompareBatteryResult,
    DetectionResult,
    DominanceResult,
    EmergentResult,
    FrequencyResult,
    MultilevelCeatResult,
    RsaResult,
    SeriesResult,
    TraitScores,
)
from crossroads.plots.frame.style import house, matplotlib
from crossroads.report.audit import Audit
from crossroads.results import Result

_MOST_GROUPS, _MOST_ALIGNMENTS = 80, 6
_SINGLE: Mapping[type[Result], str] = {
    SeriesResult: "decades",
    TraitScores: "traits",
    DominanceResult: "dominance",
    EmergentResult: "emergent",
}
"""Types of results with one figure each, and the ending of its file name."""
Points = Mapping[str, Mapping[str, tuple[float, float]]]


def draw_figures(folder: Path, audit: Audit, *, published: Points) -> None:
    """Draw every figure of an audit into a new folder; needs matplotlib (the extra ``plots``).

    Figures of single tests are written as one SVG each and together as one PDF with a page per test, because
    embedding fonts takes most of the time and is then done once.

    Parameters
    ----------
    folder
        The folder to create.
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
    battery = audit.one(BatteryResult)
    tests = () if battery is None else battery.tests
    names = _file_names(test.design for test in tests)
    for test in tests:
        pages.append(plots.association_plot(test))
        plots.save(pages[-1], folder / f"{names[test.design]}-associations.svg")
    if pages:
        _save_pages(pages, folder / "associations.pdf")
    explained = list(audit.of(FrequencyResult).values())
    names, pages = _file_names(one.design for one in explained), []
    for one in explained:
        pages.append(plots.frequency_plot(one))
        plots.save(pages[-1], folder / f"{names[one.design]}-frequency.svg")
    if pages:
        _save_pages(pages, folder / "frequency.pdf")
    for name, maps in _maps(audit):
        plots.save(maps, folder / f"{name}.svg")
        plots.save(maps, folder / f"{name}.pdf")
    profiles = []
    groups = _file_names(_profiled(audit))
    for group, name in groups.items():
        with_it = {
            name.removesuffix(" alignment"): one
            for name, one in audit.of(AlignmentResult).items()
            if group in one.groups
        }
        profiles.append(plots.profile(dict(list(with_it.items())[:_MOST_ALIGNMENTS]), group))
        plots.save(profiles[-1], folder / f"{name}-profile.svg")
    if profiles:
        _save_pages(profiles, folder / "profiles.pdf")


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name, numbered if two would be equal."""
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
    for battery in audit.of(BatteryResult).values():
        if battery.tests:
            yield "eat-maps", plots.eat_maps(battery)
            yield "effect-sizes", plots.forest(battery)
    for kind in ("ibd", "eibd"):
        mine = {name: one for name, one in audit.of(DetectionResult).items() if one.kind == kind}
        found = {name: one for name, one in mine.items() if one.curve}  # drawn where the truth is known
        if found:
            yield kind, plots.roc(found, published=published.get(kind, {}))
    if fits := list(audit.of(RsaResult).values()):
        yield "geometry", plots.fit_plot(fits)
    for contexts in audit.of(CeatBatteryResult).values():
        if contexts.tests:
            yield "context-effect-sizes", plots.context_forest(contexts)
            yield "context-distributions", plots.context_histograms(contexts)
    if levels := list(audit.of(MultilevelCeatResult).values()):
        yield "context-levels", plots.context_levels(levels)


def _maps(audit: Audit) -> Iterator[tuple[str, Any]]:
    """Figures of single results beyond the battery, with the names of their files."""
    for kind, ending in _SINGLE.items():
        results = [one for one in audit.of(kind).values() if _drawable(one)]
        names = _file_names(_file_stem(one) for one in results)
        for one in results:
            yield f"{names[_file_stem(one)]}-{ending}", one.plot()


def _file_stem(result: Result) -> str:
    named = getattr(result, "design", None) or getattr(result, "measure", None)
    return str(named or result.conventions.get("scores"))


def _drawable(result: Result) -> bool:
    """Whether there is something to draw that fits a figure."""
    if isinstance(result, SeriesResult):
        return bool(result.points)
    if isinstance(result, TraitScores):
        return len(result.groups) <= _MOST_GROUPS
    return bool(result.rows())


def _profiled(audit: Audit) -> list[str]:
    """The groups that are drawn with human judgements, if they are few enough for one figure each."""
    aligned = audit.of(AlignmentResult).values()
    groups = dict.fromkeys(group for one in aligned for group in one.groups)
    return list(groups)[:_MOST_GROUPS]


def draw_comparison(folder: Path, result: CompareBatteryResult) -> None:
    """Draw a comparison of models into a new folder, one figure per pair of models."""
    folder.mkdir()
    pairs = dict.fromkeys([*result.pairs, *(one.models for one in result.unpaired)])
    for i, pair in enumerate(pairs, start=1):
        name = "comparison" if len(pairs) == 1 else f"comparison-{i}"
        axes = plots.comparison_plot(result, pair)
        plots.save(axes, folder / f"{name}.svg")
        plots.save(axes, folder / f"{name}.pdf")


@house()
def _save_pages(drawn: Iterable[Any], path: Path) -> None:
    """Write figures as the pages of one PDF, without a date."""
    with matplotlib("backends.backend_pdf").PdfPages(path, metadata={"CreationDate": None}) as pages:
        for axes in drawn:
            pages.savefig(axes.figure)
