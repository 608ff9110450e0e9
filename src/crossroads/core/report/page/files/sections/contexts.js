// @ts-check
// "Contexts": tests over the contexts in which words stand (CEAT): the combined effect size, the p-value as it was
// published and the one that speaks about the words, distributions over samples, levels and patterns.

import { plotRows } from "../charts/plots.js";
import { overviewPattern, plotColumn, plotNamed, plotScores, scoreInterval, scoreNote } from "../parts/columns.js";
import { anchors, bdi, el } from "../parts/elements.js";
import { fixed, numbered, part, pointed } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { testsHolds, testsTitled } from "../tests/entries.js";
import { ctxColumns, ctxDetail, ctxQuestion } from "./context-tests.js";
import { asked, answerFindings } from "./answers.js";

/**
 * Everything about each design, gathered from batteries, single tests and levels.
 * @param {Context} context
 * @returns {ContextRow[]}
 */
function ctxAll(context) {
  /** @type {Map<string, Json>} */
  const found = new Map(),
    id = anchors("context");
  /** @param {Json} design */
  const at = (design) => {
    if (!found.has(design)) found.set(design, { design, id: id(design) });
    return found.get(design);
  };
  for (const { result, path } of context.of("CeatBatteryResult")) {
    result.tests.forEach((test, i) =>
      Object.assign(at(test.design), {
        test,
        path: `${path}/tests/${i}`,
        bh: `${path}/adjusted/bh/${i}`,
        holm: `${path}/adjusted/holm/${i}`,
        titles: result.titles[test.design],
      }),
    );
  }
  for (const { result, path } of context.of("CeatResult")) Object.assign(at(result.design), { test: result, path });
  for (const { result, path } of context.of("MultilevelCeatResult"))
    Object.assign(at(result.design), { levels: result, levelsPath: path, titles: result.titles });
  // a test that was measured with levels only is its Level 1
  return [...found.values()].map((row) => ({
    ...row,
    path: row.path ?? `${row.levelsPath}/level1`,
    samples: `${row.path ?? row.levelsPath}/sample_effect_sizes`,
  }));
}

/**
 * All tests; what only some batteries have is shown where there is any.
 * @param {Context} context
 * @param {ContextRow[]} rows
 */
function ctxTable(context, rows) {
  const has = (/** @type {keyof ContextRow} */ key) => rows.some((row) => row[key]),
    { test, agree, answer, ces, other, words, published, tau2, i2, further, contexts } = ctxColumns(context);
  const adjusted = plotColumn(context, "p (BH)", (row) => row.bh ?? "/none", {
    as: "p",
    about: "the same, adjusted for the number of tests",
  });
  return table({
    caption: "Associations over contexts",
    rows,
    filters: has("levels") ? [{ title: "Pattern", value: (row) => row.levels?.crossed_pattern ?? "" }] : [],
    columns: [
      test,
      agree,
      answer,
      ces,
      has("bh") && adjusted,
      other,
      words,
      has("levels") && {
        ...plotNamed("pattern", (row) => row.levels?.crossed_pattern ?? "\u2013", "which targets are closer to one attribute by themselves, and to which"),
        cell: (/** @type {Json} */ row) => overviewPattern(row.levels?.crossed_pattern),
      },
      further,
      published,
      tau2,
      i2,
      contexts,
    ].filter(Boolean),
    note:
      "CES: combined effect size over samples of one context per word. p generalizes to other words for the same things, p (words) " +
      "for these attribute words, p (published) for further samples from the same words.",
  });
}

/** @param {Context} context */
const ctxGroups = (context) =>
  context.of("GroupCeatResult").map(({ result, path }) => [
    el("h3", {}, "Groups on traits, over contexts"),
    el("p", {}, "Positive scores are closer to the right end of a pair of traits, negative ones to the left. Kind of score: ", result.score, "."),
    plotScores(context, {
      caption: `Scores of ${result.groups.length} groups on ${result.traits.length} traits`,
      first: "group",
      rows: result.groups,
      columns: result.traits,
      value: (i, j) => pointed(result, `/scores/${i}/${j}`),
      ends: (i, j) => scoreInterval(result, i, j),
      path: (i, j) => `${path}/scores/${i}/${j}`,
      note: result.low ? scoreNote("words") : null,
    }),
    Object.keys(result.skipped).length
      ? el(
          "p",
          { class: "note" },
          "Left out: ",
          Object.entries(result.skipped).flatMap(([name, why], i) => [i ? "; " : "", bdi(name), ` (${why})`]),
        )
      : null,
    opening("Contexts of each word", () =>
      table({
        caption: "Contexts of each word, fewest first",
        rows: Object.entries(result.contexts).sort((a, b) => a[1] - b[1]),
        columns: [
          plotNamed("word", ([word]) => word),
          plotColumn(context, "contexts", ([word]) => `${path}/contexts/${part(word)}`, { as: "whole" }),
        ],
      }),
    ),
  ]);

const CTX_SHOWN = ["CeatResult", "CeatBatteryResult", "MultilevelCeatResult", "GroupCeatResult"];

view({
  id: "contexts",
  title: "Contexts",
  order: 40,
  shows: CTX_SHOWN,
  applies: (context) => CTX_SHOWN.some((type) => context.of(type).length),
  build(context) {
    const rows = ctxAll(context),
      measured = rows.filter((row) => row.test || row.levels),
      summary = (/** @type {Json} */ row) => (testsTitled(row.titles) ? asked(bdi(ctxQuestion(row.titles)), row.design) : el("span", {}, bdi(row.design)));
    return [
      answerFindings(context, "contexts"),
      el(
        "p",
        { class: "lead" },
        "A word has a different vector in every sentence. These tests ask how associations are distributed over the " +
          "contexts of words, not only on average.",
      ),
      measured.length > 1
        ? plotRows({
            rows: measured.map((row) => {
              const read = (/** @type {string} */ key) => pointed(context.document, `${row.path}/${key}`);
              return {
                label: ctxQuestion(row.titles) || row.design,
                marks: [
                  {
                    at: read("effect_size"),
                    low: read("prediction_interval/0"),
                    high: read("prediction_interval/1"),
                    hollow: !testsHolds(context, { at: row.path, bh: row.bh }),
                    title: `${flat(row.design)}: ${fixed(read("effect_size"))}`,
                  },
                ],
              };
            }),
            most: 300,
            axis: "\u2190 first group relatively closer to the second attribute \u00b7 combined effect size \u00b7 to the first \u2192",
            label: `Combined effect sizes of ${numbered(measured.length, "test")} with the range of further samples.`,
            caption:
              "Combined effect sizes, with the range in which 95 % of further samples are expected. Filled: yes, beyond just these words; hollow: no, or cannot tell yet.",
          })
        : null,
      rows.length ? ctxTable(context, rows) : null,
      rows.length ? el("h3", {}, "Each test") : null,
      rows.map((row) => opening(summary(row), () => ctxDetail(context, row), { id: row.id })),
      ctxGroups(context),
    ];
  },
});
