// @ts-check
// The plane that two contrasts of groups span, with every word in it: across, say, female against male, and up,
// one group against another. Scores are those of results.json, or computed here from the vectors of the names.

import { chartsDot, chartsFigure, chartsScale, chartsTicksIn } from "../charts/charts.js";
import { chartsClip, chartsName, chartsReach, chartsWide, chartsWidest } from "../charts/lettering.js";
import { PLOT_DIAMOND, PLOT_DISC, plotText } from "../charts/plots.js";
import { fresh, sv } from "../parts/elements.js";
import { computed, fixed, num, pointed } from "../parts/numbers.js";
import { flat } from "../parts/tables.js";
import { STATISTICS } from "../statistics/statistics.js";

/**
 * The point nearest to a pointer, if one is near.
 * @param {SVGSVGElement} svg
 * @param {DrawnPoint[]} points
 * @param {PointerEvent | MouseEvent} event
 */
function planeNear(svg, points, event) {
  const box = svg.getBoundingClientRect(),
    zoom = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * zoom,
    y = (event.clientY - box.top) * zoom;
  let best = null,
    least = 14;
  for (const point of points) {
    const far = Math.hypot(point.px - x, point.py - y);
    if (far < least) [best, least] = [point, far];
  }
  return best;
}

/**
 * Choosing a word: it can be reached by the tabulator, is ringed, and its numbers are shown.
 * @param {DrawnPoint[]} points
 * @param {{ halo: SVGElement, onpick: (point: PlanePoint) => void, state: PlaneState }} options
 */
function planeChooser(points, { halo, onpick, state }) {
  let held = points[0];
  /**
   * @param {DrawnPoint} point
   * @param {boolean} on
   */
  const mark = (point, on) => {
    point?.node.setAttribute("tabindex", on ? "0" : "-1");
    point?.node.setAttribute("aria-selected", String(on));
  };
  held?.node.setAttribute("tabindex", "0");
  return (/** @type {DrawnPoint} */ point, focus = false) => {
    mark(held, false);
    mark((held = point), true);
    halo.setAttribute("cx", String(point.px));
    halo.setAttribute("cy", String(point.py));
    halo.setAttribute("visibility", "visible");
    state.word = point.word;
    if (focus) point.node.focus({ preventScroll: true });
    onpick(point);
  };
}

/** @type {Record<string, [axis: "x" | "y", step: number]>} */
const PLANE_KEYS = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1] };

/**
 * Pointer, arrows and search all choose a word in one way.
 * @param {SVGSVGElement} svg
 * @param {DrawnPoint[]} points
 * @param {{ halo: SVGElement, onpick: (point: PlanePoint) => void, state: PlaneState }} options
 */
function planeKeys(svg, points, { halo, onpick, state }) {
  const choose = planeChooser(points, { halo, onpick, state });
  state.choose = (/** @type {string} */ word) => {
    const found = points.find((point) => point.word === word);
    if (found) choose(found);
    return Boolean(found);
  };
  svg.addEventListener("pointermove", (event) => {
    const point = planeNear(svg, points, event);
    if (point && point.word !== state.word) choose(point);
  });
  svg.addEventListener("click", (event) => {
    const point = planeNear(svg, points, event);
    if (point) choose(point, true);
  });
  svg.setAttribute("tabindex", "-1"); // Chromium stops at a picture that listens to focus, as if it were a control
  svg.addEventListener("focusin", (event) => {
    const point = points.find((one) => one.node === event.target);
    if (point && point.word !== state.word) choose(point);
  });
  svg.addEventListener("keydown", (event) => {
    const [axis, step] = PLANE_KEYS[event.key] ?? [];
    if (!axis || !points.length) return;
    event.preventDefault();
    const order = points.slice().sort((a, b) => a[axis] - b[axis]),
      now = order.findIndex((point) => point.word === state.word);
    choose(order[Math.max(0, Math.min(order.length - 1, now + step))], true);
  });
  if (state.word) state.choose(state.word);
}

/**
 * The group that a detection is of: its name without the kind.
 * @param {{ name: string }} one
 */
export const detectGroup = (one) => one.name.replace(/\s+E?IBD$/i, "");

/**
 * Whether a detection is no better than chance: the interval of its AUC includes a half. Of one that is not judged this is not said.
 * @param {{ result: Json }} one
 */
export const detectChance = ({ result }) => Array.isArray(result.auc_interval) && result.auc_interval[0] <= 0.5;

const PLANE_LABELS = 28;
export const PLANE_MOST = 2000;

/** @param {string} contrast */
export const planeSides = (contrast) => {
  const [one, other] = contrast.split(" vs ");
  return [one, (other ?? `not ${one}`).replace(/ \(.*\)$/, "")];
};

/**
 * WEFAT scores as a source of the plane: their contrasts, and where each number stands in results.json.
 * @param {Context} context
 * @param {Found} found
 * @returns {PlaneSource}
 */
const planeSaved = (context, { result, path }) => ({
  title: result.target,
  words: result.words,
  target: result.target,
  contrasts: [
    ...result.constituent_names.map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, path: `${path}/constituent_scores/${i}` })),
    ...result.pair_names.map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, path: `${path}/pair_scores/${i}` })),
  ]
    .filter((one) => Array.isArray(pointed(context.document, one.path)))
    .map((one) => ({
      ...one,
      score: (i) => pointed(context.document, `${one.path}/${i}`),
      shown: (i) => num(context, `${one.path}/${i}`),
    })),
});

/**
 * Difference of the mean cosines of a word with two groups of names, in standard deviations of all of them.
 * @param {Unit} word
 * @param {Unit[]} mine
 * @param {Unit[]} theirs
 */
function planeScore(word, mine, theirs) {
  const { dot, meanOf } = STATISTICS;
  const one = mine.map((name) => dot(word, name)),
    two = theirs.map((name) => dot(word, name)),
    all = [...one, ...two],
    middle = meanOf(all);
  return (meanOf(one) - meanOf(two)) / Math.sqrt(all.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (all.length - 1));
}

/**
 * The same from the vectors of the page, where the audit kept no such scores: the group against every other one.
 * @param {Context} context
 * @param {Named} detection
 * @returns {PlaneSource | null}
 */
function planeComputed(context, detection) {
  const used = detection.result.coverage?.used ?? {},
    names = Object.keys(used).filter((key) => key !== "words"),
    target = detectGroup(detection);
  if (!names.includes(target) || names.length < 3 || !context.vectors || context.vectors.absent) return null;
  const { vectors } = context;
  /** @param {string[]} words */
  const units = (words) => words.map((word) => vectors.unit(word)).filter(Boolean);
  const words = Object.keys(detection.result.scores).filter((word) => vectors.unit(word)), ours = units(words);
  const groups = Object.fromEntries(names.map((name) => [name, units(used[name])]));
  const contrasts = names
    .filter((name) => name !== target && groups[name].length > 1)
    .map((name) => {
      const made = ours.map((unit) => planeScore(unit, groups[target], groups[name]));
      return { name: `${target} vs ${name}`, score: (/** @type {number} */ i) => made[i], shown: (/** @type {number} */ i) => computed(made[i]) };
    });
  return contrasts.length > 1 && words.length ? { title: target, words, target, contrasts, computed: true } : null;
}

/**
 * Everything that a plane can be drawn of, one for each group.
 * @param {Context} context
 * @param {Named[]} detections
 */
export function planeSources(context, detections) {
  const saved = context
    .of("WefatResult")
    .map((one) => planeSaved(context, one))
    .filter((one) => one.contrasts.length > 1);
  const known = new Set(saved.map((one) => one.target)),
    more = [];
  for (const one of detections) {
    const group = detectGroup(one);
    if (known.has(group)) continue;
    known.add(group);
    const made = { title: group, make: () => planeComputed(context, one) };
    if (one.result.coverage?.used?.[group] && context.vectors && !context.vectors.absent) more.push(made);
  }
  return [...saved, ...more];
}

/**
 * Labels for the most important words, to the right of their marks or to the left; none lies on another, or on a mark of theirs.
 * @param {DrawnPoint[]} points
 * @param {number} start where the numbers of the axis end
 * @param {number} width
 */
function planePlaced(points, start, width) {
  const taken = points.map(({ px, py }) => [px - 5, py - 5, px + 5, py + 5]),
    placed = [];
  /** @param {number[]} box */
  const free = (box) =>
    box[0] > start && box[2] < width && !taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]);
  for (const point of points) {
    const text = chartsClip(point.word, 110, 11.5),
      wide = chartsWide(text, 11.5) + 4,
      boxes = [point.px + 8, point.px - 8 - wide].map((x) => [x, point.py - 7, x + wide, point.py + 7]),
      side = boxes.findIndex(free),
      left = side === 1;
    if (side < 0) continue;
    taken.push(boxes[side]);
    placed.push(
      sv(
        "text",
        {
          class: "word",
          "font-size": 11.5,
          x: left ? point.px - 7 : point.px + 7,
          y: point.py + 4,
          "text-anchor": left ? "end" : "start",
          "aria-hidden": "true",
        },
        text,
      ),
    );
  }
  return placed;
}

/**
 * The names of the quadrants: the two sides that meet in each. They lie above the words, and let pointers through.
 * @param {{ side: number, left: number, across: string, up: string }} options
 */
function planeCorners({ side, left, across, up }) {
  const sides = [planeSides(across), planeSides(up)],
    half = side / 2 - 12;
  /**
   * @param {boolean} right
   * @param {boolean} top
   */
  const corner = (right, top) => {
    const [one, other] = [sides[1][top ? 0 : 1], sides[0][right ? 0 : 1]],
      x = right ? left + side - 4 : left + 4,
      whole = one === other ? one : `${one} and ${other}`;
    const texts = chartsWide(whole, 12, 600) <= half ? [whole] : [one, `and ${other}`],
      first = top ? 22 : side + 2 - 15 * (texts.length - 1);
    return texts.map((text, i) => plotText(text, half, { x, y: first + 15 * i, "text-anchor": right ? "end" : "start", class: "corner" }, 12, 600));
  };
  const all = [true, false].flatMap((right) => [true, false].map((top) => corner(right, top)));
  return sv("g", { "aria-hidden": "true", "pointer-events": "none" }, all);
}

/**
 * The numbers along both axes.
 * @param {number} limit
 * @param {number} width
 * @param {number} side
 */
const planeTicks = (limit, width, side) => chartsTicksIn(-limit, limit, width < 420 ? 4 : 6, side);

/**
 * Axes and their ends.
 * @param {{ width: number, side: number, left: number, limit: number, across: string, up: string }} options
 */
function planeFrame({ width, side, left, limit, across, up }) {
  const at = chartsScale(-limit, limit, left, left + side),
    rise = chartsScale(-limit, limit, 8 + side, 8),
    half = side / 2 - 12,
    { above } = chartsReach();
  const sides = [planeSides(across), planeSides(up)];
  /**
   * @param {string} text
   * @param {number} x
   * @param {string} anchor
   * @param {string} other
   */
  const ends = (text, x, anchor, other) => chartsName(flat(text), Math.max(half, side - 12 - chartsWide(other)), { x, y: side + 40, "text-anchor": anchor, class: "second" });
  /**
   * @param {string} text
   * @param {number} y
   * @param {string} anchor
   * @param {string} other
   */
  const turned = (text, y, anchor, other) =>
    chartsName(flat(text), Math.max(half, side - 12 - chartsWide(other)), { x: above, y, "text-anchor": anchor, class: "second", transform: `rotate(-90 ${above} ${y})` });
  return sv(
    "g",
    { "aria-hidden": "true" },
    planeTicks(limit, width, side).map(({ value, text }) => [
      sv("path", {
        class: Math.abs(value) < 1e-12 ? "zero" : "grid",
        d: `M${at(value)} 8V${8 + side}M${left} ${rise(value)}H${left + side}`,
      }),
      sv("text", { x: at(value), y: side + 23, "text-anchor": "middle", class: "second" }, text),
      sv("text", { x: left - 5, y: rise(value) + 4, "text-anchor": "end", class: "second" }, text),
    ]),
    ends(`\u2190 ${sides[0][1]}`, left, "start", `${sides[0][0]} \u2192`),
    ends(`${sides[0][0]} \u2192`, left + side, "end", `\u2190 ${sides[0][1]}`),
    turned(`\u2190 ${sides[1][1]}`, 8 + side, "start", `${sides[1][0]} \u2192`),
    turned(`${sides[1][0]} \u2192`, 8, "end", `\u2190 ${sides[1][1]}`),
  );
}

/**
 * One word of the plane.
 * @param {PlanePoint} point
 * @param {number} x
 * @param {number} y
 */
function planeWord(point, x, y) {
  const kind = point.found ? "found" : "not found",
    truth = point.true ? ", listed by people in the study" : "";
  return sv(
    "g",
    {
      role: "option",
      id: fresh("word"),
      tabindex: -1,
      "aria-selected": "false",
      "data-word": point.word,
      "aria-label": `${flat(point.word)}: across ${fixed(point.x)}, up ${fixed(point.y)}${point.judged ? `; ${kind}${truth}` : ""}`,
    },
    point.true && sv("circle", { cx: x, cy: y, r: 7, class: "ring" }),
    chartsDot(point.found ? PLOT_DIAMOND : PLOT_DISC, x, y, point.found ? "" : "faded"),
  );
}

/**
 * The drawing: words are options of a list, of which one can be reached by the tabulator and the others by arrows.
 * @param {PlanePoint[]} given
 * @param {{ across: string, up: string, title: string, onpick: (point: PlanePoint) => void, state: PlaneState }} options
 */
export function planeDrawing(given, { across, up, title, onpick, state }) {
  const points = /** @type {DrawnPoint[]} */ (given); // drawing says where
  /** @param {number} width */
  const draw = (width) => {
    const limit = 1.08 * points.reduce((most, p) => Math.max(most, Math.abs(p.x), Math.abs(p.y)), 0.1),
      { above, below } = chartsReach(),
      numbers = planeTicks(limit, width, width - 56).map((one) => one.text),
      left = Math.ceil(above + below + 10 + chartsWidest(numbers)),
      side = width - left - 8;
    const at = chartsScale(-limit, limit, left, left + side),
      rise = chartsScale(-limit, limit, 8 + side, 8);
    for (const p of points) {
      p.px = at(p.x);
      p.py = rise(p.y);
      p.node = planeWord(p, p.px, p.py);
    }
    const named = points.filter((p) => p.found),
      labelled = (named.length ? named : points)
        .slice()
        .sort((a, b) => b.weight - a.weight)
        .slice(0, PLANE_LABELS);
    const halo = sv("circle", { r: 9, class: "halo", visibility: "hidden", "aria-hidden": "true" });
    const list = sv(
      "g",
      {
        role: "listbox",
        "aria-label": `${flat(title)}: ${points.length} words by ${flat(across)} and ${flat(up)}; arrow keys go from word to word`,
      },
      points
        .slice()
        .sort((a, b) => Number(a.found) - Number(b.found))
        .map((p) => p.node),
    );
    const svg = sv(
      "svg",
      { class: "chart plane", viewBox: `0 0 ${width} ${side + 50}`, width, height: side + 50, "font-size": 12 },
      planeFrame({ width, side, left, limit, across, up }),
      list,
      planeCorners({ side, left, across, up }),
      planePlaced(labelled, left, width),
      halo,
    );
    planeKeys(svg, points, { halo, onpick, state });
    return svg;
  };
  return chartsFigure({ draw, most: 620 });
}
