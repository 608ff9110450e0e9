"""Figures of docs/validity.md, as SVG that is the same for the same counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

from . import procedures as by
from .study import tally
from .tally import binomial_interval

mpl.use("Agg")
from matplotlib import pyplot as plt

Row = Mapping[str, Any]
SHOWN = {
    by.TARGETS: ("#b2182b", "o"),
    by.ATTRIBUTES: ("#ef8a62", "s"),
    by.LARGER: ("#999999", "^"),
    by.CROSSED: ("#2166ac", "D"),
}
STYLE = {
    "svg.hashsalt": "crossroads",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw all figures."""
    with plt.rc_context(STYLE):
        _false_positives(rows, folder / "false-positives.svg")
        _power(rows, folder / "power.svg")


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


def _false_positives(rows: Sequence[Row], path: Path) -> None:
    """Rates at .05 by world with eight words per set, and of dealt attributes, with their intervals."""
    some = [
        row
        for row in rows
        if row["effect"] == 0
        and row["world"] != "frequency in both"
        and (
            row["family"] == "dealt" or (row["family"] in ("vectors", "corpora") and set(row["sizes"]) == {8})
        )
    ]
    ends = {"dealt": "{} dealt", "corpora": "{} corpora"}
    figure, axes = plt.subplots(figsize=(7.2, 0.34 * max(4, len(some)) + 1))
    for i, (name, (colour, marker)) in enumerate(SHOWN.items()):
        for place, row in enumerate(some):
            found = tally(row, name)
            if found is None or found.at_05 is None:
                continue
            low, high = binomial_interval(found.at_05, found.worlds)
            y = -place + 0.27 - 0.18 * i
            axes.plot([100 * low, 100 * high], [y, y], color=colour, lw=1.2)
            axes.plot(100 * found.at_05 / found.worlds, y, marker, color=colour, ms=4)
        axes.plot([], [], marker, color=colour, ms=4, label=name)
    axes.axvline(5, color="black", lw=0.8, ls=":")
    axes.set_yticks([-i for i in range(len(some))])
    axes.set_yticklabels([ends.get(row["family"], "{}").format(row["world"]) for row in some])
    axes.set_xlabel("worlds without an association in which p < .05 (%)")
    axes.set_xlim(0, None)
    axes.legend(frameon=False, loc="lower right", fontsize=8)
    _save(figure, path)


def _power(rows: Sequence[Row], path: Path) -> None:
    """Power of the crossed p-value over effects, a line for each size; exchanged targets dotted."""
    worlds = ("exchangeable", "both topical")
    figure, panels = plt.subplots(1, len(worlds), figsize=(7.2, 2.9), sharey=True)
    colours = {4: "#92c5de", 8: "#4393c3", 16: "#2166ac", 25: "#053061"}
    for axes, world in zip(panels, worlds, strict=True):
        for size, colour in colours.items():
            some = sorted(
                (
                    row
                    for row in rows
                    if row["family"] == "vectors" and row["world"] == world and set(row["sizes"]) == {size}
                ),
                key=lambda row: float(row["effect"]),
            )
            for name, line in ((by.CROSSED, "-"), (by.TARGETS, ":")):
                points = [
                    (row["effect"], 100 * found.at_05 / found.worlds)
                    for row in some
                    if (found := tally(row, name)) is not None and found.at_05 is not None
                ]
                label = f"{size} words per set" if name == by.CROSSED else None
                if points:
                    axes.plot(*zip(*points, strict=True), line, color=colour, lw=1.3, label=label)
        axes.axhline(5, color="black", lw=0.8, ls=":")
        axes.set_title(world, fontsize=9)
        axes.set_xlabel("effect")
    panels[0].set_ylabel("p < .05 (%)")
    panels[0].legend(frameon=False, fontsize=8)
    panels[1].plot([], [], "-", color="black", lw=1.3, label="crossed")
    panels[1].plot([], [], ":", color="black", lw=1.3, label="targets exchanged")
    panels[1].legend(frameon=False, fontsize=8, loc="lower right")
    _save(figure, path)
