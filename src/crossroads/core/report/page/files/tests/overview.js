// @ts-check
// The overview: what was measured, in sentences; all tests in one table, as maps and as a forest; models next to
// one another; and how to read it all.

import { chartsRoom, forest } from "../charts/charts.js";
import { eatMap, mapDifference, mapNamed } from "../charts/maps.js";
import { comparisonContexts, contextOf, data, modelContexts, named } from "../parts/audits.js";
import { overviewPattern, testsShort } from "../parts/columns.js";
import { bdi, byId, el } from "../parts/elements.js";
import { fixed, noNumber, num, numbered, pointed, whole } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening, view, VIEWS } from "../parts/views.js";
import { otherTable } from "../sections/others.js";
import {
  LEVEL, testsAnswer, testsConclusion, testsCounts, testsCoverage, testsEnds, testsHolds, testsLine, testsOf, testsQuestion, testsReach,
} from "./entries.js";
import { overviewLegend } from "./legend.js";

/**
 * What is said of tests whose p-values are all adjusted, of some that are and some that are not, and of none that are.
 * @param {TestEntry[]} tests
 * @param {string[]} options
 */
const overviewAdjusted = (tests, [all, some, none]) =>
  (tests.every((one) => one.bh) ? all : tests.some((one) => one.bh) ? some : none);

/**
 * A test opens again from the link that leads to it, even if the address of the page stays the same.
 * @param {TestEntry} one
 */
const overviewOpens = (one) => ({ href: `#${one.id}`, onclick: () => { /** @type {Opening} */ (byId(String(one.id))).open = true; } });
/** @param {TestEntry} one */
const overviewLink = (one) => el("a", overviewOpens(one), bdi(one.name));
/** @param {TestEntry} one */
const overviewQuestion = (one) => el("span", { class: "asked" }, bdi(testsQuestion(one)));

/**
 * What was measured and what came of it: counts and names, no score.
 * @param {Context} context
 * @param {TestEntry[]} tests
 */
function overviewLead(context, tests) {
  const correction = "adjusted for the number of tests (Benjamini\u2013Hochberg)";
  const corrected = overviewAdjusted(tests,
    [correction, `${correction} where they were run together`, "not adjusted for the number of tests"]);
  return [
    el("p", {}, `${numbered(tests.length, "test")} of association ${tests.length === 1 ? "was" : "were"} run on `,
      bdi(context.document.model),
      ". Each asks whether two sets of words, the targets, differ in how close they are to two other sets, the attributes."),
    el("p", { class: "outcome" }, `Do the groups differ beyond just these words? ${testsCounts(tests.map((one) => testsAnswer(context, one)))}. `
      + `Yes: p, ${corrected}, is below .05. No: the difference is less than an ordinary association of this model.`),
    el("p", { class: "settled" }, `With just these words, the exact p-value is below .05 in ${whole(tests.filter((one) => one.level1.pvalue < LEVEL).length)} of `
      + `${whole(tests.length)}. It takes the attribute words as given; with attribute words picked at random it is often below .05, too.`),
    overviewLeftOut(context, tests),
  ];
}

/**
 * What could not be measured.
 * @param {Context} context
 * @param {TestEntry[]} tests
 */
function overviewLeftOut(context, tests) {
  const skipped = Object.entries(context.document.skipped ?? {}), short = tests.filter((one) => testsCoverage(one).left > 0);
  const lost = short.reduce((sum, one) => sum + testsCoverage(one).left, 0);
  return [
    short.length > 0 && el("p", {}, `${numbered(lost, "entry", "entries")} of the word lists had no vector `,
      `and ${lost === 1 ? "was" : "were"} left out, in ${numbered(short.length, "test")}.`),
    skipped.length > 0 && el("p", {}, "Not measured: ",
      skipped.slice(0, 20).flatMap(([name, why], i) => [i ? "; " : "", bdi(name), ` (${flat(why).replace(/\.$/, "")})`]),
      skipped.length > 20 ? `; and ${whole(skipped.length - 20)} more` : "", "."),
  ];
}

/** @type {[section: string, types: string[], text: string][]} */
const OVERVIEW_OTHERS = [
  ["Tests", ["SeriesResult"], "Tests over time"],
  ["Tests", ["ScWeatResult"], "Single words against two attributes"],
  ["Contexts", ["CeatBatteryResult", "CeatResult", "MultilevelCeatResult", "GroupCeatResult"], "Tests over contexts (CEAT)"],
  ["Traits", ["TraitScores", "AlignmentResult", "DominanceResult", "EmergentResult"], "Scores of groups on traits"],
  ["Intersections", ["DetectionResult", "WefatResult", "DiscoveryResult"], "Words of intersectional groups"],
  ["Geometry", ["RsaResult", "RsaGridResult"], "Comparisons of geometry"],
  ["Comparison", ["CompareResult", "CompareBatteryResult", "CompareTraitsResult"], "Comparisons of models"],
];

/**
 * A line for each kind of result that has a section of its own.
 * @param {Context} context
 * @param {Data} all
 */
function overviewOthers(context, all) {
  const lines = OVERVIEW_OTHERS.flatMap(([title, types, text]) => {
    const compared = title === "Comparison"; // stands next to the models, whichever of them is chosen
    const count = (compared ? [...modelContexts(), ...comparisonContexts()] : [context])
      .reduce((sum, one) => sum + types.reduce((some, type) => some + one.of(type).length, 0), 0);
    if (!count) return [];
    const place = VIEWS.find((one) => one.title === title && one.applies(context, all));
    return [el("li", {}, `${text}: ${numbered(count, "result")}`, place ? [", see ", el("a", { href: `#${place.id}` }, title)] : "",
      ".")];
  });
  return lines.length ? el("ul", { class: "others" }, lines) : null;
}

/**
 * @param {Context} context
 * @param {string} title
 * @param {string} about
 * @param {(one: TestEntry) => string | null | undefined} path
 * @param {Shown} [options]
 * @returns {Column<TestEntry>}
 */
const overviewNumber = (context, title, about, path, options = {}) => ({
  title, about, value: (one) => pointed(context.document, path(one) ?? "/none") ?? null,
  cell: (one) => num(context, path(one) ?? "/none", { method: one.level1.method, ...options }),
});

/**
 * The columns of the table of all tests; those that would be empty are left out.
 * @param {Context} context
 * @param {TestEntry[]} tests
 */
function overviewColumns(context, tests) {
  /**
   * @param {string} title
   * @param {string} about
   * @param {(one: TestEntry) => string | null | undefined} path
   * @param {Shown} [options]
   */
  const number = (title, about, path, options) => overviewNumber(context, title, about, path, options);
  /** @param {keyof TestEntry} key */
  const any = (key) => tests.some((one) => one[key]);
  const shares = [...new Set(tests.map((one) => testsEnds(context, one).share))].join(" or ");
  /** @type {(Column<TestEntry> | false)[]} */
  const columns = [
    { title: "test", kind: "text", value: (one) => one.name, cell: (one) => el("span", { class: "test-name" }, overviewLink(one)) },
    { title: "question", kind: "text", about: "targets: attributes", value: testsQuestion, cell: overviewQuestion },
    number("agree", data.phrases.agreement, (one) => `${one.at}/crossed/agreement`, { as: "agree" }),
    { title: "answer", kind: "text", about: "do the groups differ beyond just these words?", value: (one) => testsAnswer(context, one) },
    number("\u0394", "difference of the mean cosines", (one) => `${one.at}/crossed/difference`, { digits: 3 }),
    number("\u0394 low", `lower end of its ${shares} interval over the choice of words`, (one) => testsEnds(context, one).low, { digits: 3 }),
    number("\u0394 high", `upper end of its ${shares} interval over the choice of words`, (one) => testsEnds(context, one).high, { digits: 3 }),
    tests.some((one) => testsConclusion(context, one)?.at.ordinary) && number("\u00d7 ordinary", `\u0394 divided by an ordinary association, the ${data.phrases.ordinary}`,
      (one) => testsConclusion(context, one)?.at.ordinary, { digits: 1 }),
    any("bh") && number("p (BH)", "for other words for the same things, adjusted by Benjamini and Hochberg; the interval agrees with it", (one) => one.bh, { as: "p" }),
    !tests.every((one) => one.bh) && number("p", "for other words for the same things, not adjusted", (one) => `${one.at}/crossed/pvalue`, { as: "p", method: "exact" }),
    number("exact p", "for just these words: targets exchanged", (one) => `${one.at}/pvalue`, { as: "p" }),
    number("d", "effect size of Level 1", (one) => `${one.at}/effect_size`),
    any("three") && { title: "pattern", kind: "text", about: "which targets are closer to one attribute by themselves, and to which",
      value: (one) => one.test.crossed_pattern ?? "", cell: (one) => overviewPattern(one.test.crossed_pattern) },
    { title: "left out", about: "words without a vector, of all words of the test", value: (one) => testsCoverage(one).left,
      cell: (one) => `${testsCoverage(one).left} of ${testsCoverage(one).all}` },
  ];
  return columns.filter(Boolean);
}

/**
 * One test as a card: a link with its pattern in words, its map, and what it says of the difference.
 * @param {Context} context
 * @param {TestEntry} one
 */
function overviewCard(context, one) {
  const { titles, test: { level2 } } = one, pattern = String(one.test.crossed_pattern), differ = testsReach(context, one);
  return el("a", { class: "card map", ...overviewOpens(one) },
    el("span", { class: "numbers" }, el("span", { class: "named" }, bdi(one.name)), ": ", testsLine(context, one)),
    el("span", { class: "pattern" }, mapNamed(pattern, titles)),
    eatMap({ titles, pattern, level2, differ, size: chartsRoom() < 400 ? 78 : 92 }),
    el("span", { class: "difference" }, differ ? "\u2260 " : "", mapDifference(differ, pattern)));
}

/**
 * A forest of tests.
 * @param {Context} context
 * @param {TestEntry[]} some
 */
function overviewForest(context, some) {
  const shown = some.slice(0, 150), holding = shown.filter((one) => testsHolds(context, one)).length;
  const rows = shown.map((one) => {
    const { difference: value } = one.level1.crossed, at = testsEnds(context, one);
    const [low, high] = [at.low, at.high].map((path) => pointed(context.document, path));
    const ends = Number.isFinite(low) ? `, interval ${fixed(low, 3)} to ${fixed(high, 3)}` : "";
    return { label: one.name, value, low, high, hollow: !testsHolds(context, one), title: `${flat(one.name)}: \u0394 = ${fixed(value, 3)}${ends}` };
  });
  const above = rows.filter((row) => row.value > 0).length;
  return forest({
    rows, axis: "difference \u0394", label: `Differences of ${numbered(rows.length, "test")}: ${above} above zero, ${rows.length - above} not; `
      + `${holding} filled. The table has the numbers.`,
    caption: "Differences of mean cosines of Level 1 with their intervals over the choice of words. "
      + "Filled dots: yes, beyond just these words; hollow dots: no, or cannot tell yet."
      + (some.length > shown.length ? ` The first ${shown.length} of ${whole(some.length)} tests.` : ""),
  });
}

/**
 * How a table is sorted just now: [column, direction] or null.
 * @param {Element | null} box
 * @returns {Sorted}
 */
function overviewSorted(box) {
  const heads = [...(box?.querySelectorAll("thead th") ?? [])], i = heads.findIndex((th) => th.getAttribute("aria-sort") !== "none");
  return i < 0 ? null : [i, heads[i].getAttribute("aria-sort") === "ascending" ? 1 : -1];
}

const CARDS_AT_FIRST = 60;

/**
 * The tests that match what was asked, as table, maps and forest.
 * @param {Context} context
 * @param {Record<string, HTMLElement>} places
 * @param {TestEntry[]} some
 * @param {TestEntry[]} all
 */
function overviewShow(context, places, some, all) {
  const { tables, maps, forests } = places, sorted = overviewSorted(tables.firstElementChild);
  tables.replaceChildren(table({
    caption: `Association tests of ${context.document.model}`, rows: some, columns: overviewColumns(context, all), search: false, sorted,
    counted: all.length === 1, legend: false, // the count stands above, and so does how to read it
  }));
  const drawn = some.filter((one) => one.three), cards = (/** @type {number} */ most) => drawn.slice(0, most).map((one) => overviewCard(context, one));
  const grid = el("div", { class: "cards maps" }, cards(CARDS_AT_FIRST));
  const more = el("button", { type: "button" }, `Show all ${whole(drawn.length)} maps`);
  more.addEventListener("click", () => {
    grid.replaceChildren(...cards(Infinity));
    more.remove();
    /** @type {HTMLElement} */ (grid.children[CARDS_AT_FIRST]).focus(); // the first of those that came
  });
  maps.replaceChildren(...[drawn.length ? grid : el("p", { class: "none" }, "Nothing matches."), drawn.length > CARDS_AT_FIRST && more].filter(Boolean));
  forests.replaceChildren(...(some.length ? [overviewForest(context, some)] : []));
}

/**
 * All tests, with one search and two choices for table, maps and forest alike.
 * @param {Context} context
 * @param {TestEntry[]} tests
 */
function overviewTests(context, tests) {
  /** @type {Record<"term" | "pattern" | "outcome", string>} */
  const asked = { term: "", pattern: "", outcome: "" };
  const count = el("span", { class: "count", role: "status" });
  const places = { tables: el("div"), maps: el("div"), forests: el("div") };
  /** @param {TestEntry} one */
  const text = (one) => `${one.name} ${testsQuestion(one)} ${one.test.crossed_pattern ?? ""}`.toLowerCase();
  /** @param {TestEntry} one */
  const matching = (one) => (!asked.term || text(one).includes(asked.term))
    && (!asked.pattern || one.test.crossed_pattern === asked.pattern) && (!asked.outcome || testsAnswer(context, one) === asked.outcome);
  const update = () => {
    const some = tests.filter(matching);
    overviewShow(context, places, some, tests);
    count.textContent = some.length === tests.length ? numbered(tests.length, "test")
      : `${whole(some.length)} of ${numbered(tests.length, "test")}`;
  };
  /**
   * @param {string} title
   * @param {"pattern" | "outcome"} key
   * @param {string[]} values
   */
  const choice = (title, key, values) => values.length > 1 && el("label", {}, `${title} `,
    el("select", { onchange: (event) => { asked[key] = event.target.value; update(); } }, el("option", { value: "" }, "all"),
      values.map((one) => el("option", { value: one }, one))));
  const tools = el("div", { class: "tools", role: "search", "aria-label": "Tests" },
    el("label", {}, "Search ", el("input", { type: "search",
      oninput: (event) => { asked.term = event.target.value.trim().toLowerCase(); update(); } })),
    choice("Pattern", "pattern", [...new Set(tests.map((one) => one.test.crossed_pattern).filter(Boolean))].sort()),
    choice("Answer", "outcome", [...new Set(tests.map((one) => testsAnswer(context, one)))].sort()), count);
  update();
  const maps = tests.some((one) => one.three) && [el("h3", {}, "EAT-Maps"),
    el("p", { class: "note" }, "Each map is a link to its test. Framed and starred (*): the target in that column is closer to the "
      + "attribute in that row, beyond just these words; the number is its Level 2 effect size. Dashed: cannot tell yet."), places.maps];
  return [tests.length > 1 && tools, places.tables, maps, el("h3", {}, "Differences"), places.forests];
}

/**
 * All models side by side, a row for each test.
 * @param {Data} all
 */
function overviewMatrix(all) {
  const models = all.audits.map((_, i) => contextOf(i)).filter((context) => testsOf(context).length);
  /** @param {TestEntry} one */
  const key = (one) => JSON.stringify([one.name, one.level1.digest]);
  const found = models.map((context) => new Map(testsOf(context).map((one) => [key(one), one])));
  const rows = [...new Map(models.flatMap((context) => testsOf(context).map((one) => [key(one), one])))].map(([id, one]) =>
    ({ one, cells: found.map((map) => map.get(id)) }));
  /** @type {Column<{ one: TestEntry, cells: (TestEntry | undefined)[] }>[]} */
  const columns = models.flatMap((context, i) => {
    const full = named(context.index), short = testsShort(full, 24);
    return [
      { title: `agree: ${short}`, about: `${data.phrases.agreement}, in ${full}`, value: (row) => row.cells[i]?.level1.crossed.agreement ?? null,
        cell: (row) => (row.cells[i] ? num(context, `${row.cells[i].at}/crossed/agreement`, { as: "agree" }) : noNumber()) },
      { title: `d: ${short}`, about: `effect size of Level 1 in ${full}`, value: (row) => row.cells[i]?.level1.effect_size ?? null,
        cell: (row) => (row.cells[i] ? num(context, `${row.cells[i].at}/effect_size`) : noNumber()) },
      { title: `pattern: ${short}`, about: `which targets are closer to one attribute by themselves in ${full}, and to which`, kind: "text", value: (row) => row.cells[i]?.test?.crossed_pattern ?? "",
        cell: (row) => overviewPattern(row.cells[i]?.test?.crossed_pattern) },
    ];
  });
  return el("div", { class: "levels" }, table({
    caption: "Chance that other words agree, effect size of Level 1 and pattern of every test, by model", rows,
    columns: [
      { title: "test", kind: "text", value: (row) => row.one.name, cell: (row) => el("span", { class: "test-name" }, bdi(row.one.name)) },
      { title: "question", kind: "text", value: (row) => testsQuestion(row.one), cell: (row) => overviewQuestion(row.one) }, ...columns,
    ],
    note: "Effect sizes of two models differ by chance too: only a paired test says whether a difference is more than that.",
  }));
}

view({
  id: "overview", title: "All tests", order: 5,
  applies: (context, all) => testsOf(context).length > 0 || all.audits.length > 1 || context.of("ChecksResult").length > 0
    || OVERVIEW_OTHERS.some(([, types]) => types.some((type) => context.of(type).length)),
  build(context, all) {
    const tests = testsOf(context), several = all.audits.filter((_, i) => testsOf(contextOf(i)).length).length > 1;
    return [
      tests.length > 0 && overviewLead(context, tests), otherTable(context, "ChecksResult"), overviewOthers(context, all),
      tests.length > 0 && overviewLegend(tests),
      several && opening("All models side by side", () => overviewMatrix(all), { id: "models" }),
      tests.length > 0 && overviewTests(context, tests),
    ];
  },
});
