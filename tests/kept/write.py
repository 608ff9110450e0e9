"""Write the file that all later versions must read: ``python -m tests.kept.write`` before a release.

One result of every type, under the name of the version. A file of a released version is never written again.
"""

from __future__ import annotations

import json
from pathlib import Path

import crossroads as cr
from tests.results import every_result


def main() -> None:
    """Write ``VERSION.json`` beside this file."""
    results = {name: one.to_dict() for name, one in every_result().items()}
    path = Path(__file__).parent / f"{cr.__version__}.json"
    path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
