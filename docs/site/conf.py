"""How the site is built: ``make docs``, or ``sphinx-build -W -c docs/site docs site``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.ext.napoleon import Config, NumpyDocstring

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from docs.site import api  # noqa: E402

from crossroads.core import VERSION  # noqa: E402

project = "crossroads"
author = "The crossroads developers"
copyright = author  # noqa: A001
version = release = VERSION

extensions = ["myst_nb", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["site", "**/__pycache__", "**/*.py"]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "off" if os.environ.get("CROSSROADS_NOTEBOOKS") == "0" else "cache"
nb_execution_cache_path = str(ROOT / ".cache" / "notebooks")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autodoc_class_signature = "separated"

templates_path: list[str] = []
html_theme = "pydata_sphinx_theme"
html_title = "crossroads"
html_math_renderer = "mathml"
html_static_path = ["style"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars: dict[str, list[str]] = {"index": [], "start": [], "chart": []}
html_theme_options = {
    "logo": {"text": "crossroads"},
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
}


def opened_not_saved(_app: Any, _name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Let links to reports open them, as links to pages do."""
    if "body" in context:
        context["body"] = context["body"].replace(' download="" href="', ' href="')


def numpydoc(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Read docstrings with sections; those of fields are prose, in which a colon is no type."""
    if what not in ("attribute", "property", "data"):
        config = Config(napoleon_use_rtype=False, napoleon_use_ivar=True)
        lines[:] = NumpyDocstring(lines, config, app, what, name, obj, options).lines()


def formula(writer: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without a script from elsewhere."""
    block = isinstance(node, nodes.math_block)
    drawn = tex2mathml(node.astext().replace(r"\dots", r"\ldots"), as_block=block)
    writer.body.append(f'<div class="math">{drawn}</div>' if block else drawn)
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Write the pages of the reference before any page is read, and say how formulas are written."""
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.connect("builder-inited", lambda app: api.write(Path(app.srcdir, api.FOLDER)))
    app.connect("autodoc-process-docstring", numpydoc)
    app.connect("html-page-context", opened_not_saved)
