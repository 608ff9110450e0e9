// @ts-check
// Lettering of charts: every text is measured in the font that the reader has, and wrapped, shrunk or cut to the
// room there is. What nobody measured is found when the picture is laid out, and the picture made to hold it.

import { sv } from "../parts/elements.js";
import { flat } from "../parts/tables.js";

const LETTERS_LEAST = 9; // no type is set smaller
/** @type {CanvasRenderingContext2D | null} */
let chartsPen = null;
let chartsFont = "sans-serif";

/**
 * Set the pen to a size and a weight of the page's own font; none where the browser has no canvas.
 * @param {number} size
 * @param {number} weight
 */
function chartsPenOf(size, weight) {
  if (!chartsPen) {
    chartsPen = document.createElement("canvas").getContext("2d");
    chartsFont = getComputedStyle(document.documentElement).getPropertyValue("--sans").trim() || chartsFont;
  }
  if (chartsPen) chartsPen.font = `${weight} ${size}px ${chartsFont}`;
  return chartsPen;
}

/**
 * Width of a text in pixels.
 * @param {string} text
 * @param {number} [size]
 * @param {number} [weight]
 */
export const chartsWide = (text, size = 12, weight = 400) => chartsPenOf(size, weight)?.measureText(text).width ?? text.length * size * 0.7;

/**
 * How far a line of type reaches above its baseline and below it.
 * @param {number} [size]
 */
export function chartsReach(size = 12) {
  const found = chartsPenOf(size, 400)?.measureText("Xg");
  return { above: Math.ceil(found?.fontBoundingBoxAscent ?? size), below: Math.ceil(found?.fontBoundingBoxDescent ?? size * 0.3) };
}

/**
 * The widest of some texts.
 * @param {string[]} texts
 * @param {number} [size]
 * @param {number} [weight]
 */
export const chartsWidest = (texts, size = 12, weight = 400) => texts.reduce((most, text) => Math.max(most, chartsWide(text, size, weight)), 0);

/**
 * A text cut to a width, with an ellipsis where something is missing.
 * @param {string} text
 * @param {number} width
 * @param {number} [size]
 * @param {number} [weight]
 */
export function chartsClip(text, width, size = 12, weight = 400) {
  const whole = flat(text);
  if (whole.length < 400 && chartsWide(whole, size, weight) <= width) return whole;
  const signs = Array.from(whole.slice(0, 400));
  let low = 0, high = signs.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chartsWide(`${signs.slice(0, middle).join("")}\u2026`, size, weight) <= width) low = middle;
    else high = middle - 1;
  }
  return `${signs.slice(0, low).join("")}\u2026`;
}

/**
 * The size in which a text fits into a width: as asked, or smaller, down to what can still be read.
 * @param {string} text
 * @param {number} width
 * @param {number} [size]
 * @param {number} [weight]
 */
function chartsSize(text, width, size = 12, weight = 400) {
  const wide = chartsWide(text, size, weight);
  return wide <= width ? size : Math.max(LETTERS_LEAST, Math.floor((size * width * 4) / wide) / 4);
}

/**
 * A text of ours, such as the name of an axis: shrunk where there is little room, and cut only where that is not enough.
 * @param {string} text
 * @param {number} width
 * @param {Attributes} attributes
 * @param {number} [size]
 */
export function chartsName(text, width, attributes, size = 12) {
  const fits = chartsSize(text, width, size), shown = chartsClip(text, width, fits);
  return sv("text", { ...attributes, "font-size": fits === size ? null : fits }, shown === text ? null : sv("title", {}, text), shown);
}

/**
 * As much of a word as fits into a width, a sign at least; the signs that are left.
 * @param {string} word
 * @param {number} width
 * @param {number} size
 * @param {number} weight
 */
function chartsBroken(word, width, size, weight) {
  const signs = Array.from(word);
  let fits = signs.length;
  while (fits > 1 && chartsWide(signs.slice(0, fits).join(""), size, weight) > width) fits--;
  return [signs.slice(0, fits).join(""), signs.slice(fits).join("")];
}

/**
 * A text in lines of a width; words that are longer than a line are broken. Of more than `most` lines the last is cut.
 * @param {string} text
 * @param {number} width
 * @param {number} [size]
 * @param {number} [most]
 * @param {number} [weight]
 */
export function chartsLines(text, width, size = 12, most = 5, weight = 400) {
  const found = [], words = flat(text).slice(0, 400).split(" ");
  while (words.length && found.length < most - 1) {
    const [first, rest] = chartsBroken(words.shift() ?? "", width, size, weight);
    let line = first;
    if (rest) words.unshift(rest);
    else while (words.length && chartsWide(`${line} ${words[0]}`, size, weight) <= width) line += ` ${words.shift()}`;
    found.push(line);
  }
  if (words.length) found.push(chartsClip(words.join(" "), width, size, weight));
  return found;
}

/**
 * How far texts reach beyond the edges of a picture, in its own units; nothing where it is not seen.
 * @param {SVGSVGElement} svg
 */
function chartsBeyond(svg) {
  const all = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / all.width;
  const most = [0, 0, 0, 0]; // left, top, right, bottom
  if (!all.width) return most;
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (!box.width) continue;
    [all.left - box.left, all.top - box.top, box.right - all.right, box.bottom - all.bottom].forEach((one, side) => {
      most[side] = Math.max(most[side], one * scale);
    });
  }
  return most.map((one) => (one > 0.5 ? Math.ceil(one) : 0));
}

/**
 * Make a picture hold what reaches beyond it: its contents become a little smaller.
 * @param {SVGSVGElement} svg
 * @param {number[]} options
 */
function chartsHold(svg, [left, top, right, bottom]) {
  if (!(left + top + right + bottom)) return;
  const box = svg.viewBox.baseVal, wide = box.width + left + right, tall = box.height + top + bottom;
  svg.setAttribute("viewBox", `${box.x - left} ${box.y - top} ${wide} ${tall}`);
  svg.setAttribute("height", String((Number(svg.getAttribute("width")) * tall) / wide));
}

/** @type {Map<HTMLElement, () => void> | null} */
let chartsWaiting = null;

/**
 * Draw pictures, all of them before any is measured: one layout for all.
 * @param {[holder: HTMLElement, draw: () => void][]} pictures
 */
export function chartsNow(pictures) {
  for (const [, draw] of pictures) draw();
  const drawn = pictures.map(([one]) => /** @type {SVGSVGElement} */ (one.firstElementChild)), found = drawn.map(chartsBeyond);
  drawn.forEach((svg, i) => chartsHold(svg, found[i]));
}

/**
 * Draw a picture that has got another room, with all others of which that is so.
 * @param {HTMLElement} holder
 * @param {() => void} redraw
 */
export function chartsSoon(holder, redraw) {
  if (!chartsWaiting) {
    chartsWaiting = new Map();
    requestAnimationFrame(() => {
      const now = [...(chartsWaiting ?? [])];
      chartsWaiting = null;
      chartsNow(now);
    });
  }
  chartsWaiting.set(holder, redraw);
}
