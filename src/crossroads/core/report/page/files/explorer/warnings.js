// @ts-check
// What is doubtful about the lists of the explorer, in words.

import { bdi, el, listed } from "../parts/elements.js";
import { computed, numbered } from "../parts/numbers.js";
import { EXPLORER_ROLES, explorerTitle } from "./state.js";

/**
 * Words that stand in two lists.
 * @param {Lists} lists
 */
function explorerShared(lists) {
  /** @type {Map<string, string[]>} */
  const where = new Map();
  for (const role of EXPLORER_ROLES) {
    for (const word of lists[role].words) where.set(word, [...(where.get(word) ?? []), role]);
  }
  return [...where].filter(([, roles]) => roles.length > 1);
}

/**
 * Words that are spelt differently and found as one vector.
 * @param {Measured["sets"]} sets
 */
function explorerTwins(sets) {
  /** @type {Map<Unit, Set<string>>} */
  const spelt = new Map();
  for (const { words, units } of Object.values(sets)) {
    words.forEach((word, i) => spelt.set(units[i], (spelt.get(units[i]) ?? new Set()).add(word)));
  }
  return [...spelt.values()].filter((words) => words.size > 1).map((words) => [...words]);
}

/**
 * Whether a word is in a target and in an attribute.
 * @param {string[]} roles
 */
const explorerMeets = (roles) => ["x", "y"].some((role) => roles.includes(role)) && ["a", "b"].some((role) => roles.includes(role));

/**
 * What is doubtful about the lists, in words.
 * @param {Lists} lists
 * @param {Measured} found
 * @param {Conventions} conventions
 */
export function explorerWarnings(lists, found, conventions) {
  const shared = explorerShared(lists), title = (/** @type {Role} */ role) => bdi(explorerTitle(lists, role));
  /** @type {Child[]} */
  const lines = [];
  /** @param {string[]} roles */
  const twice = (roles) => [" is in ", roles.map((role, i) => [i ? " and " : "", title(role)]), explorerMeets(roles)
    ? ": it counts in the attribute only, since no word is compared with itself." : ": it counts in each, and pulls them together."];
  for (const [word, roles] of shared.slice(0, 5)) lines.push([bdi(word), ...twice(roles)]);
  if (shared.length > 5) lines.push(`${numbered(shared.length - 5, "more word is", "more words are")} in several lists.`);
  const twins = explorerTwins(found.sets).slice(0, 5);
  for (const words of twins) lines.push([listed(words), " are found as one vector, which counts several times."]);
  if (found.absent.length) lines.push(["Without a vector in this model, and so left out here: ", listed(found.absent, 8), "."]);
  for (const role of EXPLORER_ROLES) {
    const n = found.sets[role].units.length;
    if (n < 2) lines.push([title(role), ` has ${n ? "one word" : "no words"}; the three levels need at least two in every list.`]);
  }
  for (const [key, tested] of Object.entries(found.tested)) {
    if (tested.now.min_pvalue < conventions.alpha) continue;
    const what = key === "level1" ? "targets" : "attributes";
    lines.push([`The ${what} have so few words that p cannot fall below `, computed(tested.now.min_pvalue, { as: "p" }),
      key === "level1" ? "." : [" for ", title(key), "."]]);
  }
  return lines.length ? el("ul", { class: "explorer-warnings" }, lines.map((line) => el("li", {}, line))) : null;
}
