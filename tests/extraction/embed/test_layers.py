"""How layers are asked for."""

from __future__ import annotations

import pytest

from crossroads.errors import InputError, UnknownNameError
from crossroads.extraction.embed.layers import parse_layers


@pytest.mark.parametrize(
    ("wanted", "numbers", "combined"),
    [
        (-1, (12,), "one"),
        ("-1", (12,), "one"),
        (0, (0,), "one"),
        (-13, (0,), "one"),
        ("7", (7,), "one"),
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


@pytest.mark.parametrize("wanted", [13, -14, "sum:1,13"])
def test_a_layer_that_is_not_there_is_said_with_those_that_are(wanted: int | str) -> None:
    with pytest.raises(InputError, match=r"layers 0 \(embeddings\) to 12"):
        parse_layers(wanted, 12)


@pytest.mark.parametrize("wanted", ["sum:", "sum:1,,2", "mean:one"])
def test_a_number_that_is_none_is_named(wanted: str) -> None:
    with pytest.raises(InputError, match="is not a number"):
        parse_layers(wanted, 12)


def test_a_layer_cannot_count_twice() -> None:
    with pytest.raises(InputError, match="twice"):
        parse_layers("sum:-1,12", 12)


def test_a_mistyped_word_brings_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'sum'"):
        parse_layers("summ", 12)
