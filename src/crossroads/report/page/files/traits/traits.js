// @ts-check
// "Traits": scores of groups on pairs of traits (ILPS, ILPS*, SeT), their agreement with people, and what becomes
// of two identities said together: which one prevails, whether order matters, and which traits emerge.

import { PLOT_DIAMOND, PLOT_DISC, PLOT_SQUARE, plotRows } from "../charts/plots.js";
import {
  plotChoice, plotColumn, plotCoverage, plotNamed, plotRedrawn, plotScores,
} from "../parts/columns.js";
import { bdi, el } from "../parts/elements.js";
import { fixed, MINUS, numbered, part, pointed } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { methConventions } from "../sections/methods.js";
import { traitAlignment, traitAlignments, traitAlignmentTable, traitAlignmentTables } from "./agreement.js";
import { traitEnds, traitLegend, traitSize, traitTitle } from "./measures.js";
import { PAIRED_TYPES, pairedParts, surveyParts } from "./paired.js";

/**
 * @param {Found[]} results
 * @returns {Named[]}
 */
const traitNamed = (results) =>
  results.map(({ result, path }, i) => ({
    result,
    path,
    index: i,
    name:
      results.filter((one) => one.result.measure === result.measure).length > 1
        ? `${traitTitle(result.measure)} (${i + 1})`
        : traitTitle(result.measure),
  }));

/**
 * What people say of a group, on the scale of the survey, where an alignment holds it.
 * @param {Context} context
 */
function traitPeople(context) {
  const found = new Map();
  for (const { result, path } of context.of("AlignmentResult")) {
    for (const [group, scores] of Object.entries(result.human_scores))
      if (!found.has(group)) found.set(group, { scores, path: `${path}/human_scores/${part(group)}` });
  }
  return found;
}

/** Look of the first and the second group of a profile, and of people. */
const TRAIT_LOOKS = [
  { shape: PLOT_DISC, set: "x" },
  { shape: PLOT_SQUARE, set: "y", hollow: true },
  { shape: PLOT_DIAMOND, set: "a" },
];

/**
 * The chart of a profile. People answer from 0 to 100; 50 lies in the middle.
 * @param {Named} found
 * @param {number[]} groups
 * @param {Json} human
 */
function traitChart({ result, name }, groups, human) {
  const score = (/** @type {number} */ i, /** @type {number} */ j) => pointed(result, `/scores/${i}/${j}`) ?? NaN,
    said = (/** @type {number} */ j) => human?.scores[result.traits[j]] ?? NaN;
  const largest =
    groups
      .flatMap((i) => result.traits.map((_, j) => Math.abs(score(i, j))))
      .filter(Number.isFinite)
      .reduce((most, v) => Math.max(most, v), 0) || 1;
  const title = (/** @type {Json} */ of, /** @type {number} */ value, /** @type {number} */ digits) => `${flat(of)}: ${Number.isFinite(value) ? fixed(value, digits) : "none"}`,
    [group, other] = groups.map((i) => flat(result.groups[i]));
  /** @param {number} j */
  const marks = (j) =>
    [
      ...groups.map((i, n) => ({ ...TRAIT_LOOKS[n], at: score(i, j) / largest, title: title(result.groups[i], score(i, j), 3) })),
      human && { ...TRAIT_LOOKS[2], at: (said(j) - 50) / 50, title: title("people", said(j), 1) },
    ].filter(Boolean);
  const shared = "people\u2019s means from 0 to 100, with 50 in the middle. The two scales share nothing but the order and the middle.";
  return plotRows({
    ends: [-1.06, 1.06],
    numbers: false,
    axis: "\u2190 left trait \u00b7 middle \u00b7 right trait \u2192",
    key: [
      ...groups.map((i, n) => ({ ...TRAIT_LOOKS[n], text: `${result.groups[i]} (${name})` })),
      human && { ...TRAIT_LOOKS[2], text: `people on ${group}, 0 to 100` },
    ].filter(Boolean),
    label:
      `Scores of ${group} on ${numbered(result.traits.length, "pair of traits", "pairs of traits")}${other ? `, beside ${other}` : ""}` +
      `${human ? ", beside people\u2019s" : ""}; the numbers are in a table below.`,
    caption:
      `Model scores are drawn from ${MINUS}${fixed(largest)} to ${fixed(largest)}, the largest here; ` +
      (human ? shared : "zero is in the middle."),
    rows: result.traits.map((_, j) => ({ label: traitEnds(result, j)[0], right: traitEnds(result, j)[1], apart: true, marks: marks(j) })),
  });
}

/**
 * The profile of one group, beside another group or people.
 * @param {Context} context
 * @param {Named} one
 * @param {number} group
 * @param {number} other
 * @param {Map<string, Json> | null} people
 */
function traitProfile(context, one, group, other, people) {
  const { result, path } = one,
    groups = other >= 0 ? [group, other] : [group],
    human = people?.get(result.groups[group]);
  const columns = [
    plotNamed("left", (j) => traitEnds(result, j)[0]),
    plotNamed("right", (j) => traitEnds(result, j)[1]),
    ...groups.map((i) => plotColumn(context, result.groups[i], (j) => `${path}/scores/${i}/${j}`, { digits: 3 })),
    human && plotColumn(context, "people (0\u2013100)", (j) => `${human.path}/${part(result.traits[j])}`, { digits: 1 }),
  ].filter(Boolean);
  return [
    traitChart(one, groups, human),
    opening("The same in numbers", () =>
      table({ caption: `Scores of ${result.groups[group]}`, rows: result.traits.map((_, j) => j), columns, search: false }),
    ),
  ];
}

/**
 * Choices of measure, group and what to set beside it.
 * @param {Context} context
 * @param {Named[]} all
 */
function traitTool(context, all) {
  const state = { measure: 0, group: 0, other: -1, people: true },
    body = el("div", {}),
    people = traitPeople(context);
  /** @param {Partial<typeof state>} changes */
  const set = (changes) => {
    Object.assign(state, changes);
    draw();
  };
  function draw() {
    const one = all[state.measure],
      { groups } = one.result;
    if (state.group >= groups.length) state.group = 0;
    if (state.other >= groups.length) state.other = -1;
    const toggle = el(
      "button",
      { type: "button", "aria-pressed": String(state.people), onclick: () => set({ people: !state.people }) },
      "People\u2019s answers",
    );
    plotRedrawn(
      body,
      el(
        "div",
        { class: "choices" },
        all.length > 1
          ? plotChoice(
              "Measure",
              all.map((a) => a.name),
              state.measure,
              (measure) => set({ measure }),
            )
          : null,
        plotChoice("Group", groups, state.group, (group) => set({ group })),
        plotChoice("Beside", ["no other group", ...groups], state.other + 1, (i) => set({ other: i - 1 })),
        people.has(groups[state.group]) ? toggle : null,
      ),
      traitProfile(context, one, state.group, state.other, state.people ? people : null),
    );
  }
  draw();
  return body;
}

/**
 * @param {Context} context
 * @param {Named} found
 */
function traitHeat(context, { result, path, name }) {
  const undefinedCells = result.undefined?.length ?? 0,
    floored = result.floored?.length ?? 0;
  return [
    plotScores(context, {
      caption: `${name}: scores of ${traitSize(result, " on ")}`,
      first: "group",
      rows: result.groups,
      columns: result.traits,
      value: (i, j) => pointed(result, `/scores/${i}/${j}`) ?? null,
      path: (i, j) => `${path}/scores/${i}/${j}`,
      note:
        "Positive numbers lean to the right trait of a pair, negative ones (with a minus sign) to the left; the shade " +
        "repeats their size. A dash: no score under the conventions chosen.",
    }),
    el(
      "p",
      { class: "note" },
      result.templates.length ? `Mean over ${numbered(result.templates.length, "template")}. ` : null,
      undefinedCells ? `${numbered(undefinedCells, "cell")} of template, group and adjective without a score. ` : null,
      floored ? `${numbered(floored, "cell")} counted as the floor, because the distance was below it.` : null,
    ),
    result.templates.length
      ? opening("Templates", () =>
          el(
            "ol",
            {},
            result.templates.map((text) => el("li", {}, bdi(text))),
          ),
        )
      : null,
    plotCoverage(result.coverage),
    opening("Conventions", () => methConventions(result.conventions)),
  ];
}

view({
  id: "traits",
  title: "Traits",
  order: 50,
  applies: (context) =>
    ["TraitScores", "AlignmentResult", "AlignmentTable", "ScreenResult", "TemplateChoice", ...PAIRED_TYPES].some(
      (type) => context.of(type).length,
    ),
  build(context) {
    const scores = traitNamed(context.of("TraitScores")),
      aligned = traitAlignments(context);
    return [
      el(
        "p",
        { class: "lead" },
        "Which traits does a language model complete sentences with when they are about a group? Scores are relative " +
          "to the same sentence without the group.",
      ),
      traitLegend(scores),
      scores.length
        ? [
            el("h3", {}, "Profile of a group"),
            traitTool(context, scores),
            el("h3", {}, "All groups"),
            scores.map((one) =>
              opening(
                el("span", {}, bdi(one.name), `: ${traitSize(one.result)}`),
                () => traitHeat(context, one),
              ),
            ),
          ]
        : null,
      aligned.length || context.of("AlignmentTable").length ? el("h3", {}, "Agreement with people") : null,
      aligned.length
        ? [
            traitAlignmentTable(context, aligned),
            aligned.map((one) =>
              opening(el("span", {}, bdi(one.name)), () => traitAlignment(context, one), { id: `alignment-${one.index}` }),
            ),
          ]
        : null,
      traitAlignmentTables(context),
      pairedParts(context),
      surveyParts(context),
    ];
  },
});
