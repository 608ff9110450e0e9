"""docs/validity.md: the tables, figures and sentences that the counts of the study make."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from textwrap import dedent, wrap
from typing import Any

import crossroads
from crossroads.core.errors import join_words

from . import figures, peers, pieces
from . import procedures as by
from .study import NULLS, ROOT, SINGLE, WORLDS, tally
from .tally import Tally, binomial_interval
from .worlds.corpora import CORPUS_SAYS
from .worlds.names import NAME_SAYS
from .worlds.tables import PAIR_SAYS, TRAIT_SAYS
from .worlds.vectors import SAYS

DOCS = ROOT / "docs"
PAGE = DOCS / "validity.md"
FOLDER = DOCS / "validity"
Row = Mapping[str, Any]
GOALS = {"at_05": 0.06, "at_01": 0.015}
"""Up to what rate the crossed p-value may reject where nothing is to be found."""


def write(rows: Sequence[Row], share: float, page: Path = PAGE, folder: Path = FOLDER) -> Path:
    """Write the page, its figures and the counts behind them."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = [{key: value for key, value in row.items() if key not in ("seconds", "code")} for row in rows]
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in kept)
    (folder / "cells.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    figures.draw(rows, folder)
    sections = [
        *_head(rows, share, folder.name),
        *_association(rows, folder.name),
        *_power(rows, folder.name),
        *_levels(rows),
        *_contexts(rows),
        *_others(rows),
        *peers.section(folder / "peers.json"),
        *_not_measured(),
    ]
    page.write_text("\n".join(sections).rstrip() + "\n", encoding="utf-8")
    return page


def percent(value: float) -> str:
    """A share in per cent, with a digit after the point below ten."""
    return f"{100 * value:.1f}" if value < 0.0995 else f"{100 * value:.0f}"


def cell(found: Tally | None, what: str, limit: float) -> str:
    """A rate with its exact interval; bold where all of that lies on the wrong side of the limit."""
    count = None if found is None else getattr(found, what)
    if found is None or count is None:
        return "–"
    n = found.worlds
    low, high = binomial_interval(count, n)
    if what == "held":
        text = f"{100 * count / n:.1f} ({100 * low:.1f}–{100 * high:.1f})"
        return f"**{text}**" if high < limit else text
    text = f"{percent(count / n)} ({percent(low)}–{percent(high)})"
    return f"**{text}**" if low > limit else text


def prose(text: str) -> list[str]:
    """Paragraphs and lists, wrapped, with an empty line after each."""
    lines: list[str] = []
    for block in dedent(text).strip().split("\n\n"):
        items = block.split("\n* ")
        for i, item in enumerate(items):
            whole = " ".join(item.split())
            listed = block.startswith("* ")
            start = "* " if listed and i else ""
            lines += wrap(
                start + whole,
                width=118,
                subsequent_indent="  " if listed else "",
                break_long_words=False,
                break_on_hyphens=False,
            )
        lines.append("")
    return lines


Column = tuple[str, str, str, float]
"""Head, procedure, what of it is counted, and the limit."""


def at_05(head: str, procedure: str) -> Column:
    """A column of rejections at .05."""
    return head, procedure, "at_05", 0.05


def table(
    rows: Iterable[Row], columns: Sequence[Column], label: Callable[[Row], str], head: str
) -> list[str]:
    """A Markdown table, a line for each cell; columns and lines without any number are left out."""
    rows = list(rows)
    used = [one for one in columns if any(_known(row, one) for row in rows)]
    lines = [
        f"| {head} | {' | '.join(one[0] for one in used)} |",
        f"|---|{'---:|' * len(used)}",
        *(
            f"| {label(row)} | {' | '.join(cell(tally(row, p), what, limit) for _, p, what, limit in used)} |"
            for row in rows
            if any(_known(row, one) for one in used)
        ),
    ]
    return [*lines, ""]


def _known(row: Row, column: Column) -> bool:
    found = tally(row, column[1])
    return found is not None and getattr(found, column[2]) is not None


def _sizes(row: Row) -> str:
    sizes = row["sizes"]
    return str(sizes[0]) if len(set(sizes)) == 1 else " / ".join(map(str, sizes))


def _of(rows: Iterable[Row], family: str, *, null: bool | None = True) -> list[Row]:
    """Cells of a family: those without an association, those with one, or all."""
    some = [row for row in rows if row["family"] == family]
    if null is None:
        return some
    return [row for row in some if null == (row["effect"] == 0 and row["world"] != "frequency in both")]


def _range(found: Iterable[Tally | None], what: str) -> str:
    """From the smallest to the largest of some rates, in per cent."""
    rates = [
        getattr(one, what) / one.worlds for one in found if one is not None and getattr(one, what) is not None
    ]
    if not rates:
        return "not measured"
    low, high = (f"{100 * rate:.1f}" for rate in (min(rates), max(rates)))
    return f"{low} %" if low == high else f"{low}–{high} %"


def _counts(rows: Iterable[Row], procedure: str) -> str:
    """How many worlds a cell has for a procedure."""
    counts = [found.worlds for row in rows if (found := tally(row, procedure)) is not None]
    if not counts:
        return "no"
    return f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"


def _head(rows: Sequence[Row], share: float, folder: str) -> list[str]:
    nulls = [*_of(rows, "vectors"), *_of(rows, "dealt"), *_of(rows, "corpora")]
    fair = [row for row in nulls if row["world"] != "sub-clusters"]
    clusters = [row for row in nulls if row["world"] == "sub-clusters"]
    crossed = [tally(row, by.CROSSED) for row in fair]
    over = {
        what: [
            f"{row['world']} ({_sizes(row)})"
            for row in fair
            if (one := tally(row, by.CROSSED)) is not None
            and binomial_interval(getattr(one, what), one.worlds)[0] > goal
        ]
        for what, goal in GOALS.items()
    }
    missed = {what: join_words(names) for what, names in over.items() if names}
    topical = [row for row in _of(rows, "vectors") if row["world"] in ("topical targets", "frequency")]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy"))
    size = "the whole study" if share == 1 else f"{100 * share:g} % of the worlds of the whole study"
    goal = "In none of them does the interval of the rate lie wholly above 6 % or 1.5 %."
    if share < 1:
        goal += " With so few worlds that is weak evidence: run the whole study."
    if missed:
        goal = (
            f"It is above 6 % at .05 or 1.5 % at .01, by more than chance, in {join_words(missed.values())}."
        )
    exchanged = [tally(row, by.TARGETS) for row in topical]
    on_dealt = [tally(row, by.TARGETS) for row in _of(rows, "dealt")]
    return [
        "# Validity: how often these numbers err",
        "",
        "<!-- Written by `make validity`: change benchmarks/validity/document.py, not this page. -->",
        "",
        *prose(f"""
        A p-value claims to be below .05 in 5 % of worlds in which there is nothing to find, and a 95 %
        interval to hold the truth in 95 %. Neither can be seen in real data, where the truth is not
        known. This page counts both in worlds in which it is
        ([`benchmarks/validity/worlds`](../benchmarks/validity/worlds/__init__.py)), with published
        procedures alongside ours; the last section lists what was not measured.

        Made by `make validity`: {size} (in full {WORLDS:,} worlds per cell where many are computed at
        once, {SINGLE} where one is computed after the other; every table says how many), crossroads
        {crossroads.__version__}, Python {platform.python_version()}, {versions}. Counts are in
        [{folder}/cells.json]({folder}/cells.json). Rates are in per cent, with exact binomial intervals
        (Clopper & Pearson, 95 %) in brackets; a rate is **bold** where its whole interval is above the
        level it claims, or, for intervals, below 95 %. All tests are two-sided unless a column says
        otherwise.
        """),
        "## In short",
        "",
        *prose(f"""
        * The **crossed p-value** (other words for the same things) is below .05 in
          {_range(crossed, "at_05")} and below .01 in {_range(crossed, "at_01")} of worlds without an
          association, over {len(fair)} kinds and sizes of worlds. {goal}
        * Its interval of Δ holds the truth in {_range(crossed, "held")} of them. It is too wide rather
          than too narrow where words hardly vary and single cosines do: exchangeable words, and sets of
          four.
        * Exchanging **targets**, the published test, is right for these attribute words. For others it is
          below .05 in {_range(exchanged, "at_05")} of worlds in which targets have topics or differ in
          frequency, and in {_range(on_dealt, "at_05")} where real targets meet dealt attributes.
        * Where words of a set come in **sub-clusters**, as nicknames do, nothing tried holds its level:
          the crossed p is below .05 in {_range((tally(row, by.CROSSED) for row in clusters), "at_05")}.
          Keep one word of each cluster.
        """),
        *prose("""
        The world in which each procedure does worst, sub-clusters left out. It is the largest of many rates,
        so that chance has made it larger than it is, the more the fewer worlds there were: look at the
        interval.
        """),
        *_worst(rows),
        "## The worlds",
        "",
        *prose("""
        Words are directions in 50 dimensions; [vectors.py](../benchmarks/validity/worlds/vectors.py) says
        how they are drawn.
        """),
        *(f"* **{name}**: {says}." for name, says in SAYS.items()),
        *prose("""
        * **dealt**: the targets of a published test in the default vectors; attributes are frequency-matched
          words, dealt into A and B at random.
        """)[:-1],
        *(f"* **{name} corpora**: {says}." for name, says in CORPUS_SAYS.items()),
        "",
    ]


def _worst(rows: Sequence[Row]) -> list[str]:
    """Each procedure in the world without an association in which it errs most."""
    nulls = [row for row in rows if row["effect"] == 0]
    nulls = [row for row in nulls if row["world"] not in ("sub-clusters", "frequency in both")]
    lines = ["| procedure | worst at .05 | world | worst coverage | world |", "|---|---:|---|---:|---|"]
    for name in dict.fromkeys(name for row in nulls for name in row["tallies"]):
        told = []
        for what, limit, side in (("at_05", 0.05, 1), ("held", 0.95, -1)):
            some = [(row, found) for row in nulls if (found := tally(row, name)) is not None]
            some = [(row, found) for row, found in some if getattr(found, what) is not None]
            if not some:
                told += ["–", ""]
                continue
            row, found = max(some, key=lambda one: side * getattr(one[1], what) / one[1].worlds)
            where = (
                row["world"]
                if row["family"] in ("vectors", "traits")
                else f"{row['world']} ({row['family']})"
            )
            sizes = f", {_sizes(row)}" if row["family"] == "vectors" else ""
            told += [cell(found, what, limit), f"{where}{sizes}"]
        lines.append(f"| {name} | {' | '.join(told)} |")
    return [*lines, ""]


_WEAT = (
    at_05("targets exchanged", by.TARGETS),
    at_05("attributes exchanged", by.ATTRIBUTES),
    at_05("larger of the two", by.LARGER),
    at_05("crossed", by.CROSSED),
    ("crossed, .01", by.CROSSED, "at_01", 0.01),
    ("interval of Δ holds", by.CROSSED, "held", 0.95),
)


def _association(rows: Sequence[Row], folder: str) -> list[str]:
    nulls, dealt, corpora = (_of(rows, family) for family in ("vectors", "dealt", "corpora"))
    return [
        "## Association tests",
        "",
        *prose(f"""
        `cr.weat(emb, design)`: `pvalue` (targets exchanged), `crossed.attribute_pvalue`, the larger of
        the two, and `crossed.pvalue` with the interval of Δ. {_counts(nulls, by.CROSSED)} worlds per
        line. No world has an association, so that every rate but the last should be 5 (or 1). Numbers of
        words are of X, Y, A and B.
        """),
        f"![False-positive rates by world]({folder}/false-positives.svg)",
        "",
        *table(nulls, _WEAT, lambda row: f"{row['world']}, {_sizes(row)}", "world, words per set"),
        *prose("""
        The p-value of exchanging labels is counted; with 16 and more words per set it is that of the
        saddlepoint here, and with 12 it is counted in a few hundred worlds only.
        """),
        f"**Real targets, dealt attributes** ({_counts(dealt, by.CROSSED)} worlds per line):",
        "",
        *table(dealt, _WEAT, lambda row: str(row["world"]), "targets of"),
        f"**Vectors of small corpora** ({_counts(corpora, by.CROSSED)} of 5,000 sentences per line):",
        "",
        *table(corpora, _WEAT, lambda row: str(row["world"]), "corpora"),
    ]


def _power(rows: Sequence[Row], folder: str) -> list[str]:
    found = _of(rows, "vectors", null=False)
    planted = [row for row in found if row["effect"] > 0]
    confounded = [row for row in found if row["world"] == "frequency in both"]
    columns = (
        at_05("targets exchanged", by.TARGETS),
        at_05("larger of the two", by.LARGER),
        at_05("crossed", by.CROSSED),
        ("interval of Δ holds", by.CROSSED, "held", 0.95),
    )
    plain = [(head, name, what, 1.0 if what != "held" else limit) for head, name, what, limit in columns]
    return [
        "## Power",
        "",
        *prose(f"""
        How often an association that is there is found at .05. X and A lie to one side of a direction and
        Y and B to the other, by the effect given, as a multiple of what is a word's own.
        {_counts(planted, by.CROSSED)} worlds per line.
        """),
        f"![Power over effect and set size]({folder}/power.svg)",
        "",
        *table(
            planted,
            plain,
            lambda row: f"{row['world']}, {_sizes(row)}, {row['effect']:g}",
            "world, words per set, effect",
        ),
        *prose("""
        Where both facets differ in frequency, Δ is not 0, and there is nothing in it but frequency: a
        test of association finds it, as it should. Whether it is more than frequency is another question.
        """),
        *table(confounded, plain, _sizes, "words per set"),
    ]


def _levels(rows: Sequence[Row]) -> list[str]:
    some = [row for row in _of(rows, "vectors") if _sizes(row) in ("8", "4 / 12 / 4 / 12")]
    columns = (
        at_05("Level 2, attributes exchanged", by.LEVEL2),
        at_05("published tail", by.LEVEL2_PUBLISHED),
        at_05("an association of X or Y, published tail", by.PATTERN),
        at_05("Level 2 crossed", by.LEVEL2_CROSSED),
        ("crossed, .01", by.LEVEL2_CROSSED, "at_01", 0.01),
        ("interval holds", by.LEVEL2_CROSSED, "held", 0.95),
        at_05("SC-WEAT", by.SINGLE),
    )
    noise = [row for row in some if row["world"] == "exchangeable"]
    return [
        "## ML-EAT, Level 2, and SC-WEAT",
        "",
        *prose(f"""
        X alone against A and B. Exchanging attributes takes the targets as given, which is the mirror
        image of the WEAT. The published tail is the one that the data point to, so that its level is
        twice the nominal one; either of two targets is associated in
        {_range((tally(row, by.PATTERN) for row in noise), "at_05")} of pure noise. SC-WEAT is one word
        against A and B, where these come from one population. {_counts(some, by.LEVEL2_CROSSED)} worlds
        per line, {_counts(some, by.SINGLE)} for SC-WEAT.
        """),
        *table(some, columns, lambda row: f"{row['world']}, {_sizes(row)}", "world, words per set"),
    ]


def _contexts(rows: Sequence[Row]) -> list[str]:
    nulls, planted = _of(rows, "contexts"), _of(rows, "contexts", null=False)
    columns = (
        at_05("published", "CEAT, published"),
        at_05("targets exchanged", "CEAT, targets exchanged"),
        at_05("crossed", "CEAT crossed"),
        ("crossed, .01", "CEAT crossed", "at_01", 0.01),
        ("interval of Δ holds", "CEAT crossed", "held", 0.95),
        at_05("Level 2, published", "CEAT Level 2, published"),
        at_05("Level 2, attributes exchanged", "CEAT Level 2, attributes exchanged"),
    )
    published = _range((tally(row, "CEAT, published") for row in nulls), "at_05")
    return [
        "## Contexts: CEAT",
        "",
        *prose(f"""
        Every word has ten contexts around it. The published p-value is about further samples of contexts
        of *these* words, and is below .05 in {published} of worlds without an association. Crossed:
        contexts of a word are averaged, then words of all sets count as drawn.
        {_counts(nulls, "CEAT crossed")} worlds per line, {_counts(nulls, "CEAT, published")} for the
        first two columns, {_counts(nulls, "CEAT Level 2, published")} for Level 2.
        """),
        *table(nulls, columns, lambda row: str(row["world"]), "world"),
        "With an association (power):",
        "",
        *table(
            planted,
            [(head, name, what, 1.0 if what != "held" else limit) for head, name, what, limit in columns],
            lambda row: f"{row['world']}, effect {row['effect']:g}",
            "world",
        ),
    ]


def _others(rows: Sequence[Row]) -> list[str]:
    lines: list[str] = []

    def section(
        title: str,
        text: str,
        family: str,
        columns: Sequence[Column],
        label: Callable[[Row], str],
        counted: str,
    ) -> None:
        some = _of(rows, family, null=None)
        lines.extend([f"## {title}", "", *prose(f"{text} {_counts(some, counted)} worlds per line.")])
        lines.extend(table(some, columns, label, "world"))

    def effect(row: Row) -> str:
        return f"{row['world']}" + (f", effect {row['effect']:g}" if row["effect"] else "")

    section(
        "Geometry: RSA",
        "X and Y are the groups, A is the concept; ten items each, of which eight are drawn a hundred times.",
        "rsa",
        (
            at_05("published sign test", "RSA, published sign test"),
            at_05("groups exchanged", "RSA, groups exchanged"),
            at_05("crossed", "RSA crossed"),
            ("crossed, .01", "RSA crossed", "at_01", 0.01),
            ("interval holds", "RSA crossed", "held", 0.95),
        ),
        effect,
        "RSA, groups exchanged",
    )
    section(
        "Projections",
        "Places on an axis between the means of A and B, or along the first component of pairs of words that "
        "are put together at random; eight words each.",
        "projection",
        (
            at_05("targets exchanged", "projection, targets exchanged"),
            at_05("means, crossed", "projection, means"),
            at_05("pairs, crossed", "projection, pairs"),
        ),
        effect,
        "projection, means",
    )
    section(
        "Two models compared",
        "Both models have the same association, and words of their own: the difference is 0.",
        "compare",
        (
            at_05("`sd`", "compare, sd"),
            at_05("`cosine`", "compare, cosine"),
            at_05("`sd`, attributes given", "compare, sd, attributes given"),
            ("interval holds 0", "compare, interval", "held", 0.95),
        ),
        effect,
        "compare, sd",
    )
    section(
        "Agreement with people: align",
        "Sixteen groups in four domains, sixteen traits. Without an effect, model and people have nothing to "
        "do with each other, though groups of a domain may resemble each other, and traits may measure the "
        "same thing. With one, rates are power.",
        "traits",
        (
            at_05("published", "align, published"),
            at_05("groups exchanged", "align, groups exchanged"),
            at_05("traits exchanged", "align, traits exchanged"),
            at_05("crossed", "align crossed"),
            ("interval holds τ", "align, interval", "held", 0.95),
        ),
        effect,
        "align, published",
    )
    lines.extend([*(f"* **{name}**: {says}." for name, says in TRAIT_SAYS.items()), ""])
    section(
        "Paired identities",
        "Two domains of six groups, sixteen traits. Neither domain dominates, and nothing emerges. "
        "*Published rule*: the difference is at least 0.1; results declare dominance only where its interval "
        "leaves out 0 too. *Emergent*: any trait of any pair at a false-discovery rate of 5 %.",
        "pairs",
        (
            at_05("dominance p", "dominance p"),
            at_05("interval leaves out 0", "dominance, interval"),
            at_05("published rule", "dominance, published rule"),
            at_05("emergent, pooled", "emergent, pooled"),
            at_05("emergent, normal", "emergent, normal"),
        ),
        effect,
        "dominance, published rule",
    )
    lines.extend([*(f"* **{name}**: {says}." for name, says in PAIR_SAYS.items()), ""])
    section(
        "Words of a group: discover and null_threshold",
        "Four groups of eight names and 300 words that were drawn without any regard to them. Shares are of "
        "words, or of worlds in which any word is found, at a rate of 5 %.",
        "names",
        (
            at_05("discover, words", "discover, share of words"),
            at_05("discover, any word", "discover, any word"),
            at_05("null_threshold, words", "null_threshold, share of words"),
        ),
        effect,
        "discover, any word",
    )
    lines.extend([*(f"* **{name}**: {says}." for name, says in NAME_SAYS.items()), ""])
    section(
        "Series",
        "Ten models without an association: how often the smallest p-value of a decade is below .05.",
        "series",
        (
            at_05("targets exchanged", "series, any decade, targets exchanged"),
            at_05("crossed", "series, any decade, crossed"),
            at_05("adjusted", "series, any decade, adjusted"),
        ),
        effect,
        "series, any decade, targets exchanged",
    )
    section(
        "Pieces of inference",
        "Each in worlds of its own, where nothing is to be found or the truth is known. *Plain* is what is "
        "usually done, or the same without the piece.",
        "pieces",
        (
            at_05("plain", pieces.PLAIN),
            at_05("with the piece", pieces.OURS),
            ("interval holds", pieces.OURS, "held", 0.95),
        ),
        effect,
        pieces.OURS,
    )
    told = ((name, (piece.__doc__ or "").strip()) for name, piece in pieces.PIECES.items())
    lines.extend([*(f"* **{name}**: {says}" for name, says in told), ""])
    return lines


def _not_measured() -> list[str]:
    return [
        "## What this page does not say",
        "",
        *prose(f"""
        * Worlds are simpler than languages. The lines with dealt attributes are the closest to real use,
          and there only the attributes are drawn.
        * A true null about words is not one about texts or models: vectors trained on one corpus share
          what is accidental in it, and no p-value over words knows of that. The corpora here were
          changed until words of a set share little of it. In two earlier versions, where what one word
          of a set met became, by way of its topic or of the decomposition, that of the others, the
          crossed p of topical corpora was below .05 in 19 of 100 and in 27 of 200.
        * {join_words(NULLS)} are the worlds tried. Words of one set that hang together in a way not tried
          here may mislead as sub-clusters do.
        * Not measured: the intervals of IBD and EIBD, of precision and over annotators in `align`, of
          `cr.pairs.order_sensitivity` and of split halves; the p-values of `against` and of
          precision; standard errors of the cells of ILPS, ILPS*, SeT and group CEAT; `choose_templates`.
        """),
    ]
