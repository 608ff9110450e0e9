"""docs/validity.md: the tables, figures and sentences that the counts of the study make."""

from __future__ import annotations

import json
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from textwrap import dedent, wrap
from typing import Any, NamedTuple

import crossroads

from . import crossing, figures, peers, pieces
from . import procedures as by
from .study import LISTED, MANY, NULLS, ROOT, SINGLE, SPACES, tally
from .tally import Tally, binomial_interval
from .worlds.corpora import CORPUS_SAYS
from .worlds.real import COPIES_SAY
from .worlds.vectors import SAYS

DOCS = ROOT / "docs"
PAGE = DOCS / "validity.md"
FOLDER = DOCS / "validity"
Row = Mapping[str, Any]
UNSEEN = ("sub-clusters", "one cluster")
"""Worlds in which a set of four is a single cluster."""
FEWEST = 200
"""Tests that a bin of chances must have to be judged."""


def write(rows: Sequence[Row], share: float, page: Path = PAGE, folder: Path = FOLDER) -> Path:
    """Write the page, its figures and the counts behind them."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = [{key: value for key, value in row.items() if key not in ("seconds", "code")} for row in rows]
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in kept)
    (folder / "cells.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    figures.draw(rows, folder)
    sections = [
        *_head(share, folder.name),
        *_promises(rows),
        *_agreement(rows),
        *_nulls(rows),
        *_copies(rows),
        *_no(rows),
        *_power(rows, folder.name),
        *_frequency(rows),
        *_others(rows),
        *peers.section(folder / "peers.json"),
        *_limits(rows),
    ]
    page.write_text("\n".join(sections).rstrip() + "\n", encoding="utf-8")
    return page


def percent(value: float) -> str:
    """A share in per cent, with a digit after the point below ten and above ninety."""
    return f"{100 * value:.0f}" if 0.0995 < value < 0.9 else f"{100 * value:.1f}"


def prose(text: str) -> list[str]:
    """Paragraphs and lists, wrapped, with an empty line after each."""
    lines: list[str] = []
    for block in dedent(text).strip().split("\n\n"):
        listed = block.startswith("* ")
        for item in block[2:].split("\n* ") if listed else [block]:
            whole = ("* " if listed else "") + " ".join(item.split())
            indent = "  " if listed else ""
            lines += wrap(
                whole, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
        lines.append("")
    return lines


def table(head: Sequence[str], lines: Iterable[Sequence[str]], *, text: Sequence[int] = (0,)) -> list[str]:
    """A Markdown table, with numbers to the right but for columns of text."""
    rows = [head, ["---" if at in text else "---:" for at in range(len(head))], *lines]
    return [*(f"| {' | '.join(row)} |" for row in rows), ""]


class Found(NamedTuple):
    """A rate of a procedure in a cell."""

    rate: float
    row: Row
    tally: Tally
    count: int

    def __str__(self) -> str:
        low, high = binomial_interval(self.count, self.tally.worlds)
        return f"{percent(self.rate)} ({percent(low)}–{percent(high)})"

    @property
    def where(self) -> str:
        """Which world it is."""
        sizes = self.row["sizes"]
        family = f" ({self.row['family']})" if self.row["family"] in ("dealt", "corpora", "contexts") else ""
        return f"{self.row['world']}{family}{f', {_sizes(sizes)}' if any(sizes) else ''}"


def rates(rows: Iterable[Row], procedure: str, what: str = "at_05") -> list[Found]:
    """Rates of a procedure where it was tried, the smallest first."""
    found = []
    for row in rows:
        one = tally(row, procedure)
        if one is not None and one.worlds and (count := getattr(one, what)) is not None:
            found.append(Found(count / one.worlds, row, one, count))
    return sorted(found, key=lambda one: one.rate)


def span(found: Sequence[Found]) -> str:
    """From the smallest to the largest rate."""
    if not found:
        return "–"
    low, high = percent(found[0].rate), percent(found[-1].rate)
    return low if low == high else f"{low}–{high}"


def _sizes(sizes: Sequence[int]) -> str:
    return str(sizes[0]) if len(set(sizes)) == 1 else " / ".join(map(str, sizes))


def _of(rows: Iterable[Row], *families: str, null: bool = True) -> list[Row]:
    """Cells of some families without an association, or with one."""
    some = [row for row in rows if row["family"] in families and row["world"] != "frequency in both"]
    return [row for row in some if null == (row["effect"] == 0)]


def _long(row: Row) -> bool:
    return not any(row["sizes"]) or min(row["sizes"]) >= 8


def _seen(row: Row) -> bool:
    """Whether the copies of a set can be seen: it is not a single cluster."""
    return _long(row) or not row["world"].startswith(UNSEEN)


def _head(share: float, folder: str) -> list[str]:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy"))
    size = "the whole study" if share == 1 else f"{100 * share:g} % of the worlds of the whole study"
    return [
        "# Validity: how often these numbers err",
        "",
        "<!-- Written by `make validity`: change benchmarks/validity/document.py, not this page. -->",
        "",
        *prose(f"""
        Worlds in which the truth is known, and what the package says of them. Rates are in per cent, with
        exact
        binomial 95 % intervals in brackets. Tests are two-sided. Made by `make validity`: {size}
        ({MANY:,} worlds per cell where many are computed at once, {SINGLE} to {2 * SINGLE} where one is
        computed after the other), crossroads {crossroads.__version__}, Python {platform.python_version()},
        {versions}; counts: [{folder}/cells.json]({folder}/cells.json); worlds:
        [benchmarks/validity/worlds](../benchmarks/validity/worlds/__init__.py).
        """),
        f"![Chances that were said, and how often other words agreed]({folder}/agreement.svg)",
        "",
        *prose("""
        Chance that other words point the same way: said by `crossed.agreement` (across), and how often a
        second
        set of words for the same topics did (upwards). On the line both are equal.
        """),
    ]


class Bin(NamedTuple):
    """Chances of about the same size, and how often they came true."""

    said: float
    seen: float
    tests: int
    held: int


def bins(rows: Iterable[Row], *, width: int = 2) -> list[Bin]:
    """Bins of chances over some cells, each of ``width`` times .05, without those of few tests."""
    rows, found = list(rows), []
    for start in range(0, len(crossing.CHANCES), width):
        names = [f"chance {low:.2f}" for low in crossing.CHANCES[start : start + width]]
        some = [one for row in rows for name in names if (one := tally(row, name)) is not None]
        tests, held = sum(one.worlds for one in some), sum(one.held or 0 for one in some)
        if tests >= FEWEST:
            found.append(Bin(sum(one.said or 0.0 for one in some) / tests, held / tests, tests, held))
    return found


def related(rows: Iterable[Row]) -> list[Row]:
    """Cells of populations that have something to do with each other, of up to 16 words."""
    return [
        row
        for row in _of(rows, "populations")
        if row["world"] != figures.UNRELATED and max(row["sizes"]) <= 16
    ]


def _few(row: Row) -> bool:
    return min(row["sizes"]) < 6


def _gap(rows: Collection[Row]) -> tuple[float, str]:
    """The largest distance of what was said and seen, over numbers of words; and where."""
    found = [(0.0, "–")]
    for sizes in dict.fromkeys(tuple(row["sizes"]) for row in rows):
        for one in bins(row for row in rows if tuple(row["sizes"]) == sizes):
            found.append((abs(one.said - one.seen), f"said {one.said:.2f}, {one.seen:.2f}, {_sizes(sizes)}"))
    return max(found)


def _promises(rows: Sequence[Row]) -> list[str]:
    nulls = [row for row in _of(rows, "vectors", "dealt", "corpora", "copies") if _seen(row)]
    lines: list[list[str]] = []

    def promise(text: str, found: str, where: str, kept: bool) -> None:
        lines.append([text, found if kept else f"**{found}**", where if kept else f"**missed**: {where}"])

    def at_most(text: str, limit: float, some: Iterable[Row], procedure: str = by.CROSSED) -> None:
        if found := rates(some, procedure):
            promise(f"{text} ≤ {percent(limit)} %", str(found[-1]), found[-1].where, found[-1].rate <= limit)

    at_most("p < .05 without an association, eight words and more:", 0.065, filter(_long, nulls))
    at_most(
        "the same, sets down to four, four against twelve:", 0.08, (row for row in nulls if not _long(row))
    )
    topical = [row for row in nulls if "topic" in row["world"] or row["family"] == "dealt"]
    held = rates([*topical, *related(rows)], by.CROSSED, "held")
    if held:
        ends = held[0].rate >= 0.94 and held[-1].rate <= 0.985
        places = f"{held[0].where}; {held[-1].where}"
        promise("95 % intervals hold Δ: 94–98.5 %", span(held), places, ends)
    for text, limit, few in (("from six words on", 0.05, False), ("three and four words", 0.08, True)):
        gap, where = _gap([row for row in related(rows) if _few(row) == few])
        promise(f"chance of agreement, {text}: within {limit:.2f}", f"{gap:.3f}", where, gap <= limit)
    answers = [row for row in _of(rows, "populations") if (one := tally(row, crossing.NO)) and one.at_05]
    said = [one for row in answers if (one := tally(row, crossing.NO)) is not None]
    if said:
        no = sum((one for one in said[1:]), said[0])
        count, true = no.at_05 or 0, no.held or 0
        promise(
            "the answer *no* is true: ≥ 97 %", percent(true / count), f"{count:,} times", true >= 0.97 * count
        )
    frequency = _of(rows, "frequency")
    own = [row for row in frequency if row["world"].endswith(LISTED[0])]
    at_most("*beyond frequency* falsely yes, own ranks:", 0.06, own, BEYOND)
    listed = [row for row in frequency if not row["world"].endswith(LISTED[0])]
    at_most("the same, lists of reliability .7 to .9:", 0.10, listed, BEYOND)
    return [
        "## What was promised, and what was found",
        "",
        *table(("promise", "found", "where"), lines, text=(0, 2)),
    ]


def _agreement(rows: Sequence[Row]) -> list[str]:
    some, heads = related(rows), ("about .55", ".65", ".75", ".85", ".95")
    lines = []
    for sizes in dict.fromkeys(tuple(row["sizes"]) for row in some):
        found = bins(row for row in some if tuple(row["sizes"]) == sizes)
        cells = [f"{one.seen:.2f}" for one in found]
        lines.append([_sizes(sizes), *cells, *["–"] * (len(heads) - len(cells))])
    single = []
    for world in dict.fromkeys(row["world"] for row in _of(rows, "populations")):
        of = [row for row in _of(rows, "populations") if row["world"] == world and max(row["sizes"]) <= 16]
        few, many = (_gap([row for row in of if _few(row) == less])[1] for less in (True, False))
        single.append([world, few, many])
    return [
        "## Would other words point the same way?",
        "",
        *prose(f"""
        How often they did, where the chance said was about .55 to .95; populations taken together, without
        {figures.UNRELATED}. *Topics*: each set is drawn from the 100 nearest words of a random word; *bands*:
        from words of like frequency; *lists*: from half of a word list of the catalogue.
        """),
        *table(("words per set (X / Y / A / B)", *heads), lines),
        "The bin that is farthest from the chance that was said, in single populations:",
        "",
        *table(("population", "3, 4 words", "6 to 16 words"), single, text=(0, 1, 2)),
    ]


def _nulls(rows: Sequence[Row]) -> list[str]:
    lines, ends = [], {"dealt": "{}, attributes dealt", "corpora": "{} corpora"}
    some = _of(rows, "vectors", "dealt", "corpora")
    for family, world in dict.fromkeys((row["family"], row["world"]) for row in some):
        of = [row for row in some if (row["family"], row["world"]) == (family, world)]
        usual = rates((row for row in of if _sizes(row["sizes"]) in ("8", "0")), by.TARGETS)
        cells = []
        for size in ("4", "8", "16", "25", "4 / 12 / 4 / 12"):
            found = rates(
                (r for r in of if _sizes(r["sizes"]) in (size, "0" if size == "8" else size)), by.CROSSED
            )
            cells.append(span(found))
        held = rates(of, by.CROSSED, "held")
        lines.append([ends.get(family, "{}").format(world), span(usual), *cells, span(held)])
    heads = ("targets exchanged, 8", "crossed, 4", "8", "16", "25", "4 / 12 / 4 / 12", "interval holds Δ")
    return [
        "## Is there an association where there is none?",
        "",
        *prose(f"""
        p < .05 in worlds without an association, by words per set. *Targets exchanged* is the published
        test, which
        is right for these attribute words only. At .01 the crossed p is at most
        {span(rates(filter(_seen, some), by.CROSSED, "at_01")[-1:])}. Sets of four in the world
        *sub-clusters* are
        one cluster each, which cannot be seen.
        """),
        *table(("world", *heads), lines),
        *(f"* **{name}**: {says}." for name, says in SAYS.items() if name in NULLS),
        "* **attributes dealt**: published targets, frequency-matched words in place of published attributes.",
        *(f"* **{name} corpora**: {says}." for name, says in CORPUS_SAYS.items()),
        "",
    ]


def _copies(rows: Sequence[Row]) -> list[str]:
    some, lines = _of(rows, "copies"), []
    for kind, sizes in dict.fromkeys((row["world"].partition(", ")[0], tuple(row["sizes"])) for row in some):
        cells = []
        for name in SPACES:
            of = [row for row in some if row["world"] == f"{kind}, {name}" and tuple(row["sizes"]) == sizes]
            told = [span(rates(of, one)) for one in (by.INDEPENDENT, by.CROSSED)]
            held = span(rates(of, by.CROSSED, "held"))
            cells.append(f"{told[0]} → {told[1]}; {held}" if of else "–")
        lines.append([f"{kind}, {_sizes(sizes)}", *cells])
    plain = [row for row in _of(rows, "populations") if row["world"].startswith("topics")]
    low = {
        name: rates((row for row in plain if row["world"].endswith(name)), crossing.LOW)
        for name in SPACES[:2]
    }
    said = "; ".join(
        f"{name}: " + ", ".join(f"{percent(one.rate)} ({_sizes(one.row['sizes'])} words)" for one in some)
        for name, found in low.items()
        if (some := [one for one in found if _sizes(one.row["sizes"]) in ("8", "16", "25")])
    )
    return [
        "## Near copies",
        "",
        *prose("""
        p < .05 without an association where every word counts as independent → where near copies count as
        about
        one (the default); then how often the interval of Δ holds. *In one topic*: X and Y have a topic
        each, A and
        B are dealt from a third.
        """),
        *table(("words, per set", *SPACES), lines),
        *(f"* **{name}**: {says}." for name, says in COPIES_SAY.items()),
        "",
        *prose(f"""
        The price: of sets of different words of one topic, fewer than .7 n count as independent in {said}
        (%).
        """),
    ]


def _no(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in _of(rows, "populations"):
        few, no, wrong, sign = (
            tally(row, name) for name in (crossing.NO_ANY, crossing.NO, crossing.NO_WRONG, crossing.YES_SIGN)
        )
        if _sizes(row["sizes"]) not in ("8", "12", "16", "25") or not (few and no and wrong and sign):
            continue
        counted = few if _sizes(row["sizes"]) == "8" else no
        rate, true = (counted.at_05 or 0) / counted.worlds, (counted.held or 0) / max(counted.at_05 or 0, 1)
        lines.append(
            [
                f"{row['world']}, {_sizes(row['sizes'])}{' (not said)' if counted is few else ''}",
                percent(rate),
                percent(true) if counted.at_05 else "–",
                span(rates([row], crossing.NO_WRONG)),
                span(rates([row], crossing.YES_SIGN, "held")),
            ]
        )
    return [
        "## When the answer is *no*, or *yes*",
        "",
        *prose("""
        *No*: p ≥ .05, the 90 % interval of Δ lies within ± one ordinary association, and sets count as ten
        independent words and more (harmonic mean). True: \\|Δ\\| of the populations is below that. With
        eight words
        it is never said; the line shows what it would be. *Yes*: p < .05.
        """),
        *table(
            (
                "population, words per set",
                "*no* is said",
                "and is true",
                "said where Δ is larger",
                "*yes*: right sign",
            ),
            lines,
        ),
    ]


def _power(rows: Sequence[Row], folder: str) -> list[str]:
    of = [row for row in _of(rows, "populations") if row["world"].startswith("topics")]
    lines = []
    for sizes in dict.fromkeys(tuple(row["sizes"]) for row in of):
        some = [row for row in of if tuple(row["sizes"]) == sizes]
        both = [[row for row in some if row["world"].endswith(name)] for name in SPACES[:2]]
        cells = [span(rates(one, p)) for one in both for p in (by.INDEPENDENT, by.CROSSED)]
        lines.append([_sizes(sizes), *cells])
    plans = [row for row in rows if row["family"] == "plans"]
    planned = [
        [row["world"], span(rates([row], "plan, found")), span(rates([row], "plan, standard error", "held"))]
        for row in plans
    ]
    heads = [f"{name}, {how}" for name in SPACES[:2] for how in ("all independent", "copies counted")]
    return [
        "## How often is an association found?",
        "",
        "p < .05 in tests on four random topics, which are ordinary associations:",
        "",
        *table(("words per set", *heads), lines),
        f"![Power over effect and set size]({folder}/power.svg)",
        "",
        *prose("""
        Synthetic worlds in which X and A lie to one side of a direction, Y and B to the other, by the effect
        given, as a multiple of what is a word's own.

        **Plans** (`cr.plan`): how often as many new words find the true Δ as pilots of eight per set plan for
        80 % power; and how often the standard error that they foresee for 24 words is right within 30 %.
        """),
        *table(("world", "Δ is found", "standard error within 30 %"), planned),
    ]


BEYOND = "beyond frequency, yes"


def _frequency(rows: Sequence[Row]) -> list[str]:
    lines = [
        [
            f"{row['world']}, {_sizes(row['sizes'])}" + (", an association too" if row["effect"] else ""),
            *(span(rates([row], p)) for p in ("without regard to frequency", "at equal frequency", BEYOND)),
        ]
        for row in rows
        if row["family"] == "frequency"
    ]
    return [
        "## Is it more than frequency?",
        "",
        *prose("""
        Worlds in which targets, or targets and attributes, are two standard deviations apart in frequency,
        which
        moves vectors; Δ is frequency and nothing else, but in the last lines of each. *Reliability*: the
        share of
        the variance of a foreign list that is real.
        """),
        *table(
            ("frequencies, words per set", "crossed p < .05", "p at equal frequency < .05", "answer yes"),
            lines,
        ),
    ]


class Measure(NamedTuple):
    """What is shown of a measure: the usual procedure, and ours."""

    name: str
    family: str
    usual: str | None
    ours: Sequence[str]
    interval: str | None = None


MEASURES = (
    Measure(
        "X against A and B (ML-EAT Level 2)", "vectors", by.LEVEL2, (by.LEVEL2_CROSSED,), by.LEVEL2_CROSSED
    ),
    Measure("one word (SC-WEAT)", "vectors", None, (by.SINGLE,)),
    Measure("bootstrap of d leaves out 0", "vectors", None, (by.BOOTSTRAP,), by.BOOTSTRAP),
    Measure("CEAT", "contexts", "CEAT, published", ("CEAT crossed",), "CEAT crossed"),
    Measure("CEAT, bootstrap of d", "contexts", None, ("CEAT bootstrap of d",)),
    Measure("RSA", "rsa", "RSA, published sign test", ("RSA crossed",), "RSA crossed"),
    Measure(
        "projection",
        "projection",
        "projection, targets exchanged",
        ("projection, means", "projection, pairs"),
    ),
    Measure(
        "two models compared",
        "compare",
        "compare, sd, attributes given",
        ("compare, sd", "compare, cosine"),
        "compare, interval",
    ),
    Measure(
        "align, blocks not named",
        "traits",
        "align, published",
        ("align, groups exchanged", "align, traits exchanged"),
        "align, interval",
    ),
    Measure(
        "align, blocks named",
        "traits",
        None,
        ("align, blocks named, groups exchanged", "align, blocks named, traits exchanged"),
        "align, blocks named, interval",
    ),
    Measure("one domain dominates", "pairs", "dominance, published rule", ("dominance, interval",)),
    Measure("emergent traits", "pairs", None, ("emergent",)),
    Measure("discover, any word", "names", None, ("discover, any word",)),
    Measure("null_threshold, share of words", "names", None, ("null_threshold, share of words",)),
    Measure(
        "series, any decade",
        "series",
        "series, any decade, targets exchanged",
        ("series, any decade, adjusted",),
    ),
)


def _others(rows: Sequence[Row]) -> list[str]:
    lines = []
    for one in MEASURES:
        nulls = _of(rows, one.family)
        found = sorted((f for name in one.ours for f in rates(nulls, name)), key=lambda f: f.rate)
        if not found:
            continue
        held = rates([row for row in rows if row["family"] == one.family], one.interval or "", "held")
        usual = span(rates(nulls, one.usual)) if one.usual else "–"
        low = f"{held[0]}, {held[0].where}" if held else "–"
        lines.append([one.name, usual, span(found), f"{found[-1]}, {found[-1].where}", low])
    parts = [
        [
            f"{name}: {' '.join((piece.__doc__ or '').split()).rstrip('.').partition('; plain')[0]}",
            span(rates(of, pieces.PLAIN)),
            span(rates(of, pieces.OURS)),
            span(rates(of, pieces.OURS, "held")),
        ]
        for name, piece in pieces.PIECES.items()
        if (of := [row for row in rows if row["family"] == "pieces" and row["world"] == name])
    ]
    return [
        "## Other measures",
        "",
        "False positives at .05 over the worlds of each, from the lowest to the highest:",
        "",
        *table(
            ("measure", "usual procedure", "here", "highest", "interval holds, lowest"), lines, text=(0, 3, 4)
        ),
        "Pieces of inference, each in a world of its own:",
        "",
        *table(("piece", "usual procedure", "here", "interval holds"), parts),
    ]


def _limits(rows: Sequence[Row]) -> list[str]:
    unseen = rates((row for row in _of(rows, "vectors", "copies") if not _seen(row)), by.CROSSED)
    bare = [row for row in _of(rows, "populations") if row["world"] == figures.UNRELATED]
    far = max((b for b in bins(bare)), key=lambda b: b.said - b.seen, default=None)
    told = f"said {far.said:.2f}, true in {far.seen:.2f}" if far else "not measured"
    wide = rates(_of(rows, "vectors", "copies"), by.CROSSED, "held")[-1:]
    return [
        "## Weak spots, and what is not measured",
        "",
        *prose(f"""
        * A set that is **one cluster** of copies cannot be seen: p < .05 in {span(unseen)} % without an
          association, where the other sets can be seen or not.
        * Where groups of words have next to nothing to do with each other ({figures.UNRELATED}: Δ is a
          quarter of an
          ordinary association), other words agree less often than said: {told}.
        * Intervals are too wide where words hardly vary and single cosines do: they hold Δ in up to
          {span(wide)} %.
        * Worlds are simpler than languages. Vectors of one corpus share what is accidental in it, and no
          p-value
          over words knows of that.
        * Not measured: the intervals of IBD and EIBD, of precision and over annotators in `align`, of
          `cr.pairs.order_sensitivity` and of split halves; p-values of `against` and of precision; cells
          of ILPS,
          ILPS*, SeT and group CEAT; `choose_templates`.
        """),
    ]
