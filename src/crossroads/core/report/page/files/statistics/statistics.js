// @ts-check
// Arithmetic of the tests, in the page: the same formulas as crossroads.core.inference.geometry and crossroads.core.subjects, on unit
// vectors in double precision. Everything here is a function of numbers; window.crossroads offers it to the curious.

/**
 * Each pattern, with the attribute to which the first and the second target lean.
 * @type {Record<string, [x: Lean, y: Lean]>}
 */
export const PATTERNS = {
  __proto__: /** @type {any} */ (null),
  "AB-Divergent": ["a", "b"], "BA-Divergent": ["b", "a"], "A-Uniform": ["a", "a"], "B-Uniform": ["b", "b"],
  "AX-Singular": ["a", null], "BX-Singular": ["b", null], "AY-Singular": [null, "a"], "BY-Singular": [null, "b"],
  "Non-Directional": [null, null],
};

const EPSILON = Number.EPSILON;
const LEAST_EFFECT = 0.2, ALPHA = 0.05;

/**
 * Inner product; of unit vectors, their cosine.
 * @param {Numbers} u
 * @param {Numbers} v
 */
function dot(u, v) {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
  return sum;
}

/**
 * A vector at length 1; its largest number is divided out first, which keeps squares in range. Null for zeros.
 * @param {Numbers} vector
 * @returns {Unit | null}
 */
function unitVector(vector) {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  if (!(largest > 0)) return null;
  const scaled = Float64Array.from(vector, (value) => value / largest);
  const norm = Math.sqrt(dot(scaled, scaled));
  return scaled.map((value) => value / norm);
}

/**
 * Cosine of any two vectors; not a number where one is zero throughout.
 * @param {Numbers} u
 * @param {Numbers} v
 */
function cosine(u, v) {
  const [first, second] = [unitVector(u), unitVector(v)];
  return first && second ? dot(first, second) : NaN;
}

/** @param {Iterable<number>} values */
const sumOf = (values) => { let sum = 0; for (const value of values) sum += value; return sum; };
/** @param {Numbers} values */
const meanOf = (values) => sumOf(values) / values.length;

/**
 * Standard deviation, of a sample unless `ddof` is 0: twice through the numbers, as numpy does.
 * @param {Numbers} values
 * @param {number} [ddof]
 */
function spreadOf(values, ddof = 1) {
  const mean = meanOf(values);
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / (values.length - ddof));
}

/**
 * The mean of vectors.
 * @param {Unit[]} vectors
 */
function meanVector(vectors) {
  const mean = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i] += vector[i];
  return mean.map((value) => value / vectors.length);
}

/**
 * s(w, A, B) of each word: its mean cosine with A minus that with B. All are unit vectors.
 * @param {Unit[]} words
 * @param {Unit[]} a
 * @param {Unit[]} b
 */
function associations(words, a, b) {
  const towards = meanVector(a), away = meanVector(b);
  const axis = towards.map((value, i) => value - away[i]);
  return Float64Array.from(words, (word) => dot(word, axis));
}

/**
 * u(T, c) of each attribute stimulus: its mean cosine with a target.
 * @param {Unit[]} target
 * @param {Unit[]} attributes
 */
function affinities(target, attributes) {
  const centre = meanVector(target);
  return Float64Array.from(attributes, (attribute) => dot(attribute, centre));
}

/**
 * Difference of two means in standard deviations of all scores together.
 * @param {Numbers} first
 * @param {Numbers} second
 * @param {number} [ddof]
 */
const effectSize = (first, second, ddof = 1) => (meanOf(first) - meanOf(second)) / spreadOf([...first, ...second], ddof);

/**
 * Largest error that rounding can leave in a cosine or a mean of cosines.
 * @param {number} dim
 */
const roundingError = (dim) => 2 * (dim + 8) * EPSILON;

/**
 * Whether scores are all the same up to rounding: then there is no effect size.
 * @param {number[]} scores
 * @param {number} dim
 */
const areFlat = (scores, dim) => Math.max(...scores) - Math.min(...scores) <= 2 * roundingError(dim);

/**
 * A test on two groups of scores, before its p-value: what every level shares.
 * @param {Unit} first
 * @param {Unit} second
 * @param {{ dim: number, ddof: number }} options
 * @returns {Scored}
 */
function scored(first, second, { dim, ddof }) {
  const flat = areFlat([...first, ...second], dim);
  return {
    first, second, flat, dim,
    effect_size: flat ? NaN : effectSize(first, second, ddof),
    statistic: sumOf(first) - sumOf(second),
  };
}

/**
 * Level 1: two targets, permuted by their associations with the attributes.
 * @param {Record<Role, Unit[]>} options
 * @param {{ ddof?: number }} [options]
 */
const level1 = ({ x, y, a, b }, { ddof = 1 } = {}) => scored(associations(x, a, b), associations(y, a, b), { dim: x[0].length, ddof });

/**
 * Level 2: the attributes, permuted by their mean cosine with one target.
 * @param {Unit[]} target
 * @param {Unit[]} a
 * @param {Unit[]} b
 * @param {{ ddof?: number }} [options]
 */
const level2 = (target, a, b, { ddof = 1 } = {}) => scored(affinities(target, a), affinities(target, b), { dim: a[0].length, ddof });

/**
 * Level 3: mean and standard deviation of the cosines of a target with an attribute, over n·m − 1.
 * @param {Unit[]} target
 * @param {Unit[]} attribute
 * @param {{ ddof?: number }} [options]
 */
function level3(target, attribute, { ddof = 1 } = {}) {
  const cosines = target.flatMap((word) => attribute.map((other) => dot(word, other)));
  return { mean: meanOf(cosines), sd: spreadOf(cosines, ddof), pairs: cosines.length };
}

/**
 * The attribute to which a target leans: "a", "b" or null.
 * @param {number} effect
 * @param {number} pvalue
 * @param {{ least_effect?: number, alpha?: number }} [options]
 * @returns {"a" | "b" | null}
 */
function lean(effect, pvalue, { least_effect = LEAST_EFFECT, alpha = ALPHA } = {}) {
  if (!(pvalue < alpha)) return null;
  return effect > least_effect ? "a" : effect < -least_effect ? "b" : null;
}

/**
 * Name of the pattern of two leanings.
 * @param {"a" | "b" | null} x
 * @param {"a" | "b" | null} y
 */
const patternOf = (x, y) => Object.keys(PATTERNS).find((name) => {
  const [first, second] = PATTERNS[name];
  return first === x && second === y;
});

export const STATISTICS = {
  dot, cosine, unitVector, sumOf, meanOf, spreadOf, meanVector, associations, affinities, effectSize, roundingError,
  level1, level2, level3, lean, patternOf, LEAST_EFFECT, ALPHA,
};
