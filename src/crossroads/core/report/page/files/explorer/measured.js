// @ts-check
// What lists give: effect sizes and what generalizes to other words at once; exact p-values as far as they are quickly had,
// and the rest of the count in short slices of time, until the next edit cancels it.

import { crossedTest } from "../statistics/crossed.js";
import { permutationSteps } from "../statistics/permutation.js";
import { STATISTICS } from "../statistics/statistics.js";
import { EXPLORER_ROLES } from "./state.js";

const EXPLORER_SLICE = 12;
const EXPLORER_KEPT = 24;
export const EXPLORER_PAIRS = ["ax", "bx", "ay", "by"];
const EXPLORER_COUNTED = new Map(); // p-values by scores and conventions: undoing costs nothing

/**
 * Unit vectors of the lists, and the words that have none in this model.
 * @param {Vectored} context
 * @param {Lists} lists
 */
function explorerVectors(context, lists) {
  /** @type {Measured["sets"]} */
  const sets = {};
  /** @type {string[]} */
  const absent = [];
  for (const role of EXPLORER_ROLES) {
    sets[role] = { words: [], units: [] };
    for (const word of lists[role].words) {
      const unit = context.vectors.unit(word);
      if (!unit) { absent.push(word); continue; }
      if ("xy".includes(role) && [...lists.a.words, ...lists.b.words].some((other) => context.vectors.unit(other) === unit)) continue; // itself
      sets[role].words.push(word);
      sets[role].units.push(unit);
    }
  }
  return { sets, absent };
}

/**
 * The three levels, as far as the lists are long enough: two words a permuted list, one in the others.
 * @param {Vectored} context
 * @param {Lists} lists
 * @param {Conventions} conventions
 * @returns {Measured}
 */
export function explorerMeasured(context, lists, conventions) {
  const { sets, absent } = explorerVectors(context, lists), size = (/** @type {Role} */ role) => sets[role].units.length;
  const [x, y, a, b] = EXPLORER_ROLES.map((role) => sets[role].units);
  /** @type {Measured["tests"]} */
  const tests = {};
  /** @type {Measured["level3"]} */
  const level3 = {};
  if (Math.min(size("x"), size("y")) > 1 && size("a") && size("b")) tests.level1 = STATISTICS.level1({ x, y, a, b }, conventions);
  for (const role of ["x", "y"]) {
    if (size(role) && Math.min(size("a"), size("b")) > 1) tests[role] = STATISTICS.level2(sets[role].units, a, b, conventions);
  }
  const able = size("x") && size("a") && size("b"), near = conventions.words === "independent" ? null : context.vectors.near;
  const crossed = able ? crossedTest({ x, y, a, b }, { ...conventions, near }) : null;
  const alone = Object.fromEntries(["x", "y"].filter((role) => tests[role]).map((role) => [role, crossedTest({ x: sets[role].units, y: [], a, b }, { ...conventions, near })]));
  for (const pair of EXPLORER_PAIRS) {
    const [attribute, target] = pair;
    if (size(attribute) * size(target) > 1) level3[pair] = STATISTICS.level3(sets[target].units, sets[attribute].units, conventions);
  }
  return { sets, absent, tests, level3, crossed, alone, tested: {} };
}

/**
 * p-value of a test as far as it is had at once, and the steps that are left; both from memory if they were had before.
 * @param {Scored} test
 * @param {Conventions} options
 */
export function explorerTested(test, { alternative, ties }) {
  const key = [alternative, ties, test.first.length, ...test.first, ...test.second].join();
  if (!EXPLORER_COUNTED.has(key)) {
    const options = { alternative, ties, score_error: STATISTICS.roundingError(test.dim) };
    EXPLORER_COUNTED.set(key, permutationSteps(test.first, test.second, options));
    if (EXPLORER_COUNTED.size > EXPLORER_KEPT) EXPLORER_COUNTED.delete(EXPLORER_COUNTED.keys().next().value);
  }
  return EXPLORER_COUNTED.get(key);
}

/**
 * Go on counting in short slices; `report` is called when one count is complete. Returns how to stop.
 * @param {Tested[]} tested
 * @param {() => void} report
 */
export function explorerCounting(tested, report) {
  const waiting = [...new Set(tested)].filter((one) => one.later); // two tests of the same scores are one count
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const slice = () => {
    const until = performance.now() + EXPLORER_SLICE;
    while (waiting.length && performance.now() < until) {
      const step = waiting[0].later?.next(); // counts are kept: another test of the same words may have completed it
      if (step && !step.done) continue;
      if (step) Object.assign(waiting[0], { now: step.value, later: null });
      waiting.shift();
      report();
    }
    if (waiting.length) timer = setTimeout(slice);
  };
  if (waiting.length) timer = setTimeout(slice, 150); // edits that follow quickly come first
  return () => clearTimeout(timer);
}

