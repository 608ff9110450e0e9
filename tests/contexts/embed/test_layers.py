"""How layers are asked for."""

from __future__ import annotations

import pytest

from crossroads.contexts.embed.plan import parse_layers
from crossroads.core.errors import InputError


@pytest.mark.parametrize(
    ("wanted", "numbers", "combined"),
    [
        (-1, (12,), "one"),
        ("-1", (12,), "one"),
        (-13, (0,), "one"),
        ("sum", tuple(range(13)), "sum"),
        ("sum:-1, -2", (11, 12), "sum"),
        ("mean:1,2,3", (1, 2, 3), "mean"),
    ],
)
def test_layers_are_counted_from_either_end(
    wanted: int | str, numbers: tuple[int, ...], combined: str
) -> None:
    layers = parse_layers(wanted, 12)
    assert layers.numbers == numbers
    assert layers.combined == combined
    assert parse_layers(str(layers), 12) == layers  # what is recorded can be asked for again


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (13, r"layers 0 \(embeddings\) to 12"),
        ("sum:1,-14", r"layers 0 \(embeddings\) to 12"),
        ("sum:1,,2", "is not a number"),
        ("sum:-1,12", "twice"),
        ("summ", "did you mean 'sum'"),
    ],
)
def test_layers_that_are_not_there_are_refused(wanted: int | str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_layers(wanted, 12)
