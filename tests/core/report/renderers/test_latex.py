"""The table for print: structure, escaping, and the convention in the caption."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crossroads.core.evidence import Provenance
from crossroads.core.report.audit import Audit
from crossroads.core.report.renderers.texts import NEEDS, latex_table, latex_tables
from crossroads.core.results import Result
from crossroads.core.wording.table import Column, Table
from crossroads.intersections.rsa import RsaResult
from crossroads.traits.measures.scores import TraitScores

_ARTICLE = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\extrafloats{100}
\begin{document}
\input{tables}
\end{document}
"""


def typeset(tables: str, folder: Path) -> list[str]:
    """Errors, lines that are more than a point too wide and tables too long, as pdfLaTeX finds them."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: make browser installs it where it may")
    (folder / "article.tex").write_text(_ARTICLE, encoding="utf-8")
    (folder / "tables.tex").write_text(tables, encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "article.tex"], cwd=folder, capture_output=True, check=False
    )
    log = (folder / "article.log").read_text(encoding="latin-1")
    wide = [one for one in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(one) > 1]
    assert (folder / "article.pdf").exists()
    return [*re.findall(r"^! .*", log, re.MULTILINE), *wide, *re.findall(r"Float too large.*", log)]


@pytest.mark.slow
def test_the_tables_of_every_result_are_set_by_pdflatex_within_the_text(
    every_result: dict[str, Result], tmp_path: Path
) -> None:
    tables = [type(one)._tabulate({name: one}) for name, one in every_result.items()]
    assert typeset(latex_tables(tables, label="tab:x", before=" in a_model"), tmp_path) == []


@pytest.mark.slow
def test_the_tables_of_audits_are_set_by_pdflatex_within_the_text(
    audit: Audit, whole: Audit, tmp_path: Path
) -> None:
    assert typeset(latex_table(audit) + latex_table(whole, label="tab:y"), tmp_path) == []


def rows_of(table: str) -> list[str]:
    return table.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()


def test_a_hard_name_is_escaped(audit: Audit) -> None:
    assert rows_of(latex_table(audit))[0].startswith(
        r"a\&b \%\_\#\textasciitilde{}\textasciicircum{}\textbackslash{} \textless{}i\textgreater{} "
        r"\textbar{} {[}x{]} {*}é{*} & "
    )
    assert r"\caption{Association tests in vectors \& co\_1.txt." in latex_table(audit)


def test_of_scores_on_many_traits_the_furthest_are_printed_and_all_are_counted() -> None:
    traits, groups = [f"t{i}" for i in range(1, 19)], ["g", "h"]
    given = {g: {t: i + 100.0 * j for i, t in enumerate(traits, 1)} for j, g in enumerate(groups)}
    scores = TraitScores.from_table(given, measure="m", provenance=(Provenance(source="m"),))
    text = latex_table(Audit([scores], kind="results"), label="tab:x")
    assert re.findall(r"\\label\{(tab:[\w-]+)\}", text) == ["tab:x"]
    rows = rows_of(text)
    assert rows[0] == r"h & t18 & $118.00$ \\"
    assert "2 groups $\\times$ 18 pairs of traits" in text
    assert f"The first {len(rows)} of 36 rows." in text
    assert "score: above 0 towards the second adjective of the pair." in text


def test_geometry_is_printed_too(audit: Audit) -> None:
    (fit,) = audit.of(RsaResult).values()
    geometry = re.split(r"(?=\\begin\{table\})", latex_table(audit))[-1]
    assert f"${fit.similarity1:.3f}$ & ${fit.similarity2:.3f}$" in geometry
    assert r"$\approx " in geometry  # the labels were exchanged at random


def test_every_kind_of_result_has_a_whole_table_of_its_own(audit: Audit, whole: Audit) -> None:
    text = latex_table(audit, label="tab:x") + latex_table(whole, label="tab:y")
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(set(labels)) == len(labels) == len({type(one) for one in (*audit.values(), *whole.values())})
    for one in re.split(r"(?=\\begin\{table\})", text)[1:]:
        columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", one)
        assert columns is not None
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows_of(one)} == {len(columns[1]) - 1}
        assert all(row.endswith(r" \\") for row in rows_of(one))
        bare = re.sub(r"\\[{}]", "", one)
        assert bare.count("{") == bare.count("}")


def test_a_table_without_rows_is_not_printed() -> None:
    empty = Table(name="n", title="t", columns=(Column(key="h", head="h"),), rows=())
    assert latex_tables([empty], label="l") == NEEDS
    full = Table(name="n_2", title="t", columns=(Column(key="h", head="h"),), rows=({"h": 1.0},))
    assert re.findall(r"\\label\{(.*)\}", latex_tables([empty, full, full], label="l")) == ["l", "l-n-2"]
