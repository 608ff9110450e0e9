// Numbers as people read them, each with the whole number behind it and its place in results.json.

const MINUS = "\u2212";
const MARKS = { exact: "", bracket: "\u2264 ", saddlepoint: "\u2248 ", "monte-carlo": "\u2248 ", normal: "\u2248 " };

/** A rounded number with a true minus sign and no negative zero. */
function fixed(value, digits = 2) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", MINUS);
}

/** A p-value: two significant digits, three decimals where they say more; marked where it was not counted. */
function pText(p, method = "exact") {
  const mark = MARKS[method] ?? "\u2248 ";
  if (p === 0) return `${mark}0`;
  if (p >= 0.0995) return mark + p.toFixed(2);
  if (p >= 0.001) return mark + p.toFixed(3);
  const [mantissa, exponent] = p.toExponential(1).split("e-");
  return `${mark}${mantissa}e${MINUS}${exponent}`;
}

const whole = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });
const percent = (value, digits = 0) => `${fixed(100 * value, digits)}\u202f%`;

/** What stands at a JSON pointer. */
function pointed(tree, path) {
  let found = tree;
  for (const part of path.split("/").slice(1)) {
    if (found === null || found === undefined) return undefined;
    found = found[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return found;
}

/** A key as a part of a JSON pointer. */
const part = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");

const SHOWN = {
  number: (value, options) => fixed(value, options.digits ?? 2),
  p: (value, options) => pText(value, options.method),
  whole: (value) => whole(value),
  percent: (value, options) => percent(value, options.digits ?? 0),
};

/**
 * A number of results.json on the page: <data value="all its digits" data-at="its place">as read</data>.
 * `as`: number (with `digits`), p (with `method`), whole or percent. A missing number is a dash.
 */
function num(context, path, options = {}) {
  const value = pointed(context.document, path);
  if (typeof value !== "number") return el("span", { class: "none", title: "not measured" }, "\u2013");
  const text = SHOWN[options.as ?? "number"](value, options);
  return el("data", { value: String(value), "data-at": path, "data-audit": context.index, title: String(value) }, text);
}

/** A number that was computed in the page. */
const computed = (value, options = {}) =>
  Number.isFinite(value)
    ? el("data", { value: String(value), class: "computed", title: String(value) }, SHOWN[options.as ?? "number"](value, options))
    : el("span", { class: "none" }, "\u2013");
