// @ts-check
// The measures of traits, and how their results are named.

import { el } from "../parts/elements.js";
import { numbered } from "../parts/numbers.js";

/**
 * Left and right end of a pair of traits.
 * @param {Result} result
 * @param {number} j
 */
export function traitEnds(result, j) {
  if (result.pairs?.[j]) return result.pairs[j];
  const parts = result.traits[j].split("-");
  return parts.length === 2 ? parts : [result.traits[j], ""];
}

/** @type {Record<string, string[]>} */
const TRAIT_MEASURES = {
  __proto__: /** @type {any} */ (null),
  ilps: ["ILPS", "how much naming the group raises the log-probability of the first piece of an adjective"],
  "ilps*": ["ILPS*", "the same for the whole adjective, piece by piece"],
  set: ["SeT", "how much less the last layer of the model would have to change to say the adjective, on a scale of logarithms"],
};
/**
 * @param {Result} result
 * @param {string} [between]
 */
export const traitSize = ({ groups, traits }, between = ", ") =>
  `${numbered(groups.length, "group")}${between}${numbered(traits.length, "pair of traits", "pairs of traits")}`;
/** @param {string} measure */
export const traitTitle = (measure) => TRAIT_MEASURES[measure]?.[0] ?? measure;

/**
 * What the measures are; those of a reader's own have no line.
 * @param {Found[]} scores
 */
export function traitLegend(scores) {
  const known = [...new Set(scores.map(({ result }) => result.measure))].filter((measure) => TRAIT_MEASURES[measure]);
  return known.length
    ? el(
        "dl",
        { class: "legend" },
        known.map((measure) => [el("dt", {}, traitTitle(measure)), el("dd", {}, TRAIT_MEASURES[measure][1], ".")]),
      )
    : null;
}
