// Elements out of names, attributes and children. Strings become text nodes and nothing else: what came from
// a user cannot become markup. No other file of this page touches innerHTML either.

const SVG = "http://www.w3.org/2000/svg";
let counted = 0;

/** A name that no other element has. */
const fresh = (stem) => `${stem}-${++counted}`;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") Object.assign(node.style, value); // through the object model, which the policy allows
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** An element of HTML: el("p", {class: "note"}, "text", otherElement). `onclick` and the like are listeners. */
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** The same in SVG. */
const sv = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Say something to those who listen to the page. */
function say(text) {
  const place = document.getElementById("said");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 30);
}

let toldUntil = null;

/** Say something to everybody: heard, and seen for a moment. */
function tell(text) {
  say(text);
  clearTimeout(toldUntil);
  document.querySelector(".told")?.remove();
  const seen = el("div", { class: "told", "aria-hidden": "true" }, bdi(text));
  document.body.append(seen);
  toldUntil = setTimeout(() => seen.remove(), 2500);
}

/** Text from a user: its own direction, so that right-to-left words do not turn the line around. */
const bdi = (text) => el("bdi", {}, text);

/** Words of a user in a sentence. */
const listed = (words, most = Infinity) => {
  const shown = words.slice(0, most).flatMap((word, i) => (i ? [", ", bdi(word)] : [bdi(word)]));
  if (words.length > most) shown.push(` and ${(words.length - most).toLocaleString("en")} more`);
  return shown;
};

/** Put text on the clipboard; where that is forbidden, show it to be copied by hand. */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
    return true;
  } catch {
    const box = el("textarea", { rows: 12, readonly: true, "aria-label": what }, text);
    const close = el("button", { type: "button", onclick: () => dialog.close() }, "Close");
    const dialog = el("dialog", { class: "copying", "aria-label": `Copy: ${what}` },
      el("p", {}, "The browser does not let the page copy; copy it from here."), box, close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    box.select();
    return false;
  }
}
