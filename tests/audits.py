"""Whole audits, each made once in a run by a process of its own, for every test that reads one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import crossroads as cr
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import read_document
from crossroads.core.results import result_kinds

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}


class AuditRun(NamedTuple):
    """A finished audit: read it, copy it, change nothing in it."""

    folder: Path
    """The folder that it wrote."""
    status: int
    """Its exit status."""
    out: str
    """What it printed."""
    err: str
    """What it said besides."""

    @property
    def results(self) -> dict[str, Any]:
        """What is in ``results.json``."""
        return dict(read_document(self.folder / "results.json"))

    @property
    def audit(self) -> Audit:
        """What was measured, read back, to be judged or written again."""
        kinds = {kind.__name__: kind for kind in result_kinds()}
        data = self.results
        found = [kinds[one["type"]].from_dict(one) for one in data["results"]]
        named = dict(zip(data["names"], found, strict=True))
        return Audit(named, kind=data["kind"], left_out=data["skipped"], name=data["model"])


def ran(place: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run ``crossroads`` in a folder, and keep what it prints there."""
    command = [sys.executable, "-m", "crossroads", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "80", "HF_HUB_OFFLINE": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place, env=environment)
    said = {"status": run.returncode, "out": run.stdout, "err": run.stderr}
    (place / "said.json").write_text(json.dumps(said), encoding="utf-8")
    return run


def audited(place: Path, *arguments: object) -> None:
    """Run ``crossroads audit`` in a folder, and keep what it prints beside what it writes."""
    ran(place, "audit", *arguments, "-o", "out")


def finished(place: Path) -> AuditRun:
    """What :func:`ran` left in a folder."""
    said = json.loads((place / "said.json").read_text(encoding="utf-8"))
    return AuditRun(place / "out", said["status"], said["out"], said["err"])


def vectors(file: Path, seed: int) -> Path:
    """A file of made-up vectors of the words of :data:`WORDS`."""
    rng = np.random.default_rng(seed)
    lines = [" ".join([word, *map(str, rng.normal(size=5))]) for names in WORDS.values() for word in names]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def design(file: Path) -> Path:
    """A file with a design of the words of :data:`WORDS`."""
    file.write_text(json.dumps({"name": "mine", **WORDS}), encoding="utf-8")
    return file


def default(place: Path) -> None:
    """The embedded default with all its tests and figures."""
    audited(place)


def two_models(place: Path) -> None:
    """Two made-up models and a design of one's own, with figures."""
    files = [vectors(place / name, seed) for seed, name in enumerate(("vectors.txt", "other.txt"), 1)]
    audited(place, *files, "-d", design(place / "design.json"))


def contexts(place: Path) -> None:
    """A store of twelve contexts of every word of a design of one's own: the CEAT."""
    rng = np.random.default_rng(4)
    rows = {word: rng.normal(size=(12, 6)) for names in WORDS.values() for word in names}
    cr.Contexts.from_dict(rows, provenance="made up").save(place / "store")
    audited(place, "store", "-d", design(place / "design.json"), "--no-figures")


def language(place: Path, model: Path) -> None:
    """A small language model, asked for the words of all tests and for the traits of all groups."""
    audited(place, model, "--no-figures", "--workers", 1)


def chat(place: Path) -> None:
    """Answers of a chat model that gives young what is pleasant, and old the rest.

    Audits ask no chat model: this is the document of ``crossroads chat``, under the name it has there.
    """
    sets = {"x": ["young"], "y": ["old"], "a": ["joy", "peace", "love"], "b": ["agony", "evil", "hurt"]}
    (place / "age.json").write_text(json.dumps({"name": "age", **sets}), encoding="utf-8")

    def model(messages: Any) -> str:
        words = messages[-1]["content"].partition("\n\n")[2].split()
        return "\n".join(f"{word} - {'young' if word in sets['a'] else 'old'}" for word in words)

    cr.ask_chat(model, cr.read_designs(place / "age.json")[0], prompts=8).save(place / "answers.json")
    (place / "out").mkdir()
    run = ran(place, "chat", "answers.json", "-d", "age.json", "--json")
    (place / "out" / "results.json").write_text(run.stdout, encoding="utf-8")
