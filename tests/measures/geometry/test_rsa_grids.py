"""RSA of every pair of groups with every concept."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from crossroads import Embeddings, StimulusSet, rsa, rsa_grid
from crossroads.errors import DesignError, InputError
from crossroads.stats import benjamini_hochberg, holm


def grid_world() -> tuple[Embeddings, dict[str, list[str]], dict[str, list[str]]]:
    rng = np.random.default_rng(8)
    groups = {name: [f"{name}{i}" for i in range(6)] for name in ("BF", "BM", "WF", "WM")}
    concepts = {name: [f"{name}{i}" for i in range(5)] for name in ("female", "Black")}
    labels = [label for listed in (*groups.values(), *concepts.values()) for label in listed]
    return Embeddings(labels, rng.normal(size=(len(labels), 12))), groups, concepts


def test_a_grid_holds_every_pair_of_groups_with_every_concept() -> None:
    emb, groups, concepts = grid_world()
    options: dict[str, Any] = {"n": 4, "samples": 20, "permutations": 99, "seed": 5}
    result = rsa_grid(emb, groups, concepts, **options)
    assert [test.names for test in result.tests] == [
        (first, second, concept) for concept in concepts for first, second in combinations(groups, 2)
    ]
    single, same = rsa(emb, groups["BF"], groups["WF"], concepts["female"], **options), result.tests[1]
    assert np.array_equal(same.samples1, single.samples1)
    assert (same.pvalue, same.sign_pvalue) == (single.pvalue, single.sign_pvalue)
    assert same.halves == single.halves
    pvalues = [test.crossed.pvalue for test in result.tests if test.crossed and test.crossed.pvalue]
    assert list(result.adjusted["holm"]) == holm(pvalues).tolist()
    assert list(result.adjusted["bh"]) == benjamini_hochberg(pvalues).tolist()


def test_a_grid_takes_iterators_and_sets_with_names_of_their_own() -> None:
    emb, groups, concepts = grid_world()
    plain = rsa_grid(emb, groups, concepts, n=3, samples=5, permutations=9)
    named = {name: StimulusSet(f"names of {name}", tuple(items)) for name, items in groups.items()}
    once = {name: iter(items) for name, items in concepts.items()}
    assert rsa_grid(emb, named, once, n=3, samples=5, permutations=9) == plain


def test_a_grid_of_one_group_or_no_concept_is_refused() -> None:
    emb, groups, concepts = grid_world()
    with pytest.raises(InputError, match=r"1 group\(s\) and 2 concept\(s\)"):
        rsa_grid(emb, {"BF": groups["BF"]}, concepts)
    with pytest.raises(InputError, match=r"4 group\(s\) and 0 concept\(s\)"):
        rsa_grid(emb, groups, {})
    with pytest.raises(DesignError, match="'BF' is one string"):
        rsa_grid(emb, {**groups, "BF": "BF0"}, concepts)
