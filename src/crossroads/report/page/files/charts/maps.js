// @ts-check
// EAT-Maps: which of two targets is associated with which of two attributes.

import { el, sv } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { PATTERNS } from "../statistics/statistics.js";
import { chartsImage } from "./charts.js";
import { chartsLines, chartsReach, chartsSize, chartsWide } from "./lettering.js";

/**
 * What an EAT-Map shows, in words.
 * @param {Titles} titles
 * @param {string} pattern
 * @param {Json} level2
 */
function eatSentence(titles, pattern, level2) {
  const leaning = PATTERNS[pattern] ?? [null, null];
  return ["x", "y"].map((key, i) => {
    const d = level2?.[key]?.effect_size;
    const size = Number.isFinite(d) ? ` (d = ${fixed(d)})` : "";
    return leaning[i] ? `${flat(titles[key])}: associated with ${flat(titles[leaning[i]])}${size}`
      : `${flat(titles[key])}: no leaning found${size}`;
  }).join("; ");
}

/**
 * One cell of an EAT-Map.
 * @param {{ x: number, y: number, wide: number, tall: number, on: boolean, d: number, mini: boolean }} options
 */
function eatCell({ x, y, wide, tall, on, d, mini }) {
  const text = mini ? "*" : Number.isFinite(d) ? `${fixed(d)} *` : "*";
  return sv("g", {},
    sv("rect", { x: x + 1, y: y + 1, width: wide - 2, height: tall - 2, class: on ? "associated" : "apart" }),
    on && sv("text", { x: x + wide / 2, y: y + tall / 2 + (mini ? 6 : 5), "text-anchor": "middle", class: "on", "font-weight": 600,
      "font-size": mini ? 15 : chartsSize(text, wide - 6, 13, 600) }, text));
}

const EAT_LINES = 3;
const EAT_STRETCHES = [1, 1.2, 1.4, 1.6];

/**
 * [size of type, height of a cell over its width], the best first: cells become taller before type becomes hard to read.
 * @type {number[][]}
 */
const EAT_LAYOUTS = [[12, 11], [10.5], [9]].flatMap((types) => EAT_STRETCHES.flatMap((stretch) => types.map((type) => [type, stretch])));

/**
 * The titles in lines and the sides of a cell, with type of a size and cells taller than wide by so much.
 * @param {Titles} titles
 * @param {number} size
 * @param {number} type
 * @param {number} stretch
 */
function eatLaid(titles, size, type, stretch) {
  const line = type * 1.2, tall = size * stretch, beside = ["a", "b"].map((key) => chartsLines(titles[key], tall - 4, type));
  const over = Math.max(line - 2, chartsReach(type).above); // what the first line needs above its baseline
  /** @param {string[][]} titles */
  const deep = (titles) => 6 + over + line * (Math.max(...titles.map((lines) => lines.length)) - 1);
  const left = deep(beside), room = size + 14 - left / 2;
  const longest = Math.max(...[titles.x, titles.y].flatMap((title) => flat(title).slice(0, 400).split(" ")).map((word) => chartsWide(word, type)));
  const wide = Math.max(46, Math.min(Math.max(size, longest + 4.5), room)), above = ["x", "y"].map((key) => chartsLines(titles[key], wide - 4, type));
  const all = [...beside, ...above];
  const whole = ["a", "b", "x", "y"].every((key, i) => all[i].join(" ") === flat(titles[key]));
  return { type, line, tall, wide, left, above, beside, top: deep(above), whole,
    short: all.every((lines) => lines.length <= EAT_LINES) };
}

/**
 * The first layout in which every title stands whole, in few lines if there is one.
 * @param {Titles} titles
 * @param {number} size
 */
function eatLayout(titles, size) {
  const tried = [];
  for (const [type, stretch] of EAT_LAYOUTS) {
    const found = eatLaid(titles, size, type, stretch);
    if (found.whole && found.short) return found;
    tried.push(found);
  }
  return tried.find((one) => one.whole) ?? tried[tried.length - 1];
}

/**
 * An EAT-Map: columns X and Y, rows A and B. Associated cells are red, framed and starred, with the Level 2
 * effect size; the others are grey.
 *   titles    {x, y, a, b}
 *   pattern   its name; says which cells are associated
 *   level2    {x: {effect_size}, y: {effect_size}}, or nothing for stars alone
 *   size      side of a cell (default 76), which long titles make taller and narrower; below 40 there is room for letters only
 * @param {{ titles: Titles, pattern: string, level2?: Json, caption?: string, size?: number }} options
 */
export function eatMap({ titles, pattern, level2, caption, size = 76 }) {
  const leaning = PATTERNS[pattern] ?? [null, null], mini = size < 40;
  const { type, line, tall, wide, left, top, above, beside } = mini ? { ...eatLaid(titles, size, 11, 1), wide: size } : eatLayout(titles, size);
  const heads = above.map((lines, i) => sv("text", { "text-anchor": "middle", "font-size": type }, sv("title", {}, flat(titles["xy"[i]])),
    lines.map((text, k) => sv("tspan", { x: left + wide * (i + 0.5), y: top - 5 - line * (lines.length - 1 - k) }, text))));
  const sides = beside.map((lines, i) => lines.map((text, k) => {
    const x = left - 6 - line * (lines.length - 1 - k), y = top + tall * (i + 0.5);
    const turned = mini ? { x, y: y + 4 } : { x, y, transform: `rotate(-90 ${x} ${y})` };
    return sv("text", { ...turned, "text-anchor": "middle", "font-size": type }, sv("title", {}, flat(titles["ab"[i]])), text);
  }));
  // what is associated is drawn last, so that its frame lies on top
  const cells = ["a", "b"].flatMap((attribute, row) => ["x", "y"].map((target, column) => ({
    x: left + column * wide, y: top + row * tall, wide, tall, mini: mini || !level2, on: leaning[column] === attribute,
    d: level2?.[target]?.effect_size,
  }))).sort((one, other) => Number(one.on) - Number(other.on));
  const svg = chartsImage(Math.ceil(left + 2 * wide + 2), Math.ceil(top + 2 * tall + 2),
    `EAT-Map, ${pattern}. ${eatSentence(titles, pattern, level2)}.`,
    heads, sides, cells.map(eatCell));
  svg.classList.add("eat-map");
  return el("figure", { class: "eat" }, svg, caption && el("figcaption", {}, caption));
}
