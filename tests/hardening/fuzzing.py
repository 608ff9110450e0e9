"""Damaged and odd files for every reader: each is read, or refused with an error of crossroads.

``python -m tests.hardening.fuzzing --inputs 100000`` (``make fuzz``) takes some minutes; the tests run a few
thousand. Inputs are made from the small valid files of ``readers.py`` by seeded changes: of their bytes, or
of one value to another that no file should have. An input that led to anything else than a result or a clear
error is kept in ``tests/hardening/inputs`` and tried in every run.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import crossroads as cr
from tests.hardening.figures import record
from tests.hardening.readers import Target, targets

KEPT = Path(__file__).parent / "inputs"
TOKENS = [
    *(b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\r\n", b"\n\n", b'"', b"'", b"\\u0000"),
    *(b"{", b"}", b"[", b"]", b",", b";"),
    *(b"NaN", b"inf", b"-1", b"1e309", b"99999999999999999999", b"0x1p-2", b"null", b"true"),
    *(b"\xe2\x80\xae", b"\xcc\x81", b"\xf0\x9f\x91\xa9", b"=cmd()", b"../..", b"\x1f\x8b", b"PK\x03\x04"),
]
"""What readers may stumble over."""


VALUES = (
    *("9" * 310, "-" + "9" * 400, "9" * 5000, "1e400", "-1e400", "1e-400", "1.7976931348623157e308", "-0.0"),
    *(str(2**31), str(2**63), str(2**64), "-1", "0", "1", "0.5", "NaN", "nan", "Infinity", "-inf"),
    *("null", "true", "false", "[]", "{}", "[null]", "[[[[1]]]]", '[1, "a"]', '{"a": {"b": 1}}', '""', '"x"'),
    *("[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900, "[" * 90 + "1" + "]" * 90),
    *('"' + "A" * 140_000 + '"', "A" * 140_000, '"' + "7" * 5000 + '"', "[" + "1," * 3000 + "1]"),
    *(r'"\ud800"', r'"a\udfffb"', r'"\u0000"', r'"\u202e\u001b[31m"', '"a\\nb"'),
    *('"{word} {trait} {"', '"="', "="),
)
"""Values where a file should have others: absurdly large, of another kind, or no characters."""
_VALUE = re.compile(r'"[^"\\\n]*"|-?[0-9][0-9.eE+-]*|[A-Za-z_]+')
_HERE, _KEY = "@here@", "@key@"


def changed_value(data: bytes, rng: random.Random) -> bytes:
    """A text with another value in one or two places; JSON also in place of whole lists and objects."""
    text = data.decode("utf-8", "replace")
    for _ in range(rng.choice((1, 1, 2))):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if isinstance(document, dict | list) and rng.random() < 0.8:
            text = _in_json(document, rng)
        elif places := [found.span() for found in _VALUE.finditer(text)]:
            start, end = rng.choice(places)
            text = text[:start] + rng.choice(VALUES) + text[end:]
    return text.encode("utf-8", "surrogatepass")


def _in_json(document: Any, rng: random.Random) -> str:
    """A document with one value changed, left out, or given twice under its key."""
    places: list[tuple[Any, Any]] = []
    level = [document]
    while level:
        inner = level.pop()
        for key in inner if isinstance(inner, dict) else range(len(inner)):
            places.append((inner, key))
            if isinstance(inner[key], dict | list):
                level.append(inner[key])
    if not places:
        return rng.choice(VALUES)
    inner, key = rng.choice(places)
    match rng.randrange(8):
        case 0:
            del inner[key]
        case 1 if isinstance(inner, dict):
            inner[_KEY] = _HERE
        case 2 if isinstance(inner, list):
            inner.insert(key, inner[key])
        case _:
            inner[key] = _HERE
    text = json.dumps(document)
    return text.replace(json.dumps(_KEY), json.dumps(key)).replace(json.dumps(_HERE), rng.choice(VALUES))


def changed(data: bytes, rng: random.Random) -> bytes:
    """A file with one to six changes of its bytes."""
    for _ in range(rng.randint(1, 6)):
        at, other = (rng.randrange(len(data) + 1) for _ in range(2))
        low, high = sorted((at, other))
        match rng.randrange(8):
            case 0:
                data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
            case 1:
                data = data[:low] + data[high:] if high - low < 64 else data[:low] + data[low + 8 :]
            case 2:
                data = data[:at] + rng.choice(TOKENS) + data[at:]
            case 3:
                data = data[:low] + data[low : min(high, low + 64)] * rng.randint(1, 4) + data[low:]
            case 4:
                data = data[:at]
            case 5:
                flipped = bytes(b ^ (1 << rng.randrange(8)) for b in data[at : at + 1])
                data = data[:at] + flipped + data[at + 1 :]
            case 6:
                size = rng.choice((1, 2, 4, 8))
                number = rng.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1)) % 256**size
                data = data[:at] + number.to_bytes(size, "little") + data[at + size :]
            case _:
                data = data[:low] + data[high:] + data[low:high]
    return data[: 1 << 16]


def tried(target: Target, data: bytes, folder: Path) -> str | None:
    """What went wrong with an input, or None."""
    path = folder / target.name / target.file
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, content in target.beside.items():
        (folder / target.name / name).write_bytes(content)
    path.write_bytes(data)
    begun = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", cr.CrossroadsWarning)
            target.read(path)
    except cr.CrossroadsError as error:
        if not str(error).strip():
            return "an error without a text"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "took longer than 20 s" if time.monotonic() - begun > 20 else None


_SLOW = 20
"""One round in so many is also for readers that load a model."""


def inputs(number: int, seed: int, *, slow: bool = False) -> Iterator[tuple[Target, bytes]]:
    """Kept inputs, and then new ones for one reader after the other."""
    known = {one.name: one for one in targets(slow=slow)}
    for file in sorted(KEPT.glob("*.*")):
        if (name := file.name.partition(".")[0]) in known:
            yield known[name], file.read_bytes()
    rng = random.Random(seed)
    rounds = ([one for one in known.values() if not one.slow or turn % _SLOW == 0] for turn in count())
    for target in islice(chain.from_iterable(rounds), number):
        change = changed if rng.random() < 0.4 or not _is_text(target) else changed_value
        yield target, change(rng.choice(target.seeds), rng)


def _is_text(target: Target) -> bool:
    return all(b"\0" not in seed for seed in target.seeds)


def run(number: int, seed: int = 0, *, keep: bool = False, slow: bool = False) -> list[str]:
    """Try some inputs; returns what went wrong."""
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for target, data in inputs(number, seed, slow=slow):
            if (said := tried(target, data, Path(folder))) is not None:
                found = f"{target.name}: {said[:200]}"
                if keep and found not in wrong:
                    KEPT.mkdir(exist_ok=True)
                    (KEPT / f"{target.name}.{len(wrong)}-{seed}").write_bytes(data)
                wrong.setdefault(found, found)
    return list(wrong)


def main() -> None:
    """Try many inputs, and keep those that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="write the numbers into docs/hardening.md")
    asked = parser.parse_args()
    wrong = run(asked.inputs, asked.seed, keep=True, slow=True)
    print(*wrong, f"{asked.inputs:,} inputs, {len(wrong)} kinds of failures", sep="\n")
    if asked.record:
        record("fuzz", {"inputs": asked.inputs, "failures": len(wrong), "seed": asked.seed})
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
