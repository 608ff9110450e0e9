// Tests over time, and single words against two attributes.

/** The points of a series in order: {at: year, path, test}. */
const seriesPoints = (result, path) => Object.keys(result.points).map(Number).sort((a, b) => a - b)
  .map((year) => ({ year, path: `${path}/points/${year}`, test: result.points[year] }));

function seriesChart(points, titles, design) {
  const holds = (level) => level.pvalue < LEVEL;
  const one = (title, set, level) => ({ title, set,
    points: points.map(({ year, test }) => ({ at: year, value: level(test).effect_size, hollow: !holds(level(test)) })) });
  const ds = points.map(({ test }) => test.level1.effect_size);
  return lines({
    series: [one("Level 1: both targets", "", (test) => test.level1), one(`Level 2: ${flat(titles.x)}`, "x", (test) => test.level2.x),
      one(`Level 2: ${flat(titles.y)}`, "y", (test) => test.level2.y)],
    label: `Effect sizes of ${flat(design)} from ${points[0].year} to ${points.at(-1).year}; `
      + `Level 1 goes from ${fixed(ds[0])} to ${fixed(ds.at(-1))}.`,
    caption: "Effect sizes over time; filled: p below .05 (not adjusted), hollow: not below.",
  });
}

function seriesTable(context, points, design) {
  const { titles, level1 } = points[0].test, alone = (key) => `${testsShort(titles[key], 40)} alone`;
  const number = (title, key, about, options = {}) => ({
    title, about, value: (row) => pointed(context.document, `${row.path}/${key}`) ?? null,
    cell: (row) => num(context, `${row.path}/${key}`,
      { ...options, method: pointed(context.document, `${row.path}/${key.replace(/\/\w+$/, "/method")}`) }),
  });
  return el("div", { class: "levels" }, table({ caption: `${flat(design)} over time`, rows: points, columns: [
    { title: "year", value: (row) => row.year, cell: (row) => String(row.year) },
    number("d", "level1/effect_size", "effect size of Level 1: the difference of the targets"),
    number("p", "level1/pvalue", "p-value of Level 1", { as: "p" }),
    ...["x", "y"].flatMap((key) => [number(`d, ${alone(key)}`, `level2/${key}/effect_size`, `effect size of Level 2: does ${flat(titles[key])} lean by itself?`),
      number(`p, ${alone(key)}`, `level2/${key}/pvalue`, `p-value of Level 2 of ${flat(titles[key])}`, { as: "p" })]),
    { title: "pattern", kind: "text", about: "which targets lean by themselves, and to what", value: (row) => row.test.pattern },
  ], note: `p-values: ${TAILS[level1.alternative] ?? level1.alternative}; not adjusted for the number of points in time.` }));
}

function seriesBody(context, all, result, path) {
  const points = seriesPoints(result, path), skipped = Object.entries(result.skipped);
  return [
    points.length > 0 && [
      el("p", {}, "The same test on the vectors of each point in time. Vectors of early decades rest on fewer texts, and words "
        + "change their meaning: a change of d is not by itself a change of attitudes."),
      seriesChart(points, points[0].test.titles, result.design), seriesTable(context, points, result.design),
      el("h4", {}, "Each point in time"),
      points.map((point) => opening(String(point.year),
        () => testsBody(context, all, testsEntry(context, point.test, point.path,
        { elsewhere: "the page does not carry the vectors of each point in time" })))),
    ],
    skipped.length > 0 && el("p", {}, "Not measured: ",
      skipped.map(([year, why], i) => [i ? "; " : "", `${year} (${flat(why).replace(/\.$/, "")})`]), "."),
  ];
}

/** A part for each series. */
const seriesParts = (context, all) => context.of("SeriesResult").map(({ result, path }, i) => {
  const count = Object.keys(result.points).length, titles = Object.values(result.points)[0]?.titles;
  return opening(el("span", { class: "line" }, el("h3", {}, bdi(result.design)),
    el("span", { class: "question" }, titles ? bdi(testsQuestion({ titles })) : ""),
    el("span", { class: "numbers" }, overviewCount(count, "point in time", "points in time"))),
      () => seriesBody(context, all, result, path), { id: `series-${i}` });
});

/** Single words: a table where the numbers are in the page, else how they are spread. */
function singleBody(context, result, path) {
  const [a, b] = result.attributes, spread = context.histograms[`${path}/effect_size`];
  const number = (title, key, about, options = {}) =>
    ({ title, about, value: (row) => pointed(context.document, `${path}/${key}/${row}`) ?? null,
    cell: (row) => num(context, `${path}/${key}/${row}`, { ...options, method: result.method }) });
  const tested = Array.isArray(result.pvalue) && result.pvalue.length > 0;
  return [
    el("p", {}, "Each word by itself: above zero it lies closer to A, below to B. A: ", listed(a, 30), ". B: ", listed(b, 30), "."),
    spread && [
      histogramChart({ ...spread, zero: true,
        label: `Effect sizes of ${whole(spread.n)} words, from ${fixed(spread.low)} to ${fixed(spread.high)}; `
          + `median ${fixed(spread.quantiles["0.5"])}.`,
        caption: `Effect sizes of ${whole(spread.n)} words.` }),
      el("p", { class: "note" }, "So many words are shown as a distribution; the number of each stands in results.json."),
    ],
    !spread && table({ caption: "Association of single words", rows: result.words.map((_, i) => i), columns: [
      { title: "word", kind: "text", value: (row) => result.words[row] },
      number("d", "effect_size", "effect size over the attribute words"),
        number("association s", "association", "difference of the mean cosines", { digits: 3 }),
      ...(tested ? [number("p", "pvalue", TAILS[result.alternative] ?? result.alternative, { as: "p" })] : []),
    ], note: tested ? "These p-values are not adjusted for the number of words." : "No p-values were asked for." }),
    opening("How it was measured", () => testsRecord({ test: result, level1: {}, name: "the single words" })),
  ];
}

/** A part for each test of single words. */
const singleParts = (context) => context.of("ScWeatResult").map(({ result, path }, i) => opening(
  el("span", { class: "line" }, el("h3", {}, "Single words (SC-WEAT)"),
    el("span", { class: "numbers" }, overviewCount(result.words.length, "word"))),
  () => singleBody(context, result, path), { id: `single-${i}`, open: false }));
