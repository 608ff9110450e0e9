"""Tables A9 and A10 of the ABC study and the text of its section 5.2, about pairs of groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from crossroads.measures.pairs.truth import poles
from crossroads.papers.abc.paired_scores import PairedScores
from crossroads.papers.abc.tables import how_pairs, how_truth, model_of, paired_column, table_cell
from crossroads.papers.cells import Attempt, Cell, credible, judge
from crossroads.papers.published import table
from crossroads.stimuli import catalog

_BY_ADJECTIVE = "scores of the 32 adjectives instead of the 16 pairs of them"
_BY_TRAIT = "scores of opposite pairs of adjectives instead of single ones"
_ACROSS = "without the pairs within a domain"
_ORDERS = {
    "correlation with the first component": "first",
    "correlation with the second component": "second",
    "correlation with the closer component": "highest",
    "correlation of the two orders": "reversed",
}
_AGREEMENT = {"precision of emergent traits": "precision", "recall of emergent traits": "recall"}


def pair_cells(pairs: PairedScores | None) -> list[Cell]:
    """Every cell about pairs of groups: as printed, and as measured if pairs were scored."""
    return credible([*_domains(pairs), *_orders(pairs), *_agreement(pairs), *_emergent(pairs)])


def notes_on_pairs(pairs: PairedScores | None) -> Iterator[str]:
    """Notes on the pairs, and how far the largest increases agree."""
    if pairs is None:
        return
    yield (
        "The paper does not print its list of paired groups; ours holds every pair of Table A10 and is made "
        "by rules, so that means over pairs may differ for that reason alone. "
        "Scores are taken as given: other versions of SeT (crossroads probe --score code, --bias) cannot "
        "be tried here."
    )
    printed = [(group, trait) for group, trait, *_ in table("abc")["tableA10"]["rows"]]
    largest = pairs.largest(len(printed))
    if largest is not None:
        same = len(set(printed) & set(largest))
        yield f"{same} of the {len(printed)} associations of Table A10 are among our {len(printed)} largest."


def _said(
    text: str, ours: float | None, lacking: str, attempts: list[Attempt], pairs: PairedScores, kind: str
) -> tuple[str, str]:
    """Verdict and reason of a cell for which pairs were scored, whether it was measured or not."""
    if ours is None:
        return "not covered", pairs.fault(
            kind
        ) or lacking or "the scores of the pairs do not give this number"
    if not pairs.same:
        also = f"; {lacking}" if lacking else ""
        return "other model", f"the paper measured {model_of(paired_column())}{also}"
    if lacking:
        return "not covered", lacking
    return judge(text, ours, attempts)


def _domains(pairs: PairedScores | None) -> Iterator[Cell]:
    """Table A9: mean correlations of paired groups with their component of either domain."""
    for one, two, first, second in table("abc")["tableA9"]["rows"]:
        for at, (domain, value) in enumerate(((one, first), (two, second))):
            text, ours = f"{value:.3f}", None
            said = "model absent", how_pairs()
            if pairs is not None:
                value_of = partial(pairs.correlation, (one, two), at)
                ours = value_of()
                other = (_BY_ADJECTIVE, partial(value_of, adjectives=True))
                said = _said(text, ours, pairs.lacking((one, two)), [other], pairs, "domains")
            yield table_cell("tableA9", f"{one} and {two}", f"correlation with {domain}", text, ours, said)


def _orders(pairs: PairedScores | None) -> Iterator[Cell]:
    """The correlations in the text of section 5.2."""
    for column, which in _ORDERS.items():
        text, ours = f"{table('abc')['text'][column]:.2f}", None
        said = "model absent", how_pairs()
        if pairs is not None:
            value_of = partial(pairs.order, which)
            ours = value_of()
            attempts: list[Attempt] = [
                (_BY_ADJECTIVE, partial(value_of, adjectives=True)),
                (_ACROSS, partial(value_of, across=True)),
            ]
            if which != "reversed":
                alone = "over only the pairs given in both orders"
                every = "over all pairs, also those given in one order only"
                other = alone if which == "highest" else every
                attempts.append((other, partial(pairs.other_pairs, which)))
            said = _said(text, ours, pairs.lacking(), attempts, pairs, "orders")
        yield table_cell("Text of 5.2", paired_column(), column, text, ours, said)


def _agreement(pairs: PairedScores | None) -> Iterator[Cell]:
    """Precision and recall of emergent traits against human answers."""
    ends = poles(catalog().traits("abc-traits"))
    scales = {adjective: end.partition(" ")[2] for adjective, end in ends.items()}
    for column, which in _AGREEMENT.items():
        text, ours = f"{table('abc')['text'][column]:.2f}", None
        said = "model absent", how_pairs(truth=True)
        if pairs is not None and pairs.truth is None:
            said = (
                "not covered",
                f"needs human answers about pairs: {how_truth()}, and give --truth TRUTH.csv",
            )
        elif pairs is not None:
            value_of = partial(pairs.agreement, which)
            ours = value_of(ends)
            attempts: list[Attempt] = [
                ("above both components or below both", partial(value_of, ends, direction="both")),
                ("scales without their ends", partial(value_of, scales)),
                ("single adjectives", partial(value_of, None)),
            ]
            said = _said(text, ours, pairs.unlisted, attempts, pairs, "truth")
        yield table_cell("Text of 5.2", paired_column(), column, text, ours, said)


def _emergent(pairs: PairedScores | None) -> Iterator[Cell]:
    """Table A10: how far a pair scores above both components, and the larger component score."""
    for group, trait, rise, score in table("abc")["tableA10"]["rows"]:
        for at, (column, value) in enumerate((("increase", rise), ("component score", score))):
            text, ours = f"{value:.4f}", None
            said = "model absent", how_pairs()
            if pairs is not None:
                value_of = partial(pairs.rise, group, trait, at)
                ours = value_of()
                other = (_BY_TRAIT, partial(value_of, on="traits"))
                said = _said(text, ours, pairs.absent(group) or pairs.thin, [other], pairs, "table")
            yield table_cell("tableA10", f"{group}, {trait}", column, text, ours, said)
