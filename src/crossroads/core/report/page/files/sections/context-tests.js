// @ts-check
// One test over contexts: plain words, distribution over samples, levels, pattern, contexts of each word.

import { histogramChart } from "../charts/charts.js";
import { eatMap, mapNamed } from "../charts/maps.js";
import {
  plotColumn, plotCounted, plotCoverage, plotEndsColumn, plotFacts, plotInterval, plotNamed,
} from "../parts/columns.js";
import { data } from "../parts/audits.js";
import { bdi, el, linked } from "../parts/elements.js";
import { computed, fixed, num, part, pointed, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { testsAnswer, testsChance, testsDirection, testsTitled } from "../tests/entries.js";
import { methConventions } from "./methods.js";

/** @param {Titles} [titles] */
export const ctxQuestion = (titles) => (titles && testsTitled(titles) ? `${titles.x} / ${titles.y}: ${titles.a} / ${titles.b}` : "");
/**
 * @param {ContextRow} row
 * @returns {number[]}
 */
const ctxContexts = (row) => Object.values(row.test?.contexts ?? row.levels?.contexts ?? {});
/** @param {ContextRow} row */
const ctxMethod = (row) => ({ method: pointed(row, "/test/stimulus_method") ?? row.levels?.level1.stimulus_method ?? "exact" });

/**
 * The published p-value, which may be too small for a number.
 * @param {Context} context
 * @param {string} path
 */
function ctxPublished(context, path) {
  if (pointed(context.document, `${path}/pvalue`) < 1e-300)
    return num(context, `${path}/pvalue`, { text: "<\u00a01e\u2212300" });
  return num(context, `${path}/pvalue`, { as: "p" });
}

/**
 * Columns that every test has.
 * @param {Context} context
 * @returns {Record<string, Column<ContextRow>>}
 */
export function ctxColumns(context) {
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options);
  /** @param {ContextRow} row */
  const total = (row) => ctxContexts(row).reduce((sum, n) => sum + n, 0);
  const sure = "p-value over samples, as published: sure of almost anything";
  return {
    test: {
      ...plotNamed("test", (row) => row.design),
      cell: (row) => [
        linked(row.id, bdi(ctxQuestion(row.titles) || row.design)),
        testsTitled(row.titles) ? [el("br", {}), el("span", { class: "note" }, bdi(row.design))] : null,
      ],
    },
    agree: column("agree", "crossed/agreement", { as: "agree", about: data.phrases.agreement }),
    answer: plotNamed("answer", (row) => testsAnswer(context, { at: row.path, bh: row.bh }), "do the targets differ beyond just these words?"),
    ces: column("CES", "effect_size", { about: "combined effect size: the weighted mean over samples of one context per word" }),
    other: column("p", "crossed/pvalue", { as: "p", about: "for other words for the same things: targets and attributes drawn" }),
    words: column("p (words)", "stimulus_pvalue", {
      as: "p",
      of: ctxMethod,
      about: "p-value of exchanging the labels of the target words, attributes as they are",
    }),
    published: { ...column("p (published)", "pvalue", { about: sure }), cell: (row) => ctxPublished(context, row.path) },
    tau2: column("\u03c4\u00b2", "tau2", { digits: 3, about: "variance between samples" }),
    i2: column("I\u00b2", "i2", { as: "percent", about: "share of the variation that is between samples" }),
    further: plotEndsColumn(
      context,
      "further samples",
      (row) => `${row.path}/prediction_interval/0`,
      (row) => `${row.path}/prediction_interval/1`,
      "where 95 % of further samples are expected",
    ),
    contexts: {
      title: "contexts",
      about: "contexts of all words together",
      value: total,
      cell: (row) => computed(total(row), { as: "whole" }),
    },
  };
}

/**
 * What the sets of a test stand for; letters of ours where they have no names.
 * @param {ContextRow} row
 * @returns {Titles}
 */
const ctxTitles = ({ titles }) => ({ x: "the first target", y: "the second", a: "the first attribute", b: "the second", ...(testsTitled(titles) ? titles : {}) });

/**
 * What a test over contexts shows, and why its published p-value does not show it.
 * @param {Context} context
 * @param {ContextRow} row
 */
function ctxPlain(context, row) {
  const { path } = row,
    value = pointed(context.document, `${path}/crossed/difference`),
    share = pointed(context.document, `${path}/share_positive`),
    chance = testsChance(context, path);
  return [
    el(
      "p",
      {},
      "Over contexts: ", el("strong", {}, testsDirection(ctxTitles(row), value)),
      chance ? ["; ", chance, ". Do the groups differ beyond just these words? ", testsAnswer(context, { at: path, bh: row.bh })] : "; how sure the direction is cannot be told",
      ". For each of many samples one context was drawn for every word, and the association measured. The combined " +
        "effect size (CES) is their weighted mean: ",
      num(context, `${path}/effect_size`),
      ". ",
      typeof share === "number"
        ? [num(context, `${path}/share_positive`, { as: "percent" }), " of the samples have a positive effect size."]
        : null,
    ),
    el(
      "p",
      {},
      "The p-value for other words for the same things: ",
      num(context, `${path}/crossed/pvalue`, { as: "p" }),
      ". The p-value of exchanging the target words, attributes as they are: ",
      num(context, `${path}/stimulus_pvalue`, { as: "p", ...ctxMethod(row) }),
      ".",
    ),
    el(
      "p",
      { class: "note warned" },
      "The published p-value, ",
      ctxPublished(context, path),
      ", asks whether more samples from the same words and contexts would again have a mean other than zero. " +
        "The more samples are drawn, the smaller it is, so it is sure of almost anything; it says nothing about other words.",
    ),
  ];
}

/**
 * @param {Context} context
 * @param {ContextRow} row
 */
function ctxHistogram(context, row) {
  const counted = plotCounted(context, row.samples);
  if (!counted) return null;
  const read = (/** @type {string} */ key) => pointed(context.document, `${row.path}/${key}`),
    ces = read("effect_size"),
    low = read("prediction_interval/0"),
    high = read("prediction_interval/1");
  return histogramChart({
    ...counted,
    zero: true,
    axis: "effect size of a sample",
    band: typeof low === "number" ? [low, high] : undefined,
    marks: [
      { value: ces, label: "CES", kind: "strong" },
      { value: read("stimulus_effect_size") ?? NaN, label: "words over all contexts", kind: "dashed" },
    ],
    label:
      `Effect sizes of ${whole(counted.n)} samples, from ${fixed(counted.low)} to ${fixed(counted.high)}; ` +
      `the combined effect size is ${fixed(ces)}.`,
    caption:
      `Effect sizes of ${whole(counted.n)} samples of one context per word. Shaded: where 95 % of further samples are expected. ` +
      "Dashed: the effect size of the words over all their contexts.",
  });
}

const CTX_EXCHANGED = "p-value of exchanging labels: those of the target words at Level 1, those of the attribute words at Level 2";

/**
 * @param {Context} context
 * @param {ContextRow} row
 */
function ctxLevels(context, { levels, levelsPath }) {
  const { titles } = levels;
  const rows = [
    { name: "Level 1: both targets", path: `${levelsPath}/level1`, level: levels.level1 },
    ...["x", "y"].map((key) => ({
      name: `Level 2: ${titles[key]}`,
      path: `${levelsPath}/level2/${key}`,
      level: levels.level2[key],
    })),
  ];
  const { ces, published, tau2, i2 } = ctxColumns(context),
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options),
    method = (/** @type {Json} */ row) => ({ method: row.level.stimulus_method });
  /** @type {MakeColumn} */
  const cosines = (title, key, options) => plotColumn(context, title, (pair) => `${levelsPath}/level3/${pair}/${key}`, options);
  /** @type {Record<string, Role[]>} */
  const names = { ax: ["a", "x"], bx: ["b", "x"], ay: ["a", "y"], by: ["b", "y"] },
    third = Object.keys(levels.level3);
  return [
    table({
      caption: `${levels.design}: Levels 1 and 2 over contexts`,
      rows,
      columns: [
        plotNamed("level", (row) => row.name),
        ces,
        column("se", "se", { digits: 4, about: "standard error of the CES over samples, which says nothing about other words" }),
        column("p (words)", "stimulus_pvalue", { as: "p", of: method, about: CTX_EXCHANGED }),
        column("d of the words", "stimulus_effect_size", { about: "effect size when each word counts by its mean over all its contexts" }),
        published,
        tau2,
        i2,
        plotEndsColumn(
          context,
          "middle 95\u202f% of samples",
          (row) => `${row.path}/sample_interval/0`,
          (row) => `${row.path}/sample_interval/1`,
          "the middle 95 % of the effect sizes of samples",
        ),
      ],
    }),
    table({
      caption: `${levels.design}, Level 3: mean cosine of each target with each attribute`,
      rows: third,
      columns: [
        plotNamed("sets", (key) =>
          names[key]
            .map((set) => titles[set])
            .reverse()
            .join(" with "),
        ),
        cosines("mean", "mean", { digits: 3, about: "mean cosine, combined over samples" }),
        cosines("se", "se", { digits: 6, about: "standard error of that mean over samples" }),
        cosines("sd in a sample", "sd", { digits: 3, about: "standard deviation of the cosines within a sample" }),
        cosines("over all contexts", "expected", { digits: 3, about: "mean cosine when every context of every word counts" }),
        cosines("pairs", "pairs", { as: "whole", about: "pairs of words in a sample" }),
      ],
    }),
  ];
}

/**
 * @param {Context} context
 * @param {ContextRow} row
 */
function ctxPattern(context, { levels, levelsPath }) {
  const { titles } = levels;
  const shares = Object.entries(levels.pattern_shares)
    .filter(([, share]) => share > 0)
    .sort((a, b) => b[1] - a[1]);
  const pattern = String(levels.crossed_pattern);
  return [
    el("h4", {}, "Pattern"),
    el(
      "p",
      {},
      "By the p-values for other words: ",
      el("strong", {}, mapNamed(pattern, titles)),
      "; by the rule of the paper, which takes the attribute words as given, it would be ",
      mapNamed(levels.pattern, titles),
      "; by the published p-values over contexts it would be ",
      mapNamed(levels.published_pattern, titles),
      ". ",
      "In single samples it varies: the table says which share of the samples shows which pattern, by the rule of the paper.",
    ),
    el(
      "div",
      { class: "beside" },
      eatMap({
        titles,
        pattern,
        level2: levels.level2,
        caption: [el("strong", {}, mapNamed(pattern, titles)), ". Effect sizes of Level 2, combined over samples."],
      }),
      table({
        caption: `${levels.design}: patterns of single samples`,
        rows: shares,
        search: false,
        columns: [
          plotNamed("pattern", ([name]) => name),
          plotColumn(context, "share of samples", ([name]) => `${levelsPath}/pattern_shares/${part(name)}`, { as: "percent", digits: 1 }),
        ],
      }),
    ),
  ];
}

/**
 * @param {Context} context
 * @param {ContextRow} row
 */
export function ctxDetail(context, row) {
  const path = row.test ? row.path : row.levelsPath,
    words = Object.entries(row.test?.contexts ?? row.levels?.contexts ?? {}).sort((a, b) => a[1] - b[1]);
  /**
   * @param {string} name
   * @param {string} key
   * @param {Shown} [options]
   */
  const column = (name, key, options) => [name, num(context, `${row.path}/${key}`, options)];
  const conventions = (row.test ?? row.levels).conventions;
  return [
    ctxPlain(context, row),
    plotFacts([
      column("CES", "effect_size", { digits: 3 }),
      column("standard error over samples", "se", { digits: 4 }),
      column("\u03c4\u00b2", "tau2", { digits: 4 }),
      column("I\u00b2", "i2", { as: "percent", digits: 1 }),
      column("d of the words over all contexts", "stimulus_effect_size", { digits: 3 }),
      column("p over words", "stimulus_pvalue", { as: "p", ...ctxMethod(row) }),
      row.holm ? ["p for other words (Holm)", num(context, row.holm, { as: "p" })] : null,
      row.bh ? ["p for other words (BH)", num(context, row.bh, { as: "p" })] : null,
      ["further samples, 95 %", plotInterval(context, `${row.path}/prediction_interval/0`, `${row.path}/prediction_interval/1`)],
    ]),
    ctxHistogram(context, row),
    row.levels ? [ctxPattern(context, row), ctxLevels(context, row)] : null,
    words.length
      ? el(
          "div",
          { class: "tall" },
          table({
            caption: `${row.design}: contexts of each word, fewest first; words with few contexts have the same weight as others`,
            rows: words,
            columns: [
              plotNamed("word", ([word]) => word),
              plotColumn(context, "contexts", ([word]) => `${path}/contexts/${part(word)}`, { as: "whole" }),
            ],
          }),
        )
      : null,
    plotCoverage((row.test ?? row.levels).coverage),
    opening("Conventions", () => methConventions(conventions)),
  ];
}
