// EAT-Maps: which of two targets is associated with which of two attributes.

/** Each pattern, with the attribute to which the first and the second target lean. */
const PATTERNS = {
  __proto__: null,
  "AB-Divergent": ["a", "b"], "BA-Divergent": ["b", "a"], "A-Uniform": ["a", "a"], "B-Uniform": ["b", "b"],
  "AX-Singular": ["a", null], "BX-Singular": ["b", null], "AY-Singular": [null, "a"], "BY-Singular": [null, "b"],
  "Non-Directional": [null, null],
};

/** What an EAT-Map shows, in words. */
function eatSentence(titles, pattern, level2) {
  const leaning = PATTERNS[pattern] ?? [null, null];
  return ["x", "y"].map((key, i) => {
    const d = level2?.[key]?.effect_size;
    const size = Number.isFinite(d) ? ` (d = ${fixed(d)})` : "";
    return leaning[i] ? `${flat(titles[key])}: associated with ${flat(titles[leaning[i]])}${size}`
      : `${flat(titles[key])}: no leaning found${size}`;
  }).join("; ");
}

/** One cell of an EAT-Map. */
function eatCell({ x, y, side, on, d, mini }) {
  const text = mini ? "*" : Number.isFinite(d) ? `${fixed(d)} *` : "*";
  return sv("g", {},
    sv("rect", { x: x + 1, y: y + 1, width: side - 2, height: side - 2, class: on ? "associated" : "apart" }),
    on && sv("text", { x: x + side / 2, y: y + side / 2 + (mini ? 6 : 5), "text-anchor": "middle", class: "on", "font-weight": 600,
      "font-size": mini ? 15 : 13 }, text));
}

/** The size of type at which the longest word of the titles fits, as far as it can still be read. */
function eatType(titles, width) {
  const words = Object.values(titles).flatMap((title) => flat(title ?? "").slice(0, 400).split(" "));
  return Math.max(10, Math.min(12, (12 * width) / Math.max(...words.map((word) => chartsWide(word, 12)))));
}

/**
 * An EAT-Map: columns X and Y, rows A and B. Associated cells are red, framed and starred, with the Level 2
 * effect size; the others are grey.
 *   titles    {x, y, a, b}
 *   pattern   its name; says which cells are associated
 *   level2    {x: {effect_size}, y: {effect_size}}, or nothing for stars alone
 *   size      side of a cell (default 76); below 40 there is room for single letters as titles
 */
function eatMap({ titles, pattern, level2, caption, size = 76 }) {
  const leaning = PATTERNS[pattern] ?? [null, null], mini = size < 40, type = mini ? 11 : eatType(titles, size - 4);
  const above = ["x", "y"].map((key) => chartsLines(titles[key], size - 4, type, mini ? 1 : 3));
  const beside = ["a", "b"].map((key) => chartsLines(titles[key], size - 4, type, mini ? 1 : 2));
  const line = type * 1.2, left = 4 + line * Math.max(...beside.map((lines) => lines.length)),
    top = 4 + line * Math.max(...above.map((lines) => lines.length));
  const heads = above.map((lines, i) => sv("text", { "text-anchor": "middle", "font-size": type }, sv("title", {}, flat(titles["xy"[i]])),
    lines.map((text, k) => sv("tspan", { x: left + size * (i + 0.5), y: top - 5 - line * (lines.length - 1 - k) }, text))));
  const sides = beside.map((lines, i) => lines.map((text, k) => {
    const x = left - 6 - line * (lines.length - 1 - k), y = top + size * (i + 0.5);
    const turned = mini ? { x, y: y + 4 } : { x, y, transform: `rotate(-90 ${x} ${y})` };
    return sv("text", { ...turned, "text-anchor": "middle", "font-size": type }, sv("title", {}, flat(titles["ab"[i]])), text);
  }));
  // what is associated is drawn last, so that its frame lies on top
  const cells = ["a", "b"].flatMap((attribute, row) => ["x", "y"].map((target, column) => ({
    x: left + column * size, y: top + row * size, side: size, mini: mini || !level2, on: leaning[column] === attribute,
    d: level2?.[target]?.effect_size,
  }))).sort((one, other) => one.on - other.on);
  const svg = chartsImage(Math.ceil(left + 2 * size + 2), Math.ceil(top + 2 * size + 2),
    `EAT-Map, ${pattern}. ${eatSentence(titles, pattern, level2)}.`,
    heads, sides, cells.map(eatCell));
  svg.classList.add("eat-map");
  return el("figure", { class: "eat" }, svg, caption && el("figcaption", {}, caption));
}
