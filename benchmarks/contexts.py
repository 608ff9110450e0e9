"""Search of contexts against GNU grep: in generated Reddit comments, and in enwik8 written as such; memory.

Times are processor times, so that they are those of one core even on a busy machine, except where numbers of
workers are compared.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from packages.default import whole

from benchmarks.timing import Report, best, in_own_process, processor_time, surroundings
from crossroads.contexts.commands import chosen_lists

ENWIK8 = (
    "infini-transformer-pytorch",
    "0.2.1",
    "ba31c50080255fbe6e724b399567d8c0a79b2956bf1573558e7075bdf00cc87a",
    "data/enwik8.gz",
)
LARGE, GENERATED = 2_000_000_000, 200_000_000
REPEATS = 3


def catalogue_words() -> list[str]:
    """Every stimulus of the catalogue: designs, groups, word lists and traits."""
    return list(dict.fromkeys(word for words in chosen_lists(["all"], None, None).values() for word in words))


def enwik8() -> str:
    """The first hundred megabytes of a dump of Wikipedia."""
    from tests.registry import sdist_member

    return gzip.decompress(sdist_member(*ENWIK8).read_bytes()).decode("utf-8", "replace")


def comments(text: str) -> Iterator[dict[str, object]]:
    """Records with the fields of a Reddit dump, about a kilobyte each."""
    rng = random.Random(0)
    number, body = 0, ""
    for line in filter(str.strip, text.split("\n")):
        body += ("\n" if body else "") + line
        if len(body) < 500:
            continue
        number += 1
        yield comment(number, body, rng.randrange(100))
        body = ""


def comment(number: int, body: str, score: int) -> dict[str, object]:
    """A record with the fields of a Reddit dump."""
    return {
        "author": f"user{number * 7919 % 10**6}",
        "author_flair_text": None,
        "body": body,
        "controversiality": 0,
        "created_utc": 1506816000 + number,
        "distinguished": None,
        "edited": False,
        "gilded": 0,
        "id": f"dn{number:06x}",
        "is_submitter": False,
        "link_id": f"t3_{number:06x}",
        "parent_id": f"t3_{number * 7:06x}",
        "permalink": f"/r/pics/comments/{number:06x}/title/",
        "retrieved_on": 1509189606,
        "score": score,
        "stickied": False,
        "subreddit": "pics",
        "subreddit_id": "t5_2qh0u",
    }


def write_lines(path: Path, records: Iterator[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def generated(size: int, share: float) -> Iterator[dict[str, object]]:
    """Reddit comments of about a kilobyte made of words as frequent as Zipf's law has them.

    Parameters
    ----------
    size
        About how many bytes of JSON lines they make.
    share
        How many of the words are stimuli, which follow the same law.
    """
    rng = np.random.default_rng(0)
    known = list(dict.fromkeys(w for some in chosen_lists(None, None, None).values() for w in some))
    others = set(whole().labels[:40_000]) - set(known)
    ranked = [w for w in whole().labels if w in others and w.isascii() and w.isalpha()]
    common, stimuli = np.array(ranked, object), rng.permutation(np.array(known, object))
    signs = np.array(
        ["{}"] * 84 + ["{},"] * 6 + ["{}."] * 4 + ["({})", "{}\n\n", '"{}"', "{}'s", "{}’s", "x/{}"]
    )
    written, number = 0, 0
    while written < size:
        words = _by_zipf(rng, common, 50_000)
        chosen = rng.random(words.size) < share
        words[chosen] = _by_zipf(rng, stimuli, int(chosen.sum()))
        signed = [sign.format(word) for sign, word in zip(rng.choice(signs, words.size), words, strict=True)]
        cuts = np.cumsum(rng.integers(20, 180, 600))
        for some in np.split(np.array(signed, object), cuts[cuts < words.size]):
            number += 1
            record = comment(number, " ".join(some), int(rng.integers(100)))
            written += len(json.dumps(record)) + 1
            yield record


def _by_zipf(rng: np.random.Generator, words: NDArray[Any], count: int) -> NDArray[Any]:
    """Words drawn with the probability that their rank gives them."""
    shares = 1 / (np.arange(words.size) + 2.7)
    drawn: NDArray[Any] = words[rng.choice(words.size, count, p=shares / shares.sum())]
    return drawn


def program(path: Path, *options: str, hidden: tuple[str, ...] = ()) -> list[str]:
    """A call of ``crossroads contexts``, perhaps as if some packages were not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden!r})); "
    code += "from crossroads.core.cli import main; main()"
    return [sys.executable, "-c", code, "contexts", str(path), "-o", f"{path}.out", "--fresh", *options]


def against_grep(report: Report, folder: Path) -> None:
    """Whole runs of the program on generated comments, next to grep, best of several in turn."""
    listed = folder / "words"
    listed.write_text("\n".join(w for some in chosen_lists(None, None, None).values() for w in some) + "\n")
    for name, share, most in (
        ("most lines hold a stimulus", 0.0107, 1.5),
        ("one line in a hundred does", 0.0001, 1.0),
    ):
        path = folder / "generated.jsonl"
        write_lines(path, generated(GENERATED, share))
        find = ["grep", "-c", "-F", "-w", "-f", str(listed), str(path)]
        ways = {
            "contexts / grep": program(path, "--workers", "1"),
            "  without hyperscan and msgspec": program(
                path, "--workers", "1", hidden=("hyperscan", "msgspec")
            ),
        }
        times: dict[str, list[float]] = {}
        for _ in range(REPEATS):
            times.setdefault("grep", []).append(processor_time(find, LC_ALL="C.UTF-8"))
            for way, command in ways.items():
                times.setdefault(way, []).append(processor_time(command))
        least = {way: min(some) for way, some in times.items()}
        report.line(f"{path.stat().st_size / 1e6:.0f} MB, {name}: grep", f"{least['grep']:.2f} s")
        for way in ways:
            ratio = least[way] / least["grep"]
            goal = most if way == "contexts / grep" else None
            report.line(
                way,
                f"{ratio:.2f}× ({least[way]:.2f} s)",
                "" if goal is None else f"≤ {goal}×",
                reached=None if goal is None else ratio <= goal,
            )
        if most > 1:
            scaling(report, path)


def scaling(report: Report, path: Path) -> None:
    """Seconds on the clock of two processes, and of Ray, next to one process."""
    for name, options in {
        "1 worker": ("--workers", "1"),
        "2 workers": ("--workers", "2"),
        "Ray, 2 workers, cluster started and stopped": ("--workers", "2", "--engine", "ray"),
    }.items():
        if "ray" in options and importlib.util.find_spec("ray") is None:
            continue
        command = program(path, *options)
        call = functools.partial(subprocess.run, command, env=surroundings(), capture_output=True, check=True)
        report.line(f"  {name}, on the clock", f"{best(call)[0]:.2f} s")


def write_large(path: Path, text: str, size: int) -> None:
    """Write the text repeatedly, with a running number after every fourth word, so that no window repeats."""
    marked = re.sub(r"((?:[^ \n]+ ){4})", "\\1\x01 ", text.replace("\x01", " "))
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size:
            file.write(marked.replace("\x01", str(number))[: size - file.tell()])
            number += 1


def search(path: Path, words: list[str], limit: int = 1000) -> tuple[float, float, int]:
    """Processor seconds and megabytes that a search by one process needs, and contexts it keeps."""
    run = in_own_process(
        "import time\nfrom crossroads.contexts.corpus import find_contexts\nbegun = time.process_time()\n"
        f"found = find_contexts({str(path)!r}, {words!r}, limit={limit}, workers=1)\n"
        "answer = [time.process_time() - begun, sum(map(len, found.contexts.values()))]"
    )
    seconds, contexts = run["answer"]
    return seconds, run["megabytes"], contexts


def grep(path: Path, words: Path) -> float:
    """Processor seconds in which grep counts the lines with any of the words; the best of three."""
    command = ["grep", "-c", "-F", "-w", "-f", str(words), str(path)]
    return min(processor_time(command, LC_ALL="C.UTF-8") for _ in range(3))


def speed(report: Report, folder: Path, text: str, words: list[str]) -> None:
    listed = folder / "words"
    listed.write_text("\n".join(words) + "\n", encoding="utf-8")
    shapes: dict[str, Iterator[dict[str, object]]] = {
        "Reddit records of about 1 kB": comments(text),
        "bare {'body': …} of about 120 bytes": ({"body": line} for line in text.split("\n") if line.strip()),
    }
    for name, records in shapes.items():
        path = folder / "corpus.jsonl"
        write_lines(path, records)
        size = path.stat().st_size / 1e6
        seconds = min(search(path, words)[0] for _ in range(3))
        rate = size / seconds
        report.line(f"{name}, {size:.0f} MB", f"{rate:.0f} MB/s", "≥ 25 MB/s", reached=rate >= 25)
        if shutil.which("grep"):
            times = seconds / grep(path, listed)
            report.line("  ours / grep -F -w -f, C.UTF-8", f"{times:.1f}×", "≤ 4×", reached=times <= 4)


def memory(report: Report, folder: Path, text: str, words: list[str]) -> None:
    path = folder / "corpus.txt"
    for limit in (100, 1000):
        peaks = []
        for size in (100_000_000, LARGE):
            write_large(path, text, size)
            _, megabytes, contexts = search(path, words, limit)
            peaks.append(megabytes)
            report.line(
                f"memory, {size / 1e6:,.0f} MB of text, at most {limit:,} per word",
                f"{megabytes:.0f} MB",
                f"{contexts:,} contexts kept",
            )
        ratio = peaks[1] / peaks[0]
        goal = "≤ 1.25×" if limit == 100 else "grows with what is kept"
        report.line(
            "  20 times the text", f"{ratio:.2f}×", goal, reached=ratio <= 1.25 if limit == 100 else None
        )


def run(report: Report) -> None:
    report.head("Contexts of the stimuli of CEAT in generated Reddit comments, whole runs of the program")
    with tempfile.TemporaryDirectory() as scratch:
        against_grep(report, Path(scratch))
    words = catalogue_words()
    report.head(f"Contexts of {len(words)} stimuli in enwik8, seconds of one core")
    text = enwik8()
    with tempfile.TemporaryDirectory() as scratch:
        speed(report, Path(scratch), text, words)
        memory(report, Path(scratch), text, words)
