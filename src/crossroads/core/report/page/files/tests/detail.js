// @ts-check
// All about one test: in plain words (plain.js), its three levels, how settled its pattern is, its words (words.js),
// what was left out, what others published, and how it was measured.

import { data } from "../parts/audits.js";
import { eatMap, mapNamed } from "../charts/maps.js";
import { plotNotes, testsShort } from "../parts/columns.js";
import { bdi, el, listed } from "../parts/elements.js";
import { fixed, MINUS, num, pointed, whole } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { publishedStrip } from "../sections/published.js";
import { testsCoverage, testsEnds, testsReach } from "./entries.js";
import { MAP_READING } from "./legend.js";
import { plainWords } from "./plain.js";
import { wordsOf, wordsStrip } from "./words.js";

const TESTS_DIGITS = "more digits than are shown here; results.json has all of them";

/**
 * A whole number that may have more digits than a number of the page can hold.
 * @param {Context} context
 * @param {string} path
 */
function testsWhole(context, path) {
  const value = pointed(context.document, path);
  if (typeof value !== "number" || Number.isSafeInteger(value)) return num(context, path, { as: "whole" });
  const [digits, power] = value.toExponential(2).split("e+");
  return el("span", { title: TESTS_DIGITS }, `about ${digits} \u00d7 10`,
    el("sup", {}, power));
}

/**
 * What each alternative means: the phrases of every output.
 * @type {Record<string, string>}
 */
export const TAILS = data.phrases.tails;

/**
 * How a p-value was found, in words.
 * @param {Context} context
 * @param {string} at
 * @param {Json} level
 * @returns {Child}
 */
function testsMethod(context, at, level) {
  const between = ["between ", num(context, `${at}/pvalue_low`, { as: "p", way: "down" }), " and ",
    num(context, `${at}/pvalue_high`, { as: "p", way: "up" })];
  if (level.method === "exact") return ["all ", testsWhole(context, `${at}/exchange/divisions`), " divisions were counted"];
  if (level.method === "bracket") return ["bounded: it is certainly ", between, "; the upper bound is shown"];
  if (level.method === "monte-carlo") return ["estimated from a random sample of divisions; with its confidence bounds ", between];
  if (level.method === "saddlepoint") return ["approximated (saddlepoint); by its observed error ", between];
  return ["read off a normal curve fitted to the divisions"];
}

/**
 * Whether a number of divisions has more digits than a number of the page can hold.
 * @param {TestEntry} one
 */
const testsHuge = ({ level1, three, test }) =>
  [level1, ...(three ? Object.values(test.level2) : [])].some((level) => level.exchange?.divisions > Number.MAX_SAFE_INTEGER);

/**
 * The rows of the table of Levels 1 and 2: {title, about, path: relative to a level, as}.
 * @param {Context} context
 * @param {TestEntry} one
 */
function testsRows(context, one) {
  const both = one.level1.alternative === "observed" ? "; two-sided" : "", { crossed } = one.level1;
  const within = `${fixed(100 * crossed.level, 0)} % interval over the choice of words, not adjusted`;
  /** @param {string} key */
  const about = (key) => (key === one.level1.alternative ? "the one reported above"
    : key === "observed" ? "chosen after the fact: its true level is twice the nominal one" : "the same divisions, another tail");
  const tails = Object.entries(TAILS).map(([key, text]) => ({ title: `exact p, ${text}`, about: about(key), path: `exchange/tails/${key}/0`, as: "p" }));
  return [
    { title: "agree", about: data.phrases.agreement, path: "crossed/agreement", as: "agree" },
    { title: "difference \u0394", about: "of the mean cosines", path: "crossed/difference", digits: 3 },
    { title: "\u0394, lower end", about: within, path: "crossed/low", digits: 3 },
    { title: "\u0394, upper end", about: within, path: "crossed/high", digits: 3 },
    { title: "p", about: "for other words for the same things", path: "crossed/pvalue", as: "p", method: "exact" },
    { title: "degrees of freedom", about: "of that p", path: "crossed/df", digits: 1 },
    { title: "detectable \u0394", about: "found in 80 % of cases, two-sided, p < .05, not adjusted", path: "crossed/detectable", digits: 3 },
    ...testsAdjustedRows(context, one, both),
    { title: "effect size d", about: "difference of the means, in standard deviations", path: "effect_size", digits: 3 },
    { title: "statistic", about: "sum over the first set minus sum over the second: what is permuted", path: "exchange/statistic", digits: 3 },
    { title: "exact p, attributes exchanged", about: "targets as they are", path: "crossed/attribute_pvalue", as: "p", by: "crossed/attribute_method" },
    { title: "exact p", about: TAILS[one.level1.alternative] ?? one.level1.alternative, path: "pvalue", as: "p" },
    { title: "exact p, lower bound", about: "equal to it where it was counted", path: "pvalue_low", as: "p", method: "exact", way: "down" },
    { title: "exact p, upper bound", about: "equal to it where it was counted", path: "pvalue_high", as: "p", method: "exact", way: "up" },
    ...tails,
    { title: "smallest possible exact p", about: "what sets of these sizes can reach at best", path: "min_pvalue", as: "p", method: "exact" },
    { title: "divisions", about: `ways to divide the words into sets of these sizes${testsHuge(one) ? `; ${TESTS_DIGITS}` : ""}`, path: "exchange/divisions", as: "whole" },
    { title: "ties", about: "divisions that equal the observed one, itself included", path: "ties", as: "whole" },
  ].filter(Boolean);
}

/**
 * The adjusted p-values, with the interval that agrees; `both` says that two sides count where one was chosen afterwards.
 * @param {Context} context
 * @param {TestEntry} one
 * @param {string} both
 */
const testsAdjustedRows = (context, one, both) => [
  one.bh && { title: "p, adjusted (BH)", about: `for the number of tests, Benjamini and Hochberg${both}`, whole: one.bh, as: "p" },
  ...["low", "high"].map((end) => one.bh && { title: `\u0394, ${end === "low" ? "lower" : "upper"} end, adjusted`,
    about: `${testsEnds(context, one).share} interval, which agrees with that p`, whole: testsEnds(context, one)[/** @type {"low" | "high"} */ (end)], digits: 3 }),
  one.holm && { title: "p, adjusted (Holm)", about: `for the number of tests, Holm${both}`, whole: one.holm, as: "p" },
];

/**
 * Levels 1 and 2 in one table: a column for each test.
 * @param {Context} context
 * @param {TestEntry} one
 */
function testsLevels(context, one) {
  const single = !one.titles.y;
  /** @type {{ title: string, about: string, at: string, level: Json, first?: boolean }[]} */
  const levels = [{ title: single ? "single target" : "Level 1: both targets", at: one.at, level: one.level1, first: true,
    about: single ? "is the target closer to one of the attributes?" : "are the two targets apart?" }];
  for (const key of one.three ? ["x", "y"] : []) {
    levels.push({ title: `Level 2: ${testsShort(one.titles[key], 40)}`, at: `${one.path}/level2/${key}`, level: one.test.level2[key],
      about: `is the set ${flat(one.titles[key])} closer to one attribute by itself?` });
  }
  /**
   * @param {Json} row
   * @param {Json} level
   */
  const place = (row, level) => (row.whole ? (level.first ? row.whole : null) : `${level.at}/${row.path}`);
  /**
   * @param {Json} level
   * @returns {Column<Json>}
   */
  const column = (level) => ({
    title: level.title, about: level.about,
    value: (row) => {
      const path = place(row, level), value = path ? pointed(context.document, path) ?? null : null;
      return row.as === "whole" && typeof value === "number" && !Number.isSafeInteger(value) ? `about ${value.toExponential(2)}` : value;
    },
    cell: (row) => {
      const path = place(row, level);
      if (!path) return "";
      return row.as === "whole" ? testsWhole(context, path)
        : num(context, path, { as: row.as, digits: row.digits, method: row.by ? pointed(level.level, `/${row.by}`) ?? "exact" : row.method ?? level.level.method,
          way: level.level.method === "exact" ? undefined : row.way });
    },
  });
  return [
    el("div", { class: "levels" }, table({
      caption: `${one.three ? "Levels 1 and 2" : "The test"} of ${flat(one.name)}`, rows: testsRows(context, one), search: false,
      columns: [
        { title: "quantity", kind: "text", value: (row) => row.title, cell: (row) => el("span", { class: "quantity" }, row.title) },
        ...levels.map(column),
        { title: "what it is", kind: "text", value: (row) => row.about, cell: (row) => el("span", { class: "asked" }, row.about) },
      ],
    })),
    el("ul", { class: "methods" }, levels.map((level) =>
      el("li", {}, `Exact p-value of ${level.title}: `, testsMethod(context, level.at, level.level), "."))),
  ];
}

/**
 * Level 3: mean cosines of each target with each attribute.
 * @param {Context} context
 * @param {TestEntry} one
 */
function testsSimilarities(context, one) {
  const rows = ["ax", "bx", "ay", "by"].map((key) => ({
    target: one.titles[key[1]], attribute: one.titles[key[0]], path: `${one.path}/level3/${key}`,
  }));
  /**
   * @param {string} title
   * @param {string} key
   * @param {Shown} [options]
   * @param {string} [about]
   * @returns {Column<Json>}
   */
  const number = (title, key, options, about) => ({ title, about, value: (row) => pointed(context.document, `${row.path}/${key}`),
    cell: (row) => num(context, `${row.path}/${key}`, options) });
  return table({ caption: `Level 3 of ${flat(one.name)}: how similar each target is to each attribute`, rows, search: false, columns: [
    { title: "target", kind: "text", value: (row) => row.target }, { title: "attribute", kind: "text", value: (row) => row.attribute },
    number("mean cosine", "mean", { digits: 3 }, "mean over all pairs of a word of the target and a word of the attribute"),
    number("sd", "sd", { digits: 3 }, "standard deviation of those cosines"),
    number("pairs", "pairs", { as: "whole" }, "how many such pairs there are"),
  ] });
}

/**
 * Which words were used, as what, and which were not.
 * @param {TestEntry} one
 */
function testsWordsUsed(one) {
  const { used = {}, dropped = {}, respelled = {}, notes = [] } = one.test.coverage ?? {}, again = new Map(Object.entries(respelled));
  const rows = [
    ...Object.entries(dropped).flatMap(([set, words]) =>
      Object.entries(words).map(([word, why]) => ({ word, set, status: "left out", why }))),
    ...Object.entries(used).flatMap(([set, words]) => words.map((/** @type {string} */ word) => (again.has(word)
      ? { word, set, status: "respelled", why: `found as ${again.get(word)}` } : { word, set, status: "used", why: "" }))),
  ];
  if (!rows.length) return el("p", { class: "none" }, "The result does not say which words were found.");
  const { left, all } = testsCoverage(one), named = (/** @type {Json} */ row) => one.titles[row.set] ?? row.set;
  const lost = rows.filter((row) => row.status === "left out");
  return [
    el("p", {}, left
      ? [`${whole(left)} of ${whole(all)} words ${left === 1 ? "was" : "were"} left out: `, listed(lost.map((row) => row.word), 20), "."]
      : `All ${whole(all)} words have a vector.`,
      again.size ? ` ${whole(again.size)} ${again.size === 1 ? "was" : "were"} found under another spelling.` : ""),
    ...plotNotes(notes),
    opening("Every word of the lists", () => table({
      caption: `Words of ${flat(one.name)}: used, respelled, left out`, rows,
      columns: [{ title: "word", kind: "text", value: (row) => row.word }, { title: "set", kind: "text", value: named },
        { title: "status", kind: "text", value: (row) => row.status }, { title: "why", kind: "text", value: (row) => row.why }],
      filters: [{ title: "Set", value: named }, { title: "Status", value: (row) => row.status }],
    })),
  ];
}

/**
 * A link to a publication; following it is up to the reader.
 * @param {string | null | undefined} doi
 */
const testsDoi = (doi) => (/^10\.\d{4,9}\/\S+$/.test(doi ?? "")
  ? el("a", { href: `https://doi.org/${encodeURI(String(doi))}`, rel: "noreferrer" }, `doi:${doi}`) : doi ? `doi:${doi}` : "");

/**
 * Which of our numbers a published one can be held against.
 * @param {TestEntry} one
 * @param {string} statistic
 */
function testsOurs(one, statistic) {
  if (/Level 2/.test(statistic)) return one.three ? `${one.path}/level2/${/of Y/.test(statistic) ? "y" : "x"}/effect_size` : null;
  return /effect size d/.test(statistic) && !/CES|combined/i.test(statistic) ? `${one.at}/effect_size` : null;
}

/**
 * A published statistic by the names of the sets instead of their letters.
 * @param {TestEntry} one
 * @param {string} statistic
 */
const testsStatistic = ({ titles }, statistic) => statistic.replace(/ of ([XY]) /, (_, /** @type {string} */ key) => ` of ${flat(titles[/** @type {Role} */ (key.toLowerCase())])} `);

/**
 * A citation without the full stop at its end: something follows.
 * @param {{ citation: string }} options
 */
const testsCited = ({ citation }) => String(citation).replace(/\.$/, "");

/**
 * What papers found with the same test.
 * @param {Context} context
 * @param {Data} all
 * @param {TestEntry} one
 */
function testsPublished(context, all, one) {
  const found = Object.hasOwn(all.findings, one.name) ? all.findings[one.name] : [];
  const rows = found.map((each) => ({ ...each, ours: testsOurs(one, each.statistic) }));
  if (!rows.length) return el("p", { class: "none" }, "No published number about this test is on file.");
  return el("div", { class: "cited" }, publishedStrip(context, one), table({
    caption: `Published numbers about ${flat(one.name)}, and ours where it is the same statistic`, rows,
    note: "Other models, and often other words or another procedure: a difference is no error of either.",
    columns: [
      { title: "statistic", kind: "text", value: (row) => testsStatistic(one, row.statistic) }, { title: "model", kind: "text", value: (row) => row.model },
      { title: "published", value: (row) => row.value,
        cell: (row) => (typeof row.value === "number" ? String(row.value).replace("-", MINUS) : bdi(row.value)) },
      { title: "ours", about: `measured here, in ${context.document.model}`, value: (row) => (row.ours ? pointed(context.document, row.ours) : null),
        cell: (row) => (row.ours ? num(context, row.ours) : "") },
      { title: "source", kind: "text", value: (row) => `${testsCited(row)}, ${row.table}, doi:${row.doi}`,
        cell: (row) => el("span", {}, bdi(testsCited(row)), row.table ? [", ", bdi(row.table)] : "", " ", testsDoi(row.doi)) },
      { title: "note", kind: "text", value: (row) => row.note ?? "" },
    ],
  }));
}

/**
 * Anything that a result records about itself, as text.
 * @param {Json} value
 * @returns {string}
 */
const testsPlain = (value) => (value === null || value === undefined ? "\u2013" : Array.isArray(value) ? value.map(testsPlain).join(", ")
  : typeof value === "object" ? Object.entries(value).map(([key, one]) => `${key}: ${testsPlain(one)}`).join("; ") : String(value));

/**
 * How it was measured: conventions, provenance, checksum of the lists.
 * @param {{ name: string, test: Json, level1: Json }} one
 */
export function testsRecord(one) {
  const { conventions = {}, provenance = [], versions = {} } = one.test;
  const rows = [
    ...Object.entries(conventions).map(([key, value]) => ({ part: "convention", key, value })),
    ...provenance.flatMap((/** @type {Json} */ source) => Object.entries(source).flatMap(([key, value]) =>
      (value && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(value).map(([inner, x]) => ({ part: "model", key: inner, value: x })) : [{ part: "model", key, value }]))),
    ...Object.entries(versions).map(([key, value]) => ({ part: "version", key, value })),
    one.level1.digest && { part: "lists", key: "checksum of the word lists", value: one.level1.digest },
  ].filter(Boolean);
  return table({
    caption: `How ${flat(one.name)} was measured`, rows, search: false, filters: [{ title: "Part", value: (row) => row.part }],
    columns: [
      { title: "part", kind: "text", value: (row) => row.part }, { title: "name", kind: "text", value: (row) => row.key },
      { title: "value", kind: "text", value: (row) => (typeof row.value === "number" ? row.value : testsPlain(row.value)), cell: (row) => testsPlain(row.value) },
    ],
  });
}

/**
 * Everything about one test.
 * @param {Context} context
 * @param {Data} all
 * @param {TestEntry} one
 * @returns {Child}
 */
export function testsBody(context, all, one) {
  const design = context.document.designs.find((given) => given.name === one.name);
  return [
    design?.title && el("p", { class: "lead" }, bdi(design.title)),
    wordsStrip(context, one),
    el("div", { class: "in-words" }, el("div", {}, el("h4", {}, "In plain words"), plainWords(context, one)),
      one.three && el("div", {}, el("h4", {}, "EAT-Map"),
        eatMap({ titles: one.titles, pattern: String(one.test.crossed_pattern), level2: one.test.level2, differ: testsReach(context, one), size: 116,
        caption: [el("strong", {}, mapNamed(String(one.test.crossed_pattern), one.titles)), ". ", MAP_READING] }))),
    el("h4", {}, one.three ? "Levels 1 and 2: the tests" : "The test"), testsLevels(context, one),
    one.three && [el("h4", {}, "Level 3: plain similarities"), testsSimilarities(context, one)],
    el("h4", {}, "Words"), wordsOf(context, one),
    el("h4", {}, "Words used and left out"), testsWordsUsed(one),
    el("h4", {}, "Published next to ours"), testsPublished(context, all, one),
    el("h4", {}, "How it was measured"), opening("Conventions, model, versions, checksum", () => testsRecord(one)),
  ];
}
