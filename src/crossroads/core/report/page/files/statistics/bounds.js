// @ts-check
// Where divisions are too many to be counted: bounds on the p-value that hold with certainty, by dynamic programming
// over a grid of sums as in crossroads.core.inference.bracket; and a normal curve for lists that are too long for that.

import { STATISTICS } from "./statistics.js";

const LEAST_CELLS = 120, MOST_CELLS = 4000;

/**
 * One group on a coarser grid: how many subsets of each size have each sum of cells (Streitberg & Röhmel 1986).
 * @param {Unit} scores
 * @param {number} width
 * @param {number} most
 */
function* celled(scores, width, most) {
  const n = scores.length, half = Math.floor(width / 2), cells = scores.map((score) => Math.floor((score + half) / width));
  const rests = scores.map((score, i) => score - cells[i] * width).sort();
  const ordered = Float64Array.from(cells).sort(), built = Math.min(most, Math.floor(n / 2));
  const least = [0], largest = [0];
  for (let i = 0; i < n; i++) { least.push(least[i] + ordered[i]); largest.push(largest[i] + ordered[n - 1 - i]); }
  const counts = Array.from({ length: built + 1 }, (_, k) => new Float64Array(largest[k] - least[k] + 1));
  counts[0][0] = 1;
  for (let item = 0; item < n; item++) {
    for (let size = Math.min(item + 1, built); size > 0; size--) {
      const into = counts[size], from = counts[size - 1], low = least[size - 1], start = low + ordered[item] - least[size];
      const length = least[item] - least[item - size + 1] - low + 1; // sums of the subsets of the items before this one
      for (let i = 0; i < length; i++) into[start + i] += from[i];
    }
    yield;
  }
  for (let size = built + 1; size <= most; size++) counts.push(counts[n - size].slice().reverse()); // what a subset leaves out
  return { counts, least, rests };
}

/**
 * Sum of counts[i] · cumulated[i + shift]; beyond its ends `cumulated` stays as it ends.
 * @param {Unit} counts
 * @param {Unit} cumulated
 * @param {number} shift
 */
function pairsFrom(counts, cumulated, shift) {
  const last = cumulated.length - 1, stop = Math.max(0, Math.min(counts.length, last - shift));
  let sum = 0, beyond = 0;
  for (let i = Math.max(0, -shift); i < stop; i++) sum += counts[i] * cumulated[i + shift];
  for (let i = Math.max(0, -shift, stop); i < counts.length; i++) beyond += counts[i];
  return sum + beyond * cumulated[last];
}

/**
 * Pairs of one size with sum(V) above sum(U): least, most; then not below: least, most.
 * @param {Celled} x
 * @param {Celled} y
 * @param {number} size
 * @param {number} width
 * @param {number} tie
 */
function boundedPairs(x, y, size, width, tie) {
  const { sumOf } = STATISTICS;
  /** @param {Celled} group */
  const ends = ({ rests }) => [sumOf(rests.slice(0, size)), sumOf(rests.slice(rests.length - size))];
  const [xEnds, yEnds] = [ends(x), ends(y)], rest = [yEnds[0] - xEnds[1], yEnds[1] - xEnds[0]];
  const shift = y.least[size] - x.least[size] + 1, cumulated = new Float64Array(x.counts[size].length + 1);
  for (let i = 0, counts = x.counts[size]; i < counts.length; i++) cumulated[i + 1] = cumulated[i] + counts[i];
  /**
   * @param {number} must
   * @param {number} one
   */
  const pairs = (must, one) => pairsFrom(y.counts[size], cumulated, shift - Math.floor((must - one) / width) - 1);
  return [tie, -tie - 1].flatMap((must) => rest.map((one) => pairs(must, one)));
}

/**
 * Bounds that hold with certainty on the shares of divisions on either side of the observed one.
 * @param {Scores} scores
 * @param {number} cells
 * @returns {Generator<undefined, Shares>}
 */
function* bracketed(scores, cells) {
  const width = Math.max(1, Math.floor(Math.max(...scores.x, ...scores.y) / cells)), most = Math.min(scores.x.length, scores.y.length);
  const x = yield* celled(scores.x, width, most), y = yield* celled(scores.y, width, most);
  const up = [0, 0, 0, 0], down = [0, 0, 0, 0];
  for (let size = 0; size <= most; size++) {
    boundedPairs(x, y, size, width, scores.tie).forEach((pairs, i) => { up[i] += pairs; });
    boundedPairs(y, x, size, width, scores.tie).forEach((pairs, i) => { down[i] += pairs; });
    yield;
  }
  const longest = Math.max(...[x, y].flatMap((group) => group.counts.map((counts) => counts.length)));
  const slack = 4 * Number.EPSILON * (longest + scores.x.length + scores.y.length), total = Number(scores.total), floor = 1 / total;
  // rounded outwards by what sums of so many positive numbers can lose; the upper bound is reported
  /**
   * @param {number} low
   * @param {number} high
   * @param {number} [floor]
   */
  const bounds = (low, high, floor = 0) => {
    const upper = Math.max(Math.min((high / total) * (1 + slack), 1), floor);
    return [upper, Math.max((low / total) * (1 - slack), floor), upper];
  };
  return {
    method: "bracket", above: bounds(up[0], up[1]), not_below: bounds(up[2], up[3], floor),
    below: bounds(down[0], down[1]), not_above: bounds(down[2], down[3], floor),
  };
}

/**
 * Upper tail of the normal curve, to seven digits at any distance (a Chebyshev fit to erfc).
 * @param {number} z
 */
function normalTail(z) {
  const t = 1 / (1 + Math.abs(z) / (2 * Math.SQRT2));
  const terms = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223,
  ];
  const tail = 0.5 * t * Math.exp(-(z * z) / 2 + terms.reduce((sum, term) => sum * t + term, 0));
  return z >= 0 ? tail : 1 - tail;
}

/**
 * The normal curve with the mean and variance of the permutation distribution: for lists too long for anything else.
 * @param {Scores} scores
 * @returns {Shares}
 */
function fitted(scores) {
  const n = scores.x.length + scores.y.length, variance = STATISTICS.spreadOf([...scores.x, ...scores.y]) ** 2;
  const z = scores.leaning / Math.sqrt((variance * n) / (scores.x.length * scores.y.length));
  const [up, down] = [normalTail(z), normalTail(-z)].map((p) => [p, p, p]);
  return { method: "normal", above: up, not_below: up, below: down, not_above: down };
}

/**
 * Cells that a number of additions allows; 0 if too few to say anything.
 * @param {Scores} scores
 * @param {number} additions
 */
function cellsFor(scores, additions) {
  const [n, m] = [scores.x.length, scores.y.length], cells = Math.floor((4 * additions) / ((n + m) * Math.min(n, m) ** 2));
  return n + m > 1000 || cells < LEAST_CELLS ? 0 : Math.min(cells, MOST_CELLS);
}

export const BOUNDS = { bracketed, fitted, cellsFor };
