"""Tables for people, JSON for programs; results to stdout, everything else to stderr."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import crossroads
from crossroads.cli.fitting import FittedTable
from crossroads.measures import (
    BatteryResult,
    DetectionResult,
    DiscoveryResult,
    MleatResult,
    RsaResult,
    ScWeatResult,
    WeatResult,
)
from crossroads.report.escaping import pvalue
from crossroads.report.json_reading import escaped
from crossroads.report.json_text import json_pieces
from crossroads.results import Coverage, describe_coverage

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
WIDE = 118
"""Columns from which tables have room for sentences."""


def number(value: float, digits: int = 2) -> str:
    """A rounded number with a true minus sign and no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def repeated(places: Iterable[str]) -> None:
    """Say of saved results that they are not used twice."""
    for place in places:
        said = f"{place} holds the same results as another that was given; they are used once."
        err.print(said, markup=False, soft_wrap=True)


def unshown(parts: Mapping[str, str]) -> None:
    """Say what saved files hold that a page does not show, and why."""
    if parts:
        told = "; ".join(f"{name} ({why})" for name, why in parts.items())
        err.print(f"not shown here: {told}.", markup=False, soft_wrap=True)


def p_value(p: float, *, method: str = "exact") -> str:
    """A p-value as people read it, marked where it is not exact."""
    return pvalue(p, method)


def document(command: str, results: Sequence[Any], **more: Any) -> None:
    """Write the one JSON document of a command."""
    data = {
        "crossroads": crossroads.__version__,
        "command": command,
        "results": [r.to_dict() for r in results],
        **more,
    }
    write_json(data)


def write_json(data: Any) -> None:
    """Write data as JSON; where standard output cannot hold every letter, what is not ASCII is escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    for piece in chain(json_pieces(data, indent=True), ["\n"]):
        sys.stdout.write(piece if encoding.startswith("utf") else escaped(piece))


_PLAIN = {
    "−": "-", "–": "-", "—": "-", "‑": "-", "…": "...", "≤": "<=", "≥": ">=", "≈": "~", "×": "x", "τ": "tau",
    "→": "->", "←": "<-", "·": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "✓": "yes", "✗": "no",
}  # fmt: skip
"""Signs for terminals that have only ASCII: a minus must stay a minus."""


def in_plain_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    """Stand in for a letter that a stream cannot hold; a handler of errors, as :mod:`codecs` has them.

    Bytes of a path that are no letters are written as they are.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    byte = ord(sign) - 0xDC00
    return bytes([byte]) if 0x80 <= byte <= 0xFF else _PLAIN.get(sign, "?"), error.start + 1


codecs.register_error("crossroads.plain", in_plain_signs)


def plain_table(title: str | None = None) -> Table:
    """A table with a line under its head and nothing else, which never cuts a number."""
    return FittedTable(
        title=title,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def weat_table(results: Sequence[WeatResult]) -> Table:
    """One line a WEAT."""
    table = plain_table()
    for name in ("test", "words"):
        table.add_column(name)
    for name in ("d", "p", "smallest p", "ties"):
        table.add_column(name, justify="right")
    for r in results:
        sizes = " ".join(f"{name}{len(words)}" for name, words in r.sets.items())
        table.add_row(
            escape(r.design),
            sizes,
            number(r.effect_size),
            p_value(r.pvalue, method=r.method),
            p_value(r.min_pvalue),
            "–" if r.ties is None else f"{r.ties:,}",
        )
    return table


def mleat_table(results: Sequence[MleatResult], *, labels: Sequence[str] | None = None) -> Table:
    """One line an ML-EAT, with Levels 1 and 2 and the pattern."""
    table = plain_table()
    table.add_column("test", no_wrap=True)
    for name in ("d", "p", "d(X)", "p(X)", "d(Y)", "p(Y)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("pattern", no_wrap=True)
    table.add_column("stable", justify="right", no_wrap=True)
    for label, r in zip(labels or [r.design for r in results], results, strict=True):
        x, y = r.level2["x"], r.level2["y"]
        share = r.pattern_shares.get(r.pattern)
        table.add_row(
            escape(label),
            number(r.level1.effect_size),
            p_value(r.level1.pvalue, method=r.level1.method),
            number(x.effect_size),
            p_value(x.pvalue, method=x.method),
            number(y.effect_size),
            p_value(y.pvalue, method=y.method),
            r.pattern,
            "–" if share is None else f"{share:.0%}",
        )
    return table


def similarity_table(results: Sequence[MleatResult]) -> Table:
    """Level 3: mean and standard deviation of the cosines."""
    table = plain_table("Level 3: mean cosine (standard deviation)")
    table.add_column("test", no_wrap=True)
    for cell in ("A with X", "B with X", "A with Y", "B with Y"):
        table.add_column(cell, justify="right")
    for r in results:
        cells = [r.level3[key] for key in ("ax", "bx", "ay", "by")]
        table.add_row(escape(r.design), *(f"{number(c.mean, 3)} ({c.sd:.3f})" for c in cells))
    return table


def audit_table(result: BatteryResult, intervals: Mapping[str, tuple[float, float]]) -> Table:
    """The battery of an audit; where the terminal is narrow, the questions are left to the legend."""
    table = plain_table()
    wide = out.width >= WIDE
    table.add_column("test", no_wrap=True)
    if wide:
        table.add_column("question")
    table.add_column("d", justify="right", no_wrap=True)
    table.add_column("95 % CI", justify="right", no_wrap=True)
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column("p (BH)", justify="right", no_wrap=True)
    table.add_column("pattern", no_wrap=True)
    for test, bh in zip(result.tests, result.bh, strict=True):
        ends = intervals.get(test.design)
        table.add_row(
            escape(test.design),
            *([escape(question(test))] if wide else []),
            number(test.level1.effect_size),
            f"{number(ends[0])} to {number(ends[1])}" if ends else "–",
            p_value(test.level1.pvalue, method=test.level1.method),
            p_value(bh, method=test.level1.method),
            test.pattern,
        )
    return table


def question(test: MleatResult) -> str:
    """What a test asks, in a few words."""
    t = test.titles
    return f"{t['x']} / {t['y']}: {t['a']} / {t['b']}"


def legend(result: BatteryResult) -> None:
    """What each test asks, where the table has no room for it."""
    if out.width < WIDE:
        for test in result.tests:
            out.print(f"[b]{escape(test.design)}[/b]  {escape(question(test))}")


def detectable(result: BatteryResult) -> None:
    """What sets of these sizes could have shown, in a sentence; and which of them could show nothing."""
    could = [one.detectable for one in result.detectable if one.detectable is not None]
    if could:
        least, most = number(min(could)), number(max(could))
        one = result.detectable[0]
        out.print(
            f"Sets of these sizes show a true d of {least if least == most else f'{least} to {most}'} in "
            f"{100 * one.power:.4g} % of cases (p < {one.alpha:g}, {one.alternative}, not adjusted).",
            style="dim",
        )
    for test, one in zip(result.tests, result.detectable, strict=False):
        if one.reason is not None:
            out.print(f"{escape(test.design)}: no effect can be significant: {one.reason}.", style="dim")


def sc_weat_table(result: ScWeatResult, *, top: int) -> Table:
    """Words that lean most to either attribute, or all of them if they are few."""
    order = sorted(range(len(result.words)), key=lambda i: -result.effect_size[i])
    cut = len(order) > 2 * top
    table = plain_table()
    table.add_column("word")
    for name in ("d", "s(w, A, B)", "p"):
        table.add_column(name, justify="right")
    for position, i in enumerate(order):
        if cut and position == top:
            table.add_row(f"… {len(order) - 2 * top:,} more", "", "", "", style="dim")
        if cut and top <= position < len(order) - top:
            continue
        p = p_value(float(result.pvalue[i]), method=result.method) if result.pvalue.size else "–"
        s = number(float(result.association[i]), 4)
        table.add_row(escape(result.words[i]), number(float(result.effect_size[i])), s, p)
    return table


_TAILS = {
    "greater": "one-sided, for larger d",
    "less": "one-sided, for smaller d",
    "two-sided": "two-sided",
    "observed": "one-sided, in the direction that was observed",
}


def tail(alternative: str) -> str:
    """What a p-value is, and of which tail, in a sentence."""
    return f"p: share of all divisions of the words that are at least as extreme, {_TAILS[alternative]}."


def notes(coverages: Iterable[tuple[str, Coverage | None]], methods: Iterable[str]) -> None:
    """What a reader must know about the numbers above."""
    found = set(methods)
    explained = {
        "bracket": "≤: too many divisions to count; a bound that holds with certainty.",
        "saddlepoint": "≈: saddlepoint approximation, within about 2 % for bell-shaped scores.",
        "monte-carlo": "≈: from random divisions.",
        "normal": "≈: normal curve fitted to the divisions, as in the ML-EAT paper; poor in the tails.",
    }
    for method, sentence in explained.items():
        if any(method in one for one in found):
            out.print(sentence, style="dim")
    respelled: dict[str, str] = {}
    left_out: dict[str, list[str]] = {}
    for name, coverage in coverages:
        if coverage is None:
            continue
        for sentence in describe_coverage(coverage):
            if not sentence.startswith("found"):
                left_out.setdefault(sentence, []).append(name)
        respelled.update(coverage.respelled)
    for sentence, names in left_out.items():
        out.print(f"{escape(', '.join(names))}: {escape(sentence)}", style="dim")
    if respelled:
        shown = ", ".join(f"{word} as {how}" for word, how in list(respelled.items())[:3])
        rest = f" and {len(respelled) - 3} more" if len(respelled) > 3 else ""
        out.print(f"{len(respelled)} found under another spelling: {escape(shown)}{rest}", style="dim")


def skipped(reasons: Mapping[str, str]) -> None:
    """What could not be measured, and why."""
    for name, reason in reasons.items():
        out.print(f"{name}: not tested: {reason}", style="dim", markup=False)


def detection_table(results: Mapping[str, DetectionResult]) -> Table:
    """One line a detection."""
    table = plain_table()
    table.add_column("group", no_wrap=True)
    for name in ("threshold", "found", "tpr", "fpr", "AUC", "right", "nothing"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, r in results.items():
        cells = ["–"] * 5
        if r.accuracy is not None and r.auc_interval is not None and r.baseline is not None:
            tpr, fpr = r.intervals["tpr"], r.intervals["fpr"]
            low, high = r.auc_interval
            cells = [
                f"{tpr.hits}/{tpr.cases}",
                f"{fpr.hits}/{fpr.cases}",
                f"{r.auc:.2f} ({low:.2f}–{high:.2f})",
                f"{r.accuracy:.1%}",
                f"{r.baseline:.1%}",
            ]
        table.add_row(escape(name), number(r.threshold), str(len(r.words)), *cells)
    table.caption = "right: share of words judged rightly; nothing: the same for detecting nothing"
    table.caption_justify = "left"
    return table


def discovery_table(result: DiscoveryResult, *, top: int) -> Table:
    """The strongest discoveries."""
    table = plain_table(
        f"{result.target}, {result.kind.upper()}: {len(result.words):,} of {result.candidates:,} words at a "
        f"false-discovery rate of {result.fdr:.0%}"
    )
    table.add_column("word")
    table.add_column("score", justify="right")
    table.add_column("q", justify="right")
    for word, score, q in list(zip(result.words, result.scores, result.qvalues, strict=True))[:top]:
        table.add_row(escape(word), number(float(score)), p_value(float(q)))
    return table


def rsa_table(results: Sequence[RsaResult]) -> Table:
    """One line a comparison of two groups."""
    table = plain_table()
    for name in ("group 1", "group 2", "concept"):
        table.add_column(name)
    for name in ("fit 1", "fit 2", "p", "sign", "ceiling"):
        table.add_column(name, justify="right", no_wrap=True)
    for r in results:
        table.add_row(
            *(escape(name) for name in r.names),
            number(r.similarity1, 3),
            number(r.similarity2, 3),
            p_value(r.pvalue),
            p_value(r.sign_pvalue),
            "–" if r.ceiling is None else number(r.ceiling),
        )
    return table
