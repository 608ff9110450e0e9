"""ML-EAT, the multilevel embedding association test (Wolfe, Hiniker & Howe 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from crossroads.core.errors import Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.inference import options as checks
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import mean_cosine
from crossroads.core.inference.geometry import cosines
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, Method, Ties
from crossroads.core.results import (
    AGREEMENT,
    NAMED,
    QUESTION,
    Conclusion,
    Result,
    Row,
    Stat,
    Values,
    crossed_names,
    long_row,
    named,
    stat,
)
from crossroads.core.results.checks import Checked
from crossroads.core.results.extended import extended
from crossroads.core.results.gathered import (
    check_inputs,
    gather,
    require_two_targets,
    titles_of,
    warn_about_sharing,
)
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import number
from crossroads.core.wording.table import Column, Table
from crossroads.words.measures.weat import DIFFERENCE, Options, WeatResult, crossed_rows, origin, run_test

if TYPE_CHECKING:
    from crossroads.contexts.measures.levels import multilevel_ceat

LEAST_EFFECT = 0.2
"""A target with an effect size at or below this is close to neither attribute."""
ALPHA = 0.05
"""A target with a p-value at or above this is close to neither attribute."""
PATTERNS: Mapping[str, tuple[str | None, str | None]] = {
    "AB-Divergent": ("a", "b"),
    "BA-Divergent": ("b", "a"),
    "A-Uniform": ("a", "a"),
    "B-Uniform": ("b", "b"),
    "AX-Singular": ("a", None),
    "BX-Singular": ("b", None),
    "AY-Singular": (None, "a"),
    "BY-Singular": (None, "b"),
    "Non-Directional": (None, None),
}
"""The nine outcomes (Figure 2 of the paper), with the attribute that the first and the second target are
close to."""
_NAMES = {sides: name for name, sides in PATTERNS.items()}
CELLS: Mapping[str, str] = {"ax": "A with X", "bx": "B with X", "ay": "A with Y", "by": "B with Y"}
"""Heads of Level 3."""


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Level 3: similarity of a target and an attribute, irrespective of the other two sets."""

    mean: float
    """Mean cosine over all pairs of a target and an attribute stimulus."""
    sd: float
    """Standard deviation of those cosines."""
    pairs: int
    """Number of pairs."""
    low: float
    """Lower end of the interval of the mean over the choice of words in both sets."""
    high: float
    """Upper end."""


LEVELS = (
    "pattern crossed_pattern "
    "effect_size_x=level2.x.effect_size effect_size_y=level2.y.effect_size "
    "p_x=level2.x.crossed.pvalue p_y=level2.y.crossed.pvalue"
)
"""Names of the levels of tests, for rules."""
_AGREE, _ALSO = phrases.AGREEMENT, "the same for the first target alone"
_ALONE = "effect size of the first target alone, attributes compared"


def similarities_table(results: Mapping[str, Any]) -> Table:
    """Mean cosine of each attribute with each target, and the standard deviation: Level 3."""
    rows = [
        {"test": name, **{k: f"{number(c.mean, 3)} ({number(c.sd, 3)})" for k, c in one.level3.items()}}
        for name, one in results.items()
    ]
    columns = (Column(key="test", head="test"), *(Column(key=k, head=h) for k, h in CELLS.items()))
    title = "Level 3: mean cosine (standard deviation)"
    return Table(name="similarities", title=title, columns=columns, rows=tuple(rows))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MleatResult(Result):
    """Three levels of association, from the differential test down to plain similarities."""

    _words_for_rules: ClassVar[Iterable[str]] = PATTERNS
    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = (*WeatResult._cites, "wolfe2024mleat", "cohen1988statistical")
    _figure: ClassVar[str] = "eat_map"
    _stem: ClassVar[str] = "mleat"
    _table_title: ClassVar[str] = "Association tests at three levels"
    _file_names: ClassVar[str] = " ".join(
        (
            f"design {crossed_names('level1.')} effect_size=level1.effect_size exact_p=level1.pvalue",
            "method=level1.method",
            *(
                f"{crossed_names(f'level2.{key}.', f'_{key}')} effect_size_{key}=level2.{key}.effect_size "
                f"exact_p_{key}=level2.{key}.pvalue"
                for key in "xy"
            ),
            *(f"mean_{key}=level3.{key}.mean sd_{key}=level3.{key}.sd" for key in CELLS),
            "pattern crossed_pattern",
        )
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "test": f"{crossed_names('level1.', ends='difference_')} effect_size=level1.effect_size "
        f"exact_p=level1.pvalue {LEVELS} exact_p_x=level2.x.pvalue exact_p_y=level2.y.pvalue "
        "left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        NAMED,
        QUESTION,
        AGREEMENT.under("level1"),
        stat("d", of="level1.effect_size"),
        *(one.under("level1") for one in DIFFERENCE),
        stat("agree_x", "agree X", _AGREE, of="level2.x.crossed.agreement", kind="chance", spare=3),
        stat("d_x", "d(X)", _ALONE, of="level2.x.effect_size", spare=3),
        stat("p_x", "p(X)", _ALSO, of="level2.x.crossed.pvalue", kind="p", spare=3),
        stat("agree_y", "agree Y", of="level2.y.crossed.agreement", kind="chance", spare=3),
        stat("d_y", "d(Y)", "the same for the second target", of="level2.y.effect_size", spare=3),
        stat("p_y", "p(Y)", of="level2.y.crossed.pvalue", kind="p", spare=3),
        stat("pattern", of="crossed_pattern"),
        stat("published", "paper's pattern", phrases.PAPER_PATTERN, of="pattern", spare=2),
    )

    design: str
    """Name of the design."""
    level1: WeatResult
    """The differential test: the WEAT."""
    level2: Mapping[str, WeatResult]
    """Each target alone against the two attributes; keys ``x`` and ``y``."""
    level3: Mapping[str, Similarity]
    """Each target with each attribute; keys ``ax``, ``bx``, ``ay``, ``by``."""
    pattern: str
    """Which of the nine outcomes it is by the rule of the paper, whose p-values take the attribute words as
    given; outputs show ``crossed_pattern``."""
    titles: Mapping[str, str]
    """What the four sets stand for."""
    crossed_pattern: str
    """Which of the nine outcomes it is by the p-values for other words."""

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterable[str]:
        return WeatResult._table_notes({one.design: one.level1 for one in results.values()})

    def _pvalue_methods(self) -> Iterator[tuple[str, str]]:
        yield " level 1", self.level1.method
        yield from ((f" level 2 {key}", one.method) for key, one in self.level2.items())

    def _long_rows(self, name: str) -> Iterator[Row]:
        yield from _level_rows(name, "level 1", self.level1)
        for key, level in self.level2.items():
            yield from _level_rows(name, f"level 2 {key}", level)
        for key, cell in self.level3.items():
            row = partial(long_row, "mleat", name, f"level 3 {key}", n=cell.pairs)
            yield row("mean", cell.mean, low=cell.low, high=cell.high)
            yield row("sd", cell.sd)
        yield long_row("mleat", name, self.pattern, "pattern", None)
        yield long_row("mleat", name, self.crossed_pattern, "crossed_pattern", None)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        yield self.level1._concluded(self.design, self.level1._answer, "level1/")

    def _checks(self) -> Iterator[Checked]:
        yield from (replace(test, question=self._question) for test in self.level1._checks())

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        yield from ((name, kind, values) for _, kind, values in super()._readings(name))


def _level_rows(name: str, part: str, level: WeatResult) -> Iterator[Row]:
    row = partial(long_row, "mleat", name, part, n=len(level.associations))
    method = level.method
    yield from crossed_rows("mleat", name, part, level.crossed, level.pvalue)
    yield row("effect_size", level.effect_size, p=level.crossed.pvalue, exact_p=level.pvalue, method=method)
    yield row("statistic", level.exchange.statistic)
    own = (level.pvalue, level.pvalue_low, level.pvalue_high)
    tails = {f"exact_p {tail}": numbers for tail, numbers in level.exchange.tails.items()}
    for statistic, (value, low, high) in {"exact_p": own, **tails}.items():
        yield row(statistic, value, low=low, high=high, method=method)
    yield row("min_exact_p", level.min_pvalue)
    for statistic, count in (("ties", level.ties), ("divisions", level.exchange.divisions)):
        if count is not None:
            yield row(statistic, count)
    for key in ("x", "y") if "y" in level.sets else ("a", "b"):
        for word in level.sets[key]:
            yield long_row("mleat", name, f"{part} {key} {word}", "association", level.associations[word])


@extended("multilevel_ceat", lambda: multilevel_ceat)
def mleat(
    emb: Embeddings,
    design: Design,
    *,
    alternative: Alternative = "two-sided",
    ddof: int = 1,
    ties: Ties = "weak",
    method: Method = "auto",
    seed: int = 0,
    missing: Missing = "raise",
    max_work: float = MAX_WORK,
    alpha: float = ALPHA,
    least_effect: float = LEAST_EFFECT,
    words: Words = "effective",
) -> MleatResult:
    r"""Measure an association at three levels and name its pattern.

    Level 1 is the WEAT. Level 2 tests for each target T alone whether it is closer to A or to B,

    .. math::
        d_T = \frac{\operatorname{mean}_{a \in A} u(T, a) - \operatorname{mean}_{b \in B} u(T, b)}
                   {\operatorname{sd}_{c \in A \cup B} u(T, c)}, \qquad
        u(T, c) = \operatorname{mean}_{t \in T} \cos(t, c),

    permuting the attributes. Level 3 gives the mean and standard deviation of the cosines of each target
    with each attribute. The two Level 2 tests decide which of nine patterns it is. Of
    :class:`~crossroads.Contexts` the same levels are combined over samples of contexts under random effects:
    ``crossroads.contexts.measures.levels``.

    Parameters
    ----------
    emb, design, ddof, ties, method, seed, missing, max_work, words
        As in :func:`~crossroads.weat`; ``ddof`` applies to all three levels.
    alternative
        ``"two-sided"``; ``"greater"``, ``"less"``, or ``"observed"``, the tail on the observed side, which is
        what the paper's tables star: it is chosen after the fact, so its true level is twice the nominal one.
    alpha, least_effect
        Level and effect size that a Level 2 test must reach for its target to be close to an attribute.

    Notes
    -----
    *Departures:* the paper stars by a normal curve fitted to the permutation distribution
    (``method="normal"``); here all divisions are counted.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.mleat(emb, design)
    >>> round(result.level1.effect_size, 2), round(result.level2["x"].effect_size, 2), result.pattern
    (1.5, 0.75, 'Non-Directional')
    """
    options = Options(alternative, ddof, ties, method, seed, max_work, words)
    check_inputs(design, emb)
    require_two_targets(
        design, hint="the ML-EAT compares two; give y, or use weat() for a single-target test."
    )
    check_rule(alpha, least_effect)
    warn_about_sharing(design, stacklevel=4)
    found = gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", 2), design=design.name)
    titles = titles_of(design.sets)
    level1 = run_test(found, emb, options, design=design.name, digest=design.digest, titles=titles)
    level2 = {
        name: run_test(
            replace(
                found,
                vectors={"x": found.vectors[name], "a": found.vectors["a"], "b": found.vectors["b"]},
                words={"x": found.words[name], "a": found.words["a"], "b": found.words["b"]},
            ),
            emb,
            options,
            design=f"{design.name} ({name})",
            digest=design.digest,
            titles={**titles, "x": titles[name]},
        )
        for name in ("x", "y")
    }
    vectors = found.vectors
    table = {f"{a}{target}": cosines(vectors[target], vectors[a]) for target in "xy" for a in "ab"}
    level3 = {}
    for key, c in table.items():
        ends = named(mean_cosine(c), "low high")
        level3[key] = Similarity(mean=float(c.mean()), sd=float(c.std(ddof=ddof)), pairs=c.size, **ends)
    rule = {"least_effect": least_effect, "alpha": alpha}
    exact = [lean(level.effect_size, level.pvalue, **rule) for level in level2.values()]
    others = [lean(level.effect_size, level.crossed.pvalue, **rule) for level in level2.values()]
    conventions = {
        **level1.conventions,
        "measure": "mleat",
        "association": "Level 1: difference of mean cosines; Level 2: mean cosine; Level 3: cosine",
        "alpha": alpha,
        "least_effect": least_effect,
    }
    return MleatResult(
        design=design.name,
        level1=level1,
        level2=level2,
        level3=level3,
        pattern=pattern_of(*exact),
        crossed_pattern=pattern_of(*others),
        titles=titles,
        **origin(emb, found.coverage, conventions),
    )


def check_rule(alpha: float, least_effect: float) -> None:
    """Raise an error for a rule that cannot decide whether a target is close to an attribute."""
    checks.share("alpha", alpha, hint="give a share between 0 and 1, such as 0.05.")
    hint = "give a number that is not negative, such as 0.2."
    checks.number("least_effect", least_effect, least=0.0, hint=hint)


def lean(effect_size: float, pvalue: float | None, *, least_effect: float, alpha: float) -> str | None:
    """The attribute that a target is close to: ``"a"``, ``"b"`` or neither.

    By default it is A when the Level 2 effect size exceeds 0.2, and B when it is below −0.2, with p < 0.05.
    (The paper's text has "p-value > 0.05" here, which contradicts its tables.)
    """
    if pvalue is None or pvalue >= alpha:
        return None
    if effect_size > least_effect:
        return "a"
    return "b" if effect_size < -least_effect else None


def pattern_of(x: str | None, y: str | None) -> str:
    """Name of the pattern of two targets, by the attributes that they are close to."""
    return _NAMES[x, y]


def critical_effect(
    n_a: int, n_b: int, *, ddof: int, alternative: str, least_effect: float, alpha: float
) -> float:
    """The smallest effect size that the normal curve fitted to the divisions calls significant."""
    tail = alpha / 2 if alternative == "two-sided" else alpha
    n = n_a + n_b
    scale = float(np.sqrt((1 / n_a + 1 / n_b) * ((n - ddof) / (n - 1))))
    return max(-NormalDist().inv_cdf(tail) * scale, least_effect)


def cells(pattern: str) -> dict[str, bool]:
    """Which of the four cells of the EAT-Map are associated: ``"ax"``, ``"bx"``, ``"ay"``, ``"by"``."""
    close = dict(zip("xy", PATTERNS[pattern], strict=True))
    return {cell: close[cell[1]] == cell[0] for cell in CELLS}


@dataclass(frozen=True, kw_only=True)
class MapCell:
    """One of the four cells of an EAT-Map: a target next to an attribute."""

    towards: bool
    """Whether the target lies further towards this attribute than towards the other one."""
    found: bool
    """Whether the target is found to be close to this attribute."""
    step: int
    """Strength of its colour, from 0 to 3; at most 2 where it is not found."""
    size: float | None
    """Size of the Level 2 effect size, without its sign; None where it is not towards this attribute."""


def map_cells(pattern: str, effects: Mapping[str, float] | None = None) -> dict[str, MapCell]:
    """The four cells of an EAT-Map by name: ``"ax"``, ``"bx"``, ``"ay"``, ``"by"``."""
    made, most = {}, len(phrases.STRENGTHS)
    for key, found in cells(pattern).items():
        d = None if effects is None else effects[key[1]]
        towards = found if d is None else (d > 0 if key[0] == "a" else d < 0)
        size = abs(d) if d is not None and towards else None
        step = most * found if size is None else sum(size >= strength for strength in phrases.STRENGTHS)
        step = max(step, 1) if found else min(step, most - 1)
        made[key] = MapCell(towards=towards, found=found, step=step, size=size)
    return made


def reach(exact: float, beyond: float | None, *, alpha: float = ALPHA) -> str:
    """How far the difference of two targets reaches, a key of ``phrases.DIFFERENCES``.

    >>> reach(0.001, 0.01), reach(0.001, 0.3), reach(0.2, 0.3)
    ('others', 'words', '')
    """
    if beyond is not None and beyond < alpha:
        return "others"
    return "words" if exact < alpha else ""
