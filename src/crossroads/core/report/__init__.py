"""The output of an audit: tables, text, citations, verdicts and pages from results."""
