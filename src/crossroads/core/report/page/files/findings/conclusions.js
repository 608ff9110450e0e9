// @ts-check
// What the results come to, as Python says it: sentences, poles, and where their numbers are in results.json.

import { comparisonContexts } from "../parts/audits.js";
import { bdi, el } from "../parts/elements.js";
import { chanceWords, num, part, pointed } from "../parts/numbers.js";
import { VIEWS } from "../parts/views.js";
import { testsOf } from "../tests/entries.js";

/** Sections of the page, by the section of a result. @type {Record<string, string>} */
const PLACES = { contexts: "contexts", intersections: "intersections", geometry: "geometry", traits: "traits", people: "traits", pairs: "traits", comparison: "comparison", time: "tests" };
/** @type {Record<string, [mark: string, told: string]>} */
const CHECKED = { yes: ["\u2713", "yes"], no: ["\u2717", "no"], "cannot tell": ["?", "cannot tell yet"] };

/**
 * What an audit comes to, the surest first; and what comparisons come to, which belong to no model.
 * @param {Context} context
 * @returns {Conclusion[]}
 */
export const conclusionsOf = (context) => [
  ...(context.audit.conclusions ?? []),
  ...comparisonContexts().flatMap((of) => (of.audit.conclusions ?? []).map((/** @type {Conclusion} */ one) => ({ ...one, of }))),
];

/**
 * Conclusions under their headings, the surest first; a status has several where not the same was drawn: words, items.
 * @param {Context} context
 * @param {Conclusion[]} all
 * @returns {ConclusionGroup[]}
 */
export const conclusionGroups = (context, all) => Object.keys(context.data.phrases.statuses).flatMap((status) => {
  const some = all.filter((one) => one.status === status);
  return [...new Set(some.map((one) => one.heading))].map((heading) =>
    ({ status: some[0].status, heading, some: some.filter((one) => one.heading === heading) }));
});

/**
 * What was drawn for conclusions, in words: "words", or "words or sentences".
 * @param {Conclusion[]} some
 */
export const conclusionsDrawn = (some) => [...new Set(some.map((one) => one.drawn))].join(" or ");

/**
 * A number of a conclusion by its role; none where it has none.
 * @param {Context} context
 * @param {Conclusion} one
 * @param {string} role
 * @returns {number}
 */
export const concluded = (context, one, role) => (one.at[role] ? pointed((one.of ?? context).document, one.at[role]) ?? NaN : NaN);

/** Scores of chat models: their axis, and its ends. @type {Record<string, [axis: string, ends: number[]]>} */
const SCORES = {
  score: ["score, from \u22121 to 1", [-1, 1]],
  "score \u2212 .5": ["share of decisions above chance, from \u2212.5 to .5", [-0.5, 0.5]],
};
/** @param {string | undefined} scale */
export const conclusionAxis = (scale) => SCORES[scale ?? ""]?.[0];
/** @param {string | undefined} scale */
export const conclusionEnds = (scale) => SCORES[scale ?? ""]?.[1] ?? [];

/**
 * Where a conclusion leads: its test, or the section of its result.
 * @param {Context} context
 * @param {Conclusion} one
 */
export function conclusionLink(context, one) {
  const test = one.section === "tests" && testsOf(context).find((entry) => entry.name === one.name);
  const place = test ? test.id : PLACES[one.section];
  return place && (test || VIEWS.some((view) => view.id === place && view.applies(context, context.data))) ? `#${encodeURIComponent(place)}` : null;
}

/**
 * The sentence, names set apart, with the chance that others of what was drawn point the same way.
 * @param {Context} context
 * @param {Conclusion} one
 * @returns {Child[]}
 */
export const conclusionWords = (context, one) => [...one.parts.map((text, i) => {
  const shown = i === 0 || (i === 1 && !one.parts[0]) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return i % 2 ? el("strong", {}, bdi(shown)) : shown;
}), one.at.chance && ["; ", chanceWords(context.data.phrases, concluded(context, one, "chance"), num(one.of ?? context, one.at.chance, { as: "chance" }), one.drawn)], "."];

/**
 * The robustness checks of a test as small marks, each with its words; the last is a percentile.
 * @param {Context} context
 * @param {Conclusion} one
 */
export function conclusionRungs(context, one) {
  for (const { result, path } of context.of("ChecksResult")) {
    const checks = /** @type {Json} */ (result.tests)[one.name];
    if (!checks) continue;
    const at = `${path}/tests/${part(one.name)}`;
    return el("ul", { class: "checks" }, checks.map((/** @type {Json} */ check, /** @type {number} */ i) => {
      const [mark, told] = CHECKED[check.answer] ?? ["", ""], about = [check.method, check.reason].filter(Boolean).join("; ");
      if (!mark) {
        return Number.isFinite(check.value) && el("li", { class: "check", title: about }, "above ",
          num(context, `${at}/${i}/value`, { as: "percent" }), " of ", el("span", { class: "unseen" }, "associations between arbitrary "), "topics");
      }
      return el("li", { class: `check ${check.answer.replace(" ", "-")}`, title: about },
        el("span", { "aria-hidden": "true" }, `${mark} `), check.called || check.asks, el("span", { class: "unseen" }, `: ${told}`));
    }));
  }
  return null;
}
