// @ts-check
// "Tests": one part for each test that opens (detail.js), for each series over time and for single words (series.js).

import { bdi, el } from "../parts/elements.js";
import { opening, view } from "../parts/views.js";
import { otherOfTest } from "../sections/others.js";
import { testsBody } from "./detail.js";
import { testsLine, testsOf, testsQuestion } from "./entries.js";
import { seriesParts, singleParts } from "./series.js";

/**
 * The line of a test that is closed.
 * @param {Context} context
 * @param {TestEntry} one
 */
const testsSummary = (context, one) => el("span", { class: "line" }, el("h3", {}, bdi(testsQuestion(one))),
  el("span", { class: "id" }, bdi(one.name)),
  el("span", { class: "numbers" }, testsLine(context, one)));

view({
  id: "tests", title: "Tests", order: 10,
  shows: ["BatteryResult", "WeatResult", "MleatResult", "ScWeatResult", "SeriesResult"],
  applies: (context) => testsOf(context).length + context.of("SeriesResult").length + context.of("ScWeatResult").length > 0,
  build(context, all) {
    const tests = testsOf(context);
    return [
      tests.length > 0 && el("p", {}, "Each test opens: what it shows and what it cannot show, all its numbers, every word."),
      tests.map((one) => opening(testsSummary(context, one), () => [testsBody(context, all, one), otherOfTest(context, one.name)], { id: one.id, part: one.id })),
      seriesParts(context, all), singleParts(context),
    ];
  },
});
