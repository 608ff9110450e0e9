"""Kill an audit at random moments until it is done, and compare every file with those of an undisturbed one.

``python -m tests.hardening.kills --rounds 5`` (``make kills``). Where tests kill at chosen moments, this does
so whenever the clock says.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.hardening.figures import record

PROGRAM = [sys.executable, "-c", "from crossroads.core.cli import main; main()", "audit"]
DESIGNS = 40
OPTIONS: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
OPTIONS["env"] = {**os.environ, "SOURCE_DATE_EPOCH": "0"}


def prepared(folder: Path) -> list[str]:
    """The arguments of an audit of random vectors with designs of their own."""
    rng, lines, arguments = np.random.default_rng(0), [], []
    for number in range(DESIGNS):
        sets = {role: [f"d{number}{role}{i}" for i in range(9)] for role in "xyab"}
        path = folder / f"d{number}.json"
        path.write_text(json.dumps({"name": f"d{number}", **sets}), encoding="utf-8")
        arguments += ["-d", str(path)]
        lines += [f"{w} {' '.join(map(str, rng.normal(size=8)))}" for words in sets.values() for w in words]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / "vectors.txt"), *arguments, "--no-figures"]


def files(folder: Path) -> dict[str, bytes]:
    """Every file of an audit with its bytes."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def killed(arguments: list[str], output: Path, rng: random.Random, seconds: float) -> int:
    """Run an audit and kill it after a random time, again and again until it ends; returns the kills."""
    kills = 0
    while True:
        command = [*PROGRAM, *arguments, "-o", str(output)]
        process = subprocess.Popen(command, start_new_session=True, **OPTIONS)
        try:
            status = process.wait(timeout=rng.uniform(0.05, 0.6) * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        if status:
            raise SystemExit(f"the audit ended with status {status} after {kills} kills.")
        return kills


def main() -> None:
    """Some rounds, each with a new seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="write the numbers into docs/hardening.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        arguments = prepared(folder)
        begun = time.monotonic()
        subprocess.run([*PROGRAM, *arguments, "-o", str(folder / "whole")], check=True, **OPTIONS)
        seconds, whole, total = time.monotonic() - begun, files(folder / "whole"), 0
        for number in range(asked.rounds):
            output = folder / "again" / str(number) / "whole"  # the folder's name is in its page
            output.parent.mkdir(parents=True)
            kills = killed(arguments, output, random.Random(f"{asked.seed} {number}"), seconds)
            differing = [name for name, data in whole.items() if files(output).get(name) != data]
            if differing or set(files(output)) != set(whole):
                raise SystemExit(f"after {kills} kills these differ: {', '.join(differing)}")
            total += kills
        print(f"{total} kills in {asked.rounds} rounds; all {len(whole)} files have the same bytes")
    if asked.record:
        record("kills", {"kills": total, "rounds": asked.rounds, "files": len(whole)})


if __name__ == "__main__":
    main()
