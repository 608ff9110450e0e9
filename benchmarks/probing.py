"""Probes and audits: share of the time inside the model, and comparison with one prompt at a time.

The model is the small masked one that the tests use; name its folder in ``CROSSROADS_MLM``. Without it a
random BERT of the same size is used, which takes as long. Shares are of processor time, which a busy machine
affects least.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks.timing import Report
from crossroads.core.models.files import find_model
from crossroads.core.models.language import LanguageModel
from crossroads.traits.probe.run import probe

GROUPS = ["woman", "man", "elderly", "teenager", "Asian", "Black", "immigrant", "doctor"]
TEMPLATES = ["singular", "plural", "comparative"]


def random_bert(folder: Path) -> Path:
    """A BERT with the sizes of MiniLM and whole words of the study as its vocabulary."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    from crossroads.core.stimuli import catalog

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made: Any = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = [template.text for template in catalog().templates("abc-templates").templates]
    texts += [word for trait in catalog().traits("abc-traits") for word in (trait.left, trait.right)]
    texts += [form for group in catalog().groups("abc-groups").members for form in group.forms.values()]
    made.train_from_iterator([*texts, "person people People"], trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=special, show_progress=False))  # fmt: skip
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {f"{token[1:-1].lower()}_token": token for token in special}
    config = transformers.BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, **names
    ).save_pretrained(folder)
    return folder


def run(report: Report) -> None:
    named = os.environ.get("CROSSROADS_MLM")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(named) if named else random_bert(Path(scratch) / "bert")
        report.head(f"Probe of {folder.name}: {len(GROUPS)} groups, 16 pairs of traits, 9 templates")
        _measure(report, folder)
        report.head(f"Audit of {folder.name}, all parts and files")
        _audit(report, folder, Path(scratch))


def _audit(report: Report, folder: Path, scratch: Path) -> None:
    """A whole audit in a separate process, against the bare model on the same texts."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = [sys.executable, "-c", "from crossroads.core.cli import main; main()"]
    subprocess.run([*program, "audit", folder, "-o", scratch / "out"], check=True, capture_output=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    bare, texts, tokens = _bare_passes(folder)
    ratio = used / bare
    shown = f"{texts:,} texts, {tokens:,} tokens"
    report.line("processor time of an audit", f"{used:,.0f} s", f"in {seconds:,.0f} s")
    report.line("… of the bare passes through the model", f"{bare:,.0f} s", shown)
    report.line("… against these", f"{ratio:.2f}×", "≤ 1.5×", reached=ratio <= 1.5)


def _bare_passes(folder: Path) -> tuple[float, int, int]:
    """Processor seconds of all texts of the study, from an eighth of them in one thread; and their number.

    Through all layers, and through the output matrix at the positions that are read.
    """
    import torch
    import transformers

    from crossroads.traits.probe.material import selected_material
    from crossroads.traits.probe.prompts import Prior, chosen_templates, group_rows, prior_rows
    from crossroads.traits.probe.run import make_probe_plan
    from crossroads.traits.probe.tokens import make_material

    loaded, asked = LanguageModel(find_model(folder)), selected_material()
    mask = loaded.tokenizer.mask_token
    material = make_material(
        loaded.tokenizer, groups=group_rows(asked.groups),
        priors=prior_rows(get_args(Prior), asked.noun, mask),
        templates=chosen_templates(asked.templates, causal=False).templates, traits=asked.traits,
        synonyms=False, causal=False, missing="drop",
    )  # fmt: skip
    plan = make_probe_plan(
        material.splits, material.shape, mask=int(loaded.tokenizer.mask_token_id),
        vocabulary=loaded.vocabulary, longest=loaded.longest, batch_size=64, unit_texts=512,
    ).work  # fmt: skip
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    layers, matrix = model.base_model, model.get_output_embeddings()
    tokens, read, spent, threads = sum(map(len, plan.texts)), 0, 0.0, torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.inference_mode():
        for unit in range(0, plan.sizes.size, 8):
            for batch in plan.batches_of(unit):
                ids, start = torch.from_numpy(batch.ids), time.thread_time()
                matrix(layers(input_ids=ids).last_hidden_state[batch.text, batch.place])
                spent, read = spent + time.thread_time() - start, read + batch.ids.size
    torch.set_num_threads(threads)
    return spent * tokens / read, len(plan.texts), tokens


def _measure(report: Report, folder: Path) -> None:
    inside, begun, used = 0.0, 0.0, 0.0
    original, lock = LanguageModel.ask, threading.Lock()

    def timed(self: LanguageModel, *arguments: Any) -> Any:
        nonlocal inside
        start = time.thread_time()
        answer = original(self, *arguments)
        with lock:  # several batches are computed at a time, each in a thread
            inside += time.thread_time() - start
        return answer

    def watch(step: Any) -> None:
        nonlocal begun, used
        if step.stage == "splitting":  # after loading, which is not counted
            begun, used = time.perf_counter(), time.process_time()

    LanguageModel.ask = timed  # type: ignore[method-assign]
    try:
        logits = probe(folder, groups=GROUPS, templates=TEMPLATES, device="cpu", progress=watch)
        total, used = time.perf_counter() - begun, time.process_time() - used
    finally:
        LanguageModel.ask = original  # type: ignore[method-assign]
    texts = logits.provenance.details["texts"]
    share = inside / used
    report.line("share of the time inside the model", f"{share:.0%}", "≥ 80 %", reached=share >= 0.8)
    report.line("texts per second", f"{texts / total:,.0f}", f"{texts:,} texts")
    one = _one_at_a_time(folder)
    ratio = texts / total * one
    report.line("against one prompt at a time, all its logits", f"{ratio:.1f}× faster")
    kept = logits.heads.nbytes + logits.logit.nbytes
    everything = 4 * logits.vocabulary * logits.slots
    report.line("kept of all logits", f"{kept / everything:.1%}", f"{kept / 1e6:.1f} MB")


def _one_at_a_time(folder: Path) -> float:
    """Seconds that a prompt takes in a plain loop."""
    import torch
    import transformers

    loaded = LanguageModel(find_model(folder))
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = torch.tensor([loaded.tokenizer("The woman is [MASK] [MASK].").input_ids])
    times = []
    with torch.no_grad():
        for _ in range(30):
            start = time.perf_counter()
            model(input_ids=ids).logits.log_softmax(-1)
            times.append(time.perf_counter() - start)
    return float(np.median(times))
