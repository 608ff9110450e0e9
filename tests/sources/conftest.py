"""A tiny vocabulary, gensim where it is installed, and small models."""

from __future__ import annotations

import importlib
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Vectors = dict[str, NDArray[np.float32]]


@pytest.fixture
def tiny() -> Vectors:
    """Six words, some of them awkward, with three dimensions each."""
    words = ["rose", "wasp", "café", "Ünal", "new_york", "1994"]
    rng = np.random.default_rng(7)
    return {word: rng.normal(size=3).astype(np.float32) for word in words}


@pytest.fixture(scope="session")
def gensim() -> Any:
    """gensim, an independent writer and reader of most formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module("gensim.models.fasttext")
            return importlib.import_module("gensim")
        except ImportError:
            pytest.skip("gensim is not installed (extra [test])")


TEXTS = (
    "This is a rose, a wasp, an axe and an old rosebush in the garden of José.",
    "a picture that brings to mind love, peace, abuse and filth",
)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random encoder with a tokenizer of word pieces, trained on two sentences."""
    pytest.importorskip("torch", reason="extra 'models'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    tokenizers = importlib.import_module("tokenizers")
    special = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    trained = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    trained.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False)
    trained.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=75, special_tokens=list(special.values()))
    trained.train_from_iterator(TEXTS, trainer)
    ends = [(name, trained.token_to_id(name)) for name in ("[SEP]", "[CLS]")]
    trained.post_processor = tokenizers.processors.BertProcessing(*ends)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=trained, model_max_length=32, **special)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=32,
    )
    return _saved(transformers.BertModel(config), tokenizer, tmp_path_factory.mktemp("bert") / "tiny-bert")


@pytest.fixture(scope="session")
def tiny_gpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random decoder with a tokenizer of bytes, saved as GPT-2 is published: with its head."""
    pytest.importorskip("torch", reason="extra 'models'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    tokenizers = importlib.import_module("tokenizers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    trained.train_from_iterator(TEXTS, trainer)
    end = dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=trained, model_max_length=32, **end)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=32,
        bos_token_id=0,
        eos_token_id=0,
    )
    return _saved(
        transformers.GPT2LMHeadModel(config), tokenizer, tmp_path_factory.mktemp("gpt") / "tiny-gpt"
    )


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random CLIP: single letters as tokens, images of 32 × 32."""
    pytest.importorskip("torch", reason="extra 'models'")
    pytest.importorskip("PIL", reason="extra 'vision'")
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    tokenizers = importlib.import_module("tokenizers")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    signs = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": len(signs) - 2, "eos_token_id": len(signs) - 1, "pad_token_id": len(signs) - 1}
    config = transformers.CLIPConfig(
        text_config={**sizes, **ends, "vocab_size": len(signs), "max_position_embeddings": 77},
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
        projection_dim=12,
    )
    folder = tmp_path_factory.mktemp("clip") / "tiny-clip"
    folder.mkdir()
    vocabulary = {sign: at for at, sign in enumerate(signs)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    processor = {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": 32},
        "crop_size": {"height": 32, "width": 32},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(processor), encoding="utf-8")
    tokenizer = transformers.CLIPTokenizerFast.from_pretrained(folder, model_max_length=77)
    return _saved(transformers.CLIPModel(config), tokenizer, folder)


def _saved(model: Any, tokenizer: Any, folder: Path) -> Path:
    torch = importlib.import_module("torch")
    torch.manual_seed(5)
    for parameter in model.parameters():  # larger than the usual start, so that layers and places matter
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
