// One test over contexts: plain words, distribution over samples, levels, pattern, contexts of each word.

/** The direction of an effect size, in words. */
function ctxDirection(value, titles) {
  const { x = "X", y = "Y", a = "the first attribute", b = "the second" } = titles ?? {};
  const [one, other] = value >= 0 ? [x, y] : [y, x];
  return ["On average, the words for ", bdi(one), " lean more to ", bdi(a), ", as against ", bdi(b), ", than those for ", bdi(other), " do. "];
}

/** What a test over contexts shows, and why its published p-value does not show it. */
function ctxPlain(context, row) {
  const { path, interval, intervalPath } = row,
    value = pointed(context.document, `${path}/effect_size`),
    share = pointed(context.document, `${path}/share_positive`);
  const drawn = interval?.drawn === "both" ? "words and contexts" : interval?.drawn;
  return [
    el(
      "p",
      {},
      "For each of many samples one context was drawn for every word, and the association measured. The combined " +
        "effect size (CES) is their weighted mean: ",
      num(context, `${path}/effect_size`),
      ". ",
      ctxDirection(value, row.titles),
      typeof share === "number"
        ? [num(context, `${path}/share_positive`, { as: "percent" }), " of the samples have a positive effect size."]
        : null,
    ),
    el(
      "p",
      {},
      "Whether this would hold for other words of the same kind is a question for the p-value over words: ",
      num(context, `${path}/stimulus_pvalue`, { as: "p", ...ctxMethod(row) }),
      interval
        ? [`, and for the interval that draws ${drawn} anew: `, plotInterval(context, `${intervalPath}/low`, `${intervalPath}/high`)]
        : null,
      ".",
    ),
    el(
      "p",
      { class: "note warned" },
      "The published p-value, ",
      ctxPublished(context, path),
      ", asks whether more samples from the same words and contexts would again have a mean other than zero. " +
        "The more samples are drawn, the smaller it is, so it is sure of almost anything; it says nothing about other words.",
    ),
  ];
}

function ctxHistogram(context, row) {
  const counted = plotCounted(context, row.samples);
  if (!counted) return null;
  const read = (key) => pointed(context.document, `${row.path}/${key}`),
    ces = read("effect_size"),
    low = read("prediction_interval/0"),
    high = read("prediction_interval/1");
  return histogramChart({
    ...counted,
    zero: true,
    axis: "effect size of a sample",
    band: typeof low === "number" ? [low, high] : undefined,
    marks: [
      { value: ces, label: "CES", kind: "strong" },
      { value: read("stimulus_effect_size") ?? NaN, label: "words over all contexts", kind: "dashed" },
    ],
    label:
      `Effect sizes of ${whole(counted.n)} samples, from ${fixed(counted.low)} to ${fixed(counted.high)}; ` +
      `the combined effect size is ${fixed(ces)}.`,
    caption:
      `Effect sizes of ${whole(counted.n)} samples of one context a word. Shaded: where 95 % of further samples are expected. ` +
      "Dashed: the effect size of the words over all their contexts.",
  });
}

const CTX_EXCHANGED = "p-value of exchanging labels: those of the target words at Level 1, those of the attribute words at Level 2";

function ctxLevels(context, { levels, levelsPath, titles }) {
  const rows = [
    { name: "Level 1: both targets", path: `${levelsPath}/level1`, level: levels.level1 },
    ...["x", "y"].map((key) => ({
      name: `Level 2: ${titles?.[key] ?? key}`,
      path: `${levelsPath}/level2/${key}`,
      level: levels.level2[key],
    })),
  ];
  const { ces, published, tau2, i2 } = ctxColumns(context),
    column = (title, key, options) => plotColumn(context, title, (row) => `${row.path}/${key}`, options),
    method = (row) => ({ method: row.level.stimulus_method });
  const names = { ax: ["a", "x"], bx: ["b", "x"], ay: ["a", "y"], by: ["b", "y"] },
    third = Object.keys(levels.level3);
  return [
    table({
      caption: `${levels.design}: Levels 1 and 2 over contexts`,
      rows,
      columns: [
        plotNamed("level", (row) => row.name),
        ces,
        column("se", "se", { digits: 4, about: "standard error of the CES over samples, which says nothing about other words" }),
        column("p (words)", "stimulus_pvalue", { as: "p", of: method, about: CTX_EXCHANGED }),
        column("d of the words", "stimulus_effect_size", { about: "effect size when each word counts by its mean over all its contexts" }),
        published,
        tau2,
        i2,
        plotEndsColumn(
          context,
          "middle 95\u202f% of samples",
          (row) => `${row.path}/sample_interval/0`,
          (row) => `${row.path}/sample_interval/1`,
          "where the middle 95 % of the effect sizes of samples lie",
        ),
      ],
    }),
    table({
      caption: `${levels.design}, Level 3: mean cosine of each target with each attribute`,
      rows: third,
      columns: [
        plotNamed("sets", (key) =>
          names[key]
            .map((set) => titles?.[set] ?? set)
            .reverse()
            .join(" with "),
        ),
        ...[
          ["mean", "mean", "mean cosine, combined over samples"],
          ["se", "se", "standard error of that mean over samples", 6],
          ["sd in a sample", "sd", "standard deviation of the cosines within a sample"],
          ["over all contexts", "expected", "mean cosine when every context of every word counts"],
        ].map(([title, key, about, digits = 3]) =>
          plotColumn(context, title, (one) => `${levelsPath}/level3/${one}/${key}`, { digits, about }),
        ),
        plotColumn(context, "pairs", (one) => `${levelsPath}/level3/${one}/pairs`, { as: "whole", about: "pairs of words in a sample" }),
      ],
    }),
  ];
}

function ctxPattern(context, { levels, levelsPath, titles }) {
  const shares = Object.entries(levels.pattern_shares)
    .filter(([, share]) => share > 0)
    .sort((a, b) => b[1] - a[1]);
  return [
    el("h4", {}, "Pattern"),
    el(
      "p",
      {},
      "By the p-values over words the pattern is ",
      el("strong", {}, levels.pattern),
      "; by the published p-values it would be ",
      levels.published_pattern,
      ". ",
      "In single samples it varies: the table says which share of the samples shows which pattern.",
    ),
    el(
      "div",
      { class: "beside" },
      eatMap({
        titles: titles ?? { x: "X", y: "Y", a: "A", b: "B" },
        pattern: levels.pattern,
        level2: levels.level2,
        caption: `${levels.pattern}. Effect sizes of Level 2, combined over samples.`,
      }),
      table({
        caption: `${levels.design}: patterns of single samples`,
        rows: shares,
        search: false,
        columns: [
          plotNamed("pattern", ([name]) => name),
          plotColumn(context, "share of samples", ([name]) => `${levelsPath}/pattern_shares/${part(name)}`, { as: "percent", digits: 1 }),
        ],
      }),
    ),
  ];
}

function ctxDetail(context, row) {
  const path = row.test ? row.path : row.levelsPath,
    words = Object.entries(row.test?.contexts ?? row.levels?.contexts ?? {}).sort((a, b) => a[1] - b[1]);
  const column = (name, key, options) => [name, num(context, `${row.path}/${key}`, options)];
  const conventions = (row.test ?? row.levels ?? row.interval).conventions;
  return [
    row.test || row.levels ? ctxPlain(context, row) : null,
    row.test || row.levels
      ? plotFacts([
          column("CES", "effect_size", { digits: 3 }),
          column("standard error over samples", "se", { digits: 4 }),
          column("\u03c4\u00b2", "tau2", { digits: 4 }),
          column("I\u00b2", "i2", { as: "percent", digits: 1 }),
          column("d of the words over all contexts", "stimulus_effect_size", { digits: 3 }),
          column("p over words", "stimulus_pvalue", { as: "p", ...ctxMethod(row) }),
          row.holm ? ["p over words (Holm)", num(context, row.holm, { as: "p", ...ctxMethod(row) })] : null,
          row.bh ? ["p over words (BH)", num(context, row.bh, { as: "p", ...ctxMethod(row) })] : null,
          ["further samples, 95 %", plotInterval(context, `${row.path}/prediction_interval/0`, `${row.path}/prediction_interval/1`)],
        ])
      : null,
    row.interval
      ? plotFacts([
          [
            `interval (${row.interval.interval}, ${row.interval.drawn} drawn anew)`,
            plotInterval(context, `${row.intervalPath}/low`, `${row.intervalPath}/high`, { digits: 3 }),
          ],
          ["resamples", num(context, `${row.intervalPath}/resamples`, { as: "whole" })],
          ["of them without an effect size", num(context, `${row.intervalPath}/undefined`, { as: "whole" })],
        ])
      : null,
    ctxHistogram(context, row),
    row.levels ? [ctxPattern(context, row), ctxLevels(context, row)] : null,
    words.length
      ? el(
          "div",
          { class: "tall" },
          table({
            caption: `${row.design}: contexts of each word, fewest first; a word with few contexts weighs as much as one with many`,
            rows: words,
            columns: [
              plotNamed("word", ([word]) => word),
              plotColumn(context, "contexts", ([word]) => `${path}/contexts/${part(word)}`, { as: "whole" }),
            ],
          }),
        )
      : null,
    plotCoverage((row.test ?? row.levels ?? row.interval).coverage),
    opening("Conventions", () => methConventions(conventions)),
  ];
}
