// A test in plain words: what each level shows, how sure that is, and what it cannot show.

const plainSize = (d) => (Math.abs(d) < 0.2 ? "very small" : Math.abs(d) < 0.5 ? "small" : Math.abs(d) < 0.8 ? "medium" : "large");
const plainP = (context, at, level) => testsP(context, at, level);

/** Level 1: are the two targets apart? */
function plainFirst(context, one) {
  const { titles: t, level1, at } = one, d = level1.effect_size, near = d >= 0 ? t.a : t.b, far = d >= 0 ? t.b : t.a;
  const size = [" (d = ", num(context, `${at}/effect_size`), `, ${plainSize(d)} by the usual rule of thumb)`];
  const claim = t.y
    ? ["Compared with ", bdi(t.y), ", the words for ", bdi(t.x), " lie closer to ", bdi(near), " than to ", bdi(far), size, "."]
    : ["The words for ", bdi(t.x), " lie closer to ", bdi(near), " than to ", bdi(far), size, "."];
  const dealt = t.y ? "If the words of both targets were dealt into two sets at random"
    : "If the words of both attributes were dealt into two sets at random";
  const tail = { "two-sided": "as large in either direction", greater: "as large in this or a more positive direction",
    less: "as large in this or a more negative direction",
    observed: "as large in the direction observed" }[level1.alternative] ?? "as large";
  return el("p", {}, el("strong", {}, one.three ? "Level 1, the difference. " : "The difference. "), claim,
    ` ${dealt}, a difference at least ${tail} would come out in a share of `,
    num(context, `${at}/pvalue`, { as: "p", method: level1.method }), " of all cases.",
    level1.alternative === "observed" ? " The side was chosen after looking, so the honest share is twice that." : "");
}

/** One target of Level 2, in half a sentence. */
function plainLeaning(context, one, key) {
  const level = one.test.level2[key], at = `${one.path}/level2/${key}`, to = PATTERNS[one.test.pattern]?.[key === "x" ? 0 : 1];
  return [bdi(one.titles[key]), ", taken alone, ", to ? ["leans to ", bdi(one.titles[to])] : "leans to neither attribute",
    " (d = ", num(context, `${at}/effect_size`), ", ", plainP(context, at, level), ")"];
}

/** What the pattern adds to Level 1. */
function plainPattern(context, one) {
  const { titles: t, test } = one, [x, y] = PATTERNS[test.pattern] ?? [null, null], holds = testsHolds(context, one);
  if (x && y && x !== y) return "The two targets lean to opposite attributes: the difference has two sides.";
  if (x && y) return ["Both targets lean to ", bdi(t[x]), ". Level 1 only shows that one of them does so more than the other."];
  if (x || y) return ["One target leans, the other does not: the difference should be read as an association of ", bdi(x ? t.x : t.y),
    " with ", bdi(t[x ?? y]), ", not as an opposite leaning of ", bdi(x ? t.y : t.x), "."];
  return holds
    ? ["So there is a difference between the two targets although neither leans by itself. It should not be read as \u201c", bdi(t.x),
      " is associated with ", bdi(one.level1.effect_size >= 0 ? t.a : t.b), "\u201d."]
    : "So neither the difference nor a leaning of one target stands out.";
}

function plainSecond(context, one) {
  return el("p", {}, el("strong", {}, "Level 2, each target alone. "), "The set ", plainLeaning(context, one, "x"), "; the set ",
    plainLeaning(context, one, "y"), `. This is the pattern ${one.test.pattern}. `, plainPattern(context, one));
}

function plainThird(context, one) {
  const cells = Object.entries(one.test.level3).sort((a, b) => b[1].mean - a[1].mean), most = cells[0][0], least = cells.at(-1)[0];
  const pair = (key) => [bdi(one.titles[key[1]]), " with ", bdi(one.titles[key[0]]), " (mean cosine ",
    num(context, `${one.path}/level3/${key}/mean`, { digits: 3 }), ")"];
  return el("p", {}, el("strong", {}, "Level 3, plain similarity. "), "Most similar: ", pair(most), "; least: ", pair(least),
    ". Which cosine is large differs from model to model, so compare these four with one another only.");
}

/** How sure: interval, adjusted p, what the sizes allow, how settled the pattern is. */
function plainSure(context, one) {
  const said = [], { interval, level1, at } = one;
  if (interval) {
    const { low, high } = interval.result, outside = low > 0 || high < 0;
    said.push(["Had other words of the same kind been chosen, d would mostly have been between ", num(context, `${interval.path}/low`),
      " and ", num(context, `${interval.path}/high`),
      outside ? ", which leaves zero out. " : ", which includes zero: the direction depends on the choice of words. "]);
  }
  if (one.bh) said.push(["Taking the number of tests into account, p is ", num(context, one.bh, { as: "p", method: level1.method }),
    ". "]);
  said.push(level1.min_pvalue >= LEVEL
    ? ["Sets as small as these cannot reach p < .05 whatever the model does (at best ", num(context, `${at}/min_pvalue`, { as: "p" }),
      "): that no association was found means nothing here. "]
    : ["Sets of these sizes can reach p = ", num(context, `${at}/min_pvalue`, { as: "p" }), " at best. "]);
  const share = one.test.pattern_shares?.[one.test.pattern];
  if (typeof share === "number") {
    said.push(["The pattern came out again in ", num(context, `${one.path}/pattern_shares/${part(one.test.pattern)}`, { as: "percent" }),
      " of the lists drawn anew",
      share < 0.5 ? ": it is not settled. " : share < 0.8 ? ": it is fairly settled. " : ": it is settled. "]);
  }
  return el("p", {}, el("strong", {}, "How sure. "), said);
}

const plainCannot = () => el("p", {}, el("strong", {}, "What it cannot show. "),
  "The numbers are about vectors of these words in this model: about how words were used in the texts behind it, not about people, "
    + "and not about what a system built on it does or whom it harms. ",
  "Other words for the same groups can give other numbers; how often a word occurs and its other meanings play a part. No "
    + "association found is not evidence of none.");

/** The whole of it. */
const plainWords = (context, one) => el("div", { class: "plain-words" }, plainFirst(context, one),
  one.three && [plainSecond(context, one), plainThird(context, one)], plainSure(context, one), plainCannot());
