// "Contexts": tests over the contexts in which words stand (CEAT): the combined effect size, the p-value as it was
// published and the one that speaks about the words, distributions over samples, levels and patterns.

/** Everything about each design, gathered from batteries, single tests, levels and intervals. */
function ctxAll(context) {
  const found = new Map();
  const at = (design) => {
    if (!found.has(design)) found.set(design, { design, index: found.size });
    return found.get(design);
  };
  for (const { result, path } of context.of("CeatBatteryResult")) {
    result.tests.forEach((test, i) =>
      Object.assign(at(test.design), {
        test,
        path: `${path}/tests/${i}`,
        bh: `${path}/bh/${i}`,
        holm: `${path}/holm/${i}`,
        titles: result.titles?.[test.design],
      }),
    );
    for (const [design, one] of Object.entries(result.intervals ?? {}))
      Object.assign(at(design), { interval: one, intervalPath: `${path}/intervals/${part(design)}` });
  }
  for (const { result, path } of context.of("CeatResult")) Object.assign(at(result.design), { test: result, path });
  for (const { result, path } of context.of("MultilevelCeatResult"))
    Object.assign(at(result.design), { levels: result, levelsPath: path, titles: result.titles });
  for (const { result, path } of context.of("CeatBootstrapResult"))
    Object.assign(at(result.design), { interval: result, intervalPath: path });
  // a test that was measured with levels only is its Level 1
  return [...found.values()].map((row) => ({
    ...row,
    path: row.path ?? (row.levels ? `${row.levelsPath}/level1` : row.intervalPath),
    samples: `${row.path ?? row.levelsPath}/sample_effect_sizes`,
  }));
}

const ctxQuestion = (titles) => (titles?.x ? `${titles.x} / ${titles.y}: ${titles.a} / ${titles.b}` : "");
const ctxContexts = (row) => Object.values(row.test?.contexts ?? row.levels?.contexts ?? {});
const ctxMethod = (row) => ({ method: pointed(row, "/test/stimulus_method") ?? row.levels?.level1.stimulus_method ?? "exact" });

/** The published p-value, which may be too small for a number. */
function ctxPublished(context, path) {
  const power = pointed(context.document, `${path}/log10_pvalue`);
  if (pointed(context.document, `${path}/pvalue`) === 0 && typeof power === "number")
    return el("span", { class: "keep" }, "10^", num(context, `${path}/log10_pvalue`, { digits: 0 }));
  return num(context, `${path}/pvalue`, { as: "p" });
}

/** Columns that every test has. */
function ctxColumns(context) {
  const column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options);
  const total = (row) => ctxContexts(row).reduce((sum, n) => sum + n, 0);
  const sure = "p-value over samples, as published: sure of almost anything";
  return {
    test: {
      ...plotNamed("test", (row) => row.design),
      cell: (row) => [
        el("a", { href: `#context-${row.index}` }, bdi(row.design)),
        el("br", {}),
        el("span", { class: "note" }, bdi(ctxQuestion(row.titles))),
      ],
    },
    ces: column("CES", "effect_size", { about: "combined effect size: the weighted mean over samples of one context a word" }),
    words: column("p (words)", "stimulus_pvalue", {
      as: "p",
      of: ctxMethod,
      about: "p-value of exchanging the labels of the target words: the one that speaks about the words",
    }),
    published: { ...column("p (published)", "pvalue", { about: sure }), cell: (row) => ctxPublished(context, row.path) },
    tau2: column("\u03c4\u00b2", "tau2", { digits: 3, about: "variance between samples" }),
    i2: column("I\u00b2", "i2", { as: "percent", about: "share of the variation that is between samples" }),
    further: plotEndsColumn(
      context,
      "further samples",
      (row) => `${row.path}/prediction_interval/0`,
      (row) => `${row.path}/prediction_interval/1`,
      "where 95 % of further samples are expected",
    ),
    contexts: {
      title: "contexts",
      about: "contexts of all words together",
      value: total,
      cell: (row) => computed(total(row), { as: "whole" }),
    },
  };
}

/** All tests; what only some batteries have is shown where there is any. */
function ctxTable(context, rows) {
  const has = (key) => rows.some((row) => row[key]),
    { test, ces, words, published, tau2, i2, further, contexts } = ctxColumns(context);
  const adjusted = plotColumn(context, "p (BH)", (row) => row.bh ?? "/none", {
    as: "p",
    of: ctxMethod,
    about: "the same, adjusted for the number of tests",
  });
  const ends = (end) => (row) => `${row.intervalPath ?? "/none"}/${end}`;
  const interval = plotEndsColumn(
    context,
    "95\u202f%, words",
    ends("low"),
    ends("high"),
    "interval of the effect size of the words, drawn anew",
  );
  return table({
    caption: "Associations over contexts",
    rows,
    filters: has("levels") ? [{ title: "Pattern", value: (row) => row.levels?.pattern ?? "" }] : [],
    columns: [
      test,
      ces,
      words,
      has("bh") && adjusted,
      has("interval") && interval,
      has("levels") && {
        ...plotNamed("pattern", (row) => row.levels?.pattern ?? "\u2013", "which targets lean by themselves, and to what"),
        cell: (row) => overviewPattern(row.levels?.pattern),
      },
      further,
      published,
      tau2,
      i2,
      contexts,
    ].filter(Boolean),
    note:
      "CES: combined effect size over samples of one context a word. p (words) speaks about the words, p (published) about further " +
      "samples from the same words.",
  });
}

const ctxGroups = (context) =>
  context.of("GroupCeatResult").map(({ result, path }) => [
    el("h3", {}, "Groups on traits, over contexts"),
    el("p", {}, "Positive scores lean to the right end of a pair of traits, negative ones to the left. Kind of score: ", result.score, "."),
    plotScores(context, {
      caption: `Scores of ${result.groups.length} groups on ${result.traits.length} traits`,
      first: "group",
      rows: result.groups,
      columns: result.traits,
      value: (i, j) => pointed(result, `/scores/${i}/${j}`),
      path: (i, j) => `${path}/scores/${i}/${j}`,
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

view({
  id: "contexts",
  title: "Contexts",
  order: 40,
  applies: (context) =>
    ["CeatResult", "CeatBatteryResult", "MultilevelCeatResult", "CeatBootstrapResult", "GroupCeatResult"].some(
      (type) => context.of(type).length,
    ),
  build(context) {
    const rows = ctxAll(context),
      summary = (row) => el("span", {}, bdi(row.design), row.titles ? [": ", bdi(ctxQuestion(row.titles))] : null);
    return [
      el(
        "p",
        { class: "lead" },
        "A word has another vector in every sentence. These tests ask how associations are distributed over the " +
          "contexts in which words stand, not only on average.",
      ),
      rows.length ? ctxTable(context, rows) : null,
      rows.length > 1
        ? forest({
            rows: rows
              .filter((row) => row.test || row.levels)
              .map((row) => ({
                label: row.design,
                value: pointed(context.document, `${row.path}/effect_size`),
                low: pointed(context.document, `${row.path}/prediction_interval/0`),
                high: pointed(context.document, `${row.path}/prediction_interval/1`),
                hollow: !(pointed(context.document, row.bh ?? `${row.path}/stimulus_pvalue`) < 0.05),
              })),
            axis: "combined effect size",
            label: `Combined effect sizes of ${rows.length} tests with the range of further samples.`,
            caption:
              "Combined effect sizes, with the range in which 95 % of further samples are expected. Filled: p over " +
              "words below .05 (adjusted where there are several tests); hollow: not.",
          })
        : null,
      rows.length ? el("h3", {}, "Each test") : null,
      rows.map((row) => opening(summary(row), () => ctxDetail(context, row), { id: `context-${row.index}` })),
      ctxGroups(context),
    ];
  },
});
