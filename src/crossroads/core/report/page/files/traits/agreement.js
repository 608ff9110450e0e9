// @ts-check
// Parts of "Traits": how far the scores of a model agree with what people say.

import { plotRows } from "../charts/plots.js";
import {
  plotColumn, plotCoverage, plotEndsColumn, plotFacts, plotInterval, plotNamed,
} from "../parts/columns.js";
import { anchors, bdi, el, linked } from "../parts/elements.js";
import { fixed, num, numbered, part } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { methConventions } from "../sections/methods.js";

/**
 * @param {Context} context
 * @returns {Aligned[]}
 */
export function traitAlignments(context) {
  const id = anchors("alignment");
  return context.of("AlignmentResult").map(({ result, path, name }) => {
    const short = name.replace(/ alignment$/, "");
    return { result, path, name: short, id: id(short) };
  });
}

/**
 * Whether scores agree with people: 1, \u22121 where they reverse what people say, 0 where it cannot be told; null
 * where no interval is known.
 * @param {Result} result
 */
const traitAgrees = ({ interval }) => (!interval ? null : interval[0] > 0 ? 1 : interval[1] < 0 ? -1 : 0);

/** @type {Record<string, string>} */
const TRAIT_AGREES = {
  1: "orders traits within groups as people do, more often than not",
  0: "may or may not agree with people, which cannot be told yet: other groups and traits could turn the agreement around",
  "-1": "orders traits the other way round than people do, more often than not",
  null: "was compared with people on too few groups to say how far the agreement would reach beyond them",
};

/**
 * What was found about one set of scores, in words.
 * @param {Context} context
 * @param {Aligned} one
 */
const traitAgreement = (context, { result, path, name }) => [
  el("strong", {}, bdi(name)),
  ` ${TRAIT_AGREES[String(traitAgrees(result))]} (\u03c4 = `,
  num(context, `${path}/kendall_tau`),
  result.interval ? [", 95 % interval ", plotInterval(context, `${path}/interval/0`, `${path}/interval/1`)] : null,
  typeof result.ceiling === "number" ? ["; people themselves would reach ", num(context, `${path}/ceiling`)] : null,
  `, over ${numbered(Object.keys(result.by_group).length, "group")})`,
];

/**
 * Agreement with people, a line for each set of scores, next to what people themselves would reach.
 * @param {{ name: string, result: Result }[]} rows
 */
export const agreementPlot = (rows) =>
  plotRows({
    rows: rows.map(({ result, name }) => ({
      label: name,
      marks: [
        {
          at: result.kendall_tau,
          low: result.interval?.[0],
          high: result.interval?.[1],
          hollow: !traitAgrees(result),
          title: `${flat(name)}: ${fixed(result.kendall_tau)}`,
        },
      ],
      limits: typeof result.ceiling === "number" ? [{ at: result.ceiling, title: `ceiling: ${fixed(result.ceiling)}` }] : [],
    })),
    most: 300,
    axis: "\u2190 the reverse of what people say \u00b7 rank agreement \u03c4 \u00b7 as people say \u2192",
    label: `Agreement of ${numbered(rows.length, "set")} of scores with people; the numbers are in a table.`,
    caption: "Rank agreement with people, with its interval, had other groups and traits been drawn. Hollow: the interval holds 0, or there is none.",
    key: [
      { text: "the model with people" },
      ...(rows.some(({ result }) => typeof result.ceiling === "number") ? [{ line: "solid", text: "ceiling: what people themselves would reach" }] : []),
    ],
  });

const TRAIT_SAID = 4;

/**
 * What was found about agreement with people, and all of it in one picture.
 * @param {Context} context
 * @param {Aligned[]} rows
 */
export function traitAgreements(context, rows) {
  const agree = rows.filter(({ result }) => traitAgrees(result) === 1).length;
  return [
    rows.length > TRAIT_SAID
      ? el("p", {}, `Scores were compared with people ${rows.length} times, by measure and by who was asked; they agree beyond chance in ${agree}. The closest: `,
          traitAgreement(context, rows.reduce((best, one) => (one.result.kendall_tau > best.result.kendall_tau ? one : best))), ".")
      : rows.map((one) => el("p", {}, traitAgreement(context, one), ".")),
    agreementPlot(rows),
    el("p", { class: "note" }, "Agreement says that a model repeats what the people asked think of groups; it does not make either of them right."),
  ];
}

/**
 * Agreement on each group, the closest first, with the ceiling that people set for it.
 * @param {Result} result
 */
function traitGroups(result) {
  const groups = Object.entries(result.by_group)
    .filter(([, one]) => typeof one.kendall_tau === "number")
    .sort((one, other) => other[1].kendall_tau - one[1].kendall_tau);
  return groups.length
    ? plotRows({
        rows: groups.map(([group, one]) => ({
          label: group,
          marks: [{ at: one.kendall_tau, hollow: !(one.kendall_pvalue < 0.05), title: `${flat(group)}: ${fixed(one.kendall_tau)}` }],
          limits: typeof one.ceiling === "number" ? [{ at: one.ceiling, title: `ceiling: ${fixed(one.ceiling)}` }] : [],
        })),
        axis: "rank agreement with people on this group (\u03c4)",
        label: `Agreement with people on each of ${numbered(groups.length, "group")}; the numbers are in the table below.`,
        caption: "The closest first. Filled: p of the group below .05, not adjusted for the number of groups.",
        key: [{ text: "the model with people" }, ...(groups.some(([, one]) => typeof one.ceiling === "number") ? [{ line: "solid", text: "ceiling of the group" }] : [])],
      })
    : null;
}

/** What the columns on agreement mean. */
const TRAIT_ABOUT = {
  tau: "rank agreement of the model\u2019s scores with people\u2019s means, from \u22121 to 1",
  ceiling: "the \u03c4 that people themselves would reach",
  groups: "p-value of assigning people\u2019s profiles to other groups",
  published: "p-value that treats all cells as independent, which they are not",
  precision: "of the model\u2019s three highest and three lowest traits of a group, the share that people rate so too",
};

/**
 * @param {Context} context
 * @param {Aligned[]} rows
 */
export function traitAlignmentTable(context, rows) {
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options);
  /**
   * @param {string} title
   * @param {string} key
   * @param {string} [about]
   */
  const ends = (title, key, about) =>
    plotEndsColumn(
      context,
      title,
      (row) => `${row.path}/${key}/0`,
      (row) => `${row.path}/${key}/1`,
      about,
    );
  return table({
    caption: "Agreement with people",
    rows,
    note:
      "\u03c4: rank agreement of the model\u2019s scores with people\u2019s means, from \u22121 to 1. p (published) " +
      "treats all cells as independent, which they are not.",
    columns: [
      { ...plotNamed("measure", (row) => row.name), cell: (row) => linked(row.id, bdi(row.name)) },
      column("\u03c4", "kendall_tau", { about: TRAIT_ABOUT.tau }),
      ends("95\u202f%, \u03c4", "interval", "interval of \u03c4, had other groups and traits been drawn"),
      column("ceiling", "ceiling", { about: TRAIT_ABOUT.ceiling }),
      column("p (groups)", "exchanges/groups/pvalue", { as: "p", method: "monte-carlo", about: TRAIT_ABOUT.groups }),
      column("p (traits)", "exchanges/traits/pvalue", { as: "p", method: "monte-carlo", about: "p-value of exchanging the names of traits" }),
      column("p (published)", "kendall_pvalue", { as: "p", about: TRAIT_ABOUT.published }),
      column("P@3", "precision_at_3", { about: TRAIT_ABOUT.precision }),
      ends("95\u202f%, P@3", "precision_interval", "interval of P@3 over resampled groups"),
      column("chance of P@3", "precision_chance", { about: "the P@3 that a random order of the traits gives" }),
      { title: "groups", about: "how many groups are compared", value: (row) => Object.keys(row.result.by_group).length },
    ],
  });
}

/**
 * @param {Context} context
 * @param {Aligned} found
 */
export function traitAlignment(context, { result, path, name }) {
  const groups = Object.keys(result.by_group),
    /** @type {MakeColumn} */
    column = (title, key, options) => plotColumn(context, title, (group) => `${path}/by_group/${part(group)}/${key}`, options);
  /**
   * @param {string} name
   * @param {string} key
   * @param {Shown} [options]
   */
  const fact = (name, key, options) => [name, num(context, `${path}/${key}`, options)];
  return [
    el(
      "p",
      {},
      "The rank agreement of the scores with people\u2019s means, over all groups and traits, is \u03c4 = ",
      num(context, `${path}/kendall_tau`),
      ", where 1 is the same order, 0 no agreement and \u22121 the reverse order",
      typeof result.ceiling === "number"
        ? [
            ". No score could be expected to agree by more than ",
            num(context, `${path}/ceiling`),
            ", because people do not agree with each other perfectly",
          ]
        : null,
      ".",
    ),
    traitGroups(result),
    plotFacts([
      ["interval over people", plotInterval(context, `${path}/annotator_interval/0`, `${path}/annotator_interval/1`)],
      fact("expected \u03c4, groups exchanged", "exchanges/groups/expected_tau"),
      fact("expected \u03c4, traits exchanged", "exchanges/traits/expected_tau"),
      fact("exchanges", "exchanges/groups/draws", { as: "whole" }),
      fact("traits at either end", "k", { as: "whole" }),
      ...(result.noise
        ? [
            fact("two samples of people of this size", "noise/same_size"),
            fact("two halves of the people", "noise/split_half"),
            fact("P@3 of people\u2019s average", "noise/truth_precision"),
          ]
        : []),
    ]),
    el(
      "div",
      { class: "tall" },
      table({
        caption: `${name}: agreement on each group`,
        rows: groups,
        columns: [
          plotNamed("group", (group) => group),
          column("\u03c4", "kendall_tau", { about: TRAIT_ABOUT.tau }),
          column("p", "kendall_pvalue", { as: "p", about: "two-sided p-value of \u03c4, as if the traits could have come in any order" }),
          column("P@3", "precision_at_3", { about: TRAIT_ABOUT.precision }),
          column("top", "precision_top", { about: "the same, of the three highest only" }),
          column("bottom", "precision_bottom", { about: "the same, of the three lowest only" }),
          column("ceiling", "ceiling", { about: TRAIT_ABOUT.ceiling }),
          column("traits", "traits", { as: "whole", about: "how many traits are compared" }),
          // where only means were given, how many people there were is not known
          groups.some((group) => result.by_group[group].annotators > 0) &&
            column("people", "annotators", { as: "whole", about: "how many people rated the group" }),
        ].filter(Boolean),
      }),
    ),
    plotCoverage(result.coverage),
    opening("Conventions", () => methConventions(result.conventions)),
  ];
}

/** @param {Context} context */
export const traitAlignmentTables = (context) =>
  context.of("AlignmentTable").map(({ result, path }) => {
    /** @type {MakeColumn} */
    const column = (title, key, options) => plotColumn(context, title, (i) => `${path}/entries/${i}/${key}`, options);
    return [
      el("h4", {}, "Measures and models"),
      result.same_groups
        ? null
        : el("p", { class: "warned note" }, "The entries compare different groups, so they do not rank measures fairly."),
      table({
        caption: "Agreement of measures and models with people",
        rows: result.entries.map((_, i) => i),
        columns: [
          plotNamed("measure", (i) => result.entries[i].measure),
          plotNamed("model", (i) => result.entries[i].model),
          column("\u03c4", "kendall_tau", { about: TRAIT_ABOUT.tau }),
          column("p (groups)", "permutation_pvalue", { as: "p", method: "monte-carlo", about: TRAIT_ABOUT.groups }),
          column("p (published)", "kendall_pvalue", { as: "p", about: TRAIT_ABOUT.published }),
          column("P@3", "precision_at_3", { about: TRAIT_ABOUT.precision }),
          column("ceiling", "ceiling", { about: TRAIT_ABOUT.ceiling }),
          column("groups", "groups", { as: "whole", about: "how many groups are compared" }),
        ],
      }),
    ];
  });
