"""Tests that are registered before they are measured: a file of them, and what an audit did instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import CrossroadsError, FormatError, join_words
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import model_name
from crossroads.core.results import Coverage, versions
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.results.registration import RegistrationResult
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.text import load_toml, read_text
from crossroads.core.storage.files import checksum, fingerprint, write_file
from crossroads.core.wording import phrases

if TYPE_CHECKING:
    from crossroads.core.audit.audit import Plan
    from crossroads.core.audit.engine import Settings
    from crossroads.core.report.audit import Audit

_HEAD = """# Tests, and how they will be measured, written before they were. Checksums find what is changed.
# crossroads audit MODEL --preregistered FILE
"""
_SHOWN = 16  # characters of the checksums of single entries
WANTED, ORDINARY = "difference wanted", "ordinary association"
"""What an association is held against to be called small."""


@dataclass(frozen=True, kw_only=True)
class Registration:
    """Tests that were registered, and how they were to be measured."""

    terms: Mapping[str, Any]
    """How, as plain data by name."""
    designs: tuple[Design, ...]
    """The tests."""

    @cached_property
    def checksums(self) -> dict[str, str]:
        """A short checksum of every term and design, and a whole one of all of them."""
        data = {**self.terms, **{f"design {one.name}": one.to_dict() for one in self.designs}}
        found = {name: fingerprint(value)[:_SHOWN] for name, value in data.items()}
        return {**found, "all": fingerprint(data)}

    def write(self, path: Path) -> None:
        """Write it as TOML."""
        designs = {f"[[design]] # {at}": one.to_dict() for at, one in enumerate(self.designs, start=1)}
        lines = [_HEAD]
        for head, table in {"[registered]": self.terms, **designs, "[sha256]": self.checksums}.items():
            keys = {
                name: name if name.isidentifier() else _toml(name) for name in table
            }  # quoted, if need be
            lines += [head, *(f"{keys[name]} = {_toml(value)}" for name, value in table.items()), ""]
        write_file(path, "\n".join(lines))

    def compared(self, plan: Plan, settings: Settings, audit: Audit) -> RegistrationResult:
        """What an audit did, next to what was registered."""
        measured: list[Any] = [*audit.values()]
        tests = {test.design: test for one in measured if one._tests_on == "words" for test in one.tests}
        margins = [(ORDINARY, one._ordinary) for one in measured if one._ordinary is not None]
        if not margins and self.terms.get("margin_is") == WANTED:  # nothing was measured in its place
            margins = [(WANTED, self.terms["margin"])]
        words = ", ".join({str(test.conventions["words"]): None for test in tests.values()})
        coverages = {name: test.coverage for name, test in tests.items()}
        done = terms_of(plan, settings, audit.about, coverages, words=words, margin=[*margins, None][0])
        terms = {
            name.replace("_", " "): (_said(self.terms.get(name)), _said(done.get(name)))
            for name in {**self.terms, **done}
            if name not in ("date", "named")
        }
        new = replace(self, designs=plan.words).checksums
        for name in (f"design {one.name}" for one in plan.words):
            found = new[name] if name.removeprefix("design ") in tests else "not measured"
            terms[name] = self.checksums.get(name, "none"), found
        return RegistrationResult(
            date=str(self.terms.get("date")),
            sha256=self.checksums["all"],
            departures=sum(one != other for one, other in terms.values()),
            terms=terms,
            conventions={"measure": "registration"},
            provenance=(audit.about,),
        )


def read_registration(path: str | Path) -> Registration:
    """Read a registration; if it was edited, the error names what was."""
    path, hint = Path(path), "give a file of crossroads plan --freeze."
    text = read_text(path, hint[5:-1])
    try:
        data = load_toml(text, path)
        designs, kept = tuple(map(Design.from_dict, data["design"])), dict(data["sha256"])
        found = Registration(terms=dict(data["registered"]), designs=designs)
    except (KeyError, TypeError, ValueError, CrossroadsError) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise FormatError(f"this is not a registration: {why}.", path=path, hint=hint) from error
    known = found.checksums
    changed = [name for name in {**known, **kept} if known.get(name) != kept.get(name)]
    changed += [name for name in data if name not in ("registered", "design", "sha256")]
    if changed:
        what = join_words([name for name in changed if name != "all"] or changed, most=8)
        hint = "use the file as it was written, or register another plan in a new file."
        raise FormatError(f"it was edited after it was written: {what}.", path=path, hint=hint)
    return found


def terms_of(
    plan: Plan,
    settings: Settings,
    about: Provenance,
    tests: Mapping[str, Coverage | None],
    *,
    words: str,
    margin: tuple[str, float] | None,
) -> dict[str, Any]:
    """All that is registered, as plain data: what is planned, or what was done. None is left out."""
    file = Path(plan.kind.model)
    sha256 = about.sha256 or (checksum(file) if file.is_file() else None)
    found = {
        "named": model_name(about),
        "model": sha256 or model_name(about),
        "revision": about.revision,
        **{name: about.details.get(name) for name in ("prompt", "layer", "pooling")},
        **settings.plain,
        "words": words,
        "alpha": ALPHA,
        "adjustment": phrases.ADJUSTMENT,
        "adjusted_together": len(tests),
        "measures": plan.measures,
        **dict(zip(("margin_is", "margin"), margin or (), strict=False)),
        **{f"not found of {name}": [*one.missing] for name, one in tests.items() if one and one.missing},
        **versions(),
    }
    return {name: value for name, value in found.items() if value is not None}


def _said(value: Any) -> str:
    """A term as text; the last digits of measured numbers differ between machines."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _toml(value: Any) -> str:
    """Plain data in TOML, whose texts are those of JSON."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name} = {_toml(one)}' for name, one in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
