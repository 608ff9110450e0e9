"""One result of every type, for whoever tests what all results share: the library, its files and its page."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads import (
    Contexts,
    Design,
    Embeddings,
    battery,
    ceat,
    checks,
    compare,
    discover,
    frequency,
    ibd,
    meta,
    mleat,
    placebo,
    plan,
    projection,
    rsa,
    sc_weat,
    sentence_test,
    series,
    weat,
)
from crossroads.comparison.battery import compare_battery
from crossroads.core.results import Result
from crossroads.core.results.registration import RegistrationResult
from crossroads.core.subjects import subjects
from crossroads.papers.cells import Cell, Reproduction
from crossroads.sentences.evidence import ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem
from crossroads.sources import Provenance
from crossroads.stats import (
    anisotropy,
    corrections,
    eibd,
    influence,
    ordinary,
    wefat,
)
from crossroads.traits import group_ceat
from crossroads.traits.measures.compare import compare_traits
from crossroads.traits.measures.least_change import set_test
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.measures.templates import choose_templates
from crossroads.traits.pairs.dominance import domain_dominance
from crossroads.traits.pairs.emergent import emergent
from crossroads.traits.pairs.material import paired_groups
from crossroads.traits.pairs.order import order_sensitivity
from crossroads.traits.pairs.truth import against
from crossroads.traits.people.alignment import align
from crossroads.traits.people.alignment_result import AlignmentResult, align_table
from crossroads.traits.people.evidence import Judgements
from crossroads.traits.people.survey import Answers, screen
from crossroads.traits.probe.evidence import Logits

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]
DESIGN = Design(name="Zoë <script>alert(1)</script>", **WORDS)  # type: ignore[arg-type]
GROUPS = {("p", "s"): WORDS["x"], ("p", "t"): WORDS["y"], ("q", "s"): WORDS["b"]}
CHAT = Design(name="<script>chat</script>", **WORDS)  # type: ignore[arg-type]
STRANGE = Design(name="strange", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])


def model(seed: int) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(16, 5))
    vectors[3] = 0
    about = Provenance(source=f"model {seed}", sha256="ab", details={"decade": 1900, "layers": [1, 2]})
    return Embeddings(
        [label.upper() if label == "y0" else label for label in LABELS], vectors, provenance=about
    )


def _chats(about: Provenance) -> dict[str, Callable[[], Result]]:
    """Words that lean to a label, one that is never given, and answers that refuse."""
    from crossroads import chat_test
    from crossroads.chat.evidence import ChatAnswers

    given = [
        "\n".join(f"{word} - {'x' if i % 8 in right else 'y'}{at % 3}" for i, word in enumerate(LABELS[8:15]))
        for at, right in enumerate([(0, 1, 2), (0, 1, 2, 5), (1, 2, 4), (0, 1, 3), (0, 2)])
    ]
    refusal = "I'm sorry, I can't."
    decided = ["a0 - x0; b0 - y0", "a1 - x1; b1 - y0", "a2 - y0; b2 - x0"]
    return {
        "chat_association": lambda: chat_test(ChatAnswers([*given, refusal], provenance=about), CHAT),
        "chat_decision": lambda: chat_test(ChatAnswers(decided, provenance=about), CHAT, task="decision"),
        "chat of refusals": lambda: chat_test(ChatAnswers([refusal], provenance=about), CHAT),
    }


def sentences(kind: Any, about: Provenance, score: Any = "pll") -> SentenceScores:
    """Scores of pairs or triples of two categories; one could not be scored."""
    size, rng = {"pairs": 2, "triples": 3}[kind], np.random.default_rng(4)
    items = [
        SentenceItem(
            sentences=tuple(f"{name} <i>do</i> {i}." for name in ("Women", "Men", "Fish")[:size]),
            category=("<b>gender</b>", "age", "")[i % 3],
            direction="" if kind == "triples" else ("stereo", "antistereo")[i % 2],
            columns={"target": f"t{i % 7}"},
        )
        for i in range(24)
    ]
    totals = (rng.normal(size=(24, size)) + np.array([0.6, 0, -1])[:size]).tolist()
    return SentenceScores(
        name="<script>pairs</script>",
        kind=kind,
        score=score,
        items=tuple(
            ScoredItem(item=item, totals=tuple(map(float, some)), tokens=(3,) * size)
            for item, some in zip(items, totals, strict=True)
        ),
        left_out={"<i>None</i>.": "its sentences share no token"},
        provenance=about,
    )


def others() -> Embeddings:
    """Other words of a model, for placebos."""
    return Embeddings([f"w{i}" for i in range(1100)], np.random.default_rng(3).normal(size=(1100, 5)))


def contexts() -> Contexts:
    rows = {
        w.upper() if w == "y0" else w: np.random.default_rng(1).normal(size=(2, 4)) * (i + 1)
        + i * np.eye(4)[i % 4]
        for i, w in enumerate(LABELS)
        if w != "x3"
    }
    return Contexts.from_dict(rows, provenance=model(1).provenance, fallback="title")


def alignment() -> AlignmentResult:
    rng = np.random.default_rng(1)
    traits = ("<t>", "u", "v", "w")
    human = Judgements(
        groups=("<g>", "h", "i", "dropped"),
        traits=traits,
        annotators=("p", "q", "r"),
        ratings=rng.uniform(0, 100, size=(3, 4, 4)),
        respelled={"hs": "h"},
    )
    table = TraitScores(
        measure="m",
        groups=("<g>", "h", "i"),
        traits=traits,
        scores=rng.normal(size=(3, 4)),
        conventions={"respelled": {}},  # the names are final
        provenance=(model(1).provenance,),
    )
    return align(table, human, draws=9, resamples=9, splits=3)


CROSSED = ["teenager", "elderly", "Black", "White", "Catholic", "Muslim"]


def paired(about: Provenance) -> TraitScores:
    """Scores of six groups and of all their pairs but one."""
    rng = np.random.default_rng(1)
    names = [*CROSSED, *(pair.name for pair in paired_groups(CROSSED))][:-1]
    rows = {name: {f"<b>{i}": float(rng.normal()) for i in range(12)} for name in names}
    return TraitScores.from_table(rows, provenance=(about,))


def asked(provenance: Provenance) -> Logits:
    full = np.random.default_rng(1).normal(size=(6, 4))
    return Logits.from_arrays(
        groups=["<b>", "g"],
        priors=["mask"],
        templates=["<script>", "t"],
        traits=[("p", "q"), ("r", "s")],
        logit=full.reshape(3, 2, 4, 1),
        slot=np.repeat(np.arange(6), 4).reshape(3, 2, 4, 1),
        head=-np.sort(-full, axis=1),
        log_sum_exp=np.log(np.exp(full).sum(axis=1)),
        hidden_sq_norm=np.ones(6),
        vocabulary=4,
        provenance=provenance,
    )


def aliases() -> tuple[Any, Any]:
    """``NDArray`` as numpy 2.5 defines it on Python 3.12 and newer, and an alias of that alias."""
    alias = getattr(typing, "TypeAliasType", None) or pytest.importorskip("typing_extensions").TypeAliasType
    cell: Any = typing.TypeVar("cell", bound=np.generic)  # type: ignore[misc]
    array = alias("NDArray", np.ndarray[Any, np.dtype[cell]], type_params=(cell,))
    return array, alias("Floats", array[np.float64])


def _makers() -> dict[str, Callable[[], Result]]:
    """Each with a dropped word, a respelled word and a name that HTML must escape."""
    one, two = model(1).with_fallback("title"), model(2).with_fallback("title")
    options: dict[str, Any] = {"missing": "drop"}
    crossed, pairs = paired(one.provenance), paired_groups(CROSSED)
    return {
        "align": lambda: alignment(),
        "align_table": lambda: align_table({("<m>", "n"): alignment()}),
        "screen": lambda: screen([Answers(annotator="<p>", ratings={"women": {"cold-warm": 80.0}})]),
        "order_sensitivity": lambda: order_sensitivity(crossed, pairs, resamples=20, **options),
        "order_sensitivity of one order": lambda: order_sensitivity(
            crossed, {"Black teenager": ("Black", "teenager")}, resamples=20
        ),
        "domain_dominance": lambda: domain_dominance(crossed, pairs, **options),
        "emergent": lambda: emergent(crossed, pairs, on="traits", **options),
        "emergent without a null": lambda: emergent(crossed, pairs, on="traits", null="none", **options),
        "against": lambda: against(
            emergent(crossed, pairs, on="traits", **options), {("Black", "Muslim"): ["<b>0"]}, draws=9
        ),
        "set_test": lambda: set_test(asked(one.provenance)),
        "choose_templates": lambda: choose_templates(
            set_test(asked(one.provenance)),
            {"<b>": {"p-q": 1.0, "r-s": 2.0}, "g": {"p-q": 3.0, "r-s": 0.0}},
        ),
        "weat": lambda: weat(one, DESIGN, **options),
        "single-target weat": lambda: weat(one, Design(name="single", x=["x0"], a=WORDS["a"], b=WORDS["b"])),
        "monte-carlo weat": lambda: weat(one, DESIGN, method="monte-carlo", max_work=float("inf"), **options),
        "mleat": lambda: mleat(one, DESIGN, **options),
        "sc_weat": lambda: sc_weat(one, "*", WORDS["a"], WORDS["b"]),
        "sc_weat without p": lambda: sc_weat(one, ["x0", "x1"], WORDS["a"], WORDS["b"], method="none"),
        "influence": lambda: influence(one, DESIGN, **options),
        "anisotropy": lambda: anisotropy(one),
        "corrections": lambda: corrections(one, [DESIGN, STRANGE], **options),
        "plan": lambda: plan(one, DESIGN, difference=0.5, missing="drop"),
        "projection": lambda: projection(one, DESIGN, **options),
        "projection of pairs": lambda: projection(one, DESIGN, axis="pairs", **options),
        "projection of one target": lambda: projection(
            one, Design(name="one", x=WORDS["x"], a=WORDS["a"], b=WORDS["b"]), **options
        ),
        "placebo": lambda: placebo(one.with_pool(others()), DESIGN, draws=50, **options),
        "frequency": lambda: frequency(
            one, DESIGN, frequencies={word: 1.0 + 3 * i % 7 for i, word in enumerate(LABELS)}, **options
        ),
        "compare": lambda: compare(one, two, DESIGN, **options),
        "compare_battery": lambda: replace(
            compare_battery({"<m>": one, "n": two}, [DESIGN, STRANGE]),
            ordinary={"<m>": 0.1, "n": 0.2},
        ),
        "meta": lambda: meta({"<m>": one, "n": two}, DESIGN, ordinary=0.1),
        "compare_traits": lambda: compare_traits(crossed, crossed, draws=9),
        "battery": lambda: battery(one, [DESIGN, STRANGE]),
        "ordinary": lambda: ordinary(one.with_pool(others()), draws=40),
        "checks": lambda: checks(
            [battery(one, [DESIGN, STRANGE]), ordinary(one.with_pool(others()), draws=40)]
        ),
        "registration": lambda: RegistrationResult(
            date="2026-11-20",
            sha256="ab" * 32,
            departures=1,
            terms={"missing": ("raise", "drop"), "<i>not found</i>": ("x3", "x3")},
            conventions={"measure": "registration"},
            provenance=(one.provenance,),
        ),
        **(_chats(one.provenance) if "chat" in subjects() else {}),
        "sentence_pairs": lambda: sentence_test(sentences("pairs", one.provenance), cluster="target"),
        "sentence_pairs of one contrast": lambda: sentence_test(sentences("pairs", one.provenance, "aul")),
        "sentence_triples": lambda: sentence_test(sentences("triples", one.provenance, "likelihood")),
        "ceat": lambda: ceat(contexts(), DESIGN, samples=5, **options),
        "ceat_battery": lambda: battery(contexts(), [DESIGN, STRANGE], samples=5),
        "multilevel_ceat": lambda: mleat(contexts(), DESIGN, samples=5, **options),
        "group_ceat": lambda: group_ceat(
            contexts(), {"<g>": WORDS["x"]}, {"t": (WORDS["a"], WORDS["b"]), "u": (["q"], ["r"])}, **options
        ),
        "wefat": lambda: wefat(one, GROUPS, WORDS["a"], "p / s", **options),
        "ibd": lambda: ibd(
            wefat(one, GROUPS, WORDS["a"], "p / s", **options).pairs, threshold="accuracy", truth=["a1"]
        ),
        "eibd without truth": lambda: eibd({"1": {"<b>": 1.0}}, {"2": {"<b>": 0.5}}, threshold=0.7),
        "discover": lambda: discover(one, GROUPS, "p / s", fdr=0.9, draws=5, **options),
        "rsa": lambda: rsa(one, WORDS["y"], WORDS["a"], WORDS["b"], n=3, samples=5, draws=9),
        "rsa_grid": lambda: rsa(one, {"<y>": WORDS["y"], "a": WORDS["a"]}, {"b": WORDS["b"]}, n=3, samples=2),
        "reproduction": lambda: Reproduction(
            paper="p",
            title="t",
            citation="c",
            doi="10.1/1",
            published_vectors="<v>",
            vectors="w",
            same_vectors=False,
            cells=(Cell(row="<r>", column="c", published=0.1, ours=None, verdict="model absent"),),
            notes=("n",),
            conventions={"measure": "reproduction"},
            provenance=(one.provenance,),
        ),
        "series": lambda: series({1900: one, 1950: two, 1810: Embeddings(["p"], [[1.0]])}, DESIGN),
    }


MAKERS = _makers()
"""How each is made, by name; collecting tests makes none."""


@functools.cache
def every_result() -> dict[str, Result]:
    """All of them, made once in a session."""
    return {name: make() for name, make in MAKERS.items()}
