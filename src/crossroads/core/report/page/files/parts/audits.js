// @ts-check
// The data of the page, and one context for each of its audits and of the comparisons between them.

import { byId } from "./elements.js";
import { openVectors } from "./vectors.js";

/** @type {Data} */
export const data = JSON.parse(byId("data").textContent ?? "");
/** What has results: the models in order, then what compares them. */
const holders = [...data.audits, ...data.comparisons];
/** @type {Map<number, Context>} */
const contexts = new Map();

/**
 * What a view gets: the audit chosen, its document, and ways to find results in it.
 *   of(type)   [{result, path, name}] of every result of a type, `path` being its JSON pointer
 *   vectors    null, or {unit: word => Float64Array | null, words, has, exact, absent}
 * @param {number} index
 * @returns {Context}
 */
export function contextOf(index) {
  if (!contexts.has(index)) {
    const audit = holders[index];
    /** @type {Called[]} */
    const all = audit.document.results.map((result, i) => ({ result, path: `/results/${i}`, name: audit.document.names[i] }));
    /** @type {Vectors | null | undefined} */
    let opened;
    contexts.set(index, {
      index, audit, data, document: audit.document, histograms: audit.histograms,
      of: (type) => all.filter(({ result }) => result.type === type),
      get vectors() { return (opened ??= openVectors(audit.vectors)); },
    });
  }
  return /** @type {Context} */ (contexts.get(index));
}

/** A context for each model of the page. */
export const modelContexts = () => data.audits.map((_, i) => contextOf(i));
/** A context for each comparison that belongs to none of the models. */
export const comparisonContexts = () => data.comparisons.map((_, i) => contextOf(data.audits.length + i));

/**
 * The model of an audit; with its number where several bear the name.
 * @param {number} index
 * @returns {string}
 */
export function named(index) {
  const names = data.audits.map((one) => one.document.model), name = names[index];
  return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${index + 1})`;
}
