"""A language model small enough to be enumerated, and what a probe would keep of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.core.evidence import Provenance
from crossroads.core.stimuli import Trait
from crossroads.traits.probe.evidence import Logits

VOCABULARY = 11
CONTINUES = (7, 8, 9, 10)
PIECES = {
    "cold": (2,),
    "warm": (1, 7),
    "low status": (3, 4),  # two words: its second piece begins a word
    "high status": (5, 8, 9),
    "icy": (6,),
    "frosty": (0, 10),
}
TRAITS = (
    Trait(
        left="cold",
        right="warm",
        scale="Communion",
        human_key="cold - warm",
        left_synonyms=("icy", "frosty", "chilly"),  # the last was not asked for
    ),
    Trait(left="low status", right="high status", scale="Agency", human_key="low status - high status"),
)
ROWS = ("women", "José", "old <b>men</b>", "mask", "noun")
TEMPLATES = ("{capitalised} are {trait}.", "The {singular} is {trait}.")


@dataclass(frozen=True)
class Toy:
    """A model whose logits are noise that depends on all it sees."""

    kind: str = "masked"
    scale: float = 2.0

    def __call__(
        self, row: int, template: int, seen: tuple[int, ...], place: int
    ) -> tuple[NDArray[np.float64], float]:
        """Logits at a place, and the squared length of the hidden vector.

        ``seen`` holds what stands at the places of the adjective, −1 for a mask. A causal model sees what is
        left of the place alone.
        """
        visible = seen[:place] if self.kind == "causal" else seen
        rng = np.random.default_rng([row, template, place, 99, *(token + 2 for token in visible)])
        return rng.normal(size=VOCABULARY) * self.scale, float(rng.uniform(100, 200))


@dataclass
class Recorded:
    """Slots as a probe collects them."""

    model: Toy
    keep: int

    def __post_init__(self) -> None:
        self.slots: dict[tuple[int, int, tuple[int, ...], int], int] = {}
        self.table: dict[str, list[Any]] = {
            name: []
            for name in ("head", "log_sum_exp", "hidden_sq_norm", "log_sum_initial", "log_sum_continuation")
        }

    def ask(
        self, row: int, template: int, seen: tuple[int, ...], place: int, token: int
    ) -> tuple[float, int]:
        logits, norm = self.model(row, template, seen, place)
        key = (row, template, seen[:place] if self.model.kind == "causal" else seen, place)
        if key not in self.slots:
            self.slots[key] = len(self.slots)
            begins = ~np.isin(np.arange(VOCABULARY), CONTINUES)
            self.table["head"].append(-np.sort(-logits)[: self.keep])
            self.table["log_sum_exp"].append(np.log(np.exp(logits).sum()))
            self.table["log_sum_initial"].append(np.log(np.exp(logits[begins]).sum()))
            self.table["log_sum_continuation"].append(np.log(np.exp(logits[~begins]).sum()))
            self.table["hidden_sq_norm"].append(norm)
        return float(logits[token]), self.slots[key]


def probe(model: Toy, *, keep: int = VOCABULARY, words: tuple[str, ...] = tuple(PIECES)) -> Logits:
    """What a probe keeps, asked for in an arbitrary order."""
    shape = (len(ROWS), len(TEMPLATES), len(words), 3)
    logit, chain_logit = np.full(shape, np.nan), np.full(shape, np.nan)
    slot, chain_slot = np.full(shape, -1), np.full(shape, -1)
    recorded = Recorded(model, keep)
    for row, template, adjective in (
        np.random.default_rng(0).permutation(list(np.ndindex(*shape[:3]))).tolist()
    ):
        pieces = PIECES[words[adjective]]
        for place, token in enumerate(pieces):
            at = (row, template, adjective, place)
            filled = pieces[:place] + (-1,) * (len(pieces) - place)
            chain_logit[at], chain_slot[at] = recorded.ask(row, template, filled, place, token)
            empty = filled if model.kind == "causal" else (-1,) * len(pieces)
            logit[at], slot[at] = recorded.ask(row, template, empty, place, token)
    begins = [[j < len(PIECES[w]) and PIECES[w][j] not in CONTINUES for j in range(3)] for w in words]
    chain: dict[str, Any] = {"chain_logit": chain_logit, "chain_slot": chain_slot}
    return Logits.from_arrays(
        groups=ROWS[:3],
        priors=ROWS[3:],
        templates=TEMPLATES,
        traits=TRAITS,
        adjectives=words,
        kind=model.kind,
        vocabulary=VOCABULARY,
        logit=logit,
        slot=slot,
        word_initial=begins,
        provenance=Provenance(source="toy", details={"layers": 1}),
        **recorded.table,
        **(chain if model.kind == "masked" else {}),
    )


@dataclass(frozen=True)
class Probed:
    """A model, what was kept of it, and the words in it."""

    model: Toy
    logits: Logits
    probe: Callable[..., Logits]
    pieces: dict[str, tuple[int, ...]]
    continues: tuple[int, ...] = CONTINUES


@pytest.fixture(scope="session", params=["masked", "causal"])
def probed(request: pytest.FixtureRequest) -> Probed:
    """A masked and a causal toy model, probed."""
    model = Toy(request.param)
    return Probed(model, probe(model), probe, PIECES)


@pytest.fixture(scope="session")
def masked() -> Probed:
    """The masked toy model, probed."""
    return Probed(Toy(), probe(Toy()), probe, PIECES)
