// @ts-check
// Near copies among the words of a set, such as plurals: the formulas are those of crossroads.core.inference.copies.

import { STATISTICS } from "./statistics.js";

/** What was found of a list of vectors, which is asked for several times. @type {WeakMap<Unit[], number[][]>} */
const FOUND = new WeakMap();

/**
 * The places of the near copies of each word of a set, its own among them; see near_copies in Python.
 * @param {Unit[]} units
 * @param {Near | null} near null where every word counts as independent
 * @returns {number[][]}
 */
export function nearCopies(units, near) {
  const n = units.length;
  if (n < 3 || !near) return units.map((_, i) => [i]);
  const known = FOUND.get(units), limit = near.limit - 1 / (n - 1), copies = units.map((_, i) => [i]);
  if (known) return known;
  /** @param {Unit[]} rows */
  const apart = (rows) => { const mean = STATISTICS.meanVector(rows); return rows.map((row) => row.map((value, i) => value - mean[i])); };
  const left = apart(units), right = apart(units.map(near.seen)), lengths = left.map((one, i) => Math.sqrt(Math.max(0, STATISTICS.dot(one, right[i]))));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const scale = lengths[i] * lengths[j];
      if (scale > 0 && STATISTICS.dot(left[i], right[j]) > limit * scale) { copies[i].push(j); copies[j].push(i); }
    }
  }
  FOUND.set(units, copies);
  return copies;
}

/**
 * What near copies do to the mean of a set: see Facet in Python. Traces follow from how many copies each word has.
 * @param {number[][]} copies
 */
export function facetOf(copies) {
  const n = copies.length, each = copies.map((one) => one.length), total = STATISTICS.sumOf(each), effective = (n * n) / total;
  const within = n - total / n, squared = total - (2 * STATISTICS.sumOf(each.map((one) => one * one))) / n + (total / n) ** 2;
  if (within <= 0 || squared <= 0) return { effective, factor: 0, free: 0 }; // one word, or all of them copies of one
  return { effective, factor: total / n ** 2 / within, free: within ** 2 / squared };
}

/**
 * The words of a set that are linked as near copies: places of two and more, in their order.
 * @param {number[][]} copies
 */
export function copyGroups(copies) {
  const left = new Set(copies.keys()), groups = [];
  for (const first of left) {
    const group = [first];
    left.delete(first);
    for (const at of group) for (const other of copies[at]) if (left.delete(other)) group.push(other);
    if (group.length > 1) groups.push(group.sort((one, other) => one - other));
  }
  return groups;
}
