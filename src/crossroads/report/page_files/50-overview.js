// The overview: what was measured, in sentences; all tests in one table, as maps and as a forest; models beside
// one another; and how to read it all. `testsOf` is where other files find the tests of an audit.

const LEVEL = 0.05;
const TESTS_FOUND = new Map();

/** What was found about a test beyond itself: a result of a type for the same design and the same effect size. */
const testsCompanion = (context, type, design, d) =>
  context.of(type).find(({ result }) => result.design === design && Math.abs(result.effect_size - d) < 1e-9) ?? null;

/** One test: where it stands, its Level 1, and what belongs to it. */
function testsEntry(context, test, path, adjusted = {}) {
  const three = test.type === "MleatResult", level1 = three ? test.level1 : test;
  const find = (type) => testsCompanion(context, type, test.design, level1.effect_size);
  return {
    test, path, three, level1, at: three ? `${path}/level1` : path, name: test.design, ...adjusted,
    titles: three ? test.titles : testsTitles(context, test), interval: find("BootstrapResult"), influence: find("InfluenceResult"),
  };
}

/** What the sets of a plain test stand for: the names of its design, or letters with a few words. */
function testsTitles(context, test) {
  const design = context.document.designs.find((one) => one.name === test.design);
  const few = (words) => words.slice(0, 2).join(", ") + (words.length > 2 ? ", \u2026" : "");
  return Object.fromEntries(["x", "y", "a", "b"].filter((key) => key in test.sets)
    .map((key) => [key, design?.[key]?.name || `${key.toUpperCase()} (${few(test.sets[key])})`]));
}

/**
 * All tests of an audit on one vector a word, in order: {id, name, test, path, level1, at: place of Level 1, three:
 * whether it has three levels, titles, bh and holm: places of the adjusted p-values, could: place of what sets of its
 * sizes could have shown, where that is known, interval, influence}.
 */
function testsOf(context) {
  if (!TESTS_FOUND.has(context.index)) {
    const found = context.document.results.flatMap((result, i) => {
      const path = `/results/${i}`;
      if (result.type === "BatteryResult") {
        return result.tests.map((test, k) => testsEntry(context, test, `${path}/tests/${k}`,
          { bh: `${path}/bh/${k}`, holm: `${path}/holm/${k}`, could: result.detectable?.[k] && `${path}/detectable/${k}` }));
      }
      return ["MleatResult", "WeatResult"].includes(result.type) ? [testsEntry(context, result, path)] : [];
    });
    found.forEach((one, i) => { one.id = `test-${i}`; one.order = i; });
    TESTS_FOUND.set(context.index, found);
  }
  return TESTS_FOUND.get(context.index);
}

/** The question of a test: "flowers / insects: pleasant / unpleasant". */
const testsQuestion = ({ titles }) => [titles.x, titles.y].filter(Boolean).join(" / ") + `: ${titles.a} / ${titles.b}`;

/** The p-value that decides: adjusted for the number of tests where there are several. */
const testsDecisive = (context, one) => (one.bh ? pointed(context.document, one.bh) : one.level1.pvalue);
const testsHolds = (context, one) => testsDecisive(context, one) < LEVEL;

/** What is said of tests whose p-values are all adjusted, of some that are and some that are not, and of none that are. */
const overviewAdjusted = (tests, [all, some, none]) =>
  (tests.every((one) => one.bh) ? all : tests.some((one) => one.bh) ? some : none);
const testsOutcome = (context, one) => (testsHolds(context, one) ? "below .05" : "not below .05");

/** How many words of a test were asked for and how many had no vector. */
function testsCoverage(one) {
  const { used = {}, dropped = {} } = one.test.coverage ?? {};
  const left = Object.values(dropped).reduce((sum, words) => sum + Object.keys(words).length, 0);
  return { left, all: left + Object.values(used).reduce((sum, words) => sum + words.length, 0) };
}

/** A test opens again from the link that leads to it, even if the address of the page stays the same. */
const overviewOpens = (one) => ({ href: `#${one.id}`, onclick: () => { document.getElementById(one.id).open = true; } });
const overviewLink = (one) => el("a", overviewOpens(one), bdi(one.name));
const overviewQuestion = (one) => el("span", { class: "asked" }, bdi(testsQuestion(one)));
const overviewPattern = (name) => el("span", { class: "keep" }, name || "\u2013");
const overviewLinks = (some, most = 40) => [
  some.slice(0, most).map((one, i) => [i ? ", " : "", overviewLink(one)]), some.length > most ? ` and ${some.length - most} more` : "",
];
const overviewCount = numbered;

/** What was measured and what came of it: counts and names, no score. */
function overviewLead(context, tests) {
  const holding = tests.filter((one) => testsHolds(context, one));
  const names = [...new Set(tests.map((one) => one.test.pattern).filter(Boolean))];
  const kinds = names.map((name) => [name, tests.filter((one) => one.test.pattern === name)]).sort((a, b) => b[1].length - a[1].length);
  const others = tests.length - holding.length;
  const correction = "adjusted for the number of tests (Benjamini\u2013Hochberg)";
  const corrected = overviewAdjusted(tests,
    [correction, `${correction} where they were run together`, "not adjusted for the number of tests"]);
  return [
    el("p", {}, `${overviewCount(tests.length, "test")} of association ${tests.length === 1 ? "was" : "were"} run on `,
      bdi(context.document.model),
      ". Each asks whether two sets of words, the targets, differ in how close they lie to two other sets, the attributes."),
    el("p", { class: "outcome" }, `The p-value of the difference, ${corrected}, is below .05 in `,
      `${whole(holding.length)} of ${whole(tests.length)}`,
      holding.length ? [": ", overviewLinks(holding)] : "", ".",
      others > 0 && holding.length ? [` It is not in the other ${whole(others)}: `,
        overviewLinks(tests.filter((one) => !testsHolds(context, one))), "."] : ""),
    overviewSettled(tests),
    kinds.length > 0 && el("p", {}, "Tested one at a time, the targets show these patterns: ",
      kinds.map(([name, some], i) =>
        [i ? "; " : "", `${whole(some.length)} \u00d7 ${name} (`, overviewLinks(some, 12), ")"]), "."),
    overviewLeftOut(context, tests),
  ];
}

/** Where the choice of words decides: the p-value takes the attributes as given, the interval does not. */
function overviewSettled(tests) {
  const ends = (one) => one.interval?.result ?? {}, drawn = tests.filter((one) => Number.isFinite(ends(one).low) && Number.isFinite(ends(one).high));
  const clear = drawn.filter((one) => ends(one).low > 0 || ends(one).high < 0), others = drawn.length - clear.length;
  return drawn.length > 0 && el("p", { class: "settled" }, "The interval of the effect size over the choice of words, attributes included, ",
    `leaves out zero in ${whole(clear.length)} of ${whole(drawn.length)}`, clear.length ? [": ", overviewLinks(clear)] : "", ".",
    others > 0 && ` ${clear.length ? `In the other ${whole(others)}` : "In all of them"}, other words for the same things might have given another answer.`);
}

/** What could not be measured. */
function overviewLeftOut(context, tests) {
  const skipped = Object.entries(context.document.skipped ?? {}), short = tests.filter((one) => testsCoverage(one).left > 0);
  const lost = short.reduce((sum, one) => sum + testsCoverage(one).left, 0);
  return [
    short.length > 0 && el("p", {}, `${overviewCount(lost, "entry", "entries")} of the word lists had no vector `,
      `and ${lost === 1 ? "was" : "were"} left out, in ${overviewCount(short.length, "test")}: `, overviewLinks(short), "."),
    skipped.length > 0 && el("p", {}, "Not measured: ",
      skipped.slice(0, 20).flatMap(([name, why], i) => [i ? "; " : "", bdi(name), ` (${flat(why).replace(/\.$/, "")})`]),
      skipped.length > 20 ? `; and ${whole(skipped.length - 20)} more` : "", "."),
  ];
}

const OVERVIEW_OTHERS = [
  ["Tests", ["SeriesResult"], "Tests over time"],
  ["Tests", ["ScWeatResult"], "Single words against two attributes"],
  ["Contexts", ["CeatBatteryResult", "CeatResult", "MultilevelCeatResult", "GroupCeatResult"], "Tests over contexts (CEAT)"],
  ["Traits", ["TraitScores", "AlignmentResult", "DominanceResult", "EmergentResult"], "Scores of groups on traits"],
  ["Intersections", ["DetectionResult", "WefatResult", "DiscoveryResult"], "Words of intersectional groups"],
  ["Geometry", ["RsaResult", "RsaGridResult"], "Comparisons of geometry"],
  ["Comparison", ["CompareResult", "CompareBatteryResult", "CompareTraitsResult"], "Comparisons of models"],
];

/** A line for each kind of result that has a section of its own. */
function overviewOthers(context, all) {
  const lines = OVERVIEW_OTHERS.flatMap(([title, types, text]) => {
    const compared = title === "Comparison"; // stands beside the models, whichever of them is chosen
    const count = (compared ? all.audits.map((_, i) => contextOf(i)) : [context])
      .reduce((sum, one) => sum + types.reduce((some, type) => some + one.of(type).length, 0), 0);
    if (!count) return [];
    const place = VIEWS.find((one) => one.title === title && one.applies(context, all));
    return [el("li", {}, `${text}: ${overviewCount(count, "result")}`, place ? [", see ", el("a", { href: `#${place.id}` }, title)] : "",
      ".")];
  });
  return lines.length ? el("ul", { class: "others" }, lines) : null;
}

const overviewNumber = (context, title, about, path, options = {}) => ({
  title, about, value: (one) => (path(one) ? pointed(context.document, path(one)) ?? null : null),
  cell: (one) => (path(one) ? num(context, path(one), { ...options, method: one.level1.method })
    : noNumber()),
});

/** How much of what was drawn anew lies in the intervals: "95 %". */
const overviewShare = (tests) => `${fixed(100 * (tests.find((one) => one.interval)?.interval.result.level ?? 0.95), 0)} %`;

/** The columns of the table of all tests; those that would be empty are left out. */
function overviewColumns(context, tests) {
  const number = (...args) => overviewNumber(context, ...args), any = (key) => tests.some((one) => one[key]);
  const share = overviewShare(tests);
  return [
    { title: "test", kind: "text", value: (one) => one.name, cell: (one) => el("span", { class: "test-name" }, overviewLink(one)) },
    { title: "question", kind: "text", about: "targets: attributes", value: testsQuestion, cell: overviewQuestion },
    number("d", "effect size of Level 1", (one) => `${one.at}/effect_size`),
    any("interval") && number("CI low", `lower end of the ${share} interval over the choice of words`,
      (one) => one.interval && `${one.interval.path}/low`),
    any("interval") && number("CI high", `upper end of the ${share} interval over the choice of words`,
      (one) => one.interval && `${one.interval.path}/high`),
    number("p", "p-value of Level 1", (one) => `${one.at}/pvalue`, { as: "p" }),
    any("bh") && number("p (BH)", "adjusted by Benjamini and Hochberg", (one) => one.bh, { as: "p" }),
    any("holm") && number("p (Holm)", "adjusted by Holm", (one) => one.holm, { as: "p" }),
    any("three") && { title: "pattern", kind: "text", about: "which targets lean by themselves, and to what",
      value: (one) => one.test.pattern ?? "", cell: (one) => overviewPattern(one.test.pattern) },
    { title: "left out", about: "words without a vector, of all words of the test", value: (one) => testsCoverage(one).left,
      cell: (one) => `${testsCoverage(one).left} of ${testsCoverage(one).all}` },
  ].filter(Boolean);
}

/** One test as a card: a link with its map. */
function overviewCard(context, one) {
  return el("a", { class: "card map", ...overviewOpens(one) },
    el("span", { class: "named" }, bdi(one.name)),
    el("span", { class: "numbers" }, "d = ", num(context, `${one.at}/effect_size`), ", ", testsP(context, one.at, one.level1)),
    eatMap({ titles: one.titles, pattern: one.test.pattern, level2: one.test.level2, size: chartsRoom < 560 ? 64 : 76 }),
    el("span", { class: "pattern" }, one.test.pattern));
}

/** "p = .003", "p ≤ .003": with the sign that says how it was found. */
const testsP = (context, at, { method }) => [method === "exact" ? "p = " : "p ", num(context, `${at}/pvalue`, { as: "p", method })];

/** A forest of tests. */
function overviewForest(context, some) {
  const shown = some.slice(0, 150), holding = shown.filter((one) => testsHolds(context, one)).length;
  const p = overviewAdjusted(shown, ["adjusted p", "p, adjusted where tests were run together,", "p"]);
  const rows = shown.map((one) => {
    const { low, high } = one.interval?.result ?? {}, d = one.level1.effect_size;
    const ends = Number.isFinite(low) ? `, interval ${fixed(low)} to ${fixed(high)}` : "";
    return { label: one.name, value: d, low, high, hollow: !testsHolds(context, one),
      title: `${flat(one.name)}: d = ${fixed(d)}${ends}` };
  });
  const above = rows.filter((row) => row.value > 0).length;
  return forest({
    rows, label: `Effect sizes of ${overviewCount(rows.length, "test")}: ${above} above zero, ${rows.length - above} not; `
      + `${holding} filled. The table has the numbers.`,
    caption: `Effect sizes of Level 1${some.some((one) => one.interval) ? " with their intervals over the choice of words" : ""}. `
      + `Filled dots: ${p} below .05; hollow dots: not below.`
      + (some.length > shown.length ? ` The first ${shown.length} of ${whole(some.length)} tests.` : ""),
  });
}

/** How a table is sorted just now: [column, direction] or null. */
function overviewSorted(box) {
  const heads = [...(box?.querySelectorAll("thead th") ?? [])], i = heads.findIndex((th) => th.getAttribute("aria-sort") !== "none");
  return i < 0 ? null : [i, heads[i].getAttribute("aria-sort") === "ascending" ? 1 : -1];
}

const CARDS_AT_FIRST = 60;

/** The tests that match what was asked, as table, maps and forest. */
function overviewShow(context, places, some, all) {
  const { tables, maps, forests } = places, sorted = overviewSorted(tables.firstElementChild);
  tables.replaceChildren(table({
    caption: `Association tests of ${context.document.model}`, rows: some, columns: overviewColumns(context, all), search: false, sorted,
    counted: all.length === 1, legend: false, // the count stands above, and so does how to read it
  }));
  const drawn = some.filter((one) => one.three), cards = (most) => drawn.slice(0, most).map((one) => overviewCard(context, one));
  const grid = el("div", { class: "cards maps" }, cards(CARDS_AT_FIRST));
  const more = drawn.length > CARDS_AT_FIRST && el("button",
    { type: "button", onclick: () => {
      grid.replaceChildren(...cards(Infinity));
      more.remove();
      grid.children[CARDS_AT_FIRST].focus(); // the first of those that came
    } },
    `Show all ${whole(drawn.length)} maps`);
  maps.replaceChildren(...[drawn.length ? grid : el("p", { class: "none" }, "Nothing matches."), more].filter(Boolean));
  forests.replaceChildren(...(some.length ? [overviewForest(context, some)] : []));
}

/** All tests, with one search and two choices for table, maps and forest alike. */
function overviewTests(context, tests) {
  const asked = { term: "", pattern: "", outcome: "" }, count = el("span", { class: "count", role: "status" });
  const places = { tables: el("div"), maps: el("div"), forests: el("div") };
  const text = (one) => `${one.name} ${testsQuestion(one)} ${one.test.pattern ?? ""}`.toLowerCase();
  const matching = (one) => (!asked.term || text(one).includes(asked.term))
    && (!asked.pattern || one.test.pattern === asked.pattern) && (!asked.outcome || testsOutcome(context, one) === asked.outcome);
  const update = () => {
    const some = tests.filter(matching);
    overviewShow(context, places, some, tests);
    count.textContent = some.length === tests.length ? overviewCount(tests.length, "test")
      : `${whole(some.length)} of ${overviewCount(tests.length, "test")}`;
  };
  const choice = (title, key, values) => values.length > 1 && el("label", {}, `${title} `,
    el("select", { onchange: (event) => { asked[key] = event.target.value; update(); } }, el("option", { value: "" }, "all"),
      values.map((one) => el("option", { value: one }, one))));
  const tools = el("div", { class: "tools", role: "search", "aria-label": "Tests" },
    el("label", {}, "Search ", el("input", { type: "search",
      oninput: (event) => { asked.term = event.target.value.trim().toLowerCase(); update(); } })),
    choice("Pattern", "pattern", [...new Set(tests.map((one) => one.test.pattern).filter(Boolean))].sort()),
    choice(tests.every((one) => one.bh) ? "Adjusted p" : "p", "outcome",
      [...new Set(tests.map((one) => testsOutcome(context, one)))].sort()), count);
  update();
  const maps = tests.some((one) => one.three) && [el("h3", {}, "EAT-Maps"),
    el("p", { class: "note" }, "Each map is a link to its test. Red, framed and starred (*): the target in that column leans to the "
      + "attribute in that row; the number is its Level 2 effect size. Grey: no such leaning was found."), places.maps];
  return [tests.length > 1 && tools, places.tables, maps, el("h3", {}, "Effect sizes"), places.forests];
}

/** All models beside one another, a row for each test. */
function overviewMatrix(all) {
  const models = all.audits.map((_, i) => contextOf(i)).filter((context) => testsOf(context).length);
  const key = (one) => JSON.stringify([one.name, one.level1.digest]);
  const found = models.map((context) => new Map(testsOf(context).map((one) => [key(one), one])));
  const rows = [...new Map(models.flatMap((context) => testsOf(context).map((one) => [key(one), one])))].map(([id, one]) =>
    ({ one, cells: found.map((map) => map.get(id)) }));
  const columns = models.flatMap((context, i) => {
    const full = named(context.index), short = testsShort(full, 24);
    return [
      { title: `d: ${short}`, about: `effect size of Level 1 in ${full}`, value: (row) => row.cells[i]?.level1.effect_size ?? null,
        cell: (row) => (row.cells[i] ? num(context, `${row.cells[i].at}/effect_size`) : noNumber()) },
      { title: `pattern: ${short}`, about: `which targets lean by themselves in ${full}, and to what`, kind: "text", value: (row) => row.cells[i]?.test.pattern ?? "",
        cell: (row) => overviewPattern(row.cells[i]?.test.pattern) },
    ];
  });
  return el("div", { class: "levels" }, table({
    caption: "Effect size of Level 1 and pattern of every test, by model", rows,
    columns: [
      { title: "test", kind: "text", value: (row) => row.one.name, cell: (row) => el("span", { class: "test-name" }, bdi(row.one.name)) },
      { title: "question", kind: "text", value: (row) => testsQuestion(row.one), cell: (row) => overviewQuestion(row.one) }, ...columns,
    ],
    note: "Effect sizes of two models differ by chance too: only a paired test says whether a difference is more than that.",
  }));
}

view({
  id: "overview", title: "Overview", order: 0,
  applies: (context, all) => testsOf(context).length > 0 || all.audits.length > 1
    || OVERVIEW_OTHERS.some(([, types]) => types.some((type) => context.of(type).length)),
  build(context, all) {
    const tests = testsOf(context), several = all.audits.filter((_, i) => testsOf(contextOf(i)).length).length > 1;
    return [
      tests.length > 0 && overviewLead(context, tests), overviewOthers(context, all),
      tests.length > 0 && overviewLegend(tests),
      several && opening("All models beside one another", () => overviewMatrix(all), { id: "models" }),
      tests.length > 0 && overviewTests(context, tests),
    ];
  },
});
