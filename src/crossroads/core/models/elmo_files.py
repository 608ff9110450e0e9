"""The two files of an ELMo as AllenNLP published it: options in JSON, weights in HDF5, and their checks.

Shapes follow from the options and are compared before any number is read, also with the bytes in the file.
Links to other files, which HDF5 allows, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import (
    CrossroadsError,
    FormatError,
    InputError,
    UnsafeFileError,
    in_short,
    join_words,
    one_of,
    require,
)
from crossroads.core.stimuli.files.text import load_json

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
        raise InputError(
            f"{folder} has the weights of {len(pairs)} ELMo models: {names}.",
            hint="put each model, its options and its weights, into a folder of its own.",
        )
    return pairs[0] if pairs else None


def required_files(folder: str | Path) -> tuple[Path, Path]:
    """The options and the weights in a folder; it is an error if there are none."""
    found = elmo_files(folder)
    if found is None:
        raise FormatError(
            "the folder has no ELMo.", path=folder, hint=f"put {OPTIONS} and {WEIGHTS} into it."
        )
    return found


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

    @property
    def dim(self) -> int:
        """Dimensions of a vector: forward and backward half."""
        return 2 * self.projection

    @property
    def convolved(self) -> int:
        """Dimensions after all convolutions."""
        return sum(number for _, number in self.filters)


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
        raise FormatError(
            f"the activation of its characters is {in_short(activation)}.",
            path=file,
            hint="ELMo uses 'relu' or 'tanh'.",
        )
    return ElmoOptions(
        filters=_filters(cnn.get("filters"), file),
        activation=one_of("activation", activation, Activation),
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


def _part(data: Any, name: str, file: Path) -> Mapping[str, Any]:
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, dict):
        raise FormatError(f"the options have no {name!r}.", path=file, hint=_AGAIN)
    return found


def _whole(part: Mapping[str, Any], name: str, file: Path, *, least: int = 1, most: int = _MOST) -> int:
    value = part.get(name)
    if name not in part:
        raise FormatError(f"the options have no {name!r}.", path=file, hint=_AGAIN)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FormatError(
            f"{name} is {in_short(value)}.", path=file, hint=f"it is a whole number from {least} to {most:,}."
        )
    return value


def _clip(part: Mapping[str, Any], name: str, file: Path) -> float:
    value = part.get(name)
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise FormatError(f"{name} is {in_short(value)}.", path=file, hint="it is a number above 0, or null.")
    return float(value)


def _filters(value: Any, file: Path) -> tuple[tuple[int, int], ...]:
    try:
        found = tuple((width, number) for width, number in value)
    except (TypeError, ValueError):
        found = ()
    plain = [one for pair in found for one in pair]
    if not found or any(
        isinstance(one, bool) or not isinstance(one, int) or not 0 < one <= _MOST for one in plain
    ):
        raise FormatError(
            f"its filters are {in_short(value)}.",
            path=file,
            hint="they are pairs of a width in characters and a number, such as [[1, 32], [2, 32]].",
        )
    return found


def expected_shapes(options: ElmoOptions) -> dict[str, tuple[int, ...]]:
    """The name of every array in a file of weights, and its shape."""
    wide, cells, out = options.convolved, options.cells, options.projection
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
    numbers = sum(math.prod(shape) for shape in shapes.values())
    if numbers > _MOST_NUMBERS:
        raise FormatError(
            f"by its options the model has {numbers:,} weights, at most {_MOST_NUMBERS:,} are read.",
            path=file,
            hint="the largest published ELMo has 94 million; check options.json.",
        )
    try:
        with h5py.File(file, "r") as opened:
            found = {name: _dataset(h5py, opened, name, shape, file) for name, shape in shapes.items()}
            return {name: _numbers(one, name, file) for name, one in found.items()}
    except CrossroadsError:
        raise
    except (OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:  # of h5py
        raise FormatError(
            "these are not weights in HDF5, or the file is cut off.", path=file, hint=_AGAIN
        ) from error


def _dataset(h5py: Any, opened: Any, name: str, shape: tuple[int, ...], file: Path) -> Any:
    """An array that is there, in this file, of floating-point numbers, and of the right shape."""
    at = opened
    for step in name.split("/"):
        if not isinstance(at, h5py.Group) or step not in at:
            raise FormatError(f"the weights have no {name!r}.", path=file, hint=_AGAIN)
        if not isinstance(at.get(step, getlink=True), h5py.HardLink):
            raise _elsewhere(name, file)
        at = at[step]
    if not isinstance(at, h5py.Dataset) or at.dtype.kind != "f":
        raise FormatError(f"{name!r} is not an array of numbers with a fraction.", path=file, hint=_AGAIN)
    if at.external or at.is_virtual:
        raise _elsewhere(name, file)
    if at.shape != shape:
        raise FormatError(
            f"{name!r} has the shape {at.shape}; by the options it would be {shape}.", path=file, hint=_AGAIN
        )
    stored, chunk = at.id.get_storage_size(), math.prod(at.chunks or ()) * at.dtype.itemsize
    if not stored or at.nbytes > max(_SMALL, _MOST_RATIO * stored) or chunk > max(_SMALL, at.nbytes):
        raise FormatError(
            f"{name!r} takes {max(at.nbytes, chunk):,} bytes, and {stored:,} bytes of it are in the file.",
            path=file,
            hint=_AGAIN,
        )
    return at


def _elsewhere(name: str, file: Path) -> UnsafeFileError:
    return UnsafeFileError(
        f"{name!r} is a link to another file.", path=file, hint="use weights that are in one file."
    )


def _numbers(dataset: Any, name: str, file: Path) -> Array:
    numbers = np.asarray(dataset[()], np.float32)
    if not np.isfinite(numbers).all():
        raise FormatError(f"{name!r} has values that are not finite.", path=file, hint=_AGAIN)
    return numbers
