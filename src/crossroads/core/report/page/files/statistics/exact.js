// @ts-check
// Permutation p-values in the page, by the method of crossroads.core.inference, so that both count the same divisions.
//
// Any division of two groups is the observed one with a k-subset U of X exchanged for a k-subset V of Y, and scores
// higher exactly where sum(V) > sum(U). So the p-value is a count of pairs of subset sums. Counting is a generator:
// it pauses after every window of sums, so that long counts do not hold the page up.
//
// Scores become integers held in doubles. The grid is chosen so that n times the largest score is at most 2^52:
// every sum of some of them, every difference of two such sums and every sum plus or minus a tie is then an integer
// below 2^53, which doubles hold and add exactly. What rounding to the grid can change is part of the tie; that makes
// it wider than Python's, whose grid has 60 bits. Sums that differ by so little are rare: in tests with up to 20 words
// a list the counts were the same to the last division; with 25 they differed by up to 20 in 10^14.

import { STATISTICS } from "./statistics.js";

const BITS = 52, UNSPLIT = 17, WINDOW = 1 << 16, BINS = 1 << 16, CROWD = 64, MOST_LISTED = 1 << 20;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Number of k-subsets of n things, as a whole number of any size.
 * @param {number} n
 * @param {number} k
 */
function choose(n, k) {
  let found = 1n;
  for (let i = 1n; i <= BigInt(k); i++) found = (found * (BigInt(n - k) + i)) / i;
  return found;
}

/**
 * Two groups of scores on one grid of integers, with the largest difference of sums that counts as a tie.
 * @param {Numbers} first
 * @param {Numbers} second
 * @param {number} scoreError
 * @returns {Scores}
 */
function onGrid(first, second, scoreError) {
  const pooled = [...first, ...second], n = pooled.length, least = Math.min(...pooled), largest = Math.max(...pooled) - least;
  const total = choose(n, first.length), swaps = Math.min(first.length, second.length);
  const scale = largest === 0 ? 1 : 2 ** Math.min(1000, Math.floor(BITS - Math.log2(n) - Math.log2(largest)));
  const [x, y] = [first, second].map((scores) => Float64Array.from(scores, (score) => Math.round((score - least) * scale)));
  const tie = Math.ceil(Math.min(2 * swaps * (scoreError * scale + 0.5), Math.round(largest * scale) * swaps));
  return { x, y, tie, total, leaning: STATISTICS.meanOf(x) - STATISTICS.meanOf(y) };
}

/**
 * Two sorted runs as one; the second is moved by `shift`.
 * @param {Unit} one
 * @param {Unit} two
 * @param {number} shift
 */
function merged(one, two, shift) {
  const out = new Float64Array(one.length + two.length);
  let i = 0, j = 0, k = 0;
  while (i < one.length && j < two.length) out[k++] = one[i] <= two[j] + shift ? one[i++] : two[j++] + shift;
  while (i < one.length) out[k++] = one[i++];
  while (j < two.length) out[k++] = two[j++] + shift;
  return out;
}

/**
 * Sorted sums of the subsets of some scores, one run for each size up to `most`.
 * @param {Iterable<number>} scores
 * @param {number} most
 */
function sumsBySize(scores, most) {
  let runs = [new Float64Array(1)];
  const none = new Float64Array(0);
  for (const score of scores) {
    const grown = [runs[0]];
    for (let size = 1; size <= Math.min(runs.length, most); size++) grown.push(merged(runs[size] ?? none, runs[size - 1], score));
    runs = grown;
  }
  return runs;
}

/** @param {number} size */
const cutOf = (size) => (size <= UNSPLIT ? 0 : Math.round(0.4 * size));

/**
 * Subset sums in the longer of the two lists of a group.
 * @param {number} size
 * @param {number} most
 */
function listed(size, most) {
  const longer = Math.max(cutOf(size), size - cutOf(size));
  let sum = 0;
  for (let k = 0; k <= Math.min(longer, most); k++) sum += Number(choose(longer, k));
  return sum;
}

/**
 * A group split in two, whose sums together make all sums of the group: rows of sorted runs, never all stored.
 * @param {Unit} scores
 * @param {number} most
 */
function subsetSums(scores, most) {
  const ordered = Float64Array.from(scores).sort().reverse(), cut = cutOf(ordered.length);
  const front = sumsBySize(ordered.subarray(0, cut), most), back = sumsBySize(ordered.subarray(cut), most);
  /**
   * @param {Unit} run
   * @param {number} rest
   */
  const block = (run, rest) => (rest >= 0 && rest < back.length ? [{ front: run, back: back[rest] }] : []);
  return (/** @type {number} */ size) => front.flatMap((run, i) => block(run, size - i));
}

/**
 * Position of the first number of a sorted run that is not below a value.
 * @param {Unit} run
 * @param {number} value
 */
function firstFrom(run, value) {
  let low = 0, high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (run[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/**
 * For each row, the position of its first sum that is not below a value.
 * @param {Block[]} blocks
 * @param {number} value
 */
const starts = (blocks, value) => blocks.map(({ front, back }) => {
  const found = new Int32Array(front.length);
  for (let r = 0; r < front.length; r++) found[r] = firstFrom(back, value - front[r]);
  return found;
});

/**
 * @param {Starts} from
 * @param {Starts} to
 */
function held(from, to) {
  let sum = 0;
  for (let b = 0; b < from.length; b++) for (let r = 0; r < from[b].length; r++) sum += to[b][r] - from[b][r];
  return sum;
}

/**
 * The sums between two positions of each row, row after row.
 * @param {Block[]} blocks
 * @param {Starts} from
 * @param {Starts} to
 */
function gathered(blocks, from, to) {
  if (isOneRow(blocks)) return blocks[0].back.subarray(from[0][0], to[0][0]);
  const out = new Float64Array(held(from, to));
  let k = 0;
  blocks.forEach(({ front, back }, b) => {
    for (let r = 0; r < front.length; r++) for (let i = from[b][r]; i < to[b][r]; i++) out[k++] = front[r] + back[i];
  });
  return out;
}

/** @param {Block[]} blocks */
const isOneRow = (blocks) => blocks.length === 1 && blocks[0].front.length === 1 && blocks[0].front[0] === 0;

/**
 * Pairs of sorted sums: how many have y above x, and how many tie.
 * @param {Unit} x
 * @param {Unit} y
 * @param {number} tie
 */
function pairsOfSorted(x, y, tie) {
  let above = 0, tied = 0;
  for (let k = 0, i = 0, j = 0; k < y.length; k++) {
    while (i < x.length && x[i] < y[k] - tie) i++;
    while (j < x.length && x[j] <= y[k] + tie) j++;
    above += i;
    tied += j - i;
  }
  return [above, tied];
}

/**
 * Numbers put into equal cells: cell `i` holds values[offsets[i]] up to values[offsets[i + 1]].
 * @param {Unit} numbers
 */
function inBins(numbers) {
  let low = Infinity, high = -Infinity;
  for (const value of numbers) { if (value < low) low = value; if (value > high) high = value; }
  const scale = high > low ? (BINS - 1) / (high - low) : 0, offsets = new Int32Array(BINS + 1), values = new Float64Array(numbers.length);
  // products and floors keep the order of numbers, so that what is in a lower cell is lower
  /** @param {number} value */
  const bin = (value) => Math.max(0, Math.min(BINS - 1, Math.floor((value - low) * scale)));
  for (const value of numbers) offsets[bin(value) + 1]++;
  let fullest = 0;
  for (let i = 1; i <= BINS; i++) { fullest = Math.max(fullest, offsets[i]); offsets[i] += offsets[i - 1]; }
  const next = offsets.slice();
  for (const value of numbers) values[next[bin(value)]++] = value;
  return { values, offsets, bin, fullest };
}

/**
 * The same pairs of sums in any order: through cells, unless equal sums crowd there.
 * @param {Unit} x
 * @param {Unit} y
 * @param {number} tie
 */
function pairsOf(x, y, tie) {
  if (!x.length) return [0, 0];
  const { values, offsets, bin, fullest } = inBins(x);
  if (fullest > CROWD) return pairsOfSorted(x.slice().sort(), y.slice().sort(), tie);
  let above = 0, tied = 0;
  for (const sum of y) {
    const low = sum - tie, high = sum + tie, first = offsets[bin(low)], end = offsets[bin(high) + 1];
    above += first;
    for (let i = first; i < end; i++) if (values[i] < low) above++; else if (values[i] <= high) tied++;
  }
  return [above, tied];
}

/**
 * The range in which sums of X and Y of one size meet, and how many lie in it: the rest decides nothing.
 * @param {Block[]} xBlocks
 * @param {Block[]} yBlocks
 * @param {number} tie
 */
function overlapOf(xBlocks, yBlocks, tie) {
  const least = Math.min(...xBlocks.map(({ front, back }) => front[0] + back[0]));
  const most = Math.max(...yBlocks.map(({ front, back }) => front[front.length - 1] + back[back.length - 1]));
  const low = least - 2 * tie, high = most - tie + 1;
  if (high <= low) return { xBlocks, yBlocks, low, high, work: 0 };
  const work = held(starts(xBlocks, least), starts(xBlocks, high + 2 * tie))
    + held(starts(yBlocks, low + tie), starts(yBlocks, most + 1));
  return { xBlocks, yBlocks, low, high, work };
}

/**
 * Overlaps of every size, or null where they hold more sums than allowed.
 * @param {Scores} scores
 * @param {number} mostSums
 */
function overlapsOf(scores, mostSums) {
  const most = Math.min(scores.x.length, scores.y.length);
  if (scores.total > SAFE) return null; // counts would not be exact
  if (Math.max(listed(scores.x.length, most), listed(scores.y.length, most)) > MOST_LISTED) return null;
  const x = subsetSums(scores.x, most), y = subsetSums(scores.y, most), parts = [];
  let work = 0;
  for (let size = 0; size <= most; size++) {
    const part = overlapOf(x(size), y(size), scores.tie);
    parts.push(part);
    work += part.work;
    if (work > mostSums) return null;
  }
  return { parts, work };
}

/**
 * Windows over the overlap, from low to high, none with more sums than it takes a moment to count.
 * @param {Overlap} part
 * @param {number} tie
 */
function* windowsOf(part, tie) {
  /**
   * @param {number} low
   * @param {number} high
   * @returns {{ low: number, high: number, x: [Starts, Starts], y: [Starts, Starts] }}
   */
  const ends = (low, high) => ({ low, high, x: [starts(part.xBlocks, low), starts(part.xBlocks, high)],
    y: [starts(part.yBlocks, low + tie), starts(part.yBlocks, high + tie)] });
  const stack = [ends(part.low, part.high)];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const inX = held(...top.x), inY = held(...top.y);
    // windows narrower than a tie would read the sums within it over and over
    if (Math.max(inX, inY) > WINDOW && top.high - top.low > 4 * tie + 1) {
      const middle = top.low + Math.floor((top.high - top.low) / 2);
      stack.push(ends(middle, top.high), ends(top.low, middle));
    } else yield { ...top, inX, inY };
  }
}

/**
 * Pairs of one size: how many have sum(V) above sum(U), and how many tie.
 * @param {Overlap} part
 * @param {number} tie
 */
function* countOverlap(part, tie) {
  let above = 0, tied = 0, seen = 0;
  if (part.work === 0) return [above, tied];
  for (const window of windowsOf(part, tie)) {
    above += seen * window.inY;
    seen += window.inX;
    if (window.inY === 0) continue;
    const x = gathered(part.xBlocks, window.x[0], starts(part.xBlocks, window.high + 2 * tie));
    const sorted = isOneRow(part.xBlocks) && isOneRow(part.yBlocks);
    const [more, equal] = (sorted ? pairsOfSorted : pairsOf)(x, gathered(part.yBlocks, ...window.y), tie);
    above += more;
    tied += equal;
    yield;
  }
  return [above, tied];
}

/**
 * All divisions against the observed one, which is tied `alone` before the overlaps `parts` are counted, or not at all.
 * @param {Scores} scores
 * @param {Overlap[]} parts
 * @param {number} [alone]
 * @returns {Generator<undefined, Shares>}
 */
function* counted(scores, parts, alone = 0) {
  let above = 0, tied = alone;
  for (const part of parts) {
    const [more, equal] = yield* countOverlap(part, scores.tie);
    above += more;
    tied += equal;
  }
  const total = Number(scores.total);
  if (scores.leaning < 0) above = total - above - tied;
  /** @param {number} count */
  const share = (count) => [count / total, count / total, count / total]; // both whole: rounded once
  const below = total - above - tied;
  const weakly = { not_below: share(above + tied), not_above: share(below + tied) };
  return { method: "exact", tied, above: share(above), below: share(below), ...weakly };
}

/**
 * @param {Scores} scores
 * @returns {Scores}
 */
const descending = (scores) => (scores.leaning >= 0 ? scores : { ...scores, x: scores.y, y: scores.x });

export const EXACT = { SAFE, onGrid, descending, overlapsOf, counted };
