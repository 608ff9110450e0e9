// @ts-check
// Edited lists in the address of the page, so that a copied link, a new window and the back button have them.
//   x-John,x+Tom,a=work      without John and with Tom in the first group, the first attribute called "work"
//   *weat6,x-John            the same in a test of the reader's own that began with the lists of weat6

import { readAddress, writeAddress } from "../parts/address.js";
import { EXPLORER_ROLES } from "./state.js";

/**
 * What is different from the lists that were there before; nothing where only the order is.
 * @param {Lists} from
 * @param {Lists} to
 */
export const editsBetween = (from, to) => EXPLORER_ROLES.flatMap((role) => {
  const [before, after] = [new Set(from[role].words), new Set(to[role].words)];
  /**
   * @param {string} sign
   * @param {string[]} words
   */
  const signed = (sign, words) => words.map((word) => ({ role, sign, word }));
  return [
    ...signed("-", from[role].words.filter((word) => !after.has(word))), ...signed("+", to[role].words.filter((word) => !before.has(word))),
    ...signed("=", from[role].title === to[role].title ? [] : [to[role].title]),
  ];
});

/**
 * Edits as they are written in an address.
 * @param {Edit[]} edits
 */
const editsText = (edits) => edits.map(({ role, sign, word }) => `${role}${sign}${encodeURIComponent(word)}`).join(",");

/**
 * Edits that an address holds; what is no edit is left out.
 * @param {string} text
 * @returns {Edit[]}
 */
const editsOf = (text) => text.split(",").flatMap((item) => {
  const [, role, sign, word] = /^([xyab]?)([-+=*])(.*)$/.exec(item) ?? [];
  if (sign === undefined || (sign === "*") !== (role === "")) return [];
  try { return [{ role, sign, word: decodeURIComponent(word) }]; } catch { return []; }
});

/**
 * Lists after some edits.
 * @param {Lists} from
 * @param {Edit[]} edits
 */
export function editsApplied(from, edits) {
  const lists = /** @type {Lists} */ (Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { ...from[role], words: [...from[role].words] }])));
  for (const { role, sign, word } of edits) {
    const list = lists[role];
    if (sign === "=") list.title = word;
    if (sign === "-") list.words = list.words.filter((one) => one !== word);
    if (sign === "+" && word && !list.words.includes(word)) list.words.push(word);
  }
  return lists;
}

/** @type {Map<string, (edits: Edit[]) => void>} */
const PLACES = new Map();

/**
 * Have lists follow the address: at once where it is theirs, and whenever it becomes theirs.
 * @param {string} target
 * @param {(edits: Edit[]) => void} restore
 */
export function editsFollow(target, restore) {
  PLACES.set(target, restore);
  const { target: now, edits } = readAddress(location.hash);
  if (now === target && edits) restore(editsOf(edits));
}

/**
 * Put edits into the address, as a step that the back button undoes.
 * @param {string} target
 * @param {Edit[]} edits
 */
export function editsWrite(target, edits) {
  const hash = writeAddress({ ...readAddress(location.hash), target, edits: editsText(edits) });
  if (hash === location.hash) return;
  if (!history.state?.lists) history.replaceState({ ...history.state, lists: true }, ""); // where the back button ends
  history.pushState({ lists: true }, "", hash);
}

addEventListener("popstate", ({ state }) => {
  const { target, edits } = readAddress(location.hash);
  // a link to a test leaves its lists as they are; a step back, or a link with edits, does not
  if (state?.lists || edits) PLACES.get(target)?.(editsOf(edits));
});
