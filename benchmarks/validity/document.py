"""docs/validity.md: the tables, figures and sentences that the counts of the study make."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from textwrap import dedent, wrap
from typing import Any, NamedTuple

import crossroads

from . import crossing, figures, peers, pieces
from . import procedures as by
from .study import LISTED, MANY, NULLS, ROOT, SINGLE, SPACES, tally
from .tally import Tally, binomial_interval
from .worlds.real import COPIES_SAY
from .worlds.vectors import SAYS

DOCS = ROOT / "docs"
PAGE = DOCS / "validity.md"
FOLDER = DOCS / "validity"
Row = Mapping[str, Any]
BEYOND = "beyond frequency, yes"
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
    parts = (_promises, _agreement, _nulls, _copies, _answers, _power, _frequency, _others, _limits)
    sections = [*_head(share, folder.name), *(line for part in parts for line in part(rows))]
    page.write_text("\n".join([*sections, *peers.section(folder / "peers.json")]).rstrip() + "\n", "utf-8")
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
    seen: int

    def __str__(self) -> str:
        low, high = binomial_interval(self.seen, self.tally.worlds)
        return f"{percent(self.rate)} ({percent(low)}–{percent(high)})"

    @property
    def where(self) -> str:
        """Which world it is."""
        family = f" {self.row['family']}" if self.row["family"] in ("dealt", "contexts") else ""
        return f"{self.row['world']}{family}" + (f", {_sizes(self.row)}" if any(self.row["sizes"]) else "")


def rates(rows: Iterable[Row], procedure: str, what: str = "at_05") -> list[Found]:
    """Rates of a procedure where it was tried, the smallest first."""
    told = ((row, tally(row, procedure)) for row in rows)
    known = ((row, one, getattr(one, what)) for row, one in told if one is not None and one.worlds)
    found = [Found(count / one.worlds, row, one, count) for row, one, count in known if count is not None]
    return sorted(found, key=lambda one: one.rate)


def span(found: Sequence[Found]) -> str:
    """From the smallest to the largest rate."""
    ends = list(dict.fromkeys(percent(one.rate) for one in (*found[:1], *found[-1:])))
    return "–".join(ends) or "–"


def _sizes(row: Row) -> str:
    sizes = row["sizes"]
    return str(sizes[0]) if len(set(sizes)) == 1 else " / ".join(map(str, sizes))


def _of(rows: Iterable[Row], *families: str) -> list[Row]:
    """Cells of some families without an association."""
    some = (row for row in rows if row["family"] in families and row["effect"] == 0)
    return [row for row in some if row["world"] != "frequency in both"]


def _by(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


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
        What the package says of [worlds](../benchmarks/validity/worlds/__init__.py) in which the truth is
        known. Rates are in per cent, with exact binomial 95 % intervals in brackets; tests are two-sided; Δ
        is the difference of mean cosines. Made by `make validity`: {size} ({MANY:,} worlds per cell where
        many are computed at once, {SINGLE} to {2 * SINGLE} where one is computed after the other),
        crossroads {crossroads.__version__}, Python {platform.python_version()}, {versions};
        [counts]({folder}/cells.json).
        """),
        f"![Chances that were said, and how often other words agreed]({folder}/agreement.svg)",
        "",
        *prose("""
        The chance that other words point the same way (`crossed.agreement`), and how often a second set of
        words for the same topics did. On the dotted line both are equal.
        """),
    ]


class Bin(NamedTuple):
    """Chances of about the same size, and how often they came true."""

    said: float
    seen: float

    @property
    def gap(self) -> float:
        """How far it is off."""
        return abs(self.said - self.seen)


def bins(rows: Sequence[Row]) -> list[Bin | None]:
    """Five bins of chances from .5 to 1; None for those of few tests."""
    found: list[Bin | None] = []
    for names in zip(crossing.CHANCES[::2], crossing.CHANCES[1::2], strict=True):
        some = [one for row in rows for low in names if (one := tally(row, f"chance {low:.2f}")) is not None]
        said, held, tests = (
            sum(getattr(one, name) or 0 for one in some) for name in ("said", "held", "worlds")
        )
        found.append(Bin(said / tests, held / tests) if tests >= FEWEST else None)
    return found


def farthest(rows: Iterable[Row]) -> tuple[float, str]:
    """The largest distance of what was said from what was seen, over numbers of words; and where."""
    each = [(one, size) for size, some in _by(rows, _sizes).items() for one in bins(some) if one is not None]
    if not each:
        return 0.0, "–"
    one, size = max(each, key=lambda of: of[0].gap)
    return one.gap, f"said {one.said:.2f}, seen {one.seen:.2f} ({size} words)"


def _said(rows: Iterable[Row], *, few: bool) -> list[Row]:
    """Cells with chances, of few words in some set or of more, but not so many as to use up a population."""
    some = (row for row in _of(rows, "populations") if max(row["sizes"]) <= 16)
    return [row for row in some if (min(row["sizes"]) < 6) == few]


def _promises(rows: Sequence[Row]) -> list[str]:
    nulls = [row for row in _of(rows, "vectors", "dealt", "copies") if _seen(row)]
    lines: list[list[str]] = []

    def promise(text: str, found: str, where: str, kept: bool) -> None:
        lines.append([text, found if kept else f"**{found}**", where if kept else f"**missed**: {where}"])

    def at_most(text: str, limit: float, some: Iterable[Row], procedure: str = crossing.CROSSED) -> None:
        if found := rates(some, procedure):
            worst = found[-1]
            promise(f"{text} ≤ {percent(limit)} %", str(worst), worst.where, worst.rate <= limit)

    at_most("p < .05 without an association, eight words and more:", 0.065, filter(_long, nulls))
    short = [row for row in nulls if not _long(row)]
    at_most("the same, sets down to four, four against twelve:", 0.08, short)
    topical = [row for row in nulls if "topic" in row["world"] or row["family"] == "dealt"]
    for text, some in (
        ("words of topics, no association", topical),
        ("real populations, eight words and more", filter(_long, _said(rows, few=False))),
    ):
        if held := rates(some, crossing.CROSSED, "held"):
            kept = held[0].rate >= 0.94 and held[-1].rate <= 0.985
            where = f"{held[0].where} to {held[-1].where}"
            promise(f"95 % intervals hold Δ: 94–98.5 %, {text}", span(held), where, kept)
    for text, limit, few in (("from six words on", 0.05, False), ("three and four words", 0.08, True)):
        gap, where = farthest(row for row in _said(rows, few=few) if row["world"] != figures.UNRELATED)
        promise(f"chance of agreement, {text}: within {limit:.2f}", f"{gap:.3f}", where, gap <= limit)
    topics = [row for row in _of(rows, "populations") if row["world"].startswith("topics")]
    answers = [one for row in topics if (one := tally(row, crossing.NO)) and one.at_05]
    if answers:
        count, true = (sum(getattr(one, name) or 0 for one in answers) for name in ("at_05", "held"))
        share = true / count
        promise(
            "the answer *no* is true: ≥ 97 %", percent(share), f"topics, said {count:,} times", share >= 0.97
        )
    own, listed = (
        [row for row in _of(rows, "frequency") if (row["world"] == LISTED[0]) == mine]
        for mine in (True, False)
    )
    at_most("*beyond frequency* falsely yes, own ranks:", 0.06, own, BEYOND)
    at_most("the same, lists of reliability .7 to .9:", 0.10, listed, BEYOND)
    head = ("promise", "found", "where")
    return ["## What was promised, and what was found", "", *table(head, lines, text=(0, 2))]


def _agreement(rows: Sequence[Row]) -> list[str]:
    some = [*_said(rows, few=True), *_said(rows, few=False)]
    pooled = _by((row for row in some if row["world"] != figures.UNRELATED), _sizes)
    lines = [
        [size, *("–" if b is None else f"{b.seen:.2f}" for b in bins(of))] for size, of in pooled.items()
    ]
    single = [
        [world, *(farthest(_said(of, few=few))[1] for few in (True, False))]
        for world, of in _by(some, lambda row: row["world"]).items()
    ]
    heads = ("words per set (X / Y / A / B)", "about .55", ".65", ".75", ".85", ".95")
    return [
        "## Would other words point the same way?",
        "",
        *prose(f"""
        How often they did where the chance was about .55 to .95, over all populations but
        *{figures.UNRELATED}*. *Topics*: each set is drawn from the 100 nearest words of a random word;
        *bands*: from frequency-matched words; *lists*: from a word list of the catalogue.
        """),
        *table(heads, lines),
        "The bin that is farthest off in single populations:",
        "",
        *table(("population", "3 or 4 words in some set", "6 to 16 words"), single, text=(0, 1, 2)),
    ]


def _nulls(rows: Sequence[Row]) -> list[str]:
    some, lines = _of(rows, "vectors", "dealt"), []
    columns = ("4", "8", "16", "25", "4 / 12 / 4 / 12")
    for (family, world), of in _by(some, lambda row: (row["family"], row["world"])).items():
        sized = {"8" if family == "dealt" else size: some for size, some in _by(of, _sizes).items()}
        cells = [span(rates(sized.get(size, ()), crossing.CROSSED)) for size in columns]
        told = span(rates(sized.get("8", ()), by.TARGETS)), *cells, span(rates(of, crossing.CROSSED, "held"))
        lines.append([f"{world} {family}" if family == "dealt" else world, *told])
    return [
        "## Is there an association where there is none?",
        "",
        *prose(f"""
        p < .05, by words per set. *Targets exchanged* is the published test, which is right for these
        attribute words only. At .01 the crossed p is at most {
            span(rates(filter(_seen, some), crossing.CROSSED, "at_01")[-1:])
        }. *Sub-clusters* of four words are one cluster per set, which cannot be seen. *Dealt*:
        published targets, as many as there are, with frequency-matched words dealt into A and B.
        """),
        *table(("world", "targets exchanged, 8", "crossed, 4", *columns[1:], "interval holds Δ"), lines),
        *(f"* **{name}**: {says}." for name, says in SAYS.items() if name in NULLS),
        "",
    ]


def _copies(rows: Sequence[Row]) -> list[str]:
    lines = []
    for what, of in _by(
        _of(rows, "copies"), lambda row: (row["world"].rpartition(", ")[0], _sizes(row))
    ).items():
        spaces = _by(of, lambda row: row["world"].rpartition(", ")[2])
        cells = [
            f"{span(rates(some, crossing.INDEPENDENT))} → {span(rates(some, crossing.CROSSED))}; "
            f"{span(rates(some, crossing.CROSSED, 'held'))}"
            if (some := spaces.get(name))
            else "–"
            for name in SPACES
        ]
        lines.append([", ".join(what), *cells])
    low = [
        f"{name} {', '.join(f'{percent(one.rate)} ({_sizes(one.row)})' for one in found)}"
        for name in SPACES[:2]
        if (
            found := [
                f
                for f in rates(_of(rows, "populations"), crossing.LOW)
                if f.row["world"] == f"topics, {name}"
            ]
        )
    ]
    price = "; ".join(low) or "not measured"
    return [
        "## Near copies",
        "",
        *prose("""
        p < .05 without an association where every word counts as independent → where near copies count as
        about one (the default); how often the interval of Δ holds. *In one topic*: X and Y have a topic
        each, and A and B are dealt from a third.
        """),
        *table(("words, per set", *SPACES), lines),
        *(f"* **{name}**: {says}." for name, says in COPIES_SAY.items()),
        "",
        *prose(f"""
        The price: sets of different words of one topic that count as fewer than .7 n (%, words per set):
        {price}.
        """),
    ]


def _answers(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in _of(rows, "populations"):
        size = _sizes(row)
        no = tally(row, crossing.NO_ANY if size == "8" else crossing.NO)
        if size in ("8", "12", "16", "25") and no is not None and no.at_05 is not None:
            share = percent((no.held or 0) / no.at_05) if no.at_05 else "–"
            ends = [span(rates([row], crossing.NO_WRONG)), span(rates([row], crossing.YES_SIGN, "held"))]
            lines.append([f"{row['world']}, {size}", percent(no.at_05 / no.worlds), share, *ends])
    head = (
        "population, words per set",
        "*no*",
        "and it is true",
        "*no* where Δ is larger",
        "*yes*: right sign",
    )
    return [
        "## When is the answer *yes*, or *no*?",
        "",
        *prose("""
        *Yes*: p < .05. *No*: p ≥ .05, the 90 % interval of Δ lies within ± one ordinary association, and
        sets count as ten independent words and more (harmonic mean); true where \\|Δ\\| of the populations
        is below that. With eight words *no* is never said: the line shows what would be if it were.
        """),
        *table(head, lines),
    ]


def _power(rows: Sequence[Row]) -> list[str]:
    topics = [row for row in _of(rows, "populations") if row["world"].startswith("topics")]
    columns = [(name, how) for name in SPACES[:2] for how in (crossing.INDEPENDENT, crossing.CROSSED)]
    lines = [
        [
            size,
            *(span(rates([row for row in of if row["world"].endswith(name)], how)) for name, how in columns),
        ]
        for size, of in _by(topics, _sizes).items()
    ]
    counts = {crossing.INDEPENDENT: "all independent", crossing.CROSSED: "copies counted"}
    plans = [
        [row["world"], span(rates([row], "plan, found")), span(rates([row], "plan, standard error", "held"))]
        for row in rows
        if row["family"] == "plans"
    ]
    return [
        "## How often is an association found?",
        "",
        "p < .05 in tests on four random topics, which are ordinary associations:",
        "",
        *table(("words per set", *(f"{name}, {counts[how]}" for name, how in columns)), lines),
        f"![Power over effect and set size]({FOLDER.name}/power.svg)",
        "",
        *prose("""
        Synthetic worlds in which X and A lie to one side of a direction, Y and B to the other, by the effect
        given, as a multiple of what is a word's own.

        **Plans** (`cr.plan`): how often as many new words find the true Δ as pilots of eight per set plan
        for 80 % power; and how often the standard error that they foresee for 24 words is right within 30 %.
        """),
        *table(("world", "Δ is found", "standard error within 30 %"), plans),
    ]


def _frequency(rows: Sequence[Row]) -> list[str]:
    shown = ("without regard to frequency", "at equal frequency", BEYOND)
    lines = [
        [
            f"{row['world']}, {_sizes(row)}{', Δ is more' if row['effect'] else ''}",
            *(span(rates([row], p)) for p in shown),
        ]
        for row in rows
        if row["family"] == "frequency"
    ]
    return [
        "## Is it more than frequency?",
        "",
        *prose("""
        Both targets and both attributes are two standard deviations apart in frequency, which moves vectors
        as it does in GloVe; Δ is frequency and nothing else, but for two lines. *Reliability*: the share of
        the variance of a foreign list, within a set, that is real.
        """),
        *table(
            ("frequencies, words per set", "crossed p < .05", "at equal frequency", "answer *yes*"), lines
        ),
    ]


MEASURES = """
X against A and B (ML-EAT Level 2)|vectors|Level 2|Level 2 crossed|Level 2 crossed
one word (SC-WEAT)|vectors||SC-WEAT|
CEAT|contexts|CEAT, published|CEAT crossed|CEAT crossed
RSA|rsa|RSA, published sign test|RSA crossed|RSA crossed
projection|projection|projection, targets exchanged|projection, means; projection, pairs|
two models compared|compare|compare, sd, attributes given|compare, sd; compare, cosine|compare, interval
align|traits|align, published|align, groups exchanged; align, traits exchanged|align, interval
align, no blocks|traits||no blocks, groups exchanged; no blocks, traits exchanged|no blocks, interval
cells of ILPS and SeT, over templates|structured:cells|pieces, plain|pieces, ours|pieces, ours
RSA, 4 to 25 items|structured:RSA|pieces, plain|pieces, ours|pieces, ours
meta-analysis|metas|meta, words independent of members|meta|meta
meta-analysis, a further member|metas||meta, prediction|meta, prediction
one domain dominates|pairs|dominance, published rule|dominance, interval|
emergent traits|pairs||emergent|
discover, any word|names||discover, any word|
null_threshold, share of words|names||null_threshold, share of words|
series, any decade|series|series, any decade, targets exchanged|series, any decade, adjusted|
"""
"""What is shown of a measure: its name, family, the usual procedure, ours, and its interval."""


def _others(rows: Sequence[Row]) -> list[str]:
    lines = []
    for name, family, usual, ours, interval in (line.split("|") for line in MEASURES.strip().splitlines()):
        family, _, start = family.partition(":")
        nulls = [row for row in _of(rows, family) if row["world"].startswith(start)]
        found = sorted((one for p in ours.split("; ") for one in rates(nulls, p)), key=lambda one: one.rate)
        if found:
            held = rates(
                (r for r in rows if r["family"] == family and r["world"].startswith(start)), interval, "held"
            )
            worst, low = (f"{one[0]}, {one[0].where}" if one else "–" for one in (found[-1:], held[:1]))
            lines.append([name, span(rates(nulls, usual)), span(found), worst, low])
    parts = [
        [f"**{name}**: {' '.join((piece.__doc__ or '').split()).partition('; plain')[0]}", *told]
        for name, piece in pieces.PIECES.items()
        if (of := [row for row in rows if row["family"] == "pieces" and row["world"] == name])
        and (
            told := [
                span(rates(of, pieces.PLAIN)),
                span(rates(of, pieces.OURS)),
                span(rates(of, pieces.OURS, "held")),
            ]
        )
    ]
    head = ("measure", "usual procedure", "here", "highest", "interval holds, lowest")
    return [
        "## Other measures",
        "",
        "p < .05 without an association, from the lowest to the highest over the worlds of each:",
        "",
        *table(head, lines, text=(0, 3, 4)),
        "Pieces of inference, each in a world of its own:",
        "",
        *table(("piece", "usual procedure", "here", "interval holds"), parts),
    ]


def _limits(rows: Sequence[Row]) -> list[str]:
    unseen = rates((row for row in _of(rows, "vectors", "copies") if not _seen(row)), crossing.CROSSED)
    bare = [row for row in rows if row["world"] == figures.UNRELATED]
    less = "; ".join(farthest(_said(bare, few=few))[1] for few in (True, False))
    wide = rates(_of(rows, "vectors", "copies"), crossing.CROSSED, "held")[-1:]
    return [
        "## Weak spots, and what is not measured",
        "",
        *prose(f"""
        * A set that is **one cluster** of copies cannot be seen: p < .05 in {span(unseen)} %, the most where
          all four sets are.
        * Where groups of words have next to nothing to do with each other (*{figures.UNRELATED}*, Δ is a
          quarter of an ordinary association), other words agree less often than the chance says: {less}.
        * Intervals are too wide where words hardly vary and single cosines do: they hold Δ in up to
          {span(wide)} %.
        * Worlds are simpler than languages. Vectors of one corpus share what is accidental in it, and no
          p-value over words knows of that.
        * Not measured: the intervals of IBD and EIBD, of precision and over annotators in `align`, of
          `cr.pairs.order_sensitivity` and of split halves; p-values of `against` and of precision;
          `choose_templates`.
        """),
    ]
