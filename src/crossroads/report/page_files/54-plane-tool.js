// The plane as a tool: choose group, axes and detection, go from word to word, search, and read the numbers.

/** The point nearest to a pointer, if one is near. */
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

/** Choosing a word: it can be reached by the tabulator, is ringed, and its numbers are shown. */
function planeChooser(points, { halo, onpick, state }) {
  let held = points[0];
  const mark = (point, on) => {
    point?.node.setAttribute("tabindex", on ? 0 : -1);
    point?.node.setAttribute("aria-selected", String(on));
  };
  held?.node.setAttribute("tabindex", 0);
  return (point, focus = false) => {
    mark(held, false);
    mark((held = point), true);
    for (const [name, value] of [
      ["cx", point.px],
      ["cy", point.py],
      ["visibility", "visible"],
    ])
      halo.setAttribute(name, value);
    state.word = point.word;
    if (focus) point.node.focus({ preventScroll: true });
    onpick(point);
  };
}

const PLANE_KEYS = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1] };

/** Pointer, arrows and search all choose a word in one way. */
function planeKeys(svg, points, { halo, onpick, state }) {
  const choose = planeChooser(points, { halo, onpick, state });
  state.choose = (word) => {
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

/** What is known of the word chosen: its score with every contrast. */
function planeReading(point, source) {
  if (!point) return el("p", { class: "note" }, "Point at a word, go to it with the arrow keys, or search it to read its numbers.");
  const rows = source.contrasts.map((one) => ({ one, value: one.score(point.index) }));
  return [
    el("h4", {}, bdi(point.word)),
    point.judged ? el("p", {}, point.found ? "Found" : "Not found", " by the detection chosen", point.true ? "; a true word." : ".") : null,
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

/** The first contrast of another category than the one that goes up. */
const planeStart = (source) => {
  const up = 0,
    mine = planeSides(source.contrasts[0].name)[0];
  const across = source.contrasts.findIndex((one, i) => i > 0 && planeSides(one.name)[0] !== mine);
  return { up, across: across > 0 ? across : 1 };
};

/** Every word at its scores on the two axes; of very many, those found and those furthest out. */
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
  const first = (point) => point.found || point.true || point.word === state.word;
  return all.sort((a, b) => first(b) - first(a) || Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y)).slice(0, PLANE_MOST);
}

/** The word that is read at first: the strongest of those found. */
const planeFirst = (points) => points.slice().sort((a, b) => b.found - a.found || b.weight - a.weight)[0]?.word ?? null;

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

/** Choices, plane, search and the numbers of the word chosen. */
function planeTool(context, sources, detections) {
  const state = { source: 0, detection: -1, up: 0, across: 1, word: null },
    made = sources.map(() => null);
  const body = el("div", {}),
    reading = el("div", { class: "reading" });
  const current = () => (made[state.source] ??= sources[state.source].make ? sources[state.source].make() : sources[state.source]);
  const set = (changes) => {
    Object.assign(state, changes);
    draw();
  };
  const start = (index) => {
    state.source = index;
    set({
      detection: detections.findIndex((one) => detectGroup(one) === sources[index].title),
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
    const names = source.contrasts.map((one) => one.name),
      points = planePoints(source, detection, state);
    const onpick = (point) => reading.replaceChildren(...[planeReading(point, source)].flat().filter(Boolean));
    state.word ??= planeFirst(points);
    if (!state.word) onpick(null);
    const figure = planeDrawing(points, { across: names[state.across], up: names[state.up], title: source.title, state, onpick });
    const key = [
      detection && { shape: PLOT_DIAMOND, text: "found by the detection chosen" },
      { shape: PLOT_DISC, set: "faded", text: "other candidates" },
      detection?.truth.length > 0 && { ring: true, text: "true words" },
    ].filter(Boolean);
    return plotRedrawn(
      body,
      planeChoices({ sources, detections, names, state, set, start, words: source.words }),
      plotKeyed(figure, key),
      planeNote(source),
    );
  }
  start(0);
  return el("div", { class: "planed" }, body, reading);
}

/** Go to a word that begins so; one that is not drawn is drawn for it. */
function planeSearch(text, words, { state, set }) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  const found = words.find((word) => word.toLowerCase() === wanted) ?? words.find((word) => word.toLowerCase().startsWith(wanted));
  if (!found) {
    tell(`there is no word here that begins with ${wanted}`);
    return;
  }
  if (!state.choose(found)) set({ word: found });
  say(`${found} shown`);
}

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
