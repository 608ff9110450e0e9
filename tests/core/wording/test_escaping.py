"""Names as they must be written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.wording.escaping import in_bibtex, in_latex, in_markdown


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a&b 100% a_b #1 $5", r"a\&b 100\% a\_b \#1 \$5"),
        ("a~b", r"a\textasciitilde{}b"),
        ("a^b", r"a\textasciicircum{}b"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{x}", r"\{x\}"),
        ("<i>", r"\textless{}i\textgreater{}"),
        ("Zoë 猫", "Zoë {[}U+732B{]}"),  # pdfLaTeX has no such letter
        ("Łódź, Привет, λ, Ŵ", r"\L{}ód{\'{z}}, Privet, $\lambda$, {\^{W}}"),
        ("“Δ − α” ≥ 2 × 3 …", r"``$\Delta$ $-$ $\alpha$'' $\ge$ 2 $\times$ 3 \dots{}"),
        ("a – b — c → ‘d’", r"a -- b --- c $\to$ `d'"),
        ("a--b", "a-{}-b"),
        ("[1]", "{[}1{]}"),  # after \\ this would be the space between two rows
        ("*", "{*}"),  # and this would forbid a page break
        ("a\n\tb\x00", "a b"),
    ],
)
def test_latex_prints_a_name_as_it_is(name: str, written: str) -> None:
    assert in_latex(name) == written


@given(st.text())
def test_braces_of_bibtex_balance_as_bibtex_counts_them(text: str) -> None:
    depth = 0
    for sign in in_bibtex(text):  # BibTeX counts every brace, escaped or not
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a|b", r"a\|b"),
        ("<script>", "&lt;script&gt;"),
        ("a*b_c`d", r"a\*b\_c\`d"),
        ("[x](y)", r"\[x\](y)"),
        ("&amp;", "&amp;amp;"),
        ("@all", r"\@all"),
        ("1. item", r"1\. item"),
        ("a\nb", "a b"),
        ("high-status", "high-status"),
    ],
)
def test_markdown_shows_a_name_as_it_is(name: str, written: str) -> None:
    assert in_markdown(name) == written


@given(st.text())
def test_a_name_stays_in_its_cell(text: str) -> None:
    shown = in_markdown(text)
    assert "\n" not in shown
    assert "|" not in shown.replace("\\\\", "").replace(r"\|", "")
    assert "<" not in shown
