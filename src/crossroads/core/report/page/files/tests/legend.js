// @ts-check
// How to read the overview: what each number is, and the nine patterns.

import { eatMap, mapPattern } from "../charts/maps.js";
import { data } from "../parts/audits.js";
import { el } from "../parts/elements.js";
import { opening } from "../parts/views.js";

/**
 * What each number is: [name, text]; what counts as an association is what the tests were asked with.
 * @param {Json} options
 */
const reading = ({ least_effect: least = 0.2, alpha = 0.05 }) => [
  ["question", "The targets, and after the colon the attributes: \u201cflowers / insects: pleasant / unpleasant\u201d asks which of "
    + "flowers and insects is closer to pleasant words, relative to unpleasant ones."],
  ["agree", `The ${data.phrases.agreement}, from how far the words of each list are apart; near copies, such as plurals, count as about one word.`],
  ["answer", "Yes: the adjusted p is below .05. No: the 90 % interval of \u0394 lies within one ordinary association, and every list counts as ten words or more. "
    + "Else it cannot be told yet, and with how many words it could is said where that is known."],
  ["\u0394", "The difference of the mean cosines of the two targets with the two attributes; low and high are the ends of its interval over the "
    + "choice of words in all lists, at the level that agrees with the adjusted p: it leaves out 0 where that is below .05. Unlike d, \u0394 does not depend on how many words there are."],
  ["ordinary", `\u0394 divided by an ordinary association, the ${data.phrases.ordinary}.`],
  ["p", "How often words drawn for the same things would differ at least as much if there were no association: the words of all lists "
    + "count as drawn, targets and attributes. Where a list has one word, or words that do not differ, it is not known. "
    + "It says nothing about how large or important an association is."],
  ["d", "Effect size: the difference of the two targets\u2019 mean associations, in standard deviations over all their words. With "
    + "equally many words in both it is between \u22122 and 2. Above zero, the first target is closer to the first attribute, "
    + "relative to the second attribute, than the second target is; below, the second is. A large d does not mean that either target is closer to one attribute by itself."],
  ["exact p", "The share of all ways to divide the words into two sets of these sizes that give a difference at least as extreme. It asks "
    + "whether these words could have been assigned at random, and takes the attribute words as they are. A two-sided p-value is twice that of the rarer side."],
  ["\u2264 and \u2248", "Before exact p. No mark: every division was counted. \u2264: too many to count, but the p-value is "
    + "certainly not above this. \u2248: approximated, or estimated from a sample of divisions."],
  ["BH, Holm", "p adjusted for the number of tests. Holm\u2019s keep the chance of even one false finding below the level, "
    + "Benjamini and Hochberg\u2019s the expected share of false ones among all findings."],
  ["pattern", "Level 2 tests each target alone. A target is closer to an attribute when its own effect size is beyond "
    + `\u00b1${least} and its p < ${alpha} for other words. The two associations together make one of nine patterns.`],
  ["left out", "Words of the lists that the model has no vector for. They take no part in any number."],
];

/** How a map is to be read. */
export const MAP_READING = "A cell is the stronger in colour the further the group lies towards that attribute rather than the other; its number is the size "
  + "of d of the group taken alone. Framed and starred: an association beyond these words. Dashed: cannot tell yet. "
  + "\u2260: the two groups differ; in a dashed circle, with these words.";

/** @param {TestEntry[]} tests */
export function overviewLegend(tests) {
  const { leanings, any_sets: titles } = data.phrases;
  return [
    opening("How to read these numbers", () => el("dl", { class: "legend" },
      reading(tests.find((one) => one.three)?.test.conventions ?? {}).map(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]))),
    opening("The nine patterns", () => [el("p", { class: "map-key" }, MAP_READING), el("div", { class: "cards taxonomy" }, Object.keys(leanings).map((name) =>
      el("div", { class: "card" }, eatMap({ titles, pattern: name, size: 74 }),
        el("div", {}, el("p", { class: "named" }, mapPattern(name, titles)), el("p", { class: "note" }, name)))))]),
  ];
}
