// @ts-check
// The four word lists of the explorer: words as chips that can be removed or moved, and an input that knows the words
// of the page. Words that it does not know are refused by name, with the nearest ones, and stay in the input.

import { bdi, el, fresh, listed, say } from "../parts/elements.js";
import { numbered, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { EXPLORER_KINDS, EXPLORER_ROLES, explorerEdit, explorerPut, explorerTitle, explorerWith } from "./state.js";

const EXPLORER_OFFERED = 20;
const EXPLORER_CHIPS = 300;

/**
 * Words of a model that have a vector, with their lower-case spelling: made once.
 * @type {WeakMap<Vectored, { word: string, low: string }[]>}
 */
const EXPLORER_WORDS = new WeakMap();

/** @param {Vectored} context */
function explorerWords(context) {
  if (!EXPLORER_WORDS.has(context)) {
    EXPLORER_WORDS.set(context, context.vectors.words().map((word) => ({ word, low: word.toLowerCase() })));
  }
  return EXPLORER_WORDS.get(context) ?? [];
}

/**
 * Words that begin with a text, then words that hold it; at most twenty.
 * @param {Vectored} context
 * @param {string} text
 * @param {Set<string>} taken
 */
function explorerOffers(context, text, taken) {
  const low = text.trim().toLowerCase();
  if (!low) return [];
  const found = [], inside = [];
  for (const one of explorerWords(context)) {
    if (taken.has(one.word)) continue;
    const at = one.low.indexOf(low);
    if (at === 0) found.push(one.word); else if (at > 0 && inside.length < EXPLORER_OFFERED) inside.push(one.word);
    if (found.length === EXPLORER_OFFERED) break;
  }
  return [...found, ...inside].slice(0, EXPLORER_OFFERED);
}

/**
 * Edit distance of two texts, or `most + 1` where it is larger.
 * @param {string} one
 * @param {string} other
 * @param {number} most
 */
function explorerDistance(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(one[i - 1] !== other[j - 1])));
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return Math.min(row[other.length], most + 1);
}

/**
 * The saved words nearest to one that is not there.
 * @param {Vectored} context
 * @param {string} word
 * @param {number} [n]
 */
function explorerNearest(context, word, n = 3) {
  const low = word.toLowerCase().slice(0, 60), most = Math.max(1, Math.min(3, Math.floor(low.length / 2)));
  return explorerWords(context).map((one) => ({ word: one.word, far: explorerDistance(low, one.low, most) }))
    .filter(({ far }) => far <= most).sort((one, other) => one.far - other.far).slice(0, n).map((one) => one.word);
}

/**
 * A pasted or typed text as words: commas, semicolons, tabs and lines part them; spaces where all parts are known.
 * @param {Vectored} context
 * @param {string} text
 */
function explorerSplit(context, text) {
  /** @param {string} word */
  const known = (word) => context.vectors.unit(word) !== null;
  if (known(text.trim())) return [text.trim()];
  return text.split(/[,;\t\r\n]+/).map((part) => part.trim()).filter(Boolean).flatMap((part) => {
    const pieces = part.split(/\s+/);
    return !known(part) && pieces.length > 1 && pieces.every(known) ? pieces : [part];
  });
}

/**
 * Sort words into those that can be added to a list and those that cannot.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Role} role
 * @param {string[]} words
 */
function explorerSorted(context, desk, role, words) {
  const there = new Set(desk.lists[role].words);
  /** @type {Record<"added" | "twice" | "unknown", string[]>} */
  const { added, twice, unknown } = { added: [], twice: [], unknown: [] };
  for (const word of new Set(words)) (there.has(word) ? twice : context.vectors.unit(word) ? added : unknown).push(word);
  return { added, twice, unknown };
}

/**
 * What became of words that were not added; the nearest saved ones can be added at a press.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Role} role
 * @param {{ twice: string[], unknown: string[] }} options
 * @param {(word: string, instead: string) => void} add
 */
function explorerRefusal(context, desk, role, { twice, unknown }, add) {
  /**
   * @param {string} one
   * @param {string} word
   */
  const offered = (one, word) => (desk.lists[role].words.includes(one)
    ? [bdi(one), " (in this list already) "]
    : el("button", { type: "button", class: "near", onclick: () => add(one, word) }, "add ", bdi(one)));
  /** @param {string} word */
  const nearest = (word) => {
    const near = explorerNearest(context, word);
    return near.length ? ["nearest: ", near.map((one) => offered(one, word))] : "and nothing like it is.";
  };
  /** @param {string} word */
  const why = (word) => (context.vectors.has(word) ? " has a vector of zeros only; " : " is not among the words of this page; ");
  const lines = unknown.slice(0, 5).map((word) => el("p", {}, bdi(word), why(word), nearest(word)));
  if (unknown.length > 5) lines.push(el("p", {}, `${numbered(unknown.length - 5, "more word is", "more words are")} not among those of this page.`));
  if (twice.length) lines.push(el("p", {}, listed(twice, 5), ` ${twice.length === 1 ? "is" : "are"} in this list already.`));
  return lines;
}

/**
 * The choices that open at a word: where to move it.
 * @param {Desk} desk
 * @param {Role} role
 * @param {string} word
 * @param {(to: string) => void} act
 */
function explorerMoves(desk, role, word, act) {
  return el("span", { class: "moves", role: "group", "aria-label": `move ${flat(word)}` },
    EXPLORER_ROLES.filter((other) => other !== role).map((other) => {
      const there = desk.lists[other].words.includes(word), title = bdi(explorerTitle(desk.lists, other));
      return el("button", { type: "button", class: "move", "data-to": other, disabled: there,
        onclick: () => act(other) }, there ? ["in ", title, " already"] : ["to ", title]);
    }));
}

/**
 * One word of a list: its name opens where to move it, the cross removes it.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Role} role
 * @param {string} word
 * @param {{ remove: (word: string) => void, move: (word: string, to: Role) => void }} options
 */
function explorerChip(context, desk, role, word, { remove, move }) {
  const name = el("button", { type: "button", class: "chip-word", "aria-expanded": "false", title: flat(word) }, bdi(word));
  /** @param {boolean} open */
  const toggle = (open) => {
    name.setAttribute("aria-expanded", String(open));
    chip.querySelector(".moves")?.remove();
    if (!open) return;
    chip.append(explorerMoves(desk, role, word, (other) => move(word, other)));
    /** @type {HTMLElement | null} */ (chip.querySelector(".move:not([disabled])"))?.focus();
  };
  name.addEventListener("click", () => toggle(name.getAttribute("aria-expanded") !== "true"));
  const label = `remove ${flat(word)} from ${flat(explorerTitle(desk.lists, role))}`;
  const cross = el("button", { type: "button", class: "remove", "aria-label": label, onclick: () => remove(word) }, "\u00d7");
  const chip = el("li", { class: context.vectors.unit(word) ? "chip" : "chip absent", onkeydown: (e) => {
    if (e.key === "Escape" && chip.querySelector(".moves")) { toggle(false); name.focus(); }
  } }, name, !context.vectors.unit(word) && el("span", { class: "note" }, "(no vector)"), cross);
  return chip;
}

/**
 * The suggestions below an input: which are shown, and which of them the arrows have reached.
 * @param {string} name
 * @param {HTMLInputElement} input
 * @param {(word: string) => void} take
 */
function explorerListbox(name, input, take) {
  const id = fresh("offers"), label = `words for ${name}`;
  const box = el("ul", { id, role: "listbox", class: "offers", "aria-label": label, hidden: true });
  /** @type {string[]} */
  let shown = [];
  let active = -1;
  input.setAttribute("aria-controls", id);
  function draw() {
    box.hidden = !shown.length;
    box.replaceChildren(...shown.map((word, i) => el("li", { id: `${id}-${i}`, role: "option", "aria-selected": String(i === active),
      onmousedown: (e) => { e.preventDefault(); take(word); } }, bdi(word))));
    input.setAttribute("aria-expanded", String(shown.length > 0));
    if (active < 0) { input.removeAttribute("aria-activedescendant"); return; }
    input.setAttribute("aria-activedescendant", `${id}-${active}`);
    box.children[active].scrollIntoView({ block: "nearest" });
  }
  return {
    box, open: () => shown.length > 0, chosen: () => shown[active],
    show: (/** @type {string[]} */ words) => { shown = words; active = -1; draw(); },
    step: (/** @type {number} */ by) => {
      const n = shown.length, from = active < 0 && by < 0 ? n : active; // up from the input goes to the last
      active = n ? (from + by + n) % n : -1;
      draw();
    },
  };
}

/**
 * An input with suggestions: the combobox pattern, with arrows, Enter and Escape.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {() => Role} role
 * @param {(words: string[]) => void} submit
 */
function explorerInput(context, desk, role, submit) {
  const title = flat(explorerTitle(desk.lists, role()));

  const input = el("input", {
    type: "text", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", autocomplete: "off",
    spellcheck: "false", autocapitalize: "off", "aria-label": `add words to ${title}`, placeholder: "add words",
  });
  const empty = () => { const text = input.value; input.value = ""; offers.show([]); return text; };
  /** @param {string} word */
  const take = (word) => { empty(); submit([word]); };
  const enter = () => { const words = explorerSplit(context, empty()); if (words.length) submit(words); };
  const offers = explorerListbox(title, input, take);
  const offer = () => offers.show(explorerOffers(context, input.value, new Set(desk.lists[role()].words)));
  /** @param {number} by */
  const step = (by) => { if (!offers.open()) offer(); offers.step(by); };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => (offers.chosen() === undefined ? enter() : take(offers.chosen())),
    Escape: () => { if (offers.open()) offers.show([]); else empty(); },
  };
  input.addEventListener("input", offer);
  input.addEventListener("blur", () => offers.show([]));
  input.addEventListener("keydown", (e) => {
    if (e.isComposing || !Object.hasOwn(keys, e.key)) return;
    e.preventDefault();
    keys[e.key]();
  });
  input.addEventListener("paste", (e) => {
    const text = e.clipboardData?.getData("text") ?? "";
    if (!/[,;\t\r\n]/.test(text)) return;
    e.preventDefault();
    offers.show([]);
    submit(explorerSplit(context, text));
  });
  const add = el("button", { type: "button", class: "add", onclick: () => { enter(); input.focus(); } }, "Add");
  return { box: el("div", { class: "adding" }, el("div", { class: "combo" }, input, offers.box), add), input };
}

/**
 * What can be done to the words of one list; each ends with the focus where the next key is likely to be wanted.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Role} role
 * @param {Json} place
 * @param {() => void} changed
 */
function explorerActs(context, desk, role, place, changed) {
  const words = () => desk.lists[role].words;
  /** @param {string[]} some */
  const replace = (some) => explorerPut(desk, role, some);
  /** @param {string} word */
  const without = (word) => {
    const at = words().indexOf(word);
    return () => {
      const next = place.chips.querySelectorAll(".remove");
      (next[Math.min(at, next.length - 1)] ?? place.input.input).focus();
    };
  };
  /** @param {string[]} given */
  const submit = (given) => {
    const sorted = explorerSorted(context, desk, role, given);
    if (sorted.added.length) { explorerEdit(desk, () => replace([...words(), ...sorted.added])); changed(); }
    place.said.replaceChildren(...explorerRefusal(context, desk, role, sorted, near));
    if (sorted.unknown.length) place.input.input.value = sorted.unknown.join(", "); // nothing is lost
  };
  /**
   * @param {string} word
   * @param {string} instead
   */
  const near = (word, instead) => {
    const left = place.input.input.value.split(", ").filter((/** @type {Json} */ one) => one !== instead).join(", ");
    submit([word]);
    place.input.input.value = left;
    place.input.input.focus();
  };
  /** @param {string} word */
  const remove = (word) => {
    const focus = without(word);
    explorerEdit(desk, () => replace(words().filter((one) => one !== word)));
    changed();
    focus();
  };
  /**
   * @param {string} word
   * @param {Role} other
   */
  const move = (word, other) => {
    const focus = without(word);
    explorerEdit(desk, () => {
      replace(words().filter((one) => one !== word));
      explorerPut(desk, other, [...desk.lists[other].words, word]);
    });
    changed();
    focus();
    say(`${word} moved to ${explorerTitle(desk.lists, other)}`);
  };
  return { submit, remove, move };
}

/**
 * One list.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Role} role
 * @param {() => void} changed
 */
function explorerList(context, desk, role, changed) {
  /** @type {Json} */
  const place = { chips: el("ul", { class: "chips" }), said: el("div", { class: "said", role: "status" }) };
  const acts = explorerActs(context, desk, role, place, changed);
  place.input = explorerInput(context, desk, () => role, acts.submit);
  const kind = EXPLORER_KINDS[role];
  const title = el("input", { type: "text", class: "title", "aria-label": `name of the ${kind}`, placeholder: kind, onchange: (e) => {
    const text = flat(e.target.value);
    explorerEdit(desk, () => explorerWith(desk, { [role]: { ...desk.lists[role], title: text } }));
    changed();
  } });
  const count = el("span", { class: "count" });
  /** @type {string[] | null} */
  let drawn = null;
  let everything = false, named = "";
  const more = el("button", { type: "button", class: "more", onclick: () => {
    everything = true;
    drawn = null;
    refresh();
    place.chips.children[EXPLORER_CHIPS]?.querySelector("button")?.focus(); // the first of those that came
  } });
  function refresh() {
    const list = desk.lists[role], { words } = list;
    title.value = list.title;
    if (drawn === words && named === list.title) return;
    drawn = words;
    named = list.title;
    place.input.input.setAttribute("aria-label", `add words to ${flat(explorerTitle(desk.lists, role))}`);
    const shown = everything ? words : words.slice(0, EXPLORER_CHIPS);
    place.chips.replaceChildren(...shown.map((word) => explorerChip(context, desk, role, word, acts)));
    count.textContent = words.length === 1 ? "1 word" : `${whole(words.length)} words`;
    more.hidden = shown.length === words.length;
    more.textContent = `Show all ${whole(words.length)} words`;
    place.said.replaceChildren();
  }
  const head = el("div", { class: "head" }, title, count);
  const box = el("div", { class: `card explorer-list ${role}`, role: "group", "aria-label": kind },
    head, place.chips, more, place.input.box, place.said);
  return { box, refresh };
}

/**
 * One input for all lists: choose a list, and type a word.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {() => void} changed
 */
export function explorerAdder(context, desk, changed) {
  const choice = el("select", { class: "into", "aria-label": "list to add words to" });
  /** @type {Json} */
  const place = { chips: el("ul"), said: el("div", { class: "said", role: "status" }) };
  const acts = Object.fromEntries(EXPLORER_ROLES.map((role) => [role, explorerActs(context, desk, role, place, changed)]));
  place.input = explorerInput(context, desk, () => choice.value || "x", (words) => acts[choice.value].submit(words));
  place.input.input.setAttribute("aria-label", "words to add");
  place.input.input.placeholder = "a word of your own";
  const refresh = () => {
    const now = choice.value || "x";
    choice.replaceChildren(...EXPLORER_ROLES.map((role) => el("option", { value: role, selected: role === now }, flat(explorerTitle(desk.lists, role)))));
  };
  return { box: el("div", { class: "adder" }, el("label", {}, "Add to ", choice), place.input.box, place.said), refresh };
}

/**
 * All four lists.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {() => void} changed
 */
export function explorerLists(context, desk, changed) {
  const lists = EXPLORER_ROLES.map((role) => explorerList(context, desk, role, changed));
  return {
    box: el("div", { class: "explorer-lists" }, lists.map((list) => list.box)),
    refresh: () => { for (const list of lists) list.refresh(); },
  };
}
