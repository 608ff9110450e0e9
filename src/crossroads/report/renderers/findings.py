"""What an audit found, in sentences: for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from crossroads.report.audit import Concluded
from crossroads.results import Conclusion
from crossroads.wording.escaping import in_markdown
from crossroads.wording.numbers import between, number


def findings_by_status(found: Iterable[Concluded]) -> dict[str, list[str]]:
    """A line per finding under the heading that says how sure it is, the surest first."""
    lines: dict[str, list[str]] = {}
    for one in found:
        lines.setdefault(one.found.heading, []).append(finding(one.found))
    return lines


def findings_in_markdown(found: Iterable[Concluded]) -> list[str]:
    """The same as lists in Markdown, each under its heading."""
    return [
        f"**{heading}**\n\n" + "\n".join(f"- {in_markdown(line)}" for line in lines)
        for heading, lines in findings_by_status(found).items()
    ]


def finding(said: Conclusion) -> str:
    """The sentence, with the name of the test, its number and its interval in brackets."""
    digits = 3 if said.scale.startswith("Δ") else 2
    value, low, high = (said.number(role) for role in ("value", "low", "high"))
    text = "" if value is None else f", {said.scale} = {number(value, digits)}"
    ends = "" if low is None or high is None else f", {between(low, high, digits)}"
    return f"{said.sentence} ({said.name}{text}{ends})"
