// How to read the overview: what each number is, and the nine patterns.

/** What each number is: [name, text]; what counts as a leaning is what the tests were asked with, and `share` is that of intervals. */
const reading = ({ least_effect: least = 0.2, alpha = 0.05 }, share) => [
  ["question", "The targets, and after the colon the attributes: \u201cflowers / insects: pleasant / unpleasant\u201d asks which of "
    + "flowers and insects is closer to pleasant words, as against unpleasant ones."],
  ["d", "Effect size: the difference of the two targets\u2019 mean associations, in standard deviations over all their words. With "
    + "equally many words in both it lies between \u22122 and 2. Above zero, the first target lies further towards the first attribute "
    + "than the second target does; below, the second does. It compares: a large d does not say that either target leans by itself."],
  ["p", "The share of all ways to divide the words into two sets of these sizes that give a difference at least as extreme. It asks "
    + "whether the words could as well have been dealt at random; it says nothing about how large or important an association is. "
    + "A two-sided p-value is twice that of the rarer side."],
  ["\u2264 and \u2248", "No mark: every division was counted. \u2264: too many to count, but the p-value is certainly not above "
    + "this. \u2248: approximated, or estimated from a sample of divisions."],
  ["CI", `Interval over the choice of words, from its low to its high end: the middle ${share} of the effect sizes that come out when `
    + "the words of all lists are drawn anew, with replacement. A wide interval says that other lists of the same kind could have given another answer."],
  ["BH, Holm", "p-values adjusted for the number of tests. Holm\u2019s keep the chance of even one false finding below the level, "
    + "Benjamini and Hochberg\u2019s the expected share of false ones among all findings."],
  ["pattern", "Level 2 tests each target alone. A target leans to an attribute when its own effect size is beyond "
    + `\u00b1${least} and p < ${alpha}. The two leanings together make one of nine patterns.`],
  ["left out", "Words of the lists that the model has no vector for. They take no part in any number."],
];

/** One line on each pattern. */
const PATTERN_LINES = {
  __proto__: null,
  "AB-Divergent": "The targets lean to opposite attributes: X to A, Y to B.",
  "BA-Divergent": "The targets lean to opposite attributes: X to B, Y to A.",
  "A-Uniform": "Both targets lean to A; Level 1 shows only which does so more.",
  "B-Uniform": "Both targets lean to B; Level 1 shows only which does so more.",
  "AX-Singular": "Only X is found to lean, to A.",
  "BX-Singular": "Only X is found to lean, to B.",
  "AY-Singular": "Only Y is found to lean, to A.",
  "BY-Singular": "Only Y is found to lean, to B.",
  "Non-Directional": "Neither target is found to lean by itself, whatever their difference.",
};

function overviewLegend(tests) {
  const letters = { x: "X", y: "Y", a: "A", b: "B" };
  return [
    opening("How to read these numbers", () => el("dl", { class: "legend" },
      reading(tests.find((one) => one.three)?.test.conventions ?? {}, overviewShare(tests)).map(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]))),
    opening("The nine patterns", () => el("div", { class: "cards taxonomy" }, Object.entries(PATTERN_LINES).map(([name, text]) =>
      el("div", { class: "card" }, eatMap({ titles: letters, pattern: name, size: 34 }),
        el("div", {}, el("p", { class: "named" }, name), el("p", { class: "note" }, text)))))),
  ];
}
