"""Encoding: from a unit of sentences to the vectors of the wanted words.

Only the hidden states that are asked for are kept. For layers below the top a hook before the next
block takes them and ends the pass, so that nothing above is computed; if the blocks of an architecture are
not one list of modules, or pass on something other than sentences of tokens, the model returns all hidden
states instead. If padding changes the vectors, only sentences of one length share a batch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.embed.plan import Plan, Settings, Unit
from crossroads.core.errors import CrossroadsError, InputError, require
from crossroads.core.models.elmo import Elmo
from crossroads.core.models.files import find_model
from crossroads.core.models.opening import Integers
from crossroads.core.models.transformers import load_model
from crossroads.core.workers import Task

_INERT = 1e-4  # largest relative difference of states that is attributed to rounding


class _EnoughError(Exception):
    """Ends a pass once the last wanted layer is computed."""


def _batches(unit: Unit, cuts: Integers) -> Iterator[Unit]:
    """Some sentences of a unit at a time, and the tokens whose vectors are wanted."""
    starts = np.concatenate([[0], np.cumsum(unit.lengths)])
    for left, right in pairwise(cuts.tolist()):
        rows = slice(*np.searchsorted(unit.sentence, [left, right]))
        places = {"sentence": unit.sentence[rows] - left, "first": unit.first[rows], "stop": unit.stop[rows]}
        ids, lengths = unit.ids[starts[left] : starts[right]], unit.lengths[left:right]
        yield replace(unit, ids=ids, lengths=lengths, **places)


class Encoder:
    """A loaded model that turns units into vectors.

    Attributes
    ----------
    blocks
        The blocks of the model, or ``None`` if they are not one list or hooks do not work.
    inert
        Whether padding leaves the vectors unchanged.
    """

    def __init__(self, settings: Settings) -> None:
        self._torch = require("torch", extra="models", purpose="running transformer models")
        self._torch.set_num_threads(settings.threads)
        self._settings = settings
        self._model = load_model(settings.files, device=settings.device)
        self._states: dict[int, Any] = {}
        lists = (one for one in self._model.modules() if isinstance(one, self._torch.nn.ModuleList))
        self.blocks: Any = next((one for one in lists if len(one) == settings.layers.of), None)
        hooks = self._hook()
        if hooks and not self._hooks_work():
            for hook in hooks:
                hook.remove()
            self.blocks = None
        self.inert = self._padding_is_inert()

    def __call__(self, unit: Unit) -> NDArray[Any]:
        """The wanted vectors of a unit, one per row, in its order."""
        cuts = unit.batches
        if not self.inert:
            cuts = np.union1d(cuts, np.flatnonzero(np.diff(unit.lengths)) + 1)
        with self._torch.inference_mode():
            vectors = [self._pooled(batch) for batch in _batches(unit, cuts)]
        return _as_stored(np.concatenate(vectors), self._settings)

    def _hooks_work(self) -> bool:
        """Whether every state that a hook receives is one vector per token of a sentence."""
        try:
            with self._torch.inference_mode():
                states = self._hidden(self._some_tokens(6), np.array([3, 3]))
        except (KeyError, IndexError):  # never called, or called with other arguments
            return False
        return all(tuple(state.shape[:2]) == (2, 3) for state in states)

    def _padding_is_inert(self) -> bool:
        """Whether a sentence has the same vectors alone and with a longer one."""
        ids = self._some_tokens(7)
        with self._torch.inference_mode():
            alone = self._hidden(ids[:3], np.array([3]))
            padded = self._hidden(ids, np.array([3, 4]))
        return all(
            bool(((own[0] - other[0, :3]).abs() <= _INERT * (own.abs().mean() + own[0].abs())).all())
            for own, other in zip(alone, padded, strict=True)
        )

    def _some_tokens(self, count: int) -> NDArray[np.int32]:
        """Tokens that the model has, spread over its vocabulary; none is the padding."""
        known = getattr(self._model.config.get_text_config(), "vocab_size", None) or 2
        ids = np.arange(known, dtype=np.int32)
        ids = ids[ids != self._settings.padding]
        return np.resize(ids[:: max(1, len(ids) // count)], count)

    def _hidden(self, ids: NDArray[np.int32], lengths: NDArray[np.int64]) -> list[Any]:
        """Wanted hidden states of a batch, padded at the end."""
        mask = np.arange(lengths.max()) < lengths[:, None]
        padded = np.full(mask.shape, self._settings.padding, np.int64)
        padded[mask] = ids
        device = self._settings.device
        batch = {
            "input_ids": self._torch.from_numpy(padded).to(device),
            "attention_mask": self._torch.from_numpy(mask.astype(np.int64)).to(device),
        }
        top, numbers = self._settings.layers.of, self._settings.layers.numbers
        if self.blocks is None and numbers != (top,):
            states = self._model(**batch, output_hidden_states=True).hidden_states
            return [states[number] for number in numbers]
        self._states.clear()
        with contextlib.suppress(_EnoughError):
            self._states[top] = self._model(**batch).last_hidden_state
        return [self._states[number] for number in numbers]

    def _pooled(self, batch: Unit) -> NDArray[np.float32]:
        """One vector per row: pieces first, then layers."""
        states, first, stop = self._hidden(batch.ids, batch.lengths), batch.first, batch.stop
        torch, piece = self._torch, self._settings.piece
        sentence = torch.from_numpy(batch.sentence)
        if piece != "mean":
            at = torch.from_numpy(stop - 1 if piece == "last" else first)
            taken = [state[sentence, at] for state in states]
        else:
            steps = np.arange(int((stop - first).max(initial=1)))
            at = torch.from_numpy(np.minimum(first[:, None] + steps, stop[:, None] - 1))
            inside = torch.from_numpy((steps < (stop - first)[:, None]).astype(np.float32))
            weight = (inside / inside.sum(1, keepdim=True))[:, :, None].to(states[0].device)
            taken = [(state[sentence[:, None], at] * weight).sum(1) for state in states]
        total = sum(taken[1:], taken[0])
        if self._settings.layers.combined == "mean":
            total = total / len(taken)
        vectors: NDArray[np.float32] = total.float().cpu().numpy()
        return vectors

    def _hook(self) -> list[Any]:
        """Register hooks that take each wanted layer below the top as input of the next block."""

        def take(number: int, _: Any, args: Any, kwargs: Any) -> None:
            self._states[number] = args[0] if args else kwargs["hidden_states"]
            if number == self._settings.layers.numbers[-1]:
                raise _EnoughError

        return [
            self.blocks[number].register_forward_pre_hook(partial(take, number), with_kwargs=True)
            for number in self._settings.layers.numbers
            if self.blocks is not None and number < self._settings.layers.of
        ]


class ElmoEncoder:
    """A loaded ELMo that turns units into vectors, on numpy alone."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._model = settings, Elmo(settings.files.folder)

    def __call__(self, unit: Unit) -> NDArray[Any]:
        """The wanted vectors of a unit, one per row, in its order."""
        words, layers = self._model.words(unit.vocabulary), self._settings.layers
        vectors = []
        for batch in _batches(unit, unit.batches):
            wanted = self._model.states(words[batch.ids], batch.lengths)[list(layers.numbers)]
            states = wanted.mean(axis=0) if layers.combined == "mean" else wanted.sum(axis=0)
            begins = (np.cumsum(batch.lengths) - batch.lengths)[batch.sentence]
            first, stop = begins + batch.first, begins + batch.stop
            if self._settings.piece == "mean":
                means = [states[i:j].mean(axis=0) for i, j in zip(first, stop, strict=True)]
                vectors.append(np.array(means))
            else:
                vectors.append(states[stop - 1 if self._settings.piece == "last" else first])
        return _as_stored(np.concatenate(vectors), self._settings)


def _as_stored(vectors: NDArray[np.float32], settings: Settings) -> NDArray[Any]:
    """Vectors in the type in which they are stored; those that are not finite are an error."""
    with np.errstate(over="ignore"):
        stored: NDArray[Any] = vectors.astype(settings.dtype)
    if np.isfinite(stored).all():
        return stored
    if np.isfinite(vectors).all():
        reason = f"a vector of {settings.files.name} is too large for {settings.dtype}."
        raise CrossroadsError(reason, hint="use dtype='float32'.", option="dtype")
    hint = "its weights are damaged, or it does not work in float32 on this device."
    raise CrossroadsError(f"{settings.files.name} gave a vector that is not finite.", hint=hint)


def encoding(settings: Settings) -> Task:
    """The task of a worker: from a unit to its vectors."""
    with _plain_errors():
        encoder = ElmoEncoder(settings) if settings.files.elmo else Encoder(settings)

    def encode(unit: Any, _: object) -> NDArray[Any]:
        with _plain_errors():
            return encoder(unit)

    return encode


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except (CrossroadsError, MemoryError):
        raise
    except Exception as error:
        said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        hint = "try device='cpu', another transformers, or smaller batches; finished units are kept."
        if isinstance(error, IndexError):
            hint = "its tokenizer may allow more tokens or longer texts than it: try a smaller max_length."
        reason = f"{type(error).__name__}: {said[:200]}" if said else f"{type(error).__name__}."
        raise CrossroadsError(f"the model failed: {reason}", hint=hint, option="device") from error


def unit_encoder(setup: tuple[Settings, str, Plan]) -> Task:
    """The task of a Ray actor: from the number of a unit to its vectors.

    A model of the hub is fetched if it is not on the machine.
    """
    settings, place, plan = setup
    found = find_model(place, revision=settings.files.revision)
    if found.sha256 != settings.files.sha256:
        fault = f"the model {settings.files.name!r} has different files on a worker than here."
        raise InputError(fault, hint="put the same files on every machine.")
    encode = encoding(replace(settings, files=found))
    return lambda number, tell: encode(plan.unit(number), tell)
