"""Timing that a busy machine affects least: the best of several runs; memory of a separate process."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def best(run: Callable[[], Any], *, repeats: int = 5, budget: float = 3.0) -> tuple[float, Any]:
    """Shortest time of several runs, and the result of the last one."""
    shortest, result = float("inf"), None
    begun = time.perf_counter()
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        shortest = min(shortest, time.perf_counter() - start)
        if time.perf_counter() - begun > budget:
            break
    return shortest, result


def in_own_process(code: str) -> dict[str, Any]:
    """Run code that sets ``answer``; return it with the time and memory it needed.

    Code may set ``start`` after its imports; time is counted from there. Linux only.
    """
    script = (
        "import json, re, time\n"
        "start = time.perf_counter()\n"
        f"{code}\n"
        "seconds = time.perf_counter() - start\n"
        # not ru_maxrss, which a child inherits from the process that started it
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
        "print(json.dumps({'seconds': seconds, 'megabytes': peak, 'answer': answer}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def surroundings(**more: str) -> dict[str, str]:
    """The environment of a command: compiled modules are kept, as where a package is installed."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **more}


def processor_time(command: list[str], **environment: str) -> float:
    """Processor seconds of a command, start-up and its own processes included."""
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    # to a pipe: grep stops at the first match if its output is discarded
    subprocess.run(command, env=surroundings(**environment), stdout=subprocess.PIPE, check=True)
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before


@dataclass
class Report:
    """Lines of a benchmark, and whether each goal was reached."""

    missed: list[str] = field(default_factory=list)
    sections: list[dict[str, Any]] = field(default_factory=list)

    def head(self, title: str) -> None:
        self.sections.append({"title": title, "lines": []})
        print(f"\n{title}")

    def line(self, what: str, measured: str, goal: str = "", *, reached: bool | None = None) -> None:
        mark = {None: " ", True: "✓", False: "✗"}[reached]
        print(f"  {mark} {what:<58} {measured:>22}   {goal}", flush=True)
        if reached is False:
            self.missed.append(what)
        if not self.sections:
            self.head("")
        line = {"what": what, "measured": measured, "goal": goal, "reached": reached}
        self.sections[-1]["lines"].append(line)
