// @ts-check
// How sure a difference is for other words than these: targets and attributes both count as drawn. The formulas are
// those of crossroads.core.inference.crossed.

import { STATISTICS } from "./statistics.js";
import { STUDENT } from "./student.js";

const LEVEL = 0.95;

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
 * The difference of mean cosines and its variance over the choice of words; see Spread in Python.
 * @param {Unit[][]} targets one list of rows of cosines for each target
 * @param {number} nA how many of the columns are of the first attribute
 */
function spread(targets, nA) {
  const sizes = targets.map((rows) => rows.length), columns = targets[0][0].length;
  /** @param {Unit} row */
  const halves = (row) => [row.subarray(0, nA), row.subarray(nA)];
  const s = targets.map((rows) => Float64Array.from(rows, (row) => { const [a, b] = halves(row); return STATISTICS.meanOf(a) - STATISTICS.meanOf(b); }));
  const means = targets.map(STATISTICS.meanVector), t = targets.length > 1 ? means[0].map((one, j) => one - means[1][j]) : means[0];
  /** @param {Numbers} scores */
  const partOf = (scores) => (scores.length > 1 ? squaresOf(scores) / (scores.length - 1) / scores.length : 0);
  const parts = [...s.map(partOf), ...halves(t).map(partOf)], counts = [...sizes, nA, columns - nA];
  let cells = 0;
  for (const rows of targets) {
    for (const side of [0, 1]) {
      const block = rows.map((row) => halves(row)[side]), [n, m] = [block.length, block[0].length];
      if (n > 1 && m > 1) cells += leftOver(block) / ((n - 1) * (m - 1) * n * m);
    }
  }
  const facets = [parts.slice(0, targets.length), parts.slice(targets.length)].map(STATISTICS.sumOf);
  const total = Math.max(facets[0] + facets[1] - cells, ...facets), some = total > 0 ? total : 1;
  const inverse = STATISTICS.sumOf(parts.map((one, i) => (counts[i] > 1 ? (one / some) ** 2 / (counts[i] - 1) : 0)));
  const most = counts.includes(2) ? 1 : Infinity; // two values may be close by chance, and the formula trusts that
  const centres = s.map(STATISTICS.meanOf), difference = targets.length > 1 ? centres[0] - centres[1] : centres[0];
  return { difference, total, cells, facets, df: total > 0 ? Math.min(1 / inverse, most) : Infinity };
}

/**
 * The difference Δ with its interval and p-value; both are null for a set of one word, or where words do not differ.
 * @param {Record<Role, Unit[]>} sets
 * @param {{ alternative: Alternative, level?: number }} options
 * @returns {CrossedFound}
 */
export function crossedTest({ x, y, a, b }, { alternative, level = LEVEL }) {
  const attributes = [...a, ...b], single = !y?.length;
  /** @param {Unit[]} words */
  const table = (words) => words.map((word) => Float64Array.from(attributes, (other) => STATISTICS.dot(word, other)));
  const found = spread((single ? [x] : [x, y]).map(table), a.length), { difference, total, df } = found;
  const alone = Object.entries({ a, b, ...(single ? {} : { x, y }) }).filter(([, words]) => words.length < 2).map(([role]) => role);
  const flat = total <= (4 * STATISTICS.roundingError(x[0].length)) ** 2;
  if (alone.length || flat) return { difference, level, alone, flat, low: null, high: null, pvalue: null, both: null, statistic: null, se: null, df: null, shares: null };
  const se = Math.sqrt(total), statistic = difference / se, half = STUDENT.within(level, df) * se;
  const [targets, others] = found.facets.map((one) => Math.max(0, one - found.cells)), whole = targets + others + found.cells;
  return {
    difference, level, alone, flat, low: difference - half, high: difference + half, statistic, se, df,
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
