// Lettering of charts: every text is measured in the font that the reader has, and wrapped, shrunk or cut to the
// room there is. What nobody measured is found when the picture is laid out, and the picture made to hold it.

const LETTERS_LEAST = 9; // no type is set smaller
let chartsPen = null, chartsFont = "sans-serif";

/** Set the pen to a size and a weight of the page's own font; none where the browser has no canvas. */
function chartsPenOf(size, weight) {
  if (!chartsPen) {
    chartsPen = document.createElement("canvas").getContext("2d");
    chartsFont = getComputedStyle(document.documentElement).getPropertyValue("--sans").trim() || chartsFont;
  }
  if (chartsPen) chartsPen.font = `${weight} ${size}px ${chartsFont}`;
  return chartsPen;
}

/** Width of a text in pixels. */
const chartsWide = (text, size = 12, weight = 400) => chartsPenOf(size, weight)?.measureText(text).width ?? text.length * size * 0.7;

/** How far a line of type reaches above its baseline and below it. */
function chartsReach(size = 12) {
  const found = chartsPenOf(size, 400)?.measureText("Xg");
  return { above: Math.ceil(found?.fontBoundingBoxAscent ?? size), below: Math.ceil(found?.fontBoundingBoxDescent ?? size * 0.3) };
}

/** The height of a line of type: what the font asks for, and 1.2 of its size at least. */
function chartsLeading(size = 12) {
  const { above, below } = chartsReach(size);
  return Math.max(size * 1.2, above + below);
}

/** The widest of some texts. */
const chartsWidest = (texts, size = 12, weight = 400) => texts.reduce((most, text) => Math.max(most, chartsWide(text, size, weight)), 0);

/** A text cut to a width, with an ellipsis where something is missing. */
function chartsClip(text, width, size = 12, weight = 400) {
  const whole = flat(text);
  if (whole.length < 400 && chartsWide(whole, size, weight) <= width) return whole;
  const signs = Array.from(whole.slice(0, 400));
  let low = 0, high = signs.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chartsWide(`${signs.slice(0, middle).join("")}\u2026`, size, weight) <= width) low = middle;
    else high = middle - 1;
  }
  return `${signs.slice(0, low).join("")}\u2026`;
}

/** The size in which a text fits into a width: as asked, or smaller, down to what can still be read. */
function chartsSize(text, width, size = 12, weight = 400) {
  const wide = chartsWide(text, size, weight);
  return wide <= width ? size : Math.max(LETTERS_LEAST, Math.floor((size * width * 4) / wide) / 4);
}

/** A text of ours, such as the name of an axis: shrunk where there is little room, and cut only where that is not enough. */
function chartsName(text, width, attributes, size = 12) {
  const fits = chartsSize(text, width, size), shown = chartsClip(text, width, fits);
  return sv("text", { ...attributes, "font-size": fits === size ? null : fits }, shown === text ? null : sv("title", {}, text), shown);
}

/** As much of a word as fits into a width, a sign at least; the signs that are left. */
function chartsBroken(word, width, size) {
  const signs = Array.from(word);
  let fits = signs.length;
  while (fits > 1 && chartsWide(signs.slice(0, fits).join(""), size) > width) fits--;
  return [signs.slice(0, fits).join(""), signs.slice(fits).join("")];
}

/** A text in lines of a width; words that are longer than a line are broken. Of more than `most` lines the last is cut. */
function chartsLines(text, width, size = 12, most = 5) {
  const found = [], words = flat(text).slice(0, 400).split(" ");
  while (words.length && found.length < most - 1) {
    const [first, rest] = chartsBroken(words.shift(), width, size);
    let line = first;
    if (rest) words.unshift(rest);
    else while (words.length && chartsWide(`${line} ${words[0]}`, size) <= width) line += ` ${words.shift()}`;
    found.push(line);
  }
  if (words.length) found.push(chartsClip(words.join(" "), width, size));
  return found;
}

/** How far texts reach beyond the edges of a picture, in its own units; nothing where it is not seen. */
function chartsBeyond(svg) {
  const all = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / all.width;
  const most = [0, 0, 0, 0]; // left, top, right, bottom
  if (!all.width) return most;
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (!box.width) continue;
    [all.left - box.left, all.top - box.top, box.right - all.right, box.bottom - all.bottom].forEach((one, side) => {
      most[side] = Math.max(most[side], one * scale);
    });
  }
  return most.map((one) => (one > 0.5 ? Math.ceil(one) : 0));
}

/** Make a picture hold what reaches beyond it: its contents become a little smaller. */
function chartsHold(svg, [left, top, right, bottom]) {
  if (!(left + top + right + bottom)) return;
  const box = svg.viewBox.baseVal, wide = box.width + left + right, tall = box.height + top + bottom;
  svg.setAttribute("viewBox", `${box.x - left} ${box.y - top} ${wide} ${tall}`);
  svg.setAttribute("height", (Number(svg.getAttribute("width")) * tall) / wide);
}

let chartsWaiting = null;

/** Draw pictures that have got another room, all of them before any is measured: one layout for all. */
function chartsSoon(holder, redraw) {
  if (!chartsWaiting) {
    chartsWaiting = new Map();
    requestAnimationFrame(() => {
      const now = [...chartsWaiting];
      chartsWaiting = null;
      for (const [, draw] of now) draw();
      const pictures = now.map(([one]) => one.firstElementChild), found = pictures.map(chartsBeyond);
      pictures.forEach((svg, i) => chartsHold(svg, found[i]));
    });
  }
  chartsWaiting.set(holder, redraw);
}
