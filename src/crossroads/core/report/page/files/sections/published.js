// @ts-check
// What papers found with a test, one dot a model, and ours among them: in the section on published work and inside each test.

import { PLOT_DIAMOND, PLOT_DISC, plotKeyed } from "../charts/plots.js";
import { stripChart } from "../charts/strips.js";
import { contextOf, data, named } from "../parts/audits.js";
import { bdi, el } from "../parts/elements.js";
import { fixed, num, numbered, whole } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { testsOf, testsQuestion } from "../tests/entries.js";

/** @typedef {import("../charts/strips.js").StripPoint} StripPoint */

/**
 * The published effect sizes of a test, one for each model and way of measuring; Level 2 and rates are not among them.
 * @param {string} name
 * @returns {StripPoint[]}
 */
function publishedPoints(name) {
  /** @type {Map<string, StripPoint & { more: string[] }>} */
  const found = new Map();
  for (const one of Object.hasOwn(data.findings, name) ? data.findings[name] : []) {
    const contexts = /combined effect size/.test(one.statistic);
    if (typeof one.value !== "number" || !(contexts || /effect size d \(Level 1\)/.test(one.statistic))) continue;
    const key = `${one.model} ${contexts}`, place = `${fixed(one.value)} (${one.table})`, known = found.get(key);
    if (known) known.more.push(place);
    else found.set(key, { name: one.model, value: one.value, hollow: contexts, more: [place] });
  }
  return [...found.values()].map(({ more, ...one }) => ({ ...one, title: `${one.name}${one.hollow ? ", over contexts" : ""}: ${more.join(", ")}` }));
}

/**
 * The models of the page with the same test, the one chosen first.
 * @param {Context} context
 * @param {TestEntry} one
 * @returns {StripPoint[]}
 */
function publishedOurs(context, one) {
  const others = data.audits.map((_, i) => i).filter((i) => i !== context.index);
  return [context.index, ...others].flatMap((i) => {
    const mine = i === context.index ? one : testsOf(contextOf(i)).find((other) => other.name === one.name), value = mine?.level1.effect_size;
    return Number.isFinite(value) ? [{ name: data.audits.length > 1 ? named(i) : `this model, ${named(i)}`, value, ours: true, title: `${named(i)}, measured here: ${fixed(value)}` }] : [];
  });
}

const PUBLISHED_KEY = [
  { shape: PLOT_DISC, text: "published, one vector for each word" },
  { shape: PLOT_DISC, hollow: true, text: "published, combined over contexts" },
  { shape: PLOT_DIAMOND, set: "ours", text: "measured here" },
];

/**
 * The tests of an audit about which something is published.
 * @param {Context} context
 */
const publishedTests = (context) => testsOf(context).filter((one) => publishedPoints(one.name).length && Number.isFinite(one.level1.effect_size));

/** @type {Map<number, StripPoint[]>} */
const PUBLISHED_POINTS = new Map();

/**
 * All points of the strips of an audit, which share one axis.
 * @param {Context} context
 */
function publishedAll(context) {
  const known = PUBLISHED_POINTS.get(context.index) ?? publishedTests(context).flatMap((one) => [...publishedPoints(one.name), ...publishedOurs(context, one)]);
  PUBLISHED_POINTS.set(context.index, known);
  return known;
}

/**
 * The strip of one test; null where nothing is published about it.
 * @param {Context} context
 * @param {TestEntry} one
 * @param {{ key?: boolean }} [options]
 */
export function publishedStrip(context, one, { key = true } = {}) {
  const published = publishedPoints(one.name), ours = publishedOurs(context, one), { x, y, a, b } = one.titles;
  if (!published.length || !ours.length) return null;
  const said = [...published].sort((p, q) => q.value - p.value).map((p) => `${p.name}${p.hollow ? " over contexts" : ""} ${fixed(p.value)}`);
  const more = published.filter((p) => p.value > ours[0].value).length;
  const closer = ` closer to ${flat(a)}, relative to ${flat(b)}`;
  const figure = stripChart({
    points: [...published, ...ours], beside: publishedAll(context),
    poles: y ? [`${flat(y)}${closer}`, `${flat(x)}${closer}`] : [`${flat(x)} closer to ${flat(b)}`, `${flat(x)} closer to ${flat(a)}`],
    label: `Effect sizes d of ${flat(testsQuestion(one))}. Measured here: ${ours.map((o) => `${o.name} ${fixed(o.value)}`).join(", ")}. `
      + `Published, largest first: ${said.join(", ")}. ${whole(more)} of ${whole(published.length)} published numbers are larger than that of ${named(context.index)}.`,
  });
  return key ? plotKeyed(figure, published.some((p) => p.hollow) ? PUBLISHED_KEY : [PUBLISHED_KEY[0], PUBLISHED_KEY[2]]) : figure;
}

const STRIPS_AT_FIRST = 16;

/**
 * All strips of an audit, each with its question.
 * @param {Context} context
 */
export function publishedStrips(context) {
  const known = publishedTests(context);
  if (!known.length) return null;
  /** @param {TestEntry} one */
  const strip = (one) => el("div", { class: "stripped" },
    el("h4", {}, bdi(testsQuestion(one)), " ", el("a", { class: "paper-name", href: `#${one.id}` }, bdi(one.name)), el("span", { class: "paper-name" }, ", here d = ", num(context, `${one.at}/effect_size`))),
    publishedStrip(context, one, { key: false }));
  const rest = known.slice(STRIPS_AT_FIRST);
  return [
    el("h3", {}, "Published models next to this one"),
    plotKeyed(el("figure", {}, el("figcaption", {}, "Effect sizes d of the same questions, on one axis. Models, and often words and procedures, differ: a "
      + "difference is no error of either. Effect sizes of lists of different lengths do not compare exactly.")), PUBLISHED_KEY),
    known.slice(0, STRIPS_AT_FIRST).map(strip),
    rest.length ? opening(`The other ${numbered(rest.length, "test")}`, () => rest.map(strip)) : null,
  ];
}
