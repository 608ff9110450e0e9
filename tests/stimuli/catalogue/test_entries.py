"""The catalogue against the lists as the papers print them and as the released code has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from crossroads.stimuli import Design, catalog

Shared = Callable[[str], Any]
CODES = {
    "AF": "African American females",
    "AM": "African American males",
    "EF": "European American females",
    "EM": "European American males",
    "MF": "Mexican American females",
    "MM": "Mexican American males",
}
SINGLE = {
    "female": "Females",
    "male": "Males",
    "African American": "African Americans",
    "European American": "European Americans",
    "Mexican American": "Mexican Americans",
}


def sorted_lists(design: Design) -> dict[str, list[str]]:
    return {role.upper(): sorted(words) for role, words in design.sets.items()}


@pytest.mark.parametrize("number", range(1, 11))
def test_the_ml_eat_variants_are_as_its_appendix_prints_them(shared: Shared, number: int) -> None:
    printed = re.findall(r"^([ABXY]) \([^)]*\): (.+)$", shared("papers/ml-eat.txt"), re.MULTILINE)
    assert len(printed) == 40
    lists = {role.lower(): words.split(", ") for role, words in printed[4 * number - 4 : 4 * number]}
    design = catalog().design(f"weat{number}", variant="ml-eat")
    assert {role: list(words) for role, words in design.sets.items()} == lists


@pytest.mark.parametrize("name", [f"weat{n}" for n in range(1, 11)])
def test_google_news_variants_are_those_that_give_table_4(shared: Shared, name: str) -> None:
    lists = shared("checks/data/mleat_googlenews_stimuli.json")[name.removeprefix("weat")]
    design = catalog().design(name, variant="google-news")
    assert sorted_lists(design) == {role: sorted(words) for role, words in lists.items()}


@pytest.mark.parametrize("name", [f"c{n}" for n in range(1, 11)] + [f"i{n}" for n in range(1, 5)])
def test_the_released_code_of_ceat_has_our_variant_of_its_lists(shared: Shared, name: str) -> None:
    lists = shared("data/lists/ceat_code_weat_groups.json")[name.upper()]
    design = catalog().design(name, variant="ceat-code")
    assert sorted_lists(design) == {role: sorted(words) for role, words in lists.items()}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_intersectional_tests_are_as_printed(shared: Shared, number: int) -> None:
    printed = shared("data/lists/ceat_paper_stimuli.json")[f"9.{number} CEAT I{number}"]
    design = catalog().design(f"i{number}")
    assert [list(words) for words in design.sets.values()] == [entry["words"] for entry in printed.values()]


def test_c1_to_c10_ask_what_weat1_to_weat10_ask() -> None:
    for number in range(1, 11):
        c, weat = catalog().design(f"c{number}"), catalog().design(f"weat{number}")
        assert c.digest == weat.digest
        assert c.source != weat.source


@pytest.mark.parametrize("code", CODES)
def test_name_groups_are_as_printed_and_as_in_the_code(shared: Shared, code: str) -> None:
    group = catalog().groups("ceat-groups")[code]
    printed = shared("data/lists/ceat_paper_stimuli.json")["9.5 IBD and EIBD"]
    assert list(group.items) == printed[group.label]["words"]
    race, gender = group.categories["race"].split()[0], group.categories["gender"]
    used = shared("data/lists/ceat_code_ibd_lists.json")[f"{race}_{gender}".lower()]
    assert sorted(group.items) == sorted(used)


def test_the_validation_lists_are_as_printed(shared: Shared) -> None:
    printed = shared("data/lists/ceat_paper_stimuli.json")["9.5 IBD and EIBD"]
    lists = catalog().words("ceat-validation")
    labels = {"intersectional": "Intersectional Biases", "emergent": "Emergent Intersectional Biases"}
    ours: dict[str, list[str]] = {"Random (Insects)": list(lists["random"]["random"])}
    for key, label in SINGLE.items():
        ours[f"Biases of {label}"] = list(lists[key]["biases"])
    for code, label in CODES.items():
        title = label.replace("females", "Females").replace(" males", " Males")
        ours |= {f"{text} of {title}": list(lists[code][kind]) for kind, text in labels.items()}
    rated = {label: entry for label, entry in printed.items() if "random_chance_pct" in entry}
    assert ours == {label: entry["words"] for label, entry in rated.items()}
    assert len(ours) == 18
    for label, entry in rated.items():  # the printed chance is the share of the 98 words
        assert round(100 * len(ours[label]) / 98, 1) == entry["random_chance_pct"]


def test_the_98_validation_words_are_those_of_the_code(shared: Shared) -> None:
    words = catalog().words("ceat-validation").all_words
    assert sorted(words) == sorted(shared("data/lists/ceat_code_ibd_lists.json")["paper_lst"])
    assert len(words) == 98


def test_emergent_attributes_are_intersectional_ones() -> None:
    lists = catalog().words("ceat-validation")
    for code in CODES:
        assert set(lists[code]["emergent"]) <= set(lists[code]["intersectional"])


def test_pairs_of_groups_are_made_in_the_order_of_table_3() -> None:
    # Derived by hand: the row "EM/AF, Math/Arts" has the names of the two groups and the targets of WEAT 7.
    design = catalog("em-af-math")
    groups = catalog().groups("ceat-groups")
    weat7 = catalog("weat7")
    assert (design.x, design.y) == (groups["EM"].items, groups["AF"].items)
    assert (design.a, design.b) == (weat7.x, weat7.y)
    assert design.title == "European American males and African American females, math and arts"
    assert catalog("mm-mf-career").a == catalog("weat6").a
    assert catalog("ef-mf-pleasant").b == catalog("weat1").b
    assert catalog("am-mm-science").b == catalog("weat8").y


def test_weat3_keeps_the_original_name_and_records_the_other() -> None:
    assert "Marcellus" in catalog("weat3").words
    assert any("Marcus" in sentence for sentence in catalog("weat3").departures)
    assert "Marcus" in catalog("weat3", variant="ml-eat").words
    assert "Marcellus" not in catalog("weat3", variant="ml-eat").words


def test_histwords_replaces_three_words_of_math_and_arts() -> None:
    before, after = catalog("weat7"), catalog("weat7", variant="histwords")
    assert set(before.words) - set(after.words) == {"symphony", "math", "calculus"}
    assert set(after.words) - set(before.words) == {"music", "mathematics", "calculation"}
    assert (len(after.x), len(after.y or ())) == (8, 8)


def test_a_variant_is_named_and_explained() -> None:
    design = catalog("weat2", variant="google-news")
    assert design.name == "weat2:google-news"
    assert "'axe' and 'banjo' are left out" in design.departures[-1]
    same = catalog("weat1", variant="google-news")
    assert (same.digest, same.departures) == (catalog("weat1").digest, catalog("weat1").departures)


@pytest.mark.parametrize(
    ("sheet", "group1", "group2", "concept"),
    [
        ("black_conc_female_male", "black-female:Female_Names", "black-male:Male_Names", "black"),
        ("female_conc_black_white", "black-female:Black_Names", "white-female:White_Names", "female"),
        ("female_conc_black_sanity", "black-female:Female_Names", "black-male:Male_Names", "female"),
        ("female_conc_white_sanity", "white-female:Female_Names", "white-male:Male_Names", "female"),
    ],
)
def test_rsa_names_and_concepts_are_those_of_the_released_file(
    shared: Shared, sheet: str, group1: str, group2: str, concept: str
) -> None:
    file = shared("data/lists/rsa_items_from_xlsx.json")["Word_Data.xlsx"][sheet]
    names = catalog().groups("rsa-names")
    for pair in (group1, group2):
        name, column = pair.split(":")
        assert list(names[name].items) == file[column]
    words = catalog().words("rsa-concepts")[concept]["concept"]
    assert list(words) == file[f"{concept.title()}_Concept"]
    compared = {(row.group1, row.group2, row.concept) for row in names.comparisons}
    assert (group1.split(":")[0], group2.split(":")[0], concept) in compared


def test_rsa_names_left_out_are_kept_with_a_reason() -> None:
    names = catalog().groups("rsa-names")
    assert {len(group.items) for group in names.values()} == {13}
    assert names["black-female"].omitted == dict.fromkeys(
        ("Diamond", "Precious", "Kenya", "Ebony"), "polysemous"
    )
    assert names["black-male"].omitted["Trevon"] == "not in the corpus"
    for group in names.values():
        assert not set(group.omitted) & set(group.items)


@pytest.mark.parametrize(
    ("sheet", "column", "name", "keywords"),
    [
        ("female_conc_black_white", "Black_Sents", "black-female/race", "Group1_Word"),
        ("female_conc_black_white", "White_Sents", "white-female/race", "Group2_Word"),
        ("female_conc_black_white", "Female_Concept", "female", "Concept_Words"),
        ("black_conc_female_male", "Female_Sents", "black-female/gender", "Group1_Words"),
        ("black_conc_female_male", "Male_Sents", "black-male/gender", "Group2_Words"),
        ("black_conc_female_male", "Black_Concept", "black", "Concept_Words"),
    ],
)
def test_rsa_sentences_are_those_of_the_released_file_but_for_case(
    shared: Shared, sheet: str, column: str, name: str, keywords: str
) -> None:
    file = shared("data/lists/rsa_items_from_xlsx.json")["BERT_Sentence_Data.xlsx"][sheet]
    ours = catalog().sentences("rsa-sentences")[name]
    assert [s.text.casefold() for s in ours] == [text.casefold() for text in file[column]]
    assert {s.keyword.casefold() for s in ours} == set(file[keywords])
    # Case differs in Black and White alone, and in one sentence that the file begins in lower case.
    lowered = [s.text.replace(" Black", " black").replace(" White", " white") for s in ours]
    different = [text for text, theirs in zip(lowered, file[column], strict=True) if text != theirs]
    assert different == (["Females are people."] if name == "female" else [])


def test_rsa_comparisons_name_sets_that_are_there() -> None:
    sentences = catalog().sentences("rsa-sentences")
    for row in sentences.comparisons:
        assert {row.group1, row.group2, row.concept} <= set(sentences)


def test_abc_traits_in_the_spelling_of_the_code_are_those_of_the_code(shared: Shared) -> None:
    code = shared("data/lists/us_stereotypes_code_lists.json")["traits"]
    ours = catalog().traits("abc-traits", variant="code").synonyms
    assert {word: [word, *near] for word, near in ours.items()} == code
    paper = catalog().traits("abc-traits").synonyms
    changed = {word for near in paper.values() for word in near} - {w for near in ours.values() for w in near}
    assert changed == {"atheistic", "avant-garde"}


def test_abc_traits_have_the_keys_of_the_human_data(shared: Shared) -> None:
    human = shared("data/human-abc/Aggregated_scores.json")
    keys = [trait.human_key for trait in catalog().traits("abc-traits")]
    assert all(list(scores) == keys for scores in human.values())


def test_abc_groups_are_those_of_table_3_with_the_forms_of_the_code(shared: Shared) -> None:
    code = shared("data/lists/us_stereotypes_code_lists.json")
    groups = catalog().groups("abc-groups")
    columns = {"singular": "groups_sing", "plural": "groups_plur", "capitalised": "groups_cap_plur"}
    theirs = set(zip(*(code[column] for column in columns.values()), strict=True))
    ours = {tuple(group.forms[form] for form in columns): name for name, group in groups.items()}
    assert len(ours) == 53
    assert {ours[forms] for forms in set(ours) - theirs} == {"Protestant", "Hindu"}
    assert theirs <= set(ours)
    sizes = [len(groups.where(domain=domain)) for domain in groups.categories["domain"]]
    assert sizes == [7, 5, 10, 8, 2, 5, 2, 14]


def test_abc_groups_carry_the_labels_of_the_human_data(shared: Shared) -> None:
    mapping = shared("data/lists/us_human_group_mapping.json")["map"]
    groups = catalog().groups("abc-groups")
    ours = {g.human_label: g.forms["singular"] for g in groups.values() if g.in_human_study}
    assert ours == {label: forms["groups_sing"] for label, forms in mapping.items() if forms}
    assert len(ours) == 25
    assert set(shared("data/human-abc/Aggregated_scores.json")) - set(ours) == {"average people"}


def test_abc_priors_are_those_of_the_code(shared: Shared) -> None:
    code = shared("data/lists/us_stereotypes_code_lists.json")
    prior = catalog().groups("abc-groups").prior
    assert prior is not None
    assert list(prior.forms.values()) == [code[f"prior_g_{form}"] for form in ("sing", "plur", "cap_plur")]


def test_abc_templates_in_the_wording_of_the_code_are_those_of_the_code(shared: Shared) -> None:
    code = shared("data/lists/us_stereotypes_code_lists.json")["tplts"]
    slots = {
        "<sgroup>": "{singular}",
        "<pgroup>": "{plural}",
        "<cpgroup>": "{capitalised}",
        "<mask>": "{trait}",
    }
    theirs: list[list[str]] = []
    for texts in code.values():
        for old, new in slots.items():
            texts = [text.replace(old, new) for text in texts]
        theirs.append(texts)
    ours = catalog().templates("abc-templates", variant="code")
    assert [[t.text for t in family.templates] for family in ours.values()] == theirs


def test_there_are_35_abc_templates_in_eight_families() -> None:
    templates = catalog().templates("abc-templates")
    assert (len(templates), len(set(templates.templates))) == (8, 35)
    assert "more likely to be" in templates["comparative"].templates[0].text


def test_prompts_are_those_of_ml_eat() -> None:
    gpt2, clip = catalog().templates("gpt2-prompts"), catalog().templates("clip-prompts")
    assert gpt2["plain"].templates[0].fill(word="love") == "This is love"
    assert gpt2["article"].templates[0].fill(word="axe") == "This is an axe"
    assert clip["prompt"].templates[0].fill(word="love") == "a picture that brings to mind love"


def test_the_sentences_of_seat_about_he_and_she_come_out_of_their_own_families() -> None:
    # written by hand in the published tests 7 and 8; "Here she is." turns the other templates round
    templates = catalog().templates("seat-templates")
    families = {
        "pronoun": ("he", ["He is here.", "He is there.", "Here he is.", "There he is.", "He is a person."]),
        "object-pronoun": ("her", ["It is her.", "This is her.", "That is her."]),
        "possessive-pronoun": (
            "hers",
            [
                *("This is hers.", "That is hers.", "There is hers.", "Here is hers.", "It is hers."),
                *("Hers is there.", "Hers is here."),
            ],
        ),
    }
    for name, (word, sentences) in families.items():
        assert [one.fill(word=word) for one in templates[name].templates] == sentences
    others = [one for family in templates.families if family.name != "pronoun" for one in family.templates]
    assert not {"Here she is.", "There she is."} & {one.fill(word="she") for one in others}
    assert any("There she is." in departure for departure in templates.about.departures)
