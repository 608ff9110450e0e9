// The four word lists of the explorer: words as chips that can be removed or moved, and an input that knows the words
// of the page. Words that it does not know are refused by name, with the nearest ones, and stay in the input.

const EXPLORER_OFFERED = 20, EXPLORER_CHIPS = 300;

/** Words of a model that have a vector, with their lower-case spelling: made once. */
const EXPLORER_WORDS = new WeakMap();
function explorerWords(context) {
  if (!EXPLORER_WORDS.has(context)) {
    EXPLORER_WORDS.set(context, context.vectors.words().map((word) => ({ word, low: word.toLowerCase() })));
  }
  return EXPLORER_WORDS.get(context);
}

/** Words that begin with a text, then words that hold it; at most twenty. */
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

/** Edit distance of two texts, or `most + 1` where it is larger. */
function explorerDistance(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1])));
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return Math.min(row[other.length], most + 1);
}

/** The saved words nearest to one that is not there. */
function explorerNearest(context, word, n = 3) {
  const low = word.toLowerCase().slice(0, 60), most = Math.max(1, Math.min(3, Math.floor(low.length / 2)));
  return explorerWords(context).map((one) => [explorerDistance(low, one.low, most), one.word])
    .filter(([distance]) => distance <= most).sort((one, other) => one[0] - other[0]).slice(0, n).map(([, word]) => word);
}

/** A pasted or typed text as words: commas, semicolons, tabs and lines part them; spaces where all parts are known. */
function explorerSplit(context, text) {
  const known = (word) => context.vectors.unit(word) !== null;
  if (known(text.trim())) return [text.trim()];
  return text.split(/[,;\t\r\n]+/).map((part) => part.trim()).filter(Boolean).flatMap((part) => {
    const pieces = part.split(/\s+/);
    return !known(part) && pieces.length > 1 && pieces.every(known) ? pieces : [part];
  });
}

/** Sort words into those that can be added to a list and those that cannot. */
function explorerSorted(context, role, words) {
  const there = new Set(explorer.lists[role].words), added = [], twice = [], unknown = [];
  for (const word of new Set(words)) (there.has(word) ? twice : context.vectors.unit(word) ? added : unknown).push(word);
  return { added, twice, unknown };
}

/** What became of words that were not added; the nearest saved ones can be added at a press. */
function explorerRefusal(context, role, { twice, unknown }, add) {
  const offered = (one, word) => (explorer.lists[role].words.includes(one)
    ? [bdi(one), " (in this list already) "]
    : el("button", { type: "button", class: "near", onclick: () => add(one, word) }, "add ", bdi(one)));
  const nearest = (word) => {
    const near = explorerNearest(context, word);
    return near.length ? ["nearest: ", near.map((one) => offered(one, word))] : "and nothing like it is.";
  };
  const why = (word) => (context.vectors.has(word) ? " has a vector of zeros only; " : " is not among the saved words; ");
  const lines = unknown.slice(0, 5).map((word) => el("p", {}, bdi(word), why(word), nearest(word)));
  if (unknown.length > 5) lines.push(el("p", {}, `${numbered(unknown.length - 5, "more word is", "more words are")} not among the saved ones.`));
  if (twice.length) lines.push(el("p", {}, listed(twice, 5), ` ${twice.length === 1 ? "is" : "are"} in this list already.`));
  return lines;
}

/** The choices that open at a word: where to move it. */
function explorerMoves(role, word, act) {
  return el("span", { class: "moves", role: "group", "aria-label": `move ${flat(word)}` },
    EXPLORER_ROLES.filter((other) => other !== role).map((other) => {
      const there = explorer.lists[other].words.includes(word);
      return el("button", { type: "button", class: "move", "data-to": other, disabled: there,
        onclick: () => act(other) }, there ? `in ${other.toUpperCase()} already` : `to ${other.toUpperCase()}`);
    }));
}

/** One word of a list: its name opens where to move it, the cross removes it. */
function explorerChip(context, role, word, { remove, move }) {
  const name = el("button", { type: "button", class: "chip-word", "aria-expanded": "false", title: flat(word) }, bdi(word));
  const toggle = (open) => {
    name.setAttribute("aria-expanded", String(open));
    chip.querySelector(".moves")?.remove();
    if (!open) return;
    chip.append(explorerMoves(role, word, (other) => move(word, other)));
    chip.querySelector(".move:not([disabled])")?.focus();
  };
  name.addEventListener("click", () => toggle(name.getAttribute("aria-expanded") !== "true"));
  const label = `remove ${flat(word)} from ${role.toUpperCase()}`;
  const cross = el("button", { type: "button", class: "remove", "aria-label": label, onclick: () => remove(word) }, "\u00d7");
  const chip = el("li", { class: context.vectors.unit(word) ? "chip" : "chip absent", onkeydown: (e) => {
    if (e.key === "Escape" && chip.querySelector(".moves")) { toggle(false); name.focus(); }
  } }, name, !context.vectors.unit(word) && el("span", { class: "note" }, "(no vector)"), cross);
  return chip;
}

/** The suggestions below an input: which are shown, and which of them the arrows have reached. */
function explorerListbox(role, input, take) {
  const id = fresh("offers"), label = `saved words for ${role.toUpperCase()}`;
  const box = el("ul", { id, role: "listbox", class: "offers", "aria-label": label, hidden: true });
  let shown = [], active = -1;
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
    show: (words) => { shown = words; active = -1; draw(); },
    step: (by) => {
      const n = shown.length, from = active < 0 && by < 0 ? n : active; // up from the input goes to the last
      active = n ? (from + by + n) % n : -1;
      draw();
    },
  };
}

/** An input with suggestions: the combobox pattern, with arrows, Enter and Escape. */
function explorerInput(context, role, submit) {
  const input = el("input", {
    type: "text", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", autocomplete: "off",
    spellcheck: "false", autocapitalize: "off", "aria-label": `add words to ${role.toUpperCase()}`, placeholder: "add words",
  });
  const empty = () => { const text = input.value; input.value = ""; offers.show([]); return text; };
  const take = (word) => { empty(); submit([word]); };
  const enter = () => { const words = explorerSplit(context, empty()); if (words.length) submit(words); };
  const offers = explorerListbox(role, input, take);
  const offer = () => offers.show(explorerOffers(context, input.value, new Set(explorer.lists[role].words)));
  const step = (by) => { if (!offers.open()) offer(); offers.step(by); };
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

/** What can be done to the words of one list; each ends with the focus where the next key is likely to be wanted. */
function explorerActs(context, role, place, changed) {
  const words = () => explorer.lists[role].words;
  const replace = (some) => explorerWith({ [role]: { ...explorer.lists[role], words: some } });
  const without = (word) => {
    const at = words().indexOf(word);
    return () => {
      const next = place.chips.querySelectorAll(".remove");
      (next[Math.min(at, next.length - 1)] ?? place.input.input).focus();
    };
  };
  const submit = (given) => {
    const sorted = explorerSorted(context, role, given);
    if (sorted.added.length) { explorerEdit(() => replace([...words(), ...sorted.added])); changed(); }
    place.said.replaceChildren(...explorerRefusal(context, role, sorted, near));
    if (sorted.unknown.length) place.input.input.value = sorted.unknown.join(", "); // nothing is lost
  };
  const near = (word, instead) => {
    const left = place.input.input.value.split(", ").filter((one) => one !== instead).join(", ");
    submit([word]);
    place.input.input.value = left;
    place.input.input.focus();
  };
  const remove = (word) => {
    const focus = without(word);
    explorerEdit(() => replace(words().filter((one) => one !== word)));
    changed();
    focus();
  };
  const move = (word, other) => {
    const focus = without(word);
    explorerEdit(() => {
      replace(words().filter((one) => one !== word));
      explorerWith({ [other]: { ...explorer.lists[other], words: [...explorer.lists[other].words, word] } });
    });
    changed();
    focus();
    say(`${word} moved to ${other.toUpperCase()}`);
  };
  return { submit, remove, move };
}

/** One list. */
function explorerList(context, role, changed) {
  const place = { chips: el("ul", { class: "chips" }), said: el("div", { class: "said", role: "status" }) };
  const acts = explorerActs(context, role, place, changed);
  place.input = explorerInput(context, role, acts.submit);
  const name = role.toUpperCase(), kind = EXPLORER_KINDS[role];
  const title = el("input", { type: "text", class: "title", "aria-label": `what ${name} stands for`, placeholder: kind, onchange: (e) => {
    const text = flat(e.target.value);
    explorerEdit(() => explorerWith({ [role]: { ...explorer.lists[role], title: text } }));
    changed();
  } });
  const count = el("span", { class: "count" });
  let drawn = null, everything = false;
  const more = el("button", { type: "button", class: "more", onclick: () => {
    everything = true;
    drawn = null;
    refresh();
    place.chips.children[EXPLORER_CHIPS]?.querySelector("button").focus(); // the first of those that came
  } });
  function refresh() {
    const list = explorer.lists[role], { words } = list;
    title.value = list.title;
    if (drawn === words) return;
    drawn = words;
    const shown = everything ? words : words.slice(0, EXPLORER_CHIPS);
    place.chips.replaceChildren(...shown.map((word) => explorerChip(context, role, word, acts)));
    count.textContent = words.length === 1 ? "1 word" : `${whole(words.length)} words`;
    more.hidden = shown.length === words.length;
    more.textContent = `Show all ${whole(words.length)} words`;
    place.said.replaceChildren();
  }
  const head = el("div", { class: "head" }, el("span", { class: "badge" }, name), title, count);
  const box = el("div", { class: `card explorer-list ${role}`, role: "group", "aria-label": `${name}, ${kind}` },
    head, place.chips, more, place.input.box, place.said);
  return { box, refresh };
}

/** All four lists. */
function explorerLists(context, changed) {
  const lists = EXPLORER_ROLES.map((role) => explorerList(context, role, changed));
  return {
    box: [el("h3", {}, "Lists"), el("div", { class: "explorer-lists" }, lists.map((list) => list.box))],
    refresh: () => { for (const list of lists) list.refresh(); },
  };
}
