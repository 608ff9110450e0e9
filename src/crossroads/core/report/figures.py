"""The figures of an audit, as SVG for screens and as PDF for print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.comparison.battery import CompareBatteryResult
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.levels import MultilevelCeatResult
from crossroads.core.figures.style import house, matplotlib
from crossroads.core.report.audit import Audit
from crossroads.core.report.published import Points
from crossroads.core.results import Result
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.rsa import RsaResult
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.traits.pairs.emergent import EmergentResult
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.checks.frequency import FrequencyResult
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.series import SeriesResult

_MOST_GROUPS, _MOST_ALIGNMENTS = 80, 6
_SINGLE: Mapping[type[Result], str] = {
    SeriesResult: "decades",
    TraitScores: "traits",
    DominanceResult: "dominance",
    EmergentResult: "emergent",
}
"""Types of results with one figure each, and the ending of its file name."""


def draw_figures(folder: Path, audit: Audit, *, published: Points) -> None:
    """Draw every figure of an audit into a new folder; needs matplotlib (the extra ``plots``).

    Figures of single tests are written as one SVG each and together as one PDF with a page per test, because
    embedding fonts takes most of the time and is then done once. ``published`` are the points of published
    detections, see :func:`~crossroads.core.report.published.published_points`.
    """
    folder.mkdir()
    for name, figure in _overviews(audit, published):
        _save(figure, folder, name, *([".png"] if name == "eat-maps" else []))
    battery = audit.one(BatteryResult)
    tests = {} if battery is None else {test.design: test for test in battery.tests}
    _save_pages(folder, tests, plots.association_plot, "associations")
    frequencies = {one.design: one for one in audit.of(FrequencyResult).values()}
    _save_pages(folder, frequencies, plots.frequency_plot, "frequency")
    for kind, ending in _SINGLE.items():
        results = {_stem(one): one for one in audit.of(kind).values() if _is_drawable(one)}
        for name, file in _file_names(results).items():
            _save(results[name].plot(), folder, f"{file}-{ending}")
    aligned = {name.removesuffix(" alignment"): one for name, one in audit.of(AlignmentResult).items()}
    groups = dict.fromkeys(group for one in aligned.values() for group in one.by_group)
    _save_pages(
        folder,
        {group: group for group in list(groups)[:_MOST_GROUPS]},
        lambda group: plots.profile(_with_group(aligned, group), group),
        "profile",
        pages="profiles",
    )


def draw_comparison(folder: Path, result: CompareBatteryResult) -> None:
    """Draw a comparison of models into a new folder, one figure per pair of models."""
    folder.mkdir()
    pairs = dict.fromkeys([*result.pairs, *(one.models for one in result.unpaired)])
    for i, pair in enumerate(pairs, start=1):
        name = "comparison" if len(pairs) == 1 else f"comparison-{i}"
        _save(plots.comparison_plot(result, pair), folder, name)


def _overviews(audit: Audit, published: Points) -> Iterator[tuple[str, Any]]:
    """The figures that show the whole audit, with the names of their files."""
    for battery in audit.of(BatteryResult).values():
        if battery.tests:
            yield "eat-maps", plots.eat_maps(battery)
            yield "effect-sizes", plots.forest(battery)
    detections = audit.of(DetectionResult).items()
    for kind in ("ibd", "eibd"):  # drawn where the truth is known
        curves = {name: one for name, one in detections if one.kind == kind and one.curve}
        if curves:
            yield kind, plots.roc(curves, published=published.get(kind, {}))
    if fits := list(audit.of(RsaResult).values()):
        yield "geometry", plots.fit_plot(fits)
    for contexts in audit.of(CeatBatteryResult).values():
        if contexts.tests:
            yield "context-effect-sizes", plots.context_forest(contexts)
            yield "context-distributions", plots.context_histograms(contexts)
    if levels := list(audit.of(MultilevelCeatResult).values()):
        yield "context-levels", plots.context_levels(levels)


def _stem(result: Result) -> str:
    named = getattr(result, "design", None) or getattr(result, "measure", None)
    return str(named or result.conventions.get("scores"))


def _is_drawable(result: Result) -> bool:
    """Whether there is something to draw that fits a figure."""
    if isinstance(result, SeriesResult):
        return bool(result.points)
    return len(result.groups) <= _MOST_GROUPS if isinstance(result, TraitScores) else bool(result._rows())


def _with_group(aligned: Mapping[str, AlignmentResult], group: str) -> dict[str, AlignmentResult]:
    """The first alignments that know a group, as many as fit a figure."""
    known = [(name, one) for name, one in aligned.items() if group in one.by_group]
    return dict(known[:_MOST_ALIGNMENTS])


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


def _save(figure: Any, folder: Path, name: str, *more: str) -> None:
    for suffix in (".svg", ".pdf", *more):
        plots.save(figure, folder / f"{name}{suffix}")


@house()
def _save_pages(
    folder: Path, shown: Mapping[str, Any], draw: Callable[[Any], Any], ending: str, pages: str = ""
) -> None:
    """Write one SVG per name, and all of them as the pages of one PDF, without a date."""
    drawn = []
    for name, file in _file_names(shown).items():
        drawn.append(draw(shown[name]))
        plots.save(drawn[-1], folder / f"{file}-{ending}.svg")
    if drawn:
        pdf, path = matplotlib("backends.backend_pdf"), folder / f"{pages or ending}.pdf"
        with pdf.PdfPages(path, metadata={"CreationDate": None}) as file_of_pages:
            for axes in drawn:
                file_of_pages.savefig(axes.figure)
