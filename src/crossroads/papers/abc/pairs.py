"""Tables A9 and A10 of the ABC study and the text of its section 5.2, about pairs of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from crossroads.papers.abc.paired_scores import PairedScores
from crossroads.papers.abc.tables import model_of, paired_column, table_cell
from crossroads.papers.cells import Cell, credible, judge
from crossroads.papers.published import table

Options = Mapping[str, Mapping[str, Any]]
"""Other conventions by name, with the options that give them."""
_BY_ADJECTIVE: Options = {"scores of the 32 adjectives instead of the 16 pairs of them": {"adjectives": True}}
_BY_TRAIT: Options = {"scores of opposite pairs of adjectives instead of single ones": {"on": "traits"}}
_OTHER_ORDERS: Options = {**_BY_ADJECTIVE, "without the pairs within a domain": {"across": True}}
_ALL_PAIRS: Options = {"over all pairs, also those given in one order only": {"other_pairs": True}}
_BOTH_ORDERS: Options = {"over only the pairs given in both orders": {"other_pairs": True}}
_ORDERS: Mapping[str, tuple[str, Options]] = {
    "correlation with the first component": ("first", {**_OTHER_ORDERS, **_ALL_PAIRS}),
    "correlation with the second component": ("second", {**_OTHER_ORDERS, **_ALL_PAIRS}),
    "correlation with the closer component": ("highest", {**_OTHER_ORDERS, **_BOTH_ORDERS}),
    "correlation of the two orders": ("reversed", _OTHER_ORDERS),
}
_AGREEMENT = {"precision of emergent traits": "precision", "recall of emergent traits": "recall"}
_OTHER_AGREEMENT: Options = {
    "above both components or below both": {"direction": "both"},
    "scales without their ends": {"by": "scales"},
    "single adjectives": {"by": "adjectives"},
}


class Asked(NamedTuple):
    """A printed number about pairs, and how it is measured."""

    place: tuple[str, str, str, str]
    """Table, row, column, and the number as printed."""
    method: str
    """The method of :class:`PairedScores`."""
    arguments: tuple[Any, ...]
    """Its arguments."""
    others: Options
    """Other conventions."""


def asked_of_pairs() -> Iterator[Asked]:
    """Every printed number about pairs of groups."""
    source = table("abc")
    for one, two, *values in source["tableA9"]["rows"]:
        for at, domain in enumerate((one, two)):
            place = ("tableA9", f"{one} and {two}", f"correlation with {domain}", f"{values[at]:.3f}")
            yield Asked(place, "correlation", ((one, two), at), _BY_ADJECTIVE)
    for column, value in source["text"].items():
        place = ("Text of 5.2", paired_column(), column, f"{value:.2f}")
        if column in _ORDERS:
            which, others = _ORDERS[column]
            yield Asked(place, "order", (which,), others)
        else:
            yield Asked(place, "agreement", (_AGREEMENT[column],), _OTHER_AGREEMENT)
    for group, trait, *values in source["tableA10"]["rows"]:
        for at, column in enumerate(("increase", "component score")):
            place = ("tableA10", f"{group}, {trait}", column, f"{values[at]:.4f}")
            yield Asked(place, "rise", (group, trait, at), _BY_TRAIT)


def pair_cells(pairs: PairedScores | None) -> list[Cell]:
    """Every cell about pairs of groups: as printed, and as measured if pairs were scored."""
    return credible(_cell(one, pairs) for one in asked_of_pairs())


def _cell(one: Asked, pairs: PairedScores | None) -> Cell:
    if pairs is None:
        how = table("abc")["get"]["pairs and answers" if one.method == "agreement" else "pairs"]
        return table_cell(*one.place, None, absent=how)
    measure: Callable[..., float | None] = partial(getattr(pairs, one.method), *one.arguments)
    ours = measure()
    lacking = pairs.lacking(one.method, one.arguments[0])
    if ours is None:
        lacking = pairs.fault(one.method) or lacking or "the scores of the pairs do not give this number"
    attempts = [(name, partial(measure, **options)) for name, options in one.others.items()]
    other = "" if pairs.same else model_of(paired_column())
    judges = partial(judge, one.place[3], attempts=attempts)
    return table_cell(*one.place, ours, judges, lacking=lacking, other=other)


def notes_on_pairs(pairs: PairedScores | None) -> Iterator[str]:
    """Notes on the pairs, and how far the largest increases agree."""
    if pairs is None:
        return
    yield (
        "The paper does not print its list of paired groups; ours holds every pair of Table A10 and is made "
        "by rules, so that means over pairs may differ for that reason alone. "
        "Scores are taken as given: other versions of SeT (crossroads probe -C score=code, -C bias) cannot "
        "be tried here."
    )
    printed = [(group, trait) for group, trait, *_ in table("abc")["tableA10"]["rows"]]
    largest = pairs.largest(len(printed))
    if largest is not None:
        same = len(set(printed) & set(largest))
        yield f"{same} of the {len(printed)} associations of Table A10 are among our {len(printed)} largest."
