// @ts-check
// Near copies among the words of a set, such as plurals: the formulas are those of crossroads.core.inference.copies.

import { STATISTICS } from "./statistics.js";

/**
 * For each pair of words of a set whether they are near copies, as 1 or 0; see near_copies in Python.
 * @param {Unit[]} units
 * @param {Near | null} near null where every word counts as independent
 * @returns {Unit[]}
 */
export function nearCopies(units, near) {
  const n = units.length, none = n < 3 || !near;
  const seen = none ? [] : units.map((one) => near.seen(one)), limit = none ? 0 : near.limit - 1 / (n - 1);
  /** @param {Unit[]} rows */
  const apart = (rows) => { const mean = STATISTICS.meanVector(rows); return rows.map((row) => row.map((value, i) => value - mean[i])); };
  const [left, right] = none ? [[], []] : [apart(units), apart(seen)];
  const lengths = left.map((one, i) => Math.sqrt(Math.max(0, STATISTICS.dot(one, right[i]))));
  return units.map((_, i) => Float64Array.from(units, (_other, j) => {
    const scale = none ? 0 : lengths[i] * lengths[j];
    return Number(i === j || (scale > 0 && STATISTICS.dot(left[i], right[j]) > limit * scale));
  }));
}

/**
 * What near copies do to the mean of a set: see Facet in Python.
 * @param {Unit[]} copies
 */
export function facetOf(copies) {
  const n = copies.length, total = STATISTICS.sumOf(copies.map(STATISTICS.sumOf)), mean = STATISTICS.meanVector(copies);
  const centred = copies.map((row) => row.map((value, j) => value - mean[j]));
  let within = 0, squared = 0;
  for (let i = 0; i < n; i++) {
    within += centred[i][i];
    for (let j = 0; j < n; j++) squared += centred[i][j] * centred[j][i];
  }
  const effective = (n * n) / total;
  if (within <= 0 || squared <= 0) return { effective, factor: 0, free: 0 }; // one word, or all of them copies of one
  return { effective, factor: total / n ** 2 / within, free: within ** 2 / squared };
}

/**
 * The words of a set that are linked as near copies: places of two and more, in their order.
 * @param {Unit[]} copies
 */
export function copyGroups(copies) {
  const group = copies.map((_, i) => i);
  for (let i = 0; i < group.length; i++) {
    for (let j = 0; j < i; j++) {
      const [one, other] = [group[i], group[j]];
      if (copies[i][j] && one !== other) group.forEach((at, k) => { if (at === Math.max(one, other)) group[k] = Math.min(one, other); });
    }
  }
  return [...new Set(group)].map((first) => group.flatMap((at, i) => (at === first ? [i] : []))).filter((some) => some.length > 1);
}
