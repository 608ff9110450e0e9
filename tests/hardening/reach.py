"""Which lines of some folders each test runs, and how long it takes: what a change of a line is tested with.

A plugin of pytest, for ``python -m tests.hardening.mutation``: ``-p tests.hardening.reach`` with
``CROSSROADS_REACH`` naming the folder for what is found. What a shared fixture runs counts for every test
that uses the fixture. Processes that a test starts are not followed.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

PLACE = "CROSSROADS_REACH"
FOLDERS = (
    *("core/inference", "words/measures", "words/checks", "contexts/measures", "intersections"),
    *("traits/measures", "traits/people", "traits/pairs", "chat", "sentences", "comparison"),
)
"""Folders of the package with arithmetic."""
SOURCES = [str(Path.cwd() / "src" / "crossroads" / folder / "*") for folder in FOLDERS]


def _started() -> Any:
    """Count from now on, before any file of tests imports what is counted."""
    import coverage

    cover = coverage.Coverage(data_file=None, include=SOURCES, config_file=False)
    cover.start()
    return cover


COVER: Any = _started() if os.environ.get(PLACE) else None


class Reach:
    """Switches the context of coverage.py between tests and shared fixtures."""

    def __init__(self, folder: Path, worker: str) -> None:
        self.folder, self.worker, self.cover = folder, worker, COVER
        self.tests: dict[str, dict[str, Any]] = {}
        self.names: list[str] = [""]

    def enter(self, name: str) -> None:
        """Count for another name from now on."""
        self.names.append(name)
        self.cover.switch_context(name)

    def leave(self) -> None:
        """Count for the name of before again."""
        self.names.pop()
        self.cover.switch_context(self.names[-1])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Count for a test."""
        begun = time.process_time()
        self.enter(item.nodeid)
        try:
            return (yield)
        finally:
            self.leave()
            fixtures = getattr(item, "fixturenames", ())
            self.tests[item.nodeid] = {
                "seconds": time.process_time() - begun,
                "fixtures": sorted(fixtures),
            }

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Count for a fixture that several tests share."""
        if fixturedef.scope == "function":
            return (yield)
        self.enter(f"fixture:{fixturedef.argname}:{fixturedef.baseid}")
        try:
            return (yield)
        finally:
            self.leave()

    def pytest_sessionfinish(self) -> None:
        """Write what was found."""
        self.cover.stop()
        data = self.cover.get_data()
        lines = {file: data.contexts_by_lineno(file) for file in data.measured_files()}
        self.folder.mkdir(parents=True, exist_ok=True)
        found = {"tests": self.tests, "lines": lines}
        (self.folder / f"{self.worker}.json").write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Follow the tests of this process, unless it only hands them to others."""
    place = os.environ.get(PLACE)
    if place and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        config.pluginmanager.register(Reach(Path(place), worker), "reach")


class Reached:
    """What a run with the plugin found."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file in sorted(folder.glob("*.json")):
            found = json.loads(file.read_text(encoding="utf-8"))
            self.tests |= found["tests"]
            for name, lines in found["lines"].items():
                inside = Path(name).relative_to(root).as_posix()
                for line, contexts in lines.items():
                    self.lines[inside][int(line)] |= set(contexts)

    def on_import(self, file: str, lines: range) -> bool:
        """Whether any of some lines is run outside tests."""
        return any("" in self.lines[file].get(line, ()) for line in lines)

    def tests_of(self, file: str, lines: range) -> list[str]:
        """The tests that run any of some lines, those that take least first."""
        contexts = set().union(*(self.lines[file].get(line, set()) for line in lines))
        shared = [one.split(":", 2)[1:] for one in contexts if one.startswith("fixture:")]
        found = {
            name
            for name, about in self.tests.items()
            if name in contexts
            or any(argument in about["fixtures"] and name.startswith(base) for argument, base in shared)
        }
        return sorted(found, key=lambda name: (self.tests[name]["seconds"], name))
