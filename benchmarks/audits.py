"""Two versions of one audit, key by key: ``python -m benchmarks.audits OLD/results.json NEW/results.json``.

Results are matched by type and name. Keys that moved according to the changelog are looked up in both places;
every other key that was removed, added or changed is printed, and numbers are compared exactly.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from crossroads.core.report.documents.records import read_document


def moved(one: dict[str, Any]) -> list[dict[str, Any]]:
    """A result as the oldest version wrote it: intervals beside their battery, a key for each adjustment."""
    one = dict(one)
    one |= {how: some for how, some in one.pop("adjusted", {}).items() if isinstance(some, (list, dict))}
    if "domain_pairs" in one:
        one["table"] = one.pop("domain_pairs")
    inside = one.pop("intervals", {}) if one["type"] == "BatteryResult" else {}
    return [one, *(part for interval in inside.values() for part in moved(interval))]


def named(document: dict[str, Any]) -> dict[str, Any]:
    """Results by type and subject."""
    found: dict[str, Any] = {}
    for one in (part for result in document["results"] for part in moved(result)):
        what = one.get("design") or one.get("target") or one.get("names") or one.get("kind") or ""
        key = f"{one['type']} {json.dumps(what)}"
        while key in found:
            key += "'"
        found[key] = one
    return found


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar value, with its path."""
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if inner is None:
        yield place, value
    else:
        for key, one in inner:
            yield from leaves(one, f"{place}/{key}")


def main(before: str, after: str) -> None:
    """Print the differences, with paths that differ only in indices together."""
    old, new = (read_document(path) for path in (before, after))
    counts: Counter[str] = Counter()
    equal = 0
    for part in ("head", "results"):
        if part == "head":
            heads = [{k: v for k, v in one.items() if k != "results"} for one in (old, new)]
            pairs = [("document", *heads)]
        else:
            one, two = named(old), named(new)
            pairs = [(key, one.get(key), two.get(key)) for key in dict.fromkeys([*one, *two])]
        for key, a, b in pairs:
            x, y = dict(leaves(a)), dict(leaves(b))
            for place in dict.fromkeys([*x, *y]):
                general = "/".join("*" if step.isdigit() else step for step in place.split("/"))
                kind = key.split(" ")[0]
                if place not in y:
                    counts[f"gone     {kind}{general}"] += 1
                elif place not in x:
                    counts[f"new      {kind}{general}"] += 1
                elif x[place] != y[place]:
                    counts[f"changed  {kind}{general}: {str(x[place])[:40]} -> {str(y[place])[:40]}"] += 1
                else:
                    equal += 1
    for line, count in sorted(counts.items()):
        print(f"{count:6,} {line}")
    print(f"{equal:,} values are equal, {sum(counts.values()):,} are not")


if __name__ == "__main__":
    main(*sys.argv[1:3])
