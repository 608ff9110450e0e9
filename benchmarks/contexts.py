"""Search of contexts of the whole catalogue in enwik8 as Reddit comments, against GNU grep; memory.

Times are processor times, so that they are those of one core even on a busy machine.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Report, in_own_process
from crossroads.cli.commands.contexts import chosen_lists

ENWIK8 = (
    "infini-transformer-pytorch",
    "0.2.1",
    "ba31c50080255fbe6e724b399567d8c0a79b2956bf1573558e7075bdf00cc87a",
    "data/enwik8.gz",
)
LARGE = 2_000_000_000


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
        yield {
            "author": f"user{rng.randrange(10**6)}",
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
            "score": rng.randrange(100),
            "stickied": False,
            "subreddit": "pics",
            "subreddit_id": "t5_2qh0u",
        }
        body = ""


def write_lines(path: Path, records: Iterator[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


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
        "import time\nfrom crossroads.corpus import find_contexts\nbegun = time.process_time()\n"
        f"found = find_contexts({str(path)!r}, {words!r}, limit={limit}, workers=1)\n"
        "answer = [time.process_time() - begun, sum(map(len, found.contexts.values()))]"
    )
    seconds, contexts = run["answer"]
    return seconds, run["megabytes"], contexts


def grep(path: Path, words: Path, locale: str) -> float:
    """Processor seconds in which grep counts the lines with any of the words; the best of three."""
    command = ["grep", "-c", "-F", "-w", "-f", str(words), str(path)]
    times = []
    for _ in range(3):
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        # to a pipe: grep stops at the first match if its output is discarded
        subprocess.run(command, env={**os.environ, "LC_ALL": locale}, stdout=subprocess.PIPE, check=True)
        times.append(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before)
    return min(times)


def speed(report: Report, folder: Path, text: str, words: list[str]) -> None:
    listed = folder / "words"
    listed.write_text("\n".join(words) + "\n", encoding="utf-8")
    shapes = {
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
            utf8, c = grep(path, listed, "C.UTF-8"), grep(path, listed, "C")
            report.line(
                "  ours / grep -F -w -f, C.UTF-8",
                f"{seconds / utf8:.1f}×",
                "≤ 4×",
                reached=seconds <= 4 * utf8,
            )
            report.line(
                "  ours / grep -F -w -f, LC_ALL=C", f"{seconds / c:.1f}×", "≤ 4×", reached=seconds <= 4 * c
            )


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
    words = catalogue_words()
    report.head(f"Contexts of {len(words)} stimuli in enwik8, seconds of one core")
    text = enwik8()
    with tempfile.TemporaryDirectory() as scratch:
        speed(report, Path(scratch), text, words)
        memory(report, Path(scratch), text, words)
