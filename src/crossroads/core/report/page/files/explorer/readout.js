// @ts-check
// What lists show, in one sentence and in a few numbers: those of results.json as long as nothing was edited, and
// numbers that were computed in the page, next to them, afterwards.

import { data } from "../parts/audits.js";
import { el } from "../parts/elements.js";
import { chanceWords, computed, levelText, noNumber, num, part, pointed, shareAt, WAYS, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { adjustedPs } from "../statistics/crossed.js";
import { STATISTICS } from "../statistics/statistics.js";
import { STUDENT } from "../statistics/student.js";
import {
  ANSWERS, LEVEL, testsChance, testsConclusion, testsCopies, testsDirection, testsEnds, testsStatus, testsWays,
} from "../tests/entries.js";
import { explorerTitle } from "./state.js";

const LEAST = 10; // effective words per set from which a difference is said to be less than ordinary

/**
 * What edited lists come to: the p-value for other words, adjusted for the number of tests where there are several, with this one
 * in its place; the interval that agrees with it; the difference in ordinary associations; and the answer.
 * @param {Context} context
 * @param {TestEntry | null} saved
 * @param {Measured} found
 */
function benchAnswered(context, saved, { crossed, sets }) {
  const [, battery, place] = /^(.*)\/adjusted\/bh\/(\d+)$/.exec(saved?.bh ?? "") ?? [];
  const tests = battery === undefined ? [] : pointed(context.document, `${battery}/tests`);
  if (!crossed || crossed.pvalue === null) return { pvalue: null, several: false, share: "", ends: null, ordinary: null, status: /** @type {const} */ ("unknown") };
  const { difference, se, df, pvalue, both } = /** @type {Record<string, number>} */ (/** @type {unknown} */ (crossed));
  const levels = tests.map((/** @type {Json} */ test) => test.level1 ?? test), observed = saved?.level1.alternative === "observed";
  const known = levels.length ? levels.map((/** @type {Json} */ level) => (observed ? level.crossed.pvalue && level.crossed.pvalue * 2 : level.crossed.pvalue)) : [pvalue];
  if (levels.length) known[Number(place)] = observed ? both : pvalue;
  const all = adjustedPs(known), adjusted = Number(all[Number(place ?? 0)]), shown = all.filter((one) => one !== null);
  const sides = ["greater", "less"].includes(saved?.level1.alternative ?? "") ? 1 : 2;
  const level = levels.length ? 1 - ((3 - sides) * LEVEL * Math.max(1, shown.filter((one) => Number(one) < LEVEL).length)) / shown.length : crossed.level;
  const margin = sets.y.units.length ? context.of("ChecksResult").find(({ result }) => result.ordinary)?.result.ordinary : null;
  const sizes = Object.values(crossed.effective), words = sizes.length / STATISTICS.sumOf(sizes.map((n) => 1 / n));
  const small = margin && words >= LEAST && Math.abs(difference) + STUDENT.within(1 - 2 * LEVEL, df) * se <= margin;
  const half = STUDENT.within(level, df) * se, topics = (/** @type {Json} */ check) => check.asks === "among arbitrary topics" && check.answer === null && check.reason;
  const doubted = saved && context.of("ChecksResult").some(({ result }) => /** @type {Json} */ (result.tests)[saved.name]?.some(topics)); // by placebo tests
  return {
    pvalue: adjusted, several: levels.length > 1, share: levelText(level), ends: [difference - half, difference + half],
    ordinary: margin ? difference / margin : null, status: /** @type {Conclusion["status"]} */ (adjusted < LEVEL ? (doubted ? "unknown" : "holds") : small ? "absent" : "unknown"),
  };
}

/**
 * The interval of the difference that is shown, with its level: that of the result, or of edited lists.
 * @param {Context} context
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 */
export function benchInterval(context, saved, found, edited) {
  if (edited || !saved) { const { ends, share } = benchAnswered(context, saved, found); return { low: ends?.[0] ?? null, high: ends?.[1] ?? null, share }; }
  const { low, high, share } = testsEnds(context, saved);
  return { low: pointed(context.document, low), high: pointed(context.document, high), share };
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
 * The finding in a sentence: who lies where, and how sure that is.
 * @param {Context} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 * @returns {Child[]}
 */
export function benchSentence(context, desk, saved, found, edited) {
  const title = (/** @type {Role} */ role) => flat(explorerTitle(desk.lists, role)), test = found.tests.level1 ?? found.tests.x, { crossed } = found;
  const begin = edited || !saved ? "With these lists, " : "", d = !begin && saved ? saved.level1.effect_size : test && !test.flat ? test.effect_size : NaN;
  if (!Number.isFinite(d)) return [begin, "there is no effect size: ", benchReason(desk, found), "."];
  const claim = testsDirection({ x: title("x"), y: found.sets.y.units.length ? title("y") : "", a: title("a"), b: title("b") }, d);
  const status = !begin && saved ? testsStatus(context, saved) : benchAnswered(context, saved, found).status;
  const [before, after] = (begin && status === "unknown" ? null : data.phrases.hedges?.[status]) ?? ["", ""];
  const chance = !begin && saved ? testsChance(context, saved.at) : crossed?.agreement ? chanceWords(data.phrases, crossed.agreement, computed(crossed.agreement, { as: "chance" })) : null;
  return [begin, before.replace("{drawn}", "words"), ...claim, after, "; ", chance ?? ["how sure that is cannot be told: ", benchReason(desk, found)], "."];
}

/**
 * One cell: a question or a name, what is found, and what was saved.
 * @param {string} key
 * @param {Child} name
 * @param {Child} now
 * @param {Child} [was]
 */
const benchCell = (key, name, now, was) => el("div", { class: key }, el("dt", {}, name), el("dd", {}, now), was && el("dd", { class: "was" }, "was ", was));

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
 * The numbers: the chance, the answer, the difference with its interval, effect size, near copies, and the robustness checks.
 * @param {Context} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {boolean} edited
 */
export function benchReadout(context, desk, saved, found, edited) {
  const { crossed } = found, test = found.tests.level1 ?? found.tests.x, tested = found.tested.level1 ?? found.tested.x, asSaved = saved && !edited;
  const now = benchAnswered(context, saved, found), reason = () => benchReason(desk, found), told = saved && testsConclusion(context, saved)?.at;
  /** @param {string} path @param {Shown} [options] @returns {Child} */
  const was = (path, options) => saved && num(context, `${saved.at}/${path}`, options);
  /** @param {boolean | string} answer @param {Child} number */
  const answered = (answer, number) => [el("strong", {}, answer === true ? "yes" : answer === false ? "no" : answer), "; ", number];
  const wasOther = saved && ["p = ", num(context, saved.bh ?? `${saved.at}/crossed/pvalue`, { as: "p" }), saved.bh ? " (BH)" : ""];
  const nowOther = now.pvalue === null ? reason() : ["p = ", computed(now.pvalue, { as: "p" }), now.several ? " (BH)" : ""];
  const at = asSaved && testsEnds(context, saved), { low, high } = at || { low: "", high: "" }, hasEnds = at && Number.isFinite(pointed(context.document, low));
  const delta = at ? [was("crossed/difference", { digits: 3 }), hasEnds && [` (${shareAt(context.document, low)}: `, num(context, low, { digits: 3 }), " to ", num(context, high, { digits: 3 }), ")"],
    told?.ordinary && [", ", num(context, told.ordinary, { as: "ordinary" })]]
    : crossed ? [computed(crossed.difference, { digits: 3 }), now.ends && [` (${now.share}: `, computed(now.ends[0], { digits: 3 }), " to ", computed(now.ends[1], { digits: 3 }), ")"],
      now.ordinary !== null && [", ", computed(now.ordinary, { as: "ordinary" })]] : noNumber();
  const these = tested?.now.pvalue_high < LEVEL ? true : tested?.now.pvalue_low >= LEVEL ? false : "cannot tell yet";
  const status = asSaved ? testsStatus(context, saved) : now.status;
  return [
    benchCell("chance", "Would another set of words point the same way?", asSaved ? [saved.level1.crossed.agreement === null ? reason() : ["in ", was("crossed/agreement", { as: "chance" }), " cases"]]
      : crossed?.agreement ? ["in ", computed(crossed.agreement, { as: "chance" }), " cases"] : reason(), edited && was("crossed/agreement", { as: "chance" })),
    benchCell("other", "Do the groups differ beyond just these words?", [answered(ANSWERS[status], asSaved ? saved.level1.crossed.pvalue === null ? reason() : wasOther : nowOther),
      asSaved && told?.words && ["; about ", num(context, told.words, { as: "whole" }), " words per set, no near copies, would tell"]], edited && wasOther),
    benchCell("delta", "Difference \u0394 of mean cosines", delta, edited && was("crossed/difference", { digits: 3 })),
    benchCell("d", "Effect size d", asSaved ? was("effect_size") : test && !test.flat ? computed(test.effect_size) : noNumber(), edited && was("effect_size")),
    benchCell("these", "More than chance divisions of just these words?", asSaved && !tested ? answered(saved.level1.pvalue < LEVEL, testsWays(context, saved.at, saved.level1)) : answered(these, benchThese(tested)),
      edited && saved && testsWays(context, saved.at, saved.level1)),
    benchCell("copies", "Near copies", benchCopies(context, desk, asSaved ? saved.level1.crossed : null, found)),
    ...benchRungs(context, saved, edited),
  ];
}

/**
 * Which words are near copies, and as how many words their sets count; or why that is not known here.
 * @param {Context} context
 * @param {Desk} desk
 * @param {Json} saved
 * @param {Measured} found
 */
function benchCopies(context, desk, saved, { crossed, sets }) {
  const titles = Object.fromEntries(Object.keys(sets).map((role) => [role, explorerTitle(desk.lists, role)]));
  if (!saved && !context.vectors?.near) return "not looked for: the vocabulary by which they are found is too large for this page, so every word counts as independent";
  const groups = Object.entries(crossed?.copies ?? {}).map(([role, some]) => [role, some.map((group) => group.map((i) => sets[role].words[i]))]);
  return testsCopies(saved ?? { copies: Object.fromEntries(groups), effective: crossed?.effective ?? {} }, titles).join(". ") || "none counted: every word counts as one";
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
        el("dd", {}, el("strong", {}, check.answer.replace(/tell$/, "tell yet")), check.reason ? `; ${flat(check.reason)}`
          : check.value !== null && ["; ", check.sign ? "p " : "p = ", num(context, value, { as: "p", method })]), note())];
    }
    if (check.asks !== "among arbitrary topics" || check.value === null) return [];
    return [el("div", { class: "topics" }, el("dt", {}, "Among associations of arbitrary topics"), el("dd", {}, "stronger than ", num(context, value, { as: "percent" })), note())];
  });
}
