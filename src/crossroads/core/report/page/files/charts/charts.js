// @ts-check
// Charts: plain values in, a <figure> out. Each is one image with a sentence that says what is to be seen;
// its numbers stand in tables next to it. Nothing is told by colour alone.
//
//   forest({rows, caption, label, axis})                     values with intervals, one line each
//   dots({sets, caption, label, axis})                       every word of some sets on one axis
//   histogramChart({low, high, counts, marks, band, …})      how often each value came out
//   lines({series, caption, label, axis, across})            values over time

import { el, sv } from "../parts/elements.js";
import { fixed, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { chartsClip, chartsName, chartsNow, chartsSoon, chartsWide, chartsWidest } from "./lettering.js";

let room = innerWidth; // asking again for every chart would make the browser lay out the page each time
addEventListener("resize", () => { room = innerWidth; });

/** The width of the window. */
export const chartsRoom = () => room;

/**
 * A point of a scale for every value from `low` to `high`.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {Scale}
 */
export const chartsScale = (low, high, from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);

/**
 * Round values from `low` to `high`, about `wanted` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} [wanted]
 */
function chartsTicks(low, high, wanted = 5) {
  const rough = (high - low || 1) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found.map((value) => ({ value, text: fixed(value, Math.min(digits, 10)) }));
}

/**
 * The same, or fewer where their numbers would touch along a line of some length.
 * @param {number} low
 * @param {number} high
 * @param {number} wanted
 * @param {number} length
 */
function chartsTicksIn(low, high, wanted, length) {
  for (let many = wanted; ; many--) {
    const found = chartsTicks(low, high, many), step = (length * (found[1]?.value - found[0]?.value)) / (high - low || 1);
    if (many <= 1 || found.length < 2 || chartsWidest(found.map((one) => one.text)) + 6 <= step) return found;
  }
}

/**
 * Ends of an axis that holds some values with a little room.
 * @param {(number | null | undefined)[]} values
 * @param {number} [room]
 * @returns {[number, number]}
 */
export function chartsSpan(values, room = 0.06) {
  const known = values.filter(Number.isFinite);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!known.length) return [-1, 1];
  const more = (high - low || Math.abs(high) || 1) * room;
  return [low - more, high + more];
}

/**
 * An axis along the bottom: lines up to `top`, numbers below `y`, a title under them.
 * @param {{ low: number, high: number, at: Scale, y: number, top: number, title?: string, wanted?: number }} options
 */
export function chartsAxis({ low, high, at, y, top, title, wanted = 6 }) {
  return sv("g", { class: "axis" },
    chartsTicksIn(low, high, wanted, Math.abs(at(high) - at(low))).map(({ value, text }) => [
      sv("line", { x1: at(value), x2: at(value), y1: top, y2: y, class: Math.abs(value) < 1e-12 ? "zero" : "grid" }),
      sv("text", { x: at(value), y: y + 14, "text-anchor": "middle", class: "second" }, text),
    ]),
    title && chartsName(title, Math.abs(at(high) - at(low)) + 16, { x: (at(low) + at(high)) / 2, y: y + 30, "text-anchor": "middle", class: "second" }));
}

/**
 * An image of a given size.
 * @param {number} width
 * @param {number} height
 * @param {string} label
 * @param {...Child} children
 */
export const chartsImage = (width, height, label, ...children) =>
  sv("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, "font-size": 12 },
    children);

/** Figures that do not know their room yet. @type {Map<HTMLElement, (width: number) => void>} */
const chartsNew = new Map();

/** Draw new figures for the room that they have, before they are seen: nothing moves afterwards. */
export function chartsFit() {
  const seen = [...chartsNew].map(([hold, drawn]) => ({ hold, drawn, width: hold.clientWidth })).filter(({ width }) => width > 0);
  chartsNow(seen.map(({ hold, drawn, width }) => [hold, () => drawn(width)]));
  chartsNew.clear();
}

/**
 * A figure that is drawn for the width it has, and again when that changes.
 * @param {{ draw: (width: number) => SVGSVGElement, caption?: string, most?: number }} options
 */
export function chartsFigure({ draw, caption, most = 760 }) {
  const hold = el("div", { class: "charted" });
  let last = 0;
  /** @param {number} width */
  const drawn = (width) => {
    const now = Math.max(240, Math.min(most, Math.round(width)));
    if (now === last) return;
    last = now;
    hold.replaceChildren(draw(now));
  };
  drawn(room - 60);
  /** @param {ResizeObserverEntry[]} entries */
  const resized = ([{ contentRect: room }]) => { chartsNew.delete(hold); if (room.width > 0) chartsSoon(hold, () => drawn(room.width)); };
  chartsNew.set(hold, drawn);
  new ResizeObserver(resized).observe(hold);
  return el("figure", {}, hold, caption && el("figcaption", {}, caption));
}

/**
 * A dot of one of four shapes, so that sets differ in print and for the colour-blind.
 * @param {number} shape
 * @param {number} x
 * @param {number} y
 * @param {string} name
 * @param {boolean} [hollow]
 */
export function chartsDot(shape, x, y, name, hollow = false) {
  const look = { class: `dot ${name}${hollow ? " hollow" : ""}` };
  if (shape === 1) return sv("rect", { ...look, x: x - 4, y: y - 4, width: 8, height: 8 });
  if (shape === 2) return sv("path", { ...look, d: `M${x} ${y - 5.5}L${x + 5.5} ${y}L${x} ${y + 5.5}L${x - 5.5} ${y}Z` });
  if (shape === 3) return sv("path", { ...look, d: `M${x} ${y - 5}L${x + 5} ${y + 4}L${x - 5} ${y + 4}Z` });
  return sv("circle", { ...look, cx: x, cy: y, r: 4.5 });
}

/**
 * One line of a forest: name, interval, dot.
 * @param {ForestRow} row
 * @param {number} y
 * @param {{ at: Scale, left: number, narrow: boolean }} options
 */
function forestRow(row, y, { at, left, narrow }) {
  const name = narrow ? { x: 2, y: y - 9, "text-anchor": "start" } : { x: left - 10, y: y + 4, "text-anchor": "end" };
  return sv("g", {}, sv("title", {}, row.title ?? flat(row.label)),
    sv("text", name, chartsClip(row.label, narrow ? 230 : left - 14)),
    Number.isFinite(row.low) && Number.isFinite(row.high) && sv("path", {
      class: "interval", d: `M${at(row.low)} ${y}H${at(row.high)}M${at(row.low)} ${y - 4}v8M${at(row.high)} ${y - 4}v8`,
    }),
    Number.isFinite(row.value) && chartsDot(row.shape ?? 0, at(row.value), y, row.set ?? "", row.hollow));
}

/**
 * Values with intervals, one line each, and a line at zero.
 *   rows   [{label, value, low, high, title?, hollow?: whether the dot is empty, shape?: 0–3, set?: "x" | "y" | "a" | "b"}]
 * @param {Captioned & { rows: ForestRow[] }} options
 */
export function forest({ rows, caption, label, axis = "effect size d" }) {
  /** @param {number} width */
  const draw = (width) => {
    const narrow = width < 460, step = narrow ? 36 : 24;
    const left = narrow ? 10 : 20 + Math.min(210, Math.max(40, ...rows.map((row) => chartsWide(flat(row.label).slice(0, 60)))));
    const [low, high] = chartsSpan([0, ...rows.flatMap((row) => [row.value, row.low, row.high])]);
    const at = chartsScale(low, high, left, width - 12), bottom = rows.length * step + (narrow ? 20 : 12);
    return chartsImage(width, bottom + 38, label,
      chartsAxis({ low, high, at, y: bottom, top: 2, title: axis, wanted: narrow ? 4 : 7 }),
      rows.map((row, i) => forestRow(row, (narrow ? 28 : 16) + i * step, { at, left, narrow })));
  };
  return chartsFigure({ draw, caption });
}

const DOTS_MOST = 40;

/**
 * The words of a set, most positive first; of a long one, both ends.
 * @param {DotSet["points"]} points
 */
function dotsShown(points) {
  const sorted = points.filter((one) => Number.isFinite(one.value)).sort((a, b) => b.value - a.value);
  return sorted.length > DOTS_MOST ? [...sorted.slice(0, DOTS_MOST / 2), ...sorted.slice(-DOTS_MOST / 2)] : sorted;
}

/**
 * One panel of `dots`: a set, its words, and the mean of all of them.
 * @param {DotSet} set
 * @param {number} shape
 * @param {{ x: number, y: number, width: number, left: number, low: number, high: number, axis: string, height: number }} options
 */
function dotsPanel(set, shape, { x, y, width, left, low, high, axis, height }) {
  const shown = dotsShown(set.points);
  const at = chartsScale(low, high, x + left, x + width - 12), top = y + 24, bottom = y + height - 36;
  const mean = set.points.reduce((sum, one) => sum + one.value, 0) / (set.points.length || 1);
  return sv("g", {},
    sv("text", { x, y: y + 13, "font-weight": 600 }, sv("title", {}, flat(set.title)), chartsClip(set.title, width - 10, 12, 600)),
    chartsAxis({ low, high, at, y: bottom, top, title: axis, wanted: width < 300 ? 3 : 5 }),
    set.points.length > 0 && sv("line", { x1: at(mean), x2: at(mean), y1: top, y2: bottom, class: `mean ${set.set ?? ""}` },
      sv("title", {}, "mean")),
    shown.map((one, i) => sv("g", {}, sv("title", {}, `${flat(one.label)}: ${fixed(one.value, 3)}`),
      sv("text", { x: x + left - 9, y: top + 13 + i * 16, "text-anchor": "end", "font-size": 11.5 },
        chartsClip(one.label, left - 10, 11.5)),
      chartsDot(shape, at(one.value), top + 9 + i * 16, set.set ?? ""))));
}

/**
 * Every word of some sets on one axis, a panel for each, with a dashed line at the mean.
 *   sets   [{title, set: "x" | "y" | "a" | "b", points: [{label, value}]}]
 * Of a set of more than forty words the twenty highest and the twenty lowest are shown.
 * @param {Captioned & { sets: DotSet[] }} options
 */
export function dots({ sets, caption, label, axis = "association" }) {
  /** @param {number} width */
  const draw = (width) => {
    const beside = width >= 520 && sets.length > 1, each = beside ? (width - 16) / 2 : width;
    const [low, high] = chartsSpan([0, ...sets.flatMap((set) => set.points.map((one) => one.value))]);
    // one margin for all panels: they share the scale, and the place of zero
    const left = Math.min(120, Math.max(40, ...sets.flatMap((set) => dotsShown(set.points).map((one) => chartsWide(flat(one.label).slice(0, 40)) + 12))));
    const heights = sets.map((set) => Math.min(DOTS_MOST, set.points.length) * 16 + 68);
    const rows = sets.map((_, i) => (beside ? Math.floor(i / 2) : i));
    /** @param {Json} row */
    const tall = (row) => Math.max(0, ...heights.filter((_, i) => rows[i] === row));
    const tops = rows.map((row) => Array.from({ length: row }, (_, k) => tall(k)).reduce((sum, one) => sum + one, 0));
    const full = Math.max(...tops.map((top, i) => top + heights[i]));
    return chartsImage(width, full, label, sets.map((set, i) => dotsPanel(set, i % 4, {
      x: beside && i % 2 ? each + 16 : 0, y: tops[i], width: each, left, low, high, axis, height: heights[i],
    })));
  };
  return chartsFigure({ draw, caption });
}

/**
 * The names of marks go to the middle of the picture; those closer to an edge stand higher, so that no line runs through a name.
 * @param {NamedLine[]} marks
 * @param {Scale} at
 * @param {number} width
 */
function histogramRows(marks, at, width) {
  /** @param {Json} mark */
  const edge = (mark) => Math.min(at(mark.value), width - at(mark.value));
  return [...marks].sort((a, b) => edge(b) - edge(a)).map((mark, row) => ({ mark, row }));
}

/**
 * A vertical line at a value, with a name above the bars; `row` keeps names apart that are close to each other.
 * @param {NamedLine} mark
 * @param {number} x
 * @param {number} top
 * @param {number} bottom
 * @param {number} row
 * @param {number} width
 * @param {boolean} alone
 */
const histogramMark = (mark, x, top, bottom, row, width, alone) => {
  const near = alone ? width * 0.25 : width / 2;
  const name = chartsClip(mark.label ?? "", width / 2 - 8), anchor = x > width - near ? "end" : x < near ? "start" : "middle";
  return sv("g", {}, sv("line", { x1: x, x2: x, y1: top - 2 - row * 15, y2: bottom, class: `mark ${mark.kind ?? ""}` }),
    sv("text", { x, y: top - 6 - row * 15, "text-anchor": anchor }, sv("title", {}, flat(mark.label ?? "")), name));
};

/**
 * How often each value came out.
 *   low, high, counts   ends of the first and the last bar, and how many fell into each
 *   marks               [{value, label, kind?: "strong" | "dashed"}]: lines with a name
 *   band                [low, high]: an interval that is shaded, with `bandLabel`
 *   zero                whether the axis must reach to zero
 * @param {Captioned & Histogram & { marks?: NamedLine[], band?: [number, number], zero?: boolean }} options
 */
export function histogramChart({ low, high, counts, marks = [], band, zero = false, caption, label, axis = "effect size d" }) {
  /** @param {number} width */
  const draw = (width) => {
    const seen = marks.filter((mark) => Number.isFinite(mark.value)).sort((a, b) => a.value - b.value);
    const [from, to] = chartsSpan([low, high, ...seen.map((mark) => mark.value), ...(band ?? []), ...(zero ? [0] : [])], 0.03);
    const top = 10 + seen.length * 15, bottom = top + 130, at = chartsScale(from, to, 20, width - 20);
    const most = Math.max(1, ...counts), step = (high - low) / (counts.length || 1), tall = chartsScale(0, most, bottom, top);
    return chartsImage(width, bottom + 38, label,
      band && sv("rect", { x: at(band[0]), y: top, width: Math.max(1, at(band[1]) - at(band[0])), height: bottom - top, class: "band" }),
      chartsAxis({ low: from, high: to, at, y: bottom, top, title: axis, wanted: width < 460 ? 4 : 8 }),
      counts.map((count, i) => count > 0 && sv("rect", {
        x: at(low + i * step), y: tall(count), width: Math.max(0.5, (step ? at(low + (i + 1) * step) - at(low + i * step) : 8) - 0.6),
        height: bottom - tall(count), class: "bar",
      }, sv("title", {}, `${whole(count)} from ${fixed(low + i * step, 3)} to ${fixed(low + (i + 1) * step, 3)}`))),
      histogramRows(seen, at, width).map(({ mark, row }) => histogramMark(mark, at(mark.value), top, bottom, row, width, seen.length < 2)));
  };
  return chartsFigure({ draw, caption });
}

/**
 * One series of `lines`: a line through its points; points that do not hold are hollow.
 * @param {LineSeries} one
 * @param {number} shape
 * @param {Scale} at
 * @param {Scale} up
 */
function linesSeries(one, shape, at, up) {
  const known = one.points.filter((point) => Number.isFinite(point.value));
  return sv("g", {},
    sv("path", { class: `line ${one.set ?? ""}${shape % 2 ? " dashed" : ""}`,
      d: known.map((point, i) => `${i ? "L" : "M"}${at(point.at)} ${up(point.value)}`).join("") }),
    known.map((point) => sv("g", {}, sv("title", {}, point.title ?? `${one.title} ${point.at}: ${fixed(point.value)}`),
      Number.isFinite(point.low) && Number.isFinite(point.high)
        && sv("path", { class: "interval", d: `M${at(point.at)} ${up(point.low)}V${up(point.high)}` }),
      chartsDot(shape, at(point.at), up(point.value), one.set ?? "", point.hollow))));
}

/**
 * Values over time.
 *   series   [{title, set?, points: [{at, value, low?, high?, hollow?, title?}]}]
 * @param {Captioned & { series: LineSeries[], across?: string }} options
 */
export function lines({ series, caption, label, axis = "effect size d", across = "year" }) {
  /** @param {number} width */
  const draw = (width) => {
    const all = series.flatMap((one) => one.points),
      [low, high] = chartsSpan([0, ...all.flatMap((one) => [one.value, one.low, one.high])]);
    const [from, to] = chartsSpan(all.map((one) => one.at), 0.03), key = 20 * series.length, top = key + 22, bottom = top + 190;
    const ticks = chartsTicks(low, high, 5), left = Math.max(44, 10 + chartsWidest(ticks.map((one) => one.text)));
    const at = chartsScale(from, to, left, width - 12), up = chartsScale(low, high, bottom, top);
    const years = [...new Set(all.map((one) => one.at))].sort((a, b) => a - b);
    const every = Math.ceil((years.length * Math.max(44, chartsWidest(years.map(String)) + 8)) / (width - left - 12));
    return chartsImage(width, bottom + 40, label,
      series.map((one, i) => [chartsDot(i % 4, 12, 12 + 20 * i, one.set ?? ""),
        sv("text", { x: 24, y: 16 + 20 * i }, sv("title", {}, flat(one.title)), chartsClip(one.title, width - 40))]),
      sv("g", { class: "axis" }, ticks.map(({ value, text }) => [
        sv("line", { x1: left, x2: width - 8, y1: up(value), y2: up(value), class: Math.abs(value) < 1e-12 ? "zero" : "grid" }),
        sv("text", { x: left - 6, y: up(value) + 4, "text-anchor": "end", class: "second" }, text)]),
      years.filter((_, i) => i % every === 0).map((year) =>
        sv("text", { x: at(year), y: bottom + 18, "text-anchor": "middle", class: "second" }, String(year))),
      chartsName(across, width - left, { x: (left + width) / 2, y: bottom + 35, "text-anchor": "middle", class: "second" }),
      chartsName(axis, width - 8, { x: 4, y: key + 14, class: "second" })),
      series.map((one, i) => linesSeries(one, i % 4, at, up)));
  };
  return chartsFigure({ draw, caption });
}
