// @ts-check
// Tests over time, and single words against two attributes.

import { histogramChart, lines } from "../charts/charts.js";
import { data } from "../parts/audits.js";
import { testsShort } from "../parts/columns.js";
import { bdi, el, listed } from "../parts/elements.js";
import { computed, fixed, num, numbered, pointed, whole } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { welchTest } from "../statistics/crossed.js";
import { TAILS, testsBody, testsRecord } from "./detail.js";
import { LEVEL, testsEntry, testsNamed, testsQuestion, testsTitles } from "./entries.js";

/** What the points of a series are: the series, one point, several. */
const ALONG = /** @type {Record<string, [string, string, string]>} */ ({
  year: ["over time", "point in time", "points in time"], layer: ["over layers", "layer", "layers"],
  step: ["over steps of training", "checkpoint", "checkpoints"], point: ["over the series", "point", "points"],
});
/** @param {Result} result */
const seriesAlong = (result) => ALONG[/** @type {string} */ (result.over)];

/**
 * The points of a series in order: numbers by size, labels as they come.
 * @param {Result} result
 * @param {string} path
 * @returns {SeriesPoint[]}
 */
function seriesPoints(result, path) {
  const names = Object.keys(result.points), numbers = names.every((name) => Number.isFinite(Number(name)));
  if (numbers) names.sort((a, b) => Number(a) - Number(b));
  return names.map((name, i) => ({ at: numbers ? Number(name) : i, name,
    path: `${path}/points/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, test: result.points[name] }));
}

/**
 * @param {SeriesPoint[]} points
 * @param {Titles} titles
 * @param {Result} result
 */
function seriesChart(points, titles, result) {
  /** @param {Level} level */
  const holds = (level) => (level.crossed.pvalue ?? 1) < LEVEL;
  /**
   * @param {string} title
   * @param {string} set
   * @param {(test: Json) => Level} level
   */
  const one = (title, set, level) => ({ title, set,
    points: points.map(({ at, test }) => ({ at, value: level(test).effect_size, hollow: !holds(level(test)) })) });
  const ds = points.map(({ test }) => test.level1.effect_size);
  return lines({
    series: [one("Level 1: both targets", "", (test) => test.level1), one(`Level 2: ${flat(titles.x)}`, "x", (test) => test.level2.x),
      one(`Level 2: ${flat(titles.y)}`, "y", (test) => test.level2.y)],
    label: `Effect sizes of ${flat(result.design)} from ${flat(points[0].name)} to ${flat(points[points.length - 1].name)}; `
      + `Level 1 goes from ${fixed(ds[0])} to ${fixed(ds.at(-1))}.`,
    caption: `Effect sizes ${seriesAlong(result)[0]}; filled: p for other words below .05 (not adjusted), hollow: not below.`,
  });
}

/**
 * @param {Context} context
 * @param {SeriesPoint[]} points
 * @param {Result} result
 * @param {string} adjusted place of the adjusted p-values
 */
function seriesTable(context, points, result, adjusted) {
  const [along, , several] = seriesAlong(result);
  const { level1 } = points[0].test, titles = testsTitles(points[0].test), alone = (/** @type {string} */ key) => `${testsShort(titles[key], 40)} alone`;
  /**
   * @param {string} title
   * @param {string} key
   * @param {string} [about]
   * @param {Shown} [options]
   * @returns {Column<Json>}
   */
  const number = (title, key, about, options = {}) => ({
    title, about, value: (row) => pointed(context.document, `${row.path}/${key}`) ?? null,
    cell: (row) => num(context, `${row.path}/${key}`,
      { ...options, method: key.endsWith("crossed/pvalue") ? "exact" : pointed(context.document, `${row.path}/${key.replace(/\/\w+$/, "/method")}`) }),
  });
  /** @param {SeriesPoint} row */
  const bh = (row) => `${adjusted}/${points.indexOf(row)}`;
  return el("div", { class: "levels" }, table({ caption: `${flat(result.design)} ${along}`, rows: points, columns: [
    { title: result.over, value: (row) => row.at, cell: (row) => flat(row.name) },
    number("agree", "level1/crossed/agreement", data.phrases.agreement, { as: "agree" }),
    number("d", "level1/effect_size", "effect size of Level 1: the difference of the targets"),
    number("p", "level1/crossed/pvalue", "p-value of Level 1 for other words", { as: "p" }),
    { title: "p (BH)", about: `adjusted for the number of ${several}`, value: (row) => pointed(context.document, bh(row)) ?? null, cell: (row) => num(context, bh(row), { as: "p" }) },
    number("exact p", "level1/pvalue", "for just these words", { as: "p" }),
    ...["x", "y"].flatMap((key) => [number(`d, ${alone(key)}`, `level2/${key}/effect_size`, `effect size of Level 2: are words for ${flat(titles[key])} closer to one attribute by themselves?`),
      number(`p, ${alone(key)}`, `level2/${key}/crossed/pvalue`, `p-value of Level 2 of ${flat(titles[key])} for other words`, { as: "p" })]),
    { title: "pattern", kind: "text", about: "which targets are closer to one attribute by themselves, and to which", value: (row) => row.test.crossed_pattern },
  ], note: `p-values: ${TAILS[level1.alternative] ?? level1.alternative}; other than p (BH) not adjusted for the number of ${several}.` }));
}

/**
 * @param {Context} context
 * @param {Data} all
 * @param {Result} result
 * @param {string} path
 */
function seriesBody(context, all, result, path) {
  const points = seriesPoints(result, path), skipped = Object.entries(result.skipped), [, one] = seriesAlong(result);
  return [
    points.length > 0 && [
      el("p", {}, `The same test on the vectors of each ${one}. `, result.over === "year" && "Vectors of early decades "
        + "rest on fewer texts, and words change their meaning: a change of d is not by itself a change of attitudes."),
      seriesChart(points, testsTitles(points[0].test), result), seriesTable(context, points, result, `${path}/adjusted/bh`),
      seriesTrend(context, result, path),
      seriesChange(context, result, path, points),
      el("h4", {}, `Each ${one}`),
      points.map((point) => opening(flat(point.name),
        () => testsBody(context, all, testsEntry(context, point.test, point.path,
        { elsewhere: `the page does not contain the vectors of each ${one}` })))),
    ],
    skipped.length > 0 && el("p", {}, "Not measured: ",
      skipped.map(([year, why], i) => [i ? "; " : "", `${year} (${flat(why).replace(/\.$/, "")})`]), "."),
  ];
}

/**
 * The change of the difference over time, in a sentence.
 * @param {Context} context
 * @param {Result} result
 * @param {string} path
 * @returns {Child}
 */
const seriesTrend = (context, result, path) => (Number.isFinite(result.trend.pvalue) ? el("p", { class: "trend" },
  "The difference of the mean cosines changes by ", num(context, `${path}/trend/slope`, { digits: 4 }), ` per ${{ layer: "layer", step: "step", point: "point" }[/** @type {string} */ (result.over)] ?? "unit of time"} (`,
  num(context, `${path}/trend/low`, { digits: 4 }), " to ", num(context, `${path}/trend/high`, { digits: 4 }), ", p = ",
  num(context, `${path}/trend/pvalue`, { as: "p" }),
  !result.trend.drawn ? "): words count as drawn." : `): words and ${seriesAlong(result)[2]} both count as drawn.`) : null);

/**
 * Where the difference changes most, in a sentence.
 * @param {Context} context
 * @param {Result} result
 * @param {string} path
 * @param {SeriesPoint[]} points
 * @returns {Child}
 */
function seriesChange(context, result, path, points) {
  const at = result.change.position;
  if (!Number.isInteger(at)) return null;
  return el("p", { class: "trend" }, `It changes most between ${flat(points[at - 1].name)} and ${flat(points[at].name)}, by `,
    num(context, `${path}/change/difference`, { digits: 4 }), " (", num(context, `${path}/change/low`, { digits: 4 }), " to ",
    num(context, `${path}/change/high`, { digits: 4 }), ", p = ", num(context, `${path}/change/pvalue`, { as: "p" }),
    "; both are adjusted for having looked at ", num(context, `${path}/change/splits`, { digits: 0 }), " splits).");
}

/**
 * A part for each series.
 * @param {Context} context
 * @param {Data} all
 */
export const seriesParts = (context, all) => context.of("SeriesResult").map(({ result, path }, i) => {
  const count = Object.keys(result.points).length, [first] = Object.values(result.points), titles = first && testsTitles(first);
  return opening(el("span", { class: "line" }, el("h3", {}, bdi(result.design)),
    el("span", { class: "question" }, titles ? bdi(testsQuestion({ titles })) : ""),
    el("span", { class: "numbers" }, numbered(count, seriesAlong(result)[1], seriesAlong(result)[2]))),
      () => seriesBody(context, all, result, path), { id: `series-${i}` });
});

/**
 * Single words: a table where the numbers are in the page, else how they are spread.
 * @param {Context} context
 * @param {Result} result
 * @param {string} path
 */
function singleBody(context, result, path) {
  const [a, b] = result.attributes, spread = context.histograms[`${path}/effect_size`];
  /**
   * @param {string} title
   * @param {string} key
   * @param {string} [about]
   * @param {Shown} [options]
   * @returns {Column<Json>}
   */
  const number = (title, key, about, options = {}) =>
    ({ title, about, value: (row) => pointed(context.document, `${path}/${key}/${row}`) ?? null,
    cell: (row) => num(context, `${path}/${key}/${row}`, { ...options, method: result.method }) });
  const tested = Array.isArray(result.pvalue) && result.pvalue.length > 0;
  const [first, second] = [testsNamed(result.titles.a, "a", a), testsNamed(result.titles.b, "b", b)];
  /** @type {Map<number, { low: number, high: number, pvalue: number }>} */
  const made = new Map();
  /** @param {number} row */
  const welch = (row) => {
    if (!made.has(row)) made.set(row, welchTest({ difference: result.association[row], se: result.se[row], df: result.df[row], alternative: result.alternative }));
    return made.get(row) ?? { low: NaN, high: NaN, pvalue: NaN };
  };
  /**
   * @param {string} title
   * @param {"low" | "high" | "pvalue"} key
   * @param {string} about
   * @param {Shown} options
   * @returns {Column<Json>}
   */
  const other = (title, key, about, options) => ({ title, about, value: (row) => (Number.isFinite(welch(row)[key]) ? welch(row)[key] : null), cell: (row) => computed(welch(row)[key], options) });
  return [
    el("p", {}, "Each word by itself: above zero it is closer to ", bdi(first), ", below to ", bdi(second), ". ", bdi(first), ": ", listed(a, 30), ". ", bdi(second), ": ", listed(b, 30), "."),
    spread && [
      histogramChart({ ...spread, zero: true,
        label: `Effect sizes of ${whole(spread.n)} words, from ${fixed(spread.low)} to ${fixed(spread.high)}; `
          + `median ${fixed(spread.quantiles?.["0.5"] ?? NaN)}.`,
        caption: `Effect sizes of ${whole(spread.n)} words.` }),
      el("p", { class: "note" }, "With this many words a distribution is shown; results.json has the number of each."),
    ],
    !spread && table({ caption: "Association of single words", rows: result.words.map((/** @type {unknown} */ _, /** @type {number} */ i) => i), columns: [
      { title: "word", kind: "text", value: (row) => result.words[row] },
      number("d", "effect_size", "effect size over the attribute words"),
        number("association s", "association", "difference of the mean cosines", { digits: 3 }),
      other("lower end", "low", "of the 95 % interval of s, for other attribute words", { digits: 3 }), other("upper end", "high", "of the same interval", { digits: 3 }),
      other("p", "pvalue", `for other attribute words, ${TAILS[result.alternative] ?? result.alternative}`, { as: "p" }),
      ...(tested ? [number("exact p", "pvalue", `attribute words exchanged, ${TAILS[result.alternative] ?? result.alternative}`, { as: "p" })] : []),
    ], note: ["p holds for other attribute words, by Welch\u2019s t over those that were used. ", tested ? "Exact p holds for just these attribute words. " : "",
      "Nothing is adjusted for the number of words."].join("") }),
    opening("How it was measured", () => testsRecord({ test: result, level1: {}, name: "the single words" })),
  ];
}

/**
 * A part for each test of single words.
 * @param {Context} context
 */
export const singleParts = (context) => context.of("ScWeatResult").map(({ result, path }, i) => opening(
  el("span", { class: "line" }, el("h3", {}, "Single words (SC-WEAT)"),
    el("span", { class: "numbers" }, numbered(result.words.length, "word"))),
  () => singleBody(context, result, path), { id: `single-${i}`, open: false }));
