// @ts-check
// "Geometry": which of two groups stands with a concept, by how all words lie to each other (representational
// similarity), with the fits of both hypotheses, what they could reach at most, and the dissimilarities themselves.

import { plotMap, plotRanks, plotRows } from "../charts/plots.js";
import {
  PLOT_BH, PLOT_HOLM, plotColumn, plotCoverage, plotFacts, plotMiddle, plotNamed,
} from "../parts/columns.js";
import { data } from "../parts/audits.js";
import { anchors, bdi, el, linked, listed } from "../parts/elements.js";
import { fixed, noNumber, num, pointed, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { testsAnswer, testsChance } from "../tests/entries.js";
import { answerFindings } from "./answers.js";

/**
 * Every comparison with its place, alone or in a grid, with adjusted p-values where there are any.
 * @param {Context} context
 * @returns {GeometryRow[]}
 */
function geoAll(context) {
  const grids = context
    .of("RsaGridResult")
    .flatMap(({ result, path }) =>
      result.tests.map((test, i) => ({ test, path: `${path}/tests/${i}`, bh: `${path}/adjusted/bh/${i}`, holm: `${path}/adjusted/holm/${i}` })),
    );
  const alone = context.of("RsaResult").map(({ result, path }) => ({ test: result, path }));
  const id = anchors("geometry");
  return [...alone, ...grids].map((one) => {
    const name = `${one.test.names[0]} / ${one.test.names[1]}: ${one.test.names[2]}`;
    return { ...one, name, id: id(name) };
  });
}

const GEO_P = "how often a difference as large arises when the names of the groups are exchanged among their items";

/**
 * @param {Context} context
 * @param {GeometryRow[]} rows
 */
function geoTable(context, rows) {
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options),
    adjusted = rows.some((row) => row.bh);
  return table({
    caption: "Which group is closer to the concept?",
    rows,
    note:
      "p takes the items of both groups and of the concept as drawn: how often other items would differ so, were there no " +
      "difference. Exact p exchanges the names of the two groups among these items, with just this concept. The sign test over samples is printed because it was published: " +
      "the samples share items, so its p-values are far too small to be evidence. Attainable: the best fit " +
      "that such a hypothesis can have. Halves: how well two halves of the dimensions agree.",
    columns: [
      { ...plotNamed("groups: concept", (row) => row.name), cell: (row) => linked(row.id, bdi(row.name)) },
      column("agree", "crossed/agreement", { as: "agree", about: data.phrases.agreement.replace("words", "items") }),
      plotNamed("answer", (row) => testsAnswer(context, { at: row.path, bh: row.bh }), "does one group fit better beyond just these items?"),
      column("fit 1", "similarity1", { about: "fit of the hypothesis that the first group is with the concept" }),
      column("fit 2", "similarity2", { about: "fit of the hypothesis that the second group is" }),
      column("\u0394", "statistic", { about: "difference of the two fits over all items at once: what p is about" }),
      column("p", "crossed/pvalue", { as: "p", about: "how often other items would differ so, were there no difference" }),
      ...(adjusted
        ? [
            plotColumn(context, "p (BH)", (row) => row.bh ?? "/none", { as: "p", about: PLOT_BH }),
            plotColumn(context, "p (Holm)", (row) => row.holm ?? "/none", { as: "p", about: PLOT_HOLM }),
          ]
        : []),
      {
        ...column("exact p", "pvalue", { as: "p", method: "monte-carlo", about: GEO_P }),
        cell: (row) => geoP(context, row),
      },
      column("sign test", "sign_pvalue", { as: "p", about: "the published p-value over samples, which is far too small" }),
      column("attainable", "attainable", { about: "the best fit that such a hypothesis can have" }),
      column("halves", "halves", { about: "how well two halves of the dimensions agree; no bound of the fits" }),
    ],
  });
}

/**
 * The p-value, or a dash where no labels were exchanged.
 * @param {Context} context
 * @param {GeometryRow} row
 */
const geoP = (context, row) =>
  row.test.permutations > 0
    ? num(context, `${row.path}/pvalue`, { as: "p", method: "monte-carlo" })
    : noNumber();

/**
 * @param {Context} context
 * @param {GeometryRow[]} rows
 */
function geoFits(context, rows) {
  const shown = rows.slice(0, 40).flatMap((row) =>
    [
      ["x", 0, row.test.names[0], 1, row.test.names[1]],
      ["y", 1, row.test.names[1], 2, row.test.names[0]],
    ].map(([set, i, group, k, other]) => {
      const [low, high] = plotMiddle(context, `${row.path}/samples${k}`),
        fit = row.test[`similarity${k}`];
      return {
        label: `${group} with ${row.test.names[2]}`,
        right: `not ${other}`,
        marks: [{ at: fit, low, high, shape: i, set, hollow: i === 1, title: `${group} with ${row.test.names[2]}: ${fixed(fit)}` }],
        limits: [
          { at: row.test.attainable, title: "attainable" },
        ],
      };
    }),
  );
  return plotRows({
    rows: shown,
    axis: "fit (Spearman\u2019s \u03c1)",
    label: `Fits of ${shown.length} hypotheses, two for each comparison, with what they could reach; the numbers are in the table.`,
    caption:
      "Mean fit of each hypothesis over samples of items, with the middle 95 % of the samples." +
      (rows.length > 40 ? " The first 40 comparisons are drawn." : ""),
    key: [
      { shape: 0, set: "x", text: "the first group is with the concept" },
      { shape: 1, set: "y", hollow: true, text: "the second is" },
      { line: "solid", text: "attainable" },
    ],
  });
}

/**
 * @param {Context} context
 * @param {GeometryRow} row
 */
function geoStrip(context, { test, path }) {
  const rows = [
    ["x", test.names[0], 1],
    ["y", test.names[1], 2],
  ].map(([set, group, k]) => ({ set, group, values: pointed(context.document, `${path}/samples${k}`) }));
  if (!rows.every((row) => Array.isArray(row.values) && row.values.length)) return null;
  /** @param {number[]} values */
  const span = (values) => `${fixed(Math.min(...values))} to ${fixed(Math.max(...values))}`;
  return plotRows({
    rows: rows.map((row) => ({
      label: `${row.group} with ${test.names[2]}`,
      marks: row.values.map((/** @type {Json} */ at) => ({ at, thin: true, set: row.set })),
    })),
    axis: "fit in each sample",
    label:
      `The two fits in each of ${rows[0].values.length} samples of items: from ${span(rows[0].values)} for the first hypothesis, ` +
      `from ${span(rows[1].values)} for the second.`,
    caption: "Each line is one sample of items. Samples overlap, because they draw from the same items.",
  });
}

/** @param {GeometryRow} row */
function geoMap({ test }) {
  const order = ["group1", "group2", "concept"],
    items = order.flatMap((key) => test.items[key] ?? []),
    sizes = order.map((key) => (test.items[key] ?? []).length);
  if (!Array.isArray(test.geometry) || test.geometry.length !== items.length || !Array.isArray(test.geometry[0]))
    return el("p", { class: "note" }, "The page does not contain the dissimilarities; they are in results.json.");
  if (items.length > 300)
    return el(
      "p",
      { class: "note" },
      `A map of ${whole(items.length)} items would be too fine to read; the dissimilarities are in results.json.`,
    );
  return plotMap({
    ranks: plotRanks(test.geometry),
    sizes,
    names: test.names,
    items,
    label: `Map of the dissimilarities of all ${items.length} items, in the order ${test.names.join(", ")}.`,
    caption:
      "Ranks of the dissimilarities of all pairs of items: the stronger the shade, the more unlike the two. " +
      "If the first group is with the concept, the squares where they meet are pale and those of the second group with both are dense.",
  });
}

/**
 * @param {Context} context
 * @param {GeometryRow} row
 */
function geoDetail(context, row) {
  const { test, path } = row,
    [first, second, concept] = test.names,
    chance = testsChance(context, path, "items"),
    larger = test.statistic === 0 ? null : test.statistic > 0 ? first : second;
  return [
    el(
      "p",
      {},
      "Two hypotheses are compared with the model: that ",
      bdi(first),
      " is with ",
      bdi(concept),
      " and ",
      bdi(second),
      " is separate, and the reverse. Over all items ",
      larger === null ? "both fit as well" : ["the fit is better for ", bdi(larger)],
      ...(chance ? ["; ", chance, ". Beyond just these items? ", testsAnswer(context, { at: path, bh: row.bh })] : ["; how sure that is cannot be told"]),
      " (difference ",
      num(context, `${path}/statistic`, { digits: 3 }),
      ", p ",
      num(context, `${path}/crossed/pvalue`, { as: "p" }),
      " for other items, not adjusted).",
      " A fit describes the distances between the words in this model; it does not explain them.",
    ),
    el(
      "p",
      { class: "note warned" },
      "The published sign test over samples gives p = ",
      num(context, `${path}/sign_pvalue`, { as: "p" }),
      ". Do not read it as evidence: the samples share their items, and more samples make it arbitrarily small.",
    ),
    plotFacts([
      [
        "fit 1 (sd over samples)",
        num(context, `${path}/similarity1`, { digits: 3 }),
        " (",
        num(context, `${path}/sd1`, { digits: 3 }),
        ")",
      ],
      [
        "fit 2 (sd over samples)",
        num(context, `${path}/similarity2`, { digits: 3 }),
        " (",
        num(context, `${path}/sd2`, { digits: 3 }),
        ")",
      ],
      ["attainable", num(context, `${path}/attainable`, { digits: 3 })],
      ["agreement of halves", num(context, `${path}/halves`, { digits: 3 })],
      ["exchanges behind p", num(context, `${path}/permutations`, { as: "whole" })],
    ]),
    geoStrip(context, row),
    opening("Map of dissimilarities", () => geoMap(row)),
    plotCoverage(test.coverage),
    opening("Items", () =>
      ["group1", "group2", "concept"].map((key, i) =>
        el("p", {}, el("strong", {}, bdi(test.names[i])), ": ", listed(test.items[key] ?? [])),
      ),
    ),
  ];
}

view({
  id: "geometry",
  title: "Geometry",
  order: 30,
  shows: ["RsaResult", "RsaGridResult"],
  applies: (context) => context.of("RsaResult").length + context.of("RsaGridResult").length > 0,
  build(context) {
    const rows = geoAll(context);
    return [
      answerFindings(context, "geometry"),
      el(
        "p",
        { class: "lead" },
        "Which of two groups is closer to a concept in the space of the model? Here all " +
          "distances between the words count, not only those to the concept.",
      ),
      geoFits(context, rows),
      geoTable(context, rows),
      el("h3", {}, "Each comparison"),
      rows.map((row) => opening(el("span", {}, bdi(row.name)), () => geoDetail(context, row), { id: row.id })),
    ];
  },
});
