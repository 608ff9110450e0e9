"""Every seeded draw of the measures gives the numbers that it gave: a change of its stream is noticed."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads as cr
import crossroads.core.inference
from crossroads.comparison.models import Attributes
from crossroads.core.inference.detection import area_interval
from crossroads.core.inference.permutation.test import permutation_test
from crossroads.core.results import read_only
from crossroads.core.stimuli import catalog
from crossroads.sentences.flips import flipped_mean
from crossroads.traits.measures.compare import compare_traits
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.emergent import emergent
from crossroads.traits.pairs.material import paired_groups
from crossroads.traits.pairs.order import order_sensitivity
from crossroads.traits.pairs.truth import against
from crossroads.traits.people.alignment import align
from crossroads.traits.people.evidence import Judgements
from tests.core.inference.permutation.tables import permutation_rows

SEED = 3


def noise(name: str, *shape: int) -> NDArray[np.float64]:
    """Numbers between -1 and 1 that no version of numpy changes."""
    count = int(np.prod(shape))
    blocks = (hashlib.sha256(f"{name} {block}".encode()).digest() for block in range(-(-count // 8)))
    whole = np.frombuffer(b"".join(blocks), dtype="<u4")[:count]
    return (whole / 2**31 - 1).reshape(shape)


X, Y, A, B = (tuple(f"{name}{i}" for i in range(8)) for name in "xyab")
DESIGN = cr.Design(name="toy", x=X, y=Y, a=A, b=B)
TILT = {"x": 0.25, "a": 0.25, "y": -0.25, "b": -0.25}


def placed(word: str) -> NDArray[np.float64]:
    """A vector that leans a little towards those of its side."""
    return noise(word, 12) + TILT[word[0]]


def vectors(more: str = "") -> cr.Embeddings:
    return cr.Embeddings.from_dict(
        {word: placed(word) + 0.4 * noise(word + more, 12) for word in DESIGN.words}
    )


def contexts(more: str = "") -> cr.Contexts:
    return cr.Contexts.from_dict(
        {
            word: placed(word) + noise(f"{word} contexts{more}", 3 + i % 4, 12)
            for i, word in enumerate(DESIGN.words)
        }
    )


NAMES = {(f"r{i}", f"g{j}"): [f"r{i}g{j}n{k}" for k in range(5)] for i, j in product(range(3), range(2))}
CANDIDATES = [f"w{k}" for k in range(30)]


def people() -> cr.Embeddings:
    """Names of six groups, and words that may be about them."""
    labels = [name for names in NAMES.values() for name in names] + CANDIDATES
    return cr.Embeddings(labels, noise("people", len(labels), 10))


def table(groups: tuple[str, ...], values: Any, **more: Any) -> TraitScores:
    traits = tuple(f"t{i}" for i in range(values.shape[1]))
    return TraitScores(measure="toy", groups=groups, traits=traits, scores=read_only(values), **more)


def paired() -> TraitScores:
    """Scores of eight groups and of their pairs."""
    groups = ["teenager", "elderly", "Black", "White", "Asian", "Catholic", "Muslim", "Jewish"]
    own = {name: noise(name, 10) for name in groups}
    for pair in paired_groups(groups):
        own[pair.name] = own[pair.first] + 0.5 * own[pair.second] + 0.8 * noise(pair.name, 10)
    return table(tuple(own), np.array(list(own.values())))


def scored(name: str) -> TraitScores:
    """Scores of six groups on five traits, most of it shared by all names."""
    return table(tuple(f"g{i}" for i in range(6)), noise("truth", 6, 5) + 0.7 * noise(name, 6, 5))


def aligned(seed: int) -> list[float]:
    traits = tuple(pair.name for pair in catalog().traits("abc-traits"))[:6]
    groups = tuple(catalog().groups("abc-groups"))[:5]
    truth = 50 + 40 * noise("judged", 5, 6)
    ratings = np.clip(truth + 30 * noise("ratings", 9, 5, 6), 0, 100)
    human = Judgements(
        groups=groups, traits=traits, annotators=tuple(f"p{i}" for i in range(9)), ratings=ratings
    )
    rows = truth + 25 * noise("model", 5, 6)
    model = {g: dict(zip(traits, row, strict=True)) for g, row in zip(groups, rows.tolist(), strict=True)}
    found = align(model, human, draws=99, resamples=100, splits=20, seed=seed)
    assert found.interval is not None
    assert found.annotator_interval is not None
    assert found.noise is not None
    exchanged = [one.expected_tau for one in found.exchanges.values()]
    return [*found.interval, *found.annotator_interval, *exchanged, found.noise.split_half]


def truth_of_emergent(seed: int) -> list[float]:
    groups = [f"g{i}" for i in range(6)]
    own = {name: noise(f"own {name}", 12) for name in groups}
    pairs = {f"{a} {b}": (a, b) for a in groups for b in groups if a != b}
    rows = own | {name: (own[a] + own[b]) / 2 + noise(name, 12) for name, (a, b) in pairs.items()}
    traits = tuple(f"t{i}" for i in range(12))
    values = np.array(list(rows.values()))
    scores = table(tuple(rows), values, adjectives=traits, adjective_scores=read_only(values))
    truth: dict[str | tuple[str, str], tuple[str, ...]] = {
        name: traits[i % 5 : i % 5 + 4] for i, name in enumerate(pairs)
    }
    found = [
        against(emergent(scores, pairs), truth, exchange=exchange, draws=199, seed=seed)
        for exchange in ("traits", "pairs")
    ]
    return [value for one in found for value in (one.pvalue, one.chance_recall)]


def pooled(samples: Iterable[float]) -> list[float]:
    """Mean and last value of what was drawn."""
    values = list(samples)
    return [float(np.mean(values)), float(values[-1])]


def flipped(seed: int) -> list[float]:
    found = flipped_mean(noise("flips", 40) + 0.3, np.arange(40) % 20, draws=199, seed=seed)
    return [found.low or 0.0, found.high or 0.0, found.pvalue]


def compared(seed: int) -> list[float]:
    models = {"p": vectors(), "q": vectors("q")}
    return [test.pvalue for test in cr.compare(models, DESIGN, **DRAWN, seed=seed).tests]


def detected(kind: str, seed: int) -> list[float]:
    """Areas under the curve of scores of words on pairs of groups, and on their constituents."""
    words = [f"w{i}" for i in range(24)]
    pairs = {f"pair {j}": dict(zip(words, noise(f"p{j}", 24).tolist(), strict=True)) for j in range(3)}
    alone = {f"group {j}": dict(zip(words, noise(f"q{j}", 24).tolist(), strict=True)) for j in range(2)}
    options: dict[str, Any] = {"threshold": -0.2, "truth": words[:9], "resamples": 200, "seed": seed}
    found = cr.ibd(pairs, **options) if kind == "ibd" else cr.stats.eibd(pairs, alone, **options)
    return list(found.auc_interval or ())


def pool_of_words() -> cr.Embeddings:
    return cr.Embeddings([f"w{i}" for i in range(1000)], noise("others", 1000, 12))


def placebos(seed: int) -> list[float]:
    return pooled(
        cr.placebo(vectors().with_pool(pool_of_words()), DESIGN, draws=100, seed=seed).topic_statistics
    )


def group_scores(seed: int) -> list[float]:
    options: dict[str, Any] = {"score": "sampled", "samples": 100, "seed": seed}
    groups, traits = {"g": X[:3], "h": Y[:3]}, {"t": (A[:4], B[:4])}
    return cr.traits.group_ceat(contexts(), groups, traits, **options).scores.ravel().tolist()


def fitted(seed: int) -> list[float]:
    found = cr.rsa(vectors(), X, A, B, n=4, samples=30, draws=99, seed=seed)
    return [*pooled(found.samples1), *pooled(found.samples2), found.pvalue, found.halves or 0.0]


def discovered(seed: int) -> list[float]:
    options: dict[str, Any] = {"words": CANDIDATES, "fdr": 0.9, "draws": 20, "seed": seed}
    return pooled(cr.discover(people(), NAMES, ("r0", "g0"), **options).qvalues)


def exchanged_traits(seed: int) -> list[float]:
    found = compare_traits(scored("m"), scored("n"), draws=99, seed=seed)
    return [*(found.interval or ()), *(one.pvalue for one in found.exchanges.values())]


def ordered(seed: int) -> list[float]:
    highest = order_sensitivity(paired(), resamples=100, seed=seed).highest
    return [highest.low, highest.high]


def explained(seed: int) -> list[float]:
    """What words of like frequency give in place of those of the design."""
    pool = cr.Embeddings(
        ["w" + "".join(p) for p in product("abcdefghijk", repeat=3)], noise("more", 1331, 12)
    )
    counts = {word: 100.0 * (2 + noise(word, 1)[0]) for word in (*DESIGN.words, *pool)}
    found = cr.frequency(vectors().with_pool(pool), DESIGN, frequencies=counts, draws=200, seed=seed)
    return [*found.matched["effect_size"], *found.matched["both_effect_size"]]


DRAWN: dict[str, Any] = {"alternative": "greater", "method": "monte-carlo"}
DRAWS: dict[str, Callable[[int], list[float]]] = {
    "permutation_test": lambda seed: [
        permutation_test(noise("p", 30), noise("q", 30), **DRAWN, resamples=999, seed=seed).pvalue
    ],
    "permutation_rows": lambda seed: permutation_rows(
        noise("rows", 2, 40), 20, **DRAWN, seed=seed
    ).pvalue.tolist(),
    "flipped_mean": flipped,
    "area_interval": lambda seed: [
        *area_interval(noise("up", 9) + 0.3, noise("down", 14), resamples=200, level=0.95, seed=seed)
    ],
    "weat": lambda seed: [cr.weat(vectors(), DESIGN, **DRAWN, seed=seed).pvalue],
    "sc_weat": lambda seed: cr.sc_weat(vectors(), X[:2], A, B, **DRAWN, seed=seed).pvalue.tolist(),
    "mleat": lambda seed: [
        one.pvalue for one in cr.mleat(vectors(), DESIGN, **DRAWN, seed=seed).level2.values()
    ],
    "frequency": explained,
    "placebo": placebos,
    "ordinary": lambda seed: [
        cr.stats.ordinary(vectors().with_pool(pool_of_words()), draws=40, seed=seed).margin
    ],
    "compare": lambda seed: [
        cr.compare(vectors(), vectors("q"), DESIGN, method="monte-carlo", attributes=how, seed=seed).pvalue
        for how in get_args(Attributes)
    ],
    "compare_battery": compared,
    "ceat": lambda seed: pooled(cr.ceat(contexts(), DESIGN, samples=200, seed=seed).sample_effect_sizes),
    "multilevel_ceat": lambda seed: [
        one.effect_size for one in cr.mleat(contexts(), DESIGN, samples=200, seed=seed).level2.values()
    ],
    "ceat_battery": lambda seed: [
        one.effect_size for one in cr.battery(contexts(), DESIGN, samples=200, seed=seed).tests
    ],
    "group_ceat": group_scores,
    "null_threshold": lambda seed: [
        cr.stats.null_threshold(people(), NAMES, CANDIDATES, ("r0", "g0"), draws=50, seed=seed)
    ],
    "discover": discovered,
    "anisotropy": lambda seed: [cr.stats.anisotropy(contexts(), seed=seed).mean_cosine],
    "ibd": lambda seed: detected("ibd", seed),
    "eibd": lambda seed: detected("eibd", seed),
    "rsa": fitted,
    "align": aligned,
    "compare_traits": exchanged_traits,
    "order_sensitivity": ordered,
    "against": truth_of_emergent,
}
EXPECTED: dict[str, list[float]] = {
    "ordinary": [0.259674693],
    "permutation_test": [0.809],
    "permutation_rows": [0.95846, 0.35519],
    "flipped_mean": [-0.012605590, 0.499786980, 0.065],
    "area_interval": [0.261904762, 0.754166667],
    "weat": [0.04696],
    "sc_weat": [0.02132, 0.06349],
    "mleat": [0.00787, 0.78307],
    "frequency": [-0.761908184, 0.107874264, 1.06388008, -0.945159864, 0.00727865886, 1.02745874],
    "placebo": [0.116059885, -0.295885985],
    "compare": [0.16884, 0.02648],
    "anisotropy": [0.015346606869937041],
    "compare_battery": [0.91565],
    "ceat": [1.16988593, 0.740020907],
    "multilevel_ceat": [1.26106936, -0.705447933],
    "ceat_battery": [1.13908931],
    "group_ceat": [-1.20523378, 0.66279975],
    "null_threshold": [1.30388343],
    "discover": [0.581143251, 0.890909091],
    "ibd": [0.22962963, 0.696666667],
    "eibd": [0.176481481, 0.733703704],
    "rsa": [0.160870201, 0.213289021, 0.124652332, 0.0350176005, 0.68, -0.00499195401],
    "align": [0.504923101, 0.779969545, 0.618850575, 0.709310345, 0.125647277, 0.0822245443, 0.71908046],
    "compare_traits": [0.270812666, 0.818491095, 0.04, 0.02],
    "order_sensitivity": [0.39, 0.560375],
    "against": [0.445, 0.350753769, 0.53, 0.356407035],
}
CHANGED = """
The same seed gives other numbers than before: whoever repeats a published run finds others. If numpy changed
the streams of its generators, say so in the change log; if a measure draws otherwise, find out why. Where
that is meant, begin an entry of CHANGELOG.md with **Changes numbers:** and put the new numbers here."""


@pytest.mark.parametrize("name", DRAWS)
def test_a_seeded_draw_gives_the_numbers_it_gave_and_another_seed_others(name: str) -> None:
    expected = pytest.approx(EXPECTED[name], rel=1e-6, abs=1e-9)
    assert DRAWS[name](SEED) == expected, f"{name}: {CHANGED}"
    assert DRAWS[name](SEED + 1) != expected


# Seeded functions that only hand their seed on to one of the above, or draw what those publish.
PARTS = {
    "ordinary_among": "ordinary",
    "preference": "flipped_mean",
    "sentence_pairs": "flipped_mean",
    "sentence_triples": "flipped_mean",
    "sentence_test": "flipped_mean",
    "chat_test": "permutation_test",
    "chat_association": "permutation_test",
    "corrected": "anisotropy",
    "corrections": "anisotropy",
    "detect": "null_threshold",
    "measured_anisotropy": "anisotropy",
    "placebo_among": "placebo",
    "reference": "anisotropy",
    "compare_divisions": "permutation_test",
    "drawn_targets": "frequency",
    "drawn_tests": "frequency",
    "group_weights": "order_sensitivity",
    "permutation_blocks": "permutation_rows",
    "run_test": "weat",
}


MEASURES = (
    *("core.inference", "core.results", "words.measures", "words.checks", "contexts.measures"),
    *("intersections", "traits.measures", "traits.pairs", "traits.people", "chat", "sentences", "comparison"),
)
"""Where measures are."""


def test_every_seeded_function_is_held_to_its_numbers() -> None:
    seeded = {
        name
        for room in MEASURES
        for module in pkgutil.walk_packages(
            importlib.import_module(f"crossroads.{room}").__path__, f"crossroads.{room}."
        )
        if not module.name.endswith(
            (".audit", ".commands", ".published", ".report", ".report.audits", ".ask", ".prompts")
        )
        for name, one in vars(importlib.import_module(module.name)).items()
        if inspect.isfunction(one) and not name.startswith("_") and one.__module__ == module.name
        if "seed" in inspect.signature(one).parameters
    }
    assert seeded - {"generator", "seed_of"} - set(PARTS) <= set(DRAWS)
    assert set(PARTS.values()) <= set(DRAWS)
