// @ts-check
// How sure: of every test, what holds with just these words and what beyond them.

import { plotColumn, plotNamed } from "../parts/columns.js";
import { bdi, el } from "../parts/elements.js";
import { part } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";

/**
 * The questions, from the one that counts: [name as in results.json, what it asks, heading of its number, what that is, how it is shown].
 * @type {[asks: string, question: string, head: string, about: string, as: Shown["as"]][]}
 */
const QUESTIONS = [
  ["other words", "would other words for the same things say so too?", "p (BH)", "for other words, adjusted for the number of tests where there are several", "p"],
  ["beyond frequency", "is it more than words being rare or common?", "p (frequency)", "for words that are as frequent, or at equal frequency", "p"],
  ["among arbitrary topics", "", "topics", "share of associations between arbitrary topics that are weaker: a description, no answer", "percent"],
  ["these words", "do the groups differ, with just these words?", "exact p", "for just these words, not adjusted", "p"],
];
/** @type {Record<string, string>} */
const WAYS = { "\u2264": "bracket", "\u2248": "monte-carlo" };

/**
 * One table of all answers, with the number behind each; below it, why they are what they are, and why some were not asked.
 * @param {Context} context
 */
export function checksTable(context) {
  const rows = context.of("ChecksResult").flatMap(({ result, path }) => Object.entries(result.tests).map(([name, checks]) =>
    ({ name, question: result.questions[name] ?? "", checks, at: `${path}/tests/${part(name)}` })));
  if (!rows.length) return null;
  /**
   * @param {typeof rows[number]} row
   * @param {string} asks
   */
  const place = (row, asks) => row.checks.findIndex((/** @type {Json} */ one) => one.asks === asks);
  const columns = QUESTIONS.filter(([asks]) => rows.some((row) => place(row, asks) >= 0)).flatMap(([asks, question, head, about, as]) => [
    question !== "" && plotNamed([...new Set(rows.map((row) => row.checks[place(row, asks)]?.called || asks))].join(" or "), (row) => row.checks[place(row, asks)]?.answer ?? null, question),
    rows.some((row) => (row.checks[place(row, asks)]?.value ?? null) !== null) && plotColumn(context, head, (row) => `${row.at}/${place(row, asks)}/value`,
      { as, about, of: (row) => ({ method: WAYS[row.checks[place(row, asks)]?.sign] ?? "exact" }) }),
  ]).filter(Boolean);
  /** @type {Map<string, string[]>} */
  const reasons = new Map();
  for (const { name, checks } of rows)
    for (const one of checks.filter((/** @type {Json} */ some) => some.reason)) {
      const said = `${one.called || one.asks}${one.answer === "not asked" ? " was not asked" : ""}: ${flat(one.reason)}.`;
      reasons.set(said, [...(reasons.get(said) ?? []), flat(name)]);
    }
  const shown = table({ caption: context.audit.tables.ChecksResult?.title ?? "How sure", rows,
    columns: [plotNamed("test", (row) => row.name), plotNamed("question", (row) => row.question, "targets: attributes"), ...columns] });
  return [shown, reasons.size > 0 && opening("Why: the answers test by test", () => el("ul", { class: "reasons" }, [...reasons].map(([said, names]) =>
    el("li", {}, el("strong", {}, bdi(names.length < rows.length ? names.join(", ") : "All tests")), `, ${said}`))))];
}
