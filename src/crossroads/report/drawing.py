"""The figures of an audit, as SVG for screens and as PDF for print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.plots.style import house, matplotlib
from crossroads.report.audit import Audit

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
    for test in audit.battery.tests:
        name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in test.design)
        pages.append(plots.association_plot(test))
        plots.save(pages[-1], folder / f"{name}-associations.svg")
    _save_pages(pages, folder / "associations.pdf")


def _overviews(audit: Audit, published: Points) -> Iterator[tuple[str, Any]]:
    """The figures that show the whole audit, with the names of their files."""
    yield "eat-maps", plots.eat_maps(audit.battery)
    yield "effect-sizes", plots.forest(audit.battery, {one.design: one for one in audit.intervals})
    for kind in ("ibd", "eibd"):
        found = {name: one for name, one in audit.detections.items() if one.kind == kind}
        if found:
            yield kind, plots.roc(found, published=published.get(kind, {}))
    if audit.fits:
        yield "geometry", plots.fit_plot(audit.fits)


@house()
def _save_pages(drawn: Iterable[Any], path: Path) -> None:
    """Write figures as the pages of one PDF, which holds no date."""
    with matplotlib("backends.backend_pdf").PdfPages(path, metadata={"CreationDate": None}) as pages:
        for axes in drawn:
            pages.savefig(axes.figure)
