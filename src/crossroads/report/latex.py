"""The battery of an audit as a table for print."""

from __future__ import annotations

from crossroads.measures import MleatResult
from crossroads.report.audit import Audit
from crossroads.report.escaping import in_latex, latex_number, latex_pvalue, mark_of

_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided (greater)",
    "less": "one-sided (less)",
    "observed": "in the tail on the observed side, chosen after the fact",
}
_MARKS = {
    "≤": r"$\le$: an upper bound that holds with certainty",
    "≈": r"$\approx$: an approximation",
}


def latex_table(audit: Audit, *, label: str = "tab:crossroads") -> str:
    r"""The battery as a ``table`` of the package booktabs, complete with caption and label.

    Names are escaped; letters beyond Latin need XeLaTeX or LuaLaTeX. The preamble needs
    ``\usepackage{booktabs}``.

    Parameters
    ----------
    audit
        What to print.
    label
        By which the text refers to the table.
    """
    rows = [
        _cells(test, audit.ends.get(test.design), bh)
        for test, bh in zip(audit.battery.tests, audit.battery.bh, strict=True)
    ]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_caption(audit)}}}",
        rf"\label{{{label}}}",
        r"\begin{tabular}{llrrrrl}",
        r"\toprule",
        " & ".join(["Test", "Question", "$d$", "CI", "$p$", "$p$ (BH)", "Pattern"]) + r" \\",
        r"\midrule",
        *(" & ".join(cells) + r" \\" for cells in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cells(test: MleatResult, ends: tuple[float, float] | None, bh: float) -> list[str]:
    titles = {key: in_latex(title) for key, title in test.titles.items()}
    interval = "--" if ends is None else " to ".join(latex_number(end) for end in ends)
    return [
        in_latex(test.design),
        f"{titles['x']} / {titles['y']}: {titles['a']} / {titles['b']}",
        latex_number(test.level1.effect_size),
        interval,
        latex_pvalue(test.level1.pvalue, test.level1.method),
        latex_pvalue(bh),
        in_latex(test.pattern),
    ]


def _caption(audit: Audit) -> str:
    """What the columns are, with the conventions they depend on."""
    tests = audit.battery.tests
    sentences = [f"Associations in {in_latex(audit.model)}."]
    if not tests:
        return sentences[0]
    conventions = tests[0].conventions
    sd = "sample" if conventions["ddof"] == 1 else "population"
    ties = "ties included" if conventions["ties"] == "weak" else "ties not counted"
    sentences.append(f"$d$: effect size in units of the {sd} standard deviation.")
    if audit.intervals:
        level = in_latex(f"{audit.intervals[0].level:.4g}")
        sentences.append(
            f"CI: bootstrap interval over the words of all four sets, level {level}; not adjusted."
        )
    sentences.append(
        f"$p$: share of all divisions of the targets at least as extreme, "
        f"{_TAILS[conventions['alternative']]}, {ties}; exact where unmarked."
    )
    used = {mark_of(test.level1.method) for test in tests}
    sentences += [f"{text}." for mark, text in _MARKS.items() if mark in used]
    adjusted = in_latex(audit.battery.conventions["adjusted"])
    sentences.append(
        f"$p$ (BH): adjusted by Benjamini and Hochberg for {len(tests)} tests ({adjusted}). "
        "Pattern: the attribute to which each target leans by itself."
    )
    return " ".join(sentences)
