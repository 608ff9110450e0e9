// @ts-check
// The explorer: change the word lists of a test and see what becomes of it. Everything is computed in the page from
// the vectors it carries; nothing is sent, and nothing is kept when the page is closed. This file holds the tools
// above the lists and the section; the state is in state.js, lists and results are in lists.js and results.js.

import { data } from "../parts/audits.js";
import { byId, copy, el, tell } from "../parts/elements.js";
import { computed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { view } from "../parts/views.js";
import { testsOf, testsQuestion } from "../tests/entries.js";
import { explorerLists } from "./lists.js";
import { explorerResults } from "./results.js";
import {
  explorer, EXPLORER_ROLES, explorerBegin, explorerConventions, explorerEdit, explorerListsOf, explorerSame,
  explorerSaved, explorerStep, explorerSwap, explorerTitle,
} from "./state.js";

/**
 * The lists as a design that `crossroads --design` reads; null while a list that must have words has none.
 * @param {Context} context
 */
function explorerDesign(context) {
  const { lists, start } = explorer, saved = explorerSaved(context);
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
 * @param {Context} context
 * @param {"TOML" | "JSON"} kind
 */
function explorerCopy(context, kind) {
  const design = explorerDesign(context);
  if (!design) { tell("X, A and B need words before the design can be copied"); return; }
  copy(kind === "TOML" ? explorerToml(design) : `${JSON.stringify(design, null, 2)}\n`, `Design as ${kind}`);
}

/**
 * Choice of the test to start from, of the tail, and the buttons.
 * @param {Context} context
 * @param {() => void} changed
 */
function explorerTools(context, changed) {
  const tests = testsOf(context);
  const start = el("select", { class: "start", onchange: (e) => { explorerEdit(() => explorerBegin(context, tests[e.target.value] ?? null)); changed(); } }, el("option", { value: "" }, "empty lists"),
    tests.map((one, i) => el("option", { value: i }, `${one.name} (${testsQuestion(one)})`)));
  const tail = el("select", { class: "tail", onchange: (e) => { explorer.alternative = e.target.value; changed(); } },
    Object.entries(data.phrases.told_tails).map(([value, text]) => el("option", { value }, text)));
  /**
   * @param {string} name
   * @param {string} text
   * @param {() => void} act
   * @param {boolean | null} [edits]
   */
  const button = (name, text, act, edits = true) => el("button", { type: "button", class: name, onclick: () => {
    if (edits === null) { act(); return; }
    if (edits) explorerEdit(act); else act();
    changed();
  } }, text);
  const undo = button("undo", "Undo", () => explorerStep(-1), false), redo = button("redo", "Redo", () => explorerStep(1), false);
  const reset = button("reset", "Reset", () => explorerBegin(context, explorerSaved(context)));
  /** @param {"TOML" | "JSON"} kind */
  const copying = (kind) => button(`copy ${kind.toLowerCase()}`, `Copy as ${kind}`, () => explorerCopy(context, kind), null);
  const tools = el("div", { class: "tools explorer-tools" },
    el("label", {}, "Start from ", start), el("label", {}, "Tail ", tail), undo, redo, reset,
    button("swap-targets", "Swap X and Y", () => explorerSwap("x", "y")),
    button("swap-attributes", "Swap A and B", () => explorerSwap("a", "b")), copying("TOML"), copying("JSON"));
  const refresh = () => {
    const at = tests.findIndex((one) => one === explorerSaved(context));
    start.value = at < 0 ? "" : String(at);
    tail.value = explorerConventions(context).alternative;
    // not `disabled`, which would take the focus away from the button just pressed
    undo.setAttribute("aria-disabled", String(!explorer.past.length));
    redo.setAttribute("aria-disabled", String(!explorer.future.length));
  };
  return { tools, refresh };
}

/**
 * Why there is nothing to explore, and how to come by it.
 * @param {Context} context
 */
const explorerAbsent = (context) => el("p", {},
  context.vectors?.absent
    ? [`This page contains no vectors to compute with: ${context.vectors.absent}. `,
      "Audit fewer models or tests at a time, or try the lists in crossroads itself, with ", el("code", {}, "--design"), "."]
    : ["This page contains no vectors to compute with, because its results were saved without them. ",
      "An audit of static vectors, run with ", el("code", {}, "crossroads audit"), ", saves those of its words and includes them here."]);

/**
 * What the numbers of this section are and are not.
 * @param {Vectored} context
 */
function explorerIntroduction(context) {
  return [
    el("p", {}, "Edit the lists and see how the result changes. Everything is computed here, from the vectors of ",
      computed(context.vectors.words().length, { as: "whole" }), context.vectors.words().length === 1 ? " word that" : " words that this page contains."),
    el("p", { class: "explorer-caution" }, el("strong", {}, "Exploring is not testing. "),
      "The p-values here hold for lists that were fixed before any result was seen. Trying many lists and keeping the best will ",
      "find something in any model. Use this to see how far a result depends on single words; to test a new list, copy the design, ",
      "and test it on a model that you have not explored."),
    !context.vectors.exact && el("p", { class: "note" },
      "To keep this page small, its vectors are rounded to sixteen bits: expect agreement to about three decimals with crossroads on the ",
      "full vectors, and to two digits of p-values."),
  ];
}

/**
 * A button that opens the explorer with the lists of a test.
 * @param {Context} context
 * @param {TestEntry} one
 */
export const explorerButton = (context, one) => context.audit.vectors && !context.audit.vectors.absent && !one.elsewhere && el("p", {}, el("button", {
  type: "button", class: "explore", onclick: () => {
    if (explorer.lists) explorerEdit(() => explorerBegin(context, one)); else explorerBegin(context, one);
    explorer.changed?.();
    const title = byId("explorer-title");
    title.tabIndex = -1;
    title.focus({ preventScroll: true }); // who goes on with the keyboard goes on there
    byId("explorer").scrollIntoView();
  },
}, "Try other words in the explorer"));

/**
 * Build the explorer in its place.
 * @param {Context} context
 * @param {HTMLElement} place
 */
function explorerMount(context, place) {
  if (!context.vectors || context.vectors.absent) { place.replaceChildren(explorerAbsent(context)); return; }
  if (!explorer.lists) explorerBegin(context, testsOf(context).find((one) => one.three) ?? testsOf(context)[0] ?? null);
  const changed = () => { lists.refresh(); bar.refresh(); results.refresh(); };
  const able = /** @type {Vectored} */ (context);
  const bar = explorerTools(able, changed), lists = explorerLists(able, changed), results = explorerResults(able);
  place.replaceChildren(...[explorerIntroduction(able), bar.tools, results.glance, lists.box, results.box].flat().filter(Boolean));
  explorer.changed = changed;
  changed();
}

view({
  id: "explorer", title: "Explorer", order: 70,
  applies: (context) => Boolean(context.audit.vectors) || testsOf(context).length > 0,
  build(context) {
    // vectors are unpacked when the reader comes near: large pages open quickly
    const open = () => {
      watch.disconnect();
      if (!place.isConnected || place.dataset.open) return;
      place.dataset.open = "yes";
      explorerMount(context, place);
    };
    const place = el("div", { class: "explorer" }, el("p", {}, el("button", { type: "button", onclick: open }, "Open the explorer")));
    /** @param {IntersectionObserverEntry[]} entries */
    const near = (entries) => { if (entries.some((one) => one.isIntersecting)) open(); };
    const watch = new IntersectionObserver(near, { rootMargin: "500px" });
    watch.observe(place);
    return place;
  },
});
