// @ts-check
// "Traits": how far scores of groups on pairs of traits (ILPS, ILPS*, SeT) agree with people, the scores themselves, and
// what becomes of two identities said together: whether order matters, which one prevails, and which traits emerge.

import { PLOT_DIAMOND, PLOT_DISC, PLOT_SQUARE, plotRows } from "../charts/plots.js";
import {
  PLOT_BH, plotChoice, plotColumn, plotCoverage, plotEndsColumn, plotNamed, plotRedrawn, plotScores, scoreInterval, scoreNote,
} from "../parts/columns.js";
import { anchors, bdi, el } from "../parts/elements.js";
import { computed, fixed, MINUS, num, numbered, part, pointed } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { methConventions } from "../sections/methods.js";
import {
  traitAgreements, traitAlignment, traitAlignments, traitAlignmentTable, traitAlignmentTables,
} from "./agreement.js";
import { traitEnds, traitLegend, traitSize, traitTitle } from "./measures.js";
import { PAIRED_TYPES, pairedParts } from "./paired.js";
import { surveyParts } from "./survey.js";

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
 * Who was asked about the groups of a measure, by name; about other measures where there is nobody for this one.
 * @param {Context} context
 * @param {Named} one
 */
function traitAsked(context, one) {
  const all = traitAlignments(context),
    same = all.filter(({ result }) => result.measure === one.result.measure);
  return same.length ? same : all.slice(0, 1);
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
 * @param {Json} said
 */
function traitChart({ result, name }, groups, said) {
  const score = (/** @type {number} */ i, /** @type {number} */ j) => pointed(result, `/scores/${i}/${j}`) ?? NaN,
    answer = (/** @type {number} */ j) => said?.[result.traits[j]] ?? NaN;
  const largest =
    groups
      .flatMap((i) => result.traits.flatMap((_, j) => {
        const interval = scoreInterval(result, i, j);
        return interval ? [-interval.low, interval.high] : [Math.abs(score(i, j))];
      }))
      .filter(Number.isFinite)
      .reduce((most, v) => Math.max(most, v), 0) || 1;
  const title = (/** @type {Json} */ of, /** @type {number} */ value, /** @type {number} */ digits) => `${flat(of)}: ${Number.isFinite(value) ? fixed(value, digits) : "none"}`,
    [group, other] = groups.map((i) => flat(result.groups[i])),
    errors = Boolean(result.low);
  /** @param {number} j */
  const marks = (j) =>
    [
      ...groups.map((i, n) => {
        const interval = scoreInterval(result, i, j);
        return {
          ...TRAIT_LOOKS[n],
          at: score(i, j) / largest,
          low: interval ? interval.low / largest : undefined,
          high: interval ? interval.high / largest : undefined,
          title: title(result.groups[i], score(i, j), 3),
        };
      }),
      said && { ...TRAIT_LOOKS[2], at: (answer(j) - 50) / 50, title: title("people", answer(j), 1) },
    ].filter(Boolean);
  const shared = "people\u2019s means from 0 to 100, with 50 in the middle. The two scales share nothing but the order and the middle.";
  return plotRows({
    ends: [-1.06, 1.06],
    numbers: false,
    axis: "\u2190 left trait \u00b7 middle \u00b7 right trait \u2192",
    key: [
      ...groups.map((i, n) => ({ ...TRAIT_LOOKS[n], text: `${result.groups[i]} (${name})` })),
      said && { ...TRAIT_LOOKS[2], text: `people on ${group}, 0 to 100` },
    ].filter(Boolean),
    label:
      `Scores of ${group} on ${numbered(result.traits.length, "pair of traits", "pairs of traits")}${other ? `, next to ${other}` : ""}` +
      `${said ? ", next to people\u2019s" : ""}; the numbers are in a table below.`,
    caption:
      `Model scores are drawn from ${MINUS}${fixed(largest)} to ${fixed(largest)}; ` +
      (errors ? "lines: 95\u202f% intervals, for other templates; " : "") +
      (said ? shared : "zero is in the middle."),
    rows: result.traits.map((_, j) => ({ label: traitEnds(result, j)[0], right: traitEnds(result, j)[1], apart: true, marks: marks(j) })),
  });
}

/**
 * The interval of a score, its p-value, and that adjusted for the number of scores.
 * @param {Context} context
 * @param {Named} one
 * @param {number} group
 * @returns {Column<number>[]}
 */
const traitErrors = (context, { path }, group) => [
  plotEndsColumn(context, "95\u202f%", (j) => `${path}/low/${group}/${j}`, (j) => `${path}/high/${group}/${j}`, "interval of the score by itself, for other templates"),
  plotColumn(context, "p", (j) => `${path}/pvalue/${group}/${j}`, { as: "p", about: "two-sided, of a score of 0" }),
  plotColumn(context, "BH", (j) => `${path}/p_bh/${group}/${j}`, { as: "p", about: PLOT_BH }),
];

/**
 * What the model and people say of a group, in words, with the ceiling that people set.
 * @param {Context} context
 * @param {Named} one
 * @param {number} group
 * @param {Aligned | undefined} people
 */
function traitGroup(context, { result, path, name }, group, people) {
  const ranked = result.traits
    .map((_, j) => ({ j, score: pointed(result, `/scores/${group}/${j}`), interval: scoreInterval(result, group, j) }))
    .filter(({ score, interval }) => Number.isFinite(score) && (!interval || interval.apart))
    .sort((one, other) => Math.abs(other.score) - Math.abs(one.score))
    .slice(0, 3);
  const of = result.groups[group],
    at = `${people?.path}/by_group/${part(of)}`,
    agreed = people?.result.by_group[of];
  return el(
    "p",
    {},
    ranked.length
      ? [
          bdi(name), " puts ", el("strong", {}, bdi(of)), " nearest to ",
          ranked.map(({ j, score }, i) => [i ? ", " : "", bdi(traitEnds(result, j)[score > 0 ? 1 : 0] || result.traits[j]), " (", num(context, `${path}/scores/${group}/${j}`), ")"]),
          ".",
        ]
      : [bdi(name), " puts ", el("strong", {}, bdi(of)), " near to no trait: the interval of every score holds 0."],
    typeof agreed?.kendall_tau === "number"
      ? [
          " With what people say of them it agrees by \u03c4 = ", num(context, `${at}/kendall_tau`),
          typeof agreed.ceiling === "number" ? ["; people themselves would reach ", num(context, `${at}/ceiling`)] : null, ".",
        ]
      : null,
  );
}

/**
 * The profile of one group, next to another group or people.
 * @param {Context} context
 * @param {Named} one
 * @param {number} group
 * @param {number} other
 * @param {Aligned | undefined} people
 */
function traitProfile(context, one, group, other, people) {
  const { result, path } = one,
    groups = other >= 0 ? [group, other] : [group],
    said = people?.result.human_scores[result.groups[group]];
  const columns = [
    plotNamed("left", (j) => traitEnds(result, j)[0]),
    plotNamed("right", (j) => traitEnds(result, j)[1]),
    ...groups.flatMap((i) => [
      plotColumn(context, result.groups[i], (j) => `${path}/scores/${i}/${j}`, { digits: 3 }),
      ...(result.low ? traitErrors(context, one, i) : []),
    ]),
    said && plotColumn(context, "people (0\u2013100)", (j) => `${people?.path}/human_scores/${part(result.groups[group])}/${part(result.traits[j])}`, { digits: 1 }),
  ].filter(Boolean);
  return [
    traitGroup(context, one, group, people),
    traitChart(one, groups, said),
    opening("The same in numbers", () =>
      table({ caption: `Scores of ${result.groups[group]}`, rows: result.traits.map((_, j) => j), columns, search: false }),
    ),
  ];
}

/**
 * Choices of measure, group and what to set next to it.
 * @param {Context} context
 * @param {Named[]} all
 */
function traitTool(context, all) {
  const state = { measure: 0, group: 0, other: -1, people: true, asked: 0 },
    body = el("div", {});
  /** @param {Partial<typeof state>} changes */
  const set = (changes) => {
    Object.assign(state, changes);
    draw();
  };
  function draw() {
    const one = all[state.measure],
      { groups } = one.result,
      asked = traitAsked(context, one);
    if (state.asked >= asked.length) state.asked = 0;
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
        plotChoice("Next to", ["no other group", ...groups], state.other + 1, (i) => set({ other: i - 1 })),
        asked.length > 1 && state.people
          ? plotChoice(
              "People",
              asked.map(({ name }) => name),
              state.asked,
              (i) => set({ asked: i }),
            )
          : null,
        asked[state.asked]?.result.human_scores[groups[state.group]] ? toggle : null,
      ),
      traitProfile(context, one, state.group, state.other, state.people ? asked[state.asked] : undefined),
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
      ends: (i, j) => scoreInterval(result, i, j),
      path: (i, j) => `${path}/scores/${i}/${j}`,
      note:
        "Positive numbers are closer to the right trait of a pair, negative ones (with a minus sign) to the left; the shade " +
        `repeats their size. A dash: no score under the conventions chosen. ${result.low ? scoreNote("templates") : ""}`,
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

/**
 * What the scores of a measure show, in words: which groups lean furthest to what, and how many scores lean at all.
 * @param {Context} context
 * @param {Named} one
 */
function traitFinding(context, { result, path, name }) {
  const cells = result.groups
    .flatMap((group, i) => result.traits.map((_, j) => ({ group, i, j, score: pointed(result, `/scores/${i}/${j}`), interval: scoreInterval(result, i, j) })))
    .filter(({ score }) => Number.isFinite(score));
  const known = cells.filter(({ interval }) => interval),
    apart = known.filter(({ interval }) => interval?.apart),
    furthest = (known.length ? apart : cells).sort((a, b) => Math.abs(b.score) - Math.abs(a.score)).slice(0, 3);
  return el(
    "p",
    {},
    furthest.length ? [bdi(name), ": the furthest scores are those of "] : [bdi(name), ": "],
    furthest.map(({ group, i, j, score }, k) => [
      k ? ", " : "", el("strong", {}, bdi(group)), " to ", bdi(traitEnds(result, j)[score > 0 ? 1 : 0] || result.traits[j]), " (", num(context, `${path}/scores/${i}/${j}`), ")",
    ]),
    furthest.length ? ". " : "",
    known.length
      ? [
          computed(apart.length, { as: "whole" }), " of ", computed(known.length, { as: "whole" }), " scores have an interval over templates that leaves out 0; were there no association at all, one in twenty would. Adjusted for their number (BH), p is below .05 for ",
          computed(known.filter(({ i, j }) => pointed(result, `/p_bh/${i}/${j}`) < 0.05).length, { as: "whole" }), ".",
        ]
      : null,
  );
}

const TRAITS_SHOWN = ["TraitScores", "AlignmentResult", "AlignmentTable", "ScreenResult", "TemplateChoice", ...PAIRED_TYPES];

view({
  id: "traits",
  title: "Traits",
  order: 50,
  shows: TRAITS_SHOWN,
  applies: (context) => TRAITS_SHOWN.some((type) => context.of(type).length),
  build(context) {
    const scores = traitNamed(context.of("TraitScores")),
      aligned = traitAlignments(context),
      id = anchors("traits");
    return [
      el(
        "p",
        { class: "lead" },
        "Which traits does a language model complete sentences with when they are about a group? Scores are relative " +
          "to the same sentence without the group.",
      ),
      aligned.length || context.of("AlignmentTable").length ? el("h3", {}, "Agreement with people") : null,
      aligned.length
        ? [
            traitAgreements(context, aligned),
            opening("Agreement in numbers", () => traitAlignmentTable(context, aligned), { id: "alignment-numbers" }),
            aligned.map((one) => opening(el("span", {}, bdi(one.name)), () => traitAlignment(context, one), { id: one.id })),
          ]
        : null,
      traitAlignmentTables(context),
      scores.length
        ? [
            el("h3", {}, "Profile of a group"),
            traitTool(context, scores),
            el("h3", {}, "All groups"),
            scores.map((one) => traitFinding(context, one)),
            scores.map((one) =>
              opening(el("span", {}, bdi(one.name), `: ${traitSize(one.result)}`), () => traitHeat(context, one), { id: id(one.name) }),
            ),
            traitLegend(scores),
          ]
        : null,
      pairedParts(context),
      surveyParts(context),
    ];
  },
});
