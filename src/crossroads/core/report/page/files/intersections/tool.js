// @ts-check
// The plane as a tool: choose group, axes and detection, go from word to word, search, and read the numbers.

import { PLOT_DIAMOND, PLOT_DISC, plotKeyed } from "../charts/plots.js";
import { data } from "../parts/audits.js";
import { plotChoice, plotNamed, plotRedrawn } from "../parts/columns.js";
import { bdi, el, fresh, say, tell } from "../parts/elements.js";
import { whole } from "../parts/numbers.js";
import { table } from "../parts/tables.js";
import { detectChance, detectGroup, PLANE_MOST, planeDrawing, planeSides } from "./plane.js";

/**
 * What is known of the word chosen: its score with every contrast.
 * @param {PlanePoint | null} point
 * @param {PlaneSource} source
 */
function planeReading(point, source) {
  if (!point) return el("p", { class: "note" }, "Point at a word, go to it with the arrow keys, or search it to read its numbers.");
  const rows = source.contrasts.map((one) => ({ one, value: one.score(point.index) }));
  return [
    el("h4", {}, bdi(point.word)),
    point.judged ? el("p", {}, point.found ? "Found" : "Not found", " by the detection chosen", point.true ? "; people listed it in the study." : ".") : null,
    table({
      caption: `Scores of ${point.word}`,
      rows,
      search: false,
      columns: [
        plotNamed("contrast", (row) => row.one.name),
        { title: "score", value: (row) => row.value, cell: (row) => row.one.shown(point.index) },
      ],
    }),
  ];
}

/**
 * The first contrast of another category than the one that goes up.
 * @param {PlaneSource} source
 */
const planeStart = (source) => {
  const up = 0,
    mine = planeSides(source.contrasts[0].name)[0];
  const across = source.contrasts.findIndex((one, i) => i > 0 && planeSides(one.name)[0] !== mine);
  return { up, across: across > 0 ? across : 1 };
};

/**
 * Every word at its scores on the two axes; of very many, those found and those furthest out.
 * @param {PlaneSource} source
 * @param {Json} detection
 * @param {PlaneState} state
 * @returns {PlanePoint[]}
 */
function planePoints(source, detection, state) {
  const found = new Set(detection?.words),
    truth = new Set(detection?.truth);
  const [x, y] = [source.contrasts[state.across], source.contrasts[state.up]];
  const all = source.words
    .map((word, index) => {
      const at = [x.score(index), y.score(index)],
        weight = detection?.scores[word] ?? Math.hypot(...at);
      return { word, index, x: at[0], y: at[1], found: found.has(word), true: truth.has(word), judged: Boolean(detection), weight };
    })
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
  if (all.length <= PLANE_MOST) return all;
  /** @param {PlanePoint} point */
  const first = (point) => Number(point.found || point.true || point.word === state.word);
  return all.sort((a, b) => first(b) - first(a) || Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y)).slice(0, PLANE_MOST);
}

/**
 * The word that is read at first: the strongest of those found.
 * @param {PlanePoint[]} points
 */
const planeFirst = (points) => points.slice().sort((a, b) => Number(b.found) - Number(a.found) || b.weight - a.weight)[0]?.word ?? null;

/** @param {PlaneSource} source */
function planeNote(source) {
  const drawn = `Of ${whole(source.words.length)} words ${whole(PLANE_MOST)} are drawn: those found and those furthest out.`;
  return el(
    "p",
    { class: "note" },
    source.computed
      ? "Scores were computed in this page from the vectors of the names: the group against one other group on each axis."
      : "Scores as in results.json: difference of the mean cosines of a word with the names of either side, in standard " +
          "deviations. A word is found by its scores with whole groups, not by its place here.",
    " The corners name the groups towards which a word leans there. Names are written where there is room; choose any mark to " +
      "see its word and its scores.",
    source.words.length > PLANE_MOST ? ` ${drawn} Any other is drawn when it is searched.` : "",
  );
}

/**
 * The detection that is shown at first for a group: one that is better than chance, if there is one.
 * @param {Named[]} detections
 * @param {string} group
 */
function detectFirst(detections, group) {
  const mine = detections.map((one, i) => (detectGroup(one) === group ? i : -1)).filter((i) => i >= 0);
  return mine.find((i) => !detectChance(detections[i])) ?? mine[0] ?? -1;
}

/**
 * Choices, plane, search and the numbers of the word chosen.
 * @param {Json[]} sources
 * @param {Named[]} detections
 */
export function planeTool(sources, detections) {
  /** @type {PlaneState} */
  const state = { source: 0, detection: -1, up: 0, across: 1, word: null },
    made = sources.map(() => null);
  const body = el("div", {}),
    reading = el("div", { class: "reading" });
  const current = () => (made[state.source] ??= sources[state.source].make ? sources[state.source].make() : sources[state.source]);
  /** @param {Partial<PlaneState>} changes */
  const set = (changes) => {
    Object.assign(state, changes);
    draw();
  };
  /** @param {number} index */
  const start = (index) => {
    state.source = index;
    set({
      detection: detectFirst(detections, sources[index].title),
      word: null,
      ...(current() ? planeStart(current()) : {}),
    });
  };
  function draw() {
    const source = current(),
      detection = detections[state.detection]?.result;
    if (!source)
      return body.replaceChildren(
        el("p", { class: "note" }, "The vectors of these names are not in this page, so that no plane can be drawn."),
      );
    const names = source.contrasts.map((/** @type {Json} */ one) => one.name),
      points = planePoints(source, detection, state);
    /** @param {PlanePoint | null} point */
    const onpick = (point) => reading.replaceChildren(...[planeReading(point, source)].flat().filter(Boolean));
    state.word ??= planeFirst(points);
    if (!state.word) onpick(null);
    const figure = planeDrawing(points, { across: names[state.across], up: names[state.up], title: source.title, state, onpick });
    const key = [
      detection && { shape: PLOT_DIAMOND, text: "found by the detection chosen" },
      { shape: PLOT_DISC, set: "faded", text: "other candidates" },
      detection?.truth.length > 0 && { ring: true, text: data.phrases.listed },
    ].filter(Boolean);
    return plotRedrawn(
      body,
      planeChoices({ sources, detections, names, state, set, start, words: source.words }),
      state.detection >= 0 && detectChance(detections[state.detection]) ? el("p", { class: "warned" }, "This detection is ", data.phrases.at_chance, ".") : null,
      plotKeyed(figure, key),
      planeNote(source),
    );
  }
  start(0);
  return el("div", { class: "planed" }, body, reading);
}

/**
 * Go to a word that begins so; one that is not drawn is drawn for it.
 * @param {string} text
 * @param {string[]} words
 * @param {{ state: PlaneState, set: (changes: Partial<PlaneState>) => void }} options
 */
function planeSearch(text, words, { state, set }) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  const found = words.find((word) => word.toLowerCase() === wanted) ?? words.find((word) => word.toLowerCase().startsWith(wanted));
  if (!found) {
    tell(`there is no word here that begins with ${wanted}`);
    return;
  }
  if (!state.choose?.(found)) set({ word: found });
  say(`${found} shown`);
}

/** @param {{ sources: Json[], detections: Named[], names: string[], state: PlaneState, set: (changes: Partial<PlaneState>) => void, start: (index: number) => void, words: string[] }} options */
function planeChoices({ sources, detections, names, state, set, start, words }) {
  const id = fresh("plane-words"),
    input = fresh("plane-word"),
    few = words.length <= 5000;
  const search = el("input", {
    id: input,
    type: "search",
    list: few ? id : null,
    autocomplete: "off",
    onchange: (event) => planeSearch(event.target.value, words, { state, set }),
  });
  return el(
    "div",
    { class: "choices" },
    sources.length > 1
      ? plotChoice(
          "Group",
          sources.map((one) => one.title),
          state.source,
          start,
        )
      : null,
    detections.length
      ? plotChoice("Words found by", ["none", ...detections.map((one) => one.name)], state.detection + 1, (i) => set({ detection: i - 1 }))
      : null,
    plotChoice("Across", names, state.across, (across) => set({ across })),
    plotChoice("Up", names, state.up, (up) => set({ up })),
    el("div", { class: "choice" }, el("label", { for: input }, "Find a word"), search),
    few
      ? el(
          "datalist",
          { id },
          words.map((word) => el("option", { value: word })),
        )
      : null,
  );
}
