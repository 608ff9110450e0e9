// @ts-check
// Strips: one dot for each model on one line, every dot with its name, ours in another shape below the line.

import { sv } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { chartsAxis, chartsDot, chartsFigure, chartsImage, chartsScale } from "./charts.js";
import { chartsClip, chartsName, chartsReach, chartsWide } from "./lettering.js";
import { PLOT_DIAMOND, PLOT_DISC } from "./plots.js";

const STRIP_TYPE = 11.5, STRIP_LANE = 15, STRIP_GAP = 5;

/**
 * @typedef {{ name: string, value: number, hollow?: boolean, ours?: boolean, title?: string }} StripPoint
 * @typedef {{ left: number, right: number, lane: number, x: number, side: 1 | -1, text: string, point: StripPoint }} StripFlag
 */

/**
 * Whether a name and the line that leads to it are clear of others.
 * @param {StripFlag} one
 * @param {StripFlag[]} placed
 */
const stripFree = (one, placed) => placed.every((other) => {
  const apart = one.right + STRIP_GAP <= other.left || other.right + STRIP_GAP <= one.left;
  /**
   * Whether the line to a name in a higher lane goes through a lower name.
   * @param {StripFlag} line
   * @param {StripFlag} name
   */
  const through = (line, name) => line.lane > name.lane && line.x > name.left - 3 && line.x < name.right + 3;
  return (one.lane !== other.lane || apart) && !through(one, other) && !through(other, one);
});

/**
 * A place for the name of every dot: beside a line that goes up from it, in the lowest lane where nothing is in the way.
 * @param {StripPoint[]} points
 * @param {Scale} at
 * @param {number} width
 * @param {number} weight
 */
function stripFlags(points, at, width, weight = 400) {
  const middle = width / 2, sorted = [...points].sort((a, b) => a.value - b.value);
  // names lead away from the nearer edge; those that start nearest to the middle stand lowest
  const order = [...sorted.filter((one) => at(one.value) < middle).reverse(), ...sorted.filter((one) => at(one.value) >= middle)];
  /** @type {StripFlag[]} */
  const placed = [];
  for (const point of order) {
    const x = at(point.value), text = chartsClip(`${flat(point.name)} ${fixed(point.value)}`, width - 24, STRIP_TYPE, weight), wide = chartsWide(text, STRIP_TYPE, weight);
    const nearer = x >= middle ? -1 : 1, sides = /** @type {(1 | -1)[]} */ ([nearer, -nearer]);
    const shapes = sides.map((side) => (side > 0 ? { side, left: x + 4, right: x + 4 + wide } : { side, left: x - 4 - wide, right: x - 4 }));
    const within = shapes.filter((one) => one.left >= 2 && one.right <= width - 2);
    const tried = within.length ? within : [{ side: /** @type {1 | -1} */ (1), left: Math.max(2, Math.min(x - wide / 2, width - 2 - wide)), right: 0 }];
    for (let lane = 0; ; lane++) {
      const found = tried.map((one) => ({ ...one, right: one.left + wide, lane, x, text, point })).find((one) => stripFree(one, placed));
      if (found || lane > 60) {
        placed.push(found ?? { ...tried[0], right: tried[0].left + wide, lane, x, text, point });
        break;
      }
    }
  }
  return placed;
}

/**
 * One strip: names of other models above the line, ours below it.
 *   points   [{name, value, hollow?, ours?, title?}]
 *   ends     of the axis, the same for strips that stand together
 *   poles    what lies at either end: [left, right]
 * @param {{ points: StripPoint[], ends: [number, number], poles: [string, string], label: string, caption?: string }} options
 */
export function stripChart({ points, ends: [low, high], poles, label, caption }) {
  /** @param {number} width */
  const draw = (width) => {
    const at = chartsScale(low, high, 12, width - 12), { above, below } = chartsReach(STRIP_TYPE);
    const over = stripFlags(points.filter((one) => !one.ours), at, width), under = stripFlags(points.filter((one) => one.ours), at, width, 700);
    /** @param {StripFlag[]} flags */
    const lanes = (flags) => Math.max(0, ...flags.map((one) => one.lane + 1));
    const line = 8 + above + lanes(over) * STRIP_LANE, bottom = line + 14 + lanes(under) * STRIP_LANE + below;
    /**
     * @param {StripFlag} one
     * @param {1 | -1} up
     */
    const flag = ({ x, left, lane, text, point }, up) => {
      const y = up > 0 ? line - 12 - lane * STRIP_LANE : line + 11 + above + lane * STRIP_LANE;
      return sv("g", {}, sv("title", {}, point.title ?? text),
        sv("path", { class: "leader", d: `M${x} ${line}V${up > 0 ? y - above + 4 : y}` }),
        sv("text", { x: left, y, "font-size": STRIP_TYPE, "font-weight": up > 0 ? null : 700 }, text));
    };
    /** @param {StripFlag} one */
    const dot = ({ x, point }) => chartsDot(point.ours ? PLOT_DIAMOND : PLOT_DISC, x, line, point.ours ? "ours" : "", point.hollow);
    const half = width / 2 - 8;
    const svg = chartsImage(width, bottom + 22 + above + below, label,
      chartsAxis({ low, high, at, y: bottom, top: line - 6, wanted: width < 460 ? 4 : 8 }),
      sv("line", { x1: at(low), x2: at(high), y1: line, y2: line, class: "grid" }),
      over.map((one) => flag(one, 1)), under.map((one) => flag(one, -1)), over.map(dot), under.map(dot),
      chartsName(`\u2190 ${poles[0]}`, half, { x: 4, y: bottom + 20 + above, class: "second" }, STRIP_TYPE),
      chartsName(`${poles[1]} \u2192`, half, { x: width - 4, y: bottom + 20 + above, "text-anchor": "end", class: "second" }, STRIP_TYPE));
    svg.classList.add("strip");
    return svg;
  };
  return chartsFigure({ draw, caption });
}
