// @ts-check
// Small parts that the later sections share: intervals, facts, columns of numbers, distributions, choices.

import { el, fresh, sv } from "./elements.js";
import { noNumber, num, pointed, whole } from "./numbers.js";
import { flat, table } from "./tables.js";
import { opening } from "./views.js";

/**
 * [low, high] of results.json.
 * @param {Context} context
 * @param {string} low
 * @param {string} high
 * @param {Shown} [options]
 */
export const plotInterval = (context, low, high, options) =>
  typeof pointed(context.document, low) === "number"
    ? el("span", { class: "ends" }, "[", num(context, low, options), ", ", num(context, high, options), "]")
    : noNumber();

/**
 * Names and values.
 * @param {Json[]} rows
 * @param {boolean} [long]
 */
export const plotFacts = (rows, long = false) =>
  el(
    "dl",
    { class: long ? "facts long" : "facts" },
    rows.filter(Boolean).map(([name, ...value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );

/**
 * A column of numbers of results.json: `path` gives the place for a row.
 * @template Row
 * @param {Context} context
 * @param {string} title
 * @param {(row: Row) => string} path
 * @param {ColumnOptions<Row>} [options]
 * @returns {Column<Row>}
 */
export const plotColumn = (context, title, path, { of, ...options } = {}) => ({
  title,
  about: options.about,
  value: (row) => pointed(context.document, path(row)) ?? null,
  cell: (row) => num(context, path(row), { ...options, ...of?.(row) }),
});

/**
 * A column of intervals; sorted by their lower end.
 * @template Row
 * @param {Context} context
 * @param {string} title
 * @param {(row: Row) => string} low
 * @param {(row: Row) => string} high
 * @param {string} [about]
 * @returns {Column<Row>}
 */
export const plotEndsColumn = (context, title, low, high, about) => ({
  title,
  about,
  value: (row) => {
    const ends = [low(row), high(row)].map((path) => pointed(context.document, path));
    return typeof ends[0] === "number" ? ends.join(" ") : null;
  },
  cell: (row) => plotInterval(context, low(row), high(row)),
});

export const PLOT_BH = "p, adjusted for the number of tests (Benjamini and Hochberg)";
export const PLOT_HOLM = "p, adjusted for the number of tests (Holm)";

/**
 * @template Row
 * @param {string} title
 * @param {(row: Row) => Json} value
 * @param {string} [about]
 * @returns {Column<Row>}
 */
export const plotNamed = (title, value, about) => ({ title, kind: "text", value, about });

/**
 * The distribution of a list of numbers as the page has it: the histogram that it carries, or one made here.
 * @param {Context} context
 * @param {string} path
 * @param {number} [bins]
 * @returns {Histogram | null}
 */
export function plotCounted(context, path, bins = 40) {
  const kept = pointed(context.document, path);
  if (context.histograms[path]) return context.histograms[path];
  if (!Array.isArray(kept) || !kept.length) return null;
  const low = Math.min(...kept),
    high = Math.max(...kept),
    counts = Array(bins).fill(0);
  for (const one of kept) counts[Math.min(bins - 1, Math.floor(((one - low) / (high - low || 1)) * bins))]++;
  return { low, high: high > low ? high : low + 1e-9, counts, n: kept.length };
}

/**
 * The middle 95 % of a list of numbers.
 * @param {Context} context
 * @param {string} path
 */
export function plotMiddle(context, path) {
  const kept = pointed(context.document, path),
    quantiles = context.histograms[path]?.quantiles;
  if (quantiles) return [quantiles["0.025"], quantiles["0.975"]];
  if (!Array.isArray(kept) || !kept.length) return [NaN, NaN];
  const sorted = [...kept].sort((a, b) => a - b);
  return [0.025, 0.975].map((q) => {
    const at = q * (sorted.length - 1),
      floor = Math.floor(at);
    return sorted[floor] + (at - floor) * ((sorted[floor + 1] ?? sorted[floor]) - sorted[floor]);
  });
}

/**
 * A choice among some things: a labelled select. `onpick` gets the index.
 * @param {string} title
 * @param {string[]} names
 * @param {number} chosen
 * @param {(index: number) => void} onpick
 */
export function plotChoice(title, names, chosen, onpick) {
  const id = fresh("choice");
  return el(
    "div",
    { class: "choice" },
    el("label", { for: id }, title),
    el(
      "select",
      { id, onchange: (event) => onpick(Number(event.target.value)) },
      names.map((name, i) => el("option", { value: i, selected: i === chosen }, testsShort(name, 60))),
    ),
  );
}

/**
 * Put new content into a tool whose controls are made again, and leave the focus on the control that has it.
 * @param {HTMLElement} body
 * @param {...Child} content
 */
export function plotRedrawn(body, ...content) {
  const controls = () => [.../** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(".choices select, .choices input, .choices button"))],
    held = controls().findIndex((one) => one === document.activeElement);
  body.replaceChildren(... /** @type {any[]} */ (content).flat(Infinity).filter(Boolean));
  if (held >= 0) controls()[held]?.focus({ preventScroll: true });
}

/**
 * Text of at most so many characters.
 * @param {string} text
 * @param {number} [most]
 */
export function testsShort(text, most = 28) {
  const signs = Array.from(flat(text));
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}\u2026` : signs.join("");
}

/**
 * The interval of a score, and whether it leaves out 0; null where nothing is known of it.
 * @param {Result} result
 * @param {number} i
 * @param {number} j
 */
export function scoreInterval(result, i, j) {
  const [low, high] = [pointed(result, `/low/${i}/${j}`), pointed(result, `/high/${i}/${j}`)];
  return typeof low === "number" && typeof high === "number" ? { low, high, apart: low > 0 || high < 0 } : null;
}

/**
 * What the lines below scores are.
 * @param {string} over
 */
export const scoreNote = (over) =>
  `Below each score: its 95\u202f% interval, for another choice of ${over}. Where it holds 0 (open dot, lighter type, no shade), the association may be chance.`;

/**
 * A score as a dot on a line from its lowest to its highest value, with 0 in the middle.
 * @param {number} score
 * @param {{ low: number, high: number }} interval
 * @param {number} largest
 */
function scoreLine(score, { low, high }, largest) {
  const at = (/** @type {number} */ value) => (30 + (28 * value) / largest).toFixed(1);
  return sv("svg", { class: "within", width: 60, height: 9, viewBox: "0 0 60 9", "aria-hidden": "true" },
    sv("line", { x1: 30, x2: 30, y1: 0, y2: 9, class: "zero" }),
    sv("path", { d: `M${at(low)} 4.5H${at(high)}`, class: "interval" }),
    sv("circle", { cx: at(score), cy: 4.5, r: 2.4, class: "dot" }));
}

/**
 * Scores of things on other things as a table with a shade behind each number: its sign and size are in the number.
 * Where intervals are known, each score has its own below it, and one whose interval holds 0 is set in
 * lighter type without a shade.
 * @param {Context} context
 * @param {{ caption: string, rows: string[], columns: string[], path: (i: number, j: number) => string, value: (i: number, j: number) => number | null, ends?: (i: number, j: number) => ReturnType<typeof scoreInterval>, first: string, note?: Child, filters?: Table<{ name: string, i: number }>["filters"] }} options
 */
export function plotScores(context, { caption, rows, columns, path, value, ends, first, note, filters }) {
  const all = rows.flatMap((_, i) => columns.map((_, j) => Math.abs(value(i, j) ?? 0))),
    largest = all.reduce((a, b) => Math.max(a, b), 0) || 1,
    furthest = rows.reduce((most, _, i) => columns.reduce((far, _, j) => {
      const found = ends?.(i, j);
      return found ? Math.max(far, -found.low, found.high) : far;
    }, most), largest);
  /** @param {number} v */
  const shade = (v) => ({
    backgroundColor: `color-mix(in srgb, var(${v > 0 ? "--a" : "--b"}) ${Math.round((38 * Math.abs(v)) / largest)}%, transparent)`,
  });
  /**
   * @param {number} i
   * @param {number} j
   */
  const cell = (i, j) => {
    const v = value(i, j), interval = ends?.(i, j) ?? null;
    if (typeof v !== "number") return num(context, path(i, j));
    const weak = interval !== null && !interval.apart;
    return el("span", { class: `heat${interval ? (weak ? " weak" : " sure") : ""}`, style: weak ? {} : shade(v) },
      num(context, path(i, j)), interval && scoreLine(v, interval, furthest));
  };
  return el(
    "div",
    { class: "scores tall" },
    table({
      caption,
      note,
      filters,
      search: rows.length >= 8,
      rows: rows.map((name, i) => ({ name, i })),
      columns: [
        plotNamed(first, (row) => row.name),
        ...columns.map((name, j) => ({
          title: name,
          value: (/** @type {Json} */ row) => value(row.i, j),
          cell: (/** @type {Json} */ row) => cell(row.i, j),
        })),
      ],
    }),
  );
}

/**
 * What is to be known of the stimuli as well, such as words that stand in two sets.
 * @param {string[]} [notes]
 */
export const plotNotes = (notes) => (notes ?? []).map((note) => el("p", { class: "coverage-note" }, `There is ${flat(note)}.`));

/**
 * Which stimuli were left out and why, and which were found under another spelling; nothing where all were found.
 * @param {Json} coverage
 */
export function plotCoverage(coverage) {
  const dropped = Object.entries(coverage?.dropped ?? {}).flatMap(([set, words]) =>
    Object.entries(words).map(([word, why]) => ({ word, set, what: `left out: ${why}` })),
  );
  const respelled = Object.entries(coverage?.respelled ?? {}).map(([word, how]) => ({ word, set: "", what: `found as ${how}` }));
  const notes = coverage?.notes ?? [];
  if (!dropped.length && !respelled.length && !notes.length) return null;
  /** @type {Record<Role, string>} */
  const roles = { x: "X, first target", y: "Y, second target", a: "A, first attribute", b: "B, second attribute" };
  const rows = [...dropped, ...respelled],
    columns = [
      plotNamed("word", (row) => row.word),
      plotNamed("set", (row) => roles[row.set] ?? row.set),
      plotNamed("outcome", (row) => row.what),
    ],
    note = respelled.length ? "In parentheses: the rule by which another spelling was found; lower: in lower case." : null;
  const counted = `Coverage: ${whole(dropped.length)} left out, ${whole(respelled.length)} respelled`;
  return opening(notes.length ? `${counted}, in two sets at once: see below` : counted, () => [
    ...plotNotes(notes),
    rows.length > 0 && el("div", { class: "tall" }, table({ caption: "Words that were not measured as written", rows, columns, note })),
  ]);
}

/** @param {string} [name] */
export const overviewPattern = (name) => el("span", { class: "keep" }, name || "\u2013");
