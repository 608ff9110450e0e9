// @ts-check
// Views announce themselves here: {id, title, order, applies(context, data), build(context, data) => nodes}.

import { el } from "./elements.js";

/** @type {View[]} */
export const VIEWS = [];
/** @param {View} one */
export const view = (one) => VIEWS.push(one);

/**
 * A part that opens; its content is made when it is first opened, so that large pages stay quick.
 * @param {Child} summary
 * @param {() => Child} build
 * @param {{ id?: string, open?: boolean, kind?: string }} [options]
 * @returns {Opening}
 */
export function opening(summary, build, { id, open = false, kind = "" } = {}) {
  /** @type {Opening} */
  const details = el("details", { id, class: `opening ${kind}`.trim() }, el("summary", {}, summary));
  let made = false;
  const make = () => { if (!made && details.open) { made = true; details.append(el("div", { class: "opened" }, /** @type {any[]} */ ([build()]).flat(Infinity))); } };
  details.addEventListener("toggle", make);
  details.make = make;
  if (open) { details.open = true; make(); }
  return details;
}
