"""How the site is built: ``make docs``, or ``sphinx-build -W -c docs/site docs site``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from crossroads.version import VERSION  # noqa: E402
from docs.site import api  # noqa: E402

project = "crossroads"
author = "The crossroads developers"
copyright = author  # noqa: A001
version = release = VERSION

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
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

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

templates_path: list[str] = []
html_theme = "pydata_sphinx_theme"
html_title = "crossroads"
html_static_path = ["style"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "start": [], "chart": []}
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


def setup(app: Any) -> None:
    """Write the pages of the reference, before any page is read."""
    app.connect("builder-inited", lambda app: api.write(Path(app.srcdir, api.FOLDER)))
    app.connect("html-page-context", opened_not_saved)
