// @ts-check
// What edited lists give next to the saved test: all levels, the pattern, and every word.

import { eatMap, mapPattern } from "../charts/maps.js";
import { contextOf, data, named } from "../parts/audits.js";
import { bdi, el, say } from "../parts/elements.js";
import { casesOf, chanceWords, computed, decimals, fixed, noNumber, num, pointed, powers } from "../parts/numbers.js";
import { flat, table, tablesRegion, tablesWatched } from "../parts/tables.js";
import { STATISTICS } from "../statistics/statistics.js";
import { explorerMeasured, EXPLORER_PAIRS } from "./measured.js";
import { EXPLORER_ROLES, explorerConventions, explorerSaved, explorerTitle } from "./state.js";

const EXPLORER_LEVELS = "Levels 1 and 2 of these lists, and of the saved test";
const EXPLORER_SIMILARITIES = "Level 3: cosines of each target with each attribute";

/**
 * A bound of a p-value, with enough digits to tell it from the other one; rounded away from it.
 * @param {number} p
 * @param {Way} way
 */
function explorerBound(p, way) {
  const text = p >= 0.001 ? decimals(p, 2 - Math.floor(Math.log10(p)), way) : p > 0 ? powers(p, 2, way) : "0";
  return el("data", { value: String(p), class: "computed", title: String(p) }, text);
}

/**
 * A difference of effect sizes, with its sign.
 * @param {number} by
 */
const explorerChange = (by) => el("span", {}, Number(by.toFixed(2)) > 0 ? "+" : "", computed(by));

/**
 * How a p-value was found, in words.
 * @param {Tested} options
 */
function explorerMethod({ now, later }) {
  const range = [explorerBound(now.pvalue_low, "down"), " and ", explorerBound(now.pvalue_high, "up")];
  const going = later ? "; still counting" : "";
  if (now.method === "exact") return [`all ${now.divisions.toLocaleString("en")} divisions were counted`];
  if (now.method === "bracket") return ["certainly between ", range, going];
  return [`from a normal curve, roughly${going}`];
}

/**
 * The leaning of a target by its p-value for other words; undefined where it has no effect size.
 * @param {Measured} found
 * @param {Role} role
 * @param {Conventions} conventions
 */
const explorerLeaning = ({ tests, alone }, role, conventions) =>
  (!tests[role] || tests[role].flat ? undefined : STATISTICS.lean(tests[role].effect_size, alone[role].pvalue ?? 1, conventions));

/**
 * The pattern, or null where a target has no effect size.
 * @param {Measured} found
 * @param {Conventions} conventions
 */
function explorerPattern(found, conventions) {
  const [x, y] = /** @type {Role[]} */ (["x", "y"]).map((role) => explorerLeaning(found, role, conventions));
  return x === undefined || y === undefined ? null : STATISTICS.patternOf(x, y) ?? null;
}

/**
 * Where a saved level stands in results.json, or null.
 * @param {TestEntry | null} saved
 * @param {string} key
 */
function explorerPlace(saved, key) {
  if (!saved) return null;
  if (saved.three) return key === "level1" ? `${saved.path}/level1` : `${saved.path}/level2/${key}`;
  return (key === "level1") === Boolean(saved.level1.sets.y) && key !== "y" ? saved.path : null;
}

/**
 * A small table without tools; `heads` are [text, class] of the columns.
 * @param {string} caption
 * @param {[text: string, kind: string][]} heads
 * @param {{ head: Child, cells: Child[] }[]} rows
 */
function explorerTable(caption, heads, rows) {
  const head = el("tr", {}, heads.map(([text, kind]) => (text ? el("th", { scope: "col", class: kind }, text) : el("td"))));
  const body = rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.head),
    row.cells.map((cell, i) => el("td", { class: heads[i + 1][1] }, cell))));
  return tablesWatched(el("table", {}, el("caption", {}, el("span", {}, caption)), el("thead", {}, head), el("tbody", {}, body)));
}

/**
 * Levels 1 and 2 next to what was saved.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {Conventions} options
 */
function explorerLevels(context, desk, saved, found, { alternative }) {
  const names = { level1: ["Level 1: ", "x", "y"], x: ["Level 2: ", "x"], y: ["Level 2: ", "y"] };
  const rows = Object.entries(names).map(([key, [level, ...roles]]) => {
    const test = found.tests[key], tested = found.tested[key], at = explorerPlace(saved, key), known = test && !test.flat;
    const titles = roles.flatMap((role, i) => [i ? " / " : "", bdi(explorerTitle(desk.lists, role))]);
    return {
      head: [level, titles, key === "level1" ? "" : " alone"],
      cells: [
        computed((key === "level1" ? found.crossed : found.alone[key])?.agreement ?? NaN, { as: "agree" }),
        at ? num(context, `${at}/crossed/agreement`, { as: "agree" }) : noNumber(),
        el("span", { class: `d-${key}` }, known ? computed(test.effect_size) : noNumber()),
        at ? num(context, `${at}/effect_size`) : noNumber(),
        known && at ? explorerChange(test.effect_size - pointed(context.document, `${at}/effect_size`)) : noNumber(),
        el("span", { class: `p-${key}` }, known ? computed(tested.now.pvalue, { as: "p", method: tested.now.method }) : noNumber()),
        at ? num(context, `${at}/exchange/tails/${alternative}/0`, { as: "p", method: pointed(context.document, `${at}/method`) }) : noNumber(),
        known ? explorerMethod(tested) : test ? "every association is the same, so there is no effect size" : "too few words",
      ],
    };
  });
  return explorerTable(EXPLORER_LEVELS,
    [["", ""], ["agree", "n"], ["saved", "n"], ["d", "n"], ["saved d", "n"], ["change", "n"], ["exact p", "n"], ["saved exact p", "n"], ["how it was found", ""]], rows);
}

/**
 * Level 3 next to what was saved.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 */
function explorerSimilarities(context, desk, saved, found) {
  const rows = EXPLORER_PAIRS.map((pair) => {
    const [attribute, target] = pair, cell = found.level3[pair], at = saved?.three ? `${saved.path}/level3/${pair}` : null;
    return {
      head: [bdi(explorerTitle(desk.lists, target)), " with ", bdi(explorerTitle(desk.lists, attribute))],
      cells: [
        el("span", { class: `mean-${pair}` }, cell ? computed(cell.mean, { digits: 3 }) : noNumber()),
        el("span", { class: `sd-${pair}` }, cell ? computed(cell.sd, { digits: 3 }) : noNumber()),
        cell ? computed(cell.pairs, { as: "whole" }) : noNumber(),
        at ? num(context, `${at}/mean`, { digits: 3 }) : noNumber(),
        at ? num(context, `${at}/sd`, { digits: 3 }) : noNumber(),
      ],
    };
  });
  return explorerTable(EXPLORER_SIMILARITIES,
    [["", ""], ["mean", "n"], ["sd", "n"], ["pairs", "n"], ["saved mean", "n"], ["saved sd", "n"]], rows);
}

/**
 * Words of the lists with what the levels are made of.
 * @param {Desk} desk
 * @param {Measured} found
 */
function explorerWordTables(desk, found) {
  const { tests, sets } = found, title = (/** @type {string} */ key) => explorerTitle(desk.lists, key);
  /**
   * @param {string[]} keys
   * @param {(key: Role, i: number) => Record<string, number>} scores
   */
  const rows = (keys, scores) => keys.flatMap((key) => sets[key].words.map((word, i) => ({ key, word, ...scores(key, i) })));
  /**
   * @param {string[][]} more
   * @returns {Column<Json>[]}
   */
  const columns = (more) => [{ title: "word", kind: "text", value: (r) => r.word },
    { title: "list", kind: "text", value: (r) => title(r.key), cell: (r) => bdi(title(r.key)) },
    ...more.map(([title, key]) => ({ title, value: (/** @type {Json} */ r) => r[key], cell: (/** @type {Json} */ r) => computed(r[key], { digits: 3 }) }))];
  /**
   * @param {Scored} test
   * @param {Role} first
   */
  const side = (test, first) => (/** @type {string} */ key, /** @type {number} */ i) => (key === first ? test.first : test.second)[i];
  const tables = [];
  if (tests.level1) {
    const scores = (/** @type {string} */ key, /** @type {number} */ i) => ({ s: side(tests.level1, "x")(key, i) }), more = [["association", "s"]];
    const [a, b] = [flat(title("a")), flat(title("b"))];
    const caption = `Mean cosine with ${a} minus mean cosine with ${b}`, note = `Above 0: closer to ${a}; below: closer to ${b}.`;
    tables.push(table({ caption, note, columns: columns(more), rows: rows(["x", "y"], scores), sorted: [2, -1] }));
  }
  if (tests.x || tests.y) {
    const there = ["x", "y"].filter((one) => tests[one]), note = "Each cosine is the mean over the words of the target.";
    /**
     * @param {string} key
     * @param {number} i
     */
    const scores = (key, i) => Object.fromEntries(there.map((one) => [one, side(tests[one], "a")(key, i)]));
    const more = there.map((one) => [`cosine with ${flat(title(one))}`, one]);
    tables.push(table({ caption: "Attributes: mean cosine with each target", note, columns: columns(more), rows: rows(["a", "b"], scores) }));
  }
  return tables.length ? tables : el("p", {}, "There are too few words.");
}

/**
 * The same lists in every model of the page.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Conventions} conventions
 */
function explorerOthers(context, desk, conventions) {
  const others = context.data.audits.map((_, i) => contextOf(i)).filter((one) => one.vectors && !one.vectors.absent);
  const rows = /** @type {Vectored[]} */ (others).map((one) => ({ one, found: explorerMeasured(one, desk.lists, conventions) }));
  /** @param {string} key */
  const effect = (key) => (/** @type {Json} */ row) => (row.found.tests[key]?.flat === false ? row.found.tests[key].effect_size : null);
  /**
   * @param {string} title
   * @param {string} key
   * @returns {Column<Json>}
   */
  const column = (title, key) => ({ title, value: effect(key), cell: (row) => computed(effect(key)(row) ?? NaN) });
  return table({ caption: "Effect sizes of these lists in every model whose vectors the page contains", search: false, rows, columns: [
    { title: "model", kind: "text", value: (row) => named(row.one.index) },
    { title: "agree", value: (row) => row.found.crossed?.agreement ?? null, cell: (row) => computed(row.found.crossed?.agreement ?? NaN, { as: "agree" }) },
    column("Level 1", "level1"), ...["x", "y"].map((role) => column(`${flat(explorerTitle(desk.lists, role))} alone`, role)),
    { title: "words left out", value: (row) => row.found.absent.length },
  ] });
}

/**
 * A part that opens and is made again after every edit, if it is open.
 * @param {Child} summary
 * @param {() => Node | Node[]} build
 * @param {boolean} [open]
 */
function explorerPart(summary, build, open = false) {
  const inside = el("div", { class: "opened" });
  const details = el("details", { class: "opening", open }, el("summary", {}, summary), inside);
  let stale = true;
  const make = () => { if (stale && details.open) { stale = false; inside.replaceChildren(...[build()].flat()); } };
  details.addEventListener("toggle", make);
  return { details, refresh: () => { stale = true; make(); } };
}

/**
 * The result in a sentence, for those who listen.
 * @param {Measured} found
 * @param {string | null} pattern
 */
function explorerSentence({ crossed }, pattern) {
  if (!crossed?.agreement) return "How sure these lists are cannot be told.";
  const sure = chanceWords(data.phrases, crossed.agreement, `${casesOf(crossed.agreement)} of 100`).join("");
  return `${sure.charAt(0).toUpperCase()}${sure.slice(1)}; difference ${fixed(crossed.difference, 3)}${pattern ? `; pattern ${pattern}` : ""}.`;
}

/**
 * The result at a glance, which stays in sight while the lists are edited.
 * @param {Vectored} context
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {string | null} pattern
 */
function explorerGlance(context, saved, found, pattern) {
  const { crossed } = found, at = explorerPlace(saved, "level1");
  return [
    el("span", {}, "agree ", at ? [num(context, `${at}/crossed/agreement`, { as: "agree" }), " \u2192 "] : null,
      el("strong", {}, computed(crossed?.agreement ?? NaN, { as: "agree" }))),
    crossed && el("span", {}, "\u0394 ", computed(crossed.difference, { digits: 3 })),
    el("span", {}, pattern ?? "no pattern"),
  ].filter(Boolean);
}

/**
 * The pattern, its map, and what it was.
 * @param {Desk} desk
 * @param {TestEntry | null} saved
 * @param {Measured} found
 * @param {string | null} [pattern]
 */
function explorerMap(desk, saved, found, pattern) {
  const titles = Object.fromEntries(EXPLORER_ROLES.map((role) => [role, explorerTitle(desk.lists, role)]));
  const before = saved?.three ? [" (saved: ", saved.test.crossed_pattern, ")"] : null;
  return el("div", { class: "explorer-map" },
    el("p", {}, "Pattern: ",
      el("strong", { class: "pattern" }, pattern ?? "none"), before),
    pattern && eatMap({ titles, pattern, level2: found.tests, caption: mapPattern(pattern, /** @type {Titles} */ (titles)) }));
}

/**
 * All results of what was measured; `show` when lists were edited, or when a count is complete.
 * @param {Vectored} context
 * @param {Desk} desk
 */
export function explorerResults(context, desk) {
  // regions stay when their tables are made again, and with them the focus of who scrolls there
  const levels = tablesRegion(EXPLORER_LEVELS), similar = tablesRegion(EXPLORER_SIMILARITIES);
  const map = el("div"), glance = el("div", { class: "explorer-glance" });
  /** @type {Measured} */
  let found;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let telling;
  const words = explorerPart("Every word", () => explorerWordTables(desk, found));
  const many = context.data.audits.filter((one) => one.vectors && !one.vectors.absent).length > 1;
  const others = many && explorerPart("The same lists in every model", () => explorerOthers(context, desk, explorerConventions(desk, context)));
  /**
   * @param {Measured} measured
   * @param {boolean} counted whether only a count has become complete
   */
  const show = (measured, counted) => {
    found = measured;
    const saved = explorerSaved(desk, context), conventions = explorerConventions(desk, context);
    const pattern = explorerPattern(found, conventions), told = !counted && box.dataset.shown === "yes";
    glance.replaceChildren(...explorerGlance(context, saved, found, pattern));
    levels.replaceChildren(explorerLevels(context, desk, saved, found, conventions));
    map.replaceChildren(explorerMap(desk, saved, found, pattern));
    if (told) { clearTimeout(telling); telling = setTimeout(() => say(explorerSentence(found, pattern)), 700); }
    box.dataset.shown = "yes";
    box.dataset.counting = Object.values(found.tested).some((one) => one.later) ? "yes" : "no";
    if (counted) return;
    similar.replaceChildren(explorerSimilarities(context, desk, saved, found));
    for (const part of [words, others]) if (part) part.refresh();
  };
  const box = el("div", { class: "explorer-results" },
    el("div", { class: "explorer-found" }, levels, map), similar, words.details, others && others.details);
  return { box, glance, show };
}
