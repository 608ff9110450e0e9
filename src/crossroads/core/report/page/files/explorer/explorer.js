// @ts-check
// The explorer: make a test of your own, from words that the page carries. Every test has the same bench inside
// (bench.js); here it begins with empty lists, or with those of any test.

import { el } from "../parts/elements.js";
import { computed } from "../parts/numbers.js";
import { view } from "../parts/views.js";
import { testsOf } from "../tests/entries.js";
import { explorerBench } from "./bench.js";
import { explorerBegin, explorerOwn } from "./state.js";

/**
 * Why there is nothing to explore, and how to come by it.
 * @param {Context} context
 */
const explorerAbsent = (context) => el("p", {},
  context.vectors?.absent
    ? [`This page contains no vectors to compute with: ${context.vectors.absent}. `,
      "Audit fewer models or tests at a time, or try the lists in crossroads itself, with ", el("code", {}, "--design"), "."]
    : ["This page contains no vectors to compute with, because its results were saved without them. ",
      "An audit of static vectors, run with ", el("code", {}, "crossroads audit"), ", saves those of its words and includes them here."]);

/**
 * What can be done here, and how exact it is.
 * @param {Vectored} context
 */
function explorerIntroduction({ vectors }) {
  const n = vectors.words().length, { coarse } = vectors;
  return [
    el("p", {}, "Every test above can be edited where it stands. Here you make your own: two groups, two attributes, computed in the page from the vectors of ",
      computed(n, { as: "whole" }), n === 1 ? " word." : " words.", " Nothing is sent."),
    coarse && el("p", { class: "note" }, computed(coarse.words, { as: "whole" }), " of them are common words beyond the lists of the audit, whose vectors are rounded to eight bits: the largest error of a cosine over ",
      computed(coarse.pairs, { as: "whole" }), " random pairs was ", computed(coarse.error, { digits: 4 }), vectors.exact ? ". Words of the lists are exact." : "."),
    !vectors.exact && el("p", { class: "note" },
      "To keep this page small, its vectors are rounded to sixteen bits: expect agreement to about three decimals with crossroads on the ",
      "full vectors, and to two digits of p-values."),
  ];
}

/**
 * Build the explorer in its place.
 * @param {Context} context
 * @param {HTMLElement} place
 */
function explorerMount(context, place) {
  if (!context.vectors || context.vectors.absent) { place.replaceChildren(explorerAbsent(context)); return; }
  if (!explorerOwn.changed) explorerBegin(explorerOwn, context, testsOf(context).find((one) => one.three) ?? testsOf(context)[0] ?? null);
  const able = /** @type {Vectored} */ (context);
  place.replaceChildren(...[explorerIntroduction(able), explorerBench(able, explorerOwn, { target: "explorer", own: true })].flat().filter(Boolean));
}

view({
  id: "explorer", title: "Your own test", order: 70,
  applies: (context) => Boolean(context.audit.vectors) || testsOf(context).length > 0,
  build(context) {
    // vectors are unpacked when the reader comes near: large pages open quickly
    const open = () => {
      watch.disconnect();
      if (!place.isConnected || place.dataset.open) return;
      place.dataset.open = "yes";
      explorerMount(context, place);
    };
    const place = el("div", { class: "explorer" }, el("p", {}, el("button", { type: "button", onclick: open }, "Open the explorer")));
    /** @param {IntersectionObserverEntry[]} entries */
    const near = (entries) => { if (entries.some((one) => one.isIntersecting)) open(); };
    const watch = new IntersectionObserver(near, { rootMargin: "500px" });
    watch.observe(place);
    return place;
  },
});
