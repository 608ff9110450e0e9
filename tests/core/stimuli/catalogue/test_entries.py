"""The catalogue against the lists as the papers print them and as the released code has them."""

from __future__ import annotations

from collections import Counter

import pytest

from crossroads.core.stimuli import Design, Traits, catalog
from tests.fixtures.stimuli import Reference

CODES = {
    "AF": "African American women",
    "AM": "African American men",
    "EF": "European American women",
    "EM": "European American men",
    "MF": "Mexican American women",
    "MM": "Mexican American men",
}
SINGLE = ("female", "male", "African American", "European American", "Mexican American")
WEAT = [f"weat{n}" for n in range(1, 11)]


def sorted_lists(design: Design) -> dict[str, list[str]]:
    return {role.upper(): sorted(words) for role, words in design.sets.items()}


def test_the_variants_of_ml_eat_are_printed_in_its_appendix_or_give_its_table_4(reference: Reference) -> None:
    lists = reference("mleat_words.json")
    for name in WEAT:
        printed = catalog().design(name, variant="ml-eat")
        assert {role.upper(): list(words) for role, words in printed.sets.items()} == lists["printed"][name]
        news = {role: sorted(words) for role, words in lists["google-news"][name].items()}
        assert sorted_lists(catalog().design(name, variant="google-news")) == news


def test_the_released_code_of_ceat_has_our_variant_of_its_lists(reference: Reference) -> None:
    for name, lists in reference("ceat_code_words.json")["tests"].items():
        design = catalog().design(name.lower(), variant="ceat-code")
        assert sorted_lists(design) == {role: sorted(words) for role, words in lists.items()}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_intersectional_tests_are_as_printed(reference: Reference, number: int) -> None:
    printed = reference("ceat_printed_words.json")[f"9.{number} CEAT I{number}"]
    design = catalog().design(f"i{number}")
    assert [list(words) for words in design.sets.values()] == [entry["words"] for entry in printed.values()]


def test_c1_to_c10_ask_what_weat1_to_weat10_ask() -> None:
    for name in WEAT:
        c, weat = catalog().design(name.replace("weat", "c")), catalog().design(name)
        assert c.digest == weat.digest
        assert c.source != weat.source


def test_name_groups_are_as_printed_and_as_in_the_code(reference: Reference) -> None:
    printed = reference("ceat_printed_words.json")["9.5 IBD and EIBD"]
    used = reference("ceat_code_words.json")["ibd"]
    groups = catalog().groups("ceat-groups")
    assert {code: group.label for code, group in groups.items()} == CODES
    for group in groups.values():
        label = group.label.replace("women", "females").replace(" men", " males")  # as the paper says it
        assert list(group.items) == printed[label]["words"]
        race, gender = group.categories["race"].split()[0], group.categories["gender"]
        assert sorted(group.items) == sorted(used[f"{race}_{gender}".lower()])


def test_the_validation_lists_are_as_printed(reference: Reference) -> None:
    printed = reference("ceat_printed_words.json")["9.5 IBD and EIBD"]
    lists = catalog().words("ceat-validation")
    labels = {"intersectional": "Intersectional Biases", "emergent": "Emergent Intersectional Biases"}
    ours: dict[str, list[str]] = {"Random (Insects)": list(lists["random"]["random"])}
    for key in SINGLE:
        ours[f"Biases of {key[0].upper()}{key[1:]}s"] = list(lists[key]["biases"])
    for code, label in CODES.items():
        title = label.replace("women", "Females").replace(" men", " Males")
        ours |= {f"{text} of {title}": list(lists[code][kind]) for kind, text in labels.items()}
        assert set(lists[code]["emergent"]) <= set(lists[code]["intersectional"])
    rated = {label: entry for label, entry in printed.items() if "random_chance_pct" in entry}
    assert ours == {label: entry["words"] for label, entry in rated.items()}
    words = lists.all_words
    for label, entry in rated.items():  # the printed chance is the share of all words
        assert round(100 * len(ours[label]) / len(words), 1) == entry["random_chance_pct"]
    assert sorted(words) == sorted(reference("ceat_code_words.json")["ibd"]["paper_lst"])


def test_pairs_of_groups_are_made_in_the_order_of_table_3() -> None:
    # Derived by hand: the row "EM/AF, Math/Arts" has the names of the two groups and the targets of WEAT 7.
    design = catalog("em-af-math")
    groups = catalog().groups("ceat-groups")
    weat7 = catalog("weat7")
    assert (design.x, design.y) == (groups["EM"].items, groups["AF"].items)
    assert (design.a, design.b) == (weat7.x, weat7.y)
    assert catalog("mm-mf-career").a == catalog("weat6").a
    assert catalog("ef-mf-pleasant").b == catalog("weat1").b
    assert catalog("am-mm-science").b == catalog("weat8").y


def test_variants_differ_in_the_words_that_they_name_and_are_explained() -> None:
    assert "Marcellus" in catalog("weat3").words
    assert any("Marcus" in sentence for sentence in catalog("weat3").departures)
    assert "Marcus" in catalog("weat3", variant="ml-eat").words
    before, after = catalog("weat7"), catalog("weat7", variant="histwords")
    assert set(before.words) - set(after.words) == {"symphony", "math", "calculus"}
    assert set(after.words) - set(before.words) == {"music", "mathematics", "calculation"}
    assert "'axe' and 'banjo' are left out" in catalog("weat2", variant="google-news").departures[-1]
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
    reference: Reference, sheet: str, group1: str, group2: str, concept: str
) -> None:
    file = reference("rsa_items.json")["Word_Data.xlsx"][sheet]
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
    polysemous = dict.fromkeys(("Diamond", "Precious", "Kenya", "Ebony"), "polysemous")
    assert names["black-female"].omitted == polysemous
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
    reference: Reference, sheet: str, column: str, name: str, keywords: str
) -> None:
    file = reference("rsa_items.json")["BERT_Sentence_Data.xlsx"][sheet]
    ours = catalog().sentences("rsa-sentences")[name]
    assert [s.text.casefold() for s in ours] == [text.casefold() for text in file[column]]
    assert {s.keyword.casefold() for s in ours} == set(file[keywords])
    assert all(s.text[slice(*s.span)].casefold() == s.keyword.casefold() for s in ours)
    # Case differs in Black and White alone, and in one sentence that the file begins in lower case.
    lowered = [s.text.replace(" Black", " black").replace(" White", " white") for s in ours]
    different = [text for text, theirs in zip(lowered, file[column], strict=True) if text != theirs]
    assert different == (["Females are people."] if name == "female" else [])


def _synonyms(traits: Traits) -> dict[str, tuple[str, ...]]:
    ends = [{pair.left: pair.left_synonyms, pair.right: pair.right_synonyms} for pair in traits]
    return {word: near for pair in ends for word, near in pair.items()}


def test_abc_traits_in_the_spelling_of_the_code_are_those_of_the_code(reference: Reference) -> None:
    ours, paper = (_synonyms(catalog().traits("abc-traits", variant=one)) for one in ("code", None))
    theirs = reference("cao_code_lists.json")["traits"]
    assert {word: [word, *near] for word, near in ours.items()} == theirs
    changed = {word for near in paper.values() for word in near} - {w for near in ours.values() for w in near}
    assert changed == {"atheistic", "avant-garde"}


def test_abc_groups_are_those_of_table_3_with_the_forms_and_priors_of_the_code(reference: Reference) -> None:
    code = reference("cao_code_lists.json")
    groups = catalog().groups("abc-groups")
    columns = {"singular": "groups_sing", "plural": "groups_plur", "capitalised": "groups_cap_plur"}
    theirs = set(zip(*(code[column] for column in columns.values()), strict=True))
    ours = {tuple(group.forms[form] for form in columns): name for name, group in groups.items()}
    assert {ours[forms] for forms in set(ours) - theirs} == {"Protestant", "Hindu"}
    assert theirs <= set(ours)
    # as many groups in each domain as Table 3 prints
    sizes = Counter(group.categories["domain"] for group in groups.values())
    assert list(sizes.values()) == [7, 5, 10, 8, 2, 5, 2, 14]
    assert groups.prior is not None
    priors = [code[f"prior_g_{form}"] for form in ("sing", "plur", "cap_plur")]
    assert list(groups.prior.forms.values()) == priors


def test_abc_groups_and_traits_have_the_names_of_the_human_data(reference: Reference) -> None:
    human = reference("cao_human_study.json")
    assert [trait.human_key for trait in catalog().traits("abc-traits")] == human["traits"]
    groups = catalog().groups("abc-groups")
    ours = {g.human_label: g.forms["singular"] for g in groups.values() if g.human_label}
    assert {**ours, "average people": None} == human["groups"]


def test_abc_templates_in_the_wording_of_the_code_are_those_of_the_code(reference: Reference) -> None:
    forms = {"sgroup": "singular", "pgroup": "plural", "cpgroup": "capitalised", "mask": "trait"}
    theirs: list[list[str]] = []
    for texts in reference("cao_code_lists.json")["tplts"].values():
        for old, new in forms.items():
            texts = [text.replace(f"<{old}>", f"{{{new}}}") for text in texts]
        theirs.append(texts)
    ours = catalog().templates("abc-templates", variant="code")
    assert [[t.text for t in family.templates] for family in ours.values()] == theirs
    paper = catalog().templates("abc-templates")
    assert list(paper) == list(ours)
    assert len(set(paper.templates)) == len(set(ours.templates)) == 35  # as the paper says
    assert "more likely to be" in paper["comparative"].templates[0].text


def test_prompts_are_those_of_ml_eat() -> None:
    gpt2, clip = catalog().templates("gpt2-prompts"), catalog().templates("clip-prompts")
    assert gpt2["plain"].templates[0].fill(word="love") == "This is love"
    assert gpt2["article"].templates[0].fill(word="axe") == "This is an axe"
    assert clip["prompt"].templates[0].fill(word="love") == "a picture that brings to mind love"


def test_the_sentences_of_seat_about_he_and_she_come_out_of_their_own_families() -> None:
    # written by hand in the published tests 7 and 8; "Here she is." turns the other templates round
    templates = catalog().templates("seat-templates")
    hers = [f"{one} is hers." for one in ("This", "That", "There", "Here", "It")]
    families = {
        "pronoun": ("he", ["He is here.", "He is there.", "Here he is.", "There he is.", "He is a person."]),
        "object-pronoun": ("her", ["It is her.", "This is her.", "That is her."]),
        "possessive-pronoun": ("hers", [*hers, "Hers is there.", "Hers is here."]),
    }
    for name, (word, sentences) in families.items():
        assert [one.fill(word=word) for one in templates[name].templates] == sentences
    others = [one for family in templates.families if family.name != "pronoun" for one in family.templates]
    assert not {"Here she is.", "There she is."} & {one.fill(word="she") for one in others}
    assert any("There she is." in departure for departure in templates.about.departures)
