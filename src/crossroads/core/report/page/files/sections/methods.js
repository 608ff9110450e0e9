// @ts-check
// "Methods": the paragraph for a paper, citations, every convention, where the evidence came from, what the gate
// said, what was left out, and where the raw numbers are.

import { statusRules } from "../findings/status.js";
import { plotFacts, plotNamed } from "../parts/columns.js";
import { bdi, copy, el, listed } from "../parts/elements.js";
import { table } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";

/**
 * "InfluenceResult" as "influence".
 * @param {string} type
 */
export const otherTitle = (type) =>
  type
    .replace(/(Result|Scores|Table|Choice)$/, (end) => (end === "Result" ? "" : ` ${end}`))
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .trim() || type;

/**
 * @param {Json} value
 * @returns {string}
 */
export const methShown = (value) =>
  value === null || value === undefined
    ? "none"
    : typeof value === "object"
      ? JSON.stringify(value)
      : typeof value === "boolean"
        ? value
          ? "yes"
          : "no"
        : String(value);

/**
 * Conventions of a result as names and values.
 * @param {Json} conventions
 */
export const methConventions = (conventions) =>
  plotFacts(
    Object.entries(conventions ?? {}).map(([name, value]) => [bdi(name), bdi(methShown(value))]),
    true,
  );

/**
 * Text that was escaped for Markdown, as people read it.
 * @param {string} text
 */
const methRead = (text) =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/&(amp|lt|gt);/g, (_, /** @type {"amp" | "lt" | "gt"} */ sign) => ({ amp: "&", lt: "<", gt: ">" })[sign])
    .replace(/\s*\n\s*/g, " ")
    .trim();

/**
 * The methods as they were written: paragraphs, and the table of conventions below them; nothing else is read.
 * @param {string} text
 * @returns {{ paragraphs: string[], rows: string[][] }}
 */
function methWritten(text) {
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim());
  const lines = blocks.filter((block) => block.startsWith("|")).flatMap((block) => block.split("\n").slice(2));
  return {
    paragraphs: blocks.filter((block) => block && !/^(\||#{1,6} )/.test(block)),
    rows: lines.map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map(methRead)),
  };
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} what
 * @param {string} name
 */
function methCopied(title, text, what, name) {
  return el(
    "div",
    { class: "tools" },
    el("h3", {}, title),
    el(
      "span",
      { class: "copies" },
      el("button", { type: "button", class: `copy ${name}`, onclick: () => copy(text, what) }, `Copy ${what}`),
    ),
  );
}

/**
 * What a result is called: its test, its measure, or the name that the audit gave it.
 * @param {Context} context
 * @param {Result} result
 */
function methName(context, result) {
  const given = context.of(result.type).find((one) => one.result === result)?.name;
  return result.design ?? (Array.isArray(result.names) ? result.names.join(" / ") : given ?? result.measure ?? result.target ?? "");
}

/**
 * Conventions by type of result; those that all results of a type share are said once.
 * @param {Context} context
 */
function methGathered(context) {
  const groups = new Map();
  for (const result of context.document.results.flatMap((one) => [one, ...(Array.isArray(one.tests) ? one.tests : [])])) {
    const said = JSON.stringify(result.conventions ?? {}),
      key = `${result.type} ${said}`;
    if (!groups.has(key)) groups.set(key, { type: result.type, conventions: result.conventions ?? {}, of: [] });
    groups.get(key).of.push(methName(context, result));
  }
  return [...groups.values()].map((one) => {
    const named = [...new Set(one.of.filter(Boolean))];
    return opening(
      [
        otherTitle(one.type),
        named.length ? [": ", listed(named, 6)] : null,
        one.of.length > 1 && !named.length ? ` (${one.of.length})` : null,
      ],
      () => methConventions(one.conventions),
    );
  });
}

/** @param {Context} context */
function methSources(context) {
  const found = new Map();
  for (const result of context.document.results) for (const one of result.provenance ?? []) found.set(JSON.stringify(one), one);
  return [...found.values()].slice(0, 50).map((one) =>
    opening(bdi(one.source ?? "unnamed"), () =>
      plotFacts(
        Object.entries(one)
          .filter(([, value]) => value !== null && value !== "" && !(typeof value === "object" && !Object.keys(value).length))
          .flatMap(([name, value]) => (name === "details" ? Object.entries(value) : [[name, value]]))
          .map(([name, value]) => [bdi(name), bdi(methShown(value))]),
        true,
      ),
    ),
  );
}

/** @param {Context} context */
function methVersions(context) {
  const found = new Map();
  for (const result of context.document.results)
    for (const [name, version] of Object.entries(result.versions ?? {})) found.set(`${name} ${version}`, [name, version]);
  return [...found.values()].flatMap(([name, version], i) => [i ? ", " : "", `${name} ${version}`]);
}

/** @type {Record<string, string>} */
const METH_SIGNS = { passed: "\u2713 passed", broken: "\u2717 broken", excused: "\u25cb excused", "not measured": "? not measured" };

/**
 * What came of the rules. The verdict is that of the rules, and of nothing else.
 * @param {Json} gate
 */
function methGate(gate) {
  /** @param {Json} row */
  const outcome = (row) => METH_SIGNS[row.outcome] ?? row.outcome;
  return [
    el("h3", { id: "gate" }, "Gate"),
    el(
      "p",
      {},
      gate.passed
        ? `\u2713 The audit passes its rules: ${statusRules(gate)}.`
        : `\u2717 The audit does not pass its rules: ${statusRules(gate)}.`,
      " The rules were chosen for this audit; passing them does not mean that a model is free of associations.",
    ),
    table({
      caption: "Verdicts of the rules",
      rows: gate.verdicts,
      filters: [{ title: "Outcome", value: outcome }],
      columns: [
        plotNamed("rule", (row) => row.rule),
        plotNamed("test", (row) => row.test),
        plotNamed("statistic", (row) => row.statistic),
        plotNamed("outcome", outcome),
        plotNamed("in words", (row) => row.sentence),
      ],
    }),
    gate.unmatched?.length ? el("p", { class: "note" }, "Rules that named no test: ", listed(gate.unmatched), ".") : null,
  ];
}

/**
 * What the files hold that were given, and the page does not show.
 * @param {Record<string, string> | null | undefined} unshown
 */
const methUnshown = (unshown) =>
  unshown && Object.keys(unshown).length
    ? el(
        "p",
        { class: "note unshown" },
        "Not shown here: ",
        Object.entries(unshown).map(([name, why], i) => [i ? "; " : "", bdi(name), " (", bdi(why), ")"]),
        ".",
      )
    : null;

/**
 * Every convention: in words where they were written, and as they were recorded.
 * @param {Context} context
 * @param {string[][]} rows
 */
const methChoices = (context, rows) => [
  rows.length
    ? opening("Every convention in words", () =>
        el("div", { class: "wide-last" }, table({
          caption: "Every choice that the numbers depend on, as it was resolved",
          rows,
          columns: [plotNamed("what", ([what]) => what), plotNamed("how", ([, how]) => how ?? "")],
        })),
      )
    : null,
  opening("Conventions as recorded in results.json", () => methGathered(context)),
];

/**
 * The paragraph for a paper, to paste.
 * @param {string[]} paragraphs
 */
const methPasted = (paragraphs) => (paragraphs.length
  ? [
      methCopied("Methods paragraph", `${paragraphs.join("\n\n")}\n`, "paragraph", "methods"),
      paragraphs.map((text) => {
        const [said, cites] = methRead(text).split(/ (?=See \[@)/);
        return el("p", { class: "pasted" }, bdi(said), cites ? [" ", el("span", { class: "cites" }, cites)] : null);
      }),
    ]
  : null);

/**
 * What it cites.
 * @param {string} citations
 */
const methCited = (citations) => (citations
  ? opening("Citations in BibTeX", () => [
      methCopied("Citations", citations, "BibTeX", "bibtex"),
      el("pre", { class: "bib", tabindex: 0, role: "group", "aria-label": "Citations in BibTeX" }, citations),
    ])
  : null);

/**
 * Both, for a part of the page that has methods of its own.
 * @param {{ methods: string, citations: string }} texts
 */
export const methText = ({ methods, citations }) => [methPasted(methWritten(methods ?? "").paragraphs), methCited(citations)];

view({
  id: "methods",
  title: "Methods",
  order: 90,
  printed: true,
  applies: () => true,
  build(context) {
    const { methods, citations, gate } = context.audit,
      { paragraphs, rows } = methWritten(methods ?? ""),
      skipped = Object.entries(context.document.skipped ?? {});
    return [
      methPasted(paragraphs),
      el(
        "div",
        { class: "unprinted" },
        methChoices(context, rows),
        methCited(citations),
        gate ? methGate(gate) : null,
        el("h3", {}, "Left out"),
        skipped.length
          ? table({
              caption: "What could not be measured, and why",
              rows: skipped,
              columns: [plotNamed("part", ([name]) => name), plotNamed("reason", ([, why]) => why)],
            })
          : el("p", {}, "No part that was asked for is missing as a whole. Words that were left out of a part are named there."),
        methUnshown(context.audit.unshown),
        el("h3", {}, "Provenance"),
        methSources(context),
        el("p", { class: "note" }, "Computed with ", methVersions(context), "; results in schema ", String(context.document.schema), "."),
        el("h3", {}, "The numbers themselves"),
        el(
          "p",
          {},
          "The measured values are in ",
          el("code", {}, "results.json"),
          ", where nothing is rounded. To see all digits of a number, point at it or tap it; \u201cCopy CSV\u201d in the menu of a table copies those of all its rows. " +
            "A dash means that there is no number. The same numbers as one long table are in ",
          el("code", {}, "results.csv"),
          " and, for R and Python, in ",
          el("code", {}, "results.parquet"),
          ". Numbers that the page computes, such as those of the explorer, are in none of these files.",
        ),
      ),
    ];
  },
});
