// @ts-check
// How sure a difference is for other words than these: targets and attributes both count as drawn. The formulas are
// those of crossroads.core.inference.crossed.

import { copyGroups, facetOf, nearCopies } from "./copies.js";
import { STATISTICS } from "./statistics.js";
import { STUDENT } from "./student.js";

const LEVEL = 0.95, POWER = 0.8;
const SHOWING_NOTHING = 2;

/**
 * The sum of squares of some numbers around their mean.
 * @param {Numbers} values
 */
const squaresOf = (values) => (values.length > 1 ? STATISTICS.spreadOf(values) ** 2 * (values.length - 1) : 0);

/**
 * What is left of a block of cosines without its row and column means, squared and summed.
 * @param {Unit[]} block
 */
function leftOver(block) {
  const n = block.length, m = block[0].length, rows = block.map(STATISTICS.meanOf), all = STATISTICS.meanOf(rows);
  const columns = STATISTICS.meanVector(block);
  let squares = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) squares += (block[i][j] - rows[i] - columns[j] + all) ** 2;
  return squares;
}

/**
 * Degrees of freedom of a sum of variances, at most one where a set has no more; see degrees_of_freedom in Python.
 * @param {number[]} parts
 * @param {number[]} free
 * @param {number} total
 */
function degreesOf(parts, free, total) {
  if (!(total > 0)) return Infinity;
  const inverse = STATISTICS.sumOf(parts.map((one, i) => (free[i] > 0 ? (one / total) ** 2 / free[i] : 0)));
  return Math.min(1 / inverse, free.some((one) => one > 0 && one < 1 + 1e-9) ? 1 : Infinity);
}

/**
 * The difference of mean cosines and its variance over the choice of words; see Spread in Python.
 * @param {Unit[][]} targets one list of rows of cosines for each target
 * @param {number} nA how many of the columns are of the first attribute
 * @param {Unit[][]} copies near copies in each set, targets first
 */
function spread(targets, nA, copies) {
  /** @param {Unit} row */
  const halves = (row) => [row.subarray(0, nA), row.subarray(nA)];
  const s = targets.map((rows) => Float64Array.from(rows, (row) => { const [a, b] = halves(row); return STATISTICS.meanOf(a) - STATISTICS.meanOf(b); }));
  const means = targets.map(STATISTICS.meanVector), t = targets.length > 1 ? means[0].map((one, j) => one - means[1][j]) : means[0];
  /** @param {Numbers} scores */
  const partOf = (scores) => (scores.length > 1 ? squaresOf(scores) / (scores.length - 1) / scores.length : 0);
  let parts = [...s.map(partOf), ...halves(t).map(partOf)], free = copies.map((one) => one.length - 1), cells = 0;
  for (const rows of targets) {
    for (const side of [0, 1]) {
      const block = rows.map((row) => halves(row)[side]), [n, m] = [block.length, block[0].length];
      if (n > 1 && m > 1) cells += leftOver(block) / ((n - 1) * (m - 1) * n * m);
    }
  }
  const sums = () => [parts.slice(0, targets.length), parts.slice(targets.length)].map(STATISTICS.sumOf);
  /** @param {number[]} facets */
  const whole = (facets) => Math.max(facets[0] + facets[1] - cells, ...facets);
  let total = whole(sums());
  const known = copies.map(facetOf);
  if (known.some((one, i) => one.effective < copies[i].length)) {
    parts = parts.map((one, i) => one * known[i].factor * copies[i].length * (copies[i].length - 1));
    free = known.map((one) => one.free);
    total = Math.max(total, whole(sums()));
  }
  const centres = s.map(STATISTICS.meanOf), difference = targets.length > 1 ? centres[0] - centres[1] : centres[0];
  return { difference, total, cells, facets: sums(), df: degreesOf(parts, free, total), effective: known.map((one) => one.effective) };
}

/**
 * Chance that another set of words would point the same way; see agreement in Python.
 * @param {number} statistic
 * @param {number} df
 * @param {number[]} sizes
 */
function agreementOf(statistic, df, sizes) {
  const n = sizes.length / STATISTICS.sumOf(sizes.map((size) => 1 / size)), b = n / (n + SHOWING_NOTHING);
  return STUDENT.tail((Math.abs(statistic) * b) / Math.sqrt(1 + b), df, "less");
}

/**
 * The difference Δ with its interval and p-value; both are null for a set of one word, or where words do not differ.
 * @param {Record<Role, Unit[]>} sets
 * @param {{ alternative: Alternative, near?: Near | null, level?: number }} options
 * @returns {CrossedFound}
 */
export function crossedTest({ x, y, a, b }, { alternative, near = null, level = LEVEL }) {
  const attributes = [...a, ...b], single = !y?.length, roles = single ? ["x", "a", "b"] : ["x", "y", "a", "b"];
  /** @param {Unit[]} words */
  const table = (words) => words.map((word) => Float64Array.from(attributes, (other) => STATISTICS.dot(word, other)));
  const copies = (single ? [x, a, b] : [x, y, a, b]).map((words) => nearCopies(words, near));
  const found = spread((single ? [x] : [x, y]).map(table), a.length, copies), { difference, total, df } = found;
  const alone = Object.entries({ a, b, ...(single ? {} : { x, y }) }).filter(([, words]) => words.length < 2).map(([role]) => role);
  const flat = total <= (4 * STATISTICS.roundingError(x[0].length)) ** 2;
  const about = { difference, level, alone, flat, effective: Object.fromEntries(roles.map((role, i) => [role, found.effective[i]])), copies: Object.fromEntries(roles.map((role, i) => [role, copyGroups(copies[i])])) };
  if (alone.length || flat) return { ...about, low: null, high: null, pvalue: null, both: null, agreement: null, statistic: null, se: null, df: null, detectable: null, shares: null };
  const se = Math.sqrt(total), statistic = difference / se, half = STUDENT.within(level, df) * se;
  const [targets, others] = found.facets.map((one) => Math.max(0, one - found.cells)), whole = targets + others + found.cells;
  return {
    ...about, low: difference - half, high: difference + half, statistic, se, df, agreement: agreementOf(statistic, df, found.effective),
    detectable: (STUDENT.within(LEVEL, df) + STUDENT.within(2 * POWER - 1, df)) * se,
    pvalue: STUDENT.tail(statistic, df, alternative), both: STUDENT.tail(statistic, df, "two-sided"),
    shares: { targets: targets / whole, attributes: others / whole, cells: found.cells / whole },
  };
}

/**
 * p-values adjusted for their number (Benjamini and Hochberg); those that are not known do not count.
 * @param {(number | null)[]} pvalues
 */
export function adjustedPs(pvalues) {
  const order = pvalues.map((p, i) => ({ p, i })).filter((one) => one.p !== null).sort((one, other) => Number(one.p) - Number(other.p));
  /** @type {(number | null)[]} */
  const found = pvalues.map(() => null);
  let least = 1;
  for (let rank = order.length; rank > 0; rank--) {
    least = Math.min(least, Number(order[rank - 1].p) * (order.length / rank));
    found[order[rank - 1].i] = least;
  }
  return found;
}

/**
 * A single word against two attributes: Welch's t over the attribute words, as results of SC-WEAT hold it.
 * @param {{ difference: number, se: number, df: number, alternative: Alternative, level?: number }} options
 */
export function welchTest({ difference, se, df, alternative, level = LEVEL }) {
  if (!(se > 0)) return { low: NaN, high: NaN, pvalue: NaN };
  const half = STUDENT.within(level, df) * se;
  return { low: difference - half, high: difference + half, pvalue: STUDENT.tail(difference / se, df, alternative) };
}
