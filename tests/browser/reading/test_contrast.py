"""Contrast of every text with what is behind it, measured in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# How many texts were measured, and those below the contrast of WCAG 2.2, level AA: 4.5, 3 for large letters.
MEASURED = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((one, i) => one * a + below[i] * (1 - a));
  const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    if (!node) return [255, 255, 255];
    const colour = rgba(getComputedStyle(node).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, behind(node.parentElement));
  };
  // in pictures also the shapes drawn before a text that hold its middle
  const painted = (text) => {
    const { left, top, width, height } = text.getBoundingClientRect();
    let colour = behind(text.ownerSVGElement);
    for (const shape of text.ownerSVGElement.querySelectorAll('rect, circle, path, ellipse')) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const middle = new DOMPoint(left + width / 2, top + height / 2);
      const look = getComputedStyle(shape);
      if (look.fill === 'none') continue;
      if (!shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()))) continue;
      const [r, g, b, a] = rgba(look.fill);
      colour = over([r, g, b, a * look.fillOpacity * look.opacity], colour);
    }
    return colour;
  };
  const apart = 'script, style, title, option, .unseen, [aria-disabled=true], [disabled]';
  const seen = { visibilityProperty: true, opacityProperty: true };
  const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let counted = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement, said = walker.currentNode.data.trim();
    if (!said || !node.checkVisibility(seen) || node.closest(apart)) continue;
    const box = node.getBoundingClientRect(), look = getComputedStyle(node);
    if (!box.width || !box.height) continue;
    const text = node instanceof SVGElement ? node.closest('text') : null;
    const base = text ? painted(text) : behind(node), size = parseFloat(look.fontSize);
    const large = size >= 24 || (size >= 18.66 && look.fontWeight >= 700);
    let share = 1;
    for (let one = node; one; one = one.parentElement) share *= getComputedStyle(one).opacity;
    const [r, g, b, a] = rgba(text ? look.fill : look.color), ink = over([r, g, b, a * share], base);
    const [low, high] = [luminance(ink), luminance(base)].sort((p, q) => p - q);
    const ratio = (high + 0.05) / (low + 0.05);
    counted += 1;
    if (ratio >= (large ? 3 : 4.5)) continue;
    found.set(`${node.tagName}.${node.getAttribute('class')} ${ratio.toFixed(2)}`, said.slice(0, 30));
  }
  return [counted, [...found]];
}"""


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
