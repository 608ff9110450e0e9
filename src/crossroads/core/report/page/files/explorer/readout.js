// @ts-check
// What lists show, in one sentence and in a few numbers: those of results.json as long as nothing was edited, and
// numbers that were computed in the page, next to them, afterwards.

import { el } from "../parts/elements.js";
import { computed, fixed, noNumber, num, part, pointed, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { adjustedPs } from "../statistics/crossed.js";
import { LEVEL, testsDirection, testsHolds, testsWays } from "../tests/entries.js";
import { explorerTitle } from "./state.js";

/** @type {Record<string, string>} */
const WAYS = { "\u2264": "bracket", "\u2248": "monte-carlo" };

/**
 * The p-value for other words, adjusted for the number of tests where there are several: with this one in its place.
 * @param {Context} context
 * @param {TestEntry | null} saved
 * @param {Measured} found
 */
function benchAdjusted(context, saved, found) {
  const { crossed } = found, [, battery, place] = /^(.*)\/adjusted\/bh\/(\d+)$/.exec(saved?.bh ?? "") ?? [];
  if (!crossed || crossed.pvalue === null || !saved) return { pvalue: crossed?.pvalue ?? null, several: false };
  const tests = battery === undefined ? [] : pointed(context.document, `${battery}/tests`);
  /** @param {Json} level */
  const entered = (level) => (level.alternative === "observed" ? pointed(level, "/crossed/pvalue") * 2 : level.crossed.pvalue);
  const levels = tests.map((/** @type {Json} */ test) => test.level1 ?? test);
  if (levels.length < 2) return { pvalue: crossed.pvalue, several: false };
  const known = levels.map(entered);
  known[Number(place)] = saved.level1.alternative === "observed" ? crossed.both : crossed.pvalue;
  return { pvalue: adjustedPs(known)[Number(place)], several: true };
}

/**
 * What the lists show: the size and both answers, saved or computed.
 * @param {Context} context
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 */
function benchFound(context, saved, found, edited) {
  const test = found.tests.level1 ?? found.tests.x, tested = found.tested.level1 ?? found.tested.x;
  if (saved && !edited) {
    const { level1 } = saved;
    return { d: level1.effect_size, other: level1.crossed.pvalue === null ? null : testsHolds(context, saved), these: level1.pvalue < LEVEL,
      unknown: level1.crossed.pvalue === null };
  }
  const { pvalue } = benchAdjusted(context, saved, found);
  const { pvalue_low: low = NaN, pvalue_high: high = NaN } = tested?.now ?? {};
  return { d: test && !test.flat ? test.effect_size : NaN, other: pvalue === null ? null : pvalue < LEVEL, unknown: pvalue === null,
    these: high < LEVEL ? true : low >= LEVEL ? false : null };
}

/**
 * Why there is no answer for other words.
 * @param {Desk} desk
 * @param {Measured} found
 */
function benchReason(desk, { crossed }) {
  if (!crossed) return "words are lacking";
  const alone = crossed.alone.map((role) => flat(explorerTitle(desk.lists, role)));
  return alone.length ? `${alone.join(" and ")} ${alone.length > 1 ? "have" : "has"} a single word, and one word has no spread` : "the words of each list do not differ";
}

/**
 * The finding in a sentence: who lies where, and for which words that holds.
 * @param {Context} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 * @returns {Child[]}
 */
export function benchSentence(context, desk, saved, found, edited) {
  const title = (/** @type {Role} */ role) => flat(explorerTitle(desk.lists, role)), { d, other, these, unknown } = benchFound(context, saved, found, edited);
  const begin = edited ? "With these lists, " : "";
  if (!Number.isFinite(d)) return [begin, "there is no effect size: ", benchReason(desk, found), "."];
  const claim = testsDirection({ x: title("x"), y: found.sets.y.units.length ? title("y") : "", a: title("a"), b: title("b") }, d);
  if (unknown) return [begin, ...claim, "; whether other words for the same things would say so cannot be told: ", benchReason(desk, found), "."];
  if (other) return [begin, ...claim, ", and other words for the same things would say so too."];
  if (these) return [begin, ...claim, ", with just these words; others for the same things might not say so."];
  return [begin, ...claim, ", but by no more than chance could bring about", these === null ? " as far as is counted yet." : "."];
}

/**
 * One cell: a question or a name, what is found, and what was saved.
 * @param {string} key
 * @param {Child} name
 * @param {Child} now
 * @param {Child} [was]
 */
const benchCell = (key, name, now, was) => el("div", { class: key }, el("dt", {}, name), el("dd", {}, now), was && el("dd", { class: "was" }, "was ", was));

/** @param {boolean | null} answer */
const benchAnswer = (answer) => el("strong", {}, answer === null ? "cannot tell" : answer ? "yes" : "no");

/**
 * How many of all divisions are as extreme, or what is known of their share so far.
 * @param {Tested | undefined} tested
 * @returns {Child}
 */
function benchThese(tested) {
  if (!tested) return noNumber();
  const { now, later } = tested, p = [now.method === "exact" ? "exact p = " : "exact p ", computed(now.pvalue, { as: "p", method: now.method })];
  const total = Number(now.divisions);
  if (now.method !== "exact" || !Number.isSafeInteger(total)) return [p, later ? "; still counting" : ""];
  return [computed(Math.round(now.pvalue * total), { as: "whole" }), ` of ${whole(now.divisions)} ways (`, p, ")"];
}

/**
 * The numbers: difference with its interval, effect size, and the robustness checks.
 * @param {Context} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 */
export function benchReadout(context, desk, saved, found, edited) {
  const { other, these } = benchFound(context, saved, found, edited), { crossed } = found, test = found.tests.level1 ?? found.tests.x;
  const tested = found.tested.level1 ?? found.tested.x, at = saved?.at ?? "", level = saved?.level1, before = saved ? `${at}/crossed` : null;
  const asSaved = Boolean(saved) && !edited, sure = (/** @type {number} */ share) => ` (${fixed(100 * share, 0)}\u202f%: `;
  /** @type {Child} */
  const wasDelta = before && num(context, `${before}/difference`, { digits: 3 });
  const delta = asSaved && before && level?.crossed.low !== null
    ? [wasDelta, sure(level?.crossed.level), num(context, `${before}/low`, { digits: 3 }), " to ", num(context, `${before}/high`, { digits: 3 }), ")"]
    : asSaved && before ? wasDelta
      : crossed ? [computed(crossed.difference, { digits: 3 }), crossed.low === null ? "" : [sure(crossed.level), computed(crossed.low, { digits: 3 }), " to ", computed(Number(crossed.high), { digits: 3 }), ")"]] : noNumber();
  const { pvalue, several } = benchAdjusted(context, saved, found);
  const adjusted = saved?.bh ?? (before && `${before}/pvalue`);
  /** @type {Child} */
  const wasOther = adjusted && ["p = ", num(context, adjusted, { as: "p" }), saved?.bh ? " (BH)" : ""];
  const nowOther = pvalue === null ? benchReason(desk, found) : ["p = ", computed(pvalue, { as: "p" }), several ? " (BH)" : ""];
  /** @type {Child} */
  const wasThese = saved && level && testsWays(context, at, level);
  const answer = (/** @type {boolean | null} */ yes, /** @type {Child} */ number) => [benchAnswer(yes), "; ", number];
  return [
    benchCell("delta", "Difference \u0394 of mean cosines", delta, edited && wasDelta),
    benchCell("d", "Effect size d", asSaved ? num(context, `${at}/effect_size`) : test && !test.flat ? computed(test.effect_size) : noNumber(),
      edited && saved && num(context, `${at}/effect_size`)),
    benchCell("other", "Would other words for the same things say so too?", asSaved && before ? answer(other, level?.crossed.pvalue === null ? benchReason(desk, found) : wasOther) : answer(other, nowOther), edited && wasOther),
    benchCell("these", "Do they differ, with just these words?", asSaved && !tested ? answer(these, wasThese) : answer(these, benchThese(tested)), edited && wasThese),
    ...benchRungs(context, saved, edited),
  ];
}

/**
 * The robustness checks that take more than the words of the test: as they were answered for the saved lists.
 * @param {Context} context
 * @param {TestEntry | null} saved
 * @param {boolean} edited
 */
function benchRungs(context, saved, edited) {
  const held = saved && context.of("ChecksResult").find(({ result }) => Object.hasOwn(result.tests, saved.name));
  if (!saved || !held) return [];
  const note = () => edited && el("dd", { class: "was" }, "for the lists as they were"), checks = /** @type {Json} */ (held.result.tests)[saved.name];
  return checks.flatMap((/** @type {Json} */ check, /** @type {number} */ i) => {
    const value = `${held.path}/tests/${part(saved.name)}/${i}/value`, method = WAYS[check.sign] ?? "exact";
    if (check.asks === "beyond frequency") {
      return [el("div", { class: "frequency" }, el("dt", {}, "Is it more than words being rare or common?"),
        el("dd", {}, el("strong", {}, check.answer), check.value === null ? "" : ["; ", check.sign ? "p " : "p = ", num(context, value, { as: "p", method })]), note())];
    }
    if (check.asks !== "among arbitrary topics" || check.value === null) return [];
    return [el("div", { class: "topics" }, el("dt", {}, "Among associations of arbitrary topics"), el("dd", {}, "stronger than ", num(context, value, { as: "percent" })), note())];
  });
}
