// @ts-check
// "Published work": published models next to ours, a strip a test; published tables cell by cell next to ours, with a verdict and
// its reason; and for every measure whose formula it follows.

import { plotColumn, plotNamed } from "../parts/columns.js";
import { bdi, el } from "../parts/elements.js";
import { computed, MINUS, num, whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { publishedStrips } from "./published.js";

/** @type {Record<string, string[]>} */
const REPRO_VERDICTS = {
  equal: ["=", "as printed, or within sampling error"],
  convention: ["\u2248", "as printed under another convention, which is named"],
  differs: ["\u2260", "not as printed under any convention that was tried"],
  "other model": ["\u25c7", "measured on another model than the paper\u2019s: shown without a verdict"],
  "model absent": ["\u2013", "not measured; the reason says how to get the model"],
  "not covered": ["\u00b7", "what the test needs is missing: words, contexts, images, pairs, or data not released"],
};
/** @param {string} verdict */
const reproVerdict = (verdict) => `${REPRO_VERDICTS[verdict]?.[0] ?? "?"} ${verdict}`;

/**
 * How many cells have each verdict.
 * @param {Json[]} cells
 */
function reproCounts(cells) {
  const found = Object.keys(REPRO_VERDICTS)
    .concat(cells.map((cell) => cell.verdict))
    .filter((name, i, all) => all.indexOf(name) === i)
    .map((name) => ({ name, n: cells.filter((cell) => cell.verdict === name).length }));
  return found.filter((one) => one.n);
}

/**
 * Columns of marks that are printed or not, such as stars for p < .05, each with its mark.
 * @param {Json[]} cells
 */
function reproMarks(cells) {
  const numbers = new Set(cells.filter((cell) => ![0, 1].includes(cell.published)).map((cell) => cell.column));
  /** @param {Json} one */
  const marked = ({ column, printed, published }) => published === 1 && printed && Number.isNaN(Number(printed)) && !numbers.has(column);
  return new Map(cells.filter(marked).map((cell) => [cell.column, cell.printed]));
}

/**
 * How to show a published number, as it was printed, and ours next to it; marks as marks.
 * @param {Json} cell
 * @param {Json} value
 * @param {string} [mark]
 */
function reproShown(cell, value, mark) {
  if (mark && [0, 1].includes(value)) return { text: value ? mark : "no mark" };
  return cell.printed && value === cell.published ? { text: cell.printed.replace("-", MINUS) } : { digits: 3 };
}

/**
 * @param {Context} context
 * @param {Found} found
 */
function reproCells(context, { result, path }) {
  const rows = result.cells.map((cell, i) => ({ ...cell, at: `${path}/cells/${i}` })),
    tables = rows.some((row) => row.table),
    marks = reproMarks(rows);
  /** @param {Json} row */
  const difference = (row) => (typeof row.ours === "number" && !marks.has(row.column) ? row.ours - row.published : null);
  return table({
    caption: `${result.title}: published numbers next to ours`,
    rows,
    filters: [{ title: "Verdict", value: (row) => row.verdict }, ...(tables ? [{ title: "Table", value: (/** @type {Json} */ row) => row.table ?? "" }] : [])],
    columns: [
      ...(tables ? [plotNamed("table", (row) => row.table)] : []),
      plotNamed("row", (row) => row.row),
      plotNamed("column", (row) => row.column),
      {
        title: "published",
        value: (row) => row.published,
        cell: (row) => num(context, `${row.at}/published`, reproShown(row, row.published, marks.get(row.column))),
      },
      plotColumn(context, "ours", (row) => `${row.at}/ours`, {
        of: (row) => ({ digits: 3, ...(marks.has(row.column) ? reproShown(row, row.ours, marks.get(row.column)) : {}) }),
      }),
      { title: "difference", value: difference, cell: (row) => computed(difference(row) ?? NaN, { digits: 3 }) },
      plotNamed("verdict", (row) => reproVerdict(row.verdict)),
      plotNamed("why", (row) => row.reason ?? ""),
    ],
  });
}

/**
 * @param {Context} context
 * @param {Found} one
 */
function reproOne(context, one) {
  const { result } = one,
    counts = reproCounts(result.cells);
  return opening(
    el("span", {}, bdi(result.title), ": ", counts.map(({ name, n }, i) => `${i ? ", " : ""}${whole(n)} ${name}`).join("")),
    () => [
      el(
        "p",
        {},
        bdi(result.citation),
        result.doi ? [" ", el("a", { href: `https://doi.org/${encodeURI(result.doi)}`, rel: "noreferrer" }, `doi:${result.doi}`)] : null,
      ),
      el(
        "p",
        {},
        "The paper measured ",
        bdi(result.published_vectors),
        "; here it was ",
        bdi(result.vectors),
        result.same_vectors ? ", the same." : ". These are not the same, so the numbers are not comparable digit by digit.",
      ),
      result.notes.map((note) => el("p", { class: "note" }, bdi(note))),
      table({
        caption: "Verdicts",
        rows: counts,
        search: false,
        columns: [
          plotNamed("verdict", (row) => reproVerdict(row.name)),
          { title: "cells", value: (row) => row.n, cell: (row) => computed(row.n, { as: "whole" }) },
          plotNamed("meaning", (row) => REPRO_VERDICTS[row.name]?.[1] ?? ""),
        ],
      }),
      el("div", { class: "tall" }, reproCells(context, one)),
    ],
  );
}

/**
 * For every measure, whose formula it follows and what was chosen where sources disagree.
 * @param {Json[]} entries
 */
const reproFidelity = (entries) => [
  el("h3", {}, "The source of the formula of each measure"),
  el(
    "p",
    {},
    "Some numbers follow a printed formula, some the code that its authors released, and some are ours. Where a paper " +
      "is unclear or contradicts itself, a choice had to be made.",
  ),
  opening(`All ${whole(entries.length)} measures and parts of them`, () =>
    el(
      "div",
      { class: "wordy" },
      table({
        caption: "Measures and the publications behind them",
        rows: entries,
        filters: [{ title: "Follows", value: (row) => row.badge }],
        columns: [
          plotNamed("measure", (row) => (row.part ? `${row.measure}, ${row.part}` : row.measure)),
          { ...plotNamed("follows", (row) => row.badge), cell: (row) => el("span", { class: "badge" }, row.badge) },
          {
            ...plotNamed("publication", (row) => row.paper),
            cell: (row) => [
              bdi(row.paper),
              row.doi ? [" ", el("a", { href: `https://doi.org/${encodeURI(row.doi)}`, rel: "noreferrer" }, `doi:${row.doi}`)] : null,
            ],
          },
          plotNamed("where", (row) => row.equation),
          plotNamed("choice", (row) => row.choice),
          plotNamed("other readings", (row) => (row.options ?? []).map((/** @type {Json} */ one) => `${one.name}=${one.value}: ${one.gives}`).join("; ")),
        ],
      }),
    ),
  ),
];

view({
  id: "published",
  title: "Published work",
  order: 65,
  shows: ["Reproduction"],
  applies: (context, data) => context.of("Reproduction").length + data.fidelity.length > 0 || Object.values(data.findings).some((some) => some.length),
  build(context, data) {
    const found = context.of("Reproduction");
    return [
      publishedStrips(context),
      found.length
        ? [
            el("h3", {}, "Published tables"),
            el("p", {}, "Each published number next to the one measured here. Cells that do not agree are included."),
            found.map((one) => reproOne(context, one)),
          ]
        : null,
      data.fidelity.length ? reproFidelity(data.fidelity) : null,
    ];
  },
});
