// @ts-check
// Parts of "Traits" about two identities said together: which of them prevails, whether their order matters, and
// which traits neither of them has by itself. Each is told in words and drawn; its numbers stand behind.

import { PLOT_SQUARE, plotRows } from "../charts/plots.js";
import { plotColumn, plotEndsColumn, plotFacts, plotInterval, plotNamed } from "../parts/columns.js";
import { anchors, bdi, el } from "../parts/elements.js";
import { computed, fixed, num, numbered, pointed, whole } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { traitTitle } from "./measures.js";

export const PAIRED_TYPES = ["DominanceResult", "EmergentResult", "EmergentTruthResult", "OrderSensitivityResult"];

const PAIRED_SAID = 3;

/**
 * A heading, with the scores that it is about where there are several.
 * @param {Context} context
 * @param {Found} found
 * @param {string} title
 */
const pairedHead = (context, { result }, title) =>
  el("h3", {}, title, context.of(result.type).length > 1 ? [" ", el("span", { class: "note" }, bdi(traitTitle(result.conventions.scores ?? "")))] : null);

/**
 * Differences of two domains, turned so that the one that pairs follow more closely comes first.
 * @param {Found} found
 * @returns {Json[]}
 */
const pairedDomains = ({ result, path }) =>
  result.domain_pairs
    .map((row, i) => {
      const signed = row.correlation1 - row.correlation2,
        turned = signed < 0,
        known = row.low !== null;
      return {
        i,
        at: `${path}/domain_pairs/${i}`,
        more: turned ? row.domain2 : row.domain1,
        less: turned ? row.domain1 : row.domain2,
        difference: Math.abs(signed),
        low: known ? (turned ? -row.high : row.low) : undefined,
        high: known ? (turned ? -row.low : row.high) : undefined,
        prevails: known && !(row.low <= 0 && row.high >= 0) && Math.abs(signed) >= result.least - 1e-9,
      };
    })
    .sort((one, other) => Number(other.prevails) - Number(one.prevails) || other.difference - one.difference);

/**
 * Which domains prevail, in words.
 * @param {Json[]} domains
 */
function pairedTold(domains) {
  const found = domains.filter((row) => row.prevails);
  return el(
    "p",
    {},
    found.length
      ? [
          "Where two identities are said together, the traits of the pair follow ",
          found.slice(0, PAIRED_SAID).map((row, i) => [i ? "; " : "", el("strong", {}, bdi(row.more)), " rather than ", bdi(row.less), " (by ", computed(row.difference), ")"]),
          found.length > PAIRED_SAID ? `; and so on in ${whole(found.length - PAIRED_SAID)} more pairs of domains` : "",
          found.length < domains.length ? `. In the other ${numbered(domains.length - found.length, "pair")} of domains it cannot be told yet which prevails.` : ".",
        ]
      : "Where two identities are said together, it cannot be told yet of any two domains which of them the traits of the pair follow more closely.",
  );
}

/** @param {Json[]} domains */
const pairedPrevails = (domains) =>
  plotRows({
    rows: domains.slice(0, 30).map((row) => ({
      label: row.less,
      right: row.more,
      marks: [
        {
          at: row.difference,
          low: row.low,
          high: row.high,
          hollow: !row.prevails,
          title: `${flat(row.more)} more than ${flat(row.less)} by ${fixed(row.difference)}${row.prevails ? "" : "; cannot be told yet to prevail"}`,
        },
      ],
    })),
    axis: "\u2190 pairs follow the identity on the left \u00b7 follow the one on the right \u2192",
    label: `By how much pairs follow one identity more closely than the other, for ${numbered(domains.length, "pair")} of domains; the numbers are in a table below.`,
    caption:
      "Difference of the mean rank correlations of a pair with its two identities, with its interval. Filled: the domain on the right prevails; hollow: cannot tell yet." +
      (domains.length > 30 ? " The 30 largest are drawn." : ""),
  });

/**
 * Which domain the scores of pairs follow: a sentence, a picture, and behind it a table of all pairs of domains.
 * @param {Context} context
 * @param {Found} found
 * @param {string} id
 */
function pairedDominance(context, found, id) {
  const { result, path } = found,
    domains = pairedDomains(found);
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.at}/${key}`, options);
  return [
    pairedHead(context, found, "Which identity prevails"),
    pairedTold(domains),
    domains.length ? pairedPrevails(domains) : null,
    el(
      "p",
      { class: "note" },
      "A domain prevails where its mean rank correlation with the pair is larger by at least ",
      num(context, `${path}/least`),
      " and the interval of the difference leaves out 0.",
    ),
    opening(
      "Domains in numbers",
      () =>
        table({
          caption: "Pairs of domains",
          rows: domains,
          columns: [
            plotNamed("domain 1", (row) => result.domain_pairs[row.i].domain1),
            plotNamed("domain 2", (row) => result.domain_pairs[row.i].domain2),
            column("\u03c4 with 1", "correlation1", { about: "mean rank correlation of the pair with its identity of domain 1" }),
            column("\u03c4 with 2", "correlation2", { about: "the same with its identity of domain 2" }),
            {
              title: "difference",
              about: "\u03c4 with 1 less \u03c4 with 2",
              value: (row) => result.domain_pairs[row.i].correlation1 - result.domain_pairs[row.i].correlation2,
              cell: (row) => computed(result.domain_pairs[row.i].correlation1 - result.domain_pairs[row.i].correlation2),
            },
            plotEndsColumn(
              context,
              `${fixed(100 * result.level, 0)}\u202f%`,
              (row) => `${row.at}/low`,
              (row) => `${row.at}/high`,
              "interval of the difference, had other groups of both domains been drawn",
            ),
            column("p", "pvalue", { as: "p", about: "how often groups of domains that do not prevail would give a difference as large" }),
            column("q", "qvalue", { as: "p", about: "p, adjusted for the number of pairs of domains (Benjamini and Hochberg)" }),
            column("pairs", "pairs", { as: "whole", about: "pairs of identities, both orders counted" }),
            plotNamed("prevails", (row) => (row.prevails ? row.more : "neither")),
          ],
        }),
      { id: `${id}-numbers` },
    ),
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
 * Where a pair lies beyond both of its identities, in words: "more warm", or towards the right end of a pair of traits.
 * @param {Json} row
 */
function pairedBeyond({ trait, above }) {
  const ends = trait.split("-");
  return ends.length === 2 ? `more ${ends[above ? 1 : 0]}` : `${above ? "more" : "less"} ${trait}`;
}

/**
 * @param {Found} found
 * @param {boolean} held
 * @returns {Json[]}
 */
const pairedScores = ({ result }, held) =>
  result.increase.map((/** @type {number} */ increase, /** @type {number} */ i) => ({
    i,
    increase,
    nearer: result.component_score[i],
    score: result.component_score[i] + (result.above[i] ? increase : -increase),
    pair: result.pairs[result.pair_index[i]],
    of: result.components[result.pair_index[i]],
    trait: result.traits[result.trait_index[i]],
    above: result.above[i],
    counts: held && result.qvalue?.[i] <= result.fdr,
  }));

const PAIRED_DRAWN = 15;

/** @param {Json[]} rows */
const pairedLines = (rows) =>
  plotRows({
    rows: rows.slice(0, PAIRED_DRAWN).map((row) => ({
      label: row.pair,
      right: pairedBeyond(row),
      joined: true,
      marks: [
        { at: row.nearer, shape: PLOT_SQUARE, hollow: true, set: "y", title: `the closer of ${flat(row.of.join(" and "))}: ${fixed(row.nearer)}` },
        { at: row.score, set: "x", title: `${flat(row.pair)}: ${fixed(row.score)}` },
      ],
    })),
    axis: "score of the trait",
    label: `Scores of ${whole(Math.min(rows.length, PAIRED_DRAWN))} pairs on a trait next to the closer of their two identities; the numbers are in a table below.`,
    caption:
      "The other identity lies on the far side of the square." +
      (rows.length > PAIRED_DRAWN ? ` The ${PAIRED_DRAWN} that lie furthest out are drawn.` : ""),
    key: [
      { set: "x", text: "both identities together" },
      { shape: PLOT_SQUARE, hollow: true, set: "y", text: "the closer of the two alone" },
    ],
  });

/**
 * @param {Json[]} rows
 * @param {boolean} held
 */
function pairedFound(rows, held) {
  const counted = rows.filter((row) => row.counts),
    count = (/** @type {Json[]} */ some) => computed(some.length, { as: "whole" });
  if (!held) return null;
  if (!counted.length) return el("p", {}, "Of no trait it can be told yet that it emerges: none of ", count(rows), " scores beyond both identities is rarer than ordinary pairs bring about.");
  return el(
    "p",
    {},
    count(counted), " of ", count(rows), " scores beyond both components count as emergent. The furthest: ",
    counted.slice(0, PAIRED_SAID).map((row, i) => [
      i ? "; " : "", el("strong", {}, bdi(row.pair)), ` is ${pairedBeyond(row)} than either `, bdi(row.of[0]), " or ", bdi(row.of[1]), " alone",
    ]),
    ".",
  );
}

/**
 * @param {Context} context
 * @param {Found} found
 * @param {string} id
 */
function pairedEmergent(context, found, id) {
  const { result, path } = found,
    held = !Array.isArray(result.qvalue) || result.qvalue.length > 0,
    title = pairedHead(context, found, "Traits that emerge in pairs"),
    rule = pairedRule(context, path, held);
  if (!Array.isArray(result.increase) || !Array.isArray(result.pair_index))
    return [title, rule, el("p", { class: "note" }, "There are too many for this page; all are in results.json.")];
  const rows = pairedScores(found, held),
    drawn = held ? rows.filter((row) => row.counts) : rows;
  const has = (/** @type {string} */ key) => Array.isArray(result[key]) && result[key].length === rows.length,
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (row) => `${path}/${key}/${row.i}`, options);
  return [
    title,
    pairedFound(rows, held),
    rule,
    drawn.length ? pairedLines(drawn) : null,
    opening(
      "Every score beyond both identities",
      () =>
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
              column("beyond by", "increase", { digits: 3, about: "how far the score of the pair is beyond that of the closer identity" }),
              column("closer component", "component_score", { digits: 3, about: "the score of that identity alone" }),
              has("pvalue") && column("p", "pvalue", { as: "p", about: "chance of a score as far out if the pair were an ordinary one" }),
              has("qvalue") && column("q", "qvalue", { as: "p", about: "p, adjusted for all that was looked at (Benjamini and Hochberg)" }),
            ].filter(Boolean),
          }),
        ),
      { id: `${id}-numbers` },
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
      fact("draws", "draws", { as: "whole" }),
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
  difference: "second minus first",
  reversed: "between the two orders of a pair",
};
/**
 * What is drawn: [mean, where each pair stands, what it is].
 * @type {string[][]}
 */
const PAIRED_LINES = [
  ["first", "tau_first", "with the identity said first"],
  ["second", "tau_second", "with the identity said second"],
  ["reversed", "tau_reversed", "between the two orders"],
];

/**
 * Whether order matters, in words.
 * @param {Context} context
 * @param {Found} found
 */
function pairedOrdered(context, { result, path }) {
  const { difference } = result;
  if (!difference) return el("p", {}, "No pair was said in both orders, so that it cannot be told whether the order matters.");
  const apart = difference.low > 0 || difference.high < 0,
    more = difference.mean > 0 ? "second" : "first";
  return el(
    "p",
    {},
    apart
      ? ["Yes: the traits of a pair follow the identity that is said ", el("strong", {}, more), " more closely"]
      : "Cannot tell yet: the traits of a pair may follow the identity said first or the one said second more closely",
    " (difference of the mean rank correlations, second minus first: ",
    num(context, `${path}/difference/mean`),
    " ",
    plotInterval(context, `${path}/difference/low`, `${path}/difference/high`),
    "). The two orders of a pair agree with each other by \u03c4 = ",
    num(context, `${path}/reversed/mean`),
    ", where 1 would mean that order is of no account.",
  );
}

/** @param {Found} found */
function pairedTaus({ result }) {
  const rows = PAIRED_LINES.filter(([key]) => result[key]).map(([key, each, label]) => {
    const mean = result[key],
      one = pointed(result, `/${each}`);
    return {
      label,
      marks: [
        ...(Array.isArray(one) ? one.filter(Number.isFinite).map((at) => ({ at, thin: true })) : []),
        { at: mean.mean, low: mean.low, high: mean.high, set: "x", title: `${label}: ${fixed(mean.mean)}` },
      ],
    };
  });
  return rows.length
    ? plotRows({
        rows,
        axis: "rank correlation of traits (\u03c4)",
        label: "Rank correlations of pairs with the identity said first, with the one said second, and between both orders; the numbers are in a table below.",
        caption: "Each thin line is a pair; the dot is the mean over pairs, with its interval.",
      })
    : null;
}

/**
 * @param {Context} context
 * @param {Found} found
 * @param {string} id
 */
function pairedOrder(context, found, id) {
  const { result, path } = found,
    means = Object.keys(PAIRED_MEANS).filter((key) => result[key]),
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (name) => `${path}/${name}/${key}`, options);
  return [
    pairedHead(context, found, "Does the order of two identities matter?"),
    pairedOrdered(context, found),
    pairedTaus(found),
    opening(
      "Order in numbers",
      () => [
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
      ],
      { id: `${id}-numbers` },
    ),
  ];
}

/** @param {Context} context */
export function pairedParts(context) {
  const id = anchors("pairs");
  return [
    context.of("OrderSensitivityResult").map((one) => pairedOrder(context, one, id(one.name))),
    context.of("DominanceResult").map((one) => pairedDominance(context, one, id(one.name))),
    context.of("EmergentResult").map((one) => pairedEmergent(context, one, id(one.name))),
    context.of("EmergentTruthResult").map((one) => pairedTruth(context, one)),
  ];
}
