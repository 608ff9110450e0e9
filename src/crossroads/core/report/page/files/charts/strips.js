// @ts-check
// Strips: one dot for each model on one line, every dot with its name, ours in another shape below the line.

import { sv } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { chartsAxis, chartsDot, chartsFigure, chartsImage, chartsScale } from "./charts.js";
import { chartsClip, chartsLines, chartsReach, chartsWide } from "./lettering.js";
import { PLOT_DIAMOND, PLOT_DISC } from "./plots.js";

const STRIP_TYPE = 11.5, STRIP_LANE = 15, STRIP_GAP = 6, STRIP_END = 2; // sets of equal length have no d beyond 2

/**
 * @typedef {{ name: string, value: number, hollow?: boolean, ours?: boolean, title?: string }} StripPoint
 * @typedef {{ x: number, left: number, lane: number, text: string, point: StripPoint }} StripFlag
 */

/**
 * The names of dots with their widths, from left to right.
 * @param {StripPoint[]} points
 * @param {number} most
 * @param {number} weight
 */
const stripNames = (points, most, weight) => [...points].sort((a, b) => a.value - b.value).map((point) => {
  const value = ` ${fixed(point.value)}`, text = chartsClip(point.name, most - chartsWide(value, STRIP_TYPE, weight), STRIP_TYPE, weight) + value;
  return { point, text, wide: chartsWide(text, STRIP_TYPE, weight) };
});

/** @typedef {ReturnType<typeof stripNames>} StripNames */

/**
 * A place for every name: to the left of a line that leads from its dot to a lane above those of all dots that it passes over, so that
 * no line goes through a name and no name lies on another.
 * @param {StripNames} names
 * @param {Scale} at
 * @returns {StripFlag[]}
 */
function stripFlags(names, at) {
  /** @type {StripFlag[]} */
  const placed = [];
  for (const { point, text, wide } of names) {
    const x = at(point.value), left = x - 4 - wide;
    const lane = placed.reduce((above, one) => (one.x > left - STRIP_GAP ? Math.max(above, one.lane + 1) : above), 0);
    placed.push({ x, left, lane, text, point });
  }
  return placed;
}

/**
 * How far the axis must stand from the left edge, so that all names have room next to their dots.
 * @param {StripNames} names
 * @param {{ low: number, high: number, width: number }} options
 */
function stripMargin(names, { low, high, width }) {
  const right = width - 12;
  // x = m + s (right − m) for a value at the share s of the axis; x − 4 − wide ≥ 2
  return names.reduce((most, { point, wide }) => {
    const share = (point.value - low) / (high - low);
    return share < 1 ? Math.max(most, (wide + 6 - share * right) / (1 - share)) : most;
  }, 12);
}

/**
 * One strip: names of other models above the line, ours below it.
 *   points   [{name, value, hollow?, ours?, title?}]
 *   beside    points of all strips that stand together, which share one axis
 *   poles    what lies at either end: [left, right]
 * @param {{ points: StripPoint[], beside?: StripPoint[], poles: [string, string], label: string }} options
 */
export function stripChart({ points, beside = points, poles, label }) {
  const high = 1.02 * beside.reduce((most, one) => Math.max(most, Math.abs(one.value)), STRIP_END), low = -high;
  /** @param {number} width */
  const draw = (width) => {
    const { above, below } = chartsReach(STRIP_TYPE), most = width * 0.6;
    /** @param {StripPoint[]} some */
    const named = (some) => [stripNames(some.filter((one) => !one.ours), most, 400), stripNames(some.filter((one) => one.ours), most, 700)];
    const at = chartsScale(low, high, stripMargin(named(beside).flat(), { low, high, width }), width - 12), [over, under] = named(points).map((some) => stripFlags(some, at));
    /** @param {StripFlag[]} flags */
    const lanes = (flags) => Math.max(0, ...flags.map((one) => one.lane + 1));
    const line = 8 + above + lanes(over) * STRIP_LANE, bottom = line + 14 + lanes(under) * STRIP_LANE + below;
    /**
     * @param {StripFlag} one
     * @param {1 | -1} up
     */
    const flag = ({ x, left, lane, text, point }, up) => {
      const y = up > 0 ? line - 12 - lane * STRIP_LANE : line + 11 + above + lane * STRIP_LANE;
      return sv("g", { class: point.ours ? "ours" : null }, sv("title", {}, point.title ?? text),
        sv("path", { class: "leader", d: `M${x} ${line}V${up > 0 ? y - above + 4 : y}` }),
        sv("text", { x: left, y, "font-size": STRIP_TYPE, "font-weight": up > 0 ? null : 700 }, text));
    };
    /** @param {StripFlag} one */
    const dot = ({ x, point }) => chartsDot(point.ours ? PLOT_DIAMOND : PLOT_DISC, x, line, point.ours ? "ours" : "", point.hollow);
    const half = width / 2 - 10, ends = [`\u2190 ${flat(poles[0])}`, `${flat(poles[1])} \u2192`].map((text) => chartsLines(text, half, STRIP_TYPE, 4));
    const deep = Math.max(...ends.map((lines) => lines.length)) * STRIP_LANE, first = bottom + 20 + above;
    const svg = chartsImage(width, first + deep - STRIP_LANE + below + 2, label,
      chartsAxis({ low, high, at, y: bottom, top: line - 6, wanted: width < 460 ? 4 : 8 }),
      sv("line", { x1: at(low), x2: at(high), y1: line, y2: line, class: "grid" }),
      over.map((one) => flag(one, 1)), under.map((one) => flag(one, -1)), over.map(dot), under.map(dot),
      ends.map((lines, i) => sv("text", { class: "second", "font-size": STRIP_TYPE, "text-anchor": i ? "end" : "start" }, sv("title", {}, flat(poles[i])),
        lines.map((text, k) => sv("tspan", { x: i ? width - 4 : 4, y: first + STRIP_LANE * k }, text)))));
    svg.classList.add("strip");
    return svg;
  };
  return chartsFigure({ draw });
}
