"""Meta-analysis of a difference over several models, layers or corpora, or over several lists of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.errors import InputError, Missing, MissingStimuliError, in_short, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import Crossed, half_width
from crossroads.core.inference.options import number as checked
from crossroads.core.inference.pooling import Measured, Pooled, pool
from crossroads.core.results import Conclusion, Result, Row, Stat, Status, association, below, numbers, stat
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.results.gaps import measured
from crossroads.core.results.gathered import gather, listed_designs
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import between, number, percent
from crossroads.core.wording.phrases import question
from crossroads.words.measures.weat import WeatResult, weat

Over = Literal["model", "layer", "corpus", "word list"]
"""What the members of a meta-analysis are."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MetaResult(Result, Pooled):
    """Mean of a difference over models or word lists, in ordinary associations where these are known."""

    _section: ClassVar[str] = "comparison"
    _stem: ClassVar[str] = "meta"
    _figure: ClassVar[str] = "meta_plot"
    _cites: ClassVar[tuple[str, ...]] = ("higgins2009reevaluation", "inthout2014hartung")
    _label_format: ClassVar[str] = "{design} by {over}"
    _table_title: ClassVar[str] = "Meta-analysis"
    _long_table: ClassVar[tuple[str, str, str]] = ("meta", "tests.len", "")
    _long_names: ClassVar[str] = (
        "mean low high p=pvalue se df tau2 i2 q=cochran_q agreement shared value=_values"
    )
    _file_names: ClassVar[str] = "design member difference value low high p weight"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("test", of="design", several=True),
        stat("member"),
        stat("difference", spare=2),
        stat("value", "× ordinary", "Δ in ordinary associations of the model; Δ where these are not known"),
        stat("ci", "95 % CI", "of a further one: predicted", of="low", kind="interval"),
        stat("p", note="two-sided, for other words; of the mean for other members too"),
        stat("weight", kind="share", spare=3),
    )

    design: str
    """Name of the design, or names of several."""
    over: Over
    """What the members are."""
    tests: Mapping[str, Crossed]
    """Δ of each member, and how sure it is for other words."""
    ordinary: Mapping[str, float]
    """The ordinary association of the model of each member, in which all other numbers are. Empty where these
    are not known: the Δ of several models are not on one scale."""
    words: Mapping[str, Mapping[str, tuple[str, ...]]]
    """The words measured, by member and set."""
    titles: Mapping[str, str]
    """What the sets of the first member stand for."""
    skipped: Mapping[str, str]
    """Members that could not be measured, and why."""

    @property
    def _values(self) -> dict[str, float]:
        return {name: one.difference / self.ordinary.get(name, 1.0) for name, one in self.tests.items()}

    def _members(self) -> Iterator[Row]:
        """The members, their mean, and a further one."""
        for (name, one), weight in zip(self.tests.items(), self.weights, strict=True):
            unit, value = self.ordinary.get(name, 1.0), self._values[name]
            half = float(half_width(one.se, one.df, one.level)) / unit
            row = {"difference": one.difference, "value": value, "p": one.tail("two-sided"), "weight": weight}
            yield {"design": self.design, "member": name, "low": value - half, "high": value + half, **row}
        row = {"value": self.mean, "low": self.low, "high": self.high, "p": self.pvalue}
        yield {"design": self.design, "member": "mean", **row}
        low, high = self.prediction_interval
        yield {"design": self.design, "member": f"a further {self.over}", "low": low, "high": high}

    @property
    def _where(self) -> str:
        return super()._where if self.over == "word list" else ""

    @property
    def _chance(self) -> str:
        another = self.over if self.over == "word list" else f"{self.over} with other words"
        cases = min(99, int(100 * self.agreement))
        return f"another {another} would point the same way in about {cases} of 100 cases"

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for one in results.values():
            left = f"{percent(one.i2)} of the dispersion is not due to the choice of words (I²)"
            yield f"{one._label}: {one._chance}; {left}."
        if any(not one.ordinary for one in results.values()):
            yield "Where no ordinary associations were given, values are Δ."

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        unit, digits = (" × ordinary", 2) if self.ordinary else ("", 3)
        far = abs(self.mean) + float(half_width(self.se, self.df, 1 - 2 * ALPHA))
        other: Status = "absent" if self.ordinary and far <= 1 else "unknown"
        said = association(
            name=self._label,
            titles=self.titles,
            sets=next(iter(self.words.values())),
            status="holds" if below(self.pvalue) else other,
            found=numbers(value=("mean", self.mean), low=("low", self.low), high=("high", self.high)),
            scale=f"Δ{unit}",
        )
        same, every = sum(v * self.mean > 0 for v in self._values.values()), len(self.tests)
        several = "corpora" if self.over == "corpus" else f"{self.over}s"
        among = f"in {'all' if same == every else f'{same} of'} {every} {several}, "
        ends = between(self.low, self.high, digits)
        end = f"; pooled Δ = {number(self.mean, digits)}{unit} ({ends}), {self._chance}"
        first, *rest, last = said.statement
        yield replace(said, statement=(f"{among}{first}", *rest, last + end))


def meta(
    tests: Any,
    designs: Design | Iterable[Design] | None = None,
    *,
    ordinary: Any = None,
    over: Over | None = None,
    words: Words = "effective",
    missing: Missing = "drop",
) -> MetaResult:
    r"""Pool one design over models, layers or corpora, or several designs of one question in one model.

    .. math::
        \hat\theta = \sum_k w_k \Delta_k, \qquad w_k \propto \frac{1}{V_{kk} + \tau^2}, \qquad
        \operatorname{var}\hat\theta = w' V w + \tau^2 w' w

    Members and words are both drawn. :math:`V_{kl} = \sum_i e_{ki} e_{li}` are covariances through the words
    i of two members, :math:`e_{ki} = \pm(s_{ki} - \bar s_k)/\sqrt{n(n - 1)}` with s the contrast of a word
    and n the size of its set: those of targets and attributes minus those of cells, as in ``crossed`` of
    :func:`~crossroads.weat`. More models with the same words do not make the mean surer than these words are.
    :math:`\tau^2` is such that members vary around the mean as these variances lead to expect; without shared
    words that is Paule and Mandel's, and the interval that of Hartung, Knapp, Sidik and Jonkman.

    Parameters
    ----------
    tests
        Vectors by name and one design; vectors of one model and several designs; or results by name, of
        :func:`~crossroads.weat`, :func:`~crossroads.mleat` or, over contexts, :func:`~crossroads.ceat`. Only
        the last have cosines: other results that share a word are taken to have the same error, which is the
        most that they can share.
    ordinary
        The ordinary association of each model, a number or a result with a ``margin``: by name of the member,
        or one for all. Without it Δ are pooled as they are.
    over
        What the members are; by default ``"model"`` for one design and ``"word list"`` for several.
    words, missing
        As in :func:`~crossroads.weat`; members with too few words are in ``skipped``.

    Notes
    -----
    In 27,000 worlds with 3, 5 or 10 members and eight words per set, p < .05 was false in 0–5.7 % by kind of
    world, the interval held the mean in 94–100 % and the prediction interval a further Δ in 92–100 %. With
    the same words in all models an interval that takes errors as independent held it in 18–95 %.

    References
    ----------
    IntHout, J., Ioannidis, J. P. A., & Borm, G. F. (2014). doi:10.1186/1471-2288-14-25; Röver, C., Knapp, G.,
    & Friede, T. (2015). doi:10.1186/s12874-015-0091-1; Higgins, J. P. T., Thompson, S. G., & Spiegelhalter,
    D. J. (2009). doi:10.1111/j.1467-985X.2008.00552.x

    Examples
    --------
    >>> import crossroads as cr
    >>> races = [cr.catalog(name) for name in ("weat3", "weat4", "weat5")]
    >>> emb = cr.load("default", words=[word for design in races for word in design.words])
    >>> result = cr.meta(emb, races, ordinary=0.095)
    >>> round(result.mean, 1), round(result.pvalue, 2), round(result.agreement, 2)
    (0.6, 0.13, 0.82)
    """
    items = _items(tests, designs)
    found, skipped = measured(items, lambda item: _member(*item, words, missing), missing=missing)
    if len(found) < 2:
        what = f"{len(found)} of {len(items)} members can be measured."
        raise InputError(what, hint="give two at least; better five or more.")
    results, members = [test for _, (test, _) in found], {name: member for name, (_, member) in found}
    titles = [dict(test.titles) for test in results if isinstance(test, WeatResult)]
    if other := [one for one in titles if one != titles[0]]:
        what = f"one design asks {question(titles[0])}, another {question(other[0])}."
        raise InputError(what, hint="give designs of one question, whose sets have the same names.")
    names = list(dict.fromkeys(test.design for test in results))
    margins = ordinary if isinstance(ordinary, Mapping) else dict.fromkeys(members, ordinary)
    hint = "give a number above 0 for each member, or a result of cr.stats.ordinary."
    units = {
        name: checked(f"the ordinary association of {name}", getattr(m, "margin", m), above=0.0, hint=hint)
        for name, m in ((name, margins.get(name)) for name in members if ordinary is not None)
    }
    pooled = pool([*members.values()], np.array([units.get(name, 1.0) for name in members]))
    known = all(one.table is not None for one in members.values())
    shared = "from the cosines of all members" if known else "the same in members that share a word"
    return MetaResult(
        **vars(pooled),
        design=", ".join(names),
        over=one_of("kind of member", over or ("model" if len(names) == 1 else "word list"), Over),
        tests={name: one.crossed for name, one in members.items()},
        ordinary=units,
        words={name: dict(one.words) for name, one in members.items()},
        titles=titles[0] if titles else {},
        skipped=skipped,
        conventions={"measure": "meta", "errors over words": shared, "words": words, "missing": missing},
        provenance=tuple(source for test in results for source in test.provenance),
    )


def _items(tests: Any, designs: Any) -> list[tuple[str, tuple[Any, Design | None]]]:
    """Vectors and results by name, with the design that vectors are measured with."""
    listed = [None] if designs is None else listed_designs(designs)
    if isinstance(tests, Embeddings):
        return [(design.name, (tests, design)) for design in listed if design is not None]
    if isinstance(tests, Mapping) and len(listed) == 1:
        return [(str(name), (one, listed[0])) for name, one in tests.items()]
    hint = "give {name: vectors, ...} and a design, vectors and several designs, or {name: result, ...}."
    raise InputError(f"there are {len(listed)} designs with {in_short(tests)}.", hint=hint)


def _member(test: Any, design: Design | None, words: Words, missing: Missing) -> tuple[Any, Measured]:
    """A test, and what is pooled of it."""
    table = None
    if design is not None:
        emb, test = test, weat(test, design, method="normal", words=words, missing=missing)
        table = gather(emb, test.sets, missing="raise", least={}).cosines()
    elif isinstance(test := getattr(test, "level1", test), CeatResult):
        table = test._cosines
    if not isinstance(test, WeatResult | CeatResult):
        hint = "give vectors and a design, or results of cr.weat, cr.mleat or cr.ceat."
        raise InputError(f"a member is {in_short(test)}.", hint=hint)
    sets = {} if test.coverage is None else test.coverage.used
    if test.crossed.reason is not None or "y" not in sets:
        raise MissingStimuliError(f"{test.crossed.reason or 'there is one target'}.", design=test.design)
    return test, Measured(sets, test.crossed, table)
