"""The plan: every context once, every sentence once, nothing that depends on who works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.contexts.corpus import read_contexts
from crossroads.contexts.embed.plan import NO_PIECE, TOO_LONG, UNKNOWN, Plan, make_plan, resolve
from crossroads.core.errors import InputError

MakeFolder = Callable[..., Path]


def planned(folder: Path, model: Path, **options: Any) -> tuple[Plan, Any]:
    settings, tokenizer = resolve(model, device="cpu", **options)
    return make_plan(read_contexts(folder), tokenizer, settings), tokenizer


@pytest.fixture
def model(tiny_model: Callable[[str], Path]) -> Path:
    return tiny_model("bert")


def test_units_and_batches_cover_every_sentence_once_and_keep_the_limits(model: Path, many: Path) -> None:
    plan, _ = planned(many, model, unit_tokens=300, batch_size=8, batch_tokens=200)
    lengths = np.diff(plan.bounds)
    assert (np.diff(lengths) >= 0).all()
    units = [plan.unit(number) for number in range(plan.units)]
    assert np.array_equal(np.concatenate([unit.ids for unit in units]), plan.ids)
    assert sum(len(unit.sentence) for unit in units) == len(plan.wanted)
    for unit in units:
        assert unit.batches[0] == 0
        assert unit.batches[-1] == len(unit.lengths)
        for left, right in zip(unit.batches[:-1], unit.batches[1:], strict=True):
            assert 1 <= right - left <= 8
            assert right - left == 1 or unit.lengths[left:right].max() * (right - left) <= 200
    assert plan.units > 10
    assert (plan.tokens[:-1] >= 300).all()


def test_every_context_leads_to_the_tokens_of_its_word(model: Path, many: Path) -> None:
    plan, tokenizer = planned(many, model, unit_tokens=300)
    stored = read_contexts(many)
    rows = [(word, one) for word in stored.words for one in stored.contexts[word]]
    assert len(rows) == len(plan.vector_of) == sum(plan.counts) == 600
    for vector, (word, one) in zip(plan.vector_of.tolist(), rows, strict=True):
        sentence, first, stop = plan.wanted[vector].tolist()
        ids = plan.ids[plan.bounds[sentence] : plan.bounds[sentence + 1]].tolist()
        whole = tokenizer(one.text, verbose=False)["input_ids"]
        assert ids == whole or len(whole) > 64  # longer ones are cut
        assert tokenizer.decode(ids[first:stop]).replace(" ", "").replace("##", "") == word


def test_a_sentence_with_several_words_is_encoded_once(model: Path, make_folder: MakeFolder) -> None:
    text = "The rose and the wasp and the rose"
    rows = [("rose", text, 4, 8), ("rose", text, 30, 34), ("wasp", text, 17, 21), ("rose", text, 4, 8)]
    plan, _ = planned(make_folder(rows), model)
    assert len(plan.bounds) - 1 == 1
    assert plan.counts == (3, 1)
    assert len(plan.wanted) == 3  # the first and the last context are one
    assert plan.vector_of[0] == plan.vector_of[2]


def test_of_a_long_text_a_window_around_the_word_is_kept(model: Path, make_folder: MakeFolder) -> None:
    left, right = "wall " * 200, " river" * 200
    text = f"{left}rose{right}"
    place = ("rose", text, len(left), len(left) + 4)
    plan, tokenizer = planned(make_folder([place]), model)
    assert np.diff(plan.bounds).tolist() == [64]  # the model's longest input
    _, first, stop = plan.wanted[0].tolist()
    assert tokenizer.decode(plan.ids[first:stop]) == "rose"
    assert plan.ids[0] == tokenizer.cls_token_id
    assert plan.ids[-1] == tokenizer.sep_token_id
    assert abs((first - 1) - (63 - stop)) <= 1


def test_what_cannot_be_used_is_counted_by_word_and_reason(
    tiny_model: Callable[[str], Path], make_folder: MakeFolder
) -> None:
    rows = [
        ("rose", "a rose", 2, 6),
        ("nothing", "a \u200b rose", 2, 3),  # removed by the tokenizer
        ("ж", "the ж of a rose", 4, 5),  # not among the letters it has seen
    ]
    plan, _ = planned(make_folder(rows, words=["rose", "absent", "nothing", "ж"]), tiny_model("bert"))
    assert plan.words == ("rose",)
    assert plan.dropped == {"nothing": {NO_PIECE: 1}, "ж": {UNKNOWN: 1}}
    monster = "zx" * 60
    rows = [("rose", "a rose", 2, 6), ("monster", f"a {monster}", 2, 122), ("ж", "the ж", 4, 5)]
    plan, _ = planned(make_folder(rows, name="bytes"), tiny_model("roberta"))
    assert plan.words == ("rose", "ж")  # its two bytes are known
    assert plan.dropped == {"monster": {TOO_LONG: 1}}
    with pytest.raises(InputError, match="none of the 1 contexts can be used"):
        planned(make_folder([("nothing", "a \u200b rose", 2, 3)], name="useless"), tiny_model("bert"))
    with pytest.raises(InputError, match="no context for any of the 2 words"):
        planned(make_folder([], words=["rose", "wasp"], name="empty"), tiny_model("bert"))


@pytest.mark.parametrize(("kind", "sign"), [("bert", "[SEP]"), ("roberta", "</s>"), ("llama", "<s>")])
def test_special_tokens_in_a_text_are_text(
    tiny_model: Callable[[str], Path], make_folder: MakeFolder, kind: str, sign: str
) -> None:
    text = f"the {sign} of a rose"
    start = text.find("rose")
    plan, tokenizer = planned(make_folder([("rose", text, start, start + 4)]), tiny_model(kind))
    around = tokenizer("")["input_ids"].count(tokenizer.convert_tokens_to_ids(sign))
    assert plan.ids.tolist().count(tokenizer.convert_tokens_to_ids(sign)) == around
    _, first, stop = plan.wanted[0].tolist()
    assert tokenizer.decode(plan.ids[first:stop]).strip(" ▁") == "rose"
