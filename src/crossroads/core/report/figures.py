"""The figures of an audit, as SVG for screens and as PDF for print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.core.figures.style import matplotlib, own_style
from crossroads.core.report.folder import free_name
from crossroads.core.results import Result
from crossroads.core.subjects import brought

Points = Mapping[str, Mapping[str, tuple[float, float]]]


def published_points() -> Points:
    """False and true positive rates of published detections: kind of detection to group to point."""
    return {kind: rates for papers in brought("published") for kind, rates in papers.points().items()}


class Figures:
    """A new folder of figures; needs matplotlib (the extra ``plots``)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder

    def save(self, name: str, figure: Any, *more: str) -> None:
        """Write a figure as SVG and PDF, and with other endings."""
        for suffix in (".svg", ".pdf", *more):
            plots.save(figure, self._folder / f"{name}{suffix}")

    def single(self, results: Iterable[Any], ending: str) -> None:
        """Write the figure of each result, named by its design or measure."""
        shown = {_stem(one): one for one in results}
        for name, file in _file_names(shown).items():
            self.save(f"{file}-{ending}", shown[name].plot())

    @own_style()
    def pages(
        self, shown: Mapping[str, Any], draw: Callable[[Any], Any], ending: str, pages: str = ""
    ) -> None:
        """Write one SVG per name, and all of them as the pages of one PDF, without a date.

        Embedding fonts takes most of the time, and is done once for a file of many pages.
        """
        drawn = []
        for name, file in _file_names(shown).items():
            drawn.append(draw(shown[name]))
            plots.save(drawn[-1], self._folder / f"{file}-{ending}.svg")
        if drawn:
            pdf, path = matplotlib("backends.backend_pdf"), self._folder / f"{pages or ending}.pdf"
            with pdf.PdfPages(path, metadata={"CreationDate": None}) as file_of_pages:
                for axes in drawn:
                    file_of_pages.savefig(axes.figure)


def _stem(result: Result) -> str:
    named = getattr(result, "design", None) or getattr(result, "measure", None)
    return str(named or result.conventions.get("scores"))


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name, numbered if two would be equal."""
    taken: set[str] = set()
    plain = {name: re.sub(r"[^\w-]", "-", name)[:80] for name in names}
    return {name: free_name(file, taken) for name, file in plain.items()}
