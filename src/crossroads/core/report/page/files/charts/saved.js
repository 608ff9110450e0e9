// @ts-check
// Figures as files: an SVG that needs nothing of the page, and a PNG of it at twice its size.

import { copy, el, save, sv, tell } from "../parts/elements.js";
import { menu } from "../parts/menu.js";

/**
 * What the style sheet decides about a picture, and what it is where nothing is said.
 * @type {Record<string, string>}
 */
const LOOKS = {
  fill: "rgb(0, 0, 0)", stroke: "none", "stroke-width": "1px", "stroke-dasharray": "none", "stroke-opacity": "1", "stroke-linejoin": "miter",
  "fill-opacity": "1", opacity: "1", "paint-order": "normal", "shape-rendering": "auto", "text-anchor": "start", "dominant-baseline": "auto",
  "font-family": "", "font-size": "", "font-weight": "400", "font-style": "normal", "unicode-bidi": "normal", display: "inline", visibility: "visible",
};
const ONLY_HERE = ["class", "style", "tabindex", "id", "aria-label", "aria-selected", "role", "href"];

/**
 * A colour that programs other than browsers read, too.
 * @param {string} value
 */
const savedColour = (value) => value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.]+))?\)/g, (_, r, g, b, a) =>
  `rgb${a ? "a" : ""}(${[r, g, b].map((one) => Math.round(255 * Number(one))).join(", ")}${a ? `, ${a}` : ""})`);

/**
 * Write the looks of an element, and of all in it, into those of its copy.
 * @param {Element} from
 * @param {Element} to
 * @param {CSSStyleDeclaration | null} around
 */
function savedLooks(from, to, around) {
  const looks = getComputedStyle(from), inherited = (/** @type {string} */ name) => !["opacity", "unicode-bidi", "display"].includes(name);
  for (const name of [...ONLY_HERE, ...[...from.attributes].map((one) => one.name).filter((one) => /^(data|on)/.test(one))]) to.removeAttribute(name);
  for (const [name, initial] of Object.entries(LOOKS)) {
    const value = looks.getPropertyValue(name), before = around && inherited(name) ? around.getPropertyValue(name) : initial;
    if (value !== before && !(name === "display" && value === "block")) to.setAttribute(name, savedColour(value));
    else if (to.hasAttribute(name)) to.removeAttribute(name);
  }
  [...from.children].forEach((one, i) => { if (one.tagName !== "title") savedLooks(one, to.children[i], looks); });
}

/**
 * The colour behind something.
 * @param {Element | null} node
 * @returns {string}
 */
function savedBehind(node) {
  if (!node) return "rgb(255, 255, 255)";
  const colour = getComputedStyle(node).backgroundColor;
  return /^rgba\(.*, 0\)$|^transparent$/.test(colour) ? savedBehind(node.parentElement) : savedColour(colour);
}

/**
 * A picture as a file of its own, in the colours of the page as it is now.
 * @param {SVGSVGElement} svg
 */
function svgText(svg) {
  const whole = /** @type {SVGSVGElement} */ (svg.cloneNode(true)), { x, y, width, height } = svg.viewBox.baseVal, said = svg.getAttribute("aria-label");
  savedLooks(svg, whole, null);
  whole.prepend(...[said && sv("title", {}, said), sv("rect", { x, y, width, height, fill: savedBehind(svg) })].filter((one) => one instanceof Node));
  whole.setAttribute("width", String(width));
  whole.setAttribute("height", String(height));
  return `${new XMLSerializer().serializeToString(whole)}\n`;
}

/**
 * The same as a PNG, two pixels for each of the picture.
 * @param {SVGSVGElement} svg
 * @returns {Promise<Blob>}
 */
async function pngOf(svg) {
  const { width, height } = svg.viewBox.baseVal, canvas = el("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) }), image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => { canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"); });
}

/**
 * Put a PNG on the clipboard; where that is forbidden, save it instead.
 * @param {SVGSVGElement} svg
 * @param {string} name
 */
async function pngCopied(svg, name) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(svg) })]);
    tell("PNG copied");
  } catch {
    save(await pngOf(svg), `${name}.png`);
  }
}

/**
 * Give each figure a menu to copy and save it; one inside a link has none.
 * @param {HTMLElement} root
 */
export function furnish(root) {
  const figures = [...(root.matches("figure") ? [root] : []), .../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("figure"))];
  const lone = root.closest("figure");
  for (const figure of lone instanceof HTMLElement ? [lone, ...figures] : figures) {
    if (figure.querySelector(":scope > .menu") || figure.closest("a") || !figure.querySelector("svg")) continue;
    const now = () => /** @type {SVGSVGElement} */ (figure.querySelector("svg")); // it may have been drawn again
    const text = () => now().getAttribute("aria-label") ?? figure.querySelector("figcaption")?.textContent ?? "figure";
    figure.append(menu("Copy or save this figure", [
      ["Copy PNG", () => pngCopied(now(), text())],
      ["Copy SVG", () => copy(svgText(now()), "SVG")],
      ["Save PNG", async () => save(await pngOf(now()), `${text()}.png`)],
      ["Save SVG", () => save(new Blob([svgText(now())], { type: "image/svg+xml" }), `${text()}.svg`)],
    ]));
  }
}
