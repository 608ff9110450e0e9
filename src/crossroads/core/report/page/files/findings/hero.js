// @ts-check
// The chart that carries the argument: every difference with its interval, what is compared on the left, what the
// two sides mean at both ends of each row. plots/association/forest.py draws the same by the same rules.

import { chartsAxis, chartsDot, chartsFigure, chartsImage, chartsScale, chartsSpan } from "../charts/charts.js";
import { chartsClip, chartsLines, chartsWide, chartsWidest } from "../charts/lettering.js";
import { apart, el, sv } from "../parts/elements.js";
import { casesOf, chanceWords, fixed, shareAt } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { conclusionAxis, conclusionEnds, conclusionGroups, conclusionLink, concluded, conclusionsDrawn } from "./conclusions.js";

const MOST = 60;
const HEAD = 24;

/**
 * As much of a text as there is room for; a name of right-to-left words that is cut off stays apart.
 * @param {string} text
 * @param {number} room
 */
function heroClip(text, room) {
  const cut = chartsClip(text, room);
  return cut.split("\u2068").length > cut.split("\u2069").length ? `${cut}\u2069` : cut;
}

/**
 * What a row is about, in one line or two, its name small and grey after the first.
 * @param {string[]} lines
 * @param {string} name
 * @param {number} room
 * @param {{ x: number, y: number, "text-anchor"?: string }} place
 */
function heroLabel(lines, name, room, place) {
  const small = chartsClip(name, room * 0.4, 10), wide = chartsWide(small, 10) + 6;
  return lines.map((text, i) => sv("text", { ...place, y: place.y + (i - (lines.length - 1) / 2) * 14, class: "row-label" },
    heroClip(text, room - (i ? 0 : wide)), i ? null : sv("tspan", { class: "second", "font-size": 10, dx: 6 }, apart(small))));
}

/**
 * One row: what is compared, both poles, interval and dot; over all of it lies a link, which says it in words.
 * @param {HeroRow} row
 * @param {number} y
 * @param {{ at: Scale, left: number, pole: number, right: number, width: number, narrow: boolean }} sizes
 */
function heroRow(row, y, { at, left, pole, right, width, narrow }) {
  const middle = narrow ? y + 26 : y, first = apart(row.label), second = row.rival ? `vs ${apart(flat(row.rival))}` : "";
  const [low, high] = row.poles.map((text) => chartsLines(text, pole - 8, 11, 2));
  /**
   * @param {string[]} some
   * @param {Attributes} place
   */
  const beside = (some, place) => some.map((text, i) =>
    sv("text", { ...place, y: middle + 4 + (i - (some.length - 1) / 2) * 12, class: "second", "font-size": 11 }, text));
  const hit = sv("rect", { x: 0, y: narrow ? y - 10 : y - 16, width, height: narrow ? 46 : 32, class: "hit" }, sv("title", {}, row.title));
  return sv("g", { class: "hero-row" },
    narrow ? heroLabel([[first, second].filter(Boolean).join(", ")], row.name, width - 8, { x: 2, y: y + 4 })
      : heroLabel([first, second].filter(Boolean), row.name, left - 14, { x: left - 10, y: y + 4, "text-anchor": "end" }),
    beside(low, { x: left + pole - 6, "text-anchor": "end" }), beside(high, { x: right + 6 }),
    Number.isFinite(row.low) && Number.isFinite(row.high) && sv("path", { class: "interval", d: `M${at(row.low)} ${middle}H${at(row.high)}` }),
    Number.isFinite(row.value) && chartsDot(0, at(row.value), middle, row.held ? "strong" : "", !row.held),
    row.href ? sv("a", { href: row.href, class: "row", "aria-label": row.title }, hit) : hit);
}

/**
 * The rows of a chart, with headings of their statuses, at a width.
 * @param {[heading: string, rows: HeroRow[]][]} groups
 * @param {string} axis
 * @param {number[]} ends of the scale, where it has any
 * @param {number} middle where neither pole is closer; NaN where it is not the same in all rows
 * @param {string} label
 * @param {number} width
 */
function heroImage(groups, axis, ends, middle, label, width) {
  const rows = groups.flatMap(([, some]) => some), narrow = width < 520, step = narrow ? 52 : 32;
  const pole = Math.min(narrow ? width * 0.24 : Math.max(84, width * 0.155), 10 + chartsWidest(rows.flatMap((row) => row.poles), 11));
  const left = narrow ? 0 : Math.min(width * 0.33, 70 + chartsWidest(rows.map((row) => row.label), 12));
  const right = width - pole, [from, to] = chartsSpan([middle, ...ends, ...rows.flatMap((row) => [row.value, row.low, row.high])]);
  const at = chartsScale(from, to, left + pole + 4, right - 4), drawn = [];
  let y = 4;
  for (const [heading, some] of groups) {
    for (const line of chartsLines(heading, width - 4, 12, 2, 600)) {
      drawn.push(sv("text", { x: 2, y: y + 14, class: "heading", "font-weight": 600 }, line));
      y += 16;
    }
    y += HEAD - 16;
    for (const row of some) {
      drawn.push(heroRow(row, y + (narrow ? 8 : 14), { at, left, pole, right, width, narrow }));
      y += step;
    }
  }
  if (middle) drawn.unshift(sv("line", { x1: at(middle), x2: at(middle), y1: 4, y2: y + 2, class: "zero" })); // the axis has that of 0
  const image = chartsImage(width, y + 40, label, chartsAxis({ low: from, high: to, at, y: y + 2, top: 4, title: axis, wanted: narrow ? 3 : 4 }), drawn);
  image.setAttribute("role", "group"); // it has links, which an image cannot have
  return image;
}

/**
 * The chart of all results on one scale.
 * @param {Context} context
 * @param {Conclusion[]} all
 */
export function heroChart(context, all) {
  const scales = [...new Set(all.filter((one) => Number.isFinite(concluded(context, one, "value"))).map((one) => one.scale))];
  const scale = scales.includes("\u0394") ? "\u0394" : scales[0], some = all.filter((one) => one.scale === scale).slice(0, MOST);
  if (scale === undefined) return null;
  const groups = conclusionGroups(context, some).map(({ status, heading, some: mine }) => /** @type {[string, HeroRow[]]} */ ([heading,
    mine.map((one) => {
      const [value, low, high, chance] = ["value", "low", "high", "chance"].map((role) => concluded(context, one, role));
      const sure = Number.isFinite(chance) ? `${chanceWords(context.data.phrases, chance, `${casesOf(chance)} of 100`, one.drawn).join("")}; ` : "";
      return { label: one.subject, rival: one.rival, name: one.name, poles: one.poles, value, low, high, held: status === "holds", href: conclusionLink(context, one),
        title: `${flat(one.subject)}${one.rival ? `, compared with ${flat(one.rival)}` : ""}: ${sure}${scale} = ${fixed(value, 3)}${Number.isFinite(low) ? `, ${fixed(low, 3)} to ${fixed(high, 3)}` : ""}; `
          + `${heading.toLowerCase()} (${flat(one.name)})` };
    })]));
  const axis = scale === "\u0394" ? "difference \u0394 of the mean cosines" : conclusionAxis(scale) ?? String(scale);
  const held = some.filter((one) => one.status === "holds").length, drawn = conclusionsDrawn(some);
  const middle = some.every((one) => one.middle === some[0].middle) ? some[0].middle : NaN;
  const lies = some.some((one) => one.rival) ? "To the right, the first group is closer to what is named there, relative to what is named on the left, than the second group is" : "Where each lies between its two poles";
  const what = conclusionAxis(scale) ? "Scores" : middle === 0 ? "Differences" : "Values";
  const shares = [...new Set(some.filter((one) => one.at.low).map((one) => shareAt((one.of ?? context).document, one.at.low)).filter(Boolean))].sort();
  const agreeing = ["", "95\u202f%"].includes(shares.join()) ? "" : ", at the level that agrees with the p-values adjusted for the number of tests";
  return el("div", { class: "hero" }, chartsFigure({ most: 860,
    draw: (width) => heroImage(groups, axis, conclusionEnds(scale), middle, `${what} of ${some.length} tests with their intervals; ${held} have the answer yes for other ${drawn}.`, width),
    caption: `${lies}. Lines: ${shares.join(" or ")} intervals over the choice of ${drawn}${agreeing}. Filled: yes, beyond just these ${drawn}.` }));
}
