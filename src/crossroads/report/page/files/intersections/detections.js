// @ts-check
// "Intersections": words that IBD and EIBD find for groups where two categories meet, how well they do where the
// truth is known, words discovered in a whole vocabulary, and the plane that two categories span.

import { plotRoc } from "../charts/plots.js";
import { plotColumn, plotCoverage, plotEndsColumn, plotNamed } from "../parts/columns.js";
import { bdi, el, listed } from "../parts/elements.js";
import { computed, fixed, num, part, percent, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { planeSources } from "./plane.js";
import { planeTool } from "./tool.js";

/** @type {Record<string, string>} */
const DETECT_KINDS = {
  ibd: "words associated with the group: above the threshold against at least one other group (IBD)",
  eibd: "emergent words: associated with the group, but not with each category that it is made of (EIBD)",
};
/** @type {Record<string, string>} */
const DETECT_RULES = {
  __proto__: /** @type {any} */ (null),
  accuracy: "the one with the highest accuracy",
  youden: "the one where the share of true words found exceeds that of other words by most (Youden\u2019s rule)",
};
/** @type {Record<string, Record<string, string>>} */
const DETECT_OUTCOMES = {
  true: { true: "\u2713 true, found", false: "\u2717 true, missed" },
  false: { true: "\u25b3 other, found", false: "\u2013 other, not found" },
};

/**
 * Every detection with its name and its place.
 * @param {Context} context
 */
const detectAll = (context) =>
  context
    .of("DetectionResult")
    .map((one, i) => ({ ...one, index: i }));

/**
 * @param {Context} context
 * @param {Named[]} rows
 */
function detectTable(context, rows) {
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options);
  return table({
    caption: "Detections",
    rows,
    note:
      "AUC: the chance that a true word scores above another one; .5 is chance. Baseline: the accuracy " +
      "of finding nothing, or everything, whichever is better; an accuracy below it says little.",
    columns: [
      { ...plotNamed("detection", (row) => row.name), cell: (row) => el("a", { href: `#detection-${row.index}` }, bdi(row.name)) },
      {
        title: "found",
        about: "how many words were found",
        value: (row) => row.result.words.length,
        cell: (row) => computed(row.result.words.length, { as: "whole" }),
      },
      column("threshold", "threshold", { about: "the score above which a word counts as associated" }),
      column("accuracy", "accuracy", { about: "share of all words classified correctly: true ones found, others not" }),
      column("baseline", "baseline", { about: "the accuracy of finding nothing, or everything, whichever is better" }),
      column("accuracy, left out", "honest_accuracy", { about: "accuracy when the threshold for each word is chosen without it" }),
      column("true found", "tpr", { about: "share of true words found (true-positive rate)" }),
      column("others found", "fpr", { about: "share of other words found (false-positive rate)" }),
      column("AUC", "auc", { about: "the chance that a true word scores above another one" }),
      plotEndsColumn(
        context,
        "95\u202f%, AUC",
        (row) => `${row.path}/auc_interval/0`,
        (row) => `${row.path}/auc_interval/1`,
        "interval of the AUC over resampled words",
      ),
    ],
  });
}

/**
 * @param {Context} context
 * @param {Named} found
 */
function detectWords(context, { result, path, name }) {
  const found = new Set(result.words),
    truth = new Set(result.truth),
    judged = typeof result.accuracy === "number";
  const rows = Object.entries(result.scores)
    .map(([word, score]) => ({ word, score, found: found.has(word), true: truth.has(word) }))
    .sort((a, b) => b.score - a.score);
  /** @param {Json} row */
  const outcome = (row) => (judged ? DETECT_OUTCOMES[row.true][row.found] : row.found ? "found" : "not found");
  return table({
    caption: `${name}: every candidate word, strongest first`,
    rows,
    filters: [{ title: "Outcome", value: outcome }],
    columns: [
      plotNamed("word", (row) => row.word),
      { title: "score", value: (row) => row.score, cell: (row) => num(context, `${path}/scores/${part(row.word)}`) },
      plotNamed("outcome", outcome),
    ],
  });
}

/**
 * Who is meant by the short names of groups: the first names by which the model knows them.
 * @param {Found[]} found
 */
function detectGroups(found) {
  const groups = new Map();
  for (const { result } of found) {
    for (const [group, names] of Object.entries(result.coverage?.used ?? {})) {
      if (group !== "words" && !groups.has(group)) groups.set(group, names);
    }
  }
  if (!groups.size) return null;
  return opening(
    ["The groups, and the names that represent them: ", listed([...groups.keys()], 12)],
    () => el("dl", { class: "legend" }, [...groups].map(([group, names]) => [el("dt", {}, bdi(group)), el("dd", {}, listed(names))])),
    { id: "groups" },
  );
}

/**
 * @param {Context} context
 * @param {Named} found
 */
function detectShares(context, { result, path, name }) {
  /** @type {Record<string, string>} */
  const names = { accuracy: "judged rightly", tpr: "true words found", fpr: "other words found" };
  const rows = Object.keys(names).filter((key) => result.intervals?.[key]);
  if (!rows.length) return null;
  return table({
    caption: `${name}: how well, with exact 95 % intervals`,
    rows,
    search: false,
    columns: [
      plotNamed("share", (key) => names[key]),
      plotColumn(context, "hits", (key) => `${path}/intervals/${key}/hits`, { as: "whole", about: "number of cases in which it is so" }),
      plotColumn(context, "of", (key) => `${path}/intervals/${key}/cases`, { as: "whole", about: "number of cases" }),
      plotColumn(context, "share", (key) => `${path}/intervals/${key}/value`, { about: "hits of cases" }),
      plotEndsColumn(
        context,
        "interval",
        (key) => `${path}/intervals/${key}/low`,
        (key) => `${path}/intervals/${key}/high`,
      ),
    ],
  });
}

/**
 * @param {Context} context
 * @param {Named} one
 */
function detectDetail(context, one) {
  const { result, path } = one,
    judged = typeof result.accuracy === "number",
    curve = result.curve ?? {};
  const rates = Array.isArray(curve.fpr) && Array.isArray(curve.tpr) ? { fpr: curve.fpr, tpr: curve.tpr } : null;
  return [
    el(
      "p",
      {},
      `Looked for: ${DETECT_KINDS[result.kind] ?? result.kind}. A word is found if its score is above `,
      num(context, `${path}/threshold`),
      result.threshold_rule === "given"
        ? " (a threshold that was given). "
        : `, chosen with the help of the true words: ${DETECT_RULES[result.threshold_rule] ?? result.threshold_rule}. `,
      judged
        ? ["\u201cTrue\u201d are the words that people gave for this group in the published lists: ", listed(result.truth, 30), ". "]
        : "No true words were given, so nothing is judged. ",
      result.absent.length
        ? ["True words that are no candidates here, because the model lacks them: ", listed(result.absent, 30), "."]
        : null,
    ),
    el(
      "p",
      { class: "note" },
      "A word that is found is closer to the names of this group than to those of another. It is not a statement " +
        "about the people who bear such names.",
    ),
    el(
      "div",
      { class: "beside" },
      detectShares(context, one),
      rates &&
        plotRoc({
          ...rates,
          at: [result.fpr, result.tpr],
          label:
            `Shares of true and of other words found over all thresholds; the area is ${fixed(result.auc)}. ` +
            `At the threshold in use ${percent(result.tpr)} of the true and ${percent(result.fpr)} of the other words are found.`,
          caption:
            result.kind === "eibd"
              ? "Rates over all thresholds. For emergent words the curve may turn back: a lower threshold can remove words."
              : "Rates over all thresholds.",
        }),
    ),
    el("div", { class: "tall" }, detectWords(context, one)),
    plotCoverage(result.coverage),
  ];
}

/**
 * @param {Context} context
 * @param {Found} found
 */
function detectDiscovery(context, { result, path }) {
  const all = context.histograms[`${path}/scores`]?.n ?? result.words.length,
    kept = Array.isArray(result.scores) ? result.scores.length : 0;
  const rows = result.words.slice(0, kept || 2000).map((word, i) => ({ word, i }));
  return opening([bdi(result.target), ` (${result.kind.toUpperCase()}): `, computed(all, { as: "whole" }), " words"], () => [
    el(
      "p",
      {},
      `Of `,
      num(context, `${path}/candidates`, { as: "whole" }),
      " words of the vocabulary these have a score that is rare when the names are given to groups at random (",
      num(context, `${path}/permutations`, { as: "whole" }),
      " times). Among the words up to any line of the list, the share given as q is expected to be there by chance; " +
        "the list ends where it reaches ",
      num(context, `${path}/fdr`),
      ".",
    ),
    all > rows.length ? el("p", { class: "note" }, `The page shows the first ${whole(rows.length)}; all are in results.json.`) : null,
    table({
      caption: `Words discovered for ${result.target}, strongest first`,
      rows,
      columns: [
        plotNamed("word", (row) => row.word),
        ...(kept
          ? [
              plotColumn(context, "score", (row) => `${path}/scores/${row.i}`),
              plotColumn(context, "q", (row) => `${path}/qvalues/${row.i}`, { as: "p" }),
            ]
          : []),
      ],
    }),
  ]);
}

view({
  id: "intersections",
  title: "Intersections",
  order: 20,
  applies: (context) => ["DetectionResult", "WefatResult", "DiscoveryResult"].some((type) => context.of(type).length),
  build(context) {
    const found = detectAll(context),
      discoveries = context.of("DiscoveryResult"),
      planes = planeSources(context, found);
    return [
      el(
        "p",
        { class: "lead" },
        "Which words go with people who belong to two groups at once, such as African American women, and which of " +
          "them go with neither group taken alone?",
      ),
      found.length ? detectTable(context, found) : null,
      detectGroups([...found, ...context.of("WefatResult")]),
      found.length ? el("h3", {}, "Each detection") : null,
      found.map((one) =>
        opening(
          el(
            "span",
            {},
            bdi(one.name),
            ": ",
            computed(one.result.words.length, { as: "whole" }),
            " of ",
            computed(Object.keys(one.result.scores).length, { as: "whole" }),
            " words found",
          ),
          () => detectDetail(context, one),
          { id: `detection-${one.index}` },
        ),
      ),
      planes.length ? [el("h3", {}, "The plane of two categories"), planeTool(planes, found)] : null,
      discoveries.length
        ? [el("h3", {}, "Words discovered in the vocabulary"), discoveries.map((one) => detectDiscovery(context, one))]
        : null,
    ];
  },
});
