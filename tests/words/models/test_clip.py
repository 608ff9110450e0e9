"""Words and images in one space: small models made here, compared with transformers itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, InputError
from crossroads.words.models.clip import clip_embeddings, image_labels, image_sets
from crossroads.words.models.settings import is_clip

Image = pytest.importorskip("PIL.Image", reason="extra 'vision'")

WORDS = ["love", "peace", "abuse", "filth", "José", "new york"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six red and six blue pictures with noise, of different shapes."""
    root, rng = tmp_path_factory.mktemp("images"), np.random.default_rng(8)
    for name, colour in (("red", (220, 40, 40)), ("blue", (40, 40, 220))):
        (root / name).mkdir()
        for number in range(6):
            shape = (30 + 9 * number, 50, 3)
            noisy = np.clip(np.array(colour) + rng.normal(0, 30, shape), 0, 255).astype(np.uint8)
            Image.fromarray(noisy).save(root / name / f"{number}.png")
    return root


def unit(rows: Any) -> NDArray[np.float64]:
    rows = np.asarray(rows, float)
    found: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return found


def asked_directly(
    model: Path, texts: list[str], files: list[Path], padding: bool | str = True
) -> tuple[Any, Any]:
    """The unit vectors of texts and images that the model itself compares."""
    import torch
    import transformers

    loaded = transformers.AutoModel.from_pretrained(model).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    processor = transformers.AutoImageProcessor.from_pretrained(model)
    given = tokenizer(texts, padding=padding, return_tensors="pt")
    masked = {"attention_mask": given["attention_mask"]} if padding is True else {}
    pixels = processor(images=[Image.open(file) for file in files], return_tensors="pt")["pixel_values"]
    with torch.inference_mode():
        answer = loaded(input_ids=given["input_ids"], pixel_values=pixels, **masked)
    return answer.text_embeds.numpy(), answer.image_embeds.numpy()


def test_vectors_are_the_projections_that_the_model_compares(tiny_clip: Path, folder: Path) -> None:
    sets = image_sets(folder)
    seen: list[tuple[int, int]] = []
    found = clip_embeddings(tiny_clip, WORDS, sets, batch_size=4, progress=lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (18, 18)
    labels = [label for names in image_labels(sets).values() for label in names]
    assert found.labels == (*WORDS, *labels)
    assert found.dim == 12
    files = [file for some in sets.values() for file in some]
    texts, images = asked_directly(
        tiny_clip, [f"a picture that brings to mind {word}" for word in WORDS], files
    )
    np.testing.assert_allclose(unit(found.vectors[:6]), texts, atol=1e-5)
    np.testing.assert_allclose(unit(found.vectors[6:]), images, atol=1e-5)


def test_what_was_done_is_recorded(tiny_clip: Path, folder: Path) -> None:
    both = clip_embeddings(tiny_clip, WORDS, image_sets(folder), device="cpu")
    found = both.provenance
    assert found.source == "tiny-clip"
    expected = {"prompt": "a picture that brings to mind {word}", "words": 6, "images": 12, "device": "cpu"}
    assert expected.items() <= found.details.items()
    assert len(found.details["images sha256"]) == 64
    json.dumps(found.to_dict())
    alone = clip_embeddings(tiny_clip, images=image_sets(folder), batch_size=1)
    assert "prompt" not in alone.provenance.details
    np.testing.assert_allclose(alone.vectors, both.vectors[6:], atol=1e-5)


def test_the_prompt_may_be_chosen_for_all_or_for_each(tiny_clip: Path) -> None:
    bare = clip_embeddings(tiny_clip, ["love"], prompt="{word}", batch_size=1)
    own = clip_embeddings(tiny_clip, {"love": "{word}", "peace": "a photo of peace"})
    np.testing.assert_allclose(own["love"], bare["love"], atol=1e-5)
    assert not np.allclose(bare["love"], clip_embeddings(tiny_clip, ["love"])["love"], atol=1e-2)


def test_siglip_reads_texts_filled_up_to_its_length(small_models: Any, folder: Path, tmp_path: Path) -> None:
    import torch
    import transformers

    tokenizer = small_models.language_tokenizer("bert")
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = {"vocab_size": len(tokenizer), "max_position_embeddings": 64, "projection_size": 16}
    config = transformers.SiglipConfig(
        text_config={**sizes, **text}, vision_config={**sizes, "image_size": 32, "patch_size": 8}
    )
    torch.manual_seed(6)
    model = transformers.SiglipModel(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    processor = {"image_processor_type": "SiglipImageProcessor", "size": {"height": 32, "width": 32}}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(processor), encoding="utf-8")
    words, files = ["woman", "powerful man"], sorted((folder / "blue").iterdir())
    found = clip_embeddings(tmp_path, words, files, prompt="{word}")
    texts, images = asked_directly(tmp_path, words, files, padding="max_length")
    np.testing.assert_allclose(unit(found.vectors[:2]), texts, atol=1e-5)
    np.testing.assert_allclose(unit(found.vectors[2:]), images, atol=1e-5)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda model, red: clip_embeddings(model, WORDS, {"love": red}), "'love' label a word and an image"),
        (
            lambda model, red: clip_embeddings(model, ["l" + "o" * 80 + "ve"]),
            r"\d+ tokens, and tiny-clip takes 77",
        ),
        (lambda model, red: clip_embeddings(model, images=[]), "there are no images"),
        (lambda model, red: clip_embeddings(model, WORDS, batch_size=0), "batch_size=0"),
    ],
)
def test_what_cannot_be_asked_is_told(
    tiny_clip: Path, folder: Path, ask: Callable[[Path, Path], Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        ask(tiny_clip, folder / "red" / "0.png")


def test_other_models_and_those_without_their_small_files_are_told_plainly(
    tiny_clip: Path, tiny_bert: Path, folder: Path, tmp_path: Path
) -> None:
    assert not is_clip(tiny_bert)
    with pytest.raises(InputError, match="tiny-bert is not a known vision-language model"):
        clip_embeddings(tiny_bert, WORDS)
    copy = tmp_path / "bare"
    shutil.copytree(tiny_clip, copy, ignore=shutil.ignore_patterns("*token*", "vocab*", "preprocessor*"))
    assert is_clip(copy)
    with pytest.raises(FormatError, match="has no tokenizer"):
        clip_embeddings(copy, WORDS)
    with pytest.raises(FormatError, match="the image processor cannot be loaded"):
        clip_embeddings(copy, images=[folder / "red" / "0.png"])


def test_a_model_without_its_projection_is_refused(tiny_clip: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "half"
    shutil.copytree(tiny_clip, copy)
    weights = load_file(copy / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FormatError, match=r"no weights for text_projection\.weight"):
        clip_embeddings(copy, WORDS)
