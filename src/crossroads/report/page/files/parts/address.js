// @ts-check
// What the address of the page holds: the part that is open, the model, and edits of word lists.

/**
 * An address such as "#weat6&m=MODEL&e=EDITS"; what is missing is empty, and without a model it is null.
 * @param {string} hash
 * @returns {{ model: string | null, target: string, edits: string }}
 */
export function readAddress(hash) {
  const [target, ...parts] = hash.replace(/^#/, "").split("&");
  const found = new Map(parts.map((one) => [one.slice(0, 2), addressDecoded(one.slice(2))]));
  return { model: found.get("m=") || null, target: addressDecoded(target), edits: found.get("e=") ?? "" };
}

/**
 * The address of a part, a model and edits; what is empty is left out.
 * @param {{ model: string | null, target: string, edits: string }} address
 * @returns {string}
 */
export function writeAddress({ model, target, edits }) {
  const kept = /** @type {[string, string | null][]} */ ([["m", model], ["e", edits]]).filter(([, text]) => text);
  return `#${[encodeURIComponent(target), ...kept.map(([name, text]) => `${name}=${encodeURIComponent(text ?? "")}`)].join("&")}`;
}

/**
 * Text out of an address; what is not encoded properly stays as it is written.
 * @param {string} text
 */
function addressDecoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}
