// @ts-check
// A small button that opens a list of things to do.

import { el, fresh } from "./elements.js";

/**
 * Things to do, each with its name, behind one button. Arrows move, Escape and a press elsewhere close.
 * @param {string} label
 * @param {[name: string, act: () => unknown][]} items
 * @param {{ text?: string }} [options]
 */
export function menu(label, items, { text } = {}) {
  const id = fresh("menu"), list = el("div", { id, class: "menu-items", role: "menu", "aria-label": label, hidden: true });
  const button = el("button", {
    type: "button", class: text ? "menu-button worded" : "menu-button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id,
    "aria-label": text ? null : label, title: text ? null : label, onclick: () => (list.hidden ? open(0) : close()),
  }, text ?? "\u22ef");
  const box = el("span", { class: "menu" }, button, list);
  const all = () => /** @type {HTMLElement[]} */ ([...list.children]);
  /** @param {number} place */
  const move = (place) => all().at(place % items.length)?.focus();
  /** @param {Event} event */
  const elsewhere = (event) => { if (!(event.target instanceof Node && box.contains(event.target))) close(false); };
  /** @param {number} place */
  function open(place) {
    list.replaceChildren(...items.map(([name, act]) =>
      el("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => { close(); act(); } }, name)));
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    list.classList.toggle("leftward", list.getBoundingClientRect().left < 4); // no room to the left of the button's end
    document.addEventListener("pointerdown", elsewhere);
    box.addEventListener("focusout", left);
    move(place);
  }
  /** @param {boolean} [back] */
  function close(back = true) {
    document.removeEventListener("pointerdown", elsewhere);
    box.removeEventListener("focusout", left);
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (back) button.focus({ preventScroll: true });
  }
  /** @param {FocusEvent} event */
  const left = ({ relatedTarget }) => { if (relatedTarget instanceof Node && !box.contains(relatedTarget)) close(false); };
  button.addEventListener("keydown", (event) => {
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    open(event.key === "ArrowDown" ? 0 : -1);
  });
  list.addEventListener("keydown", (event) => {
    const here = all().indexOf(/** @type {HTMLElement} */ (document.activeElement));
    /** @type {Record<string, () => void>} */
    const keys = { ArrowDown: () => move(here + 1), ArrowUp: () => move(here - 1), Home: () => move(0), End: () => move(-1), Escape: () => close() };
    if (event.key === "Tab") close();
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  return box;
}
