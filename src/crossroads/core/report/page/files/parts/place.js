// @ts-check
// Where the reader is: which parts are open, how far the page is scrolled and what has the focus. It is kept while the page is
// built again for another model, and with each step of the browser's history.

import { namedParts } from "./views.js";

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";

/**
 * The part or section of a name, be it the id of anything or the name of a part.
 * @param {string} name
 * @returns {HTMLElement | null}
 */
export const placeNamed = (name) => (name ? document.getElementById(name) ?? namedParts().find((one) => one.dataset.part === name) ?? null : null);

/**
 * The name of the part or section that something is in.
 * @param {Element | null | undefined} node
 */
function placeOf(node) {
  const around = /** @type {HTMLElement | null | undefined} */ (node?.closest("#main details, #main > section, #head, #nav"));
  return around?.dataset.part ?? around?.id ?? "";
}

/** The names of all parts that are open, outer ones first. */
export const placeOpen = () => namedParts().filter((one) => one.open).map((one) => one.dataset.part ?? "");

/**
 * Open parts, and on request close all others. What a part holds is made at once.
 * @param {string[]} names
 * @param {{ only?: boolean }} [options]
 */
export function placeReopen(names, { only = false } = {}) {
  const wanted = new Set(names);
  for (let before = -1, parts = namedParts(); parts.length !== before; parts = namedParts()) {
    before = parts.length;
    for (const one of parts) {
      const open = wanted.has(one.dataset.part ?? "") || (one.open && !only);
      if (open !== one.open) one.open = open;
      if (open) one.make?.();
    }
  }
}

/**
 * Open something and all that it is in.
 * @param {HTMLElement | null} target
 */
export function placeReveal(target) {
  for (let one = target; one; one = one.parentElement) if (one instanceof HTMLDetailsElement) { one.open = true; /** @type {Opening} */ (one).make?.(); }
}

/** Keep what is open, seen and focused; the function given back restores it in a page that was built again. */
export function placeKept() {
  const open = placeOpen(), held = document.activeElement, of = placeOf(held), top = scrollY;
  const nth = of ? [...(placeNamed(of)?.querySelectorAll(CONTROLS) ?? [])].indexOf(/** @type {Element} */ (held)) : -1, id = held?.id;
  // what stands at the upper edge of the window; of parts inside one another, the innermost
  const seen = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#main > section, #main details"))]
    .filter((one) => { const { top: from, bottom } = one.getBoundingClientRect(); return from <= 80 && bottom > 0; }).reverse()
    .map((one) => /** @type {[string, number]} */ ([placeOf(one), one.getBoundingClientRect().top]));
  return () => {
    placeReopen(open);
    scrollTo({ top });
    const again = seen.map(([name, from]) => /** @type {const} */ ([placeNamed(name), from])).find(([one]) => one);
    if (again?.[0] && top > 0) scrollBy({ top: again[0].getBoundingClientRect().top - again[1] });
    const same = (id && document.getElementById(id)) || (nth >= 0 && placeNamed(of)?.querySelectorAll(CONTROLS)[nth]);
    if (same instanceof HTMLElement || same instanceof SVGElement) same.focus({ preventScroll: true });
  };
}
