// @ts-check
// "Other results": whatever no other section shows, so that nothing of results.json is silently missing.

import { histogramChart } from "../charts/charts.js";
import { plotFacts } from "../parts/columns.js";
import { bdi, el } from "../parts/elements.js";
import { fixed, noNumber, num, numbered, part, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening, view, VIEWS } from "../parts/views.js";
import { testsOf } from "../tests/entries.js";
import { methShown, otherTitle } from "./methods.js";

const OTHER_APART = new Set(["type", "schema", "coverage", "conventions", "provenance", "versions"]);
const OTHER_MOST = 200;

/**
 * @param {Context} context
 * @param {string} path
 * @param {Json} value
 */
const otherLeaf = (context, path, value) =>
  typeof value === "number"
    ? num(context, path, Number.isInteger(value) ? { as: "whole" } : { digits: 4 })
    : value === null
      ? noNumber()
      : bdi(methShown(value));

/**
 * Results that have no view of their own: the table that every other output prints, with links to the tests.
 * @param {Context} context
 * @param {string} type
 * @returns {Child}
 */
export function otherTable(context, type) {
  /** @type {{ title: string; heads: string[]; cells: string[][]; right: boolean[]; reading: string[] } | undefined} */
  const found = context.audit.tables[type];
  if (!found) return null;
  const ids = new Map(testsOf(context).map((one) => [one.name, one.id]));
  /** @type {Column<string[]>[]} */
  const columns = found.heads.map((title, i) => ({
    title,
    kind: found.right[i] ? "number" : "text",
    value: (row) => row[i],
    cell: (row) => (i === 0 && ids.has(row[0]) ? el("a", { href: `#${ids.get(row[0])}` }, bdi(row[0])) : bdi(row[i])),
  }));
  return table({ caption: found.title, rows: found.cells, columns, note: found.reading.join(" ") });
}

/**
 * A value of any shape: numbers with their place, lists in a line, the rest behind something that opens.
 * @param {Context} context
 * @param {string} path
 * @param {Json} value
 * @returns {Child}
 */
function otherTree(context, path, value) {
  if (context.histograms[path]) {
    const counted = context.histograms[path];
    return histogramChart({
      ...counted,
      axis: "value",
      label: `Distribution of ${whole(counted.n)} values from ${fixed(counted.low)} to ${fixed(counted.high)}.`,
      caption: `${whole(counted.n)} values.`,
    });
  }
  if (value === null || typeof value !== "object") return el("p", {}, otherLeaf(context, path, value));
  const entries = Object.entries(value).filter(([key]) => Array.isArray(value) || !OTHER_APART.has(key)),
    shown = entries.slice(0, OTHER_MOST);
  const simple = shown.filter(([key, one]) => (one === null || typeof one !== "object") && !context.histograms[`${path}/${part(key)}`]),
    inner = shown.filter((one) => !simple.includes(one));
  /** @param {Json} one */
  const leaf = ([key, one]) => otherLeaf(context, `${path}/${part(key)}`, one);
  return [
    Array.isArray(value) && simple.length
      ? el(
          "p",
          {},
          simple.flatMap((one, i) => [i ? ", " : "", leaf(one)]),
        )
      : plotFacts(simple.map((one) => [bdi(one[0]), leaf(one)])),
    inner.map(([key, one]) =>
      opening(bdi(Array.isArray(value) ? `${Number(key) + 1}` : key), () => otherTree(context, `${path}/${part(key)}`, one)),
    ),
    entries.length > shown.length ? el("p", { class: "note" }, `${whole(entries.length - shown.length)} more are in results.json.`) : null,
  ];
}

/** Results about a test, which are shown in it. */
const OTHER_BESIDE = ["InfluenceResult", "FrequencyResult", "PlaceboResult"];

/**
 * Results that no section shows.
 * @param {Context} context
 */
const otherResults = (context) => {
  const tests = new Set(testsOf(context).map((one) => one.name)), shown = new Set(VIEWS.flatMap((one) => one.shows ?? []));
  return context.document.results
    .map((result, i) => ({ result, path: `/results/${i}` }))
    .filter(
      ({ result }) => !shown.has(result.type) && !(result.type === "InfluenceResult" && tests.has(result.design)),
    );
};

/**
 * What else was measured of a test: a part for each kind.
 * @param {Context} context
 * @param {string} design
 */
export const otherOfTest = (context, design) =>
  otherResults(context)
    .filter(({ result }) => OTHER_BESIDE.includes(result.type) && result.design === design)
    .map(({ result, path }) => opening(otherTitled(context, result.type), () => otherTree(context, path, result)));

/**
 * What results of a type are called: the title of their table, without what it counts.
 * @param {Context} context
 * @param {string} type
 * @returns {string}
 */
const otherTitled = (context, type) => context.audit.tables[type]?.title.split(":")[0] ?? otherTitle(type);

/**
 * One part for each kind of result: its table, and those results that belong to no test.
 * @param {Context} context
 * @param {string} type
 */
function otherKind(context, type) {
  const tests = new Set(testsOf(context).map((one) => one.name)),
    all = otherResults(context).filter(({ result }) => result.type === type),
    alone = all.filter(({ result }) => !(OTHER_BESIDE.includes(type) && tests.has(result.design)));
  return opening([otherTitled(context, type), `: ${numbered(all.length, "result")}`], () => [
    otherTable(context, type),
    alone.length < all.length ? el("p", { class: "note" }, "Each test has the numbers behind its row.") : null,
    alone.map(({ result, path }) =>
      alone.length === 1 && !result.design
        ? otherTree(context, path, result)
        : opening([otherTitle(result.type), result.design ? [": ", bdi(result.design)] : null], () => otherTree(context, path, result)),
    ),
  ]);
}

view({
  id: "others",
  title: "Other results",
  order: 85,
  applies: (context) => otherResults(context).length > 0,
  build: (context) => [
    el("p", { class: "lead" }, "Results without their own section, one part for each kind."),
    [...new Set(otherResults(context).map(({ result }) => result.type))].map((type) => otherKind(context, type)),
  ],
});
