// @ts-check
// Charts of the later sections, and the small parts that they share: rows with several marks, a ROC curve, a map
// of dissimilarities. They take plain values and return a <figure>; what they show stands in tables too.

import { el, sv } from "../parts/elements.js";
import { flat } from "../parts/tables.js";
import { chartsAxis, chartsDot, chartsFigure, chartsImage, chartsScale, chartsSpan } from "./charts.js";
import { chartsClip, chartsName, chartsReach, chartsWide, chartsWidest } from "./lettering.js";

export const PLOT_DISC = 0;
export const PLOT_SQUARE = 1;
export const PLOT_DIAMOND = 2;

/**
 * A text in a chart, cut to the room it has, whole in its title.
 * @param {string} text
 * @param {number} room
 * @param {Attributes} attributes
 * @param {number} [size]
 * @param {number} [weight]
 */
export const plotText = (text, room, attributes, size = 12, weight = 400) => {
  const shown = chartsClip(text, room, size, weight);
  return sv("text", { "font-size": size, ...attributes }, shown === flat(text) ? null : sv("title", {}, flat(text)), shown);
};

/**
 * What the marks mean: [{shape, set, hollow, line, ring, text}].
 * @param {KeyEntry[]} entries
 */
const plotKey = (entries) =>
  el(
    "ul",
    { class: "key" },
    entries.map((one) =>
      el(
        "li",
        {},
        sv(
          "svg",
          { width: 20, height: 16, viewBox: "0 0 20 16", "aria-hidden": "true" },
          one.line
            ? sv("line", { x1: 10, x2: 10, y1: 1, y2: 15, class: `limit ${one.line}` })
            : one.ring
              ? sv("circle", { cx: 10, cy: 8, r: 6, class: "ring" })
              : chartsDot(one.shape ?? 0, 10, 8, one.set ?? "", one.hollow),
        ),
        one.text,
      ),
    ),
  );

/**
 * A figure with a key between picture and caption.
 * @param {HTMLElement} figure
 * @param {KeyEntry[]} [entries]
 */
export function plotKeyed(figure, entries) {
  if (entries) figure.insertBefore(plotKey(entries), figure.querySelector("figcaption"));
  return figure;
}

/**
 * @param {MarkedRow} row
 * @param {number} top
 * @param {{ at: Scale, left: number, right: number, width: number, small: boolean }} options
 */
function plotRow(row, top, { at, left, right, width, small }) {
  const y = top + (small ? 26 : 12),
    known = row.marks.filter((mark) => Number.isFinite(mark.at));
  /** @param {number} i */
  const offset = (i) => (row.apart && row.marks.length > 1 ? (i / (row.marks.length - 1) - 0.5) * 9 : 0);
  const half = row.right ? width / 2 - 8 : width - 8;
  return sv(
    "g",
    {},
    small
      ? plotText(row.label, half, { x: 4, y: top + 12, class: "over" })
      : plotText(row.label, left - 14, { x: left - 10, y: y + 4, "text-anchor": "end" }),
    row.right &&
      (small
        ? plotText(row.right, half, { x: width - 4, y: top + 12, "text-anchor": "end", class: "over" })
        : plotText(row.right, width - right - 12, { x: right + 10, y: y + 4 })),
    sv("line", { x1: left, x2: right, y1: y, y2: y, class: "grid" }),
    (row.limits ?? []).map(
      (one) =>
        Number.isFinite(one.at) &&
        sv(
          "line",
          { x1: at(one.at), x2: at(one.at), y1: y - 9, y2: y + 9, class: `limit ${one.kind ?? ""}` },
          sv("title", {}, one.title ?? ""),
        ),
    ),
    row.joined && known.length > 1 && sv("line", { x1: at(known[0].at), x2: at(known[known.length - 1].at), y1: y, y2: y, class: "joined" }),
    row.marks.map(
      (mark, i) =>
        Number.isFinite(mark.at) &&
        sv(
          "g",
          {},
          sv("title", {}, mark.title ?? flat(row.label)),
          Number.isFinite(mark.low) &&
            Number.isFinite(mark.high) &&
            sv("path", { class: `interval ${mark.set ?? ""}`, d: `M${at(mark.low)} ${y + offset(i)}H${at(mark.high)}` }),
          mark.thin
            ? sv("line", { x1: at(mark.at), x2: at(mark.at), y1: y - 7, y2: y + 7, class: `thin ${mark.set ?? ""}` })
            : chartsDot(mark.shape ?? 0, at(mark.at), y + offset(i), mark.set ?? "", mark.hollow),
        ),
    ),
  );
}

/**
 * One row a thing, several marks along its line.
 *   rows   [{label, right?, marks: [{at, low?, high?, shape, set, hollow, thin, title}], limits: [{at, kind, title}], joined?, apart?}]
 *   key    entries of `plotKey`
 *   ends   [low, high] of the axis; by default all values and zero
 *   most   room for the names at each side
 * @param {Captioned & { rows: MarkedRow[], key?: KeyEntry[], ends?: [number, number], wanted?: number, numbers?: boolean, most?: number }} options
 */
export function plotRows({ rows, label, caption, key, axis = "", ends, wanted = 7, numbers = true, most = 190 }) {
  /** @param {number} width */
  const draw = (width) => {
    const small = width < 560,
      step = small ? 42 : 25;
    /** @param {"label" | "right"} side */
    const room = (side) => 22 + Math.min(most, Math.max(30, ...rows.map((row) => chartsWide(flat(row[side] ?? "").slice(0, 60)))));
    const left = small ? 10 : room("label"),
      right = width - (small || !rows.some((row) => row.right) ? 12 : room("right"));
    const values = rows.flatMap((row) => [...row.marks.flatMap((m) => [m.at, m.low, m.high]), ...(row.limits ?? []).map((one) => one.at)]);
    const [low, high] = ends ?? chartsSpan([0, ...values]),
      at = chartsScale(low, high, left, right),
      bottom = rows.length * step + 6;
    return chartsImage(
      width,
      bottom + (axis ? 38 : 22),
      label,
      numbers
        ? chartsAxis({ low, high, at, y: bottom, top: 2, title: axis, wanted: small ? 4 : wanted })
        : [
            sv("line", { x1: at(0), x2: at(0), y1: 2, y2: bottom, class: "zero" }),
            axis && plotText(axis, right - left, { x: (left + right) / 2, y: bottom + 16, "text-anchor": "middle", class: "second" }),
          ],
      rows.map((row, i) => plotRow(row, 4 + i * step, { at, left, right, width, small })),
    );
  };
  return plotKeyed(chartsFigure({ draw, caption }), key);
}

/**
 * A receiver operating characteristic: rates over all thresholds, and where the threshold in use lies.
 * @param {Captioned & { fpr: number[], tpr: number[], at?: [number, number] }} options
 */
export function plotRoc({ fpr, tpr, at, label, caption }) {
  /** @param {number} width */
  const draw = (width) => {
    const { above, below } = chartsReach(),
      shares = [0, 0.25, 0.5, 0.75, 1],
      left = Math.ceil(above + below + 14 + chartsWidest(shares.map(String))),
      side = width - left - 12,
      top = Math.max(8, above - 4),
      x = chartsScale(0, 1, left, left + side),
      y = chartsScale(0, 1, top + side, top);
    const line = fpr.map((one, i) => `${i ? "L" : "M"}${x(one).toFixed(1)},${y(tpr[i]).toFixed(1)}`).join("");
    return chartsImage(
      width,
      top + side + 44,
      label,
      shares.map((t) => [
        sv("path", { d: `M${x(t)} ${top}V${top + side}M${left} ${y(t)}H${left + side}`, class: "grid" }),
        sv("text", { x: x(t), y: top + side + 15, "text-anchor": "middle", class: "second" }, t),
        sv("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end", class: "second" }, t),
      ]),
      sv("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "limit dotted" }),
      sv("path", { d: line, class: "line" }),
      at && chartsDot(PLOT_DIAMOND, x(at[0]), y(at[1]), "a"),
      chartsName("other words found (share)", side, { x: left + side / 2, y: top + side + 33, "text-anchor": "middle", class: "second" }),
      chartsName("listed words found (share)", side, {
        x: above,
        y: top + side / 2,
        "text-anchor": "middle",
        class: "second",
        transform: `rotate(-90 ${above} ${top + side / 2})`,
      }),
    );
  };
  return plotKeyed(chartsFigure({ draw, caption, most: 340 }), [
    { shape: PLOT_DIAMOND, set: "a", text: "threshold in use" },
    { line: "dotted", text: "by chance" },
  ]);
}

/**
 * Ranks of the dissimilarities of all pairs, from 0 to 1; equal ones share a rank, the diagonal has none.
 * @param {number[][]} matrix
 * @returns {(number | null)[][]}
 */
export function plotRanks(matrix) {
  /** @type {[number, number, number][]} */
  const pairs = [];
  matrix.forEach((row, i) => {
    for (let j = i + 1; j < row.length; j++) pairs.push([row[j], i, j]);
  });
  pairs.sort((one, other) => one[0] - other[0]);
  /** @type {(number | null)[][]} */
  const ranks = matrix.map((row) => row.map(() => null));
  for (let start = 0, end; start < pairs.length; start = end + 1) {
    end = start;
    while (end + 1 < pairs.length && pairs[end + 1][0] === pairs[start][0]) end++;
    const rank = (start + end) / 2 / Math.max(1, pairs.length - 1);
    for (let k = start; k <= end; k++) {
      const [, i, j] = pairs[k];
      ranks[i][j] = ranks[j][i] = rank;
    }
  }
  return ranks;
}

const PLOT_LEVELS = 12;

/**
 * A square map of ranks, the denser the more unlike: one path for each step of density. Items stand in sets.
 * @param {Captioned & { ranks: (number | null)[][], sizes: number[], names: string[], items: string[] }} options
 */
export function plotMap({ ranks, sizes, names, items, label, caption }) {
  /** @param {number} width */
  const draw = (width) => {
    const n = ranks.length,
      named = n <= 45 && width > 380,
      gap = 3,
      top = 22;
    const left = named ? 12 + Math.min(90, Math.max(...items.map((one) => chartsWide(flat(one), 11)))) : 2,
      cell = (width - left - 2 * gap - 4) / n;
    const firsts = [0, sizes[0], sizes[0] + sizes[1]],
      place = (/** @type {number} */ i) => i * cell + gap * firsts.filter((first) => first > 0 && i >= first).length;
    /** @type {string[][]} */
    const paths = Array.from({ length: PLOT_LEVELS }, () => []);
    ranks.forEach((row, i) =>
      row.forEach((rank, j) => {
        if (rank !== null)
          paths[Math.min(PLOT_LEVELS - 1, Math.floor(rank * PLOT_LEVELS))].push(
            `M${(left + place(j)).toFixed(1)} ${(top + place(i)).toFixed(1)}h${cell.toFixed(2)}v${cell.toFixed(2)}h-${cell.toFixed(2)}z`,
          );
      }),
    );
    return chartsImage(
      width,
      top + n * cell + 2 * gap + 4,
      label,
      paths.map(
        (d, level) =>
          d.length > 0 &&
          sv("path", { d: d.join(""), class: "cells", "fill-opacity": (0.05 + (0.9 * level) / (PLOT_LEVELS - 1)).toFixed(3) }),
      ),
      names.map(
        (name, s) =>
          sizes[s] > 0 &&
          plotText(name, sizes[s] * cell - 4, { x: left + place(firsts[s]) + (sizes[s] * cell) / 2, y: 14, "text-anchor": "middle" }),
      ),
      named &&
        items.map((item, i) =>
          plotText(item, left - 6, { x: left - 5, y: top + place(i) + cell / 2 + 4, "text-anchor": "end" }, Math.min(11, cell)),
        ),
    );
  };
  return chartsFigure({ draw, caption, most: 560 });
}
