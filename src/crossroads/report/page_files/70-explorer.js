// The explorer: change the word lists of a test and see what becomes of it. Everything is computed in the page from
// the vectors it carries; nothing is sent, and nothing is kept when the page is closed. This file holds the state,
// its history, the tools above the lists and the section; lists and results are in the files after it.

const EXPLORER_ROLES = ["x", "y", "a", "b"];
const EXPLORER_KINDS = { x: "first target", y: "second target", a: "first attribute", b: "second attribute" };
const EXPLORER_TAILS = {
  "two-sided": "two-sided", greater: "X towards A (greater)", less: "X towards B (less)", observed: "the observed side",
};
const EXPLORER_DEPTH = 500; // edits that can be undone

/** What the reader has put together; shared by all models of the page. */
const explorer = { start: null, lists: null, past: [], future: [], alternative: null, stop: null, changed: null };

/** Lists without words. */
const explorerEmpty = () => Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { title: "", words: [] }]));

/** The lists of a saved test, as far as they were measured. */
function explorerListsOf(one) {
  const { sets } = one.level1;
  return Object.fromEntries(EXPLORER_ROLES.map((role) => [role, { title: one.titles[role] ?? "", words: [...(sets[role] ?? [])] }]));
}

const explorerTitle = (lists, role) => lists[role].title.trim() || role.toUpperCase();
const explorerSame = (one, other) => EXPLORER_ROLES.every((role) =>
  one[role].words.length === other[role].words.length && one[role].words.every((word) => other[role].words.includes(word)));

/** The saved test that the lists started from, in a model: of several of one name, the same one of them. */
function explorerSaved(context) {
  const { start } = explorer, named = start ? testsOf(context).filter((one) => one.name === start.name) : [];
  return named[start?.nth] ?? named[0] ?? null;
}

/** How to test: as the saved test was, or as the first one of the audit. */
function explorerConventions(context) {
  const given = (explorerSaved(context) ?? testsOf(context)[0])?.test.conventions ?? {};
  const { ddof = 1, ties = "weak", alpha = STATISTICS.ALPHA, least_effect = STATISTICS.LEAST_EFFECT } = given;
  return { ddof, ties, alpha, least_effect, alternative: explorer.alternative ?? given.alternative ?? "two-sided" };
}

/** Begin with a saved test, or with empty lists. */
function explorerBegin(context, one) {
  const nth = one ? testsOf(context).filter((other) => other.name === one.name).indexOf(one) : 0;
  explorer.start = one ? { name: one.name, nth } : null;
  explorer.lists = one ? explorerListsOf(one) : explorerEmpty();
}

/** Keep what was before an edit, and apply it. */
function explorerEdit(change) {
  explorer.past.push({ start: explorer.start, lists: explorer.lists });
  if (explorer.past.length > EXPLORER_DEPTH) explorer.past.shift();
  explorer.future = [];
  change();
}

/** Step back (-1) or forward (1) in the history. */
function explorerStep(direction) {
  const [from, to] = direction < 0 ? [explorer.past, explorer.future] : [explorer.future, explorer.past];
  if (!from.length) return;
  to.push({ start: explorer.start, lists: explorer.lists });
  Object.assign(explorer, from.pop());
}

/** The lists with some roles replaced. */
const explorerWith = (changes) => { explorer.lists = { ...explorer.lists, ...changes }; };
const explorerSwap = (one, other) => explorerWith({ [one]: explorer.lists[other], [other]: explorer.lists[one] });

/** The lists as a design that `crossroads --design` reads; null while a list that must have words has none. */
function explorerDesign(context) {
  const { lists, start } = explorer, saved = explorerSaved(context);
  if (["x", "a", "b"].some((role) => !lists[role].words.length)) return null;
  const same = saved && explorerSame(lists, explorerListsOf(saved));
  const sets = EXPLORER_ROLES.filter((role) => lists[role].words.length)
    .map((role) => [role, { name: explorerTitle(lists, role), items: lists[role].words }]);
  const origin = start ? `Edited in the explorer of a report, starting from ${flat(start.name)}.`
    : "Put together in the explorer of a report.";
  const head = same ? { name: start.name } : { name: start ? `${start.name}-edited` : "explored", departures: [origin] };
  return { ...head, ...Object.fromEntries(sets) };
}

/** A design as TOML, whose strings know the escapes of JSON. */
function explorerToml(design) {
  const list = (words) => `[${words.map((word) => `\n  ${JSON.stringify(word)},`).join("")}\n]`;
  const lines = [`name = ${JSON.stringify(design.name)}`];
  if (design.departures) lines.push(`departures = ${list(design.departures)}`);
  for (const role of EXPLORER_ROLES) {
    if (design[role]) lines.push("", `[${role}]`, `name = ${JSON.stringify(design[role].name)}`, `items = ${list(design[role].items)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Put the design on the clipboard. */
function explorerCopy(context, kind) {
  const design = explorerDesign(context);
  if (!design) { tell("X, A and B need words before the design can be copied"); return; }
  copy(kind === "TOML" ? explorerToml(design) : `${JSON.stringify(design, null, 2)}\n`, `Design as ${kind}`);
}

/** Choice of the test to start from, of the tail, and the buttons. */
function explorerTools(context, changed) {
  const tests = testsOf(context);
  const begin = (e) => { explorerEdit(() => explorerBegin(context, tests[e.target.value])); changed(); };
  const start = el("select", { class: "start", onchange: begin }, el("option", { value: "" }, "empty lists"),
    tests.map((one, i) => el("option", { value: i }, `${one.name} (${testsQuestion(one)})`)));
  const tail = el("select", { class: "tail", onchange: (e) => { explorer.alternative = e.target.value; changed(); } },
    Object.entries(EXPLORER_TAILS).map(([value, text]) => el("option", { value }, text)));
  const button = (name, text, act, edits = true) => el("button", { type: "button", class: name, onclick: () => {
    if (edits === null) { act(); return; }
    if (edits) explorerEdit(act); else act();
    changed();
  } }, text);
  const undo = button("undo", "Undo", () => explorerStep(-1), false), redo = button("redo", "Redo", () => explorerStep(1), false);
  const reset = button("reset", "Reset", () => explorerBegin(context, explorerSaved(context)));
  const copying = (kind) => button(`copy ${kind.toLowerCase()}`, `Copy as ${kind}`, () => explorerCopy(context, kind), null);
  const tools = el("div", { class: "tools explorer-tools" },
    el("label", {}, "Start from ", start), el("label", {}, "Tail ", tail), undo, redo, reset,
    button("swap-targets", "Swap X and Y", () => explorerSwap("x", "y")),
    button("swap-attributes", "Swap A and B", () => explorerSwap("a", "b")), copying("TOML"), copying("JSON"));
  const refresh = () => {
    const at = tests.indexOf(explorerSaved(context));
    start.value = at < 0 ? "" : String(at);
    tail.value = explorerConventions(context).alternative;
    // not `disabled`, which would take the focus away from the button just pressed
    undo.setAttribute("aria-disabled", String(!explorer.past.length));
    redo.setAttribute("aria-disabled", String(!explorer.future.length));
  };
  return { tools, refresh };
}

/** Why there is nothing to explore, and how to come by it. */
const explorerAbsent = (context) => el("p", {},
  context.vectors?.absent
    ? [`This page carries no vectors to compute with: ${context.vectors.absent}. `,
      "Audit fewer models or tests at a time, or try the lists in crossroads itself, with ", el("code", {}, "--design"), "."]
    : ["This page carries no vectors to compute with, because the results that it shows were saved without them. ",
      "An audit of static vectors, run with ", el("code", {}, "crossroads audit"), ", keeps those of its words and puts them here."]);

/** What the numbers of this section are and are not. */
function explorerIntroduction(context) {
  return [
    el("p", {}, "Change the lists and see what becomes of the result. Everything is computed here, from the vectors of ",
      computed(context.vectors.words().length, { as: "whole" }), context.vectors.words().length === 1 ? " word that" : " words that this page carries."),
    el("p", { class: "explorer-caution" }, el("strong", {}, "Exploring is not testing. "),
      "The p-values here hold for lists that were fixed before any result was seen. Who tries many lists and keeps the best will ",
      "find something in any model. Use this to see how far a result depends on single words; to test a new list, copy the design, ",
      "and try it on a model that you have not looked at."),
    !context.vectors.exact && el("p", { class: "note" },
      "To keep this page small, its vectors are rounded to sixteen bits: expect about three decimals of what crossroads finds on the ",
      "whole vectors, and p-values to two digits."),
  ];
}

/** A button that opens the explorer with the lists of a test. */
const explorerButton = (context, one) => context.audit.vectors && !context.audit.vectors.absent && !one.elsewhere && el("p", {}, el("button", {
  type: "button", class: "explore", onclick: () => {
    if (explorer.lists) explorerEdit(() => explorerBegin(context, one)); else explorerBegin(context, one);
    explorer.changed?.();
    const title = document.getElementById("explorer-title");
    title.tabIndex = -1;
    title.focus({ preventScroll: true }); // who goes on with the keyboard goes on there
    document.getElementById("explorer").scrollIntoView();
  },
}, "Try other words in the explorer"));

/** Build the explorer in its place. */
function explorerMount(context, place) {
  if (!context.vectors || context.vectors.absent) { place.replaceChildren(explorerAbsent(context)); return; }
  if (!explorer.lists) explorerBegin(context, testsOf(context).find((one) => one.three) ?? testsOf(context)[0] ?? null);
  const changed = () => { lists.refresh(); bar.refresh(); results.refresh(); };
  const bar = explorerTools(context, changed), lists = explorerLists(context, changed), results = explorerResults(context);
  place.replaceChildren(...[explorerIntroduction(context), bar.tools, results.glance, lists.box, results.box].flat().filter(Boolean));
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
    const near = (entries) => { if (entries.some((one) => one.isIntersecting)) open(); };
    const watch = new IntersectionObserver(near, { rootMargin: "500px" });
    watch.observe(place);
    return place;
  },
});
