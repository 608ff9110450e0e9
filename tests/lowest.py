"""The lowest versions that the metadata allow, as constraints for pip: ``python -m tests.lowest``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("fast", "frames", "plots", "parquet", "safetensors", "zstd", "corpus", "elmo", "frequency")
"""Extras that ``make test-lowest`` installs: those that bring neither torch nor a cluster."""
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?(>=|==)([0-9.]+)(?:; .+)?")


def floors(requirements: list[str]) -> dict[str, str]:
    """The lowest version of each package; an error for one without."""
    found = {}
    for one in requirements:
        match = REQUIREMENT.fullmatch(one)
        if match is None:
            raise ValueError(f"{one!r} has no lowest version.")
        found[match[1]] = match[3]
    return found


def declared(extras: tuple[str, ...] = EXTRAS) -> dict[str, str]:
    """The lowest versions of the dependencies of the package, and of some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    return floors([*project["dependencies"], *(one for name in extras for one in optional[name])])


def main() -> None:
    """Print them."""
    print("\n".join(f"{name}=={version}" for name, version in declared().items()))  # noqa: T201


if __name__ == "__main__":
    main()
