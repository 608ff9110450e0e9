"""An audit as CSV, Markdown and LaTeX."""
