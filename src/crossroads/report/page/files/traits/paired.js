// @ts-check
// Parts of "Traits" about two identities said together, and about the survey that scores are held against.

import { plotColumn, plotEndsColumn, plotFacts, plotNamed } from "../parts/columns.js";
import { el, listed } from "../parts/elements.js";
import { computed, fixed, num, part, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { traitTitle } from "./measures.js";

export const PAIRED_TYPES = ["DominanceResult", "EmergentResult", "EmergentTruthResult", "OrderSensitivityResult"];

/**
 * Which domain the scores of pairs follow: a table of all pairs of domains, and the same as a matrix of words.
 * @param {Context} context
 * @param {Found} found
 */
function pairedDominance(context, { result, path }) {
  /** @param {Json} row */
  const winner = (row) => {
    const difference = row.correlation1 - row.correlation2;
    if (row.low === null || (row.low <= 0 && row.high >= 0)) return "neither";
    return Math.abs(difference) < result.least - 1e-9 ? "neither" : difference > 0 ? row.domain1 : row.domain2;
  };
  const drawn = result.conventions.exchange ? "monte-carlo" : undefined; // files of earlier versions exchanged components
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (i) => `${path}/domain_pairs/${i}/${key}`, options),
    rows = result.domain_pairs.map((_, i) => i);
  /**
   * @param {string} one
   * @param {string} other
   */
  const cell = (one, other) => {
    const row = result.domain_pairs.find((r) => (r.domain1 === one && r.domain2 === other) || (r.domain1 === other && r.domain2 === one));
    if (one === other || !row) return "\u00b7";
    const first = winner(row);
    return first === "neither" ? "= neither" : first === one ? "\u25b8 prevails" : "\u25c2 yields";
  };
  return [
    el("h3", {}, "Which identity prevails"),
    el(
      "p",
      {},
      "Where two identities are said together, the traits of the pair may follow one of them more closely. A domain " +
        "prevails where its mean rank correlation with the pair is larger by at least ",
      num(context, `${path}/least`),
      " and the interval of the difference leaves out 0.",
    ),
    table({
      caption: "Domains in rows against domains in columns",
      rows: result.domains,
      search: false,
      columns: [plotNamed("domain", (one) => one), ...result.domains.map((other) => plotNamed(other, (one) => cell(one, other)))],
    }),
    table({
      caption: "Pairs of domains",
      rows,
      columns: [
        plotNamed("domain 1", (i) => result.domain_pairs[i].domain1),
        plotNamed("domain 2", (i) => result.domain_pairs[i].domain2),
        column("\u03c4 with 1", "correlation1", { about: "mean rank correlation of the pair with its identity of domain 1" }),
        column("\u03c4 with 2", "correlation2", { about: "the same with its identity of domain 2" }),
        {
          title: "difference",
          about: "\u03c4 with 1 less \u03c4 with 2",
          value: (i) => result.domain_pairs[i].correlation1 - result.domain_pairs[i].correlation2,
          cell: (i) => computed(result.domain_pairs[i].correlation1 - result.domain_pairs[i].correlation2),
        },
        plotEndsColumn(
          context,
          `${fixed(100 * result.level, 0)}\u202f%`,
          (i) => `${path}/domain_pairs/${i}/low`,
          (i) => `${path}/domain_pairs/${i}/high`,
          "interval of the difference, had other groups of both domains been drawn",
        ),
        column("p", "pvalue", { as: "p", method: drawn, about: "how often groups of domains that do not prevail would give a difference as large" }),
        column("q", "qvalue", { as: "p", method: drawn, about: "p, adjusted for the number of pairs of domains (Benjamini and Hochberg)" }),
        column("pairs", "pairs", { as: "whole", about: "pairs of identities, both orders counted" }),
        plotNamed("prevails", (i) => winner(result.domain_pairs[i])),
      ],
    }),
  ];
}

/**
 * What makes a trait emergent, in words.
 * @param {Context} context
 * @param {string} path
 * @param {Json} held
 */
const pairedRule = (context, path, held) =>
  el(
    "p",
    {},
    "A trait may emerge where a pair of identities scores above both of them, or below both. ",
    held
      ? [
          "It counts as emergent where this is rare among ordinary pairs: q, adjusted for all ",
          num(context, `${path}/tests`, { as: "whole" }),
          " combinations looked at, is at most ",
          num(context, `${path}/fdr`),
          ".",
        ]
      : "No null was asked for, so that every such score is listed.",
  );

/**
 * @param {Context} context
 * @param {Found} found
 */
function pairedEmergent(context, { result, path }) {
  const held = !Array.isArray(result.qvalue) || result.qvalue.length > 0,
    head = [el("h3", {}, "Traits that emerge in pairs"), pairedRule(context, path, held)];
  if (!Array.isArray(result.increase) || !Array.isArray(result.pair_index))
    return [head, el("p", { class: "note" }, "There are too many for this page; all are in results.json.")];
  const rows = result.increase.map((_, i) => ({
    i,
    pair: result.pairs[result.pair_index[i]],
    of: result.components[result.pair_index[i]],
    trait: result.traits[result.trait_index[i]],
    above: result.above[i],
    counts: held && result.qvalue?.[i] <= result.fdr,
  }));
  const has = (/** @type {string} */ key) => Array.isArray(result[key]) && result[key].length === rows.length,
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (row) => `${path}/${key}/${row.i}`, options);
  const count = computed(rows.filter((row) => row.counts).length, { as: "whole" });
  return [
    head,
    held ? el("p", {}, count, " of ", computed(rows.length, { as: "whole" }), " scores beyond both components count as emergent.") : null,
    el(
      "div",
      { class: "tall" },
      table({
        caption: "Scores beyond both components, furthest first",
        rows,
        filters: [
          { title: "Pair", value: (/** @type {Json} */ row) => row.pair },
          held && { title: "Counts", value: (/** @type {Json} */ row) => (row.counts ? "emergent" : "not emergent") },
        ].filter(Boolean),
        columns: [
          plotNamed("pair", (row) => row.pair),
          plotNamed("of", (row) => row.of.join(" + ")),
          plotNamed("trait", (row) => row.trait),
          plotNamed("direction", (row) => (row.above ? "\u25b2 above both" : "\u25bc below both")),
          column("beyond by", "increase", { digits: 3, about: "how far the score of the pair is beyond that of the nearer identity" }),
          column("nearer component", "component_score", { digits: 3, about: "the score of that identity alone" }),
          has("pvalue") && column("p", "pvalue", { as: "p", about: "chance of a score as far out if the pair were an ordinary one" }),
          has("qvalue") && column("q", "qvalue", { as: "p", about: "p, adjusted for all that was looked at (Benjamini and Hochberg)" }),
        ].filter(Boolean),
      }),
    ),
  ];
}

/**
 * @param {Context} context
 * @param {Found} found
 */
function pairedTruth(context, { result, path }) {
  /**
   * @param {string} name
   * @param {string} key
   * @param {Shown} [options]
   */
  const fact = (name, key, options) => [name, num(context, `${path}/${key}`, options)];
  return [
    el("h3", {}, "Emergent traits and a given list"),
    plotFacts([
      fact("precision", "precision"),
      fact("precision by chance", "chance_precision"),
      fact("recall", "recall"),
      fact("recall by chance", "chance_recall"),
      fact("p", "pvalue", { as: "p", method: "monte-carlo" }),
      fact("draws", "permutations", { as: "whole" }),
    ]),
    table({
      caption: "Pairs of the list",
      rows: result.by_pair,
      columns: [
        plotNamed("pair", (row) => row.pair),
        plotNamed("detected", (row) => row.detected.join(", ") || "none"),
        plotNamed("on the list", (row) => row.true.join(", ") || "none"),
      ],
    }),
  ];
}

/** @type {Record<string, string>} */
const PAIRED_MEANS = {
  highest: "with the component that correlates more",
  first: "with the first component",
  second: "with the second component",
  difference: "second less first",
  reversed: "between the two orders of a pair",
};

/**
 * @param {Context} context
 * @param {Found} found
 */
function pairedOrder(context, { result, path }) {
  const means = Object.keys(PAIRED_MEANS).filter((key) => result[key]),
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (name) => `${path}/${name}/${key}`, options);
  return [
    el("h3", {}, "Does the order of two identities matter?"),
    table({
      caption: "Mean rank correlations of pairs with their components",
      rows: means,
      search: false,
      columns: [
        plotNamed("correlation", (name) => PAIRED_MEANS[name]),
        column("mean \u03c4", "mean"),
        plotEndsColumn(
          context,
          "interval",
          (name) => `${path}/${name}/low`,
          (name) => `${path}/${name}/high`,
        ),
        column("pairs", "pairs", { as: "whole" }),
      ],
    }),
    opening(`All ${whole(result.pairs.length)} pairs`, () =>
      table({
        caption: "Rank correlation of each pair with its components",
        rows: result.pairs.map((_, i) => i),
        columns: [
          plotNamed("pair", (i) => result.pairs[i]),
          plotNamed("components", (i) => result.components[i].join(" + ")),
          plotColumn(context, "\u03c4 with the first", (i) => `${path}/tau_first/${i}`),
          plotColumn(context, "\u03c4 with the second", (i) => `${path}/tau_second/${i}`),
        ],
      }),
    ),
  ];
}

/** @param {Context} context */
export const pairedParts = (context) => [
  context.of("DominanceResult").map((one) => pairedDominance(context, one)),
  context.of("OrderSensitivityResult").map((one) => pairedOrder(context, one)),
  context.of("EmergentResult").map((one) => pairedEmergent(context, one)),
  context.of("EmergentTruthResult").map((one) => pairedTruth(context, one)),
];

/**
 * @param {Context} context
 * @param {Found} found
 */
function surveyScreen(context, { result, path }) {
  const rows = [
    ...result.passed.map((/** @type {string} */ name) => ({ name, why: "\u2713 kept" })),
    ...Object.entries(result.failed).map(([name, reasons]) => ({ name, why: `\u2717 left out: ${reasons.join("; ")}` })),
  ];
  return [
    el("h3", {}, "Who passed the tests of the survey"),
    el("p", {}, computed(result.passed.length, { as: "whole" }), " of ", computed(rows.length, { as: "whole" }), " people are kept."),
    table({
      caption: "People asked",
      rows,
      filters: [{ title: "Outcome", value: (row) => (row.why.startsWith("\u2713") ? "kept" : "left out") }],
      columns: [
        plotNamed("person", (row) => row.name),
        plotNamed("outcome", (row) => row.why),
        plotColumn(context, "agreement with themselves", (row) => `${path}/agreement/${part(row.name)}`),
      ],
    }),
  ];
}

/**
 * @param {Context} context
 * @param {Found} found
 */
function surveyTemplates(context, { result, path }) {
  const chosen = new Set(result.templates);
  return [
    el("h3", {}, "Choice of templates"),
    el(
      "p",
      {},
      `For ${traitTitle(result.measure)}, `,
      computed(chosen.size, { as: "whole" }),
      " of ",
      computed(result.candidates.length, { as: "whole" }),
      " templates were chosen on a pilot set, with which their mean scores agree by \u03c4 = ",
      num(context, `${path}/kendall_tau`),
      ". The groups of the pilot set should be left out of what is reported: ",
      listed(result.groups),
      ".",
    ),
    table({
      caption: "Templates",
      rows: result.candidates.map((_, i) => i),
      columns: [
        plotNamed("template", (i) => result.candidates[i]),
        plotNamed("chosen", (i) => (chosen.has(result.candidates[i]) ? "\u2713 yes" : "no")),
        plotColumn(context, "\u03c4 alone", (i) => `${path}/single_tau/${i}`),
      ],
    }),
  ];
}

/** @param {Context} context */
export const surveyParts = (context) => [
  context.of("ScreenResult").map((one) => surveyScreen(context, one)),
  context.of("TemplateChoice").map((one) => surveyTemplates(context, one)),
];
