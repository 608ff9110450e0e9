// @ts-check
// The bench of a test: all its words on one strip. A word that is chosen shows its cosines and can be taken out, put
// back or moved; the difference, its interval, both p-values and what they say follow at once.

import { chartsFigure, dots } from "../charts/charts.js";
import { stripImage, STRIP_MOST, stripShown } from "../charts/strip.js";
import { bdi, copy, el, listed, say, sv } from "../parts/elements.js";
import { computed, fixed, numbered, pointed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { STATISTICS } from "../statistics/statistics.js";
import { testsEnds, testsOf } from "../tests/entries.js";
import { editsApplied, editsBetween, editsFollow, editsWrite } from "./edits.js";
import { explorerAdder, explorerLists } from "./lists.js";
import { explorerCounting, explorerMeasured, explorerTested } from "./measured.js";
import { benchInterval, benchReadout, benchSentence } from "./readout.js";
import { explorerResults } from "./results.js";
import {
  EXPLORER_ROLES, explorerBegin, explorerConventions, explorerEdit, explorerEmpty, explorerListsOf, explorerPut, explorerSame, explorerSaved, explorerTitle,
} from "./state.js";
import { explorerHistory, explorerTools } from "./tools.js";
import { explorerWarnings } from "./warnings.js";

const BENCH_WORDS = 80, BENCH_AXIS = "association: difference of mean cosines";

/**
 * Give an element other contents.
 * @param {HTMLElement} node
 * @param {...Child} children
 */
const refill = (node, ...children) => node.replaceChildren(...el("div", {}, children).childNodes);

/**
 * Which lists are drawn as groups of the strip, and which stand at its ends: one target alone lies between attributes.
 * @param {Lists} lists
 * @param {Lists} before
 */
const benchRoles = (lists, before) => (lists.y.words.length || before.y.words.length
  ? { groups: ["x", "y"], ends: ["b", "a"] } : { groups: ["a", "b"], ends: ["x"] });

/**
 * Every word of a list: as it was, added, or taken out.
 * @param {Lists} lists
 * @param {Lists} before
 * @param {Role} role
 * @returns {{ word: string, state: "in" | "out" | "new" }[]}
 */
function benchWords(lists, before, role) {
  const [was, is] = [new Set(before[role].words), new Set(lists[role].words)];
  return [...before[role].words.map((word) => ({ word, state: /** @type {"in" | "out"} */ (is.has(word) ? "in" : "out") })),
    ...lists[role].words.filter((word) => !was.has(word)).map((word) => ({ word, state: /** @type {const} */ ("new") }))];
}

/**
 * What the strip shows; null where a list lacks words.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Lists} before
 * @param {Measured} found
 * @param {{ role: Role, word: string } | null} chosen
 * @param {{ low: number | null, high: number | null }} interval
 * @returns {Strip | null}
 */
function benchStrip(context, desk, before, found, chosen, { low, high }) {
  const { sets } = found, roles = benchRoles(desk.lists, before), pair = roles.ends.length > 1;
  const title = (/** @type {Role} */ role) => flat(explorerTitle(desk.lists, role));
  if (roles.ends.some((role) => !sets[role].units.length) || roles.groups.every((role) => !sets[role].units.length)) return null;
  const axis = pair ? STATISTICS.meanVector(sets.a.units).map((value, i) => value - STATISTICS.meanVector(sets.b.units)[i]) : STATISTICS.meanVector(sets.x.units);
  const groups = roles.groups.map((role) => {
    const words = benchWords(desk.lists, before, role).map((one) => {
      const unit = context.vectors.unit(one.word);
      return { ...one, value: unit ? STATISTICS.dot(unit, axis) : NaN, chosen: chosen?.role === role && chosen.word === one.word };
    });
    const there = words.filter((one) => one.state !== "out" && Number.isFinite(one.value));
    return { role, title: title(role), words, mean: there.length ? STATISTICS.meanOf(there.map((one) => one.value)) : NaN };
  });
  const difference = groups[0].mean - groups[1].mean;
  const what = pair ? BENCH_AXIS : `mean cosine with ${title("x")}`;
  return {
    groups, axis: what, difference, low, high,
    poles: pair ? [title("b"), title("a")] : [`less similar to ${title("x")}`, `more similar to ${title("x")}`],
    label: `Every word on one axis, ${what}. Mean of ${groups.map((one) => `${one.title} ${fixed(one.mean, 3)}`).join(", of ")}; difference ${fixed(difference, 3)}.`,
  };
}

/**
 * The cosines of a word with the words of the other lists: means, and a picture of all.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {Measured} found
 * @param {string} word
 * @param {Role[]} others
 */
function benchCosines(context, desk, found, word, others) {
  const mine = context.vectors.unit(word);
  if (!mine) return el("p", { class: "none" }, "There is no vector for this word in the page.");
  const sets = others.map((set) => ({ set, title: explorerTitle(desk.lists, set),
    points: found.sets[set].words.map((label, i) => ({ label, value: STATISTICS.dot(mine, found.sets[set].units[i]) })) })).filter((one) => one.points.length);
  const means = sets.map((one) => STATISTICS.meanOf(one.points.map((point) => point.value)));
  return [
    el("p", {}, "Mean cosine with ", sets.map((one, i) => [i ? ", with " : "", bdi(one.title), " ", computed(means[i], { digits: 3 })]),
      sets.length > 1 ? ["; difference ", computed(means[0] - means[1], { digits: 3 })] : "", "."),
    sets.length > 0 && dots({ sets, axis: "cosine", label: `Cosine of ${flat(word)} with every word of ${sets.map((one) => `${flat(one.title)} (mean ${fixed(means[sets.indexOf(one)], 3)})`).join(" and ")}.` }),
  ];
}

/**
 * What was edited, in words.
 * @param {Desk} desk
 * @param {Lists} before
 */
function benchEdits(desk, before) {
  const edits = editsBetween(before, desk.lists);
  /**
   * @param {string} sign
   * @param {string} word
   */
  const said = (sign, word) => EXPLORER_ROLES.flatMap((role) => {
    const words = edits.filter((one) => one.role === role && one.sign === sign).map((one) => one.word);
    return words.length ? [[word, listed(words, 12), " in ", bdi(explorerTitle(desk.lists, role))]] : [];
  });
  return [...said("-", "without "), ...said("+", "with ")].map((one, i) => [i ? "; " : "", one]);
}

/**
 * How exact the numbers are, where a word was added whose vector is rounded.
 * @param {Vectored} context
 * @param {Lists} lists
 */
function benchAccuracy({ vectors }, lists) {
  const rough = EXPLORER_ROLES.flatMap((role) => lists[role].words.filter((word) => vectors.rough(word)));
  if (!rough.length || !vectors.coarse) return null;
  return el("p", { class: "note accuracy" }, listed(rough, 8), ` ${rough.length === 1 ? "has a vector" : "have vectors"} of eight bits in this page: cosines with ${rough.length === 1 ? "it" : "them"} are off by up to `,
    computed(vectors.coarse.error, { digits: 4 }), ", the largest error over ", computed(vectors.coarse.pairs, { as: "whole" }), " random pairs of such words.");
}

/**
 * The words at the ends of the strip, as buttons.
 * @param {Desk} desk
 * @param {Lists} before
 * @param {{ role: Role, word: string } | null} chosen
 * @param {(role: Role, word: string) => void} choose
 */
const benchEnds = (desk, before, chosen, choose) => benchRoles(desk.lists, before).ends.map((role) => {
  const words = benchWords(desk.lists, before, role), title = flat(explorerTitle(desk.lists, role));
  return el("div", { class: `bench-end ${role}`, role: "group", "aria-label": `words for ${title}` },
    el("p", {}, el("strong", {}, bdi(title)), ` ${numbered(desk.lists[role].words.length, "word")}`),
    el("p", { class: "bench-words" }, words.slice(0, BENCH_WORDS).map(({ word, state }) => el("button", {
      type: "button", class: `bench-word ${state}`, "data-key": `${role} ${word}`, "aria-pressed": String(chosen?.role === role && chosen.word === word),
      "aria-label": state === "out" ? `${flat(word)}, taken out` : state === "new" ? `${flat(word)}, added` : null, onclick: () => choose(role, word),
    }, bdi(word)))), words.length > BENCH_WORDS && el("p", { class: "note" }, `and ${numbered(words.length - BENCH_WORDS, "more word")} in the lists below`));
});

/**
 * Where the focus goes for a key on a word of the strip: along the axis, or to the nearest word of the other group.
 * @param {Strip} strip
 * @param {string} key
 * @param {Role} role
 * @param {string} word
 */
function benchNext(strip, key, role, word) {
  const groups = strip.groups.map((group) => ({ role: group.role, words: stripShown(group) }));
  const [mine, other] = groups[0].role === role ? groups : [groups[1], groups[0]], at = mine.words.findIndex((one) => one.word === word);
  if (key === "Home" || key === "End") return { role, word: mine.words[key === "Home" ? 0 : mine.words.length - 1].word };
  if (key === "ArrowLeft" || key === "ArrowRight") return { role, word: (mine.words[at + (key === "ArrowLeft" ? -1 : 1)] ?? mine.words[at]).word };
  if (!other.words.length || (key === "ArrowUp") !== (mine === groups[1])) return null;
  const far = (/** @type {StripWord} */ one) => Math.abs(one.value - mine.words[at].value);
  return { role: other.role, word: other.words.reduce((best, one) => (far(one) < far(best) ? one : best)).word };
}

/**
 * The bench of some lists.
 * @param {Vectored} context
 * @param {Desk} desk
 * @param {{ target: string, own?: boolean }} options
 */
export function explorerBench(context, desk, { target, own = false }) {
  /** @type {{ role: Role, word: string } | null} */
  let chosen = null;
  /** @type {Strip | null} */
  let strip = null;
  /** @type {Measured} */
  let found;
  let width = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let telling;
  const saved = () => explorerSaved(desk, context);
  /** @returns {Lists} */
  const before = () => { const one = saved(); return one ? explorerListsOf(one) : explorerEmpty(); };
  const edited = () => !explorerSame(desk.lists, before());
  /** Whether the numbers are others than those of the result: other lists, or another tail. */
  const other = () => { const { alternative } = explorerConventions(desk, context); return edited() || alternative !== (saved()?.level1.alternative ?? alternative); };

  const drawing = chartsFigure({ most: 860, draw: (wide) => { width = wide; return strip ? stripImage(strip, wide, acts) : sv("svg", { width: wide, height: 1 }); } });
  const hold = /** @type {HTMLElement} */ (drawing.firstElementChild);
  const caption = el("figcaption", {}), lacking = el("p", { class: "none" }, "Both groups and both attributes need words.");
  drawing.append(caption);
  const ends = el("div", { class: "bench-ends" }), panel = el("div", { class: "bench-panel", hidden: true }), edits = el("p", { class: "bench-edits" });
  const sentence = el("p", { class: "bench-sentence" }), readout = el("dl", { class: "readout" }), doubts = el("div"), accuracy = el("div");

  /** Put the focus on a word again after it was drawn again. */
  const refocus = (/** @type {string | undefined} */ key) => {
    if (key) /** @type {HTMLElement | SVGElement | undefined} */ ([...box.querySelectorAll("[data-key]")].find((one) => /** @type {HTMLElement} */ (one).dataset.key === key))?.focus();
  };
  const held = () => { const now = document.activeElement; return now && box.contains(now) ? /** @type {HTMLElement} */ (now).dataset.key : undefined; };
  const draw = () => {
    const key = held(), words = before(), interval = benchInterval(context, saved(), found, other());
    strip = benchStrip(context, desk, words, found, chosen, interval);
    for (const one of [drawing, sentence, readout, ends]) one.hidden = !strip;
    lacking.hidden = Boolean(strip);
    if (strip) {
      hold.replaceChildren(stripImage(strip, width, acts));
      const long = strip.groups.some((group) => group.words.length > STRIP_MOST), second = flat(strip.groups[1].title);
      caption.textContent = `Each word by its ${benchRoles(desk.lists, words).ends.length > 1 ? `mean cosine with ${strip.poles[1]} minus that with ${strip.poles[0]}` : strip.axis}; dashed lines: means. The bar is their difference \u0394${interval.low === null ? "" : `; the line below it its ${interval.share} interval for other words, from the mean of ${second}`}.`
        + `${long ? " Of long lists the twenty highest and the twenty lowest words are drawn." : ""}`;
    }
    ends.replaceChildren(...benchEnds(desk, words, chosen, choose));
    refocus(key);
  };
  /**
   * @param {Role} role
   * @param {string} word
   */
  const choose = (role, word) => {
    chosen = chosen?.role === role && chosen.word === word ? null : { role, word };
    draw();
    inspect();
    refocus(`${role} ${word}`);
    panel.firstElementChild?.scrollIntoView({ block: "nearest" }); // on small screens it is below the strip
  };
  /**
   * Take a word out, or put it back.
   * @param {Role} role
   * @param {string} word
   */
  const toggle = (role, word) => {
    const { words } = desk.lists[role];
    explorerEdit(desk, () => explorerPut(desk, role, words.includes(word) ? words.filter((one) => one !== word)
      : before()[role].words.filter((one) => one === word || words.includes(one)).concat(words.filter((one) => !before()[role].words.includes(one)))));
    changed();
  };
  /**
   * @param {Role} role
   * @param {string} word
   * @param {Role} other
   */
  const move = (role, word, other) => {
    explorerEdit(desk, () => { explorerPut(desk, role, desk.lists[role].words.filter((one) => one !== word)); explorerPut(desk, other, [...desk.lists[other].words, word]); });
    chosen = { role: other, word };
    changed();
  };
  /** @type {StripActs} */
  const acts = { choose, key: (event, role, word) => {
    const { key } = event;
    if (key === "Enter" || key === " ") choose(role, word);
    else if (key === "Delete" || key === "Backspace") toggle(role, word);
    else if (key === "Escape" && chosen) choose(chosen.role, chosen.word);
    else if (key.startsWith("Arrow") || key === "Home" || key === "End") {
      const next = strip && benchNext(strip, key, role, word);
      if (next) refocus(`${next.role} ${next.word}`);
    } else return;
    event.preventDefault();
  } };

  /** The panel of the word that is chosen. */
  const inspect = () => {
    panel.hidden = !chosen;
    if (!chosen) { panel.replaceChildren(); return; }
    const { role, word } = chosen, target = ["x", "y"].includes(role), there = desk.lists[role].words.includes(word), title = explorerTitle(desk.lists, role);
    const twin = { x: "y", y: "x", a: "b", b: "a" }[role] ?? role, others = (target ? ["a", "b"] : ["x", "y"]).filter((one) => found.sets[one].units.length);
    const within = panel.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).className : "";
    refill(panel,
      el("div", { class: "bar" }, el("h5", {}, bdi(word), el("span", { class: "note" }, there ? " in " : " taken out of ", bdi(title))),
        el("button", { type: "button", class: "drop", onclick: () => toggle(role, word) }, there ? "Drop " : "Put back ", bdi(word)),
        there && (desk.lists[twin].words.length > 0 || target) && !desk.lists[twin].words.includes(word)
          && el("button", { type: "button", class: "move", onclick: () => move(role, word, twin) }, "Move to ", bdi(explorerTitle(desk.lists, twin))),
        el("button", { type: "button", class: "close", onclick: () => choose(role, word) }, "Close")),
      benchCosines(context, desk, found, word, others));
    if (within) /** @type {HTMLElement | null} */ (panel.querySelector(`.${within.split(" ")[0]}`))?.focus();
  };

  const tell = () => {
    refill(sentence, benchSentence(context, desk, saved(), found, other()));
    refill(readout, benchReadout(context, desk, saved(), found, other()));
    readout.dataset.counting = Object.values(found.tested).some((one) => one.later) ? "yes" : "no";
  };

  /** @type {{ refresh(): void } | null} */
  let lists = null;
  /** @type {ReturnType<typeof explorerResults> | null} */
  let results = null;
  /** Lists and conventions have changed: everything follows. */
  const refresh = () => {
    desk.stop?.();
    const conventions = explorerConventions(desk, context);
    found = explorerMeasured(context, desk.lists, conventions);
    // the exact p of unedited lists is known; those of other levels are counted where they are shown
    const needed = results ? ["level1", "x", "y"] : edited() || desk.alternative ? [found.tests.level1 ? "level1" : "x"] : [];
    found.tested = Object.fromEntries(needed.filter((key) => found.tests[key] && !found.tests[key].flat).map((key) => [key, explorerTested(found.tests[key], conventions)]));
    draw();
    inspect();
    tell();
    refill(edits, el("span", {}, edited() ? [el("strong", {}, "Edited: "), benchEdits(desk, before()), "."] : "Choose a word to see its cosines, or to take it out: everything below follows."));
    history.hidden = !edited() && !desk.past.length && !desk.future.length;
    link.hidden = !edited();
    past.refresh();
    adder.refresh();
    lists?.refresh();
    tools.refresh();
    results?.show(found, false);
    doubts.replaceChildren(explorerWarnings(desk.lists, found, conventions) ?? "");
    doubts.hidden = !edited() && !own;
    accuracy.replaceChildren(benchAccuracy(context, desk.lists) ?? "", edited() ? el("p", { class: "explorer-caution" }, el("strong", {}, "Exploring is not testing. "),
      "p-values hold for lists that were fixed before any result was seen: trying many and keeping the best finds something in any model. To test new lists, copy the design and test it on a model that you have not explored.") : "");
    box.dataset.edited = edited() ? "yes" : "no";
    desk.stop = explorerCounting(Object.values(found.tested), () => { tell(); results?.show(found, true); });
  };
  /** The reader has edited: the address follows as well. */
  const changed = () => {
    refresh();
    const start = own && desk.start ? [{ role: "", sign: "*", word: desk.start.name }] : [];
    const made = editsBetween(before(), desk.lists);
    editsWrite(target, made.length || own ? [...start, ...made] : []);
    clearTimeout(telling);
    if (!results) telling = setTimeout(() => say(sentence.textContent ?? ""), 700); // which otherwise say what they are
  };
  const past = explorerHistory(desk, context, changed), tools = explorerTools(desk, context, changed, own);
  const adder = explorerAdder(context, desk, changed);
  const link = el("button", { type: "button", class: "link", onclick: () => copy(location.href, "Link to these lists") }, "Copy link");
  const listing = opening("Edit the lists, swap them, copy the design", () => {
    const all = explorerLists(context, desk, changed);
    lists = all;
    all.refresh();
    return [tools.tools, all.box];
  }, { open: own });
  const levels = opening("All levels of these lists, next to the saved test", () => {
    results = explorerResults(context, desk);
    refresh();
    return [results.glance, results.box];
  }, { open: false });
  const history = el("div", { class: "bench-history" }, past.buttons, link);
  const box = el("div", { class: "bench" }, sentence, drawing, lacking, panel, ends, edits, history, adder.box, readout, accuracy, doubts, listing, levels);
  desk.changed = changed;
  editsFollow(target, (made) => {
    const from = made.find((one) => one.sign === "*"), one = own && from ? testsOf(context).find((test) => test.name === from.word) ?? null : null;
    if (own && !from && !made.length) return;
    explorerEdit(desk, () => {
      if (own) explorerBegin(desk, context, one);
      desk.lists = editsApplied(before(), made.filter((edit) => edit !== from));
    });
    if (found) refresh();
  });
  refresh();
  if (own) levels.open = true;
  return box;
}

/**
 * The strip of a test whose vectors the page does not have: as it was measured.
 * @param {Context} context
 * @param {TestEntry} one
 */
export function benchStill(context, one) {
  const { titles: t, level1 } = one, pair = Boolean(t.y), { crossed } = level1, ends = testsEnds(context, one);
  const groups = (pair ? ["x", "y"] : ["a", "b"]).map((role) => {
    const words = level1.sets[role].filter((word) => Object.hasOwn(level1.associations, word)).map((word) => ({ word, value: level1.associations[word], state: /** @type {const} */ ("in") }));
    return { role, title: t[role], words, mean: STATISTICS.meanOf(words.map((each) => each.value)) };
  });
  /** @type {Strip} */
  const strip = {
    groups, difference: crossed.difference, low: pointed(context.document, ends.low), high: pointed(context.document, ends.high),
    poles: pair ? [t.b, t.a] : [`less similar to ${t.x}`, `more similar to ${t.x}`],
    axis: pair ? BENCH_AXIS : `mean cosine with ${flat(t.x)}`,
    label: `Every word on one axis. Mean of ${groups.map((each) => `${flat(each.title)} ${fixed(each.mean, 3)}`).join(", of ")}.`,
  };
  return chartsFigure({ most: 860, draw: (width) => stripImage(strip, width, null), caption: "Each word where it lies between the ends; dashed lines: means. The bar is their difference \u0394." });
}
