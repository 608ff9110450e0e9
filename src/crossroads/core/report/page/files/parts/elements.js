// @ts-check
// Elements out of names, attributes and children. Strings become text nodes and nothing else: what came from
// a user cannot become markup. No other file of this page touches innerHTML either.

const SVG = "http://www.w3.org/2000/svg";
let counted = 0;

/**
 * A name that no other element has; those of parts have no "~".
 * @param {string} stem
 */
export const fresh = (stem) => `${stem}~${++counted}`;

/**
 * Names of the parts of a section that are the same whichever model is shown: of what each is about, not of its
 * place in a list. A second part about the same thing bears a number.
 * @param {string} stem
 */
export function anchors(stem) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return (/** @type {string} */ name) => {
    const words = name.toLowerCase().replaceAll("*", " star").match(/[\p{L}\p{N}]+/gu) ?? [];
    const id = [stem, ...words].join("-"), times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    return times > 1 ? `${id}-${times}` : id;
  };
}

/**
 * A link to a part of the page.
 * @param {string} id
 * @param {...Child} children
 */
export const linked = (id, ...children) => el("a", { href: `#${encodeURIComponent(id)}` }, children);

/**
 * @template {HTMLElement | SVGElement} Kind
 * @param {Kind} node
 * @param {Attributes | undefined} attributes
 * @param {Child[]} children
 * @returns {Kind}
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") Object.assign(node.style, value); // through the object model, which the policy allows
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/**
 * An element of HTML: el("p", {class: "note"}, "text", otherElement). `onclick` and the like are listeners.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * The same in SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export const sv = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/**
 * An element that is there, such as those of the frame of the page.
 * @param {string} id
 */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Say something to those who listen to the page.
 * @param {string} text
 */
export function say(text) {
  const place = byId("said");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 30);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let toldUntil;

/**
 * Say something to everybody: heard, and seen for a moment.
 * @param {string} text
 */
export function tell(text) {
  say(text);
  clearTimeout(toldUntil);
  document.querySelector(".told")?.remove();
  const seen = el("div", { class: "told", "aria-hidden": "true" }, bdi(text));
  document.body.append(seen);
  toldUntil = setTimeout(() => seen.remove(), Math.max(2500, 60 * text.length)); // time to read it
}

/**
 * Text from a user: its own direction, so that right-to-left words do not turn the line around.
 * @param {Child} text
 */
export const bdi = (text) => el("bdi", {}, text);

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/**
 * The same for text within a string, where there is no element to set it apart.
 * @param {string} text
 */
export const apart = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/**
 * Words of a user in a sentence.
 * @param {string[]} words
 * @param {number} [most]
 * @returns {Child[]}
 */
export const listed = (words, most = Infinity) => {
  const shown = words.slice(0, most).flatMap((word, i) => (i ? [", ", bdi(word)] : [bdi(word)]));
  if (words.length > most) shown.push(` and ${(words.length - most).toLocaleString("en")} more`);
  return shown;
};

/**
 * Put text on the clipboard; where that is forbidden, show it to be copied by hand.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
    return true;
  } catch {
    const box = el("textarea", { rows: 12, readonly: true, "aria-label": what }, text);
    const close = el("button", { type: "button" }, "Close");
    const dialog = el("dialog", { class: "copying", "aria-label": `Copy: ${what}` },
      el("p", {}, "The browser does not let the page copy; copy it from here."), box, close);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    box.select();
    return false;
  }
}

/**
 * A name for a file out of any text, with the ending that it has.
 * @param {string} text
 */
function fileName(text) {
  const [, stem, ending] = /^(.*?)(\.\w+)?$/s.exec(text) ?? ["", text, ""];
  return `${stem.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).replace(/^-+|-+$/g, "") || "report"}${ending ?? ""}`;
}

/**
 * Let the browser save a file.
 * @param {Blob} content
 * @param {string} name
 */
export function save(content, name) {
  const href = URL.createObjectURL(content), link = el("a", { href, download: fileName(name) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  tell(`${link.download} saved`);
}
