// @ts-check
// The permutation test of the page: which way to take, and what it says of every tail.

import { BOUNDS } from "./bounds.js";
import { EXACT } from "./exact.js";

const NOW = { sums: 1 << 18, additions: 4e6 }; // what an edit may wait for: some 20 ms
const LATER = { sums: 1e8, additions: 2e9 }; // what may go on in the background: some seconds
const TINIEST = 5e-324;
const SURETY = { exact: "exact", bracket: "certain", normal: "none" };

/**
 * p-values for every alternative out of the shares on either side.
 * @param {Shares} found
 * @param {string} ties
 * @param {number} leaning
 */
function tailsOf(found, ties, leaning) {
  const [upper, lower] = ties === "weak" ? [found.not_below, found.not_above] : [found.above, found.below];
  const both = upper.map((one, i) => Math.min(1, 2 * Math.min(one, lower[i])));
  return { greater: upper, less: lower, "two-sided": both, observed: leaning >= 0 ? upper : lower };
}

/**
 * @param {Shares} found
 * @param {Scores} scores
 * @param {TestOptions} options
 */
function described(found, scores, { alternative = "greater", ties = "weak" }) {
  const tails = tailsOf(found, ties, scores.leaning), [pvalue, pvalue_low, pvalue_high] = tails[alternative];
  const least = Math.max(1 / Number(scores.total), TINIEST);
  return {
    pvalue, pvalue_low, pvalue_high, method: found.method, bound: SURETY[found.method], alternative, ties,
    tied: found.tied ?? null, divisions: scores.total, min_pvalue: alternative === "two-sided" ? Math.min(1, 2 * least) : least, tails,
  };
}

/**
 * Scores that are equal but for rounding: every division equals the observed one.
 * @param {Scores} options
 * @returns {Shares}
 */
const allTied = ({ total }) => {
  const none = [0, 0, 0], every = [1, 1, 1];
  return { method: "exact", above: none, not_below: every, below: none, not_above: every, tied: total };
};

/**
 * Run a generator to its end.
 * @template Value
 * @param {Generator<undefined, Value>} steps
 * @returns {Value}
 */
function finished(steps) {
  for (;;) { const { done, value } = steps.next(); if (done) return value; }
}

/**
 * The p-value as far as it can be had at once, and the steps that lead further.
 *   now     a result: exact where few sums decide it, else with certain bounds, else from a normal curve
 *   later   null, or a generator that returns a better result
 * @param {Numbers} first
 * @param {Numbers} second
 * @param {TestOptions} [options]
 */
export function permutationSteps(first, second, options = {}) {
  const scores = EXACT.onGrid(first, second, options.score_error ?? 0), ordered = EXACT.descending(scores);
  /** @param {Shares} found */
  const finish = (found) => described(found, scores, options);
  const swaps = Math.min(scores.x.length, scores.y.length);
  if (Math.max(...scores.x, ...scores.y) * swaps <= scores.tie) return { now: finish(allTied(scores)), later: null };
  const separated = Math.min(...ordered.x) - Math.max(...ordered.y) > scores.tie; // every exchange lowers the statistic
  if (separated && scores.total <= EXACT.SAFE) return { now: finish(finished(EXACT.counted(scores, [], 1))), later: null };
  const overlaps = EXACT.overlapsOf(ordered, LATER.sums);
  if (overlaps && overlaps.work <= NOW.sums) return { now: finish(finished(EXACT.counted(scores, overlaps.parts))), later: null };
  const cells = BOUNDS.cellsFor(scores, NOW.additions), more = BOUNDS.cellsFor(scores, LATER.additions);
  const now = finish(cells ? finished(BOUNDS.bracketed(scores, cells)) : BOUNDS.fitted(scores));
  const further = overlaps ? EXACT.counted(scores, overlaps.parts) : more > cells ? BOUNDS.bracketed(scores, more) : null;
  return { now, later: further && (function* () { return finish(yield* further); })() };
}

/**
 * The best result that the page can have, however long it takes.
 * @param {Numbers} first
 * @param {Numbers} second
 * @param {TestOptions} [options]
 */
export function permutationTest(first, second, options) {
  const { now, later } = permutationSteps(first, second, options);
  return later ? finished(later) : now;
}
