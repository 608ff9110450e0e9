"""The walk of a newcomer stops where it should and brings nothing along; ``make newcomer`` walks it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.hardening import newcomer
from tests.hardening.newcomer import Place, SkipError, StepError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(folder=tmp_path, tests="quick")


def test_variables_of_whoever_calls_it_are_left_behind(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("MAKEFLAGS", "PYTHONPATH", "VIRTUAL_ENV", "CROSSROADS_FORBID_SKIP", "VENV", "TESTS"):
        monkeypatch.setenv(name, "here")
    monkeypatch.setenv("PIP_CERT", "kept")
    found = place.environment(tmp_path / "bin")
    assert "here" not in found.values()
    assert (found["PIP_CERT"], found["PYTHON"]) == ("kept", sys.executable)
    assert found["PATH"].startswith(str(tmp_path / "bin"))


def test_what_fails_is_shown_with_its_command(place: Place, tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import sys; print('so far'); sys.exit('no further')")
    with pytest.raises(StepError, match="status 1") as error:
        place.run(*command, cwd=tmp_path)
    assert all(one in str(error.value) for one in (sys.executable, "so far", "no further"))
    with pytest.raises(StepError, match=r"report\.html was not written"):
        newcomer.there(tmp_path / "report.html")


def test_it_stops_at_the_first_failure_and_goes_on_after_what_is_skipped(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []

    def fine(where: Place) -> str:
        done.append(where.tests)
        return "said"

    def skip(where: Place) -> str:
        raise SkipError("there is no R.")

    def fail(where: Place) -> str:
        raise StepError("the reason")

    taken = {"one": fine, "two": skip, "three": fail, "four": fine}
    monkeypatch.setattr(newcomer, "steps", lambda where: taken)
    failed = newcomer.walk(place)
    assert failed is not None
    assert failed.startswith("three failed after 0 s.\nthe reason")
    assert done == ["quick"]
    printed = capsys.readouterr().out
    assert "skipped: there is no R." in printed
    assert "four" not in printed


def test_reasons_of_skipped_tests_are_counted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = """..s
SKIPPED [2] tests/a.py:3: no shared folder
SKIPPED [1] tests/b.py:9: no shared folder
1200 passed, 3 skipped in 61.20s (0:01:01)
"""
    monkeypatch.setattr(Place, "run", lambda *given, **options: printed)
    found = newcomer.tests(place)
    assert found.split("\n    ") == [
        "1200 passed, 3 skipped in 61.20s (0:01:01)",
        "3 skipped: no shared folder",
    ]


def test_packages_of_debian_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"apt-get install {' '.join(newcomer.DEBIAN)}" in makefile
