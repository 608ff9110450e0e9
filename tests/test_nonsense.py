"""Options and data that make no sense are refused by every measure, with the value and a hint."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np
import pytest

import crossroads as cr
from crossroads.contexts.measures.battery import ceat_battery
from crossroads.contexts.measures.levels import multilevel_ceat
from crossroads.core.errors import CrossroadsError
from tests.results import WORDS, asked

RNG = np.random.default_rng(0)
CANDIDATES = ["w0", "w1", "w2", "w3"]
EVERY = [*(word for part in WORDS.values() for word in part), *CANDIDATES]
EMB = cr.Embeddings(EVERY, RNG.normal(size=(len(EVERY), 6)))
CONTEXTS = cr.Contexts.from_dict({word: RNG.normal(size=(5, 6)) for word in EVERY})
DESIGN = cr.Design(name="test", **WORDS)  # type: ignore[arg-type]
X, Y, A, B = WORDS.values()
GROUPS = {("B", "f"): X, ("B", "m"): Y, ("W", "f"): A, ("W", "m"): B}
WEFAT = cr.stats.wefat(EMB, GROUPS, CANDIDATES, ("B", "f"))
HUMAN = {f"g{i}": {f"t{j}": float(RNG.uniform(0, 100)) for j in range(5)} for i in range(5)}
MODEL = {group: {trait: float(RNG.normal()) for trait in row} for group, row in HUMAN.items()}
PAIRED = cr.traits.TraitScores.from_table(
    {name: {f"t{j}": float(RNG.normal()) for j in range(5)} for name in ("p", "q", "p q", "q p")}
)
PAIRS = {"p q": ("p", "q"), "q p": ("q", "p")}
LOGITS = asked(EMB.provenance)
SEVERAL = {"against": "first", "level": 0.9}
SECOND = cr.Embeddings(EVERY, RNG.normal(size=(len(EVERY), 6)))


class Call(NamedTuple):
    """A call that works, to be spoiled one argument at a time."""

    function: Callable[..., Any]
    given: tuple[Any, ...]
    options: dict[str, Any]


CALLS = {
    "weat": Call(cr.weat, (EMB, DESIGN), {}),
    "sc_weat": Call(cr.sc_weat, (EMB, CANDIDATES, A, B), {}),
    "sc_weat, no test": Call(cr.sc_weat, (EMB, CANDIDATES, A, B), {"method": "none"}),
    "compare": Call(cr.compare, (EMB, SECOND, DESIGN), {}),
    "compare, several": Call(cr.compare, ({"p": EMB, "q": SECOND}, DESIGN), SEVERAL),
    "mleat": Call(cr.mleat, (EMB, DESIGN), {}),
    "ceat": Call(cr.ceat, (CONTEXTS, DESIGN), {"samples": 5}),
    "multilevel_ceat": Call(multilevel_ceat, (CONTEXTS, DESIGN), {"samples": 5}),
    "group_ceat": Call(cr.traits.group_ceat, (CONTEXTS, {"g": X}, {"t": (A, B)}), {}),
    "wefat": Call(cr.stats.wefat, (EMB, GROUPS, CANDIDATES, ("B", "f")), {}),
    "ibd": Call(cr.ibd, (WEFAT.pairs,), {"threshold": 0.1}),
    "ibd of vectors": Call(cr.ibd, (EMB, GROUPS, ("B", "f"), CANDIDATES), {"threshold": 0.1}),
    "ibd, judged": Call(cr.ibd, (WEFAT.pairs,), {"threshold": "youden", "truth": ["w0"], "resamples": 5}),
    "eibd": Call(cr.stats.eibd, (WEFAT.pairs, WEFAT.constituents), {"threshold": 0.1}),
    "null_threshold": Call(cr.stats.null_threshold, (EMB, GROUPS, CANDIDATES, ("B", "f")), {"draws": 2}),
    "discover": Call(cr.discover, (EMB, GROUPS, ("B", "f")), {"draws": 2}),
    "rsa": Call(cr.rsa, (EMB, X, Y, A), {"n": 2, "samples": 2, "draws": 2}),
    "rsa, several": Call(cr.rsa, (EMB, {"x": X, "y": Y}, {"a": A}), {"n": 2, "draws": 2}),
    "ilps": Call(cr.ilps, (LOGITS,), {}),
    "ilps, star": Call(cr.ilps, (LOGITS,), {"star": True}),
    "set_test": Call(cr.set_test, (LOGITS,), {}),
    "set_distance": Call(cr.stats.set_distance, ([3.0, 1.0], 2.0, 1), {}),
    "align": Call(cr.align, (MODEL, HUMAN), {"draws": 2, "resamples": 2}),
    "influence": Call(cr.stats.influence, (EMB, DESIGN), {}),
    "battery": Call(cr.battery, (EMB, [DESIGN]), {}),
    "ceat_battery": Call(ceat_battery, (CONTEXTS, [DESIGN]), {"samples": 5}),
    "series": Call(cr.series, ({1900: EMB}, DESIGN), {}),
    "holm": Call(cr.stats.holm, ([0.1, 0.2],), {}),
    "benjamini_hochberg": Call(cr.stats.benjamini_hochberg, ([0.1, 0.2],), {}),
    "permutation_test": Call(cr.stats.permutation_test, ([1.0, 2.0], [3.0, 4.0]), {}),
    "order_sensitivity": Call(cr.pairs.order_sensitivity, (PAIRED, PAIRS), {"resamples": 5}),
    "emergent": Call(cr.pairs.emergent, (PAIRED, PAIRS), {"on": "traits", "null": "none"}),
    "compare_traits": Call(cr.traits.compare_traits, (PAIRED, PAIRED), {"draws": 2, "names": ("p", "q")}),
}
NONSENSE: list[Any] = [-1, 7.5, float("nan"), float("-inf"), "zork", b"zork", object()]
ALLOWED = {
    ("threshold", -1), ("threshold", 7.5), ("least_effect", 7.5), ("max_work", 7.5), ("gamma", 7.5),
    ("floor", 7.5), ("score_error", 7.5),
}  # fmt: skip
"""Numbers of the list that some options may have."""
UNCHECKED = {"progress", "measured"}
"""Callbacks, which speak for themselves when they are called, and what an audit hands to itself."""


@pytest.mark.parametrize("name", CALLS)
def test_every_option_refuses_what_makes_no_sense(name: str) -> None:
    function, given, options = CALLS[name]
    function(*given, **options)
    known = [p.name for p in signature(function).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    for option in dict.fromkeys((*known, *options)):
        for value in NONSENSE:
            if option in UNCHECKED or (option, value) in ALLOWED:
                continue
            with pytest.raises(CrossroadsError) as caught:
                function(*given, **{**options, option: value})
            assert caught.value.hint, (option, value)


@pytest.mark.parametrize("name", CALLS)
def test_data_of_the_wrong_kind_is_refused(name: str) -> None:
    function, given, options = CALLS[name]
    for place in range(len(given)):
        for value in ("zork", b"zork", object(), None, float("nan")):
            if name in ("sc_weat", "sc_weat, no test") and place == 1 and value == "zork":
                continue  # one word is one word to test, and not in the vocabulary
            if (name, place, value) in {("order_sensitivity", 1, None), ("emergent", 1, None)}:
                continue  # the pairs of the catalogue
            spoiled = (*given[:place], value, *given[place + 1 :])
            with pytest.raises(CrossroadsError):
                function(*spoiled, **options)
