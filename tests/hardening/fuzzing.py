"""Damaged and odd files for every reader: each is read, or refused with an error of crossroads.

``python -m tests.hardening.fuzzing --inputs 100000`` (``make fuzz``) takes some minutes; the tests run a few
thousand. Inputs are made from small valid files by seeded changes of their bytes. An input that led to
anything else than a result or a clear error is kept in ``tests/hardening/inputs`` and tried in every run.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.corpus.search import find_contexts
from crossroads.evidence.chat import ChatAnswers
from crossroads.evidence.judgement_files import read_judgements
from crossroads.report.documents.records import read_records
from crossroads.stimuli.files.lists import read_frequencies
from tests.hardening.figures import record

KEPT = Path(__file__).parent / "inputs"
WORDS = ["rose", "wasp", "love", "Ünï", "x" * 30, "a b", "1", "-0.5"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype(np.float32)
TOKENS = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\r\n",
        b"\n\n",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b";",
    ),
    *(b"NaN", b"inf", b"-1", b"1e309", b"99999999999999999999", b"0x1p-2", b"null", b"true", b"\\u0000"),
    *(b"\xe2\x80\xae", b"\xcc\x81", b"\xf0\x9f\x91\xa9", b"=cmd()", b"../..", b"\x1f\x8b", b"PK\x03\x04"),
]
"""What readers may stumble over."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A reader with files that it can read."""

    name: str
    """What it reads, the beginning of the names of its kept inputs."""
    file: str
    """The name that a file has."""
    read: Callable[[Path], Any]
    """Reads a file."""
    seeds: tuple[bytes, ...]
    """Valid files."""


def _text() -> bytes:
    words = [word.replace(" ", "_") for word in WORDS]
    rows = [f"{w} {' '.join(map(str, row))}" for w, row in zip(words, VECTORS.tolist(), strict=True)]
    return ("\n".join(rows) + "\n").encode()


def _binary() -> bytes:
    words = [word.replace(" ", "_").encode() for word in WORDS]
    head = f"{len(WORDS)} {VECTORS.shape[1]}\n".encode()
    return head + b"".join(w + b" " + row.tobytes() + b"\n" for w, row in zip(words, VECTORS, strict=True))


def _archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _safetensors() -> bytes:
    about = {"__metadata__": {"words": json.dumps(WORDS)}}
    about["vectors"] = {"dtype": "F32", "shape": list(VECTORS.shape), "data_offsets": [0, VECTORS.nbytes]}  # type: ignore[dict-item]
    head = json.dumps(about).encode()
    return len(head).to_bytes(8, "little") + head + VECTORS.tobytes()


def _parquet() -> bytes:
    arrow, parquet = __import__("pyarrow"), __import__("pyarrow.parquet").parquet
    file = io.BytesIO()
    parquet.write_table(arrow.table({"word": WORDS, "vector": VECTORS.tolist()}), file)
    return file.getvalue()


def _designs() -> list[bytes]:
    sets = {key: [f"{key}{i}" for i in range(3)] for key in "xyab"}
    toml = "\n".join(f"{key} = {json.dumps(words)}" for key, words in sets.items())
    return [json.dumps({"name": "mine", **sets}).encode(), f'name = "mine"\n{toml}\n'.encode()]


def _documents() -> list[bytes]:
    rng = np.random.default_rng(1)
    sets: dict[str, Any] = {key: [f"{key}{i}" for i in range(3)] for key in "xyab"}
    words = [word for some in sets.values() for word in some]
    found = cr.battery(
        cr.Embeddings(words, rng.normal(size=(12, 4))), [cr.Design(name="mine", **sets)], resamples=0
    )
    return [found.to_json().encode(), cr.ladder(found).to_json().encode()]


def _answers(folder: Path) -> bytes:
    design = cr.Design(name="age", x=["young"], y=["old"], a=["joy"], b=["evil"])
    cr.ask_chat(lambda messages: "joy - young\nevil - old", design, prompts=4).save(folder / "answers.json")
    return (folder / "answers.json").read_bytes()


def _load(form: str) -> Callable[[Path], Any]:
    return lambda path: cr.load(path, format=form, words=["rose", "wasp"], pool=5)


def _answered(path: Path) -> Any:
    design = cr.Design(name="age", x=["young"], y=["old"], a=["joy"], b=["evil"])
    return cr.chat_association(ChatAnswers.open(path), design)


@cache
def targets() -> tuple[Target, ...]:
    """Every reader of users' files."""
    with tempfile.TemporaryDirectory() as folder:
        answers = _answers(Path(folder))
    design_json, design_toml = _designs()
    headed = f"{len(WORDS)} {VECTORS.shape[1]}\n".encode() + _text()
    lines = "".join(json.dumps({"body": f"the {word} is here, {word}."}) + "\n" for word in WORDS).encode()
    people = {f"annotator{i}": {"women": {"powerful-powerless": "40"}} for i in range(3)}
    labelled = _archive(labels=np.array(WORDS), vectors=VECTORS)
    one_each = _archive(**dict(zip(["rose", "wasp"], VECTORS, strict=False)))
    made = [
        ("glove", "v.txt", _load("glove-text"), (_text(),)),
        ("word2vec", "v.txt", _load("word2vec-text"), (headed,)),
        ("word2vec-binary", "v.bin", _load("word2vec-binary"), (_binary(),)),
        ("npz", "v.npz", _load("npz"), (labelled, one_each)),
        ("pickle", "v.pkl", _load("gensim"), (pickle.dumps(dict(zip(WORDS, VECTORS, strict=True))),)),
        ("safetensors", "v.safetensors", _load("safetensors"), (_safetensors(),)),
        ("parquet", "v.parquet", _load("parquet"), (_parquet(),)),
        ("any", "vectors", cr.load, (_text(), headed, _binary())),
        ("design-json", "d.json", cr.read_designs, (design_json,)),
        ("design-toml", "d.toml", cr.read_designs, (design_toml,)),
        ("design-csv", "d.csv", cr.read_designs, (b"targ1,targ2,attr1,attr2\na,b,c,d\ne,f,g,h\n",)),
        ("frequencies", "f.csv", read_frequencies, (b"word,count\nrose,10\nwasp,3\n", b"rose\t1e3\n")),
        ("judgements", "h.json", read_judgements, (json.dumps(people).encode(),)),
        ("results", "r.json", read_records, tuple(_documents())),
        ("answers", "a.json", _answered, (answers,)),
        ("corpus", "c.jsonl", lambda path: find_contexts([path], ["rose", "love"], workers=1), (lines,)),
    ]
    return tuple(Target(name=name, file=file, read=read, seeds=seeds) for name, file, read, seeds in made)


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
                data = (
                    data[:at] + bytes(b ^ (1 << rng.randrange(8)) for b in data[at : at + 1]) + data[at + 1 :]
                )
            case 6:
                size = rng.choice((1, 2, 4, 8))
                number = rng.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1)) % 256**size
                data = data[:at] + number.to_bytes(size, "little") + data[at + size :]
            case _:
                data = data[:low] + data[high:] + data[low:high]
    return data[: 1 << 16]


def tried(target: Target, data: bytes, folder: Path) -> str | None:
    """What went wrong with an input, or None."""
    path = folder / target.file
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


def inputs(number: int, seed: int) -> Iterator[tuple[Target, bytes]]:
    """Kept inputs, and then new ones for one reader after the other."""
    known = {one.name: one for one in targets()}
    for file in sorted(KEPT.glob("*.*")):
        yield known[file.name.partition(".")[0]], file.read_bytes()
    rng = random.Random(seed)
    for at in range(number):
        target = targets()[at % len(targets())]
        yield target, changed(rng.choice(target.seeds), rng)


def run(number: int, seed: int = 0, *, keep: bool = False) -> list[str]:
    """Try some inputs; returns what went wrong."""
    wrong: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for target, data in inputs(number, seed):
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
    wrong = run(asked.inputs, asked.seed, keep=True)
    print(*wrong, f"{asked.inputs:,} inputs, {len(wrong)} kinds of failures", sep="\n")
    if asked.record:
        record("fuzz", {"inputs": asked.inputs, "failures": len(wrong), "seed": asked.seed})
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
