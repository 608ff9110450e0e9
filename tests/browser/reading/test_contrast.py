"""Contrast of every text with what is behind it, measured in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Texts whose contrast is below that of WCAG 2.2, level AA: 4.5, and 3 for large letters; and how many were measured.
MEASURED = """
() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const known = new Map();
  const rgba = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((one, i) => one * a + below[i] * (1 - a));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    if (!node) return [255, 255, 255];
    const colour = rgba(getComputedStyle(node).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, behind(node.parentElement));
  };
  // in pictures, the shapes drawn before a text that hold its middle
  const painted = (text) => {
    const box = text.getBoundingClientRect(), svg = text.ownerSVGElement, x = box.left + box.width / 2, y = box.top + box.height / 2;
    let colour = behind(svg);
    for (const shape of svg.querySelectorAll('rect, circle, path, ellipse')) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const at = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      const look = getComputedStyle(shape);
      if (look.fill !== 'none' && shape.isPointInFill(at)) { const [r, g, b, a] = rgba(look.fill); colour = over([r, g, b, a * look.fillOpacity * look.opacity], colour); }
    }
    return colour;
  };
  const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let counted = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || node.closest('script, style, title, option, .unseen, [aria-disabled=true], [disabled]')) continue;
    const box = node.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const look = getComputedStyle(node), drawn = node instanceof SVGElement, text = drawn ? node.closest('text') : null;
    if (drawn && !text) continue;
    const base = drawn ? painted(text) : behind(node), size = parseFloat(look.fontSize), large = size >= 24 || (size >= 18.66 && look.fontWeight >= 700);
    let share = 1; for (let one = node; one; one = one.parentElement) share *= getComputedStyle(one).opacity;
    const [r, g, b, a] = rgba(drawn ? look.fill : look.color), ink = over([r, g, b, a * share], base);
    const [high, low] = [luminance(ink), luminance(base)].sort((p, q) => q - p), ratio = (high + 0.05) / (low + 0.05);
    counted += 1;
    if (ratio < (large ? 3 : 4.5)) { const key = `${node.tagName}.${node.getAttribute('class') ?? ''} in ${node.closest('section')?.id} ${ratio.toFixed(2)} ${look.color}`; found.set(key, walker.currentNode.data.slice(0, 30)); }
  }
  return [counted, [...found]];
}
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(
    opened: Callable[..., Any], report: Path, dark: bool
) -> None:
    page = opened(report, dark=dark).page
    page.evaluate("unfolded()")
    counted, weak = page.evaluate(MEASURED)
    assert counted > 1000
    assert weak == []
    # a grey that is too pale is found, on the page and in pictures
    page.evaluate("void document.documentElement.style.setProperty('--second', '#8a8a8a80')")
    found = " ".join(name for name, _ in page.evaluate(MEASURED)[1])
    assert "text.second" in found
    assert "P.note" in found
