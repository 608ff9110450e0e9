// @ts-check
// What was found, in words: one line a finding, those first that hold for other words. The name of a test is small and
// comes after its question.

import { bdi, el } from "../parts/elements.js";
import { numbered } from "../parts/numbers.js";

/** @type {[rung: Rung, heading: string][]} */
const RUNGS = [
  ["holds", "Holds for other words"],
  ["depends", "Depends on the words chosen"],
  ["none", "Not found"],
];
const MOST = 8;

/**
 * Whether a difference holds for other words, shows with just these, or does not show.
 * @param {number | null | undefined} other p-value for other words
 * @param {number | null | undefined} these p-value with just these words
 * @returns {Rung}
 */
export const rungOf = (other, these) => ((other ?? 1) < 0.05 ? "holds" : (these ?? 1) < 0.05 ? "depends" : "none");

/**
 * A question, and after it the name of its test.
 * @param {Child} question
 * @param {string} name
 */
export const asked = (question, name) => el("span", {}, question, " ", el("span", { class: "note" }, bdi(name)));

/**
 * Findings under what holds of them.
 * @param {ToldFinding[]} findings
 */
export const toldFindings = (findings) =>
  el(
    "dl",
    { class: "told-findings" },
    RUNGS.map(([rung, heading]) => ({ heading, some: findings.filter((one) => one.rung === rung) }))
      .filter(({ some }) => some.length)
      .map(({ heading, some }) => [
        el("dt", {}, heading, ": ", numbered(some.length, "test")),
        some.slice(0, MOST).map(({ told, name }) => el("dd", {}, asked(told, name))),
        some.length > MOST ? el("dd", { class: "note" }, `and ${some.length - MOST} more, below`) : null,
      ]),
  );
