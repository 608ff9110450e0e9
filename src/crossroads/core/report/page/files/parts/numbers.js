// @ts-check
// Numbers as people read them, each with the whole number behind it and its place in results.json.

import { el, tell } from "./elements.js";

export const MINUS = "\u2212";
/** @type {Record<string, string>} */
const MARKS = { exact: "", bracket: "\u2264 ", saddlepoint: "\u2248 ", "monte-carlo": "\u2248 ", normal: "\u2248 " };

/**
 * Rows that were found in several ways name them all; the least sure of them marks each row.
 * @param {string} method
 */
const markOf = (method) => {
  const marks = method.split(", ").map((way) => MARKS[way] ?? "\u2248 ");
  return marks.find((mark) => mark === "\u2248 ") ?? marks.find((mark) => mark) ?? "";
};

/**
 * A rounded number with a true minus sign and no negative zero.
 * @param {number} value
 * @param {number} [digits]
 */
export function fixed(value, digits = 2) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", MINUS);
}

const P_LEVELS = [0.05, 0.01];

/**
 * A number with some decimals, rounded to the nearest, or never down ("up"), or never up ("down").
 * @param {number} value
 * @param {number} digits
 * @param {Way} [way]
 */
export function decimals(value, digits, way) {
  const text = value.toFixed(digits), error = Number(text) - value, step = 10 ** -digits;
  if (way === "up" && error < 0) return (Number(text) + step).toFixed(digits);
  return way === "down" && error > 0 ? (Number(text) - step).toFixed(digits) : text;
}

/**
 * The same with a power of ten.
 * @param {number} value
 * @param {number} digits
 * @param {Way} [way]
 */
export function powers(value, digits, way) {
  const text = value.toExponential(digits), error = Number(text) - value, step = 10 ** (Number(text.split("e")[1]) - digits);
  const moved = way === "up" && error < 0 ? Number(text) + step : way === "down" && error > 0 ? Number(text) - step : value;
  return moved.toExponential(digits).replace("e-", `e${MINUS}`);
}

/**
 * Decimals of a p-value; one that lies below a level is not rounded up to it.
 * @param {number} p
 * @param {number} digits
 * @param {Way} [way]
 * @returns {string}
 */
function pDecimals(p, digits, way) {
  const text = decimals(p, digits, way), crosses = P_LEVELS.some((level) => p < level && Number(text) >= level);
  return crosses && digits < 20 ? pDecimals(p, digits + 1, way) : text;
}

/**
 * A p-value: two significant digits, three decimals where they say more; marked where it was not counted. What is
 * said to be an upper bound is not rounded down.
 * @param {number} p
 * @param {string} [method]
 * @param {Way} [way]
 */
function pText(p, method = "exact", way = markOf(method) === "\u2264 " ? "up" : "nearest") {
  const mark = markOf(method);
  if (p === 0) return `${mark}0`;
  return mark + (p >= 0.001 ? pDecimals(p, p >= 0.0995 ? 2 : 3, way) : powers(p, 1, way));
}

/** @param {number | bigint} value */
export const whole = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });

/**
 * "1 word", "2 words".
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const numbered = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

/**
 * A share; what is more than none is not rounded to none, nor what is less than all to all.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function percent(value, digits = 0) {
  const text = fixed(100 * value, digits), shown = Number(text.replace(MINUS, "-"));
  const crosses = (shown === 100 && value < 1) || (shown === 0 && value > 0);
  return crosses && digits < 6 ? percent(value, digits + 1) : `${text}\u202f%`;
}

/**
 * What stands at a JSON pointer.
 * @param {Json} tree
 * @param {string} path
 * @returns {Json}
 */
export function pointed(tree, path) {
  let found = tree;
  for (const part of path.split("/").slice(1)) {
    if (found === null || found === undefined) return undefined;
    found = found[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return found;
}

/**
 * A level: "95 %", "98.6 %"; nothing where there is none.
 * @param {number | undefined} level
 */
export const levelText = (level) => (typeof level === "number" ? percent(level, 1).replace(".0", "") : "");

/**
 * The level of the interval whose lower end stands at a pointer.
 * @param {Json} tree
 * @param {string} low
 */
export const shareAt = (tree, low) => levelText(pointed(tree, low.replace(/_intervals\/\d+\/0$/, "_level").replace(/low$/, "level")));

/**
 * A key as a part of a JSON pointer.
 * @param {string | number} key
 */
export const part = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");

const SURE = 99; // the most cases of 100 that a chance is said to be

/**
 * A chance as so many of 100 cases, never certain.
 * @param {number} chance
 */
export const casesOf = (chance) => Math.min(SURE, Math.round(100 * chance));

/**
 * How sure a direction is: "another set of words would point the same way in about 83 of 100 cases".
 * @param {{ chance: string }} phrases
 * @param {number} chance
 * @param {Child} shown the number, shown as a chance
 * @param {string} [drawn]
 * @returns {Child[]}
 */
export function chanceWords(phrases, chance, shown, drawn = "words") {
  const [before, after] = phrases.chance.replace("{drawn}", drawn).split("{cases}");
  return [before, casesOf(chance) < SURE ? "about " : "", shown, " cases", after];
}

/** @type {Record<string, (value: number, options: Shown) => string>} */
const SHOWN = {
  chance: (value) => `${casesOf(value)} of 100`,
  agree: (value) => percent(casesOf(value) / 100),
  ordinary: (value) => `${fixed(value, 1)} \u00d7 ordinary`,
  number: (value, options) => fixed(value, options.digits ?? 2),
  p: (value, options) => pText(value, options.method, options.way),
  whole: (value) => whole(value),
  percent: (value, options) => percent(value, options.digits ?? 0),
};

/** Where there is no number: seen as a dash, heard as a word. */
export const noNumber = () => el("span", { class: "none", role: "img", "aria-label": "none" }, "\u2013");

/**
 * A number of results.json on the page: <data value="all its digits" data-at="its place">as read</data>.
 * `as`: number (with `digits`), p (with `method`, and `way` for bounds), whole or percent; `text` is shown instead, where given. A
 * missing number is a dash.
 * @param {Context} context
 * @param {string} path
 * @param {Shown} [options]
 */
export function num(context, path, options = {}) {
  const value = pointed(context.document, path);
  if (typeof value !== "number") return noNumber();
  // of an adjusted p-value it is known what its own bounds come to, whatever the method of its test
  const method = path.includes("/adjusted/") ? WAYS[context.audit.marks[path] ?? ""] : options.method;
  const text = options.text ?? SHOWN[options.as ?? "number"](value, { ...options, method });
  return el("data", { value: String(value), "data-at": path, "data-audit": context.index, title: String(value) }, text);
}

/**
 * A way to find p-values for each sign before them.
 * @type {Record<string, string>}
 */
export const WAYS = { "": "exact", "\u2264": "bracket", "\u2248": "monte-carlo" };

/**
 * A number that was computed in the page.
 * @param {number} value
 * @param {Shown} [options]
 */
export const computed = (value, options = {}) =>
  Number.isFinite(value)
    ? el("data", { value: String(value), class: "computed", title: String(value) }, SHOWN[options.as ?? "number"](value, options))
    : noNumber();

/** What is seen by pointing at it, for those who tap: all digits of a number, the words of a mark in a picture. */
addEventListener("click", (event) => {
  const { pointerType, target } = /** @type {PointerEvent} */ (event);
  if (!(target instanceof Element) || !["touch", "pen"].includes(pointerType) || target.closest("a, button, summary, [role=option]")) return;
  const number = target.closest("data"), mark = target.closest("svg :has(> title)"), titled = target.closest("[title]");
  const said = number?.value ?? mark?.querySelector(":scope > title")?.textContent ?? titled?.getAttribute("title");
  if (said) tell(said);
});
