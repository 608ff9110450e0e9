// @ts-check
// The words of a test: association and influence of each, and, for one that is chosen, its cosine with every word
// of the other sets, computed from the vectors that the page carries.

import { dots } from "../charts/charts.js";
import { benchStill, explorerBench } from "../explorer/bench.js";
import { explorerDeskOf } from "../explorer/state.js";
import { testsShort } from "../parts/columns.js";
import { bdi, byId, el, fresh } from "../parts/elements.js";
import { computed, fixed, num, part, pointed } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { STATISTICS } from "../statistics/statistics.js";

/**
 * The strip of a test: a bench where the page has the vectors of its words, else as it was measured.
 * @param {Context} context
 * @param {TestEntry} one
 */
export function wordsStrip(context, one) {
  if (wordsAbsent(context, one)) return benchStill(context, one);
  const able = /** @type {Vectored} */ (context), desk = explorerDeskOf(context, one);
  return explorerBench(able, desk, { target: one.id ?? one.name });
}

/**
 * Why there are no vectors to compute with, or null where there are.
 * @param {Context} context
 * @param {TestEntry} one
 */
function wordsAbsent(context, one) {
  if (one.elsewhere) return `Cosines of single words cannot be shown here: ${one.elsewhere}.`;
  const { vectors } = context;
  if (!vectors) return "This page was made without the vectors, so cosines of single words cannot be shown.";
  return vectors.absent ? `The page does not contain the vectors, because ${vectors.absent}; cosines of single words cannot be shown.`
    : null;
}

/**
 * The cosines of a word with every word of some sets, largest first.
 * @param {Vectored} context
 * @param {TestEntry} one
 * @param {string} word
 * @param {Role[]} sets
 */
function wordsCosines(context, one, word, sets) {
  const mine = context.vectors.unit(word);
  return sets.flatMap((set) => one.level1.sets[set].map((other) => {
    const its = context.vectors.unit(other);
    return { set, word: other, cosine: mine && its ? STATISTICS.dot(mine, its) : NaN };
  })).sort((a, b) => b.cosine - a.cosine);
}

/**
 * What stands in the panel of a word: means, a picture, and every cosine.
 * @param {Vectored} context
 * @param {TestEntry} one
 * @param {string} word
 * @param {Role[]} others
 */
function wordsPanel(context, one, word, others) {
  const rows = wordsCosines(context, one, word, others), known = rows.filter((row) => Number.isFinite(row.cosine));
  if (!known.length) return [el("p", { class: "none" }, "There is no vector for this word in the page.")];
  const of = (/** @type {Role} */ set) => known.filter((row) => row.set === set).map((row) => row.cosine), [first, second] = others;
  const two = second && of(first).length && of(second).length;
  /** @param {Json} set */
  const mean = (set) => [bdi(one.titles[set]), " ", computed(STATISTICS.meanOf(of(set)), { digits: 3 })];
  const last = known[known.length - 1];
  return [
    el("p", {}, "Mean cosine with ", mean(first), two
      ? [", with ", mean(second), "; difference ", computed(STATISTICS.meanOf(of(first)) - STATISTICS.meanOf(of(second)), { digits: 3 })] : "", "."),
    !context.vectors.exact && el("p", { class: "note" },
      "The page contains the vectors in sixteen bits: the last digits can differ from those of the model."),
    dots({ sets: others.map((set) => ({ title: one.titles[set], set,
      points: known.filter((row) => row.set === set).map((row) => ({ label: row.word, value: row.cosine })) })),
      axis: "cosine", label: `Cosine of ${flat(word)} with ${known.length} words, from ${fixed(last.cosine)} `
        + `(${flat(last.word)}) to ${fixed(known[0].cosine)} (${flat(known[0].word)}).` }),
    table({ caption: `Cosine of ${flat(word)} with every word`, rows, columns: [
      { title: "word", kind: "text", value: (row) => row.word }, { title: "set", kind: "text", value: (row) => one.titles[row.set] },
      { title: "cosine", value: (row) => (Number.isFinite(row.cosine) ? row.cosine : null),
        cell: (row) => computed(row.cosine, { digits: 3 }) },
    ], filters: two ? [{ title: "Set", value: (row) => one.titles[row.set] }] : [] }),
  ];
}

/**
 * Open the panel of a word; Escape closes it, and focus returns to the button.
 * @param {Vectored} context
 * @param {TestEntry} one
 * @param {string} word
 * @param {Role} set
 * @param {Role[]} others
 * @param {HTMLElement} button
 */
function wordsOpen(context, one, word, set, others, button) {
  const id = fresh("word"), close = el("button", { type: "button", class: "close" }, "Close");
  const dialog = el("dialog", { class: "word", "aria-labelledby": id },
    el("div", { class: "bar" }, el("h4", { id }, bdi(word), el("span", { class: "note" }, " in ", bdi(one.titles[set]))), close),
      wordsPanel(context, one, word, others));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => { dialog.remove(); button.focus(); });
  byId("main").append(dialog);
  dialog.showModal();
  close.focus();
}

/**
 * A word as a button, or as plain text where there are no vectors.
 * @param {Context} context
 * @param {TestEntry} one
 * @param {WordRow} row
 * @param {Role[]} others
 */
function wordsButton(context, one, row, others) {
  if (wordsAbsent(context, one)) return bdi(row.word);
  const button = el("button", { type: "button", class: "word", "aria-haspopup": "dialog" }, bdi(row.word));
  button.addEventListener("click", () => wordsOpen(/** @type {Vectored} */ (context), one, row.word, row.set, others, button));
  return button;
}

/**
 * The columns on what taking a word out does.
 * @param {Context} context
 * @param {TestEntry} one
 * @returns {Column<WordRow>[]}
 */
function wordsInfluence(context, one) {
  if (!one.influence) return [];
  const { path, result } = one.influence;
  const at = (/** @type {WordRow} */ row) => `${path}/without/${row.set}/${part(row.word)}`,
    change = (/** @type {WordRow} */ row) => pointed(context.document, at(row)) - result.effect_size;
  return [
    { title: "d without", about: "effect size of Level 1 without this word",
      value: (row) => pointed(context.document, at(row)) ?? null, cell: (row) => num(context, at(row), { digits: 3 }) },
    { title: "change", about: "change of d without this word: d without it minus d", value: (row) => (Number.isFinite(change(row)) ? change(row) : null),
      cell: (row) => computed(change(row), { digits: 3 }) },
  ];
}

/**
 * A table of the words of two sets. `sources`: [{title, about, at: row => place of a number}].
 * @param {Context} context
 * @param {TestEntry} one
 * @param {Role[]} sets
 * @param {Role[]} others
 * @param {{ title: string, about: string, at: (row: WordRow) => string }[]} sources
 * @param {string} caption
 */
function wordsTable(context, one, sets, others, sources, caption) {
  const rows = sets.flatMap((set) => one.level1.sets[set].map((word) => ({ word, set })));
  /** @param {Json} row */
  const named = (row) => one.titles[row.set];
  return el("div", { class: "headed" }, table({ caption, rows, search: rows.length >= 8, filters: sets.length > 1 ? [{ title: "Set", value: named }] : [], columns: [
    { title: "word", kind: "text", value: (row) => row.word, cell: (row) => wordsButton(context, one, row, others) },
    { title: "set", kind: "text", value: named },
    ...sources.map(({ title, about, at }) => ({ title, about, value: (/** @type {WordRow} */ row) => pointed(context.document, at(row)) ?? null,
      cell: (/** @type {WordRow} */ row) => num(context, at(row), { digits: 3 }) })),
    ...wordsInfluence(context, one),
  ] }));
}

/**
 * Every target word, and every attribute word.
 * @param {Context} context
 * @param {TestEntry} one
 */
export function wordsOf(context, one) {
  const { titles: t, at } = one, pair = Boolean(t.y), targets = pair ? ["x", "y"] : ["x"], attributes = ["a", "b"];
  const towards = `association: mean cosine with ${flat(t.a)} minus mean cosine with ${flat(t.b)}`;
  const own = (/** @type {WordRow} */ row) => `${at}/associations/${part(row.word)}`,
    second = (/** @type {string} */ key) => (/** @type {WordRow} */ row) => `${one.path}/level2/${key}/associations/${part(row.word)}`;
  const level2 = one.three ? ["x", "y"].map((key) =>
    ({ title: `with ${testsShort(t[key], 40)}`, about: `mean cosine of the attribute word with all words for ${flat(t[key])}`,
    at: second(key) }))
    : pair ? [] : [{ title: `with ${testsShort(t.x, 40)}`, about: `mean cosine with all words for ${flat(t.x)}`, at: own }];
  const absent = wordsAbsent(context, one);
  return [
    absent ? el("p", { class: "note" }, absent) : el("p", { class: "note" },
      "Choose a word to see its cosine with every word of the other sets."),
    wordsTable(context, one, targets, attributes, pair ? [{ title: "association s", about: towards, at: own }] : [],
      `Target words of ${flat(one.name)}`),
    wordsTable(context, one, attributes, targets, level2, `Attribute words of ${flat(one.name)}`),
  ];
}
