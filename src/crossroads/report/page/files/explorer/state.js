// @ts-check
// What the reader of the explorer has put together: the lists, where they started from, and the history of edits.

import { STATISTICS } from "../statistics/statistics.js";
import { testsOf } from "../tests/entries.js";

export const EXPLORER_ROLES = ["x", "y", "a", "b"];
/** @type {Record<Role, string>} */
export const EXPLORER_KINDS = { x: "first target", y: "second target", a: "first attribute", b: "second attribute" };
const EXPLORER_DEPTH = 500; // edits that can be undone

/**
 * What the reader has put together; shared by all models of the page.
 * @type {Explorer}
 */
export const explorer = { start: null, lists: /** @type {any} */ (null), past: [], future: [], alternative: null, stop: null, changed: null };

/** Lists without words. */
const explorerEmpty = () => Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { title: "", words: [] }]));

/**
 * The lists of a saved test, as far as they were measured.
 * @param {TestEntry} one
 * @returns {Lists}
 */
export function explorerListsOf(one) {
  const { sets } = one.level1;
  return Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { title: one.titles[role] ?? "", words: [...(sets[role] ?? [])] }]));
}

/**
 * @param {Lists} lists
 * @param {Role} role
 */
export const explorerTitle = (lists, role) => lists[role].title.trim() || role.toUpperCase();
/**
 * @param {Lists} one
 * @param {Lists} other
 */
export const explorerSame = (one, other) => EXPLORER_ROLES.every((role) =>
  one[role].words.length === other[role].words.length && one[role].words.every((word) => other[role].words.includes(word)));

/**
 * The saved test that the lists started from, in a model: of several of one name, the same one of them.
 * @param {Context} context
 * @returns {TestEntry | null}
 */
export function explorerSaved(context) {
  const { start } = explorer, named = start ? testsOf(context).filter((one) => one.name === start.name) : [];
  return named[start?.nth ?? 0] ?? named[0] ?? null;
}

/**
 * How to test: as the saved test was, or as the first one of the audit.
 * @param {Context} context
 * @returns {Conventions}
 */
export function explorerConventions(context) {
  const given = (explorerSaved(context) ?? testsOf(context)[0])?.test.conventions ?? {};
  const { ddof = 1, ties = "weak", alpha = STATISTICS.ALPHA, least_effect = STATISTICS.LEAST_EFFECT } = given;
  return { ddof, ties, alpha, least_effect, alternative: explorer.alternative ?? given.alternative ?? "two-sided" };
}

/**
 * Begin with a saved test, or with empty lists.
 * @param {Context} context
 * @param {TestEntry | null} one
 */
export function explorerBegin(context, one) {
  const nth = one ? testsOf(context).filter((other) => other.name === one.name).indexOf(one) : 0;
  explorer.start = one ? { name: one.name, nth } : null;
  explorer.lists = one ? explorerListsOf(one) : explorerEmpty();
}

/**
 * Keep what was before an edit, and apply it.
 * @param {() => void} change
 */
export function explorerEdit(change) {
  explorer.past.push({ start: explorer.start, lists: explorer.lists });
  if (explorer.past.length > EXPLORER_DEPTH) explorer.past.shift();
  explorer.future = [];
  change();
}

/**
 * Step back (-1) or forward (1) in the history.
 * @param {-1 | 1} direction
 */
export function explorerStep(direction) {
  const [from, to] = direction < 0 ? [explorer.past, explorer.future] : [explorer.future, explorer.past];
  if (!from.length) return;
  to.push({ start: explorer.start, lists: explorer.lists });
  Object.assign(explorer, from.pop());
}

/**
 * The lists with some roles replaced.
 * @param {Partial<Lists>} changes
 */
export const explorerWith = (changes) => { explorer.lists = /** @type {Lists} */ ({ ...explorer.lists, ...changes }); };
/**
 * @param {Role} one
 * @param {Role} other
 */
export const explorerSwap = (one, other) => explorerWith({ [one]: explorer.lists[other], [other]: explorer.lists[one] });
