"""Answers of a language model: from a unit of prompts to the logits that are kept.

Kept for each slot are the logits of the tokens that are read, five log-sum-exps (all tokens, those that begin
words, those that continue them, and both of these with special tokens), the squared length of ``h``, and the
largest logits: as many as SeT needs for an exact answer, found slot by slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, require
from crossroads.core.models.language import LanguageModel
from crossroads.core.models.opening import Batch
from crossroads.traits.probe.tokens import Marks

FIRST_HEAD, GROWTH = 64, 4
"""How many of the largest logits are kept, and the factor for further attempts if these do not suffice."""

Floats = NDArray[np.float64]
PER_SLOT = (
    *("log_sum_exp", "log_sum_initial", "log_sum_continuation"),
    *("log_sum_bare_initial", "log_sum_bare_continuation", "hidden_sq_norm"),
)
"""Fields with one number for each slot."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The numbers kept for some slots, in the order of the plan."""

    sizes: NDArray[np.int64]
    """Length of the head of each slot."""
    sums: Floats
    """Log-sum-exps and squared lengths: one row for each of :data:`PER_SLOT`."""
    read: NDArray[np.float32]
    """Logits of the tokens that are read."""
    heads: NDArray[np.float32]
    """The largest logits in descending order, slot after slot."""

    def packed(self) -> Floats:
        """Everything in one array; single-precision numbers are unchanged."""
        return np.concatenate([[self.sizes.size], self.sizes, self.sums.ravel(), self.read, self.heads])


def unpacked(array: Floats) -> Answers:
    """Rebuild from :meth:`Answers.packed`."""
    slots = int(array[0])
    sizes, sums, rest = np.split(array[1:], [slots, (1 + len(PER_SLOT)) * slots])
    kept = int(sizes.sum())
    return Answers(
        sizes=sizes.astype(np.int64),
        sums=sums.reshape(len(PER_SLOT), slots),
        read=rest[: rest.size - kept].astype(np.float32),
        heads=rest[rest.size - kept :].astype(np.float32),
    )


def joined(parts: Sequence[Answers]) -> Answers:
    """Concatenate answers."""
    names = Answers.__dataclass_fields__
    return Answers(**{n: np.concatenate([getattr(part, n) for part in parts], axis=-1) for n in names})


class Prober:
    """A loaded model that answers batches.

    ``margin`` is the largest margin γ for which SeT has to be exact.
    """

    def __init__(self, model: LanguageModel, marks: Marks, margin: float) -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self._model, self._margin = model, margin
        kinds = [np.ones_like(marks.initial), marks.initial, marks.continuation]
        kinds += [marks.bare_initial, marks.bare_continuation]
        table = np.stack(kinds, axis=1).astype(np.float32)
        self._kinds = self._torch.from_numpy(table).to(model.device)

    def __call__(self, batch: Batch) -> Answers:
        """The answers to a batch; several threads may call it at once."""
        with self._torch.inference_mode():
            return self._answer(batch)

    def _answer(self, batch: Batch) -> Answers:
        torch, device = self._torch, self._model.device
        logits, hidden = self._model.ask(batch.ids, batch.text, batch.place)
        slot = torch.from_numpy(batch.asked_slot).to(device)
        read = logits[slot, torch.from_numpy(batch.asked_token).to(device)]
        lowest = torch.full((len(logits),), torch.inf, device=device)
        lowest = lowest.scatter_reduce(0, slot, read, "amin")
        heads = self._heads(logits, lowest)
        top = torch.stack([head[0] for head in heads])
        # Sums of numbers from 0 to 1, one of which is 1: their error is below that of the logits.
        sums = logits.sub_(top[:, None]).exp_() @ self._kinds
        logs = top.cpu().double().numpy()[:, None] + np.log(sums.cpu().double().numpy())
        answers = Answers(
            sizes=np.array([len(head) for head in heads], np.int64),
            sums=np.stack([*logs.T, (hidden.cpu().double() ** 2).sum(1).numpy()]),
            read=read.float().cpu().numpy(),
            heads=torch.cat(heads).float().cpu().numpy(),
        )
        if not all(np.isfinite(getattr(answers, name)).all() for name in Answers.__dataclass_fields__):
            raise CrossroadsError(
                f"{self._model.files.name} gave a logit that is not finite.",
                hint="its weights are damaged, or it does not work in float32 on this device.",
            )
        return answers

    def _heads(self, logits: Any, lowest: Any) -> list[Any]:
        """The largest logits of each slot, enough for the smallest that is read there."""
        vocabulary = logits.shape[1]
        heads: list[Any] = [None] * len(logits)
        left, size = list(range(len(logits))), min(FIRST_HEAD, vocabulary)
        while left:
            rows = logits if len(left) == len(logits) else logits[left]
            found = rows.topk(size, dim=1).values
            enough = self._suffice(found, lowest[left]) if size < vocabulary else [True] * len(left)
            for at, head, done in zip(left, found, enough, strict=True):
                if done:
                    heads[at] = head
            left = [at for at in left if heads[at] is None]
            size = min(GROWTH * size, vocabulary)
        return heads

    def _suffice(self, heads: Any, lowest: Any) -> list[bool]:
        """Whether the logits below each head stay unchanged for every token that is read.

        They do if K·l_K − (l_1 + … + l_(K−1)) + γ ≤ l_t, with the head l_1 … l_K in descending order, for a
        token t below the head; and for a token in it, with one l_K less.
        """
        heads, lowest = heads.cpu().double(), lowest.cpu().double()
        below = heads[:, :1] - heads
        outside = lowest < heads[:, -1]
        size = heads.shape[1] - (~outside).double()
        slack = below[:, :-1].sum(1) - size * below[:, -1] + self._margin
        room = self._torch.where(outside, lowest - heads[:, 0], self._torch.zeros_like(lowest))
        enough: list[bool] = (slack <= room).tolist()
        return enough
