// @ts-check
// Vectors that the page carries, as unit vectors in double precision.

/**
 * Bytes of a text in base 64; a plain loop, which is twenty times as fast as Uint8Array.from with a function.
 * @param {string} text
 */
function bytesOf(text) {
  const signs = atob(text), bytes = new Uint8Array(signs.length);
  for (let i = 0; i < signs.length; i++) bytes[i] = signs.charCodeAt(i);
  return bytes;
}

/**
 * How near copies are found: vectors times the covariance of common words, or as they are where none is known; null where
 * it is too large for the page.
 * @param {string | null | undefined} packed its lower triangle
 * @param {number} dim
 * @returns {Near | null}
 */
function openVocabulary(packed, dim) {
  if (!packed) return packed === "" ? null : { limit: 0.5, seen: (unit) => unit };
  const lower = new Float32Array(bytesOf(packed).buffer);
  /** @type {WeakMap<Unit, Unit>} */
  const made = new WeakMap();
  return { limit: 0.6, seen: (unit) => {
    const known = made.get(unit) ?? new Float64Array(dim);
    if (!made.has(unit)) {
      for (let i = 0, at = 0; i < dim; i++, at++) {
        for (let j = 0; j < i; j++, at++) { known[i] += lower[at] * unit[j]; known[j] += lower[at] * unit[i]; }
        known[i] += lower[at] * unit[i];
      }
      made.set(unit, known);
    }
    return known;
  } };
}

/**
 * Unpack the vectors of an audit; words are made unit vectors when they are first asked for.
 * @param {Json} packed
 * @returns {Vectors | null}
 */
export function openVectors(packed) {
  const none = { has: () => false, words: () => [], unit: () => null, rough: () => false, near: null };
  if (!packed || packed.absent) return packed ? { absent: packed.absent, exact: true, coarse: null, ...none } : null;
  const { labels, aliases, dim, type, others } = packed;
  const buffer = bytesOf(packed.data).buffer, steps = others ? new Int8Array(bytesOf(others.data).buffer) : new Int8Array(0);
  const numbers = type === "float32" ? new Float32Array(buffer) : type === "float64" ? new Float64Array(buffer) : new Int16Array(buffer);
  /** @type {Map<string, number>} */
  const rows = new Map(labels.map((/** @type {string} */ label, /** @type {number} */ row) => [label, row]));
  for (const [word, row] of Object.entries(/** @type {Record<string, number>} */ (aliases))) rows.set(word, row);
  // words beyond the lists come after all others
  others?.labels.forEach((/** @type {string} */ label, /** @type {number} */ i) => { if (!rows.has(label)) rows.set(label, labels.length + i); });
  /** @param {number} row */
  const numbersOf = (row) => (row < labels.length ? numbers.subarray(row * dim, (row + 1) * dim)
    : steps.subarray((row - labels.length) * dim, (row - labels.length + 1) * dim));
  /** @type {Map<number, Unit | null>} */
  const made = new Map();
  /** @param {string} word */
  const unit = (word) => {
    const row = rows.get(word);
    if (row === undefined) return null;
    if (!made.has(row)) {
      // steps of 8 or 16 bits need no scale here: a unit vector has none
      const found = Float64Array.from(numbersOf(row));
      const norm = Math.hypot(...found);
      made.set(row, norm > 0 ? found.map((x) => x / norm) : null);
    }
    return made.get(row) ?? null;
  };
  return {
    exact: type !== "int16", coarse: others ? { words: others.labels.length, error: others.error, pairs: others.pairs } : null,
    rough: (word) => (rows.get(word) ?? 0) >= labels.length, has: (word) => rows.has(word), words: () => [...rows.keys()], unit, near: openVocabulary(packed.vocabulary, dim),
  };
}
