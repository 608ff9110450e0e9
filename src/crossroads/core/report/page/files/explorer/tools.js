// @ts-check
// What can be done to the lists of a desk as a whole: undo, swap, another tail, and take the design away.

import { data } from "../parts/audits.js";
import { copy, el, tell } from "../parts/elements.js";
import { flat } from "../parts/tables.js";
import { testsOf, testsQuestion } from "../tests/entries.js";
import {
  EXPLORER_ROLES, explorerBegin, explorerConventions, explorerEdit, explorerListsOf, explorerSame, explorerSaved, explorerStep, explorerSwap,
  explorerTitle,
} from "./state.js";

/**
 * The lists as a design that `crossroads --design` reads; null while a list that must have words has none.
 * @param {Desk} desk
 * @param {Context} context
 */
function explorerDesign(desk, context) {
  const { lists, start } = desk, saved = explorerSaved(desk, context);
  if (["x", "a", "b"].some((role) => !lists[role].words.length)) return null;
  const same = saved && explorerSame(lists, explorerListsOf(saved));
  const sets = EXPLORER_ROLES.filter((role) => lists[role].words.length)
    .map((role) => [role, { name: explorerTitle(lists, role), items: lists[role].words }]);
  const origin = start ? `Edited in the explorer of a report, starting from ${flat(start.name)}.`
    : "Put together in the explorer of a report.";
  const head = same && start ? { name: start.name } : { name: start ? `${start.name}-edited` : "explored", departures: [origin] };
  return { ...head, ...Object.fromEntries(sets) };
}

/**
 * A design as TOML, whose strings know the escapes of JSON.
 * @param {Json} design
 */
function explorerToml(design) {
  /** @param {string[]} words */
  const list = (words) => `[${words.map((word) => `\n  ${JSON.stringify(word)},`).join("")}\n]`;
  const lines = [`name = ${JSON.stringify(design.name)}`];
  if (design.departures) lines.push(`departures = ${list(design.departures)}`);
  for (const role of EXPLORER_ROLES) {
    if (design[role]) lines.push("", `[${role}]`, `name = ${JSON.stringify(design[role].name)}`, `items = ${list(design[role].items)}`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * Put the design on the clipboard.
 * @param {Desk} desk
 * @param {Context} context
 * @param {"TOML" | "JSON"} kind
 */
function explorerCopy(desk, context, kind) {
  const design = explorerDesign(desk, context);
  if (!design) { tell("A group and both attributes need words before the design can be copied"); return; }
  copy(kind === "TOML" ? explorerToml(design) : `${JSON.stringify(design, null, 2)}\n`, `Design as ${kind}`);
}

/**
 * A button that changes the lists, as an edit that can be undone or (`edits` false) as a step of the history.
 * @param {Desk} desk
 * @param {() => void} changed
 */
const explorerButtons = (desk, changed) => (/** @type {string} */ name, /** @type {Child} */ text, /** @type {() => void} */ act, edits = true) =>
  el("button", { type: "button", class: name, onclick: () => { if (edits) explorerEdit(desk, act); else act(); changed(); } }, text);

/**
 * Undo, redo, reset.
 * @param {Desk} desk
 * @param {Context} context
 * @param {() => void} changed
 */
export function explorerHistory(desk, context, changed) {
  const button = explorerButtons(desk, changed);
  const undo = button("undo", "Undo", () => explorerStep(desk, -1), false), redo = button("redo", "Redo", () => explorerStep(desk, 1), false);
  const reset = button("reset", "Reset", () => explorerBegin(desk, context, explorerSaved(desk, context)));
  return { buttons: [undo, redo, reset], refresh: () => {
    // not `disabled`, which would take the focus away from the button just pressed
    undo.setAttribute("aria-disabled", String(!desk.past.length));
    redo.setAttribute("aria-disabled", String(!desk.future.length));
  } };
}

/**
 * Choice of the tail, and what concerns whole lists; for a reader's own test also what to start from.
 * @param {Desk} desk
 * @param {Context} context
 * @param {() => void} changed
 * @param {boolean} own
 */
export function explorerTools(desk, context, changed, own) {
  const tests = testsOf(context), button = explorerButtons(desk, changed);
  const start = el("select", { class: "start", onchange: (e) => { explorerEdit(desk, () => explorerBegin(desk, context, tests[e.target.value] ?? null)); changed(); } }, el("option", { value: "" }, "empty lists"),
    tests.map((one, i) => el("option", { value: i }, `${one.name} (${testsQuestion(one)})`)));
  const tail = el("select", { class: "tail", onchange: (e) => { desk.alternative = e.target.value; changed(); } },
    Object.entries(data.phrases.told_tails).map(([value, text]) => el("option", { value }, text)));
  /** @param {"TOML" | "JSON"} kind */
  const copying = (kind) => el("button", { type: "button", class: `copy ${kind.toLowerCase()}`, onclick: () => explorerCopy(desk, context, kind) }, `Copy as ${kind}`);
  const tools = el("div", { class: "tools explorer-tools" },
    own && el("label", {}, "Start from ", start), el("label", {}, "Tail ", tail),
    button("swap-targets", "Swap the groups", () => explorerSwap(desk, "x", "y")),
    button("swap-attributes", "Swap the attributes", () => explorerSwap(desk, "a", "b")), copying("TOML"), copying("JSON"));
  const refresh = () => {
    const at = tests.findIndex((one) => one === explorerSaved(desk, context));
    start.value = at < 0 ? "" : String(at);
    tail.value = explorerConventions(desk, context).alternative;
  };
  return { tools, refresh };
}
