// The page itself: heading, choice of model, contents, and the sections that the views of other files build.

const data = JSON.parse(document.getElementById("data").textContent);
const state = { audit: 0 };
const contexts = new Map();

/**
 * What a view gets: the audit chosen, its document, and ways to find results in it.
 *   of(type)   [{result, path}] of every result of a type, `path` being its JSON pointer
 *   vectors    null, or {labels, dim, unit: word => Float64Array | null, absent}
 */
function contextOf(index) {
  if (!contexts.has(index)) {
    const audit = data.audits[index];
    const context = {
      index, audit, data, document: audit.document, histograms: audit.histograms,
      of: (type) => audit.document.results.map((result, i) => ({ result, path: `/results/${i}` })).filter(({ result }) => result.type === type),
    };
    let opened;
    Object.defineProperty(context, "vectors", { get: () => (opened ??= openVectors(audit.vectors)) });
    contexts.set(index, context);
  }
  return contexts.get(index);
}

const views = () => VIEWS.filter((view) => view.applies(contextOf(state.audit), data)).sort((a, b) => a.order - b.order);

function choose(index) {
  const choosing = document.activeElement?.id === "model";
  state.audit = index;
  draw();
  if (choosing) document.getElementById("model").focus(); // the choice was made anew with the page
  say(`showing ${data.audits[index].document.model}`);
}

/** The model of an audit; with its number where several bear the name. */
function named(index) {
  const names = data.audits.map((one) => one.document.model), name = names[index];
  return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${index + 1})`;
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
        data.audits.map((one, i) => el("option", { value: i, selected: i === state.audit }, named(i))))))
      : null,
    el("p", { class: "lead" }, `${data.kinds[doc.kind] ?? doc.kind}: `, bdi(doc.model), `; measured with crossroads ${doc.crossroads}.`),
  ];
}

/** Open everything, also what only comes to light by opening; at once, because printing does not wait. */
function openAll() {
  let closed;
  do {
    closed = [...document.querySelectorAll("#main details:not([open])")];
    for (const one of closed) { one.open = true; one.make?.(); }
  } while (closed.length);
}

function draw() {
  const context = contextOf(state.audit), shown = views();
  document.getElementById("head").replaceChildren(...heading().filter(Boolean));
  document.getElementById("nav").replaceChildren(el("ul", {}, shown.map((view) => el("li", {}, el("a", { href: `#${view.id}` }, view.title)))));
  document.getElementById("main").replaceChildren(...shown.map((view) => {
    const section = el("section", { id: view.id, "aria-labelledby": `${view.id}-title` }, el("h2", { id: `${view.id}-title` }, view.title));
    section.append(...[view.build(context, data)].flat(Infinity).filter(Boolean));
    return section;
  }));
  document.getElementById("foot").replaceChildren(el("p", {},
    "Say association for what is measured; bias is an interpretation of it. There is no overall score, because none would mean anything."));
}

/** Open what a link points to, and go there. */
function follow() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* not an address of this page: look for it as it is written */ }
  const target = document.getElementById(name);
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  target?.scrollIntoView();
}

draw();
follow();
addEventListener("hashchange", follow);
addEventListener("click", (event) => {
  // a link to where the address leads already changes no address
  if (event.target.closest?.("a[href^='#']")?.getAttribute("href") === location.hash) follow();
});
document.documentElement.dataset.ready = "yes";
window.crossroads = { data, contextOf, choose, ...STATISTICS };
