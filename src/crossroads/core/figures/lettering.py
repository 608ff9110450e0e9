"""Widths of text, measured rather than estimated, and fitting text into a width."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from crossroads.core.figures.style import LEAST, matplotlib, own_style

_DPI = 720
LEADING = 1.25
"""Line spacing, in font sizes."""


@lru_cache(maxsize=1)
def _renderer() -> tuple[Any, Any]:
    figure = matplotlib("figure").Figure(figsize=(1, 1), dpi=_DPI)
    return figure, matplotlib("backends.backend_agg").FigureCanvasAgg(figure).get_renderer()


@lru_cache(maxsize=4096)
def width(text: str, size: float, weight: str = "normal") -> float:
    """Width of a line of text in inches."""
    if not text:
        return 0.0
    figure, renderer = _renderer()
    with own_style():
        line = matplotlib("text").Text(0, 0, text, size=size, weight=weight, parse_math=False)
        line.set_figure(figure)
        return float(line.get_window_extent(renderer).width) / _DPI


def widest(texts: list[str], size: float, weight: str = "normal") -> float:
    """Width of the widest of several texts, each of one or more lines, in inches."""
    return max((width(line, size, weight) for text in texts for line in text.split("\n")), default=0.0)


def height(text: str, size: float) -> float:
    """Height of a text of one or more lines in inches; nothing for no text."""
    return (text.count("\n") + 1) * size * LEADING / 72 if text else 0.0


def wrapped(text: str, room: float, size: float, *, lines: int, weight: str = "normal") -> str:
    """Text wrapped into lines that fit; words are broken only if necessary, preferably at hyphens."""
    done: list[str] = []
    line = ""
    for piece in _pieces(text, room, size, weight):
        if line and width((line + piece).rstrip(), size, weight) > room:
            done.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    done.append(line.rstrip())
    if len(done) > lines:
        last = done[lines - 1]
        while last and width(last + "…", size, weight) > room:
            last = last[:-1]
        done[lines - 1 :] = [last.rstrip() + "…"]
    return "\n".join(done)


def _pieces(text: str, room: float, size: float, weight: str) -> list[str]:
    """The parts between which a line may break: words; of words too long for a line, parts of them."""
    pieces: list[str] = []
    for word in re.findall(r"[^ ]+(?: [<>=≈≤] [^ ]+)* *", text.strip()):
        whole = width(word.rstrip(), size, weight) <= room
        for part in [word] if whole else re.findall(r".+?(?:[-/_](?=\w)|$)", word):
            rest = part
            while len(rest) > 1 and width(rest.rstrip(), size, weight) > room:
                cut = next(
                    (n for n in range(len(rest) - 1, 1, -1) if width(rest[:n], size, weight) <= room), 1
                )
                pieces.append(rest[:cut])
                rest = rest[cut:]
            pieces.append(rest)
    return pieces


def fitted(
    text: str, room: float, size: float, *, lines: int = 1, weight: str = "normal"
) -> tuple[str, float]:
    """Text that fits, and its font size: unchanged, else smaller, else wrapped, else shortened."""
    asked = size
    while size > LEAST and width(text, size, weight) > room:
        size = max(LEAST, size - 0.25)
    if width(text, size, weight) <= room:
        return text, size
    if lines == 1:
        return _shortened(text, room, size, weight), size
    for trial in (asked, LEAST):
        broken = wrapped(text, room, trial, lines=lines, weight=weight)
        if not broken.endswith("…"):
            return broken, trial
    return wrapped(text, room, LEAST, lines=lines, weight=weight), LEAST


def _shortened(text: str, room: float, size: float, weight: str) -> str:
    """Text without its middle, because stimuli may differ only at their ends."""
    keep = len(text) - 1
    short = text
    while keep > 1 and width(short, size, weight) > room:
        short = f"{text[: (keep + 1) // 2].rstrip()}…{text[len(text) - keep // 2 :].lstrip()}"
        keep -= 1
    return short


def alike(texts: list[str], room: float, size: float, *, lines: int) -> tuple[list[str], float]:
    """Texts that all fit, and their common font size."""
    size = min((fitted(text, room, size, lines=lines)[1] for text in texts), default=size)
    if lines == 1:
        return [_shortened(text, room, size, "normal") for text in texts], size
    return [wrapped(text, room, size, lines=lines) for text in texts], size
