"""What a newcomer does, in an empty folder: clone, audit, test, install the wheel, start, build the site.

``python -m tests.hardening.newcomer`` (``make newcomer``) clones the last commit of this checkout, so that
nothing beside it or not committed can help, and stops at the first step that fails. It needs git, make, bash
and the standard library. Steps print what they are and how long they took; their own output is shown
only where one fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.docs_blocks import blocks, unprinted

ROOT = Path(__file__).parents[2]
DEBIAN = ("r-base-core", "r-cran-jsonlite", "r-cran-ggplot2", "r-cran-testthat")
"""Packages of Debian that ``make r-check`` needs."""
OURS = re.compile(r"PYTHON|VIRTUAL_ENV|MAKE|MFLAGS|CROSSROADS|PYTEST|COV_|VENV$|BIN$|CHECK$|TESTS$|KEEP$")
"""Variables that come from who calls this, and that a newcomer does not have."""
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] (.*?): (.*)$", re.MULTILINE)
COUNTED = re.compile(r"^=*\s*(\d+ (?:passed|failed).* in [\d.:]+.*?)\s*=*$", re.MULTILINE)


class SkipError(Exception):
    """A step cannot be done here; the message says why."""


class StepError(Exception):
    """A step failed; the message says what."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The folders of a newcomer."""

    folder: Path
    """An empty one that has all others."""
    tests: str
    """Which tests are run, a target of the Makefile."""

    @property
    def clone(self) -> Path:
        """Of the repository."""
        return self.folder / "crossroads"

    @property
    def programs(self) -> Path:
        """Of the environment that has the wheel alone."""
        return self.folder / "installed" / ("Scripts" if os.name == "nt" else "bin")

    def environment(self, path: Path | None = None) -> dict[str, str]:
        """Variables of a newcomer, perhaps with an active environment."""
        kept = {key: value for key, value in os.environ.items() if not OURS.match(key)}
        kept |= {"PYTHON": sys.executable, "COLUMNS": "80"}
        if path is not None:
            kept["PATH"] = f"{path}{os.pathsep}{kept['PATH']}"
        return kept

    def run(self, *command: str, cwd: Path | None = None, path: Path | None = None) -> str:
        """Run a program; what it printed. An error shows the end of that."""
        done = subprocess.run(
            command,
            cwd=cwd or self.clone,
            env=self.environment(path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            end = "\n".join(done.stdout.splitlines()[-60:])
            raise StepError(f"{' '.join(command)}\nended with status {done.returncode}:\n{end}")
        return done.stdout


def there(*files: Path) -> None:
    """Check that files were written."""
    for file in files:
        if not file.is_file() or not file.stat().st_size:
            raise StepError(f"{file.name} was not written.")


def clone(place: Place) -> str:
    """Clone the last commit."""
    place.run("git", "clone", "--quiet", str(ROOT), str(place.clone), cwd=place.folder)
    commit = place.run("git", "log", "-1", "--format=%h %s").strip()
    left = place.run("git", "status", "--porcelain", cwd=ROOT)
    return commit + ("; what is not committed is left out" if left else "")


def audit(place: Place) -> str:
    """Audit the default vectors."""
    place.run("make", "audit")
    there(place.clone / "audit" / "report.html", place.clone / "audit" / "results.json")
    return ""


def tests(place: Place) -> str:
    """Run the tests; how many, and why some were skipped."""
    printed = place.run("make", place.tests)
    counted = COUNTED.findall(printed)
    reasons: dict[str, int] = {}
    for number, _, reason in SKIPPED.findall(printed):
        reasons[reason] = reasons.get(reason, 0) + int(number)
    lines = [f"{number} skipped: {reason}" for reason, number in sorted(reasons.items())]
    return "\n    ".join([*counted, *lines])


def wheel(place: Place) -> str:
    """Build the wheel, install it where nothing else is, and ask the program for a test."""
    built = place.folder / "dist"
    python = place.clone / ".venv" / "bin" / "python"
    place.run(str(python), "-m", "build", "--no-isolation", "--outdir", str(built))
    (file,) = built.glob("crossroads_audit-*.whl")
    place.run(sys.executable, "-m", "venv", str(place.programs.parent))
    pip = (str(place.programs / "python"), "-m", "pip", "--quiet", "install")
    place.run(*pip, "--constraint", "constraints.txt", f"{file}[all]")
    empty = place.folder / "empty"
    empty.mkdir()
    if "career" not in place.run("crossroads", "catalog", "weat6", cwd=empty, path=place.programs):
        raise StepError("crossroads catalog weat6 does not show the words of the test.")
    where = "import crossroads; print(crossroads.__file__)"
    found = place.run("python", "-c", where, cwd=empty, path=place.programs).strip()
    if not Path(found).is_relative_to(place.programs.parent):
        raise StepError(f"Python finds another package than the one that was installed: {found}")
    return file.name


def start(place: Place) -> str:
    """Type what the start of ten minutes says; the wheel takes the place of its first block."""
    folder = place.folder / "start"
    folder.mkdir()
    typed, python = 0, ""
    for block in blocks(place.clone / "docs" / "start.md"):
        if not block.text.strip():
            continue
        typed, shown = typed + 1, block.shown
        if block.kind == "python":
            python += block.text + "\n"
            shown += "\n".join(re.findall(r"^print\(.*\)  # (.+)$", python, re.MULTILINE))
            printed = place.run("python", "-c", python, cwd=folder, path=place.programs)
        else:
            command = ("bash", "-euo", "pipefail", "-c", block.text)
            printed = place.run(*command, cwd=folder, path=place.programs)
        if (line := unprinted(shown, printed)) is not None:
            raise StepError(f"{block.text}\ndid not print {line!r} in its place, but:\n{printed}")
    there(folder / "first" / "report.html")
    return f"{typed} blocks"


def docs(place: Place) -> str:
    """Build the site."""
    place.run("make", "docs")
    there(place.clone / "site" / "index.html", place.clone / "site" / "start.html")
    return f"{len(list((place.clone / 'site').rglob('*.html')))} pages"


def r_package(place: Place) -> str:
    """Check the R package; R is installed where that is possible."""
    if shutil.which("R") is None:
        if shutil.which("apt-get") is None:
            raise SkipError("R is not installed, and there is no apt-get to install it.")
        if os.geteuid() != 0:
            raise SkipError("R is not installed, and only root may install it with apt-get.")
        install = ("apt-get", "install", "--yes", "--no-install-recommends", *DEBIAN)
        place.run("apt-get", "update")
        place.run(*install)
    place.run("make", "r-check")
    return ""


def untouched(place: Place) -> str:
    """Check that the clone has no files that git does not know or ignore."""
    left = place.run("git", "status", "--porcelain")
    if left:
        raise StepError(f"these files were changed or left behind in the clone:\n{left}")
    return ""


def steps(place: Place) -> dict[str, Callable[[Place], str]]:
    """All steps in their order, by what they are called."""
    return {
        "clone into an empty folder": clone,
        "make audit": audit,
        f"make {place.tests}": tests,
        "the wheel in an empty environment": wheel,
        "docs/start.md as it is typed": start,
        "make docs": docs,
        "make r-check": r_package,
        "git status of the clone": untouched,
    }


def walk(place: Place) -> str | None:
    """Take all steps; what failed, or ``None``."""
    for name, step in steps(place).items():
        print(f"{name} …", flush=True)
        begun = time.monotonic()
        try:
            said = step(place)
        except SkipError as reason:
            said = f"skipped: {reason}"
        except StepError as error:
            return f"{name} failed after {time.monotonic() - begun:.0f} s.\n{error}"
        print(f"  {time.monotonic() - begun:.0f} s" + f"\n    {said}" * bool(said), flush=True)
    return None


def files(folder: Path) -> set[str]:
    """Files and folders of a checkout: all at its top, and elsewhere what git does not track."""
    command = ["git", "status", "--porcelain", "--ignored", "--untracked-files=all"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    unknown = {line for line in done.stdout.splitlines() if "__pycache__" not in line}
    return unknown | {one.name for one in folder.iterdir()}


def main() -> None:
    """Walk the whole path in a folder that is removed in the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", choices=("quick", "test"), default="quick", help="a target of make")
    parser.add_argument("--keep", action="store_true", help="leave the folder in place")
    asked = parser.parse_args()
    before, begun = files(ROOT), time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="newcomer-"))
    try:
        failed = walk(Place(folder=folder, tests=asked.tests))
    finally:
        if asked.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    new = sorted(files(ROOT) - before)
    if failed is None and new:
        failed = "left behind in the checkout: " + ", ".join(new)
    if failed is not None:
        raise SystemExit(failed)
    print(f"everything works for a newcomer; {(time.monotonic() - begun) / 60:.0f} minutes")


if __name__ == "__main__":
    main()
