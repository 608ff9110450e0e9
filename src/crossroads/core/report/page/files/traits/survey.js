// @ts-check
// Parts of "Traits" about the survey that scores are held against: who was kept, and which templates were chosen.

import { plotColumn, plotNamed } from "../parts/columns.js";
import { el, listed } from "../parts/elements.js";
import { computed, num, part } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { traitTitle } from "./measures.js";

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
