"""Probes: how much of the time is spent inside the model, and against one prompt at a time.

The model is the small masked one that the tests use; name its folder in ``CROSSROADS_MLM``. Without it a
random BERT of the same size is asked, which takes as long.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Report
from crossroads.extraction.probing import probe
from crossroads.sources.language_models import LanguageModel
from crossroads.sources.model_files import find_model

GROUPS = ["woman", "man", "elderly", "teenager", "Asian", "Black", "immigrant", "doctor"]
TEMPLATES = ["singular", "plural", "comparative"]


def random_bert(folder: Path) -> Path:
    """A BERT with the sizes of MiniLM and whole words of the study as its vocabulary."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    from crossroads.stimuli import catalog

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


def _measure(report: Report, folder: Path) -> None:
    inside, begun = 0.0, 0.0
    original = LanguageModel.ask

    def timed(self: LanguageModel, *arguments: Any) -> Any:
        nonlocal inside
        start = time.perf_counter()
        answer = original(self, *arguments)
        inside += time.perf_counter() - start
        return answer

    def watch(step: Any) -> None:
        nonlocal begun
        if step.stage == "splitting":  # after loading, which is not ours
            begun = time.perf_counter()

    LanguageModel.ask = timed  # type: ignore[method-assign]
    try:
        logits = probe(folder, groups=GROUPS, templates=TEMPLATES, device="cpu", progress=watch)
        total = time.perf_counter() - begun
    finally:
        LanguageModel.ask = original  # type: ignore[method-assign]
    texts = logits.provenance.details["texts"]
    share = inside / total
    report.line("share of the time inside the model", f"{share:.0%}", "≥ 80 %", reached=share >= 0.8)
    report.line("texts a second", f"{texts / total:,.0f}", f"{texts:,} texts")
    one = _one_at_a_time(folder)
    ratio = texts / total * one
    report.line("against one prompt at a time, all its logits", f"{ratio:.1f}× faster")
    kept = logits.heads.nbytes + logits.logit.nbytes
    everything = 4 * logits.vocabulary * logits.slots
    report.line("kept of all logits", f"{kept / everything:.1%}", f"{kept / 1e6:.1f} MB")


def _one_at_a_time(folder: Path) -> float:
    """Seconds that a prompt takes alone, as a plain loop asks."""
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
