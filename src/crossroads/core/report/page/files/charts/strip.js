// @ts-check
// A strip: all words of two groups on one axis, the first group above it and the second below, with the means of both
// and their difference between them. Words are buttons where something can be done with them.

import { sv } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { chartsAxis, chartsDot, chartsScale, chartsSpan } from "./charts.js";
import { chartsClip, chartsWide } from "./lettering.js";

const STRIP_ROW = 25, STRIP_BAND = 58, STRIP_TYPE = 12.5;
/** Of longer groups, both ends are drawn. */
export const STRIP_MOST = 40;

/**
 * The words of a group that are drawn, lowest first.
 * @param {StripGroup} group
 */
export function stripShown({ words }) {
  const sorted = words.filter((one) => Number.isFinite(one.value)).sort((one, other) => one.value - other.value);
  if (sorted.length <= STRIP_MOST) return sorted;
  const ends = new Set([...sorted.slice(0, STRIP_MOST / 2), ...sorted.slice(-STRIP_MOST / 2)]);
  return sorted.filter((one) => ends.has(one) || one.chosen);
}

/**
 * Where each word stands: in the first row in which it touches no other, with its name on the side where there is room.
 * @param {StripWord[]} words
 * @param {Scale} at
 * @param {number} width
 */
function stripPlaces(words, at, width) {
  /** @type {number[]} */
  const ends = []; // of each row, how far it is taken
  const places = words.map((one) => {
    const text = chartsClip(one.state === "new" ? `+ ${flat(one.word)}` : one.word, Math.min(200, width * 0.4), STRIP_TYPE), x = at(one.value);
    const wide = chartsWide(text, STRIP_TYPE) + 14, before = x + wide > width - 2;
    const [from, to] = before ? [x - wide, x + 9] : [x - 9, x + wide];
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = to;
    return { one, text, x, row, before, from, to };
  });
  return { places, rows: Math.max(1, ends.length) };
}

/**
 * One word: its dot, its name, and room to point at.
 * @param {ReturnType<typeof stripPlaces>["places"][number]} place
 * @param {{ group: StripGroup, shape: number, y: number, acts: StripActs | null, first: boolean }} options
 */
function stripWord({ one, text, x, before, from, to }, { group, shape, y, acts, first }) {
  const out = one.state === "out", about = `${flat(one.word)}, ${flat(group.title)}: ${fixed(one.value, 3)}${out ? ", taken out" : one.state === "new" ? ", added" : ""}`;
  const able = acts && {
    role: "button", tabindex: one.chosen || first ? 0 : -1, "aria-label": about, "aria-pressed": String(Boolean(one.chosen)), "data-key": `${group.role} ${one.word}`,
    onclick: () => acts.choose(group.role, one.word), onkeydown: (/** @type {KeyboardEvent} */ e) => acts.key(e, group.role, one.word),
  };
  return sv("g", { class: `strip-word ${one.state}${one.chosen ? " chosen" : ""}`, ...able }, sv("title", {}, about),
    sv("rect", { class: "room", x: from, y: y - STRIP_ROW / 2, width: Math.max(STRIP_ROW, to - from), height: STRIP_ROW, rx: 5 }),
    chartsDot(shape, x, y, group.role, out),
    sv("text", { x: before ? x - 9 : x + 9, y: y + 4.2, "text-anchor": before ? "end" : "start", "font-size": STRIP_TYPE }, text));
}

/**
 * The means and what lies between them: the difference as a bar, and its interval from the mean of the second group.
 * @param {Strip} strip
 * @param {Scale} at
 * @param {number} y
 * @param {number} width
 */
function stripDifference({ groups: [first, second], difference, low, high }, at, y, width) {
  if (!Number.isFinite(first.mean) || !Number.isFinite(second.mean)) return null;
  const [a, b] = [at(first.mean), at(second.mean)], text = `\u0394 = ${fixed(difference, 3)}`, wide = chartsWide(text, 13, 600);
  const middle = Math.min(width - wide / 2 - 4, Math.max(wide / 2 + 4, (a + b) / 2));
  /**
   * @param {number} x
   * @param {string} role
   * @param {-1 | 1} side
   */
  const wedge = (x, role, side) => sv("path", { class: `dot ${role}`, d: `M${x} ${y}l-6 ${side * 11}h12Z` });
  return sv("g", { class: "strip-difference" },
    Number.isFinite(low) && Number.isFinite(high) && sv("path", { class: "interval",
      d: `M${at(second.mean + Number(low))} ${y + 20}H${at(second.mean + Number(high))}m0 -4v8M${at(second.mean + Number(low))} ${y + 16}v8` }),
    sv("line", { class: "effect", x1: a, x2: b, y1: y, y2: y }), wedge(a, first.role, -1), wedge(b, second.role, 1),
    sv("text", { class: "effect-size", x: middle, y: y - 14, "text-anchor": "middle", "font-size": 13, "font-weight": 600 }, text));
}

/**
 * A picture of a strip for a width; `acts` says what becomes of a word that is chosen.
 * @param {Strip} strip
 * @param {number} width
 * @param {StripActs | null} acts
 */
export function stripImage(strip, width, acts) {
  const { groups, poles, axis, label, low, high } = strip, words = groups.map(stripShown), [first, second] = groups;
  const ends = [low, high].map((end) => (Number.isFinite(end) && Number.isFinite(second.mean) ? second.mean + Number(end) : null));
  const [from, to] = chartsSpan([0, ...ends, ...groups.map((one) => one.mean), ...words.flatMap((some) => some.map((one) => one.value))]);
  const at = chartsScale(from, to, 14, width - 14), lanes = words.map((some) => stripPlaces(some, at, width));
  const top = 46, axisAt = top + lanes[0].rows * STRIP_ROW + STRIP_BAND / 2, below = axisAt + STRIP_BAND / 2 + 20, bottom = below + lanes[1].rows * STRIP_ROW + 8;
  /**
   * @param {StripGroup} group
   * @param {number} shape
   * @param {number} y
   */
  const head = (group, shape, y) => sv("g", { class: "strip-head" }, chartsDot(shape, 8, y - 4, group.role),
    sv("text", { x: 19, y, "font-weight": 600, "font-size": 13 }, sv("title", {}, flat(group.title)), chartsClip(`${flat(group.title)} (${group.words.filter((one) => one.state !== "out").length})`, width - 30, 13, 600)));
  /** @param {number} lane */
  const drawn = (lane) => lanes[lane].places.map((place, i) => stripWord(place, { group: groups[lane], shape: lane, acts, first: lane === 0 && i === 0 && !words.flat().some((one) => one.chosen),
    y: lane ? below + (place.row + 0.5) * STRIP_ROW : axisAt - STRIP_BAND / 2 - (place.row + 0.5) * STRIP_ROW }));
  /**
   * What an end of the axis stands for; in full where it is pointed at, if it had to be cut.
   * @param {string} name
   * @param {string} text
   * @param {Attributes} place
   */
  const pole = (name, text, place) => {
    const shown = chartsClip(text, width / 2 - 12, 13, 600);
    return sv("text", { class: "pole", y: 13, "font-size": 13, "font-weight": 600, ...place }, shown === text ? null : sv("title", {}, name), shown);
  };
  const [left, right] = poles.map(flat);
  return sv("svg", { class: "chart strip", viewBox: `0 0 ${width} ${bottom + 38}`, width, height: bottom + 38, role: acts ? "group" : "img", "aria-label": label, "font-size": 12 },
    chartsAxis({ low: from, high: to, at, y: bottom, top: 24, title: axis, wanted: width < 460 ? 4 : 7 }),
    pole(left, `\u2190 ${left}`, { x: 0 }), pole(right, `${right} \u2192`, { x: width, "text-anchor": "end" }),
    sv("line", { class: "strip-axis", x1: 0, x2: width, y1: axisAt, y2: axisAt }),
    groups.map((group, lane) => Number.isFinite(group.mean) && sv("line", { class: `mean ${group.role}`, x1: at(group.mean), x2: at(group.mean),
      y1: lane ? axisAt : top - 6, y2: lane ? bottom : axisAt })),
    head(first, 0, 36), head(second, 1, below - 6), drawn(0), drawn(1), stripDifference(strip, at, axisAt, width));
}
