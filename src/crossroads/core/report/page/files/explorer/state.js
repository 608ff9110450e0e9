// @ts-check
// What a reader has put together: the lists, where they started from, and the history of edits.

import { STATISTICS } from "../statistics/statistics.js";
import { testsOf } from "../tests/entries.js";

export const EXPLORER_ROLES = ["x", "y", "a", "b"];
/** @type {Record<Role, string>} */
export const EXPLORER_KINDS = { x: "first group", y: "second group", a: "first attribute", b: "second attribute" };
const EXPLORER_DEPTH = 500; // edits that can be undone

/** Lists without words. */
export const explorerEmpty = () => Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { title: "", words: [] }]));

/**
 * A place to edit lists at: each test of the page has one, and so has the test that a reader makes.
 * @returns {Desk}
 */
const explorerDesk = () => ({ start: null, lists: explorerEmpty(), past: [], future: [], alternative: null, stop: null, changed: null });

/** The desk of a test of the reader's own; shared by all models of the page, as are those of tests. */
export const explorerOwn = explorerDesk();
/** @type {Map<string, Desk>} */
const DESKS = new Map();

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
 * What a list stands for, in words.
 * @param {Lists} lists
 * @param {Role} role
 */
export const explorerTitle = (lists, role) => lists[role].title.trim() || EXPLORER_KINDS[role];
/**
 * @param {Lists} one
 * @param {Lists} other
 */
export const explorerSame = (one, other) => EXPLORER_ROLES.every((role) =>
  one[role].words.length === other[role].words.length && one[role].words.every((word) => other[role].words.includes(word)));

/**
 * Which of the tests of its name one is.
 * @param {Context} context
 * @param {TestEntry} one
 */
const explorerNth = (context, one) => Math.max(0, testsOf(context).filter((other) => other.name === one.name).indexOf(one));

/**
 * The desk of a saved test, with its lists.
 * @param {Context} context
 * @param {TestEntry} one
 */
export function explorerDeskOf(context, one) {
  const key = `${explorerNth(context, one)} ${one.name}`;
  if (!DESKS.has(key)) {
    const desk = explorerDesk();
    explorerBegin(desk, context, one);
    DESKS.set(key, desk);
  }
  return /** @type {Desk} */ (DESKS.get(key));
}

/**
 * The saved test that the lists started from, in a model: of several of one name, the same one of them.
 * @param {Desk} desk
 * @param {Context} context
 * @returns {TestEntry | null}
 */
export function explorerSaved({ start }, context) {
  const named = start ? testsOf(context).filter((one) => one.name === start.name) : [];
  return named[start?.nth ?? 0] ?? named[0] ?? null;
}

/**
 * How to test: as the saved test was, or as the first one of the audit.
 * @param {Desk} desk
 * @param {Context} context
 * @returns {Conventions}
 */
export function explorerConventions(desk, context) {
  const given = (explorerSaved(desk, context) ?? testsOf(context)[0])?.test.conventions ?? {};
  const { ddof = 1, ties = "weak", alpha = STATISTICS.ALPHA, least_effect = STATISTICS.LEAST_EFFECT, words = "effective" } = given;
  return { ddof, ties, alpha, least_effect, words, alternative: desk.alternative ?? given.alternative ?? "two-sided" };
}

/**
 * Begin with a saved test, or with empty lists.
 * @param {Desk} desk
 * @param {Context} context
 * @param {TestEntry | null} one
 */
export function explorerBegin(desk, context, one) {
  desk.start = one ? { name: one.name, nth: explorerNth(context, one) } : null;
  desk.lists = one ? explorerListsOf(one) : explorerEmpty();
}

/**
 * Keep what was before an edit, and apply it.
 * @param {Desk} desk
 * @param {() => void} change
 */
export function explorerEdit(desk, change) {
  desk.past.push({ start: desk.start, lists: desk.lists });
  if (desk.past.length > EXPLORER_DEPTH) desk.past.shift();
  desk.future = [];
  change();
}

/**
 * Step back (-1) or forward (1) in the history.
 * @param {Desk} desk
 * @param {-1 | 1} direction
 */
export function explorerStep(desk, direction) {
  const [from, to] = direction < 0 ? [desk.past, desk.future] : [desk.future, desk.past];
  if (!from.length) return;
  to.push({ start: desk.start, lists: desk.lists });
  Object.assign(desk, from.pop());
}

/**
 * The lists with some roles replaced.
 * @param {Desk} desk
 * @param {Partial<Lists>} changes
 */
export const explorerWith = (desk, changes) => { desk.lists = /** @type {Lists} */ ({ ...desk.lists, ...changes }); };
/**
 * The words of one list, replaced.
 * @param {Desk} desk
 * @param {Role} role
 * @param {string[]} words
 */
export const explorerPut = (desk, role, words) => explorerWith(desk, { [role]: { ...desk.lists[role], words } });
/**
 * @param {Desk} desk
 * @param {Role} one
 * @param {Role} other
 */
export const explorerSwap = (desk, one, other) => explorerWith(desk, { [one]: desk.lists[other], [other]: desk.lists[one] });
