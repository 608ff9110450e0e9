"""Figures of docs/validity.md, as SVG that is the same for the same counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

from . import procedures as by
from .crossing import CHANCES
from .study import tally
from .tally import binomial_interval

mpl.use("Agg")
from matplotlib import pyplot as plt

Row = Mapping[str, Any]
UNRELATED = "bands, Google News"
"""The population whose groups of words have next to nothing to do with each other."""
COLOURS = {
    "topics, GloVe": "#2166ac",
    "topics, Google News": "#67a9cf",
    "bands, GloVe": "#e08214",
    UNRELATED: "#999999",
    "lists, GloVe": "#1b7837",
    "lists, Google News": "#7fbf7b",
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
        _agreement(rows, folder / "agreement.svg")
        _power(rows, folder / "power.svg")


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


def _agreement(rows: Sequence[Row], path: Path) -> None:
    """How often other words agreed over the chance that was said, of each population, with intervals."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.6), sharey=True)
    titles = {"3 or 4 words in some set": (0, 5), "6 to 16 words per set": (6, 16)}
    for axes, (title, (least, most)) in zip(panels, titles.items(), strict=True):
        axes.plot([0.5, 1], [0.5, 1], color="black", lw=0.8, ls=":")
        for at, (world, colour) in enumerate(COLOURS.items()):
            some = [r for r in rows if r["world"] == world and least <= min(r["sizes"]) <= most]
            some = [row for row in some if row["family"] == "populations" and max(row["sizes"]) <= 16]
            for low in CHANCES:
                found = [one for row in some if (one := tally(row, f"chance {low:.2f}")) is not None]
                tests = sum(one.worlds for one in found)
                if tests >= 50:
                    x = sum(one.said or 0.0 for one in found) / tests + 0.003 * (at - 2.5)
                    held = sum(one.held or 0 for one in found)
                    axes.plot([x, x], binomial_interval(held, tests), color=colour, lw=1)
                    axes.plot(x, held / tests, "o", color=colour, ms=3)
            axes.plot([], [], "o-", color=colour, lw=1, ms=3, label=world)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("chance that was said")
        axes.set_xlim(0.49, 1.01)
    panels[0].set_ylabel("share of other words that agreed")
    panels[0].legend(frameon=False, fontsize=7, loc="upper left")
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
