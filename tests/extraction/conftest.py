"""Small models of many architectures with tokenizers that were really trained, and folders of contexts."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

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
WORDS = (
    "rose",
    "wasp",
    "José",
    "東京",
    "🌹",
    "love",
    "engineer",
    "correspondence",
    "Music",
    "naïve",
    "rosebushes",
)


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
    keys = ("word", "form", "text", "start", "end")
    lines = [
        json.dumps(dict(zip(keys, (w, w, t, s, e), strict=True)), ensure_ascii=False) for w, t, s, e in rows
    ]
    data = "".join(line + "\n" for line in lines).encode()
    listed = list(dict.fromkeys(row[0] for row in rows)) if words is None else list(words)
    manifest = {
        "format": "crossroads-contexts/1",
        "sha256": hashlib.sha256(data).hexdigest(),
        "words": listed,
    }
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
    "bert": {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48},
    "albert": {"hidden_size": 32, "embedding_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4,
               "intermediate_size": 48},
    "distilbert": {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48},
    "roberta": {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48},
    "gpt2": {"n_embd": 32, "n_layer": 3, "n_head": 4},
    "openai-gpt": {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64},
    "llama": {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48,
              "num_key_value_heads": 2},
    "xlnet": {"d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 48},
    "fnet": {"hidden_size": 32, "num_hidden_layers": 3, "intermediate_size": 48},
}  # fmt: skip
ARCHITECTURES = tuple(SIZES)


def _build(kind: str, folder: Path) -> Path:
    import torch
    import transformers

    tokenizer, special = _tokenizer(kind)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **special)
    sizes = dict(SIZES[kind])
    positions = {"gpt2": "n_positions", "openai-gpt": "n_positions"}.get(kind, "max_position_embeddings")
    if kind != "xlnet":  # which counts positions from each token on
        sizes[positions] = 66 if kind == "roberta" else 64
    ids = {name: getattr(fast, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    torch.manual_seed(5)
    config = transformers.AutoConfig.for_model(kind, vocab_size=len(fast), **sizes, **ids)
    model = transformers.AutoModel.from_config(config)
    for parameter in model.parameters():  # larger than the usual start, so that layers and places matter
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def _tokenizer(kind: str) -> tuple[Any, dict[str, str]]:
    """A tokenizer of the kind that the architecture comes with."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    trained: Any
    if kind in ("bert", "distilbert", "albert", "xlnet", "fnet"):
        special = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
        trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        trained.normalizer = normalizers.BertNormalizer(lowercase=kind == "distilbert")
        trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=130, special_tokens=list(special.values()))
        trained.train_from_iterator(SENTENCES, trainer)
        trained.post_processor = processors.BertProcessing(
            ("[SEP]", trained.token_to_id("[SEP]")), ("[CLS]", trained.token_to_id("[CLS]"))
        )
        return trained, special
    if kind in ("roberta", "gpt2"):
        special = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
        if kind == "roberta":  # the padding is number 1 there, and positions are counted from it
            special = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
        trained = Tokenizer(models.BPE())
        trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=330, special_tokens=list(special.values()), initial_alphabet=alphabet
        )
        trained.train_from_iterator(SENTENCES, trainer)
        trained.decoder = decoders.ByteLevel()
        if kind == "roberta":
            trained.post_processor = processors.RobertaProcessing(
                ("</s>", trained.token_to_id("</s>")), ("<s>", trained.token_to_id("<s>")), trim_offsets=True
            )
        else:
            trained.post_processor = processors.ByteLevel(trim_offsets=False)
        return trained, special
    if kind == "openai-gpt":
        special = {"unk_token": "<unk>"}
        trained = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
        trained.normalizer = normalizers.BertNormalizer(lowercase=True)
        trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.BpeTrainer(vocab_size=150, special_tokens=["<unk>"], end_of_word_suffix="</w>")
        trained.train_from_iterator(SENTENCES, trainer)
        return trained, special
    special = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    trained = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    trained.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    bytes_of = [f"<0x{number:02X}>" for number in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[*special.values(), *bytes_of], limit_alphabet=40, show_progress=False
    )
    trained.train_from_iterator([text.replace(" ", "▁") for text in SENTENCES], trainer)
    trained.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)]
    )
    return trained, special


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
def encoder_of() -> Callable[..., Any]:
    """``encoder_of(model, folder, layer=…)``: vectors in the order of the contexts, in this process."""
    from crossroads.corpus import read_contexts
    from crossroads.extraction.embed.choice import resolve
    from crossroads.extraction.embed.encoder import Encoder
    from crossroads.extraction.embed.plan import make_plan

    def encode(model: Path, folder: Path, **options: Any) -> Any:
        import numpy as np

        settings, tokenizer = resolve(model, batch_size=4, unit_tokens=100, device="cpu", **options)
        plan = make_plan(read_contexts(folder), tokenizer, settings)
        encoder = Encoder(settings)
        vectors = np.concatenate([encoder(plan.unit(number)) for number in range(plan.units)])
        return vectors[plan.vector_of]

    return encode
