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

from crossroads import Design, mleat
from crossroads.errors import FormatError, InputError
from crossroads.sources.models.clip import clip_embeddings, clip_images, clip_texts, is_clip
from crossroads.sources.models.images import image_labels, image_sets

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


def asked_directly(model: Path, texts: list[str], files: list[Path]) -> tuple[Any, Any]:
    """The unit vectors of texts and images that the model itself compares."""
    import torch
    import transformers

    loaded = transformers.AutoModel.from_pretrained(model).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    processor = transformers.AutoImageProcessor.from_pretrained(model)
    given = tokenizer(texts, padding=True, return_tensors="pt")
    pixels = processor(images=[Image.open(file) for file in files], return_tensors="pt")["pixel_values"]
    with torch.inference_mode():
        answer = loaded(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], pixel_values=pixels
        )
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


def test_words_alone_and_images_alone_have_the_same_vectors(tiny_clip: Path, folder: Path) -> None:
    files = sorted((folder / "red").iterdir())
    both = clip_embeddings(tiny_clip, WORDS, files)
    texts, images = clip_texts(tiny_clip, WORDS, batch_size=1), clip_images(tiny_clip, files, batch_size=1)
    assert images.labels == tuple(file.name for file in files)
    np.testing.assert_allclose(np.concatenate([texts.vectors, images.vectors]), both.vectors, atol=1e-5)


def test_what_was_done_is_recorded(tiny_clip: Path, folder: Path) -> None:
    found = clip_embeddings(tiny_clip, WORDS, image_sets(folder), device="cpu").provenance
    assert found.source == "tiny-clip"
    expected = {
        "class": "CLIPModel",
        "kind": "vision-language",
        "features": "projected",
        "prompt": "a picture that brings to mind {word}",
        "words": 6,
        "images": 12,
        "device": "cpu",
    }
    assert expected.items() <= found.details.items()
    assert len(found.details["images sha256"]) == 64
    json.dumps(found.to_dict())
    alone = clip_images(tiny_clip, image_sets(folder)).provenance.details
    assert "prompt" not in alone


def test_the_prompt_may_be_chosen_for_all_or_for_each(tiny_clip: Path) -> None:
    bare = clip_texts(tiny_clip, ["love"], prompt="{word}")
    own = clip_texts(tiny_clip, {"love": "{word}", "peace": "a photo of peace"})
    np.testing.assert_allclose(own["love"], bare["love"], atol=1e-5)
    assert not np.allclose(bare["love"], clip_texts(tiny_clip, ["love"])["love"], atol=1e-2)


@pytest.fixture(scope="module")
def planted(tiny_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP in which red pictures and the letter p have one direction, blue ones and the letter m another.

    All weights are 0 but these: patches are turned into (mean red, mean blue, 0, …), letters into rows of a
    table; in the first block every token gets the mean of all that it sees (queries and keys are 0, so that
    attention is even); both projections keep the first twelve numbers.
    """
    import torch
    import transformers

    model = transformers.CLIPModel.from_pretrained(tiny_clip)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_clip)
    rng = np.random.default_rng(4)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            norm = "norm" in name or "layrnorm" in name
            parameter.fill_(1.0 if norm and name.endswith("weight") else 0.0)
        for tower in (model.text_model, model.vision_model):
            attention = tower.encoder.layers[0].self_attn
            attention.v_proj.weight.copy_(torch.eye(16))
            attention.out_proj.weight.copy_(torch.eye(16))
        patch = model.vision_model.embeddings.patch_embedding.weight
        patch[0, 0], patch[1, 2] = 1 / 64, 1 / 64  # of 8 × 8 pixels
        table = model.text_model.embeddings.token_embedding.weight
        table[tokenizer.convert_tokens_to_ids("p"), 0] = 1.0
        table[tokenizer.convert_tokens_to_ids("m"), 1] = 1.0
        for vowel in "aeio":  # so that no two words are the same
            row = torch.from_numpy(rng.normal(0, 0.05, 14).astype(np.float32))
            table[tokenizer.convert_tokens_to_ids(f"{vowel}</w>"), 2:] = row
        model.text_projection.weight.copy_(torch.eye(16)[:12])
        model.visual_projection.weight.copy_(torch.eye(16)[:12])
    folder = tmp_path_factory.mktemp("planted") / "clip"
    shutil.copytree(tiny_clip, folder)
    model.save_pretrained(folder)
    return folder


def test_a_planted_association_of_images_and_words_is_found(planted: Path, folder: Path) -> None:
    sets = image_sets(folder)
    pleasant, moderate = [f"p{vowel}" for vowel in "aeio"], [f"m{vowel}" for vowel in "aeio"]
    found = clip_embeddings(planted, [*pleasant, *moderate], sets, prompt="{word}")
    labels = image_labels(sets)
    design = Design(name="colours", x=labels["red"], y=labels["blue"], a=pleasant, b=moderate)
    result = mleat(found, design)
    # red leans to p and blue to m, each for itself: all 70 divisions of eight words are counted, 1/70 < .05
    assert result.pattern == "AB-Divergent"
    assert result.level1.effect_size > 1.8
    assert result.level1.pvalue == pytest.approx(
        2 / 924
    )  # of C(12, 6) divisions none but its mirror image is as far apart
    assert result.level2["x"].effect_size > 1.5 and result.level2["y"].effect_size < -1.5


@pytest.fixture(scope="module")
def siglip(tiny_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random SigLIP, whose texts are filled up to eight tokens."""
    import tokenizers
    import torch
    import transformers

    trained = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"<pad>": 0, "</s>": 1, "<unk>": 2, "love": 3, "peace": 4})
    )
    trained.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trained.post_processor = tokenizers.processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained, unk_token="<unk>", pad_token="<pad>", eos_token="</s>", model_max_length=8
    )
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.SiglipConfig(
        text_config={**sizes, "vocab_size": 5, "max_position_embeddings": 8, "projection_size": 16},
        vision_config={**sizes, "image_size": 32, "patch_size": 8},
    )
    folder = tmp_path_factory.mktemp("siglip") / "tiny-siglip"
    folder.mkdir()
    processor = {"image_processor_type": "SiglipImageProcessor", "size": {"height": 32, "width": 32}}
    (folder / "preprocessor_config.json").write_text(json.dumps(processor), encoding="utf-8")
    torch.manual_seed(6)
    model = transformers.SiglipModel(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_siglip_reads_texts_filled_up_to_its_length(siglip: Path, folder: Path) -> None:
    import torch
    import transformers

    files = sorted((folder / "blue").iterdir())
    found = clip_embeddings(siglip, ["love", "peace love"], files, prompt="{word}")
    loaded = transformers.AutoModel.from_pretrained(siglip).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(siglip)
    pixels = processor(images=[Image.open(file) for file in files], return_tensors="pt")["pixel_values"]
    ids = torch.tensor([[3, 1, 0, 0, 0, 0, 0, 0], [4, 3, 1, 0, 0, 0, 0, 0]])
    with torch.inference_mode():
        answer = loaded(input_ids=ids, pixel_values=pixels)
    np.testing.assert_allclose(unit(found.vectors[:2]), answer.text_embeds.numpy(), atol=1e-5)
    np.testing.assert_allclose(unit(found.vectors[2:]), answer.image_embeds.numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda model, red: clip_embeddings(model, WORDS, {"love": red}), "'love' label a word and an image"),
        (
            lambda model, red: clip_texts(model, ["l" + "o" * 80 + "ve"]),
            r"the prompt of 'loo+ve' has \d+ tokens, and tiny-clip takes 77",
        ),
        (lambda model, red: clip_texts(model, []), "there are no words"),
        (lambda model, red: clip_images(model, []), "there are no images"),
        (lambda model, red: clip_texts(model, WORDS, batch_size=0), "batch_size=0"),
    ],
)
def test_what_cannot_be_asked_is_told(
    tiny_clip: Path, folder: Path, ask: Callable[[Path, Path], Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        ask(tiny_clip, folder / "red" / "0.png")


def test_another_kind_of_model_is_refused(tiny_bert: Path) -> None:
    assert not is_clip(tiny_bert)
    with pytest.raises(InputError, match="tiny-bert is not a known vision-language model"):
        clip_texts(tiny_bert, WORDS)


def test_a_damaged_image_is_named(tiny_clip: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "half.png").write_bytes((folder / "red" / "0.png").read_bytes()[:900])
    with pytest.raises(FormatError, match=r"half\.png: the image is damaged"):
        clip_images(tiny_clip, [folder / "red" / "1.png", tmp_path / "half.png"])


def test_a_model_without_its_small_files_is_told_plainly(
    tiny_clip: Path, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "bare"
    shutil.copytree(tiny_clip, copy, ignore=shutil.ignore_patterns("*token*", "vocab*", "preprocessor*"))
    assert is_clip(copy)
    with pytest.raises(FormatError, match="has no tokenizer"):
        clip_texts(copy, WORDS)
    with pytest.raises(FormatError, match="the image processor cannot be loaded"):
        clip_images(copy, [folder / "red" / "0.png"])


def test_a_model_without_its_projection_is_refused(tiny_clip: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "half"
    shutil.copytree(tiny_clip, copy)
    weights = load_file(copy / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FormatError, match=r"no weights for text_projection\.weight"):
        clip_texts(copy, WORDS)


def test_a_folder_is_known_by_its_configuration(tiny_clip: Path, siglip: Path, tmp_path: Path) -> None:
    assert is_clip(tiny_clip) and is_clip(siglip)
    assert not is_clip(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    assert not is_clip(tmp_path)
