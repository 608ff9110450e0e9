// @ts-check
// "Intersections": what emerges for groups where two categories meet, words that IBD and EIBD find for them, how well these
// agree with the words people listed in a study, and words discovered in a whole vocabulary.

import { plotRoc } from "../charts/plots.js";
import { data } from "../parts/audits.js";
import { plotColumn, plotCoverage, plotEndsColumn, plotNamed } from "../parts/columns.js";
import { bdi, el, listed } from "../parts/elements.js";
import { computed, fixed, num, part, percent, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";

/**
 * The group that a detection is of: its name without the kind.
 * @param {{ name: string }} one
 */
const detectGroup = (one) => one.name.replace(/\s+E?IBD$/i, "");

/**
 * Whether a detection is no better than chance: the interval of its AUC includes a half. Of one that is not judged this is not said.
 * @param {{ result: Json }} one
 */
const detectChance = ({ result }) => Array.isArray(result.auc_interval) && result.auc_interval[0] <= 0.5;

/** @type {Record<string, string>} */
const DETECT_KINDS = {
  ibd: "words associated with the group: above the threshold against at least one other group (IBD)",
  eibd: "emergent words: associated with the group, but not with each category that it is made of (EIBD)",
};
/** @type {Record<string, string>} */
const DETECT_RULES = {
  __proto__: /** @type {any} */ (null),
  accuracy: "the one with the highest accuracy",
  youden: "the one where the share of listed words found exceeds that of other words by most (Youden\u2019s rule)",
};
/** @type {Record<string, Record<string, string>>} */
const DETECT_OUTCOMES = {
  true: { true: "\u2713 listed, found", false: "\u2717 listed, missed" },
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
 * What a published group is called, if these are its names.
 * @param {string} group
 * @param {string[]} [names]
 */
function detectKnown(group, names) {
  const known = Object.hasOwn(data.groups, group) ? data.groups[group] : null;
  return known && names?.every((name) => known.names.includes(name)) ? known.label : "";
}

/**
 * The group of a detection: in full if it is a published one.
 * @param {Named} one
 */
const detectLabel = (one) => detectKnown(detectGroup(one), one.result.coverage?.used?.[detectGroup(one)]) || detectGroup(one);

/**
 * Whether a detection is better than chance, in a word or two.
 * @param {Named} one
 */
const detectOutcome = (one) => (detectChance(one) ? data.phrases.at_chance : Array.isArray(one.result.auc_interval) ? "better than chance" : "not judged");

/**
 * The area under the curve with its interval.
 * @param {Context} context
 * @param {Named} one
 */
const detectArea = (context, { result, path }) => [
  "AUC ", num(context, `${path}/auc`), `, ${fixed(100 * (result.conventions?.level ?? 0.95), 0)}\u202f% interval `, num(context, `${path}/auc_interval/0`), " to ",
  num(context, `${path}/auc_interval/1`),
];

/**
 * The first sentence on a detection: whether it is better than chance.
 * @param {Context} context
 * @param {Named} one
 */
function detectSentence(context, one) {
  if (!Array.isArray(one.result.auc_interval)) return el("p", { class: "outcome" }, "Nothing says how good this detection is: no list of words that people gave was compared with it.");
  const words = `the ${data.phrases.listed}`;
  return el("p", { class: "outcome" },
    detectChance(one)
      ? [el("strong", {}, "This detection is ", data.phrases.at_chance), `: ${words} for this group are not shown to score higher than the others (`, detectArea(context, one),
        "; .5 is chance)."]
      : [el("strong", {}, "This detection is better than chance"), `: ${words} for this group tend to score higher than the others (`, detectArea(context, one), "; .5 is chance)."]);
}

/**
 * What "emergent" means by the rule of a detection: of the published rule, that a word is not associated with all the groups.
 * @param {Json} result
 */
const detectBeyond = ({ conventions }) => (/ no constituent/.test(conventions?.detected ?? "") ? ", and for neither of the groups that meet in it"
  : / not for every constituent/.test(conventions?.detected ?? "") ? ", and not for all the groups that meet in it" : "");

/**
 * The words of an intersection in a sentence.
 * @param {Context} context
 * @param {Named} one
 */
const detectEmerged = (context, one) => el("p", { class: "outcome headline" }, el("strong", {}, "Emerging for ", bdi(detectLabel(one)), `${detectBeyond(one.result)}: `),
  listed(one.result.words, 20), ". ",
  Array.isArray(one.result.auc_interval) ? ["The detection is better than chance (", detectArea(context, one), ")."] : "The detection is not judged: no words that people listed were given.");

/**
 * What emerges for an intersection and for neither parent, where it stands; otherwise that nothing does.
 * @param {Context} context
 * @param {Named[]} found
 * @param {Found[]} discoveries
 */
function detectHeadline(context, found, discoveries) {
  const emergent = found.filter((one) => one.result.kind === "eibd"), standing = emergent.filter((one) => !detectChance(one) && one.result.words.length);
  const chance = emergent.filter(detectChance), others = found.filter((one) => one.result.kind !== "eibd"), weak = others.filter(detectChance);
  const whole = discoveries.filter(({ result }) => result.kind === "eibd" && result.words.length);
  /** @param {Named[]} some */
  const named = (some) => some.map((one, i) => [i ? (i === some.length - 1 ? " and " : ", ") : "", bdi(detectLabel(one))]);
  return [
    whole.map(({ result, path }) => el("p", { class: "outcome headline" }, el("strong", {}, "Emerging for ", bdi(result.target), " in the whole vocabulary: "),
      listed(result.words, 20), " (at most ", num(context, `${path}/fdr`, { as: "percent" }), " of them expected by chance).")),
    standing.map((one) => detectEmerged(context, one)),
    chance.length > 0 && el("p", { class: "outcome headline" },
      el("strong", {}, standing.length + whole.length ? "Not shown to emerge: " : "What emerges for an intersection alone is not shown here: "),
      `the detection of emergent words (EIBD) is ${data.phrases.at_chance} for `, named(chance), ", judged by the ", data.phrases.listed, "."),
    weak.length > 0 && el("p", { class: "outcome" }, `The detection of words associated with the group at all (IBD) is ${data.phrases.at_chance} for `, named(weak), "."),
    others.filter((one) => !detectChance(one) && one.result.words.length).map((one) => el("p", { class: "outcome" }, el("strong", {}, "Associated with ", bdi(detectLabel(one)), ": "),
      listed(one.result.words, 20), ".", Array.isArray(one.result.auc_interval) ? [" The detection is better than chance (", detectArea(context, one), ")."] : "")),
  ];
}

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
      `Listed: ${data.phrases.listed}. What people say of a group is not thereby true of it. AUC: the chance that a listed word scores above ` +
      "another one; .5 is chance. Baseline: the accuracy of finding nothing, or everything, whichever is better; an accuracy below it says little.",
    columns: [
      {
        ...plotNamed("detection", (row) => row.name),
        cell: (row) => el("a", { href: `#detection-${row.index}` }, bdi(detectLabel(row)), `, ${row.result.kind.toUpperCase()}`),
      },
      { ...plotNamed("outcome", detectOutcome, "whether the interval of the AUC lies above .5"), cell: (row) => el("span", { class: "keep" }, detectOutcome(row)) },
      column("AUC", "auc", { about: "the chance that a listed word scores above another one" }),
      plotEndsColumn(
        context,
        "95\u202f%, AUC",
        (row) => `${row.path}/auc_interval/0`,
        (row) => `${row.path}/auc_interval/1`,
        "interval of the AUC over resampled words",
      ),
      column("listed found", "tpr", { about: "share of listed words found (true-positive rate)" }),
      column("others found", "fpr", { about: "share of other words found (false-positive rate)" }),
      {
        title: "found",
        about: "how many words were found",
        value: (row) => row.result.words.length,
        cell: (row) => computed(row.result.words.length, { as: "whole" }),
      },
      column("threshold", "threshold", { about: "the score above which a word counts as associated" }),
      column("accuracy", "accuracy", { about: "share of all words classified correctly: listed ones found, others not" }),
      column("baseline", "baseline", { about: "the accuracy of finding nothing, or everything, whichever is better" }),
      column("accuracy, left out", "honest_accuracy", { about: "accuracy when the threshold for each word is chosen without it" }),
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
    () => el("dl", { class: "legend" }, [...groups].map(([group, names]) => [el("dt", {}, bdi(group)), el("dd", {}, detectKnown(group, names) ? `${detectKnown(group, names)}: ` : "", listed(names))])),
    { id: "groups" },
  );
}

/**
 * @param {Context} context
 * @param {Named} found
 */
function detectShares(context, { result, path, name }) {
  /** @type {Record<string, string>} */
  const names = { accuracy: "judged rightly", tpr: "listed words found", fpr: "other words found" };
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
    detectSentence(context, one),
    el(
      "p",
      {},
      `Looked for: ${DETECT_KINDS[result.kind] ?? result.kind}. A word is found if its score is above `,
      num(context, `${path}/threshold`),
      result.threshold_rule === "given"
        ? " (a threshold that was given). "
        : `, chosen with the help of the listed words: ${DETECT_RULES[result.threshold_rule] ?? result.threshold_rule}. `,
      judged
        ? ["\u201cListed\u201d are the words that people gave for this group in the study, stereotypes among them: ", listed(result.truth, 30), ". "]
        : "No words that people listed were given, so nothing is judged. ",
      result.absent.length
        ? ["Listed words that are no candidates here, because the model lacks them: ", listed(result.absent, 30), "."]
        : null,
    ),
    el(
      "p",
      { class: "note" },
      "A word that is found is closer to the names of this group than to those of another. It is not a statement " +
        "about the people who bear such names; nor are words that people listed.",
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
            `Shares of listed and of other words found over all thresholds; the area is ${fixed(result.auc)}. ` +
            `At the threshold in use ${percent(result.tpr)} of the listed and ${percent(result.fpr)} of the other words are found.`,
          caption:
            result.kind === "eibd"
              ? "Rates over all thresholds. For emergent words the curve may turn back: a lower threshold can remove words."
              : "Rates over all thresholds.",
        }),
    ),
    detectChance(one)
      ? el("p", { class: "none" }, `${data.phrases.none_listed[0].toUpperCase()}${data.phrases.none_listed.slice(1)}.`)
      : el("div", { class: "tall" }, detectWords(context, one)),
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
  shows: ["DetectionResult", "DiscoveryResult"],
  applies: (context) => ["DetectionResult", "WefatResult", "DiscoveryResult"].some((type) => context.of(type).length),
  build(context) {
    const found = detectAll(context),
      discoveries = context.of("DiscoveryResult");
    return [
      detectHeadline(context, found, discoveries),
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
            bdi(detectLabel(one)),
            `, ${one.result.kind.toUpperCase()}: ${detectOutcome(one)}`,
            detectChance(one)
              ? null
              : ["; ", computed(one.result.words.length, { as: "whole" }), " of ", computed(Object.keys(one.result.scores).length, { as: "whole" }), " words found"],
          ),
          () => detectDetail(context, one),
          { id: `detection-${one.index}` },
        ),
      ),
      discoveries.length
        ? [el("h3", {}, "Words discovered in the vocabulary"), discoveries.map((one) => detectDiscovery(context, one))]
        : null,
    ];
  },
});
