// @ts-check
// The strip on top: may this be released, how much was measured, of what, when and with which software.

import { bdi, el } from "../parts/elements.js";
import { num, numbered, pointed, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { testsCoverage, testsOf } from "../tests/entries.js";
import { conclusionsOf } from "./conclusions.js";

/**
 * How many rules passed or failed, each counted once for all its tests.
 * @param {Json} gate
 */
export function statusRules(gate) {
  /** @param {Json[]} verdicts */
  const rules = (verdicts) => new Set(verdicts.map((one) => one.rule)).size;
  const all = rules(gate.verdicts), failed = rules(gate.verdicts.filter((/** @type {Json} */ one) => !["passed", "excused"].includes(one.outcome)));
  if (!all) return "no rule names a test of this audit";
  return failed ? `${whole(failed)} of ${numbered(all, "rule")} failed` : `${whole(all)} of ${numbered(all, "rule")} passed`;
}

/**
 * The verdict of the rules, with its reasons where it is closed.
 * @param {Json} gate
 */
function statusGate(gate) {
  if (!gate) return el("li", {}, "no release rules were given");
  return el("li", { class: gate.passed ? "gate open" : "gate closed" },
    el("a", { href: "#gate" }, gate.passed ? `\u2713 Gate open: ${statusRules(gate)}` : `\u2717 Gate closed: ${statusRules(gate)}`));
}

/**
 * The model: its name, how large it is, and what identifies it.
 * @param {Context} context
 */
function statusModel(context) {
  const at = context.document.results.findIndex((one) => one.provenance?.length), place = `/results/${at}/provenance/0`;
  const source = pointed(context.document, place), { vocabulary, dim } = source?.details ?? {};
  return el("li", {}, el("strong", {}, bdi(context.document.model)),
    Number.isFinite(vocabulary) && [", ", num(context, `${place}/details/vocabulary`, { as: "whole" }), " words"],
    Number.isFinite(dim) && [" \u00d7 ", num(context, `${place}/details/dim`, { as: "whole" }), " dimensions"],
    source?.revision ? [", revision ", bdi(flat(source.revision).slice(0, 20))] : "",
    source?.sha256 ? [", sha256 ", el("code", { title: source.sha256 }, source.sha256.slice(0, 12))] : "");
}

/**
 * The strip of an audit.
 * @param {Context} context
 */
export function statusStrip(context) {
  const tests = testsOf(context), skipped = Object.keys(context.document.skipped ?? {}).length, { gate } = context.audit;
  const asked = tests.length + skipped, missing = tests.reduce((sum, one) => sum + testsCoverage(one).left, 0);
  const versions = context.document.results[0]?.versions ?? {};
  const reasons = gate && !gate.passed ? gate.verdicts.filter((/** @type {Json} */ one) => !["passed", "excused"].includes(one.outcome)) : [];
  return el("div", { class: "status" },
    el("ul", {}, statusGate(gate), statusModel(context),
      asked > 0 && el("li", {}, tests.length || !conclusionsOf(context).length ? `${whole(tests.length)} of ${numbered(asked, "test")} run` : `${numbered(skipped, "test")} not run`),
      tests.length > 0 && el("li", {}, missing ? `${numbered(missing, "word")} missing` : "no word missing"),
      context.data.written && el("li", {}, context.data.written),
      el("li", {}, [`crossroads ${context.document.crossroads}`, versions.python && `Python ${versions.python}`, versions.numpy && `numpy ${versions.numpy}`].filter(Boolean).join(", "))),
    reasons.length > 0 && el("ul", { class: "reasons" }, reasons.slice(0, 5).map((/** @type {Json} */ one) => el("li", {}, bdi(`${one.rule}: ${one.sentence}`))),
      reasons.length > 5 && el("li", {}, el("a", { href: "#gate" }, `and ${reasons.length - 5} more`))));
}
