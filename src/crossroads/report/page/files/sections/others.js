// @ts-check
// "Other results": whatever no other section shows, so that nothing of results.json is silently missing.

import { histogramChart } from "../charts/charts.js";
import { plotFacts } from "../parts/columns.js";
import { bdi, el } from "../parts/elements.js";
import { fixed, noNumber, num, part, whole } from "../parts/numbers.js";
import { opening, view } from "../parts/views.js";
import { methShown, otherTitle } from "./methods.js";

const OTHER_SHOWN = new Set([
  "LadderResult",
  "BatteryResult",
  "WeatResult",
  "MleatResult",
  "ScWeatResult",
  "SeriesResult",
  "DetectionResult",
  "WefatResult",
  "DiscoveryResult",
  "RsaResult",
  "RsaGridResult",
  "CeatResult",
  "CeatBatteryResult",
  "MultilevelCeatResult",
  "CeatBootstrapResult",
  "GroupCeatResult",
  "TraitScores",
  "AlignmentResult",
  "AlignmentTable",
  "DominanceResult",
  "EmergentResult",
  "EmergentTruthResult",
  "OrderSensitivityResult",
  "ScreenResult",
  "TemplateChoice",
  "CompareResult",
  "CompareBatteryResult",
  "CompareTraitsResult",
  "Reproduction",
]);
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
 * Results that have no view of their own: the table that every other output prints.
 * @param {Context} context
 * @param {string} type
 * @returns {Child}
 */
function otherTable(context, type) {
  /** @type {{ title: string; heads: string[]; right: boolean[]; cells: string[][]; reading: string[] } | undefined} */
  const found = context.audit.tables[type];
  if (!found) return null;
  const cell = (/** @type {"th" | "td"} */ tag, /** @type {string} */ text, /** @type {number} */ i) =>
    el(tag, { class: found.right[i] ? "n" : null }, bdi(text));
  return [
    el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "plain" },
      el("caption", {}, found.title),
      el("thead", {}, el("tr", {}, found.heads.map((text, i) => cell("th", text, i)))),
      el("tbody", {}, found.cells.map((row) => el("tr", {}, row.map((text, i) => cell("td", text, i))))))),
    found.reading.length ? el("p", { class: "note" }, found.reading.join(" ")) : null,
  ];
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

/**
 * Results that no section shows; intervals and influences belong to a test of the same name, where there is one.
 * @param {Context} context
 */
function otherResults(context) {
  const tests = new Set(context.of("BatteryResult").flatMap(({ result }) => result.tests.map((test) => test.design)));
  for (const type of ["WeatResult", "MleatResult"]) for (const { result } of context.of(type)) tests.add(result.design);
  return context.document.results
    .map((result, i) => ({ result, path: `/results/${i}` }))
    .filter(
      ({ result }) =>
        !OTHER_SHOWN.has(result.type) && !(["BootstrapResult", "InfluenceResult"].includes(result.type) && tests.has(result.design)),
    );
}

view({
  id: "others",
  title: "Other results",
  order: 85,
  applies: (context) => otherResults(context).length > 0,
  build: (context) => [
    el("p", { class: "lead" }, "Results without their own section, as in results.json."),
    [...new Set(otherResults(context).map(({ result }) => result.type))].map((type) => otherTable(context, type)),
    otherResults(context).map(({ result, path }) =>
      opening([otherTitle(result.type), result.design ? [": ", bdi(result.design)] : null], () => otherTree(context, path, result)),
    ),
  ],
});
