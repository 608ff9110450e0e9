// @ts-check
// Every test in all models of the page: a small panel a test with a dot a model, all panels on one scale.

import { chartsAxis, chartsDot, chartsFigure, chartsImage, chartsScale, chartsSpan } from "../charts/charts.js";
import { chartsLines, chartsWide } from "../charts/lettering.js";
import { plotKeyed, plotText } from "../charts/plots.js";
import { data, modelContexts, named } from "../parts/audits.js";
import { plotColumn, plotNamed } from "../parts/columns.js";
import { el, sv } from "../parts/elements.js";
import { casesOf, fixed, num, pointed } from "../parts/numbers.js";
import { flat, table } from "../parts/tables.js";
import { opening } from "../parts/views.js";
import { agreementPlot } from "../traits/agreement.js";
import { ANSWERS, testsAnswer, testsOf, testsQuestion, testsTitled } from "../tests/entries.js";

/**
 * The tests of a model over contexts, with what is known of each.
 * @param {Context} context
 * @returns {ModelTest[]}
 */
const overContexts = (context) =>
  context.of("CeatBatteryResult").flatMap(({ result, path }) =>
    result.tests.map((test, i) => {
      const at = `${path}/tests/${i}`;
      return {
        key: JSON.stringify([test.design, "contexts"]),
        name: `${test.design}, over contexts`,
        titles: testsTitled(result.titles[test.design]) ? result.titles[test.design] : undefined,
        dot: { context, at, value: `${at}/effect_size`, answer: testsAnswer(context, { at, bh: `${path}/adjusted/bh/${i}` }) },
      };
    }),
  );

/**
 * The tests of a model on one vector per word.
 * @param {Context} context
 * @returns {ModelTest[]}
 */
const onVectors = (context) =>
  testsOf(context)
    .filter((one) => one.titles.y)
    .map((one) => ({
      key: JSON.stringify([one.name, one.level1.digest]),
      name: one.name,
      titles: testsTitled(one.titles) ? one.titles : undefined,
      dot: {
        context,
        at: one.at,
        value: `${one.at}/effect_size`,
        answer: testsAnswer(context, one),
      },
    }));

/** @param {number | null} chance */
const cases = (chance) => (Number.isFinite(chance) ? `another set of words would agree in ${casesOf(Number(chance))} of 100 cases` : "how sure cannot be told");
/** @param {ModelPanel} panel */
const values = ({ dots }) => dots.map(({ context, value }) => pointed(context.document, value) ?? NaN).filter(Number.isFinite);
/** @param {ModelPanel} panel */
const spread = (panel) => Math.max(...values(panel)) - Math.min(...values(panel));

/**
 * What two models or more were asked alike; the test on which they differ most comes first.
 * @returns {ModelPanel[]}
 */
export function modelPanels() {
  /** @type {Map<string, ModelPanel>} */
  const found = new Map();
  for (const { key, dot, ...about } of modelContexts().flatMap((context) => [...onVectors(context), ...overContexts(context)])) {
    const panel = found.get(key) ?? { ...about, dots: [] };
    if (!panel.dots.some((one) => one.context === dot.context)) panel.dots.push(dot);
    found.set(key, panel);
  }
  return [...found.values()].filter((panel) => values(panel).length > 1).sort((one, other) => spread(other) - spread(one));
}

const ROW = 19;
const LINE = 15;

/**
 * What stands around a panel in a width: the question in bold type, and what the ends of its axis mean.
 * @param {ModelPanel} panel
 * @param {number} width
 */
function panelTexts({ name, titles }, width) {
  const half = width / 2 - 8;
  return {
    head: titles ? chartsLines(testsQuestion({ titles }), 0.92 * width - 8, 12, 3) : [flat(name)],
    left: titles ? chartsLines(`\u2190 ${titles.x} closer to ${titles.b}, relative to ${titles.a}`, half, 11, 3) : [],
    right: titles ? chartsLines(`\u2192 ${titles.x} closer to ${titles.a}, relative to ${titles.b}`, half, 11, 3) : [],
  };
}

/**
 * One panel: the question above, a line a model, what the ends mean below.
 * @param {ModelPanel} panel
 * @param {{ x: number, y: number, width: number, left: number, ends: [number, number], head: number }} room
 */
function panelDrawn(panel, { x, y, width, left, ends: [low, high], head }) {
  const at = chartsScale(low, high, x + left, x + width - 10),
    top = y + head * LINE + 22,
    bottom = top + panel.dots.length * ROW,
    texts = panelTexts(panel, width);
  return sv(
    "g",
    {},
    texts.head.map((text, i) => sv("text", { x: x + 2, y: y + 12 + LINE * i, "font-weight": 600 }, text)),
    panel.titles && plotText(panel.name, width - 12, { x: x + 2, y: y + 12 + LINE * texts.head.length, class: "second" }, 11),
    chartsAxis({ low, high, at, y: bottom, top, wanted: 4 }),
    texts.left.map((text, i) => sv("text", { x: x + 2, y: bottom + 30 + 14 * i, class: "second", "font-size": 11 }, text)),
    texts.right.map((text, i) => sv("text", { x: x + width - 8, y: bottom + 30 + 14 * i, "text-anchor": "end", class: "second", "font-size": 11 }, text)),
    panel.dots.map(({ context, at: place, value, answer }, i) => {
      const read = (/** @type {string} */ path) => pointed(context.document, path),
        d = read(value),
        middle = top + (i + 0.5) * ROW,
        model = flat(named(context.index));
      return sv(
        "g",
        { class: "model" },
        sv("title", {}, `${model}: ${answer}, ${cases(read(`${place}/crossed/agreement`))}; d = ${Number.isFinite(d) ? fixed(d) : "none"}`),
        plotText(model, left - 12, { x: x + left - 8, y: middle + 4, "text-anchor": "end" }, 11.5),
        sv("line", { x1: x + left, x2: x + width - 10, y1: middle, y2: middle, class: "grid" }),
        Number.isFinite(d) && chartsDot(0, at(d), middle, "", answer !== ANSWERS.holds),
      );
    }),
  );
}

/** @param {ModelPanel[]} panels */
function panelsFigure(panels) {
  const names = [...new Set(panels.flatMap(({ dots }) => dots.map(({ context }) => flat(named(context.index)))))];
  const ends = chartsSpan([0, ...panels.flatMap((panel) => values(panel))]);
  /** @param {number} width */
  const draw = (width) => {
    const columns = width >= 860 ? 3 : width >= 540 ? 2 : 1,
      each = width / columns,
      left = 14 + Math.min(each * 0.36, Math.max(...names.map((name) => chartsWide(name, 11.5))));
    /** @type {ModelPanel[][]} */
    const rows = [];
    panels.forEach((panel, i) => (i % columns ? rows[rows.length - 1].push(panel) : rows.push([panel])));
    let y = 4;
    const drawn = rows.map((row) => {
      const top = y,
        texts = row.map((panel) => panelTexts(panel, each - 14)),
        head = Math.max(...texts.map((one) => one.head.length)),
        below = Math.max(...texts.map((one) => Math.max(one.left.length, one.right.length)));
      y += head * LINE + 22 + Math.max(...row.map(({ dots }) => dots.length)) * ROW + 34 + 14 * below;
      return row.map((panel, i) => panelDrawn(panel, { x: i * each, y: top, width: each - 14, left, ends, head }));
    });
    return chartsImage(
      width,
      y,
      `Effect sizes of ${panels.length} tests in ${names.length} models, a panel a test and a dot a model, all on one scale.`,
      drawn,
    );
  };
  return chartsFigure({ draw, most: 960 });
}

/** @param {ModelPanel[]} panels */
function panelsTable(panels) {
  const rows = panels.flatMap((panel) => panel.dots.map((dot) => ({ panel, ...dot })));
  return rows.length
    ? table({
        caption: "Effect sizes of each test in each model",
        rows,
        filters: [{ title: "Model", value: (row) => named(row.context.index) }],
        columns: [
          plotNamed("question", ({ panel }) => (panel.titles ? testsQuestion({ titles: panel.titles }) : panel.name)),
          plotNamed("test", ({ panel }) => panel.name),
          plotNamed("model", (row) => named(row.context.index)),
          {
            ...plotColumn(rows[0].context, "agree", (row) => `${row.at}/crossed/agreement`, { about: data.phrases.agreement }),
            value: (row) => pointed(row.context.document, `${row.at}/crossed/agreement`) ?? null,
            cell: (row) => num(row.context, `${row.at}/crossed/agreement`, { as: "agree" }),
          },
          plotNamed("answer", (row) => row.answer, "do the groups differ beyond just these words?"),
          {
            ...plotColumn(rows[0].context, "d", (row) => row.value),
            value: (row) => pointed(row.context.document, row.value),
            cell: (row) => num(row.context, row.value),
          },
        ],
      })
    : null;
}

const FIRST = 12;

/**
 * All tests in all models; of many, those on which the models differ most, and the others on request.
 * @param {ModelPanel[]} panels
 */
export const modelMultiples = (panels) => [
  el("h3", {}, "All models, test by test"),
  el(
    "p",
    { class: "note" },
    "A panel a test, a dot a model, all on one scale of the effect size d; the test on which the models lie furthest apart comes first. ",
    "Models differ by chance too: whether a difference is more than that, paired tests say.",
  ),
  plotKeyed(panelsFigure(panels.slice(0, FIRST)), [
    { shape: 0, text: "yes, beyond just these words (p, adjusted, below .05)" },
    { shape: 0, hollow: true, text: "no, or cannot tell yet" },
  ]),
  panels.length > FIRST
    ? opening(`The other ${panels.length - FIRST} tests`, () => panelsFigure(panels.slice(FIRST)), { id: "models-others" })
    : null,
  opening("The same in numbers", () => panelsTable(panels), { id: "models-numbers" }),
];

/**
 * How far the models of the page agree with people, a line for each model and measure.
 * @returns {Child}
 */
export function modelPeople() {
  const rows = modelContexts().flatMap((context) =>
    context.of("AlignmentResult").map(({ result, name }) => ({ model: named(context.index), result, name: name.replace(/ alignment$/, "") })),
  );
  if (new Set(rows.map(({ model }) => model)).size < 2) return null;
  return [
    el("h3", {}, "Agreement with people, model by model"),
    agreementPlot(rows.map(({ model, result, name }) => ({ result, name: `${model}: ${name}` }))),
  ];
}
