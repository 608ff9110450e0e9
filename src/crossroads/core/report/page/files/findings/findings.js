// @ts-check
// "Findings": what was found, in words, the surest first, next to the chart that shows all of it.

import { chartsScale, chartsSpan } from "../charts/charts.js";
import { bdi, el, sv } from "../parts/elements.js";
import { num, numbered, shareAt, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { opening, view } from "../parts/views.js";
import { ANSWERS, testsCounts } from "../tests/entries.js";
import { conclusionEnds, conclusionGroups, conclusionLink, conclusionRungs, conclusionWords, concluded, conclusionsOf } from "./conclusions.js";
import { heroChart } from "./hero.js";

const AT_FIRST = 6;
const ON_PHONE = 3;
const BAR = 84;

/**
 * A dot with its interval on one line, on the scale of all findings of its kind.
 * @param {Context} context
 * @param {Conclusion} one
 * @param {Conclusion[]} all
 */
function findingBar(context, one, all) {
  const value = concluded(context, one, "value"), [low, high] = [concluded(context, one, "low"), concluded(context, one, "high")];
  if (!Number.isFinite(value)) return null;
  const same = all.filter((other) => other.scale === one.scale), zero = one.middle;
  const [from, to] = chartsSpan([zero, ...conclusionEnds(one.scale), ...same.flatMap((other) => ["value", "low", "high"].map((role) => concluded(context, other, role)))]);
  const at = chartsScale(from, to, 5, BAR - 5);
  return sv("svg", { class: "spark", width: BAR, height: 16, viewBox: `0 0 ${BAR} 16`, "aria-hidden": "true" },
    sv("line", { x1: at(zero), x2: at(zero), y1: 1, y2: 15, class: "zero" }),
    Number.isFinite(low) && Number.isFinite(high) && sv("line", { x1: at(low), x2: at(high), y1: 8, y2: 8, class: "interval" }),
    sv("circle", { cx: at(value), cy: 8, r: 4, class: `dot ${one.status === "holds" ? "strong" : "hollow"}` }));
}

/**
 * One finding: its sentence, its number with the interval, its checks, and its name last.
 * @param {Context} context
 * @param {Conclusion} one
 * @param {Conclusion[]} all
 */
function finding(context, one, all) {
  const href = conclusionLink(context, one), said = conclusionWords(context, one), digits = one.scale === "\u0394" ? 3 : 2;
  const share = one.at.low && shareAt((one.of ?? context).document, one.at.low);
  const interval = Number.isFinite(concluded(context, one, "low")) && Number.isFinite(concluded(context, one, "high"));
  return el("li", { class: `finding ${one.status}` },
    el("p", { class: "said" }, href ? el("a", { href }, said) : said),
    el("div", { class: "how" }, findingBar(context, one, all),
      one.at.value && el("span", {}, `${one.scale} = `, num(one.of ?? context, one.at.value, { digits }),
        interval && [" (", share && `${share}: `, num(one.of ?? context, one.at.low, { digits }), " to ", num(one.of ?? context, one.at.high, { digits }), ")"],
        one.at.ordinary && [", ", num(one.of ?? context, one.at.ordinary, { as: "ordinary" })]),
      one.at.words && el("span", {}, "about ", num(one.of ?? context, one.at.words, { as: "whole" }), " words per set, no near copies, would tell"),
      el("span", { class: "id" }, bdi(one.name)), conclusionRungs(context, one)));
}

/**
 * The findings of one status; of many the first, and the others on request.
 * @param {Context} context
 * @param {Conclusion[]} some
 * @param {Conclusion[]} all
 */
function findingList(context, some, all) {
  const first = innerWidth < 560 ? ON_PHONE : AT_FIRST, list = el("ul", { class: "found" }, some.slice(0, first).map((one) => finding(context, one, all)));
  if (some.length <= first) return list;
  const more = el("button", { type: "button", class: "more" }, `Show all ${whole(some.length)}`);
  more.addEventListener("click", () => {
    list.replaceChildren(...some.map((one) => finding(context, one, all)));
    more.remove();
    /** @type {HTMLElement | null} */ (list.children[first].querySelector("a"))?.focus(); // the first of those that came
  });
  return [list, more];
}

/**
 * What was asked for and could not be measured.
 * @param {Context} context
 */
function findingsMissing(context) {
  const skipped = Object.entries(context.document.skipped ?? {});
  return skipped.length > 0 && opening([`${context.data.phrases.statuses.unmeasured} `, el("span", { class: "count" }, whole(skipped.length))],
    () => el("ul", {}, skipped.map(([name, why]) => el("li", {}, bdi(name), `: ${flat(why)}`))), { id: "not-measured" });
}

/**
 * How many of each answer, in a sentence.
 * @param {Conclusion[]} all
 */
function findingsLead(all) {
  const answers = (/** @type {Conclusion[]} */ some) => testsCounts(some.map((one) => ANSWERS[one.status]));
  const tests = all.filter((one) => one.section === "tests"), others = all.filter((one) => one.section !== "tests");
  return el("p", { class: "lead" }, tests.length > 0 && `Do the groups differ beyond just these words? Of ${numbered(tests.length, "association")}: ${answers(tests)}. `,
    others.length > 0 && `${tests.length ? `Of ${numbered(others.length, "other result")}` : `Beyond just what was drawn? Of ${numbered(others.length, "result")}`}: ${answers(others)}. `);
}

view({
  id: "findings", title: "Findings", order: -1, printed: true,
  applies: (context) => conclusionsOf(context).length > 0,
  build(context) {
    const all = conclusionsOf(context), groups = conclusionGroups(context, all);
    /** @param {number} i */
    const id = (i) => `findings-${groups[i].status}${groups[i - 1]?.status === groups[i].status ? `-${i}` : ""}`;
    return [
      findingsLead(all),
      el("div", { class: "findings" },
        el("div", { class: "findings-list" }, groups.map(({ status, heading, some }, i) => (status === groups[0].status
          ? [el("h3", {}, `${heading} `, el("span", { class: "count" }, whole(some.length))), findingList(context, some, all)]
          : opening([`${heading} `, el("span", { class: "count" }, whole(some.length))], () => findingList(context, some, all), { id: id(i) }))),
        findingsMissing(context)),
        heroChart(context, all)),
    ];
  },
});
