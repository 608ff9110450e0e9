// @ts-check
// What was found, at the beginning of a section: the sentences of its results, the surest first.
// The name of a test is small and comes after its sentence or question.

import { conclusionGroups, conclusionsOf, conclusionWords } from "../findings/conclusions.js";
import { bdi, el } from "../parts/elements.js";
import { num, numbered } from "../parts/numbers.js";

const MOST = 8;

/**
 * A question, and after it the name of its test.
 * @param {Child} question
 * @param {string} name
 */
export const asked = (question, name) => el("span", {}, question, " ", el("span", { class: "note" }, bdi(name)));

/**
 * The findings of a section, under what holds of them; nothing where results say nothing of themselves.
 * @param {Context} context
 * @param {string} section
 */
export function answerFindings(context, section) {
  const found = conclusionsOf(context).filter((one) => one.section === section);
  return found.length
    ? el(
        "dl",
        { class: "found-findings" },
        conclusionGroups(context, found).map(({ heading, some }) => [
          el("dt", {}, `${heading}: `, numbered(some.length, "test")),
          some.slice(0, MOST).map((one) =>
            el("dd", {}, asked([conclusionWords(context, one), one.at.value ? [` ${one.scale} = `, num(context, one.at.value, { digits: 3 }), "."] : null], one.name))),
          some.length > MOST ? el("dd", { class: "note" }, `and ${some.length - MOST} more, below`) : null,
        ]),
      )
    : null;
}
