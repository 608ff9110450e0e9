"""What cannot be probed is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import CrossroadsError, InputError, MissingStimuliError
from crossroads.extraction.probe.run import probe

transformers = pytest.importorskip("transformers", reason="extra 'models'")

MakeModel = Callable[[str], Path]
GROUPS = ["woman", "elderly"]
TRAITS = [("powerless", "powerful"), ("cold", "warm"), ("low status", "high status")]
TEMPLATES = ["That {singular} is {trait}.", "{capitalised} are more {trait} than others."]
OPTIONS: dict[str, Any] = {"device": "cpu", "threads": 1, "batch_size": 8}


def test_a_model_without_a_head_is_refused(small_models: Any, tmp_path: Path) -> None:
    folder = small_models.save_language_model("bert", tmp_path / "headless", head=False)
    with pytest.raises(InputError, match="not a language model: its configuration names BertModel"):
        probe(folder, **OPTIONS)
    with pytest.raises(InputError, match="no head for language modelling"):
        probe(folder, kind="masked", **OPTIONS)


def test_a_masked_model_without_a_mask_token_is_refused(small_models: Any, tmp_path: Path) -> None:
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


def test_a_trait_outside_the_vocabulary_is_named_or_dropped(model_of: MakeModel) -> None:
    traits = [*TRAITS, ("cold", "добрый")]
    asked: dict[str, Any] = {"groups": GROUPS, "traits": traits, "templates": TEMPLATES, **OPTIONS}
    with pytest.raises(MissingStimuliError, match="'добрый'") as caught:
        probe(model_of("bert"), **asked)
    assert list(caught.value.missing) == ["добрый"]
    logits = probe(model_of("bert"), missing="drop", **asked)
    assert "добрый" not in logits.adjectives
    assert [trait.name for trait in logits.traits][-1] == "low status-high status"
    assert list(logits.provenance.details["dropped_adjectives"]) == ["добрый"]


def test_a_group_outside_the_vocabulary_is_named_or_dropped(model_of: MakeModel, tmp_path: Path) -> None:
    file = tmp_path / "groups.csv"
    file.write_text("group,singular,plural\nteacher,учитель,учителя\nman,man,men\n", encoding="utf-8")
    asked: dict[str, Any] = {"groups": file, "traits": TRAITS, "templates": TEMPLATES, **OPTIONS}
    with pytest.raises(MissingStimuliError, match="group that cannot be asked for: 'teacher'"):
        probe(model_of("bert"), **asked)
    assert probe(model_of("bert"), missing="drop", **asked).groups == ("man",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"templates": ["{plural} are people."]}, "no place for the trait"),
        ({"templates": ["People are {trait}."]}, "no place for the group"),
        ({"templates": ["{plural} are {trait} and {trait}."]}, "2 places for the trait"),
        ({"templates": ["{plural} are {traits}."]}, "unknown place in a template 'traits'"),
        ({"templates": ["{plural are {trait}."]}, "cannot be read"),
        ({"templates": ["plurals"]}, "unknown family of templates 'plurals'"),
        ({"groups": ["womxn"]}, "unknown group 'womxn'"),
        ({"groups": ["woman", "woman"]}, "given twice"),
        ({"traits": ["powerless-powerfull"]}, "unknown pair of traits"),
        ({"priors": ("masks",)}, "unknown prior 'masks'"),
        ({"priors": ()}, "no prior"),
        ({"missing": "ignore"}, "unknown way"),
        ({"margin": -1.0}, "not a margin"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"kind": "mask"}, "unknown kind of language model"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(
    model_of: MakeModel, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        probe(model_of("bert"), **{**OPTIONS, **options})
