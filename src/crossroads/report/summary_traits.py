"""The parts of the summary on contexts, on traits and on paired identities."""

from __future__ import annotations

from collections.abc import Iterator

from crossroads.measures import CeatBatteryResult, CeatResult, EmergentResult, TraitScores
from crossroads.report.audit import Audit
from crossroads.report.conventions import shown_measure
from crossroads.report.escaping import counted, in_markdown, mark_of, number, pvalue
from crossroads.report.naming import context_ends, measure_of
from crossroads.report.summary_layout import AT_RANDOM, MARKS, between, grid, percent
from crossroads.results import Result

_MOST = 10


def context_blocks(audit: Audit) -> Iterator[str]:
    """Tests over contexts."""
    if audit.contexts is not None and audit.contexts.tests:
        yield "### Over contexts"
        yield _contexts(audit, audit.contexts)
        yield _reading(audit, audit.contexts)
    if audit.context_levels:
        rows = []
        for one in audit.context_levels:
            cells = [in_markdown(one.design)]
            for level in one.level2.values():
                cells += [
                    number(level.effect_size),
                    pvalue(level.stimulus_pvalue, level.stimulus_method),
                ]
            rows.append([*cells, in_markdown(one.pattern), f"{one.pattern_shares[one.pattern]:.0%}"])
        yield grid(["test", "d(X)", "p(X)", "d(Y)", "p(Y)", "pattern", "shown"], "lrrrrlr", rows)
        yield "shown: share of samples of contexts that show the pattern by themselves."


def _reading(audit: Audit, battery: CeatBatteryResult) -> str:
    """How the columns of the tests over contexts are to be read."""
    marks = {mark_of(test.stimulus_method) for test in battery.tests}
    intervals = (*battery.intervals.values(), *audit.context_intervals)
    sentences = [
        "CES: effect size combined over samples of one context a word, with the published p, which speaks "
        "about further samples of the same words.",
        "d: effect size over all contexts of each word.",
        "p: the labels of the targets exchanged, two-sided.",
        f"p (BH): adjusted for {counted(len(battery.tests), 'test')}.",
        *(f"CI: {percent(one.level)}, over the choice of words and contexts." for one in intervals[:1]),
        *(text for mark, text in MARKS.items() if mark in marks),
    ]
    return " ".join(sentences)


def _contexts(audit: Audit, battery: CeatBatteryResult) -> str:
    ends = context_ends(audit)
    rows = [
        [
            in_markdown(test.design),
            number(test.effect_size),
            _published(test),
            number(test.stimulus_effect_size),
            between(ends.get(test.design)),
            pvalue(test.stimulus_pvalue, test.stimulus_method),
            pvalue(bh),
        ]
        for test, bh in zip(battery.tests, battery.bh, strict=True)
    ]
    return grid(["test", "CES", "published p", "d", "CI", "p", "p (BH)"], "lrrrrrr", rows)


def _published(test: CeatResult) -> str:
    """The published p-value, as a power of ten where a float runs out."""
    return pvalue(test.pvalue) if test.pvalue > 1e-99 else f"< 1e−{int(-test.log10_pvalue)}"


def trait_blocks(audit: Audit) -> Iterator[str]:
    """Scores of groups on traits, alignment and paired identities."""
    for scores in audit.traits:
        yield f"### Groups and traits: {in_markdown(shown_measure(scores.measure))}"
        yield _scores(scores)
    if audit.alignments:
        yield "### Agreement with people"
        yield _alignments(audit)
        level = next(iter(audit.alignments.values())).conventions["level"]
        yield (
            f"τ: Kendall's τ-b over all groups and traits. CI: {percent(level)}, groups drawn anew. "
            "p (groups): people's profiles go to other groups. "
            "p (traits): traits are renamed alike in all groups. Ceiling: what all people think, with those "
            f"asked. {AT_RANDOM}"
        )
    yield from _orders(audit)
    yield from _dominance(audit)
    for emergent in audit.emergent:
        yield f"### Traits of pairs beyond their components: {_measure(emergent)}"
        yield from _emergent(emergent)


def _measure(result: Result) -> str:
    return in_markdown(shown_measure(measure_of(result)))


def _orders(audit: Audit) -> Iterator[str]:
    for order in audit.orders:
        yield f"### Order of two identities: {_measure(order)}"
        rows = [
            [
                in_markdown(one["with"]),
                number(one["tau"]),
                between((one["low"], one["high"])),
                str(one["pairs"]),
            ]
            for one in order.rows()
        ]
        yield grid(["τ of pairs with", "mean", "CI", "pairs"], "lrrr", rows)
        yield f"mean: of the rank correlations of pairs. CI: {percent(order.level)}, groups drawn anew."


def _dominance(audit: Audit) -> Iterator[str]:
    for dominance in audit.dominance:
        yield f"### Dominance between domains: {_measure(dominance)}"
        rows = [
            [
                f"{in_markdown(pair.domain1)} / {in_markdown(pair.domain2)}",
                number(pair.difference),
                between((pair.low, pair.high)),
                pvalue(pair.pvalue),
                pvalue(pair.qvalue),
            ]
            for pair in dominance.table
        ]
        yield grid(["domains", "difference", "CI", "p", "p (BH)"], "lrrrr", rows)
        yield (
            "difference: mean rank correlation of pairs with their component in the first domain, less that "
            f"in the second. CI: {percent(dominance.level)}, groups drawn anew. p: components exchanged "
            f"within pairs, two-sided. p (BH): adjusted for {counted(len(rows), 'pair')} of domains."
        )


def _scores(scores: TraitScores) -> str:
    """The furthest scores to either side; ``traits.csv`` has them all."""
    known = [row for row in scores.rows() if row["score"] is not None]
    ordered = sorted(known, key=lambda row: -abs(float(row["score"])))[:_MOST]
    rows = [[in_markdown(r["group"]), in_markdown(r["trait"]), number(r["score"])] for r in ordered]
    told = f"{len(scores.groups)} groups × {len(scores.traits)} pairs of traits; the furthest scores:"
    reading = "score: above 0 the group leans to the second adjective of the pair, below 0 to the first."
    return "\n\n".join([told, grid(["group", "pair", "score"], "llr", rows), reading])


def _alignments(audit: Audit) -> str:
    rows = []
    for name, one in audit.alignments.items():
        traits, groups = one.exchanges.get("traits"), one.permutation_pvalue
        rows.append(
            [
                in_markdown(name),
                number(one.kendall_tau),
                between(one.interval),
                "–" if groups is None else pvalue(groups, "monte-carlo"),
                "–" if traits is None else pvalue(traits.pvalue, "monte-carlo"),
                number(one.precision_at_3),
                "–" if one.ceiling is None else number(one.ceiling),
            ]
        )
    head = ["measure", "τ", "CI", "p (groups)", "p (traits)", "precision", "ceiling"]
    return grid(head, "lrrrrrr", rows)


def _emergent(result: EmergentResult) -> Iterator[str]:
    if result.qvalue.size:
        count = int(result.emergent.sum())
        yield f"{count} of {result.tests} have an adjusted p-value of at most {result.fdr:g}."
    rows = [
        [
            in_markdown(row["pair"]),
            in_markdown(row["trait"]),
            row["direction"],
            number(row["increase"]),
            "–" if row["qvalue"] is None else pvalue(row["qvalue"]),
        ]
        for row in result.top(_MOST)
    ]
    yield grid(["pair", "trait", "side", "increase", "p (BH)"], "lllrr", rows)
