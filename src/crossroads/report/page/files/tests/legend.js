// @ts-check
// How to read the overview: what each number is, and the nine patterns.

import { eatMap, mapPattern } from "../charts/maps.js";
import { data } from "../parts/audits.js";
import { el } from "../parts/elements.js";
import { fixed } from "../parts/numbers.js";
import { opening } from "../parts/views.js";

/**
 * Whether some test says what other words would show; those of older files say it of none.
 * @param {TestEntry[]} tests
 */
export const overviewCrossed = (tests) => tests.some((one) => one.level1.crossed);

/**
 * The level of the intervals that are shown, those of Δ or else those of d: "95 %".
 * @param {TestEntry[]} tests
 */
export const overviewShare = (tests) => {
  const level = overviewCrossed(tests) ? tests.find((one) => one.level1.crossed)?.level1.crossed.level
    : tests.find((one) => one.interval)?.interval?.result.level;
  return `${fixed(100 * (level ?? 0.95), 0)} %`;
};

const DIVISIONS = "The share of all ways to divide the words into two sets of these sizes that give a difference at least as extreme. It asks ";
const SIZE = "it says nothing about how large or important an association is. ", TWICE = "A two-sided p-value is twice that of the rarer side.";

/**
 * What the numbers are that answer the question.
 * @param {string} share
 */
const readingCrossed = (share) => [
  ["\u0394", `The difference of the mean cosines of the two targets with the two attributes; low and high are the ends of its ${share} `
    + "interval over the choice of words in all lists. Unlike d it does not depend on how many words there are."],
  ["p", "How often words drawn for the same things would differ at least as much if there were no association: the words of all lists "
    + "count as drawn, targets and attributes. Where a list has one word, or words that do not differ, it cannot be told. It holds for other words of the same kind; "
    + SIZE.trimEnd()],
  ["exact p", `${DIVISIONS}whether these words could have been assigned at random, and takes the attribute words as they are. ${TWICE}`],
];

/**
 * The same for files of older versions, which do not say what other words would show.
 * @param {string} share
 */
const readingExact = (share) => [
  ["p", `${DIVISIONS}whether the words could have been assigned at random, attribute words as they are; ${SIZE}${TWICE}`],
  ["CI", `Interval over the choice of words, from its low to its high end: the middle ${share} of the effect sizes when `
    + "the words of all lists are resampled with replacement. A wide interval means that other lists of the same kind could have given another result."],
];

/**
 * What each number is: [name, text]; what counts as a leaning is what the tests were asked with, and `share` is that of intervals.
 * @param {Json} options
 * @param {string} share
 * @param {boolean} crossed
 */
const reading = ({ least_effect: least = 0.2, alpha = 0.05 }, share, crossed) => [
  ["question", "The targets, and after the colon the attributes: \u201cflowers / insects: pleasant / unpleasant\u201d asks which of "
    + "flowers and insects is closer to pleasant words, relative to unpleasant ones."],
  ["d", "Effect size: the difference of the two targets\u2019 mean associations, in standard deviations over all their words. With "
    + "equally many words in both it is between \u22122 and 2. Above zero, the first target is closer to the first attribute, "
    + "relative to the second attribute, than the second target is; below, the second is. A large d does not mean that either target leans by itself."],
  ...(crossed ? readingCrossed(share) : readingExact(share)),
  ["\u2264 and \u2248", `${crossed ? "Before exact p. " : ""}No mark: every division was counted. \u2264: too many to count, but the p-value is `
    + "certainly not above this. \u2248: approximated, or estimated from a sample of divisions."],
  ["BH, Holm", "p adjusted for the number of tests. Holm\u2019s keep the chance of even one false finding below the level, "
    + "Benjamini and Hochberg\u2019s the expected share of false ones among all findings."],
  ["pattern", "Level 2 tests each target alone. A target leans to an attribute when its own effect size is beyond "
    + `\u00b1${least} and its p < ${alpha}${crossed ? " for other words" : ""}. The two leanings together make one of nine patterns.`],
  ["left out", "Words of the lists that the model has no vector for. They take no part in any number."],
];

/** How a map is to be read. */
export const MAP_READING = "A cell is the stronger in colour the further the group lies towards that attribute rather than the other; its number is the size "
  + "of d of the group taken alone. Framed and starred: a leaning is found. Dashed: none is found, which does not show that there is none. "
  + "\u2260: the two groups differ; in a dashed circle, other words might not show it.";

/** @param {TestEntry[]} tests */
export function overviewLegend(tests) {
  const { leanings, any_sets: titles } = data.phrases;
  return [
    opening("How to read these numbers", () => el("dl", { class: "legend" },
      reading(tests.find((one) => one.three)?.test.conventions ?? {}, overviewShare(tests), overviewCrossed(tests)).map(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]))),
    opening("The nine patterns", () => [el("p", { class: "map-key" }, MAP_READING), el("div", { class: "cards taxonomy" }, Object.keys(leanings).map((name) =>
      el("div", { class: "card" }, eatMap({ titles, pattern: name, size: 74 }),
        el("div", {}, el("p", { class: "named" }, mapPattern(name, titles)), el("p", { class: "note" }, name)))))]),
  ];
}
