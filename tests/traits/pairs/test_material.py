from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossroads.core.errors import CrossroadsError, DesignError, FormatError
from crossroads.core.stimuli import catalog
from crossroads.core.stimuli.grammar import disagreements
from crossroads.traits.pairs.material import abc_identities, excluded_pairs, paired_groups
from tests.fixtures.stimuli import Write

PAIRS = {pair.name: pair for pair in paired_groups()}

# Table A10 of Cao et al. (2022), each group once, and the examples of the text
PRINTED = """\
Jamaican mechanic, gay with a disability, Hispanic unemployed person, female Native American, Democrat
teenager, Deaf mechanic, Black mechanic, Democrat mechanic, male doctor, female Indian person, Latina,
Filipino mechanic, Native American mechanic, teenage Democrat, trans mechanic, female Black person,
unemployed Italian person, female doctor, Irish autistic person, Russian mechanic, unemployed Hispanic
person, Russian unemployed person, Amish mechanic, Republican mechanic, male teenager, Hispanic French
person, Cuban person with a disability, atheist mechanic, Hispanic Irish person, unemployed German person,
female American person, Irish mechanic, Muslim autistic person, Russian autistic person, Japanese autistic
person, trans Republican, German White person, male Buddhist, Irish Deaf person, German Republican, Catholic
teenager, teenage Catholic person, Asian teenager, teenage Asian person, trans Democrat, cis man""".replace(
    "\n", " "
).split(", ")
LEFT_OUT = ("cis non-binary person", "teenage elderly person", "immigrant blind person")


def test_every_printed_pair_is_there_as_printed() -> None:
    assert [name for name in PRINTED if name.strip() not in PAIRS] == []


@pytest.mark.parametrize("name", LEFT_OUT)
def test_every_pair_that_the_paper_leaves_out_is_left_out_for_a_reason(name: str) -> None:
    assert name not in PAIRS
    pair = next(pair for pair in paired_groups(exclude=False) if pair.name == name)
    reason = next(one.reason for one in excluded_pairs() if (one.first, one.second) == pair.components)
    assert f"'{name}'" in reason


def test_the_groups_are_those_of_the_catalogue_in_the_same_domains() -> None:
    groups = catalog().groups("abc-groups")
    domains = {member.name: member.domain for member in abc_identities().members}
    assert domains == {name: groups[name].categories["domain"] for name in groups}
    # the forms of a group alone are those of the catalogue, or its adjective before a person
    for member in abc_identities().members:
        singular = groups[member.name].forms["singular"]
        if member.noun is not None:
            assert member.noun == (singular, groups[member.name].forms["plural"])
        else:
            assert singular == f"{member.adjective} person" or (member.after and member.after[0] in singular)


def test_every_ordered_pair_is_either_said_or_left_out_with_a_reason() -> None:
    left_out = {(one.first, one.second) for one in excluded_pairs()}
    said = {pair.components for pair in PAIRS.values()}
    assert left_out & said == set()
    names = catalog().groups("abc-groups")
    assert left_out | said == {(one, other) for one in names for other in names if one != other}
    assert all(one.reason.endswith(".") for one in excluded_pairs())
    assert {one.kind for one in excluded_pairs()} == {"domain", "pair", "order", "first", "form"}


@pytest.mark.parametrize(
    ("first", "second", "singular", "plural"),
    [
        ("Catholic", "teenager", "Catholic teenager", "Catholic teenagers"),
        ("teenager", "Catholic", "teenage Catholic person", "teenage Catholic people"),
        ("elderly", "working class", "elderly working class person", "elderly working class people"),
        ("doctor", "person with a disability", "doctor with a disability", "doctors with disabilities"),
        ("Hispanic", "man", "Latino", "Latinos"),
        ("Muslim", "gay", "Muslim gay man", "Muslim gay men"),
    ],
)
def test_forms_of_a_pair(first: str, second: str, singular: str, plural: str) -> None:
    pairs = {pair.components: pair for pair in paired_groups(exclude=False)}
    pair = pairs[first, second]
    assert (pair.name, pair.forms["plural"]) == (singular, plural)
    assert pair.forms["capitalised"] == plural[0].upper() + plural[1:]


def test_pairs_within_a_domain_are_kept_only_where_a_rule_says_so() -> None:
    within = {pair.name for pair in PAIRS.values() if pair.domains[0] == pair.domains[1]}
    assert {"cis man", "trans woman", "Jewish atheist", "Irish American person"} <= within
    assert not within & {"male trans person", "American Irish person", "Democrat Republican"}
    assert "wealthy doctor" in within  # no rule is about the whole domain
    assert "wealthy working class person" not in within


def test_no_form_disagrees_with_its_number() -> None:
    assert disagreements(["{capitalised} are {trait}.", "The {singular} is {trait}."], PAIRS.values()) == ()


def test_groups_are_chosen_by_name_in_their_order_and_latina_stands_once_for_both_orders() -> None:
    assert [pair.name for pair in paired_groups(["woman", "Black"])] == ["female Black person", "Black woman"]
    assert [(pair.name, pair.ordered) for pair in paired_groups(["Hispanic", "woman"])] == [("Latina", False)]
    (left_out,) = excluded_pairs(["Hispanic", "woman"])
    assert left_out.reason == "'Latina' has no order and stands for both."


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (["teenagers", "Black"], "did you mean 'teenager'"),
        (["Black", "Black", "woman"], "'Black' is given twice"),
        (["Black"], "a pair needs two groups"),
        (Path("nothing.toml"), "there is no such file"),
    ],
)
def test_groups_that_cannot_be_paired_are_refused(groups: Any, said: str) -> None:
    with pytest.raises(CrossroadsError, match=said):
        paired_groups(groups)


OWN = """\
[person]
noun = ["farmer", "farmers"]
[domains.soil]
sandy = { adjective = "sandy" }
"on a hill" = { after = ["on a hill", "on hills"] }
[domains.crop]
wheat = { adjective = "wheat-growing", noun = ["wheat farmer", "wheat farmers"] }
[[exclude]]
kind = "order"
groups = [["wheat", "sandy"]]
reason = "Awkward."
"""


def test_groups_of_ones_own_are_read_from_a_file(write: Write) -> None:
    file = write("farms.toml", OWN)
    names = [pair.name for pair in paired_groups(file)]
    assert names == ["sandy farmer on a hill", "sandy wheat farmer", "wheat farmer on a hill"]
    everything = [pair.name for pair in paired_groups(str(file), exclude=False)]
    assert everything[2:] == ["wheat-growing sandy farmer", "wheat farmer on a hill"]
    left_out = [(one.kind, one.first) for one in excluded_pairs(file)]
    assert left_out == [("form", "on a hill"), ("form", "on a hill"), ("order", "wheat")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[person]", "[persons]", r"unknown key 'persons'(.|\n)*did you mean 'person'"),
        ('{ adjective = "sandy" }', "{ }", "a group needs an adjective"),
        ('{ adjective = "sandy" }', "3", "expected a table, found int"),
        ('["wheat farmer", "wheat farmers"]', '["wheat farmers", "wheat farmer"]', "reads as plural"),
        ('["wheat farmer", "wheat farmers"]', '"wheat farmer"', "not a pair of forms"),
        ("[domains.crop]\nwheat", "[domains.crop]\nsandy", "also in the domain 'soil'"),
        ('[["wheat", "sandy"]]', '[["wheat", "sand"]]', r"unknown group 'sand'(.|\n)*mean 'sandy'"),
        ('[["wheat", "sandy"]]', '["wheat"]', "'wheat' is not a pair of groups"),
        ('kind = "order"', 'kind = "orders"', r"unknown kind 'orders'(.|\n)*did you mean 'order'"),
        ('reason = "Awkward."', "", "the rule has no reason"),
        ("[[exclude]]", "[exclude]", r"expected \[\[exclude\]\]"),
        (OWN, "", "there are no domains"),
    ],
)
def test_faults_of_a_file_are_named(write: Write, old: str, new: str, message: str) -> None:
    assert old in OWN
    file = write("farms.toml", OWN.replace(old, new))
    with pytest.raises(FormatError, match=message):
        paired_groups(file)


def test_what_is_kept_is_taken_out_of_rules_about_domains_only(write: Write) -> None:
    domain = '[[exclude]]\nkind = "domain"\ndomains = ["soil"]\nreason = "One soil each."\n'
    groups = '[["sandy", "on a hill"], ["wheat", "sandy"]]'
    keep = f'[[keep]]\nkind = "pair"\ngroups = {groups}\nreason = "Both."\n'
    alone = [pair.name for pair in paired_groups(write("a.toml", OWN + domain))]
    kept = [pair.name for pair in paired_groups(write("b.toml", OWN + domain + keep))]
    assert alone == ["sandy wheat farmer", "wheat farmer on a hill"]
    assert kept == ["sandy farmer on a hill", *alone]


def test_two_pairs_of_one_name_are_refused(write: Write) -> None:
    text = """\
    [domains.a]
    x = { adjective = "small", noun = ["big cat", "big cats"] }
    y = { adjective = "small" , noun = ["dog", "dogs"] }
    [domains.b]
    z = { adjective = "wild", noun = ["cat", "cats"] }
    """
    with pytest.raises(DesignError, match="'small cat' stands for x and z and for y and z"):
        paired_groups(write("cats.toml", text))
