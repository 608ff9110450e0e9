"""ELMo (Peters et al. 2018): words from their characters, and two LSTM layers in each direction.

The computation is that of AllenNLP 2.10.1, with a fresh state for each sentence, so that a vector depends on
its sentence only. It runs on numpy. Sentences of a batch are read together, the longest first, and each
leaves the batch at its end: nothing is padded.

A model is two files as AllenNLP published them: options in JSON, weights in HDF5. Shapes follow from the
options and are compared before any number is read, also with the bytes in the file. Links to other files,
which HDF5 allows, are refused.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnsafeFileError,
    in_short,
    join_words,
    require,
)
from crossroads.core.stimuli.files.text import load_json

NAME = "ELMo"
"""The architecture, as it is recorded."""
TOKENS = "words, clitics and signs"
"""The rule by which texts are split, as it is recorded."""
_BEGIN, _END = "<S>", "</S>"
_BEGIN_SENTENCE, _END_SENTENCE, _BEGIN_WORD, _END_WORD, _FILL = range(256, 261)
_WORDS_AT_ONCE = 256
OPTIONS, WEIGHTS = "options.json", "weights.hdf5"
"""How the names of the two files end; the published ones have a longer beginning."""
CHARACTERS = 261
"""Rows of the character table: 256 bytes and five marks, without the one for padding."""
Activation = Literal["relu", "tanh"]
"""Activations of the character network."""
_MOST = 1 << 16
_MOST_NUMBERS = 1 << 30
_MOST_RATIO, _SMALL = 64, 1 << 20
"""Most bytes of an array per byte in the file, past a megabyte: weights hardly compress."""
_AGAIN = "fetch both files again; they must belong to the same model."

Array = NDArray[np.float32]


def elmo_versions() -> dict[str, str]:
    """Versions of the packages on which the last bits of a vector depend."""
    h5py = require("h5py", extra="elmo", purpose="reading ELMo weights")
    return {"numpy": np.__version__, "h5py": str(h5py.__version__)}


class Elmo:
    """An ELMo as AllenNLP published it.

    Parameters
    ----------
    folder
        Folder with ``options.json`` and ``weights.hdf5``, or with files whose names end so.

    Attributes
    ----------
    options
        The architecture.

    Raises
    ------
    FormatError
        If a file is missing or damaged, or the two do not belong together.

    References
    ----------
    Peters et al. (2018), doi:10.18653/v1/N18-1202.

    Examples
    --------
    ``elmo_folder`` holds an ELMo with 16 dimensions in each direction:

    >>> import crossroads as cr
    >>> cr.sources.Elmo(elmo_folder).layers(["The", "doctor", "spoke"]).shape
    (3, 3, 32)
    """

    def __init__(self, folder: str | Path) -> None:
        options, file = required_files(folder)
        self.options = read_options(options)
        weights = read_weights(file, self.options)
        self._characters = _CharacterNetwork(weights, self.options)
        self._lstm = [
            [_Lstm(weights, self.options, cell_name(way, at)) for at in range(self.options.layers)]
            for way in range(2)
        ]
        self._ends = self.words([_BEGIN, _END])

    def layers(self, tokens: Sequence[str]) -> Array:
        """The activations of one sentence, given as its words and signs: layer, token, dimension.

        The layers are the words without context (twice the same half), then each LSTM layer; each vector is
        its forward half, then its backward half.
        """
        return self.batch([tokens])[0]

    def batch(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        """The activations of several sentences, as :meth:`layers` gives them for each."""
        for tokens in sentences:
            if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
                hint = "give its words in a list: ['The', 'doctor']."
                raise InputError(f"a sentence is {in_short(tokens)}.", hint=hint)
        known: dict[str, int] = {}
        rows = [known.setdefault(token, len(known)) for tokens in sentences for token in tokens]
        lengths = np.array([len(tokens) for tokens in sentences], np.int64)
        states = self.states(self.words(list(known))[np.array(rows, np.int64)], lengths)
        return np.split(states, np.cumsum(lengths)[:-1], axis=1) if sentences else []

    def words(self, words: Sequence[str]) -> Array:
        """Vectors of words without context, from their first 48 bytes: one row each."""
        return self._characters(words)

    def states(self, words: Array, lengths: NDArray[np.int64]) -> Array:
        """The activations of sentences; ``words`` has the vectors of all their tokens in a row."""
        half, sizes = self.options.projection, lengths + 2  # with the beginning and the end of each sentence
        begins, ends = np.cumsum(sizes) - sizes, np.cumsum(sizes) - 1
        inside = np.ones(len(words) + 2 * len(lengths), bool)
        inside[begins] = inside[ends] = False
        bounded = np.empty((len(inside), half), np.float32)
        bounded[begins], bounded[ends], bounded[inside] = *self._ends, words
        longest = np.argsort(-sizes, kind="stable")
        left = [longest[: int((sizes > step).sum())] for step in range(int(sizes.max(initial=0)))]
        forward = [begins[rows] + step for step, rows in enumerate(left)]
        backward = [ends[rows] - step for step, rows in enumerate(left)]
        states = np.empty((self.options.layers + 1, len(words), 2 * half), np.float32)
        states[0] = np.tile(words, 2)
        for direction, steps in enumerate((forward, backward)):
            below = bounded
            for layer, lstm in enumerate(self._lstm[direction], 1):
                above = lstm(below, steps)
                if self.options.skips and layer > 1:
                    above += below
                states[layer, :, direction * half : (direction + 1) * half] = above[inside]
                below = above
        return states


class _Lstm:
    """One LSTM layer in one direction, with projection and clipping."""

    def __init__(self, weights: dict[str, Array], options: ElmoOptions, name: str) -> None:
        cells, self._options, self._project = options.cells, options, weights[f"{name}/W_P_0"]
        self._matrix, self._bias = weights[f"{name}/W_0"], weights[f"{name}/B"].copy()
        # The gates are in the order input, candidate, forget, output; TensorFlow added 1 to the forget gate.
        self._bias[2 * cells : 3 * cells] += 1
        # sigmoid(x) = (tanh(x / 2) + 1) / 2: half the weights of three gates, and one tanh serves all four
        for gate in (0, 2, 3):
            self._matrix[:, gate * cells : (gate + 1) * cells] *= 0.5
            self._bias[gate * cells : (gate + 1) * cells] *= 0.5

    def __call__(self, inputs: Array, steps: Sequence[NDArray[np.int64]]) -> Array:
        """One row of output for each row of input; ``steps`` are the rows that are read together."""
        cells, half = self._options.cells, self._options.projection
        outputs = np.empty_like(inputs)
        most = len(steps[0]) if steps else 0
        seen = np.zeros((most, 2 * half), np.float32)  # the input, and the output of the step before
        memory = np.zeros((most, cells), np.float32)
        for rows in steps:
            many = len(rows)
            seen, memory = seen[:many], memory[:many]
            seen[:, :half] = inputs[rows]
            gates = seen @ self._matrix
            gates += self._bias
            np.tanh(gates, out=gates)
            into, candidate, keep, out = np.split(gates, 4, axis=1)
            for gate in (into, keep, out):
                gate *= 0.5
                gate += 0.5
            memory *= keep
            memory += np.multiply(into, candidate, out=into)
            np.clip(memory, -self._options.cell_clip, self._options.cell_clip, out=memory)
            out *= np.tanh(memory)
            projected = out @ self._project
            clip = self._options.projection_clip
            outputs[rows] = seen[:, half:] = np.clip(projected, -clip, clip, out=projected)
        return outputs


class _CharacterNetwork:
    """From the characters of a word to its vector: convolutions, highway layers and a projection."""

    def __init__(self, weights: dict[str, Array], options: ElmoOptions) -> None:
        self._options = options
        # in double precision: distinct words are few, and the layers above enlarge what is rounded here
        self._table = weights["char_embed"].astype(np.float64)
        self._filters = [
            (width, weights[f"CNN/W_cnn_{at}"].reshape(-1, number), weights[f"CNN/b_cnn_{at}"])
            for at, (width, number) in enumerate(options.filters)
        ]
        parts = ("W_carry", "b_carry", "W_transform", "b_transform")
        self._highways = [
            [weights[f"CNN_high_{at}/{part}"] for part in parts] for at in range(options.highways)
        ]
        self._project, self._bias = weights["CNN_proj/W_proj"], weights["CNN_proj/b_proj"]

    def __call__(self, words: Sequence[str]) -> Array:
        codes = [_codes(word, self._options.word) for word in words]
        lengths = np.array([len(one) for one in codes], np.int64)
        found = np.empty((len(words), self._options.projection), np.float32)
        order = np.argsort(lengths, kind="stable")
        for first in range(0, len(words), _WORDS_AT_ONCE):
            rows = order[first : first + _WORDS_AT_ONCE]
            states = self._convolved([codes[row] for row in rows])
            for carry, carry_bias, transform, transform_bias in self._highways:
                gate = 0.5 * np.tanh(0.5 * (states @ carry + carry_bias)) + 0.5
                states = gate * np.maximum(states @ transform + transform_bias, 0) + (1 - gate) * states
            found[rows] = states @ self._project + self._bias
        return found

    def _convolved(self, codes: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The largest value of every filter over the characters; past the longest word one window is kept."""
        longest = max(map(len, codes)) + max(width for width, *_ in self._filters)
        ids = np.full((len(codes), min(longest, self._options.word)), _FILL)
        for row, one in zip(ids, codes, strict=True):
            row[: len(one)] = one
        characters = self._table[ids]
        outputs = []
        for width, matrix, bias in self._filters:
            windows = np.lib.stride_tricks.sliding_window_view(characters, width, axis=1)
            flat = windows.transpose(0, 1, 3, 2).reshape(len(codes), -1, len(matrix))
            outputs.append((flat @ matrix).max(axis=1) + bias)
        joined: NDArray[np.float64] = np.concatenate(outputs, axis=1)
        return np.tanh(joined) if self._options.activation == "tanh" else np.maximum(joined, 0)


def _codes(word: str, most: int) -> list[int]:
    """The bytes of a word between the marks of its beginning and end; the marks of a sentence are words."""
    if word in (_BEGIN, _END):
        return [_BEGIN_WORD, _BEGIN_SENTENCE if word == _BEGIN else _END_SENTENCE, _END_WORD]
    return [_BEGIN_WORD, *word.encode("utf-8", "ignore")[: most - 2], _END_WORD]


_CLITIC = r"['’](?:s|re|ve|ll|d|m|t)\b"
_TOKEN = re.compile(
    rf"\w+(?=n['’]t\b)|n['’]t\b|{_CLITIC}|\w+(?:(?!{_CLITIC})[-\u2010\u2011'’]\w+)*|\S", re.IGNORECASE
)


def split_text(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text begin and end.

    Words, with hyphens and apostrophes inside them, are tokens, and so is every other sign; *'s*, *n't* and
    the like are tokens of their own, as in the text that the published models were trained on.

    Examples
    --------
    >>> text = "Anna's short-term plan didn't work."
    >>> [text[start:end] for start, end in split_text(text)]
    ['Anna', "'s", 'short-term', 'plan', 'did', "n't", 'work', '.']
    """
    plain = text
    if not text.isascii():  # combining marks belong to their letters
        plain = "".join("a" if unicodedata.category(one)[0] == "M" else one for one in text)
    return [match.span() for match in _TOKEN.finditer(plain)]


class _Encoding(NamedTuple):
    """The number of each token of a text, its characters, and the text that it belongs to: the first."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    sequence_ids: list[int | None]


class ElmoTokenizer:
    """Splits texts for an ELMo, with the interface of the fast tokenizers of transformers.

    An ELMo has no vocabulary; words are numbered in the order in which they are met.
    """

    unk_token_id = None

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def words(self) -> tuple[str, ...]:
        """Every word met so far, by its number."""
        return tuple(self._numbers)

    def __call__(self, texts: Sequence[str], **_: Any) -> Any:
        """Split some texts; options of other tokenizers have no effect."""
        encodings = []
        for text in texts:
            offsets = split_text(text)
            ids = [self._numbers.setdefault(text[start:end], len(self._numbers)) for start, end in offsets]
            encodings.append(_Encoding(ids=ids, offsets=offsets, sequence_ids=[0] * len(ids)))
        return SimpleNamespace(encodings=encodings)


def elmo_files(folder: str | Path) -> tuple[Path, Path] | None:
    """The options and the weights in a folder, or ``None`` if it has no such pair."""
    folder = Path(folder)
    plain = folder / OPTIONS, folder / WEIGHTS
    if all(file.is_file() for file in plain):
        return plain
    pairs = [
        (options, weights)
        for weights in sorted(folder.glob(f"*_{WEIGHTS}"))
        if (options := weights.with_name(weights.name.removesuffix(WEIGHTS) + OPTIONS)).is_file()
    ]
    if len(pairs) > 1:
        names = join_words([weights.name for _, weights in pairs], most=3)
        hint = "put each model, its options and its weights, into a folder of its own."
        raise InputError(f"{folder} has the weights of {len(pairs)} ELMo models: {names}.", hint=hint)
    return pairs[0] if pairs else None


def required_files(folder: str | Path) -> tuple[Path, Path]:
    """The options and the weights in a folder; it is an error if there are none."""
    if (files := elmo_files(folder)) is None:
        hint = f"put {OPTIONS} and {WEIGHTS} into it."
        raise FormatError("the folder has no ELMo.", path=folder, hint=hint)
    return files


@dataclass(frozen=True, kw_only=True)
class ElmoOptions:
    """The architecture of an ELMo, from its options."""

    filters: tuple[tuple[int, int], ...]
    """Width and number of the convolutions over characters."""
    activation: Activation
    """What follows each convolution."""
    highways: int
    """Number of highway layers."""
    characters: int
    """Dimensions of a character."""
    word: int
    """Most characters of a word, the marks of its beginning and end included."""
    layers: int
    """Number of LSTM layers in each direction."""
    cells: int
    """Cells of an LSTM layer."""
    projection: int
    """Dimensions that they are projected to: half of those of a vector."""
    cell_clip: float
    """Largest absolute value of a cell."""
    projection_clip: float
    """Largest absolute value after the projection."""
    skips: bool
    """Whether each LSTM layer above the first adds its input to its output."""


def read_options(file: Path) -> ElmoOptions:
    """Read the options of an ELMo."""
    try:
        data = load_json(file.read_text(encoding="utf-8"), file)
    except FormatError:
        raise
    except (OSError, ValueError) as error:
        raise FormatError("these are not options in JSON.", path=file, hint=_AGAIN) from error
    lstm, cnn = _part(data, "lstm", file), _part(data, "char_cnn", file)
    activation = cnn.get("activation")
    if activation not in ("relu", "tanh"):
        what = f"the activation of its characters is {in_short(activation)}."
        raise FormatError(what, path=file, hint="ELMo uses 'relu' or 'tanh'.")
    return ElmoOptions(
        filters=_filters(cnn.get("filters"), file),
        activation=activation,
        highways=_whole(cnn, "n_highway", file, least=0, most=64),
        characters=_whole(_part(cnn, "embedding", file), "dim", file),
        word=_whole(cnn, "max_characters_per_token", file, least=3, most=1000),
        layers=_whole(lstm, "n_layers", file, most=64),
        cells=_whole(lstm, "dim", file),
        projection=_whole(lstm, "projection_dim", file),
        cell_clip=_clip(lstm, "cell_clip", file),
        projection_clip=_clip(lstm, "proj_clip", file),
        skips=bool(lstm.get("use_skip_connections", False)),
    )


def _part(data: Any, name: str, file: Path, kind: type = dict) -> Any:
    if not isinstance(data, dict) or name not in data or not isinstance(data[name], kind):
        raise FormatError(f"the options have no {name!r}.", path=file, hint=_AGAIN)
    return data[name]


def _whole(part: Mapping[str, Any], name: str, file: Path, *, least: int = 1, most: int = _MOST) -> int:
    value = _part(part, name, file, object)
    if type(value) is not int or not least <= value <= most:
        hint = f"it is a whole number from {least} to {most:,}."
        raise FormatError(f"{name} is {in_short(value)}.", path=file, hint=hint)
    return value


def _clip(part: Mapping[str, Any], name: str, file: Path) -> float:
    value = part.get(name)
    if value is None:
        return math.inf
    if type(value) not in (int, float) or not value > 0:
        raise FormatError(f"{name} is {in_short(value)}.", path=file, hint="it is a number above 0, or null.")
    return float(value)


def _filters(value: Any, file: Path) -> tuple[tuple[int, int], ...]:
    try:
        filters = tuple((width, number) for width, number in value)
    except (TypeError, ValueError):
        filters = ()
    if not filters or any(
        type(size) is not int or not 0 < size <= _MOST for pair in filters for size in pair
    ):
        hint = "they are pairs of a width in characters and a number, such as [[1, 32], [2, 32]]."
        raise FormatError(f"its filters are {in_short(value)}.", path=file, hint=hint)
    return filters


def expected_shapes(options: ElmoOptions) -> dict[str, tuple[int, ...]]:
    """The name of every array in a file of weights, and its shape."""
    wide, cells, out = sum(number for _, number in options.filters), options.cells, options.projection
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (CHARACTERS, options.characters)}
    for at, (width, number) in enumerate(options.filters):
        shapes[f"CNN/W_cnn_{at}"] = (1, width, options.characters, number)
        shapes[f"CNN/b_cnn_{at}"] = (number,)
    for at in range(options.highways):
        for gate in ("carry", "transform"):
            shapes[f"CNN_high_{at}/W_{gate}"] = (wide, wide)
            shapes[f"CNN_high_{at}/b_{gate}"] = (wide,)
    shapes |= {"CNN_proj/W_proj": (wide, out), "CNN_proj/b_proj": (out,)}
    for direction in range(2):
        for layer in range(options.layers):
            cell = cell_name(direction, layer)
            shapes[f"{cell}/W_0"] = (2 * out, 4 * cells)
            shapes[f"{cell}/B"] = (4 * cells,)
            shapes[f"{cell}/W_P_0"] = (cells, out)
    return shapes


def cell_name(direction: int, layer: int) -> str:
    """The group of an LSTM layer in a file of weights; direction 0 is forward."""
    return f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"


def read_weights(file: Path, options: ElmoOptions) -> dict[str, Array]:
    """Read every array of a file of weights, in float32."""
    h5py = require("h5py", extra="elmo", purpose="reading ELMo weights")
    shapes = expected_shapes(options)
    total = sum(math.prod(shape) for shape in shapes.values())
    if total > _MOST_NUMBERS:
        message = f"by its options the model has {total:,} weights, at most {_MOST_NUMBERS:,} are read."
        hint = "the largest published ELMo has 94 million; check options.json."
        raise FormatError(message, path=file, hint=hint)
    try:
        with h5py.File(file, "r") as opened:
            # all are checked before any is read
            arrays = {name: _dataset(h5py, opened, name, shape, file) for name, shape in shapes.items()}
            weights = {name: np.asarray(array[()], np.float32) for name, array in arrays.items()}
    except CrossroadsError:
        raise
    except (OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:  # of h5py
        what = "these are not weights in HDF5, or the file is cut off."
        raise FormatError(what, path=file, hint=_AGAIN) from error
    for name, numbers in weights.items():
        if not np.isfinite(numbers).all():
            raise FormatError(f"{name!r} has values that are not finite.", path=file, hint=_AGAIN)
    return weights


def _dataset(h5py: Any, opened: Any, name: str, shape: tuple[int, ...], file: Path) -> Any:
    """An array that is there, in this file, of floating-point numbers, and of the right shape."""
    at, linked = opened, False
    for step in name.split("/"):
        if not isinstance(at, h5py.Group) or step not in at:
            raise FormatError(f"the weights have no {name!r}.", path=file, hint=_AGAIN)
        if linked := not isinstance(at.get(step, getlink=True), h5py.HardLink):
            break
        at = at[step]
    if linked or (isinstance(at, h5py.Dataset) and (at.external or at.is_virtual)):
        hint = "use weights that are in one file."
        raise UnsafeFileError(f"{name!r} is a link to another file.", path=file, hint=hint)
    fault = ""
    if not isinstance(at, h5py.Dataset) or at.dtype.kind != "f":
        fault = "is not an array of numbers with a fraction"
    elif at.shape != shape:
        fault = f"has the shape {at.shape}; by the options it would be {shape}"
    else:
        stored, chunk = at.id.get_storage_size(), math.prod(at.chunks or ()) * at.dtype.itemsize
        if not stored or at.nbytes > max(_SMALL, _MOST_RATIO * stored) or chunk > max(_SMALL, at.nbytes):
            most = max(at.nbytes, chunk)
            fault = f"takes {most:,} bytes, and {stored:,} bytes of it are in the file"
    if fault:
        raise FormatError(f"{name!r} {fault}.", path=file, hint=_AGAIN)
    return at
