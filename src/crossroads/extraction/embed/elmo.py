"""Encoding with an ELMo: from a unit of sentences to the vectors of the wanted words, on numpy alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.extraction.embed.encoder import as_stored
from crossroads.extraction.embed.plan import Unit
from crossroads.extraction.embed.settings import Settings
from crossroads.sources.models.elmo import Elmo


class ElmoEncoder:
    """A loaded ELMo that turns units into vectors.

    Parameters
    ----------
    settings
        The model, layers and pieces.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings, self._model = settings, Elmo(settings.files.folder)

    def __call__(self, unit: Unit) -> NDArray[Any]:
        """The wanted vectors of a unit, one per row, in its order."""
        words = self._model.words(unit.vocabulary)
        starts = np.concatenate([[0], np.cumsum(unit.lengths)])
        parts = []
        for left, right in pairwise(unit.batches.tolist()):
            ids = unit.ids[starts[left] : starts[right]]
            states = self._combined(self._model.states(words[ids], unit.lengths[left:right]))
            rows = slice(*np.searchsorted(unit.sentence, [left, right]))
            begins = starts[unit.sentence[rows]] - starts[left]
            parts.append(self._pooled(states, begins + unit.first[rows], begins + unit.stop[rows]))
        return as_stored(np.concatenate(parts), self._settings)

    def _combined(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """The wanted layers, combined."""
        layers = self._settings.layers
        wanted = states[list(layers.numbers)]
        found: NDArray[np.float32] = wanted.mean(axis=0) if layers.combined == "mean" else wanted.sum(axis=0)
        return found

    def _pooled(
        self, states: NDArray[np.float32], first: NDArray[np.int64], stop: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """One vector per row of the wanted pieces."""
        piece = self._settings.piece
        if piece != "mean":
            return states[stop - 1 if piece == "last" else first]
        return np.array([states[one:other].mean(axis=0) for one, other in zip(first, stop, strict=True)])
