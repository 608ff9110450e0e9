// @ts-check
// The page itself: heading, choice of model, contents, and the sections that the views of other files build.

import { statusStrip } from "./findings/status.js";
import { contextOf, data, named } from "./parts/audits.js";
import { bdi, byId, el, say } from "./parts/elements.js";
import { VIEWS } from "./parts/views.js";
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

const state = { audit: 0 };

const views = () => VIEWS.filter((view) => view.applies(contextOf(state.audit), data)).sort((a, b) => a.order - b.order);

/** @param {number} index */
function choose(index) {
  const choosing = document.activeElement?.id === "model";
  state.audit = index;
  draw();
  if (choosing) byId("model").focus(); // the choice was made anew with the page
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
    el("div", { class: "bar" }, el("p", { class: "brand" }, "crossroads"), theme,
      el("button", { type: "button", class: "printing", onclick: () => { openAll(); print(); } }, "Print with everything open")),
    el("h1", {}, bdi(data.title)),
    many
      ? el("p", {}, el("label", {}, "Model ", el("select", { id: "model", onchange: (e) => choose(Number(e.target.value)) },
        data.audits.map((_, i) => el("option", { value: i, selected: i === state.audit }, named(i))))))
      : null,
    el("p", { class: "lead" }, `What associations about people did ${data.kinds[doc.kind] ?? doc.kind} learn, and how sure can we be?`),
    statusStrip(contextOf(state.audit)),
  ];
}

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
    const section = el("section", { id: view.id, "aria-labelledby": `${view.id}-title` }, el("h2", { id: `${view.id}-title` }, view.title));
    section.append(... /** @type {any[]} */ ([view.build(context, data)]).flat(Infinity).filter(Boolean));
    return section;
  }));
  byId("foot").replaceChildren(el("p", {},
    "The report says association for what is measured; bias is an interpretation of it. There is no overall score, because it would have no meaning."));
}

/** Open what a link points to, and go there. */
function follow() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* not an address of this page: look for it as it is written */ }
  const target = document.getElementById(name);
  for (let one = target; one; one = one.parentElement) if (one instanceof HTMLDetailsElement) one.open = true;
  target?.scrollIntoView();
}

draw();
follow();
addEventListener("hashchange", follow);
addEventListener("click", (event) => {
  // a link to where the address leads already changes no address
  const target = /** @type {Partial<Element> | null} */ (event.target);
  if (target?.closest?.("a[href^='#']")?.getAttribute("href") === location.hash) follow();
});
document.documentElement.dataset.ready = "yes";
window.crossroads = { data, contextOf, choose, ...STATISTICS, permutationSteps, permutationTest };
