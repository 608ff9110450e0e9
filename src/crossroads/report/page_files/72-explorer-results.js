// What the lists of the explorer give: effect sizes at once; p-values as far as they are quickly had, and the rest of
// the count in short slices of time, until the next edit cancels it.

const EXPLORER_SLICE = 12, EXPLORER_KEPT = 24;
const EXPLORER_LEVELS = "Levels 1 and 2 of these lists, and of the saved test";
const EXPLORER_SIMILARITIES = "Level 3: cosines of each target with each attribute";
const EXPLORER_PAIRS = ["ax", "bx", "ay", "by"];
const EXPLORER_COUNTED = new Map(); // p-values by scores and conventions: undoing costs nothing

/** Unit vectors of the lists, and the words that have none in this model. */
function explorerVectors(context, lists) {
  const sets = {}, absent = [];
  for (const role of EXPLORER_ROLES) {
    const found = lists[role].words.map((word) => [word, context.vectors.unit(word)]);
    absent.push(...found.filter(([, unit]) => !unit).map(([word]) => word));
    const kept = found.filter(([, unit]) => unit);
    sets[role] = { words: kept.map(([word]) => word), units: kept.map(([, unit]) => unit) };
  }
  return { sets, absent };
}

/** The three levels, as far as the lists are long enough: two words a permuted list, one in the others. */
function explorerMeasured(context, lists, conventions) {
  const { sets, absent } = explorerVectors(context, lists), size = (role) => sets[role].units.length;
  const [x, y, a, b] = EXPLORER_ROLES.map((role) => sets[role].units), tests = {}, level3 = {};
  if (Math.min(size("x"), size("y")) > 1 && size("a") && size("b")) tests.level1 = STATISTICS.level1({ x, y, a, b }, conventions);
  for (const role of ["x", "y"]) {
    if (size(role) && Math.min(size("a"), size("b")) > 1) tests[role] = STATISTICS.level2(sets[role].units, a, b, conventions);
  }
  for (const pair of EXPLORER_PAIRS) {
    const [attribute, target] = pair;
    if (size(attribute) * size(target) > 1) level3[pair] = STATISTICS.level3(sets[target].units, sets[attribute].units, conventions);
  }
  return { sets, absent, tests, level3 };
}

/** p-value of a test as far as it is had at once, and the steps that are left; both from memory if they were had before. */
function explorerTested(test, { alternative, ties }) {
  const key = [alternative, ties, test.first.length, ...test.first, ...test.second].join();
  if (!EXPLORER_COUNTED.has(key)) {
    const options = { alternative, ties, score_error: STATISTICS.roundingError(test.dim) };
    EXPLORER_COUNTED.set(key, STATISTICS.permutationSteps(test.first, test.second, options));
    if (EXPLORER_COUNTED.size > EXPLORER_KEPT) EXPLORER_COUNTED.delete(EXPLORER_COUNTED.keys().next().value);
  }
  return EXPLORER_COUNTED.get(key);
}

/** Go on counting in short slices; `report` is called when one count is complete. Returns how to stop. */
function explorerCounting(tested, report) {
  const waiting = [...new Set(tested)].filter((one) => one.later); // two tests of the same scores are one count
  let timer = null;
  const slice = () => {
    const until = performance.now() + EXPLORER_SLICE;
    while (waiting.length && performance.now() < until) {
      const { done, value } = waiting[0].later.next();
      if (!done) continue;
      Object.assign(waiting.shift(), { now: value, later: null });
      report();
    }
    if (waiting.length) timer = setTimeout(slice);
  };
  if (waiting.length) timer = setTimeout(slice, 150); // edits that follow quickly come first
  return () => clearTimeout(timer);
}

/** A bound of a p-value, with enough digits to tell it from the other one; rounded away from it. */
function explorerBound(p, way) {
  const text = p >= 0.001 ? decimals(p, 2 - Math.floor(Math.log10(p)), way) : p > 0 ? powers(p, 2, way) : "0";
  return el("data", { value: String(p), class: "computed", title: String(p) }, text);
}

/** A difference of effect sizes, with its sign. */
const explorerChange = (by) => el("span", {}, Number(by.toFixed(2)) > 0 ? "+" : "", computed(by));

/** How a p-value was found, in words. */
function explorerMethod({ now, later }) {
  const range = [explorerBound(now.pvalue_low, "down"), " and ", explorerBound(now.pvalue_high, "up")];
  const going = later ? "; counting goes on" : "";
  if (now.method === "exact") return [`all ${now.divisions.toLocaleString("en")} divisions were counted`];
  if (now.method === "bracket") return ["certainly between ", range, going];
  return [`from a normal curve, roughly${going}`];
}

/** The leaning of a target: undecided while the bounds of p lie on both sides of the level. */
function explorerLeaning(test, tested, conventions) {
  if (!test || test.flat) return undefined;
  const [low, high] = [tested.now.pvalue_low, tested.now.pvalue_high].map((p) => STATISTICS.lean(test.effect_size, p, conventions));
  return low !== high && tested.later ? undefined : high;
}

/** The pattern, or null where it is not known (yet). */
function explorerPattern(tests, tested, conventions) {
  const [x, y] = ["x", "y"].map((role) => explorerLeaning(tests[role], tested[role], conventions));
  return x === undefined || y === undefined ? null : STATISTICS.patternOf(x, y);
}

/** Where a saved level stands in results.json, or null. */
function explorerPlace(saved, key) {
  if (!saved) return null;
  if (saved.three) return key === "level1" ? `${saved.path}/level1` : `${saved.path}/level2/${key}`;
  return (key === "level1") === Boolean(saved.level1.sets.y) && key !== "y" ? saved.path : null;
}

/** A small table without tools; `heads` are [text, class] of the columns. */
function explorerTable(caption, heads, rows) {
  const head = el("tr", {}, heads.map(([text, kind]) => (text ? el("th", { scope: "col", class: kind }, text) : el("td"))));
  const body = rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.head),
    row.cells.map((cell, i) => el("td", { class: heads[i + 1][1] }, cell))));
  return tablesWatched(el("table", {}, el("caption", {}, el("span", {}, caption)), el("thead", {}, head), el("tbody", {}, body)));
}

/** Where such a table stands: it stays when the table is made anew, and with it the focus of who scrolls there. */
const explorerRegion = (caption) => tablesRegion(caption);

const EXPLORER_NONE = noNumber;

/** Levels 1 and 2 beside what was saved. */
function explorerLevels(context, saved, found, { alternative }) {
  const names = { level1: ["Level 1: ", "x", "y"], x: ["Level 2: ", "x"], y: ["Level 2: ", "y"] };
  const rows = Object.entries(names).map(([key, [level, ...roles]]) => {
    const test = found.tests[key], tested = found.tested[key], at = explorerPlace(saved, key), known = test && !test.flat;
    const titles = roles.flatMap((role, i) => [i ? " / " : "", bdi(explorerTitle(explorer.lists, role))]);
    return {
      head: [level, titles, key === "level1" ? "" : " alone"],
      cells: [
        el("span", { class: `d-${key}` }, known ? computed(test.effect_size) : EXPLORER_NONE()),
        at ? num(context, `${at}/effect_size`) : EXPLORER_NONE(),
        known && at ? explorerChange(test.effect_size - pointed(context.document, `${at}/effect_size`)) : EXPLORER_NONE(),
        el("span", { class: `p-${key}` }, known ? computed(tested.now.pvalue, { as: "p", method: tested.now.method }) : EXPLORER_NONE()),
        at ? num(context, `${at}/tails/${alternative}/0`, { as: "p", method: pointed(context.document, `${at}/method`) }) : EXPLORER_NONE(),
        known ? explorerMethod(tested) : test ? "every association is the same, so there is no effect size" : "too few words",
      ],
    };
  });
  return explorerTable(EXPLORER_LEVELS,
    [["", ""], ["d", "n"], ["saved", "n"], ["change", "n"], ["p", "n"], ["saved p", "n"], ["how p was found", ""]], rows);
}

/** Level 3 beside what was saved. */
function explorerSimilarities(context, saved, found) {
  const rows = EXPLORER_PAIRS.map((pair) => {
    const [attribute, target] = pair, cell = found.level3[pair], at = saved?.three ? `${saved.path}/level3/${pair}` : null;
    return {
      head: [bdi(explorerTitle(explorer.lists, target)), " with ", bdi(explorerTitle(explorer.lists, attribute))],
      cells: [
        el("span", { class: `mean-${pair}` }, cell ? computed(cell.mean, { digits: 3 }) : EXPLORER_NONE()),
        el("span", { class: `sd-${pair}` }, cell ? computed(cell.sd, { digits: 3 }) : EXPLORER_NONE()),
        cell ? computed(cell.pairs, { as: "whole" }) : EXPLORER_NONE(),
        at ? num(context, `${at}/mean`, { digits: 3 }) : EXPLORER_NONE(),
        at ? num(context, `${at}/sd`, { digits: 3 }) : EXPLORER_NONE(),
      ],
    };
  });
  return explorerTable(EXPLORER_SIMILARITIES,
    [["", ""], ["mean", "n"], ["sd", "n"], ["pairs", "n"], ["saved mean", "n"], ["saved sd", "n"]], rows);
}

/** Words of the lists with what the levels are made of. */
function explorerWordTables(found) {
  const { tests, sets } = found, role = (key) => bdi(`${key.toUpperCase()} (${explorerTitle(explorer.lists, key)})`);
  const rows = (keys, scores) => keys.flatMap((key) => sets[key].words.map((word, i) => ({ key, word, ...scores(key, i) })));
  const columns = (more) => [{ title: "word", kind: "text", value: (r) => r.word },
    { title: "list", kind: "text", value: (r) => r.key.toUpperCase(), cell: (r) => role(r.key) },
    ...more.map(([title, key]) => ({ title, value: (r) => r[key], cell: (r) => computed(r[key], { digits: 3 }) }))];
  const side = (test, first) => (key, i) => (key === first ? test.first : test.second)[i];
  const tables = [];
  if (tests.level1) {
    const scores = (key, i) => ({ s: side(tests.level1, "x")(key, i) }), more = [["association", "s"]];
    const caption = "Targets: mean cosine with A less mean cosine with B", note = "Above 0: closer to A; below: closer to B.";
    tables.push(table({ caption, note, columns: columns(more), rows: rows(["x", "y"], scores), sorted: [2, -1] }));
  }
  if (tests.x || tests.y) {
    const there = ["x", "y"].filter((one) => tests[one]), note = "Each cosine is the mean over the words of the target.";
    const scores = (key, i) => Object.fromEntries(there.map((one) => [one, side(tests[one], "a")(key, i)]));
    const more = there.map((one) => [`cosine with ${one.toUpperCase()}`, one]);
    tables.push(table({ caption: "Attributes: mean cosine with each target", note, columns: columns(more), rows: rows(["a", "b"], scores) }));
  }
  return tables.length ? tables : el("p", {}, "There are too few words.");
}

/** The same lists in every model of the page. */
function explorerOthers(context, conventions) {
  const others = context.data.audits.map((_, i) => contextOf(i)).filter((one) => one.audit.vectors && !one.vectors.absent);
  const rows = others.map((one) => ({ one, found: explorerMeasured(one, explorer.lists, conventions) }));
  const effect = (key) => (row) => (row.found.tests[key]?.flat === false ? row.found.tests[key].effect_size : null);
  const column = (title, key) => ({ title, value: effect(key), cell: (row) => computed(effect(key)(row) ?? NaN) });
  return table({ caption: "Effect sizes of these lists in every model that the page carries vectors of", search: false, rows, columns: [
    { title: "model", kind: "text", value: (row) => named(row.one.index) },
    column("Level 1", "level1"), column("X alone", "x"), column("Y alone", "y"),
    { title: "words left out", value: (row) => row.found.absent.length },
  ] });
}

/** A part that opens and is made anew after every edit, if it is open. */
function explorerPart(summary, build, open = false) {
  const inside = el("div", { class: "opened" });
  const details = el("details", { class: "opening", open }, el("summary", {}, summary), inside);
  let stale = true;
  const make = () => { if (stale && details.open) { stale = false; inside.replaceChildren(...[build()].flat()); } };
  details.addEventListener("toggle", make);
  return { details, refresh: () => { stale = true; make(); } };
}

/** The result in a sentence, for those who listen. */
function explorerSentence(found, pattern) {
  const test = found.tests.level1, tested = found.tested.level1;
  if (!test || test.flat) return "These lists have no effect size at Level 1.";
  const sign = tested.now.method === "exact" ? "= " : "";
  const p = pText(tested.now.pvalue, tested.now.method);
  return `Effect size ${fixed(test.effect_size)}, p ${sign}${p}${pattern ? `; pattern ${pattern}` : ""}.`;
}

/** Whether both targets have an effect size, so that a pattern is only a matter of counting. */
const explorerOpen = ({ tests: { x, y } }) => Boolean(x && y && !x.flat && !y.flat);

/** The result at a glance, which stays in sight while the lists are edited. */
function explorerGlance(context, saved, found, pattern) {
  const test = found.tests.level1, known = test && !test.flat, at = explorerPlace(saved, "level1");
  return [
    el("span", {}, "d ", at ? [num(context, `${at}/effect_size`), " \u2192 "] : null,
      el("strong", {}, known ? computed(test.effect_size) : EXPLORER_NONE())),
    known && el("span", {}, "p ", computed(found.tested.level1.now.pvalue, { as: "p", method: found.tested.level1.now.method })),
    el("span", {}, pattern ?? (explorerOpen(found) ? "pattern open until all is counted" : "no pattern")),
  ].filter(Boolean);
}

/** The pattern, its map, and what it was. */
function explorerMap(saved, found, pattern) {
  const titles = Object.fromEntries(EXPLORER_ROLES.map((role) => [role, explorerTitle(explorer.lists, role)]));
  const before = saved?.three ? [" (saved: ", saved.test.pattern, ")"] : null;
  return el("div", { class: "explorer-map" },
    el("p", {}, "Pattern: ",
      el("strong", { class: "pattern" }, pattern ?? (explorerOpen(found) ? "open until all is counted" : "none")), before),
    pattern && eatMap({ titles, pattern, level2: found.tests }));
}

/** All results, and how to compute them anew. */
function explorerResults(context) {
  const levels = explorerRegion(EXPLORER_LEVELS), similar = explorerRegion(EXPLORER_SIMILARITIES);
  const map = el("div"), doubts = el("div"), glance = el("div", { class: "explorer-glance" });
  let found = null, telling = null;
  const words = explorerPart("Every word", () => explorerWordTables(found));
  const many = context.data.audits.filter((one) => one.vectors && !one.vectors.absent).length > 1;
  const others = many && explorerPart("The same lists in every model", () => explorerOthers(context, explorerConventions(context)));
  const show = (told) => {
    const saved = explorerSaved(context), conventions = explorerConventions(context);
    const pattern = explorerPattern(found.tests, found.tested, conventions);
    glance.replaceChildren(...explorerGlance(context, saved, found, pattern));
    levels.replaceChildren(explorerLevels(context, saved, found, conventions));
    map.replaceChildren(explorerMap(saved, found, pattern));
    if (told) { clearTimeout(telling); telling = setTimeout(() => say(explorerSentence(found, pattern)), 700); }
  };
  const refresh = () => {
    explorer.stop?.();
    const conventions = explorerConventions(context), saved = explorerSaved(context);
    found = explorerMeasured(context, explorer.lists, conventions);
    const able = Object.entries(found.tests).filter(([, test]) => !test.flat);
    const tested = able.map(([key, test]) => [key, explorerTested(test, conventions)]);
    found.tested = Object.fromEntries(tested);
    show(box.dataset.shown === "yes");
    box.dataset.shown = "yes";
    similar.replaceChildren(explorerSimilarities(context, saved, found));
    doubts.replaceChildren(explorerWarnings(context, found, conventions) ?? "");
    for (const part of [words, others]) if (part) part.refresh();
    const counting = () => { box.dataset.counting = tested.some(([, one]) => one.later) ? "yes" : "no"; };
    counting();
    explorer.stop = explorerCounting(tested.map(([, one]) => one), () => { show(false); counting(); });
  };
  const box = el("div", { class: "explorer-results" },
    el("h3", {}, "Result"), doubts, el("div", { class: "explorer-found" }, levels, map), similar, words.details, others && others.details);
  return { box, glance, refresh };
}
