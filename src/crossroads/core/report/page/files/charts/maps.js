// @ts-check
// EAT-Maps: towards which of two attributes each of two targets lies, how far, and whether a leaning is found. The
// figures of the files are drawn by the same rules (plots/association/maps.py).

import { data } from "../parts/audits.js";
import { apart, el, sv } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { PATTERNS } from "../statistics/statistics.js";
import { chartsImage } from "./charts.js";
import { chartsLines, chartsReach, chartsWidest } from "./lettering.js";

const { leanings, differences, though, strengths } = data.phrases;

/**
 * A pattern in plain words: "only female names towards family".
 * @param {string} pattern
 * @param {Titles} titles
 * @returns {string}
 */
export const mapPattern = (pattern, titles) =>
  (leanings[pattern] ?? "").replace(/\{([xyab])\}/g, (/** @type {string} */ _, /** @type {Role} */ key) => apart(flat(titles[key])));

/**
 * The same as part of a line, with the name that the paper gives it.
 * @param {string} pattern
 * @param {Titles} titles
 */
export const mapNamed = (pattern, titles) => {
  const said = mapPattern(pattern, titles);
  return said ? [said, " ", el("span", { class: "paper-name" }, `(${pattern})`)] : [pattern];
};

/**
 * What is said of the difference of the two targets: `reach` is "others", "words" or "".
 * @param {string} reach
 * @param {string} [pattern]
 * @returns {string}
 */
export const mapDifference = (reach, pattern) => differences[reach].replace("{though}", pattern === "Non-Directional" ? though : "");

/**
 * The four cells: whether the target lies towards the attribute, whether it is found to lean there, the strength of the colour from
 * 0 to 3 (at most 2 where no leaning is found), and the size of d.
 * @param {string} pattern
 * @param {Json} [level2]
 */
function mapCells(pattern, level2) {
  const leaning = PATTERNS[pattern] ?? [null, null];
  return ["a", "b"].flatMap((side) => ["x", "y"].map((target, column) => {
    const d = level2?.[target]?.effect_size, known = Number.isFinite(d), found = leaning[column] === side;
    const towards = known ? (side === "a" ? d > 0 : d < 0) : found, size = known && towards ? Math.abs(d) : null;
    const step = size === null ? (found ? strengths.length : 0) : strengths.filter((/** @type {number} */ one) => size >= one).length;
    return { side, target, towards, found, size, step: found ? Math.max(1, step) : Math.min(step, strengths.length - 1) };
  }));
}

/** @typedef {ReturnType<typeof mapCells>[number]} MapCell */

/**
 * What an EAT-Map shows, in words.
 * @param {{ titles: Titles, pattern: string, cells: MapCell[], differ?: string }} options
 */
function mapSentence({ titles, pattern, cells, differ }) {
  const targets = ["x", "y"].map((key) => {
    const towards = cells.find((one) => one.target === key && one.towards), found = towards?.found;
    const far = towards ? ` (${towards.size === null ? "" : `${fixed(towards.size)} `}towards ${flat(titles[towards.side])})` : "";
    return `${flat(titles[key])}: ${found ? "association beyond these words" : "cannot tell yet"}${far}`;
  });
  const said = mapPattern(pattern, titles), difference = differ === undefined ? "" : ` ${mapDifference(differ, pattern)}.`.replace(/^ ./, (sign) => sign.toUpperCase());
  return `EAT-Map: ${said ? `${said} (${pattern})` : pattern}. ${targets.join("; ")}.${difference}`;
}

const MAP_TYPES = [11.5, 10.5, 10], MAP_LINES = 6, MAP_MARK = 11, MAP_WIDER = 1.25;

/**
 * A text in lines, and how well it stands there: 2 as it is, 1 with words broken, 0 cut.
 * @param {string} text
 * @param {number} wide
 * @param {number} type
 * @param {number} weight
 */
function mapFitted(text, wide, type, weight) {
  const lines = chartsLines(text, wide, type, MAP_LINES, weight), words = flat(text).split(" ");
  const whole = lines.join("").replaceAll(" ", "") === words.join(""), kept = lines.join(" ") === words.join(" ");
  return { lines, fit: whole && kept ? 2 : whole ? 1 : 0 };
}

/**
 * What a cell says, in lines: towards which attribute and how far, or the attribute alone.
 * @param {MapCell} cell
 * @param {Titles} titles
 * @param {number} wide
 * @param {number} type
 */
function mapText({ side, step, size, found }, titles, wide, type) {
  const title = flat(titles[side]), said = step ? `towards ${title}` : title, star = found ? " *" : "";
  const { lines, fit } = mapFitted(size === null ? said + star : said, wide - 8, type, found ? 700 : 400);
  return { lines: size === null ? lines : [...lines, `${fixed(size)}${star}`], fit };
}

/**
 * The largest type in which every text stands as it is; else that in which they fare best.
 * @param {MapCell[]} cells
 * @param {Titles} titles
 * @param {number} wide
 */
function mapLayout(cells, titles, wide) {
  const tried = MAP_TYPES.map((type) => {
    const texts = cells.map((cell) => mapText(cell, titles, wide, type)), heads = [titles.x, titles.y].map((title) => mapFitted(title, wide - 6, type, 600));
    return { type, texts: texts.map((one) => one.lines), heads: heads.map((one) => one.lines), fit: Math.min(...[...texts, ...heads].map((one) => one.fit)) };
  });
  return tried.reduce((best, one) => (one.fit > best.fit ? one : best));
}

/**
 * The width of a cell in which no word need be broken, within limits.
 * @param {Titles} titles
 * @param {number} size
 */
const mapWide = (titles, size) => {
  const words = Object.values(titles).flatMap((title) => flat(title).slice(0, 400).split(" "));
  return Math.min(size * MAP_WIDER, Math.max(size, 9 + chartsWidest(words, MAP_TYPES[MAP_TYPES.length - 1], 700)));
};

/**
 * Lines of type around a middle.
 * @param {string[]} lines
 * @param {number} x
 * @param {number} middle
 * @param {number} type
 */
const mapLines = (lines, x, middle, type) =>
  lines.map((text, i) => sv("tspan", { x, y: middle + type * (0.36 + 1.2 * (i - (lines.length - 1) / 2)) }, text));

/**
 * A sign of inequality where the two targets differ; dashed where other words might not show it.
 * @param {string} differ
 * @param {string} pattern
 * @param {number} x
 * @param {number} y
 */
const mapMark = (differ, pattern, x, y) => sv("g", { class: `differ ${differ}` }, sv("title", {}, mapDifference(differ, pattern)),
  sv("circle", { cx: x, cy: y, r: MAP_MARK }), sv("text", { x, y: y + 5.5, "text-anchor": "middle", "font-size": 16, "font-weight": 700 }, "\u2260"));

/**
 * An EAT-Map: a column for each target, a row for each attribute. A cell is the stronger in colour the further its target lies
 * towards its attribute; leanings that are found are framed and starred, the others dashed.
 *   titles    {x, y, a, b}
 *   pattern   its name; says which leanings are found
 *   level2    {x: {effect_size}, y: {effect_size}}, or nothing to show the pattern alone
 *   differ    "others", "words" or "" as in `mapDifference`; nothing where it is not known
 *   size      width of a cell, which long words make a little wider
 * @param {{ titles: Titles, pattern: string, level2?: Json, differ?: string, caption?: Child, size?: number }} options
 */
export function eatMap({ titles, pattern, level2, differ, caption, size = 88 }) {
  const cells = mapCells(pattern, level2), wide = mapWide(titles, size), { type, texts, heads } = mapLayout(cells, titles, wide), line = type * 1.2;
  const top = 4 + Math.max(...heads.map((lines) => lines.length)) * line + chartsReach(type).below;
  const tall = Math.max(wide * 0.6, Math.max(...texts.map((lines) => lines.length)) * line + 2 * MAP_MARK + 2);
  const names = heads.map((lines, i) => sv("text", { class: "head", "text-anchor": "middle", "font-size": type, "font-weight": 600 },
    sv("title", {}, flat(titles["xy"[i]])),
    lines.map((text, k) => sv("tspan", { x: 1 + wide * (i + 0.5), y: top - chartsReach(type).below - 1 - line * (lines.length - 1 - k) }, text))));
  const drawn = cells.map((cell, i) => {
    const x = 1 + wide * "xy".indexOf(cell.target), y = top + tall * "ab".indexOf(cell.side);
    const look = `cell ${cell.side}${cell.step}${cell.found ? " found" : ""}`;
    return { cell, node: sv("g", { class: look, "data-cell": cell.side + cell.target },
      sv("rect", { x: x + 2, y: y + 2, width: wide - 4, height: tall - 4, "stroke-dasharray": cell.step && !cell.found ? "4 3" : null }),
      sv("text", { "text-anchor": "middle", "font-size": type, "font-weight": cell.found ? 700 : null }, sv("title", {}, flat(titles[cell.side])),
        mapLines(texts[i], x + wide / 2, y + tall / 2, type))) };
  });
  drawn.sort((one, other) => Number(one.cell.found) - Number(other.cell.found)); // frames lie on top
  const svg = chartsImage(Math.ceil(2 * wide + 2), Math.ceil(top + 2 * tall + 2), mapSentence({ titles, pattern, cells, differ }),
    names, drawn.map((one) => one.node), differ && mapMark(differ, pattern, 1 + wide, top + tall));
  svg.classList.add("eat-map");
  return el("figure", { class: "eat" }, svg, caption && el("figcaption", {}, caption));
}
