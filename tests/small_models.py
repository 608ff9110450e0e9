"""Small random models for tests: they have learnt nothing, but are read and asked like large ones."""

from __future__ import annotations

import importlib
import json
import re
import string
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SIGNS = string.ascii_lowercase + string.digits + ".,-?'&"


def save_bert(folder: Path, words: Iterable[str] = (), *, head: bool = True, layers: int = 1) -> Path:
    """A BERT that knows some words, and spells all others; its weights are large, so that words differ.

    Parameters
    ----------
    folder
        Where to save it; returned.
    words
        Words that are one token.
    head
        Whether it can fill masks, or only gives vectors.
    layers
        Number of blocks.
    """
    torch = pytest.importorskip("torch", reason="extra 'models'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    tokens = tuple(dict.fromkeys([*SPECIAL, *SIGNS, *(f"##{sign}" for sign in SIGNS), *words]))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=16, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=16, initializer_range=0.5,
    )  # fmt: skip
    kind = transformers.BertForMaskedLM if head else transformers.BertModel
    kind(config).save_pretrained(folder)
    names = {f"{token[1:-1].lower()}_token": token for token in SPECIAL}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=_word_pieces(tokens), model_max_length=128, **names
    ).save_pretrained(folder)
    return folder


def _word_pieces(tokens: tuple[str, ...]) -> Any:
    tokenizers = importlib.import_module("tokenizers")
    numbers = {token: at for at, token in enumerate(tokens)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ends = [(name, numbers[name]) for name in ("[SEP]", "[CLS]")]
    made.post_processor = tokenizers.processors.BertProcessing(*ends)
    return made


def study_words() -> list[str]:
    """Every word that stands in a prompt of the ABC study."""
    entries = resources.files("crossroads.core.stimuli") / "catalogue" / "data" / "abc"
    names = ("groups", "traits", "templates")
    texts = [(entries / f"abc-{name}.toml").read_text(encoding="utf-8") for name in names]
    return sorted({word.lower() for text in texts for word in re.findall(r"[A-Za-z]+", text)})


def save_clip(folder: Path) -> Path:
    """A CLIP with single letters as tokens, for images of 32 × 32; returns the folder."""
    torch = pytest.importorskip("torch", reason="extra 'models'")
    pytest.importorskip("PIL", reason="extra 'vision'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    letters = sorted(importlib.import_module("tokenizers").pre_tokenizers.ByteLevel.alphabet())
    signs = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": len(signs) - 2, "eos_token_id": len(signs) - 1, "pad_token_id": len(signs) - 1}
    config = transformers.CLIPConfig(
        text_config={**sizes, **ends, "vocab_size": len(signs), "max_position_embeddings": 77},
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
        projection_dim=12,
    )
    processor = {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": 32},
        "crop_size": {"height": 32, "width": 32},
    }
    folder.mkdir()
    vocabulary = {sign: at for at, sign in enumerate(signs)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    (folder / "preprocessor_config.json").write_text(json.dumps(processor), encoding="utf-8")
    tokenizer = transformers.CLIPTokenizerFast.from_pretrained(folder, model_max_length=77)
    model = transformers.CLIPModel(config)
    torch.manual_seed(5)
    for parameter in model.parameters():  # larger than the usual start, so that layers and places matter
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


SENTENCES = (
    "That woman is powerful. That man is cold. An elderly person is warm and powerful.",
    "Women are more warm than others. Elderly people are more cold than others.",
    "Men are powerless. People are powerful. That person is cold, that person is warm.",
    "Her status is high; his status is low. ___ are more than others.",
    "The old king, without any power at all, was less than his men.",
)
"""What tokenizers are trained on."""
CAUSAL = ("gpt2", "llama")
SIZES: dict[str, dict[str, Any]] = {
    "bert": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48},
    "albert": {"hidden_size": 32, "embedding_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
               "intermediate_size": 48},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
    "roberta": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4},
    "llama": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
              "num_key_value_heads": 2, "tie_word_embeddings": False},
}  # fmt: skip


def language_tokenizer(kind: str) -> Any:
    """A tokenizer of the kind that the architecture comes with, really trained."""
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if kind in ("bert", "distilbert"):
        special = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
        made: Any = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=kind == "distilbert")
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=105, special_tokens=list(special.values()))
    elif kind == "albert":
        special = {"unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "pad": "<pad>", "mask": "[MASK]"}
        made = Tokenizer(models.Unigram())
        made.normalizer = normalizers.Lowercase()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=85, special_tokens=list(special.values()), unk_token="<unk>", show_progress=False
        )
    else:
        special = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet: list[str] = pre_tokenizers.ByteLevel.alphabet()
        if kind == "llama":
            made.pre_tokenizer, alphabet = pre_tokenizers.Metaspace(), []
        trainer = trainers.BpeTrainer(
            vocab_size=330 if alphabet else 90,
            special_tokens=list(special.values()),
            initial_alphabet=alphabet,
            show_progress=False,
        )
        if kind == "roberta":
            special["mask"] = "<mask>"
            made.decoder = decoders.ByteLevel()
    made.train_from_iterator(SENTENCES, trainer)
    if "cls" in special:
        ends = [(special[name], made.token_to_id(special[name])) for name in ("sep", "cls")]
        made.post_processor = processors.BertProcessing(*ends)
    elif kind == "roberta":
        ends = [(special[name], made.token_to_id(special[name])) for name in ("eos", "bos")]
        made.post_processor = processors.RobertaProcessing(ends[0], ends[1], trim_offsets=True)
    elif kind == "llama":
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", made.token_to_id("<s>"))]
        )
    tokens: dict[str, Any] = {f"{name}_token": token for name, token in special.items()}
    if kind == "roberta":
        tokens["mask_token"] = transformers.AddedToken("<mask>", lstrip=True, special=True)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **tokens)


def save_language_model(kind: str, folder: Path, *, head: bool = True, tokenizer: Any = None) -> Path:
    """A masked or causal model, by its type in transformers, with a trained tokenizer.

    Parameters
    ----------
    kind
        One of :data:`SIZES`.
    folder
        Where to save it; returned.
    head
        Whether it can say words, or only gives vectors.
    tokenizer
        Another tokenizer than that of :func:`language_tokenizer`.
    """
    torch = pytest.importorskip("torch", reason="extra 'models'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    fast = tokenizer or language_tokenizer(kind)
    positions = {"gpt2": "n_positions"}.get(kind, "max_position_embeddings")
    ids = {name: getattr(fast, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    torch.manual_seed(5)
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=len(fast), **SIZES[kind], **{positions: 66}, **ids
    )
    auto = transformers.AutoModelForMaskedLM if kind not in CAUSAL else transformers.AutoModelForCausalLM
    model = (auto if head else transformers.AutoModel).from_config(config)
    for parameter in model.parameters():  # larger than the usual start: every bias and layer matters
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def save_elmo(folder: Path, *, seed: int = 3, **lstm: Any) -> Path:
    """An ELMo in the files of AllenNLP; its weights are large, so that words and contexts differ.

    Parameters
    ----------
    folder
        Where to save it; returned.
    seed
        Seed of the weights.
    lstm
        Other options of the LSTM layers.
    """
    h5py = pytest.importorskip("h5py", reason="extra 'elmo'")
    from crossroads.core.models.elmo import expected_shapes, read_options

    folder.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {
        "lstm": {"use_skip_connections": True, "projection_dim": 16, "cell_clip": 3, "proj_clip": 3,
                 "dim": 24, "n_layers": 2, **lstm},
        "char_cnn": {"activation": "relu", "filters": [[1, 4], [2, 8], [3, 6]], "n_highway": 2,
                     "embedding": {"dim": 5}, "n_characters": 262, "max_characters_per_token": 50},
    }  # fmt: skip
    (folder / "options.json").write_text(json.dumps(options), encoding="utf-8")
    rng = np.random.default_rng(seed)
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, shape in expected_shapes(read_options(folder / "options.json")).items():
            file[name] = rng.normal(scale=0.4, size=shape).astype(np.float32)
    return folder
