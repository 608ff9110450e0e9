// @ts-check
// "Comparison": every test in all models of the page, and any two of them with a paired test of the difference. The
// section is there whichever model of the page is chosen.

import { plotRows } from "../charts/plots.js";
import { comparisonContexts, data, modelContexts } from "../parts/audits.js";
import {
  PLOT_BH, PLOT_HOLM, plotChoice, plotColumn, plotCoverage, plotEndsColumn, plotFacts, plotInterval,
  plotNamed, plotRedrawn, testsShort,
} from "../parts/columns.js";
import { anchors, bdi, el, linked, listed } from "../parts/elements.js";
import { computed, fixed, num, numbered, part, pointed, whole } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { LEVEL, testsDirection, testsQuestion, testsTitled } from "../tests/entries.js";
import { methConventions, methText } from "./methods.js";
import { modelMultiples, modelPanels, modelPeople } from "./models.js";

const CMP_TYPES = ["CompareResult", "CompareBatteryResult", "CompareTraitsResult"];

/** What holds comparisons: those that stand for themselves, and models whose results have some among them. */
const cmpContexts = () => [
  ...modelContexts().filter(({ document }) => document.results.some((one) => CMP_TYPES.includes(one.type))),
  ...comparisonContexts(),
];

/**
 * Whether a paired test is over contexts, where a word has a vector in every sentence.
 * @param {Json} row
 */
const cmpOver = (row) => Object.keys(row.test.contexts).length > 0;

/**
 * Whether its p-value reckons with other attribute words, and not only with other targets.
 * @param {Json} options
 */
const cmpDrawn = ({ test }) => test.conventions?.attributes === "drawn";
/** @param {Json} row */
const cmpTest = (row) => (data.phrases.tested[cmpOver(row) ? "ceat" : "weat"] ?? "{}").replace("{}", () => row.test.design);

/**
 * Every paired test with its place, its models and its adjusted p-values.
 * @param {Context} context
 * @returns {Json[]}
 */
function cmpTests(context) {
  const grids = context
    .of("CompareBatteryResult")
    .flatMap(({ result, path }) =>
      result.tests.map((test, i) => ({
        test,
        path: `${path}/tests/${i}`,
        models: result.pairs[i],
        bh: `${path}/adjusted/bh/${i}`,
        holm: `${path}/adjusted/holm/${i}`,
        interval: `${path}/intervals/${i}`,
        titles: result.titles?.[test.design],
        ordinary: result.pairs[i].map((/** @type {string} */ name, /** @type {number} */ k) => test.differences?.[k] / result.ordinary?.[name]),
      })),
    );
  const alone = context
    .of("CompareResult")
    .map(({ result, path }) => ({ test: result, path, models: [0, 1].map((i) => result.provenance?.[i]?.source ?? `model ${i + 1}`) }));
  const id = anchors(`comparison-${context.index}`);
  return [...grids, ...alone].map((row) => ({ ...row, context, id: id(`${cmpTest(row)}-${row.models.join("-")}`) }));
}

/**
 * What a test asks, where its sets have names; else its own name.
 * @param {Json} row
 */
const cmpQuestion = (row) => (testsTitled(row.titles) ? `${testsQuestion(row)}${cmpOver(row) ? ", over contexts" : ""}` : cmpTest(row));
/**
 * Whether two models differ beyond the choice of words.
 * @param {Json} row
 */
const cmpDiffers = (row) => (pointed(row.context.document, row.bh ?? `${row.path}/pvalue`) ?? 1) < LEVEL;

/**
 * How sure the direction of a difference is, in half a sentence.
 * @param {Json} row
 * @returns {Child[]}
 */
const cmpSure = ({ context, path, test }) => (Number.isFinite(test.agreement)
  ? ["another set of words would differ between the models in the same direction in ", num(context, `${path}/agreement`, { as: "chance" }), " cases"]
  : ["how sure the direction is for other words is not known"]);

/**
 * One difference in words: where it is stronger, or that it turns around.
 * @param {Json} row
 */
function cmpTold(row) {
  const [one, two] = row.test.effect_sizes,
    [strong, weak] = Math.abs(one) >= Math.abs(two) ? [0, 1] : [1, 0],
    d = (/** @type {number} */ i) => [" (d = ", num(row.context, `${row.path}/effect_sizes/${i}`), ")"];
  return one * two >= 0
    ? [": ", cmpSure(row), "; it is stronger in ", bdi(row.models[strong]), d(strong), " than in ", bdi(row.models[weak]), d(weak)]
    : [
        ": ", cmpSure(row), "; it turns around: ",
        testsTitled(row.titles) ? [testsDirection(row.titles, one), " in "] : "positive or negative, it is not the same in ",
        bdi(row.models[0]), d(0), testsTitled(row.titles) ? ", and the other way round in " : " and in ", bdi(row.models[1]), d(1),
      ];
}

const CMP_SAID = 3;

/**
 * What was found about two models, in words, largest differences first.
 * @param {Json[]} rows
 */
function cmpFinding(rows) {
  const differ = rows.filter(cmpDiffers).sort((a, b) => Math.abs(b.test.difference) - Math.abs(a.test.difference)),
    [one, two] = rows[0].models;
  if (!differ.length)
    return el(
      "p",
      {},
      bdi(one), " and ", bdi(two), ` were compared on ${numbered(rows.length, "test")}: of none it can be told yet that they differ beyond the choice of words (p, adjusted, not below .05).`,
    );
  return [
    el(
      "p",
      {},
      bdi(one), " and ", bdi(two), ` differ beyond the choice of words in ${whole(differ.length)} of ${numbered(rows.length, "test")}.`,
      rows.length > differ.length ? " In the others it cannot be told yet: other words could turn the difference around." : "",
    ),
    el(
      "ul",
      { class: "found-differences" },
      differ.slice(0, CMP_SAID).map((row) => el("li", {}, el("strong", {}, bdi(cmpQuestion(row))), cmpTold(row), ".")),
      differ.length > CMP_SAID ? el("li", {}, "Further: ", listed(differ.slice(CMP_SAID).map(cmpQuestion), 8), ".") : null,
    ),
  ];
}

/**
 * @param {Context} context
 * @param {Json[]} rows
 */
function cmpTable(context, rows) {
  /** @type {MakeColumn} */
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options),
    method = (/** @type {Json} */ row) => ({ method: row.test.method }),
    has = (/** @type {string} */ key) => rows.some((row) => row[key]),
    several = (/** @type {(row: Json) => Json} */ value) => new Set(rows.map(value)).size > 1;
  return table({
    caption: "Differences of effect sizes",
    rows,
    filters: [
      ...(several(cmpOver) ? [{ title: "Evidence", value: (/** @type {Json} */ row) => (cmpOver(row) ? "contexts" : "one vector a word") }] : []),
    ],
    note:
      "Both models are measured on the words that both have, so effect sizes may differ from those of each model alone. " +
      "p: each word changes from one model to the other; the words of both targets are permuted to see how often their changes differ as much." +
      (rows.some(cmpDrawn) ? " Attribute words count as drawn too: what hangs on a few of them is the less surprising." : "") +
      (rows.some(cmpOver)
        ? " Over contexts, a word counts once, by its association averaged over all of its contexts: more contexts make its mean more precise, but do not increase the number of words."
        : ""),
    columns: [
      {
        ...plotNamed("test", cmpTest),
        cell: (row) => [
          rows.length > CMP_OPENED ? bdi(cmpQuestion(row)) : linked(row.id, bdi(cmpQuestion(row))),
          testsTitled(row.titles) ? [el("br", {}), el("span", { class: "note" }, bdi(cmpTest(row)))] : null,
        ],
      },
      column("agree", "agreement", { as: "agree", about: "chance that another set of words would differ between the models in the same direction" }),
      ...[0, 1].filter((i) => rows.some((row) => Number.isFinite(row.ordinary?.[i]))).map((i) => ({
        title: `\u00d7 ordinary: ${testsShort(rows[0].models[i], 24)}`, about: `\u0394 divided by the ${data.phrases.ordinary}`,
        value: (/** @type {Json} */ row) => (Number.isFinite(row.ordinary?.[i]) ? row.ordinary[i] : null),
        cell: (/** @type {Json} */ row) => computed(row.ordinary?.[i] ?? NaN, { digits: 1 }),
      })),
      column(`d: ${testsShort(rows[0].models[0], 24)}`, "effect_sizes/0", { about: `effect size in ${flat(rows[0].models[0])}, over the words that both models have` }),
      column(`d: ${testsShort(rows[0].models[1], 24)}`, "effect_sizes/1", { about: `the same in ${flat(rows[0].models[1])}` }),
      column("difference", "difference", { about: "the first d minus the second" }),
      ...(has("interval")
        ? [
            plotEndsColumn(
              context,
              "95\u202f%",
              (row) => `${row.interval ?? "/none"}/low`,
              (row) => `${row.interval ?? "/none"}/high`,
              "interval of the difference over the choice of words, the same in both models",
            ),
          ]
        : []),
      column("p", "pvalue", { as: "p", of: method, about: "how often permuting the words of the targets gives changes that differ as much" }),
      ...(has("bh")
        ? [
            plotColumn(context, "p (BH)", (row) => row.bh ?? "/none", { as: "p", of: method, about: PLOT_BH }),
            plotColumn(context, "p (Holm)", (row) => row.holm ?? "/none", { as: "p", of: method, about: PLOT_HOLM }),
          ]
        : []),
    ],
  });
}

const CMP_MOST = 60;
const CMP_OPENED = 30;

/** @param {Json[]} rows */
function cmpDumbbells(rows) {
  const [one, two] = rows[0].models;
  return plotRows({
    key: [
      { shape: 0, set: "x", text: one },
      { shape: 1, set: "y", hollow: true, text: two },
    ],
    axis: "effect size d",
    most: 300,
    label: `Effect sizes of ${numbered(rows.length, "test")} in ${flat(one)} and ${flat(two)}, two marks a line.`,
    caption:
      "The longer the line between two marks, the more the models differ; \u2260: beyond the choice of words." +
      (rows.length > CMP_MOST ? ` The ${CMP_MOST} largest differences are drawn.` : ""),
    rows: rows
      .slice()
      .sort((a, b) => Math.abs(b.test.difference) - Math.abs(a.test.difference))
      .slice(0, CMP_MOST)
      .map((row) => ({
        label: cmpQuestion(row),
        right: cmpDiffers(row) ? "\u2260" : "",
        joined: true,
        marks: [0, 1].map((i) => ({
          at: row.test.effect_sizes[i],
          shape: i,
          set: "xy"[i],
          hollow: i === 1,
          title: `${flat(row.models[i])}: ${fixed(row.test.effect_sizes[i])}`,
        })),
      })),
  });
}

/**
 * What was read where models are compared over contexts, and what that means for a difference.
 * @param {Json} options
 */
function cmpRead({ test, models }) {
  const counts = Object.values(test.contexts),
    span = (/** @type {number} */ i) => [Math.min(...counts.map((both) => both[i])), Math.max(...counts.map((both) => both[i]))];
  /** @param {number} i */
  const said = (i) => [computed(span(i)[0], { as: "whole" }), " to ", computed(span(i)[1], { as: "whole" }), " in ", bdi(models[i])];
  const mixed = "a difference may come from the texts as well as from the models.";
  /** @type {Record<string, string>} */
  const means = {
    true: "Both models read the same contexts, so that differences are between the models.",
    false: `The models did not read the same contexts of all words: ${mixed}`,
    null: `Whether the models read the same contexts is not recorded: ${mixed}`,
  };
  return el(
    "p",
    {},
    "The association of a word is its mean over all of its contexts: ",
    said(0),
    " and ",
    said(1),
    ". ",
    means[String(test.same_contexts)],
    " Means over few contexts are noisy, and an effect size in standard deviations is the smaller for it.",
  );
}

/**
 * @param {Context} context
 * @param {Json} row
 */
function cmpDetail(context, row) {
  const { test, path } = row,
    changes = Object.entries(test.changes).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  return [
    el(
      "p",
      {},
      "How sure: ", cmpSure(row),
      ". The effect size is ",
      num(context, `${path}/effect_sizes/0`),
      " in ",
      bdi(row.models[0]),
      " and ",
      num(context, `${path}/effect_sizes/1`),
      " in ",
      bdi(row.models[1]),
      ": a difference of ",
      num(context, `${path}/difference`),
      ". If the changes of words were unrelated to their target, a difference as large would arise in a share of ",
      num(context, `${path}/pvalue`, { as: "p", method: test.method }),
      ` of all exchanges${cmpDrawn(row) ? ", accounting for the choice of attributes" : ""}; the smallest share that sets of this size can give is `,
      num(context, `${path}/min_pvalue`, { as: "p" }),
      ". A difference between models says nothing about which of them is closer to the world.",
    ),
    cmpOver(row) ? cmpRead(row) : null,
    el(
      "div",
      { class: "tall" },
      table({
        caption: `${cmpNamed(row)}: change of each word, its association in the first model minus that in the second`,
        rows: changes,
        columns: [
          plotNamed("word", ([word]) => word),
          plotColumn(context, "change", ([word]) => `${path}/changes/${part(word)}`, {
            digits: 3,
            about:
              test.conventions?.scale === "cosine"
                ? "association in the first model minus that in the second, in cosines"
                : "association in the first model minus that in the second, each in standard deviations of its model",
          }),
          ...(cmpOver(row)
            ? [0, 1].map((i) =>
                plotColumn(context, `contexts in ${i + 1}`, ([word]) => `${path}/contexts/${part(word)}/${i}`, { as: "whole" }),
              )
            : []),
        ],
      }),
    ),
    plotCoverage(test.coverage),
    opening("Conventions", () => methConventions(test.conventions)),
  ];
}

/** @param {Json} row */
const cmpNamed = (row) => `${cmpTest(row)}: ${row.models.join(" and ")}`;

/**
 * A part that opens for each comparison; where there are many, one at a time by choice.
 * @param {Context} context
 * @param {Json[]} rows
 */
function cmpDetails(context, rows) {
  if (rows.length <= CMP_OPENED)
    return rows.map((row) =>
      opening(
        el("span", {}, bdi(cmpQuestion(row)), testsTitled(row.titles) ? [" ", el("span", { class: "note" }, bdi(cmpTest(row)))] : null),
        () => cmpDetail(context, row),
        { id: row.id },
      ),
    );
  const body = el("div", {}),
    show = (/** @type {number} */ i) => plotRedrawn(body, cmpDetail(context, rows[i]));
  show(0);
  return [el("div", { class: "choices" }, plotChoice("Comparison", rows.map(cmpNamed), 0, show)), body];
}

/**
 * The paired tests of each two models.
 * @param {Context} context
 * @returns {Json[][]}
 */
function cmpByPair(context) {
  /** @type {Map<string, Json[]>} */
  const found = new Map();
  for (const row of cmpTests(context)) {
    const key = JSON.stringify(row.models);
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()];
}

/**
 * Any two models: what was found in words, all tests in a table and a picture, each test by itself.
 * @param {Context} context
 */
function cmpPairs(context) {
  const pairs = cmpByPair(context),
    body = el("div", {});
  if (!pairs.length) return null;
  /** @param {number} i */
  const show = (i) =>
    plotRedrawn(
      body,
      pairs.length > 1 ? cmpFinding(pairs[i]) : null,
      cmpDumbbells(pairs[i]),
      cmpTable(context, pairs[i]),
      el("h4", {}, "Largest changes of words"),
      cmpDetails(context, pairs[i]),
    );
  show(0);
  return [
    el("h3", {}, "Two models, word by word"),
    pairs.length > 1
      ? el("div", { class: "choices" }, plotChoice("Models", pairs.map(([{ models }]) => models.join(" and ")), 0, show))
      : null,
    body,
  ];
}

/**
 * What was found, first of all: about two models each difference, of more how many tests differ in each two.
 * @param {Context} context
 */
function cmpLead(context) {
  const pairs = cmpByPair(context);
  return pairs.length > 1
    ? [
        el("p", {}, "In how many tests do two models differ beyond the choice of words?"),
        el(
          "ul",
          { class: "found-differences" },
          pairs.map((rows) => el("li", {}, bdi(rows[0].models[0]), " and ", bdi(rows[0].models[1]), `: ${whole(rows.filter(cmpDiffers).length)} of ${numbered(rows.length, "test")}`)),
        ),
      ]
    : pairs.map(cmpFinding);
}

/** @param {Context} context */
const cmpUnpaired = (context) =>
  context
    .of("CompareBatteryResult")
    .map(({ result, path }) => [
      result.notes?.length ? el("p", { class: "note warned" }, result.notes.join(" ")) : null,
      result.unpaired?.length
        ? [
            el("h3", {}, "Differences without a test"),
            table({
              caption: "Saved effect sizes next to each other",
              rows: result.unpaired.map((/** @type {unknown} */ _, /** @type {number} */ i) => i),
              columns: [
                plotNamed("test", (i) => result.unpaired[i].design),
                plotNamed("measure", (i) => result.unpaired[i].measure),
                plotNamed("models", (i) => result.unpaired[i].models.join(" and ")),
                plotColumn(context, "d in 1", (i) => `${path}/unpaired/${i}/effect_sizes/0`),
                plotColumn(context, "d in 2", (i) => `${path}/unpaired/${i}/effect_sizes/1`),
                plotColumn(context, "difference", (i) => `${path}/unpaired/${i}/difference`),
                plotNamed("why no test", (i) => result.unpaired[i].reason),
              ],
            }),
          ]
        : null,
      Object.keys(result.skipped).length
        ? opening(`${whole(Object.keys(result.skipped).length)} comparisons were left out`, () =>
            table({
              caption: "Comparisons left out, and why",
              rows: Object.entries(result.skipped),
              columns: [plotNamed("comparison", ([name]) => name), plotNamed("reason", ([, why]) => why)],
            }),
          )
        : null,
    ]);

/**
 * Scores of groups on traits by two models: how far their orders agree, and where they differ most.
 * @param {Context} context
 * @param {Found} found
 */
function cmpTraits(context, { result, path }) {
  const cells = result.groups
    .flatMap((group, i) =>
      result.traits.map((trait, j) => ({
        group,
        trait,
        i,
        j,
        known: pointed(result, `/known/${i}/${j}`),
        difference: pointed(result, `/first_scores/${i}/${j}`) - pointed(result, `/second_scores/${i}/${j}`),
      })),
    )
    .filter((row) => row.known && Number.isFinite(row.difference))
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  const exchange = (/** @type {string} */ key) => [`p, ${key} exchanged`, num(context, `${path}/exchanges/${key}/pvalue`, { as: "p", method: "monte-carlo" })],
    adjusted = (/** @type {Json} */ [how, title]) =>
      Object.keys(result.adjusted?.[how] ?? {}).map((key) =>
        [`p (${title}), ${key} exchanged`, num(context, `${path}/adjusted/${how}/${key}`, { as: "p" })]),
    score = (/** @type {string} */ title, /** @type {string} */ key) => plotColumn(context, title, (row) => `${path}/${key}/${row.i}/${row.j}`);
  return opening(
    el(
      "span",
      {},
      "Groups on traits: ",
      bdi(result.models[0]),
      ` (${result.measures[0]}) and `,
      bdi(result.models[1]),
      ` (${result.measures[1]}), \u03c4 = `,
      num(context, `${path}/kendall_tau`),
    ),
    () => [
      el(
        "p",
        {},
        "Over all groups and traits the two orders agree by \u03c4 = ",
        num(context, `${path}/kendall_tau`),
        " ",
        plotInterval(context, `${path}/interval/0`, `${path}/interval/1`),
        ". Scores are in standard deviations of each model, which have scales of their own; single differences have no test.",
      ),
      plotFacts([...Object.keys(result.exchanges).map(exchange), ...adjusted(["bh", "BH"]), ...adjusted(["holm", "Holm"])]),
      el(
        "div",
        { class: "tall" },
        table({
          caption: "Largest differences",
          rows: cells,
          columns: [
            plotNamed("group", (row) => row.group),
            plotNamed("trait", (row) => row.trait),
            score(testsShort(result.models[0], 24), "first_scores"),
            score(testsShort(result.models[1], 24), "second_scores"),
            { title: "difference", value: (row) => row.difference, cell: (row) => computed(row.difference) },
          ],
        }),
      ),
    ],
  );
}

view({
  id: "comparison",
  title: "Comparison",
  order: 60,
  shows: ["CompareResult", "CompareBatteryResult", "CompareTraitsResult"],
  applies: () => cmpContexts().length > 0 || modelPanels().length > 0,
  build() {
    const panels = modelPanels();
    return [
      el("p", { class: "lead" }, "The same test in several models: how much do the associations differ, and could it be the choice of words?"),
      cmpContexts().map((context) => cmpLead(context)),
      panels.length ? modelMultiples(panels) : null,
      modelPeople(),
      cmpContexts().map((context) => [
        cmpPairs(context),
        cmpUnpaired(context),
        context.of("CompareTraitsResult").map((one) => cmpTraits(context, one)),
        context.index >= data.audits.length && (context.audit.methods || context.audit.citations)
          ? opening("Methods and citations of the comparison", () => methText(context.audit), { id: `comparison-${context.index}-methods` })
          : null,
      ]),
    ];
  },
});
