// @ts-check
// A test in plain words: what each level shows, how sure that is, and what it cannot show.

import { bdi, el } from "../parts/elements.js";
import { num } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { PATTERNS } from "../statistics/statistics.js";
import {
  LEVEL, testsChance, testsConclusion, testsCopies, testsCounted, testsEnds, testsHolds, testsStatus,
} from "./entries.js";

/** @param {number} d */
const plainSize = (d) => (Math.abs(d) < 0.2 ? "very small" : Math.abs(d) < 0.5 ? "small" : Math.abs(d) < 0.8 ? "medium" : "large");

/**
 * What counts as at least as extreme as what was found: the tail, and whether ties count.
 * @param {TestEntry} one
 */
function plainExtreme({ titles: t, level1, test }) {
  const strict = test.conventions?.ties === "strict", size = strict ? "larger" : "at least as large";
  /** @param {string} title */
  const towards = (title) => [strict ? "further towards " : "as far or further towards ", bdi(title)];
  if (level1.alternative === "greater") return towards(t.a);
  if (level1.alternative === "less") return towards(t.b);
  if (level1.alternative === "observed") return `${size} in the direction observed`;
  // twice the rarer side, which is as extreme but not as large where the sides differ
  return `${strict ? "more" : "at least as"} extreme in either direction`;
}

/**
 * Level 1: are the two targets apart?
 * @param {Context} context
 * @param {TestEntry} one
 */
function plainFirst(context, one) {
  const { titles: t, level1, at } = one, d = level1.effect_size, near = d >= 0 ? t.a : t.b, far = d >= 0 ? t.b : t.a;
  const size = [" (d = ", num(context, `${at}/effect_size`), `, ${plainSize(d)} by the usual rule of thumb)`];
  // both targets can be closer to the same attribute: d is about one relative to the other
  const claim = t.y
    ? ["The words for ", bdi(t.x), d ? " are closer to " : " are as close to ", bdi(near), ", relative to ", bdi(far),
      d ? ", than" : ", as", " the words for ", bdi(t.y), " are", size, "."]
    : ["The words for ", bdi(t.x), d ? " are closer to " : " are as close to ", bdi(near), d ? " than to " : " as to ", bdi(far),
      size, "."];
  const dealt = `If the words of both ${t.y ? "targets" : "attributes"} were divided into two sets of these sizes at random`;
  return el("p", {}, el("strong", {}, one.three ? "Level 1, the difference. " : "The difference. "), claim,
    ` ${dealt}, a difference `, plainExtreme(one), " would occur in ",
    testsCounted(context, at, level1) ?? ["a share of ", num(context, `${at}/pvalue`, { as: "p", method: level1.method }), " of all cases"],
    t.y ? ", attribute words as they are." : ".",
    level1.alternative === "observed" ? " The side was chosen after seeing the data, so the correct number is twice that." : "");
}

/**
 * One target of Level 2, in half a sentence.
 * @param {Context} context
 * @param {TestEntry} one
 * @param {"x" | "y"} key
 */
function plainLeaning(context, one, key) {
  const at = `${one.path}/level2/${key}`, to = PATTERNS[String(one.test.crossed_pattern)]?.[key === "x" ? 0 : 1];
  return [bdi(one.titles[key]), ", taken alone, ", to ? ["is closer to ", bdi(one.titles[to])] : "may or may not be closer to one attribute: that cannot be told yet",
    " (", testsChance(context, at) ?? "how sure the direction is cannot be told", "; d = ", num(context, `${at}/effect_size`), ", p = ", num(context, `${at}/crossed/pvalue`, { as: "p" }), ")"];
}

/**
 * What the pattern adds to Level 1.
 * @param {Context} context
 * @param {TestEntry} one
 */
function plainPattern(context, one) {
  const { titles: t, test } = one, [x, y] = PATTERNS[String(test.crossed_pattern)] ?? [null, null], holds = testsHolds(context, one);
  const open = "whether they differ beyond these words is answered above.";
  if (x && y && x !== y) return holds ? "The two targets are closer to opposite attributes: the difference has two sides."
    : `The two targets are closer to opposite attributes, each by itself; ${open}`;
  if (x && y) return ["Both targets are closer to ", bdi(t[x]), holds ? ". Level 1 only shows that one of them does so more than the other." : `; ${open}`];
  if (x || y) {
    const [leaning, still] = x ? [t.x, t.y] : [t.y, t.x];
    const opposite = [": the difference should not be read as an opposite association of ", bdi(still), "."];
    return ["Only ", bdi(leaning), " is shown to be closer to one, to ", bdi(t[String(x ?? y)]), holds ? opposite : `; ${open}`,
      " Of ", bdi(still), " it cannot be told yet, which does not mean that there is no association."];
  }
  return holds
    ? ["So there is a difference between the two targets although neither is shown to be closer to one attribute by itself. It should not be read "
      + "as \u201c", bdi(t.x),
      " is associated with ", bdi(one.level1.effect_size >= 0 ? t.a : t.b), "\u201d."]
    : "So neither target is shown to be closer to one attribute by itself.";
}

/**
 * One-sided tests see only one of the two attributes.
 * @param {TestEntry} one
 */
const plainSided = ({ titles: t, level1: { alternative } }) => (["greater", "less"].includes(alternative)
  ? [" The tests are one-sided: an association with ", bdi(alternative === "greater" ? t.b : t.a), " could not have been found."] : "");

/**
 * Leanings are told by p-values for other words; what the rule of the paper says.
 * @param {TestEntry} one
 */
const plainElsewhere = ({ test: { pattern, crossed_pattern: other } }) => (other === pattern
  ? " By the rule of the paper, which takes the attribute words as given, it is the same pattern."
  : ` By the rule of the paper, which takes the attribute words as given, it would be ${pattern}.`);

/**
 * @param {Context} context
 * @param {TestEntry} one
 */
function plainSecond(context, one) {
  return el("p", {}, el("strong", {}, "Level 2, each target alone. "), "The set ", plainLeaning(context, one, "x"), "; the set ",
    plainLeaning(context, one, "y"), `. This is the pattern ${one.test.crossed_pattern}. `, plainPattern(context, one), plainSided(one), plainElsewhere(one));
}

/**
 * @param {Context} context
 * @param {TestEntry} one
 */
function plainThird(context, one) {
  const cells = Object.entries(one.test.level3).sort((a, b) => b[1].mean - a[1].mean), most = cells[0][0], least = cells[cells.length - 1][0];
  /** @param {string} key */
  const pair = (key) => [bdi(one.titles[key[1]]), " with ", bdi(one.titles[key[0]]), " (mean cosine ",
    num(context, `${one.path}/level3/${key}/mean`, { digits: 3 }), ")"];
  return el("p", {}, el("strong", {}, "Level 3, plain similarity. "), "Most similar: ", pair(most), "; least: ", pair(least),
    ". Which cosine is large differs from model to model, so compare these four with one another only.");
}

/**
 * Why it cannot be told: sets that the result calls by letters, by their names.
 * @param {TestEntry} one
 */
const plainReason = ({ titles, level1 }) => flat(level1.crossed.reason)
  .replace(/^[XYAB]( and [XYAB])*(?= (has|have) a single word)/, (letters) => letters.replace(/[XYAB]/g, (letter) => flat(titles[letter.toLowerCase()] ?? letter)));

/** @type {Record<Conclusion["status"], string>} */
const PLAIN_ANSWERS = { holds: "Yes", absent: "No, by less than an ordinary association", unknown: "Cannot tell yet", unmeasured: "Not measured" };

/**
 * How sure: the chance, the answer with its numbers, where the doubt comes from, and what could have been found.
 * @param {Context} context
 * @param {TestEntry} one
 */
function plainSure(context, one) {
  const { level1, at } = one, found = level1.crossed, { low, high, share } = testsEnds(context, one), said = testsConclusion(context, one)?.at ?? {};
  const facet = found.shares.attributes > found.shares.targets ? "attributes" : "targets";
  const both = level1.alternative === "observed" ? " and both sides" : ""; // what is adjusted has not been chosen after looking
  return el("p", { class: "sure" }, el("strong", {}, "How sure. "), found.pvalue === null
    ? `Whether another set of words would point the same way cannot be told: ${plainReason(one)}. `
    : [plainCapital(testsChance(context, at)), ". Do the groups differ beyond just these words? ", PLAIN_ANSWERS[testsStatus(context, one)],
      " (p = ", num(context, one.bh ?? `${at}/crossed/pvalue`, { as: "p" }), one.bh ? `, adjusted for the number of tests${both}` : "", "; difference of mean cosines ",
      num(context, `${at}/crossed/difference`, { digits: 3 }), said.ordinary && [", ", num(context, said.ordinary, { as: "ordinary" })], `; ${share} interval `,
      num(context, low, { digits: 3 }), " to ", num(context, high, { digits: 3 }), "). ",
      said.words && ["About ", num(context, said.words, { as: "whole" }), " words per set, no near copies, would tell. "],
      num(context, `${at}/crossed/shares/${facet}`, { as: "percent" }), ` of the uncertainty comes from the choice of the ${facet === "targets" ? "target" : "attribute"} words. `,
      "With words as different as these, a difference of ", num(context, `${at}/crossed/detectable`, { digits: 3 }), " is found in 80\u202f% of cases (p < .05, not adjusted); a smaller one is often missed. "],
    testsCopies(found, one.titles).map((text) => `${text}. `),
    level1.min_pvalue >= LEVEL && ["Sets of these sizes cannot reach an exact p < .05 whatever the model does (at best ",
      num(context, `${at}/min_pvalue`, { as: "p" }), "): that it is not below means nothing here. "]);
}

/**
 * Words that begin a sentence.
 * @param {Child[] | null} words
 */
const plainCapital = (words) => words && [String(words[0]).charAt(0).toUpperCase() + String(words[0]).slice(1), words.slice(1)];

const plainCannot = () => el("p", {}, el("strong", {}, "What it cannot show. "),
  "The numbers are about vectors of these words in this model: about how words were used in the texts behind it, not about people, "
    + "and not about what a system built on it does or whom it harms. ",
  "Other words for the same groups can give other numbers; how often a word occurs and its other meanings play a part. That "
    + "something cannot be told yet is no evidence that it is not there.");

/**
 * The whole of it.
 * @param {Context} context
 * @param {TestEntry} one
 */
export const plainWords = (context, one) => el("div", { class: "plain-words" }, plainSure(context, one), plainFirst(context, one),
  one.three && [plainSecond(context, one), plainThird(context, one)], plainCannot());
