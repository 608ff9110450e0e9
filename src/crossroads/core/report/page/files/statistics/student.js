// @ts-check
// Student's t distribution, for p-values and intervals that generalize to other words: as scipy.special.stdtr and stdtrit.

const TINY = 1e-300, STEPS = 20000;

/**
 * Γ(a + ½) / Γ(a): the asymptotic series, reached by steps of one.
 * @param {number} a
 */
function halfStep(a) {
  let factor = 1, at = a;
  while (at < 30) { factor *= at / (at + 0.5); at += 1; }
  const u = 1 / (at * at);
  const series = (-1 / 8 + u * (1 / 192 + u * (-1 / 640 + u * (17 / 14336 + u * (-31 / 18432))))) / at;
  return factor * Math.sqrt(at) * Math.exp(series);
}

/**
 * The continued fraction of the incomplete beta function (Lentz's method).
 * @param {number} x
 * @param {number} a
 * @param {number} b
 */
function betaFraction(x, a, b) {
  let c = 1, d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < TINY ? TINY : d);
  let found = d;
  for (let m = 1; m < STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)), odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const step of [even, odd]) {
      d = 1 + step * d;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      c = 1 + step / c;
      if (Math.abs(c) < TINY) c = TINY;
      found *= d * c;
    }
    if (Math.abs(d * c - 1) < 2e-16) break;
  }
  return found;
}

/**
 * Probability of a t at least this far from zero, on either side: I(df / (df + t²); df/2, 1/2).
 * @param {number} t
 * @param {number} df
 */
function beyond(t, df) {
  const a = df / 2, square = t * t, x = df / (df + square), rest = square / (df + square);
  if (!(square > 0)) return 1;
  const both = Math.exp(-a * Math.log1p(square / df)) * Math.sqrt(rest) * (halfStep(a) / Math.sqrt(Math.PI)); // x^a (1 − x)^½ / B
  return x < (a + 1) / (a + 2.5) ? (both * betaFraction(x, a, 0.5)) / a : 1 - 2 * both * betaFraction(rest, 0.5, a);
}

/**
 * Probability of a t that is at least as extreme.
 * @param {number} t
 * @param {number} df
 * @param {Alternative} alternative
 */
function tail(t, df, alternative) {
  const both = beyond(t, df);
  if (alternative === "two-sided") return Math.min(1, both);
  if (alternative === "observed") return both / 2;
  return (alternative === "greater") === (t >= 0) ? both / 2 : 1 - both / 2;
}

/**
 * The t that a share of all values lies within, on either side: half an interval in standard errors.
 * @param {number} level
 * @param {number} df
 */
function within(level, df) {
  const wanted = Math.log(1 - level), scale = (2 * halfStep(df / 2)) / Math.sqrt(Math.PI * df);
  let t = 2;
  // Newton's method on logarithms, where the curve bends one way only
  for (let i = 0; i < 200; i++) {
    const both = beyond(t, df), density = scale * Math.exp(-((df + 1) / 2) * Math.log1p((t * t) / df));
    const next = t * Math.exp(((Math.log(both) - wanted) * both) / (density * t));
    if (Math.abs(next - t) <= 1e-15 * t) return next;
    t = next;
  }
  return t;
}

export const STUDENT = { tail, within };
