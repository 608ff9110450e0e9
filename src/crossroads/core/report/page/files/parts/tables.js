// @ts-check
// Tables that can be searched, sorted, and copied as CSV or LaTeX.

import { bdi, copy, el, save, say } from "./elements.js";
import { menu } from "./menu.js";
import { MINUS, numbered, whole } from "./numbers.js";
import { opening } from "./views.js";

const FIRST_ROWS = 200;
/** @type {Record<string, string>} */
const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}",
  ">": "\\textgreater{}", "|": "\\textbar{}", "`": "\\textasciigrave{}", '"': "''", "&": "\\&", "%": "\\%",
  $: "\\$", "#": "\\#", _: "\\_", "{": "\\{", "}": "\\}", "[": "{[}", "]": "{]}", "*": "{*}", [MINUS]: "$-$",
  "\u2264": "$\\le$", "\u2248": "$\\approx$",
};

/** @param {Json} text */
export const flat = (text) => String(text).replace(/[\s\p{Cc}]+/gu, " ").trim();
/** @param {Json} text */
const inLatex = (text) => flat(text).replace(/[\\~^<>|`"&%$#_{}[\]*\u2212\u2264\u2248]/g, (sign) => LATEX[sign]).replace(/-(?=-)/g, "-{}");

// a word or name that a spreadsheet would take for a formula; stimuli/spreadsheets.py has the same rule
const FORMULA = /^'*(?:[\u0000-\u001f\u007f-\u009f]|[\s\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
/** @param {Json} value */
const inCsv = (value) => {
  const guarded = typeof value === "string" && FORMULA.test(value) ? `'${value}` : value;
  const text = guarded === null || guarded === undefined ? "" : String(guarded);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * The sign before a number that is shown: a bound, an estimate, or neither.
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 */
const signOf = (column, row) => el("span", {}, column.cell?.(row) ?? "").textContent?.trim().match(/^[\u2264\u2248]/)?.[0] ?? "=";

/**
 * Rows as CSV: numbers whole, as they are stored; words that would be formulas after an apostrophe. A column of which
 * some numbers are bounds or estimates has another next to it that says which.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 */
const csvOf = (columns, rows) => {
  const signed = columns.flatMap((c) => (rows.some((row) => signOf(c, row) !== "=")
    ? [c, { title: `${c.title} sign`, value: (/** @type {Row} */ row) => (c.value(row) === null ? null : signOf(c, row)) }] : [c]));
  return [signed.map((c) => inCsv(c.title)), ...rows.map((row) => signed.map((c) => inCsv(c.value(row))))]
    .map((cells) => cells.join(",")).join("\r\n") + "\r\n";
};

/**
 * Rows as a LaTeX table: numbers as they are shown.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @param {string} caption
 */
function latexOf(columns, rows, caption) {
  /**
   * @param {Json} c
   * @param {Json} row
   */
  const shown = (c, row) => inLatex(el("span", {}, c.cell ? c.cell(row) : c.value(row)).textContent);
  const body = rows.map((row) => `${columns.map((c) => shown(c, row)).join(" & ")} \\\\`);
  return [
    "% needs \\usepackage{booktabs}", "\\begin{table}", `\\caption{${inLatex(caption)}}`,
    `\\begin{tabular}{${columns.map((c) => (c.kind === "text" ? "l" : "r")).join("")}}`, "\\toprule",
    `${columns.map((c) => inLatex(c.title)).join(" & ")} \\\\`, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", "\\end{table}", "",
  ].join("\n");
}

/**
 * Which of two values comes first, up (1) or down (-1); what is missing comes last either way.
 * @param {Json} a
 * @param {Json} b
 * @param {number} direction
 */
function compared(a, b, direction) {
  /** @param {Json} v */
  const none = (v) => v === null || v === undefined || v === "" || Number.isNaN(v);
  if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
  const by = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return direction * by;
}

/**
 * Note at which edges a region goes on beyond what is seen.
 * @param {HTMLElement} region
 */
function tablesEdges(region) {
  const { scrollLeft: x, scrollTop: y, clientWidth: wide, clientHeight: tall, scrollWidth, scrollHeight } = region;
  const more = { left: x > 1, right: x + wide < scrollWidth - 1, below: y + tall < scrollHeight - 1 };
  region.dataset.more = Object.entries(more).filter(([, there]) => there).map(([edge]) => edge).join(" ");
}

const TABLES_RESIZED = new ResizeObserver((entries) => new Set(entries.map(({ target }) => target.closest(".scroll")))
  .forEach((region) => { if (region instanceof HTMLElement) tablesEdges(region); }));

/**
 * Where a table stands that may be wider than the screen.
 * @param {string} caption
 * @param {...Child} children
 */
export const tablesRegion = (caption, ...children) => {
  const region = el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": caption }, children);
  region.addEventListener("scroll", () => tablesEdges(region));
  TABLES_RESIZED.observe(region);
  return region;
};

/**
 * A table whose region is told when its size changes.
 * @param {HTMLElement} made
 */
export const tablesWatched = (made) => { TABLES_RESIZED.observe(made); return made; };

/**
 * What the columns mean, for those who cannot point at a heading to see its title.
 * @param {Column<any>[]} columns
 */
function meanings(columns) {
  const explained = columns.filter((column) => column.about);
  return explained.length > 0 && opening("What the columns mean", () => el("dl", { class: "legend" },
    explained.map(({ title, about }) => [el("dt", {}, bdi(title)), el("dd", {}, bdi(about))])), { kind: "meaning" });
}

/**
 * A choice of the order of rows, for narrow screens: rows are cards there, and have no headings to press.
 * @param {Column<any>[]} columns
 * @param {(order: Sorted) => void} onpick
 */
const tablesSorting = (columns, onpick) => el("select", {
  "aria-label": "Sort", onchange: (event) => onpick(event.target.value ? /** @type {Sorted} */ (event.target.value.split(" ").map(Number)) : null),
}, el("option", { value: "" }, "as it is"),
  columns.flatMap(({ title }, i) => [1, -1].map((way) => el("option", { value: `${i} ${way}` }, `${title} ${way > 0 ? "\u2191" : "\u2193"}`))));

/**
 * A table.
 *   caption   what it shows (a sentence; also the name for those who cannot see it)
 *   columns   [{title, value: row => raw value, cell?: row => node or text, kind: "text" | "number", about?: what it means}]
 *   rows      anything
 *   search    whether to offer a search box (default: from 8 rows up)
 *   filters   [{title, value: row => string}]: a choice for each
 *   sorted    [column index, 1 or -1] at the start
 *   header    whether the first column names the row (default true)
 *   onrow     (row, tr) => void, after a row was made
 *   legend    whether what the columns mean is said below it (default true)
 *   counted   whether it says how many rows there are (default true)
 * @template Row
 * @param {Table<Row>} options
 */
export function table({ caption, columns, rows, search, filters = [], sorted = null, header = true, onrow, note, legend = true, counted = true }) {
  let order = sorted, term = "", shown = FIRST_ROWS;
  const picked = filters.map(() => "");
  const body = el("tbody"), count = el("span", { class: "count", role: "status" }), more = el("button", { type: "button", class: "more" }),
    cut = el("p", { class: "note cut" }); // on paper there is no button
  const heads = columns.map((column, i) => {
    const button = el("button", { type: "button", class: "sort", title: column.about, onclick: () => sortBy(i) }, column.title);
    return el("th", { scope: "col", class: column.kind === "text" ? "" : "n" }, button);
  });
  // columns whose entries stand side by side where rows are cards
  const brief = columns.map((c) => c.kind !== "text" || rows.slice(0, 100).every((row) => String(c.value(row) ?? "").length <= 14));
  const sorting = rows.length >= 8 && tablesSorting(columns, (chosen) => { order = chosen; draw(); });
  /** @param {Json} row */
  const text = (row) => columns.map((c) => String(c.value(row) ?? "")).join("\u0000").toLowerCase();
  const kept = () => {
    const found = rows.filter((row) => (!term || text(row).includes(term)) && filters.every((f, i) => !picked[i] || f.value(row) === picked[i]));
    if (!order) return found;
    const [by, direction] = order, { value } = columns[by];
    return found.map((row) => ({ row, key: value(row) })).sort((a, b) => compared(a.key, b.key, direction)).map(({ row }) => row);
  };
  /** @param {number} i */
  function sortBy(i) {
    order = order && order[0] === i ? (order[1] === 1 ? [i, -1] : null) : [i, 1];
    draw();
    say(order ? `sorted by ${columns[i].title}, ${order[1] === 1 ? "ascending" : "descending"}` : "in the original order");
  }
  function draw() {
    const found = kept();
    if (sorting) sorting.value = order ? order.join(" ") : "";
    heads.forEach((th, i) => th.setAttribute("aria-sort", order && order[0] === i ? (order[1] === 1 ? "ascending" : "descending") : "none"));
    body.replaceChildren(...found.slice(0, shown).map((row) => {
      const tr = el("tr", {}, columns.map((c, i) => {
        const cell = c.cell ? c.cell(row) : c.value(row);
        const content = cell instanceof Node || Array.isArray(cell) ? cell : c.kind === "text" ? bdi(cell ?? "\u2013") : cell ?? "\u2013";
        return el(header && i === 0 ? "th" : "td", { scope: header && i === 0 ? "row" : null, class: c.kind === "text" ? (brief[i] ? "brief" : "") : "n", "data-head": c.title }, content);
      }));
      onrow?.(row, tr);
      return tr;
    }));
    if (!found.length) body.append(el("tr", {}, el("td", { colspan: columns.length, class: "none" }, "Nothing matches.")));
    const all = numbered(rows.length, "row");
    count.textContent = found.length === rows.length ? all : `${whole(found.length)} of ${all}`;
    more.hidden = cut.hidden = found.length <= shown;
    cut.textContent = `The first ${whole(shown)} of ${whole(found.length)} rows.`;
    more.textContent = `Show all ${whole(found.length)} rows`;
  }
  more.addEventListener("click", () => { shown = Infinity; draw(); region.focus({ preventScroll: true }); }); // the button is gone
  const csv = () => csvOf(columns, kept()), latex = () => latexOf(columns, kept(), caption);
  const tools = el("div", { class: "tools" },
    (search ?? rows.length >= 8) && el("label", {}, "Search ", el("input", { type: "search", oninput: (e) => { term = e.target.value.trim().toLowerCase(); draw(); } })),
    filters.map((f, i) => el("label", {}, `${f.title} `, el("select", { onchange: (e) => { picked[i] = e.target.value; draw(); } },
      el("option", { value: "" }, "all"), [...new Set(rows.map(f.value))].filter((v) => v !== "").map((v) => el("option", { value: v }, v))))),
    sorting && el("span", { class: "by" }, el("span", { "aria-hidden": "true" }, "Sort "), sorting),
    counted && count,
    menu("Copy or save this table", [
      ["Copy CSV", () => copy(csv(), "CSV")],
      ["Copy LaTeX", () => copy(latex(), "LaTeX")],
      ["Save CSV", () => save(new Blob([csv()], { type: "text/csv" }), `${caption}.csv`)],
      ["Save LaTeX", () => save(new Blob([latex()], { type: "text/x-tex" }), `${caption}.tex`)],
    ]));
  draw();
  const region = tablesRegion(caption,
    tablesWatched(el("table", {}, el("caption", {}, el("span", {}, caption)), el("thead", {}, el("tr", {}, heads)), body)));
  return el("div", { class: "table" }, tools, region, more, cut, note && el("p", { class: "note" }, note), legend && meanings(columns));
}
