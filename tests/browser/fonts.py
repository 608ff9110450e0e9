"""Machines with other fonts: a configuration for the browser, in which there is one family and no other.

``mono`` has none of the families that the page asks for, only a font in which all letters are equally wide:
Chromium does not start where there is no font at all. ``dejavu`` has the font that comes with matplotlib,
``noto`` Noto Sans, the default of many desktops, and ``wide`` one whose letters are a third wider and whose
lines are a fifth taller.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

FONTS = ("mono", "dejavu", "noto", "wide")
NOTO = ("@fontsource/noto-sans", "5.3.0")
"""Noto Sans, as the package index of browsers has it; under the SIL Open Font Licence."""
WEIGHTS = {
    "400": "18e2e5b23a9bc5e8e636d6c7984b8ac6635aefc1c497ed1c5012f3c637761b91",
    "700": "cac2e44ebc446d5c71a9a16fd5592bf80abf6f56dd564a7b90eb01c5f9d29793",
}
Member = Callable[[str, str, str, str], Path]


def configuration(name: str, folder: Path, npm_member: Member) -> Path:
    """A configuration of fontconfig under which there are only the fonts of that name.

    Parameters
    ----------
    name
        One of :data:`FONTS`.
    folder
        Where to put it, and the fonts.
    npm_member
        Fetches a file out of a package.
    """
    fonts = folder / "fonts"
    fonts.mkdir(parents=True)
    {"mono": _mono, "dejavu": _dejavu, "noto": _noto, "wide": _wide}[name](fonts, npm_member)
    file = folder / "fonts.conf"
    file.write_text(
        "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig>"
        f"<dir>{escape(str(fonts))}</dir><cachedir>{escape(str(folder / 'cache'))}</cachedir></fontconfig>",
        encoding="utf-8",
    )
    return file


def environment(file: Path) -> dict[str, str]:
    """The environment of a browser that knows only the fonts of a configuration."""
    return {**os.environ, "FONTCONFIG_FILE": str(file), "FONTCONFIG_PATH": str(file.parent)}


def _shipped(family: str) -> list[Path]:
    matplotlib = pytest.importorskip("matplotlib", reason="its fonts are used: extra 'plots'")
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [folder / f"{family}.ttf", folder / f"{family}-Bold.ttf"]


def _mono(fonts: Path, npm_member: Member) -> None:
    for file in _shipped("DejaVuSansMono"):
        shutil.copy(file, fonts)


def _dejavu(fonts: Path, npm_member: Member) -> None:
    for file in _shipped("DejaVuSans"):
        shutil.copy(file, fonts)


def _noto(fonts: Path, npm_member: Member) -> None:
    for weight, checksum in WEIGHTS.items():
        found = npm_member(*NOTO, checksum, f"files/noto-sans-latin-{weight}-normal.woff")
        font = _opened(found)
        font.flavor = None
        font.save(fonts / f"NotoSans-{weight}.ttf")


def _wide(fonts: Path, npm_member: Member) -> None:
    """Letters of DejaVu Sans, stretched, in lines that are taller."""
    for file in _shipped("DejaVuSans"):
        font = _opened(file)
        for glyph in font["glyf"].glyphs.values():
            glyph.expand(font["glyf"])
            if glyph.isComposite():
                for part in glyph.components:
                    part.x = round(part.x * 1.3)
            elif glyph.numberOfContours:
                glyph.coordinates.scale((1.3, 1))
                glyph.recalcBounds(font["glyf"])
        metrics = font["hmtx"].metrics
        font["hmtx"].metrics = {
            name: (round(wide * 1.3), round(side * 1.3)) for name, (wide, side) in metrics.items()
        }
        for table, fields in (("hhea", ("ascent", "descent")), ("OS/2", ("sTypoAscender", "sTypoDescender"))):
            for one in fields:
                setattr(font[table], one, round(getattr(font[table], one) * 1.2))
        for one in ("usWinAscent", "usWinDescent"):
            setattr(font["OS/2"], one, round(getattr(font["OS/2"], one) * 1.2))
        for record in font["name"].names:
            if record.nameID in (1, 4, 16):
                record.string = record.toUnicode().replace("DejaVu Sans", "Wide Sans")
        for table in ("GPOS", "GSUB", "GDEF", "kern", "fpgm", "prep", "cvt ", "gasp"):
            if table in font:
                del font[table]
        font.save(fonts / file.name.replace("DejaVu", "Wide"))


def _opened(file: Path) -> Any:
    tools = pytest.importorskip("fontTools.ttLib", reason="it comes with matplotlib: extra 'plots'")
    return tools.TTFont(file)
