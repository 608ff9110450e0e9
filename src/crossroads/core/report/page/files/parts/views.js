// @ts-check
// Views announce themselves here: {id, title, order, applies(context, data), build(context, data) => nodes}. Parts of
// them open, and each has a name by which an address finds it.

import { el } from "./elements.js";

/** @type {View[]} */
export const VIEWS = [];
/** @param {View} one */
export const view = (one) => VIEWS.push(one);

const FRAME = ["head", "nav", "main", "foot", "said", "data", "model", "models", "groups", "gate"];

/**
 * A name as a part of an address, without the signs that an address has itself; "~" stands between a part and what it is in.
 * @param {string} text
 */
const slug = (text) => text.replace(/[\s\p{Cc}~#&%]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80);

/**
 * An id for each name, the same in every model that has the names in this order; none is that of anything else.
 * @param {string[]} names
 * @returns {string[]}
 */
export function idsOf(names) {
  const taken = new Set([...FRAME, ...VIEWS.flatMap((one) => [one.id, `${one.id}-title`])]);
  return names.map((name) => {
    const stem = slug(name) || "unnamed";
    let id = stem;
    for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`;
    taken.add(id);
    return id;
  });
}

/**
 * Name the parts that have no name yet: after what they are in and their own heading, without numbers, which differ from
 * model to model.
 * @returns {Opening[]}
 */
export function namedParts() {
  const parts = [.../** @type {NodeListOf<Opening>} */ (document.querySelectorAll("#main details"))];
  const taken = new Set(parts.map((one) => one.dataset.part));
  for (const one of parts) {
    if (one.dataset.part) continue;
    const summary = one.querySelector("summary"), first = summary?.querySelector("h3, bdi"), around = one.parentElement?.closest("details, section");
    const text = (first ?? summary)?.textContent ?? "", own = slug(text.replace(/[\d.,:]+/g, " ").trim()) || slug(text);
    const stem = `${around instanceof HTMLDetailsElement ? around.dataset.part : around?.id}~${own}`;
    let name = stem;
    for (let n = 2; taken.has(name); n++) name = `${stem}-${n}`;
    taken.add(name);
    one.dataset.part = name;
  }
  return parts;
}

/**
 * A part that opens; its content is made when it is first opened, so that large pages stay quick.
 * @param {Child} summary
 * @param {() => Child} build
 * @param {{ id?: string, part?: string, open?: boolean, kind?: string }} [options]
 * @returns {Opening}
 */
export function opening(summary, build, { id, part, open = false, kind = "" } = {}) {
  /** @type {Opening} */
  const details = el("details", { id, "data-part": part, class: `opening ${kind}`.trim() }, el("summary", {}, summary));
  let made = false;
  const make = () => { if (!made && details.open) { made = true; details.append(el("div", { class: "opened" }, /** @type {any[]} */ ([build()]).flat(Infinity))); } };
  details.addEventListener("toggle", make);
  details.make = make;
  if (open) { details.open = true; make(); }
  return details;
}
