// Types that the comments of the scripts name. They are for tsc and for editors; no page holds them.

/** What came out of results.json: its shape differs from one type of result to the next, and is checked in Python. */
type Json = any;

type Child = Node | string | number | bigint | boolean | null | undefined | readonly Child[];

type Attributes = {
  style?: Partial<CSSStyleDeclaration>;
  [listener: `on${string}`]: ((event: any) => unknown) | null | undefined | false;
  [name: string]: unknown;
};

/** A result: lists that several types have, and whatever else each type has. */
type Result = {
  type: string;
  design: string;
  tests: Json[];
  cells: Json[];
  entries: Json[];
  pairs: Json[];
  domain_pairs: Json[];
  candidates: string[];
  domains: string[];
  words: string[];
  groups: string[];
  traits: string[];
  templates: string[];
  notes: string[];
  [field: string]: Json;
};
type Audited = { model: string; names: string[]; results: Result[]; designs: Json[]; [field: string]: Json };
/** A result, and its JSON pointer. */
type Found = { result: Result; path: string };
/** A result that an audit has under a name. */
type Called = Found & { name: string };
type Named = Found & { name: string; index: number };
/** An agreement of scores with people, and the name of its part of the page. */
type Aligned = Found & { name: string; id: string };

type Histogram = { low: number; high: number; counts: number[]; n: number; quantiles?: Record<string, number> };

type Unit = Float64Array;
type Numbers = ArrayLike<number> & Iterable<number>;
type Vectors = {
  exact: boolean;
  /** How far cosines of words beyond the lists can be off, as measured; null where there are no such words. */
  coarse: { words: number; error: number; pairs: number } | null;
  /** Whether a word is one of those, whose vectors are rounded to eight bits. */
  rough(word: string): boolean;
  absent?: string;
  has(word: string): boolean;
  words(): string[];
  unit(word: string): Unit | null;
  near: Near | null;
};
/** How near copies are found: from what of a vector, and above which correlation in long lists. */
type Near = { limit: number; seen(unit: Unit): Unit };

/** Results of one model, or of a comparison of models. */
type Holder = { document: Audited; histograms: Record<string, Histogram>; [field: string]: Json };

/** All that the page carries. */
type Data = {
  title: string;
  phrases: { chance: string; tails: Record<string, string>; told_tails: Record<string, string>; tested: Record<string, string>; [table: string]: Json };
  audits: Holder[];
  comparisons: Holder[];
  kinds: Record<string, string>;
  written: string;
  findings: Record<string, Json[]>;
  fidelity: Json[];
  groups: Record<string, { label: string; names: string[] }>;
};

/** What the address of the page says: a model by name, what is open, and how its lists were edited (see edits.js). */
type Address = { model: string | null; target: string; edits: string };

/** What a view gets: an audit, and ways to find results in it. */
type Context = {
  index: number;
  audit: Json;
  data: Data;
  document: Audited;
  histograms: Record<string, Histogram>;
  of(type: string): Called[];
  readonly vectors: Vectors | null;
};

/** What a result comes to; see results/conclusion.py. `at`: JSON pointers of its numbers by role, in `of` where that is not the model chosen. */
type Conclusion = {
  of?: Context;
  name: string;
  section: string;
  status: "holds" | "absent" | "unknown" | "unmeasured";
  heading: string;
  drawn: string;
  parts: string[];
  subject: string;
  rival: string;
  poles: [string, string];
  scale: string;
  middle: number;
  at: Record<string, string>;
};
type ConclusionGroup = { status: Conclusion["status"]; heading: string; some: Conclusion[] };
type HeroRow = {
  label: string;
  rival: string;
  name: string;
  poles: [string, string];
  value: number;
  low: number;
  high: number;
  held: boolean;
  href: string | null;
  title: string;
};

type View = {
  id: string;
  title: string;
  order: number;
  /** Types of results that it shows, each of them; what no view shows is among the other results. */
  shows?: string[];
  /** Whether it is printed though none of its parts is open. */
  printed?: boolean;
  applies(context: Context, data: Data): boolean;
  build(context: Context, data: Data): Child;
};

/** How a number is shown. */
type Way = "up" | "down" | "nearest";
type Shown = {
  as?: "number" | "p" | "whole" | "percent" | "chance" | "agree" | "ordinary";
  digits?: number;
  method?: string;
  way?: Way;
  text?: string;
  about?: string;
};

type Column<Row> = {
  title: string;
  value(row: Row): Json;
  cell?(row: Row): Child;
  kind?: "text" | "number";
  about?: string;
};
type ColumnOptions<Row> = Shown & { of?(row: Row): Shown };
/** A column out of the end of a path. */
type MakeColumn = (title: string, key: string, options?: ColumnOptions<any>) => Column<any>;
type Sorted = [column: number, direction: 1 | -1] | null;
type Table<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  search?: boolean;
  filters?: { title: string; value(row: Row): string }[];
  sorted?: Sorted;
  header?: boolean;
  onrow?(row: Row, tr: HTMLTableRowElement): void;
  note?: Child;
  legend?: boolean;
  counted?: boolean;
};

/** A part that opens, and makes its content when it is asked to. */
type Opening = HTMLDetailsElement & { make?(): void };

type Scale = (value: number) => number;
type Captioned = { caption?: string; label: string; axis?: string };
type Mark = {
  at: number;
  low?: number;
  high?: number;
  shape?: number;
  set?: string;
  hollow?: boolean;
  thin?: boolean;
  title?: string;
};
type MarkedRow = {
  label: string;
  right?: string;
  marks: Mark[];
  limits?: { at: number; kind?: string; title?: string }[];
  joined?: boolean;
  apart?: boolean;
};
type KeyEntry = { text: string; shape?: number; set?: string; hollow?: boolean; line?: string; ring?: boolean };
type ForestRow = {
  label: string;
  value: number;
  low?: number;
  high?: number;
  title?: string;
  hollow?: boolean;
  shape?: number;
  set?: string;
};
type DotSet = { title: string; set?: string; points: { label: string; value: number }[] };
type NamedLine = { value: number; label?: string; kind?: string };
type LinePoint = { at: number; value: number; low?: number; high?: number; hollow?: boolean; title?: string };
type LineSeries = { title: string; set?: string; points: LinePoint[] };

/** A word of a strip: as it was, taken out, or added. */
type StripWord = { word: string; value: number; state: "in" | "out" | "new"; chosen?: boolean };
type StripGroup = { role: Role; title: string; mean: number; words: StripWord[] };
/** Two groups on one axis; the ends of the interval are those of the difference. */
type Strip = {
  groups: StripGroup[];
  poles: [left: string, right: string];
  axis: string;
  label: string;
  difference: number;
  low: number | null;
  high: number | null;
};
type StripActs = { choose(role: Role, word: string): void; key(event: KeyboardEvent, role: Role, word: string): void };

/** "x", "y", "a" or "b". */
type Role = string;
/** What the sets of a test stand for, by role; a test of one target has no second one. */
type Titles = Record<Role, string>;
type Lean = "a" | "b" | null;

/** A level of a test, with the words of its sets. */
type Level = { sets: Record<Role, string[]>; effect_size: number; pvalue: number; method: string; [field: string]: Json };

/** A test on one vector per word; see testsOf. */
type TestEntry = {
  id?: string;
  order?: number;
  name: string;
  test: Json;
  path: string;
  level1: Level;
  at: string;
  three: boolean;
  titles: Titles;
  bh?: string;
  holm?: string;
  ends?: string;
  elsewhere?: string;
  influence: Found | null;
};

type SeriesPoint = { at: number; name: string; path: string; test: Json };
type WordRow = { word: string; set: Role };
type ContextRow = {
  design: string;
  id: string;
  path: string;
  samples: string;
  test?: Json;
  titles?: Titles;
  bh?: string;
  holm?: string;
  levels?: Json;
  levelsPath?: string;
};
/** A test in one model of several: where it and its effect size stand, and its answer. */
type ModelDot = { context: Context; at: string; value: string; answer: string };
type ModelTest = { key: string; name: string; titles?: Titles; dot: ModelDot };
type ModelPanel = { name: string; titles?: Titles; dots: ModelDot[] };
type GeometryRow = { test: Json; path: string; name: string; id: string; bh?: string; holm?: string };

/** Two groups of scores on one grid of integers. */
type Scores = { x: Unit; y: Unit; tie: number; total: bigint; leaning: number };
/** Shares of all divisions, each with its bounds: [p, low, high]. */
type Shares = {
  method: "exact" | "bracket" | "normal";
  tied?: Json;
  above: number[];
  below: number[];
  not_above: number[];
  not_below: number[];
};
type Alternative = "greater" | "less" | "two-sided" | "observed";
type TestOptions = { alternative?: Alternative; ties?: "weak" | "strict"; score_error?: number };
/** What crossedTest finds: see Crossed in Python; `both` is the p-value of both sides, `alone` the sets of one word, `copies` places in the sets. */
type CrossedFound = {
  difference: number;
  level: number;
  alone: Role[];
  flat: boolean;
  low: number | null;
  high: number | null;
  pvalue: number | null;
  both: number | null;
  agreement: number | null;
  detectable: number | null;
  effective: Record<Role, number>;
  copies: Record<Role, number[][]>;
  statistic: number | null;
  se: number | null;
  df: number | null;
  shares: Record<"targets" | "attributes" | "cells", number> | null;
};
/** Two groups of scores and what is known of them before their p-value. */
type Scored = { first: Unit; second: Unit; flat: boolean; dim: number; effect_size: number; statistic: number };

/** A context whose page carries vectors. */
type Vectored = Context & { readonly vectors: Vectors };
/** The lists of the explorer, and how they are tested. */
type Lists = Record<Role, { title: string; words: string[] }>;
type Conventions = {
  ddof: number;
  ties: "weak" | "strict";
  alpha: number;
  least_effect: number;
  alternative: Alternative;
  words: "effective" | "independent";
};
/** Lists at one time. */
type Moment = { start: { name: string; nth: number } | null; lists: Lists };
/** Where lists are edited: what they are, were, and will be again. */
type Desk = Moment & {
  past: Moment[];
  future: Moment[];
  alternative: Alternative | null;
  stop: (() => void) | null;
  changed: (() => void) | null;
};
/** A word that was taken out ("-") or added ("+"), another name of a list ("="), or where lists began ("*"). */
type Edit = { role: Role; sign: string; word: string };
type Tested = { now: Json; later: Generator<undefined, Json> | null };
type Measured = {
  sets: Record<Role, { words: string[]; units: Unit[] }>;
  absent: string[];
  tests: Record<string, Scored>;
  tested: Record<string, Tested>;
  crossed: CrossedFound | null;
  /** Each target by itself. */
  alone: Record<Role, CrossedFound>;
  level3: Record<string, { mean: number; sd: number; pairs: number }>;
};

/** How many subsets of each size have each sum, on a coarser grid. */
type Celled = { counts: Unit[]; least: number[]; rests: Unit };
/** Sums of the subsets of a group, as rows of sorted runs; and where in each row something begins. */
type Block = { front: Unit; back: Unit };
type Starts = Int32Array[];
type Overlap = { work: number; xBlocks: Block[]; yBlocks: Block[]; low: number; high: number };

interface Window {
  crossroads: object;
}

interface NumberConstructor {
  isFinite(value: unknown): value is number;
}

interface Array<T> {
  /** What is false, null, undefined, 0 or "" is left out. */
  filter(predicate: BooleanConstructor): Exclude<T, false | null | undefined | 0 | "">[];
}
