"""Small models of many architectures with tokenizers that were really trained, and folders of contexts."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests import small_models as saved

pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

Row = tuple[str, str, int, int]
"""Word, text, start and end."""
MakeFolder = Callable[..., Path]
MakeModel = Callable[[str], Path]

SENTENCES = (
    "The rose in the old garden was red and the rosebushes were taller than the wall.",
    "A wasp flew over the table, and another wasp followed it to the window.",
    "José met Anaïs in a naïve little café near the river in Zürich.",
    "She bought 東京 postcards 🌹 and a short-term ticket.",
    "Peace and love, love and peace: nobody said more than that.",
    "the engineer's daughter became an engineer; the nurse's son became a nurse",
    "Unbelievably, extraordinary misunderstandings characterised their correspondence.",
    "Music, science, art and money were what the family talked about at dinner.",
)
WORDS = ("rose", "wasp", "José", "東京", "🌹", "love", "engineer", "correspondence", "naïve", "rosebushes")


def _contexts() -> list[Row]:
    """Every place of every word, also inside other words: tokens may straddle what is asked for."""
    rows: list[Row] = []
    for word in WORDS:
        for text in SENTENCES:
            at = text.find(word)
            while at >= 0:
                rows.append((word, text, at, at + len(word)))
                at = text.find(word, at + 1)
    return rows


@pytest.fixture(scope="session")
def contexts_of_sentences() -> list[Row]:
    return _contexts()


def write_folder(folder: Path, rows: Iterable[Row], words: Iterable[str] | None = None) -> Path:
    rows = list(rows)
    lines = [{"word": w, "form": w, "text": text, "start": s, "end": e} for w, text, s, e in rows]
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    listed = list(dict.fromkeys(row[0] for row in rows)) if words is None else list(words)
    digest = hashlib.sha256(data).hexdigest()
    manifest = {"format": "crossroads-contexts/1", "sha256": digest, "words": listed}
    folder.mkdir(parents=True)
    (folder / "contexts.jsonl").write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """``make_folder(rows, words=None, name="contexts")``: a folder as ``crossroads contexts`` writes it."""

    def make(rows: Iterable[Row], words: Iterable[str] | None = None, name: str = "contexts") -> Path:
        return write_folder(tmp_path / name, rows, words)

    return make


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contexts of :data:`SENTENCES`."""
    return write_folder(tmp_path_factory.mktemp("contexts") / "all", _contexts())


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hundred contexts of six words: enough for many units."""
    rng = random.Random(7)
    vocabulary = sorted({word for text in SENTENCES for word in text.split()})
    rows: list[Row] = []
    for word in ("rose", "wasp", "love", "peace", "art", "money"):
        for _ in range(100):
            left = " ".join(rng.choices(vocabulary, k=rng.randint(1, 9)))
            right = " ".join(rng.choices(vocabulary, k=rng.randint(0, 9)))
            start = len(left) + 1
            rows.append((word, f"{left} {word} {right}".strip(), start, start + len(word)))
    return write_folder(tmp_path_factory.mktemp("many") / "contexts", rows)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> MakeModel:
    """``tiny_model("bert")``: a folder with a small random model and a small trained tokenizer."""
    made: dict[str, Path] = {}
    root = tmp_path_factory.mktemp("models")

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = _build(kind, root / kind)
        return made[kind]

    return make


SIZES: dict[str, dict[str, Any]] = {
    "openai-gpt": {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64},
    "xlnet": {"d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 48},
    "fnet": {"hidden_size": 32, "num_hidden_layers": 3, "intermediate_size": 48,
             "max_position_embeddings": 64},
}  # fmt: skip
"""Architectures beside those of ``small_models.py``; XLNet counts positions from each token on."""


def _build(kind: str, folder: Path) -> Path:
    import torch
    import transformers

    fast = _suffixed() if kind == "openai-gpt" else _trained(kind)
    if kind not in SIZES:
        return saved.save_language_model(kind, folder, head=False, tokenizer=fast)
    ids = {name: getattr(fast, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    torch.manual_seed(5)
    config = transformers.AutoConfig.for_model(kind, vocab_size=len(fast), **SIZES[kind], **ids)
    model = transformers.AutoModel.from_config(config)
    for parameter in model.parameters():  # larger than the usual start, so that layers and places matter
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def _trained(kind: str) -> Any:
    """A tokenizer of the kind that the architecture comes with, or that of BERT, trained anew."""
    of_bytes = kind in ("roberta", "gpt2")
    known = saved.language_tokenizer(kind if of_bytes or kind in ("distilbert", "llama") else "bert")
    return known.train_new_from_iterator(SENTENCES, 330 if of_bytes else 130)


def _suffixed() -> Any:
    """A tokenizer that marks the ends of words, and has no token but that of what it does not know."""
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    made: Any = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.BpeTrainer(vocab_size=150, special_tokens=["<unk>"], end_of_word_suffix="</w>")
    made.train_from_iterator(SENTENCES, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, unk_token="<unk>")


@pytest.fixture(scope="session")
def model_of(small_models: Any, tmp_path_factory: pytest.TempPathFactory) -> MakeModel:
    """``model_of("bert")``: a folder with a small random model, its head, and a trained tokenizer."""
    made: dict[str, Path] = {}
    root = tmp_path_factory.mktemp("language-models")

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = small_models.save_language_model(kind, root / kind)
        return made[kind]

    return make


@pytest.fixture
def word_pieces() -> Callable[[list[str]], Any]:
    """``word_pieces(tokens)``: a tokenizer of these word pieces, after the five special tokens of BERT."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    def make(tokens: list[str]) -> Any:
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        vocabulary = {token: at for at, token in enumerate([*special, *tokens])}
        made: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        names = {f"{token[1:-1].lower()}_token": token for token in special}
        return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **names)

    return make


@pytest.fixture
def encoder_of() -> Callable[..., Any]:
    """``encoder_of(model, folder, layer=…)``: vectors in the order of the contexts, in this process."""
    from crossroads.corpus import read_contexts
    from crossroads.extraction.embed.encoder import Encoder
    from crossroads.extraction.embed.plan import make_plan
    from crossroads.extraction.embed.settings import resolve

    def encode(model: Path, folder: Path, **options: Any) -> Any:
        import numpy as np

        settings, tokenizer = resolve(model, batch_size=4, unit_tokens=100, device="cpu", **options)
        plan = make_plan(read_contexts(folder), tokenizer, settings)
        encoder = Encoder(settings)
        vectors = np.concatenate([encoder(plan.unit(number)) for number in range(plan.units)])
        return vectors[plan.vector_of]

    return encode
