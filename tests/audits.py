"""Whole audits, each made once in a run by a process of its own, for every test that reads one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
        return dict(json.loads((self.folder / "results.json").read_text(encoding="utf-8")))


def audited(place: Path, *arguments: object) -> None:
    """Run ``crossroads audit`` in a folder, and keep what it prints beside what it writes."""
    command = [sys.executable, "-m", "crossroads", "audit", *map(str, arguments), "-o", "out"]
    environment = {**os.environ, "COLUMNS": "80", "HF_HUB_OFFLINE": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place, env=environment)
    said = {"status": run.returncode, "out": run.stdout, "err": run.stderr}
    (place / "said.json").write_text(json.dumps(said), encoding="utf-8")


def finished(place: Path) -> AuditRun:
    """What :func:`audited` left in a folder."""
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
