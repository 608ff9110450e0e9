// @ts-check
// The page itself: heading, choice of model, contents, and the sections that the views of other files build; and its address.

import { chartsFit } from "./charts/charts.js";
import { furnish } from "./charts/saved.js";
import { statusStrip } from "./findings/status.js";
import { readAddress, writeAddress } from "./parts/address.js";
import { contextOf, data, named } from "./parts/audits.js";
import { bdi, byId, el, say, tell } from "./parts/elements.js";
import { menu } from "./parts/menu.js";
import { placeKept, placeNamed, placeOpen, placeReopen, placeReveal } from "./parts/place.js";
import { namedParts, VIEWS } from "./parts/views.js";
import { adjustedPs, crossedTest, welchTest } from "./statistics/crossed.js";
import { permutationSteps, permutationTest } from "./statistics/permutation.js";
import { STATISTICS } from "./statistics/statistics.js";
import "./findings/findings.js";
import "./tests/overview.js";
import "./tests/tests.js";
import "./intersections/detections.js";
import "./sections/geometry.js";
import "./sections/contexts.js";
import "./traits/traits.js";
import "./sections/comparison.js";
import "./sections/reproduction.js";
import "./explorer/explorer.js";
import "./sections/methods.js";
import "./sections/others.js";

const state = { audit: 0, target: "" };

const views = () => VIEWS.filter((view) => view.applies(contextOf(state.audit), data)).sort((a, b) => a.order - b.order);

/**
 * Show another model, with the same parts open.
 * @param {number} index
 */
function choose(index) {
  if (index === state.audit) return;
  leave();
  const restore = placeKept();
  state.audit = index;
  draw();
  restore();
  arrived("pushState");
  say(`showing ${data.audits[index].document.model}`);
}

function heading() {
  const many = data.audits.length > 1;
  const { document: doc } = data.audits[state.audit];
  const theme = el("button", { type: "button", class: "theme", "aria-pressed": "false" }, "Dark");
  const dark = () => document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const pressed = () => { theme.setAttribute("aria-pressed", String(dark())); };
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; pressed(); });
  pressed();
  return [
    el("div", { class: "bar" }, el("p", { class: "brand" }, "crossroads"), theme, printing()),
    el("h1", {}, bdi(data.title)),
    many
      ? el("p", {}, el("label", {}, "Model ", el("select", { id: "model", onchange: (e) => choose(Number(e.target.value)) },
        data.audits.map((_, i) => el("option", { value: i, selected: i === state.audit }, named(i))))))
      : null,
    el("p", { class: "lead" }, `What associations about people did ${data.kinds[doc.kind] ?? doc.kind} learn, and how sure can we be?`),
    statusStrip(contextOf(state.audit)),
  ];
}

/** Two ways to print: the findings, with what is open; or everything. */
const printing = () => menu("Print", [
  ["Print the findings and what is open", () => print()],
  ["Print with everything open", () => {
    const open = placeOpen();
    openAll();
    document.documentElement.dataset.print = "all";
    addEventListener("afterprint", () => { delete document.documentElement.dataset.print; placeReopen(open, { only: true }); }, { once: true });
    print();
  }],
], { text: "Print" });

/** Open everything, also what only comes to light by opening; at once, because printing does not wait. */
function openAll() {
  let closed;
  do {
    closed = [.../** @type {NodeListOf<Opening>} */ (document.querySelectorAll("#main details:not([open])"))];
    for (const one of closed) { one.open = true; one.make?.(); }
  } while (closed.length);
}

function draw() {
  const context = contextOf(state.audit), shown = views();
  byId("head").replaceChildren(...heading().filter(Boolean));
  byId("nav").replaceChildren(el("ul", {}, shown.map((view) => el("li", {}, el("a", { href: `#${view.id}` }, view.title)))));
  byId("main").replaceChildren(...shown.map((view) => {
    const section = el("section", { id: view.id, "aria-labelledby": `${view.id}-title`, "data-printed": view.printed && "yes" },
      el("h2", { id: `${view.id}-title` }, view.title));
    section.append(... /** @type {any[]} */ ([view.build(context, data)]).flat(Infinity).filter(Boolean));
    return section;
  }));
  byId("foot").replaceChildren(el("p", {},
    "The report says association for what is measured; bias is an interpretation of it. There is no overall score, because it would have no meaning."));
  namedParts();
  furnish(byId("main"));
  chartsFit();
  watched.disconnect();
  for (const section of byId("main").children) watched.observe(section);
}

/** The section that is being read, marked in the contents. */
const watched = new IntersectionObserver((entries) => {
  const now = entries.filter((one) => one.isIntersecting).pop()?.target.id;
  if (!now) return;
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#nav a"))) {
    const here = link.getAttribute("href") === `#${now}`, list = link.closest("ul");
    if (here) { link.setAttribute("aria-current", "location"); list?.scrollTo({ left: link.offsetLeft - list.clientWidth / 3 }); } else link.removeAttribute("aria-current");
  }
}, { rootMargin: "-25% 0px -74% 0px" });

/** Keep where the reader is with the step of the history that is about to be left. */
const leave = () => remember("replaceState", location.href);

/**
 * @param {"pushState" | "replaceState"} how
 * @param {string} address
 */
function remember(how, address) {
  const kept = how === "replaceState" ? history.state : null; // other files keep theirs there, too
  try { history[how]({ ...kept, open: placeOpen(), top: scrollY }, "", address); } catch { /* a frame that may not change its address */ }
}

/**
 * Write model and part into the address; edits stay with the part that they belong to.
 * @param {"pushState" | "replaceState"} how
 * @param {string} [to]
 */
function arrived(how, to) {
  const now = readAddress(location.hash), target = to ?? (placeNamed(now.target) ? now.target : "");
  remember(how, writeAddress({ target, model: data.audits.length > 1 ? named(state.audit) : null, edits: target === now.target ? now.edits : "" }));
  state.target = target;
}

/**
 * Show the model that an address names, if it is not shown already.
 * @param {string | null} model
 */
function show(model) {
  const index = data.audits.findIndex((_, i) => named(i) === model);
  if (index < 0 && model !== null) tell(`There is no model ${model} in this report.`);
  if (index < 0 || index === state.audit) return;
  state.audit = index;
  draw();
}

/** Open what the address names, and go there. */
function follow() {
  const { model, target } = readAddress(location.hash), open = placeOpen();
  show(model);
  placeReopen(open);
  const found = placeNamed(target);
  if (target && !found) tell(`There is no part ${target} in this report.`);
  placeReveal(found);
  chartsFit();
  if (target !== state.target) found?.scrollIntoView(); // an edit of its lists leaves the reader where they are
  if (location.hash) arrived("replaceState", /** @type {Opening | null} */ (found)?.dataset.part);
}

/** A step back or forward in the history, or the page read again: show what was shown then. */
function returned() {
  const { open, top, lists } = history.state, { model, target } = readAddress(location.hash);
  show(model ?? named(0));
  placeReopen(open, { only: true });
  chartsFit();
  if (!lists || target !== state.target) scrollTo({ top });
  state.target = target;
}

draw();
history.scrollRestoration = "manual"; // parts are opened first
if (history.state?.open) returned(); else follow();
addEventListener("popstate", () => { if (history.state?.open) returned(); else follow(); });
addEventListener("pagehide", leave);
// before whatever else a link does
addEventListener("click", ({ target }) => { if (target instanceof Element && target.closest("a[href^='#']")) { leave(); state.target = ""; } }, true);
addEventListener("click", (event) => {
  const target = /** @type {Partial<Element> | null} */ (event.target), link = target?.closest?.("a[href^='#']"), summary = target?.closest?.("#main summary");
  const part = /** @type {HTMLDetailsElement | null | undefined} */ (summary?.parentElement);
  if (link) {
    // a link to where the address leads already changes no address
    if (link.getAttribute("href") === location.hash) follow();
  } else if (part && !event.defaultPrevented && !part.matches(".meaning") && !part.parentElement?.closest("details")) {
    // its state changes after this event
    const { target: here } = readAddress(location.hash), name = (namedParts(), part.dataset.part);
    if (!part.open) { leave(); part.addEventListener("toggle", () => arrived("pushState", name), { once: true }); }
    else if (here === name) part.addEventListener("toggle", () => arrived("replaceState", ""), { once: true });
  }
});
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof HTMLElement) furnish(node);
}).observe(byId("main"), { subtree: true, childList: true });
document.documentElement.dataset.ready = "yes";
window.crossroads = { data, contextOf, choose, ...STATISTICS, permutationSteps, permutationTest, crossedTest, adjustedPs, welchTest, readAddress, writeAddress };
