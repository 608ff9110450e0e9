"""What cannot be probed is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import CrossroadsError, InputError, MissingStimuliError
from crossroads.traits.probe.run import probe

transformers = pytest.importorskip("transformers", reason="extra 'models'")

MakeModel = Callable[[str], Path]
GROUPS = ["woman", "elderly"]
TRAITS = [("powerless", "powerful"), ("cold", "warm"), ("low status", "high status")]
TEMPLATES = ["That {singular} is {trait}.", "{capitalised} are more {trait} than others."]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1, "batch_size": 8}


def test_a_model_without_a_head_or_a_mask_token_is_refused(small_models: Any, tmp_path: Path) -> None:
    folder = small_models.save_language_model("bert", tmp_path / "headless", head=False)
    with pytest.raises(InputError, match="not a language model: its configuration names BertModel"):
        probe(folder, **OPTIONS)
    with pytest.raises(InputError, match="no head for language modelling"):
        probe(folder, asked_as="masked", **OPTIONS)
    fast = small_models.language_tokenizer("bert")
    fast.mask_token = None
    folder = small_models.save_language_model("bert", tmp_path / "maskless", tokenizer=fast)
    with pytest.raises(InputError, match="no mask token"):
        probe(folder, **OPTIONS)


def test_a_model_that_changes_its_logits_afterwards_is_refused(small_models: Any, tmp_path: Path) -> None:
    fast = small_models.language_tokenizer("llama")
    config = transformers.Gemma2Config(
        vocab_size=len(fast), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, intermediate_size=32, final_logit_softcapping=5.0,
    )  # fmt: skip
    transformers.Gemma2ForCausalLM(config).save_pretrained(tmp_path / "capped")
    fast.save_pretrained(tmp_path / "capped")
    with pytest.raises(CrossroadsError, match="not A h \\+ b: it changes its logits"):
        probe(tmp_path / "capped", groups=GROUPS, traits=TRAITS, templates=TEMPLATES, **OPTIONS)


def test_traits_and_groups_outside_the_vocabulary_are_named_or_dropped(
    model_of: MakeModel, tmp_path: Path
) -> None:
    file, traits = tmp_path / "groups.csv", [*TRAITS, ("cold", "добрый")]
    file.write_text("group,singular,plural\nteacher,учитель,учителя\nman,man,men\n", encoding="utf-8")
    asked: dict[str, Any] = {"templates": TEMPLATES, **OPTIONS}
    with pytest.raises(MissingStimuliError, match="'добрый'"):
        probe(model_of("bert"), groups=GROUPS, traits=traits, **asked)
    with pytest.raises(MissingStimuliError, match="group that cannot be asked for: 'teacher'"):
        probe(model_of("bert"), groups=file, traits=TRAITS, **asked)
    logits = probe(model_of("bert"), groups=file, traits=traits, missing="drop", **asked)
    assert logits.groups == ("man",)
    assert [trait.left for trait in logits.traits] == [left for left, _ in TRAITS]
    assert list(logits.provenance.details["dropped_adjectives"]) == ["добрый"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"priors": ("masks",)}, "unknown prior 'masks'"),
        ({"priors": ()}, "no prior"),
        ({"margin": -1.0}, "not a margin"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"asked_as": "mask"}, "unknown kind of language model"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(
    model_of: MakeModel, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        probe(model_of("bert"), **{**OPTIONS, **options})
