// @ts-check
// The tests of an audit on one vector per word, and what every view says of them. `testsOf` is where other files find
// them.

import { data } from "../parts/audits.js";
import { bdi } from "../parts/elements.js";
import { chanceWords, fixed, num, pointed, shareAt, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { idsOf } from "../parts/views.js";

export const LEVEL = 0.05;
/** @type {Map<number, TestEntry[]>} */
const TESTS_FOUND = new Map();

/**
 * What each word does to a test: the result for the same design and the same effect size.
 * @param {Context} context
 * @param {string} design
 * @param {number} d
 */
const testsInfluence = (context, design, d) =>
  context.of("InfluenceResult").find(({ result }) => result.design === design && Math.abs(result.effect_size - d) < 1e-9) ?? null;

/**
 * What a set stands for: its name, or, where it has none but its letter, a few of its words.
 * @param {string | undefined} name
 * @param {Role} role
 * @param {string[]} words
 */
export const testsNamed = (name, role, words) => (name && name !== role ? name : words.slice(0, 2).join(", ") + (words.length > 2 ? ", \u2026" : ""));

/**
 * What the sets of a test stand for.
 * @param {Json} test
 * @returns {Titles}
 */
export function testsTitles(test) {
  const { sets } = test.level1 ?? test;
  return Object.fromEntries(["x", "y", "a", "b"].filter((role) => role in sets).map((role) => [role, testsNamed(test.titles[role], role, sets[role])]));
}

/**
 * One test: where it stands, its Level 1, and what belongs to it.
 * @param {Context} context
 * @param {Json} test
 * @param {string} path
 * @param {Partial<TestEntry>} [adjusted]
 * @returns {TestEntry}
 */
export function testsEntry(context, test, path, adjusted = {}) {
  const three = test.type === "MleatResult", level1 = three ? test.level1 : test;
  return {
    test, path, three, level1, at: three ? `${path}/level1` : path, name: test.design, ...adjusted,
    titles: testsTitles(test), influence: testsInfluence(context, test.design, level1.effect_size),
  };
}

/**
 * All tests of an audit on one vector a word, in order: {id, name, test, path, level1, at: place of Level 1, three:
 * whether it has three levels, titles, bh and holm: places of the adjusted p-values, ends: place of the interval that
 * agrees with them, in a battery, influence}.
 * @param {Context} context
 * @returns {TestEntry[]}
 */
export function testsOf(context) {
  if (!TESTS_FOUND.has(context.index)) {
    const found = context.document.results.flatMap((result, i) => {
      const path = `/results/${i}`;
      if (result.type === "BatteryResult") {
        return result.tests.map((test, k) => testsEntry(context, test, `${path}/tests/${k}`,
          { bh: `${path}/adjusted/bh/${k}`, holm: `${path}/adjusted/holm/${k}`, ends: `${path}/adjusted_intervals/${k}` }));
      }
      return ["MleatResult", "WeatResult"].includes(result.type) ? [testsEntry(context, result, path)] : [];
    });
    const ids = idsOf(found.map((one) => one.name));
    found.forEach((one, i) => { one.id = ids[i]; one.order = i; });
    TESTS_FOUND.set(context.index, found);
  }
  return /** @type {TestEntry[]} */ (TESTS_FOUND.get(context.index));
}

/**
 * The question of a test: "flowers / insects: pleasant / unpleasant".
 * @param {{ titles: Titles }} options
 */
export const testsQuestion = ({ titles }) => [titles.x, titles.y].filter(Boolean).join(" / ") + `: ${titles.a} / ${titles.b}`;

/**
 * What is concluded of a test, as Python says it; of a page of single results nothing may be.
 * @param {Context} context
 * @param {{ at: string }} one
 * @returns {Conclusion | undefined}
 */
export const testsConclusion = (context, one) =>
  context.audit.conclusions?.find((/** @type {Conclusion} */ said) => said.at.value === `${one.at}/crossed/difference`);

/**
 * Whether there is a difference beyond these words; without a conclusion by the p-value that is adjusted where there are several.
 * @param {Context} context
 * @param {{ at: string, bh?: string }} one
 * @returns {Conclusion["status"]}
 */
export const testsStatus = (context, one) =>
  testsConclusion(context, one)?.status ?? ((pointed(context.document, one.bh ?? `${one.at}/crossed/pvalue`) ?? 1) < LEVEL ? "holds" : "unknown");

/** Answers in words. */
export const ANSWERS = { holds: "yes", absent: "no", unknown: "cannot tell yet", unmeasured: "not measured" };
/**
 * @param {Context} context
 * @param {{ at: string, bh?: string }} one
 */
export const testsAnswer = (context, one) => ANSWERS[testsStatus(context, one)];
/**
 * @param {Context} context
 * @param {{ at: string, bh?: string }} one
 */
export const testsHolds = (context, one) => testsStatus(context, one) === "holds";

/**
 * How many of each answer: "3 yes, 11 cannot tell yet".
 * @param {string[]} answers
 */
export const testsCounts = (answers) => Object.values(ANSWERS).filter((one) => answers.includes(one))
  .map((one) => `${whole(answers.filter((other) => other === one).length)} ${one}`).join(", ");

/**
 * Where the interval is that agrees with the adjusted p-value of a test, and its level in words: "98.6 %".
 * @param {Context} context
 * @param {{ at: string, ends?: string }} one
 */
export function testsEnds(context, one) {
  const family = one.ends && pointed(context.document, one.ends);
  const low = testsConclusion(context, one)?.at.low ?? (family ? `${one.ends}/0` : `${one.at}/crossed/low`);
  return { low, high: low.replace(/0$/, "1").replace(/low$/, "high"), share: shareAt(context.document, low) };
}

/**
 * "another set of words would point the same way in about 83 of 100 cases"; null without a p-value.
 * @param {Context} context
 * @param {string} at place of a level
 * @param {string} [drawn]
 */
export function testsChance(context, at, drawn) {
  const path = `${at}/crossed/agreement`, chance = pointed(context.document, path);
  return typeof chance === "number" ? chanceWords(data.phrases, chance, num(context, path, { as: "chance" }), drawn) : null;
}

/**
 * Near copies, in a sentence for each set that has some: "male terms: he, his, him count as one; 8 words count as 2.5".
 * @param {{ copies: Record<Role, string[][]>, effective: Record<Role, number> }} found
 * @param {Titles} titles
 */
export const testsCopies = ({ copies, effective }, titles) => Object.entries(copies ?? {}).filter(([, groups]) => groups.length).map(([role, groups]) =>
  `${flat(titles[role])}: ${groups.map((some) => `${flat(some.join(", "))} count as about one`).join("; ")}; the set counts as ${fixed(effective[role], 1)} words`);

/**
 * The line of a test: its answer with the chance, the difference, and that in ordinary associations.
 * @param {Context} context
 * @param {TestEntry} one
 * @returns {Child[]}
 */
export function testsLine(context, one) {
  const ordinary = testsConclusion(context, one)?.at.ordinary, known = one.level1.crossed.agreement !== null;
  return [testsAnswer(context, one), known && [", ", num(context, `${one.at}/crossed/agreement`, { as: "chance" }), " cases"],
    "; \u0394 = ", num(context, `${one.at}/crossed/difference`, { digits: 3 }), ordinary && [", ", num(context, ordinary, { as: "ordinary" })]];
}

/**
 * How far the difference of the two targets reaches: "others" where other words would show it, "words" where these do, or "".
 * @param {Context} context
 * @param {TestEntry} one
 */
export const testsReach = (context, one) =>
  ({ holds: "others", unknown: one.level1.pvalue < LEVEL ? "words" : "" })[/** @type {"holds"} */ (testsStatus(context, one))] ?? "";

/**
 * How many words of a test were asked for and how many had no vector.
 * @param {TestEntry} one
 */
export function testsCoverage(one) {
  const { used = {}, dropped = {} } = one.test.coverage ?? {};
  const left = Object.values(dropped).reduce((sum, words) => sum + Object.keys(words).length, 0);
  return { left, all: left + Object.values(used).reduce((sum, words) => sum + words.length, 0) };
}

/**
 * The p-value of just these words: "p = .003", "p ≤ .003", with the sign that says how it was found.
 * @param {Context} context
 * @param {string} at
 * @param {{ method: string }} options
 */
const testsExactP = (context, at, { method }) => [method === "exact" ? "p = " : "p ", num(context, `${at}/pvalue`, { as: "p", method })];

/**
 * How many of all divisions are as extreme, with the p-value; where they were not counted, the p-value alone.
 * @param {Context} context
 * @param {string} at
 * @param {Level} level
 */
export function testsWays(context, at, level) {
  const ways = testsCounted(context, at, level);
  return ways ? [ways, " (", testsExactP(context, at, level), ")"] : testsExactP(context, at, level);
}

/**
 * "2 of 12,870 ways", where the exact p-value is a share of divisions that were counted; else null.
 * @param {Context} context
 * @param {string} at
 * @param {Level} level
 */
export function testsCounted(context, at, { pvalue, exchange, method }) {
  const divisions = exchange?.divisions;
  const count = Math.round(pvalue * divisions);
  if (method !== "exact" || !Number.isSafeInteger(divisions) || Math.abs(count / divisions - pvalue) > 1e-12 * pvalue) return null;
  return [num(context, `${at}/pvalue`, { text: whole(count) }), " of ", num(context, `${at}/exchange/divisions`, { as: "whole" }), " ways"];
}

/**
 * Whether the sets of a test have names of their own, and not only the letters of their roles.
 * @param {Titles | undefined} titles
 */
export const testsTitled = (titles) => Boolean(titles?.y) && ["x", "y", "a", "b"].some((role) => titles?.[role].toLowerCase() !== role);

const PLURAL = new RegExp(data.phrases.plural, "i");

/**
 * A set as the subject of "are": names that are no plural are those of words. As Python does it.
 * @param {string} title
 * @returns {Child[]}
 */
const testsSubject = (title) => [PLURAL.test(title) ? "" : "words for ", bdi(title)];

/**
 * Which way a difference goes, in words: "male names are closer to career, relative to family, than female names are". Of two
 * targets it compares how close they are relatively: both may be closer to the same attribute.
 * @param {Titles} titles
 * @param {number} value
 * @returns {Child[]}
 */
export const testsDirection = ({ x, y, a, b }, value) => {
  const [near, far] = value >= 0 ? [a, b] : [b, a], closer = [...testsSubject(x), " are closer to ", bdi(near)];
  return y ? [...closer, ", relative to ", bdi(far), ", than ", ...testsSubject(y), " are"] : [...closer, " than to ", bdi(far)];
};
