"""Prompts and their tokens: groups in templates, traits in context, and material of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import FormatError, InputError
from crossroads.core.stimuli import catalog
from crossroads.traits.probe.material import read_groups, read_templates, read_traits, selected_material
from crossroads.traits.probe.prompts import Row, chosen_templates, fill, prior_rows
from crossroads.traits.probe.tokens import JOINED, NOTHING, UNKNOWN, Split, find_marks, split_in_context

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return to


def named(name: str) -> Row:
    return Row(name=name, forms={"singular": "woman", "plural": "women", "capitalised": "Women"})


# Sentences


def test_a_masked_model_sees_the_sentence_and_a_causal_one_its_beginning() -> None:
    row = named("woman")
    template = "{capitalised} are more likely to be {trait} than others."
    assert fill(template, row, causal=False) == ("Women are more likely to be ", " than others.")
    assert fill(template, row, causal=True) == ("Women are more likely to be ", "")
    assert fill("{plural} are {trait}.", row, causal=True)[0] == "Women are "  # a sentence has a capital


def test_every_template_of_the_study_is_used_or_left_out_with_a_reason() -> None:
    texts = [template.text for template in catalog().templates("abc-templates").templates]
    assert chosen_templates(texts, causal=False).templates == tuple(texts)
    sheet = chosen_templates(texts, causal=True)
    assert list(sheet.left_out) == ["The {trait} people are {plural}."]
    assert sheet.cut == ("{capitalised} are more likely to be {trait} than others.",)
    assert {*sheet.templates, *sheet.left_out} == set(texts)
    with pytest.raises(InputError, match="none of the 1 templates"):
        chosen_templates(list(sheet.left_out), causal=True)


def test_priors_are_a_mask_a_blank_or_a_noun() -> None:
    mask, noun = prior_rows(("mask", "noun"), None, "[MASK]")
    assert set(mask.forms.values()) == {"[MASK]"}
    assert dict(noun.forms) == {"singular": "person", "plural": "people", "capitalised": "People"}
    (blank,) = prior_rows(("mask",), None, None)
    assert set(blank.forms.values()) == {"___"}


# Tokens


def only(found: Any) -> Any:
    (one,) = found
    return one


def test_a_trait_has_the_pieces_it_has_in_its_sentence(word_pieces: Callable[[list[str]], Any]) -> None:
    tokenizer = word_pieces(["she", "is", "cold", "##ish", ".", "low", "status", "-"])
    split = only(split_in_context(tokenizer, [("cold she is ", "coldish", ".")]))
    assert isinstance(split, Split)
    names = tokenizer.convert_ids_to_tokens
    assert names(split.before) == ["[CLS]", "cold", "she", "is"]  # the same word elsewhere is left alone
    assert names(split.pieces) == ["cold", "##ish"]
    assert names(split.after) == [".", "[SEP]"]
    marks = find_marks(tokenizer, len(tokenizer) + 3)  # a model may have more logits than tokens
    assert marks.sign == "##"
    begin = [names([at])[0] for at in np.flatnonzero(marks.initial)]
    assert begin == ["she", "is", "cold", ".", "low", "status", "-"]
    assert [names([at])[0] for at in np.flatnonzero(marks.continuation)] == ["##ish"]
    both = only(split_in_context(tokenizer, [("she is ", "low status", ".")]))
    assert marks.initial[list(both.pieces)].all()


@pytest.mark.parametrize("trim", [True, False], ids=["offsets without the space", "offsets with the space"])
def test_a_space_that_is_a_token_belongs_to_the_word_behind_it(trim: bool) -> None:
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    merges = [("i", "s"), ("Ġ", "is"), ("o", "d"), ("Ġ", "c")]
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *("".join(pair) for pair in merges)]
    made: Any = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.ByteLevel(trim_offsets=trim)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made)
    marks = find_marks(tokenizer, len(tokenizer))
    names = tokenizer.convert_ids_to_tokens
    assert marks.sign == "Ġ"
    alone = only(split_in_context(tokenizer, [("it is ", "odd", ".")]))
    assert names(alone.pieces) == ["Ġ", "od", "d"]  # there is no token Ġod
    assert names(alone.before) == ["i", "t", "Ġis"]
    joined = only(split_in_context(tokenizer, [("it is ", "cod", ".")]))
    assert names(joined.pieces) == ["Ġc", "od"]
    assert marks.initial[[alone.pieces[0], joined.pieces[0]]].all()
    assert not marks.initial[[alone.pieces[1], joined.pieces[1]]].any()


def test_what_cannot_be_asked_for_says_why(word_pieces: Callable[[list[str]], Any]) -> None:
    tokenizer = word_pieces(["is", "cold", "."])
    asked = [("is ", "warm", "."), ("is ", " ", "."), ("is co", "ld", "."), ("is co", "l", "d.")]
    assert list(split_in_context(tokenizer, asked)) == [UNKNOWN, NOTHING, JOINED, JOINED]
    assert only(split_in_context(tokenizer, [("wer ", "cold", ".")])).unknown  # the text around it


def test_tokenizers_that_mark_nothing_count_every_token_as_both() -> None:
    transformers = pytest.importorskip("transformers", reason="extra 'models'")
    from tokenizers import Tokenizer, models, pre_tokenizers

    made: Any = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]")
    marks = find_marks(tokenizer, 3)
    assert marks.sign == ""
    assert marks.initial.tolist() == marks.continuation.tolist() == [False, True, True]


# Material of one's own


def test_files_of_groups_traits_and_templates_are_read(write: Write) -> None:
    toml = write(
        "groups.toml",
        '[prior]\nsingular = "citizen"\nplural = "citizens"\n'
        '[domains.work]\nteacher = { singular = "teacher", plural = "teachers" }\n',
    )
    table = write("groups.csv", "group,singular,plural\nnurse,nurse,nurses\n")
    json = write("traits.json", '{"trait": [{"left": "cold", "right": "warm", "left_synonyms": ["icy"]}]}')
    texts = write("templates.txt", "# own\n{plural} are {trait}.\n\nThe {singular} is {trait}.\n")
    asked = selected_material([toml, str(table), "woman"], json, texts)
    assert [group.name for group in asked.groups] == ["teacher", "nurse", "woman"]
    assert asked.groups[0].categories == {"domain": "work"}
    assert asked.noun == {"singular": "citizen", "plural": "citizens", "capitalised": "Citizens"}
    assert asked.traits[0].left_synonyms == ("icy",)
    assert asked.templates == ("{plural} are {trait}.", "The {singular} is {trait}.")


def test_names_stand_for_material_of_the_study() -> None:
    asked = selected_material(["Asian"], ["poor-wealthy"], ["singular", "Own {plural} are {trait}."])
    assert [group.name for group in asked.groups] == ["Asian"]
    assert asked.traits[0].scale == "Agency"
    assert len(asked.templates) == 4
    everything = selected_material()
    assert everything.groups == catalog().groups("abc-groups").members
    assert everything.traits == catalog().traits("abc-traits").pairs


@pytest.mark.parametrize(
    ("reader", "name", "text", "said"),
    [
        (read_groups, "a.toml", "[groups]\nnurse = 3\n", "expected a table"),
        (read_groups, "a.toml", '[groups]\nnurse = { singular = "nurse" }\n', "there is no plural"),
        (read_groups, "a.toml", "[groups]\n", "there are no groups"),
        (read_groups, "a.toml", "[groups\n", "a.toml"),
        (read_groups, "none.csv", None, "no such file"),
        (read_groups, "a.csv", "name,singular\n", "no column group, singular or plural"),
        (read_groups, "a.csv", "group,singular,plural\nnurse,nurses,nurses\n", "reads as plural"),
        (read_traits, "a.toml", "trait = 3\n", "there are no traits"),
        (read_traits, "a.csv", "left,right\ncold,\n", "no right adjective"),
        (read_traits, "a.json", '{"trait": [', "a.json"),
        (read_templates, "a.toml", "templates = [3]\n", "list of texts"),
        (read_templates, "a.toml", "[families.a]\ntemplate = []\n", r"'template'(.|\n)*mean 'templates'"),
        (read_templates, "a.txt", "{plural} are {trait!r}.", "cannot be read: it has '{trait!r}'"),
        (read_templates, "a.txt", "A {plural} is {trait}.\n", "asks for a singular"),
        (read_groups, "a.csv", "group,singular,plural\na,nurse,nurses\na,cook,cooks\n", "'a' is given twice"),
        (read_groups, "a.toml", '[groups]\n"" = { singular = "cook", plural = "cooks" }\n', "has no name"),
        (read_traits, "a.toml", "[[traits]]\n", r"unknown key 'traits'(.|\n)*did you mean 'trait'"),
        (read_traits, "a.csv", "left,right\ncold,cold\n", "left and right are both 'cold'"),
    ],
)
def test_files_that_cannot_be_read_say_where_and_why(
    write: Write, tmp_path: Path, reader: Callable[[Path], object], name: str, text: str | None, said: str
) -> None:
    if text is not None:
        write(name, text)
    with pytest.raises(FormatError, match=said):
        reader(tmp_path / name)


def test_another_language_is_not_held_to_english_grammar(write: Write) -> None:
    text = '[groups]\nguard = { singular = "guardaespaldas", plural = "guardaespaldas" }\n'
    with pytest.raises(FormatError, match="reads as plural"):
        read_groups(write("a.toml", text))
    groups = write("b.toml", f'language = "es"\n{text}')
    assert read_groups(groups).groups[0].name == "guard"
    assert selected_material(groups, templates=["A {singular} es {trait}."]).groups[0].name == "guard"


def test_templates_of_ones_own_agree_with_the_groups(write: Write) -> None:
    groups = write("g.csv", "group,singular,plural\neng,engineer,engineers\nnurse,nurse,nurses\n")
    text = "A {singular} is {trait}."
    for templates in ([text], write("t.txt", text)):
        with pytest.raises(InputError, match=r"the group 'eng': 'A engineer is .* has the wrong article"):
            selected_material(groups, templates=templates)
    assert text in selected_material(groups).templates  # as published
    assert text in selected_material(groups, templates=["singular"]).templates


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": 3}, "groups is 3"),
        ({"groups": [3]}, "3 is not a group"),
        ({"groups": []}, "there are no groups"),
        ({"groups": ["womxn"]}, "unknown group 'womxn'"),
        ({"groups": ["Asian", "Asian"]}, "the group 'Asian' is given twice"),
        ({"groups": catalog().groups("ceat-groups")}, "'AF' has no singular, plural or capitalised"),
        ({"groups": [named("mask")]}, "a group is named 'mask', as a prior is"),
        ({"traits": [("cold",)]}, "not a pair of traits"),
        ({"traits": []}, "there are no traits"),
        ({"traits": ["powerless-powerfull"]}, "unknown pair of traits"),
        ({"traits": ["cold-warm", ("cold", "warm")]}, "the pair 'cold-warm' is given twice"),
        ({"traits": [("cold", "cold")]}, "both 'cold'"),
        ({"traits": [("cold", "")]}, "lacks an adjective"),
        ({"templates": ["People are nice."]}, "is not a template"),
        ({"templates": ["plurals"]}, "unknown family of templates 'plurals'"),
        ({"templates": ["People are {trait}."]}, "no place for the group"),
        ({"templates": ["{plural} are {trait} and {trait}."]}, "2 places for the trait"),
        ({"templates": ["{plural} are {traits}."]}, "unknown place in a template 'traits'"),
        ({"templates": ["{{trait}} {plural} are {trait}."]}, "cannot be read: it has a brace"),
    ],
)
def test_questions_without_sense_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        selected_material(**given)
