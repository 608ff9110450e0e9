"""Whether an association is more than words being rare or common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import log
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, Missing, join_words, one_of
from crossroads.core.evidence import Contexts, Embeddings
from crossroads.core.inference.copies import Near, Words, near
from crossroads.core.inference.crossed import (
    Crossed,
    Facing,
    crossed,
    facing,
    spread_at_equal,
    tail_probability,
)
from crossroads.core.inference.geometry import Floats, effect_size, rounding_error, unit
from crossroads.core.inference.options import whole
from crossroads.core.results import QUESTION, Stat, label_for, named, stat
from crossroads.core.results.checks import FREQUENCY, Check
from crossroads.core.results.gaps import NO_CONTEXT, NOT_THERE, too_few
from crossroads.core.results.gathered import Gathered, check_inputs, gather, require_two_targets, titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, between, number, p_equals, percent
from crossroads.words.checks.matched import Drawn, Windows, drawn_targets, drawn_tests, windows
from crossroads.words.checks.scales import Scale, scale_of
from crossroads.words.measures.weat import CheckOfTest, origin

Rows = NDArray[np.intp]
Answer = Literal["yes", "no", "cannot tell"]
NO_FREQUENCY = "no frequency is known"
_SETS = ("x", "y", "a", "b")
_LEVEL = 0.05
_HARDLY = 0.1
"""Overlap below which targets are not compared at equal frequency: about 3.3 standard deviations."""
_LIKE = log(2)
"""Words are alike in frequency where one is at most twice as frequent as the other."""
_RELIABILITY = 0.7
"""Of frequencies that are not the model's own: lists of other texts have .44 to .99 within sets of words."""
_APPROXIMATED = 13
"""Words of each attribute from which on their exchange is approximated, since counting takes seconds."""
_LEAST_POOL = 1_000
"""Other words from which on some are drawn: fewer are rather those of other tests than of the language."""
_QUANTILES = (0.025, 0.5, 0.975)
_MATCHED = "share of tests on frequency-matched words in place of the targets with at least such a d"
_DRAWN = "of that, all words resampled"
_FREQUENCIES = "gap overlap r matched_pvalue matched_both_pvalue"
_EQUAL = " ".join(f"adjusted_{name}=adjusted.{name}" for name in ("difference", "low", "high", "pvalue"))


@dataclass(frozen=True, kw_only=True)
class FrequencyBasis:
    """What an answer about frequency rests on."""

    source: str
    """Where frequencies come from."""
    log_frequencies: Mapping[str, float]
    """Log frequency of every word, up to a number that is the same for all."""
    associations: Mapping[str, float]
    """Association of every target word, at equal frequency of the attributes."""
    slope: float
    """Change of these with log frequency within the targets, errors of the frequencies taken into account."""
    draws: int
    """Number of tests on frequency-matched words, of each kind."""
    reliability: float
    """Share of the variance of log frequencies within a set that counts as the model's own; the rest is
    error, which makes slopes too flat."""
    least_reliability: float | None
    """From which share on the difference at equal frequency has p < .05 and its sign; None with the model's
    own frequencies, or where there is none."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FrequencyResult(CheckOfTest):
    """How much of one test the frequency of its words explains."""

    _stem: ClassVar[str] = "frequency"
    _figure: ClassVar[str] = "frequency_plot"
    _cites: ClassVar[tuple[str, ...]] = (
        "ethayarajh2019understanding",
        "vanloon2022negative",
        "valentini2022undesirable",
        "inman1989overlapping",
    )
    _label_format: ClassVar[str] = "{design} frequency"
    _table_title: ClassVar[str] = "Beyond frequency"
    _long_table: ClassVar[tuple[str, str, str]] = ("frequency", "basis.draws", "")
    _file_names: ClassVar[str] = f"design {_FREQUENCIES} effect_size difference {_EQUAL} answer reason"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "frequency": f"{_FREQUENCIES} difference {_EQUAL} answer left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("design", "test"),
        QUESTION,
        stat("answer", note="whether the association is more than frequency"),
        stat("gap", note="difference of mean log frequencies of the targets, in SD"),
        stat("overlap", note="of these frequencies", kind="share", spare=2),
        stat("r", note="of association and log frequency within the targets", spare=3),
        stat("matched_pvalue", "p (like)", _MATCHED, kind="estimate"),
        stat("matched_both_pvalue", "p (all like)", "the same for all sets", kind="estimate", spare=2),
        Stat("difference", "difference", {"head": "Δ", "note": "difference of mean cosines", "digits": 3}),
        stat("adjusted_difference", "Δ (equal)", "at equal frequency", of="adjusted.difference", digits=3),
        stat("interval", note=_DRAWN, of="adjusted.low", digits=3, kind="interval", spare=5),
        stat("adjusted_pvalue", "p (equal)", _DRAWN, of="adjusted.pvalue", kind="p", spare=4),
    )

    effect_size: float
    """The effect size d of the test."""
    difference: float
    """Its difference of mean cosines Δ."""
    gap: float | None
    """Difference of the mean log frequencies of both targets, in their pooled standard deviations; None where
    the words of each target are equally frequent and the targets are not."""
    overlap: float
    """Overlapping coefficient of the log frequencies of both targets, taken as normal with the same spread:
    1 where they are alike, towards 0 where they are apart."""
    r: float | None
    """Correlation of log frequencies within the targets with associations at equal frequency of the
    attributes; None where either does not vary."""
    matched_pvalue: float | None
    """Share of tests on frequency-matched words in place of the targets whose \\|d\\| is at least as large;
    if most of them lie on the other side of 0, a \\|d\\| that few reach on this side is as rare as that. None
    where there are no such words."""
    matched_both_pvalue: float | None
    """The same with frequency-matched words in place of targets and attributes."""
    matched: Mapping[str, tuple[float, ...]]
    """Quantiles 2.5 %, 50 % and 97.5 % of those tests: ``effect_size`` and ``difference``, and with
    attributes drawn too ``both_effect_size`` and ``both_difference``."""
    adjusted: Crossed
    """The difference at equal frequency, and how sure it is for other words."""
    answer: str
    """Whether the association is more than frequency: ``"yes"``, ``"no"`` or ``"cannot tell"``."""
    reason: str
    """Why."""
    basis: FrequencyBasis
    """What the answer rests on: the words as points, the line through them, and the number of draws."""
    sets: Mapping[str, tuple[str, ...]]
    """The words of each set."""

    def _headline(self) -> str:
        texts = [self.answer if self.gap is None else f"{self.answer}, gap = {number(self.gap)}"]
        if self.matched_pvalue is not None:
            texts.append(f"frequency-matched words {p_equals(P(self.matched_pvalue, '≈'))}")
        change = f"{number(self.difference, 3)} to {number(self.adjusted.difference, 3)}"
        return ", ".join([*texts, f"Δ from {change} at equal frequency"])

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """The answer and its reason, of a single test."""
        if len(results) == 1:
            yield from (f"{one.design}: {one.answer}, {one.reason}." for one in results.values())

    def _check(self) -> Check:
        matched = self.matched_pvalue is not None
        return Check(
            asks=FREQUENCY,
            answer=self.answer,
            value=self.matched_pvalue if matched else self.adjusted.pvalue,
            sign="≈" if matched else "",
            method=f"{'frequency-matched words' if matched else 'equal frequency'}, {self.basis.source}",
            reason=self.reason,
        )


frequency_name = partial(label_for, FrequencyResult)
"""Name of the part of frequency in a test, such as ``weat6 frequency``."""


def frequency(
    emb: Embeddings | Contexts,
    design: Design,
    *,
    frequencies: Mapping[str, float] | str | Path | None = None,
    draws: int = 2000,
    seed: int = 0,
    missing: Missing = "raise",
    words: Words = "effective",
) -> FrequencyResult:
    r"""Whether the association of a test is more than its words being rare or common.

    Frequency moves the vector of a word, and with it every cosine, so that groups that differ in frequency
    differ in association whatever they mean. There are two answers. *Frequency-matched words*: for each
    target a word of the pool is drawn that is about as frequent, many times, and the effect sizes of such
    tests are compared with that of the design. *Equal frequency*: associations are regressed on log frequency
    with one slope within both targets and one within both attributes, and compared where the frequency is
    the same: what would be found with other words of these frequencies, targets and attributes drawn.
    Frequencies of another text have errors, which make slopes too flat: seven tenths of their variance within
    a set count as real, and a *yes* says down to which share it holds.

    Parameters
    ----------
    emb, design, missing, words
        As in :func:`~crossroads.weat`. Words without a frequency are missing as well. Frequency-matched words
        come from ``emb.pool``: all words of ``cr.load(path)``, or those that
        ``cr.load(path, words=…, pool=20_000)`` also loads. Contexts, as in :func:`~crossroads.ceat`, are
        averaged first; they have no pool, so that frequencies must be given and the answer rests on equal
        frequency.
    frequencies
        Word to count or frequency, or the path of a CSV or TSV file of both; ``"wordfreq"`` for the package
        of that name (the extra ``frequency``) in the language of the design, or ``"wordfreq:de"``, or a code
        such as ``"de"``, for another; None for the order of the file, where that is an order of
        frequency (``emb.ranks``). Of ranks, log frequency is taken as − log rank (Zipf).

    Notes
    -----
    The answer is *cannot tell* where the frequencies of the targets overlap by less than 10 % (some 3.3
    standard deviations apart). It is *no* where at least 5 % of tests on frequency-matched words have such an
    effect size, or where the interval at equal frequency lies nearer to 0 than the measured difference.
    It is *yes* where the difference at equal frequency has the same sign and p < .05, and *cannot tell*
    otherwise. Frequency-matched words are the hundred nearest in the pool, at most twice and at least half as
    frequent, without words of the design and those with anything but letters.

    References
    ----------
    Ethayarajh, K., Duvenaud, D., & Hirst, G. (2019). doi:10.18653/v1/P19-1166; van Loon, A., Giorgi, S.,
    Willer, R., & Eichstaedt, J. (2022). doi:10.48550/arXiv.2201.08451; Valentini, F., Rosati, G., Fernandez
    Slezak, D., & Altszyler, E. (2022). doi:10.48550/arXiv.2301.00792; Inman, H. F., & Bradley, E. L. (1989).
    doi:10.1080/03610928908830127

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat6")
    >>> emb = cr.load("default", words=design.words, pool=20_000)
    >>> cr.frequency(emb, design).answer
    'yes'
    """
    whole("draws", draws, least=1, hint="draw at least one test; 2,000 is usual.")
    one_of("words", words, Words)
    check_inputs(design, *([] if isinstance(emb, Contexts) else [emb]))
    require_two_targets(design, hint="frequencies of two targets are compared: give y as well.")
    index = emb.index if isinstance(emb, Contexts) else emb
    scale = scale_of(frequencies, index, design)
    found, f = _gather(index, design, scale, missing, absent=NOT_THERE if index is emb else NO_CONTEXT)
    n_x, n_y, n_a = (len(found.words[key]) for key in "xya")
    nulls, lacking = dict[str, Drawn](), "contexts of other words are not known"
    if isinstance(emb, Contexts):  # the cosines to be expected of any of them
        means = {key: np.stack([unit(emb[word]).mean(axis=0) for word in found.words[key]]) for key in _SETS}
        table = np.concatenate([means["x"], means["y"]]) @ np.concatenate([means["a"], means["b"]]).T
        copies = None if words == "independent" else near(means, found.words)
    else:
        table, copies = found.cosines(), found.near(words)
        nulls, lacking = _matched(emb, design, scale, found, f, draws, seed)
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    reliability = 1.0 if scale.own else _RELIABILITY
    equal = _equal(f, (n_x, n_y, n_a), reliability)
    level = table @ equal[1].weights  # associations at equal frequency of the attributes
    line = _line(f[: n_x + n_y], level, n_x)
    d = effect_size(s[:n_x], s[n_x:], ddof=1)
    error = float(np.abs(equal[0].weights).sum() * np.abs(equal[1].weights).sum()) * rounding_error(emb.dim)
    many = min(n_a, table.shape[1] - n_a) >= _APPROXIMATED
    options: dict[str, Any] = {
        "alternative": "two-sided",
        "score_error": error,
        "equal": equal,
        "near": copies,
    }
    try:
        adjusted = crossed(table, n_x, n_a, method="saddlepoint" if many else "auto", **options)
    except InputError:  # set apart at equal frequency, attributes may lie in two clusters
        adjusted = crossed(table, n_x, n_a, method="monte-carlo", **options)
    pvalues = {name: _share(one, d) for name, one in nulls.items()}
    difference = float(s[:n_x].mean() - s[n_x:].mean())
    least = None if scale.own else _tipping(table, f, (n_x, n_y, n_a), difference, copies)
    answer, reason = _answer(line, difference, pvalues.get("targets"), adjusted, lacking)
    if answer == "yes" and not scale.own:
        answer, reason = _of_another(reason, least, scale.source)
    every = [word for key in _SETS for word in found.words[key]]
    conventions: dict[str, Any] = {"measure": "frequency", "frequencies": scale.source, "words": words}
    conventions |= {"tests on frequency-matched words": draws, "ddof": 1, "seed": seed, "missing": missing}
    return FrequencyResult(
        design=phrases.tested(design.name, "ceat") if isinstance(emb, Contexts) else design.name,
        effect_size=d,
        difference=difference,
        **named(line, "gap overlap r"),
        matched_pvalue=pvalues.get("targets"),
        matched_both_pvalue=pvalues.get("both"),
        matched={
            f"{'both_' * (name == 'both')}{what}": tuple(np.nanquantile(values, _QUANTILES).tolist())
            for name, null in nulls.items()
            for what, values in zip(("effect_size", "difference"), null, strict=True)
        },
        adjusted=adjusted,
        answer=answer,
        reason=reason,
        basis=FrequencyBasis(
            source=scale.source,
            log_frequencies=dict(zip(every, f.tolist(), strict=True)),
            associations=dict(zip(every, level.tolist(), strict=False)),
            slope=line.slope / reliability,
            draws=draws,
            reliability=reliability,
            least_reliability=least,
        ),
        sets=dict(found.words),
        titles=titles_of({key: design.sets[key] for key in _SETS}),
        **origin(emb, found.coverage, conventions),
    )


def _gather(
    emb: Embeddings, design: Design, scale: Scale, missing: Missing, *, absent: str
) -> tuple[Gathered, Floats]:
    """Vectors and log frequencies of the words that have both."""
    sets = {key: design.sets[key] for key in _SETS}
    values = {
        key: {word: scale.of(word, match.label) for word in words if (match := emb.find(word))}
        for key, words in sets.items()
    }
    unknown = {key: {w: NO_FREQUENCY for w, value in values[key].items() if value is None} for key in _SETS}
    least = {"x": 2, "y": 2, "a": 1, "b": 1}
    if missing == "raise":
        found = gather(emb, sets, missing=missing, least=least, design=design.name, absent=absent)
    else:
        known = {key: [word for word in sets[key] if word not in unknown[key]] for key in _SETS}
        found = gather(emb, known, missing=missing, least=dict.fromkeys(_SETS, 0), absent=absent)
    if words := [repr(word) for some in unknown.values() for word in some if missing == "raise"]:
        raise InputError(
            f"the frequency of {join_words(words, most=12)} is not known ({scale.source}).",
            hint='give frequencies of these words as well, or missing="drop" to leave them out.',
        )
    dropped = {key: {**unknown[key], **found.coverage.dropped[key]} for key in _SETS}
    too_few(emb, sets, found.words, dropped, least, design=design.name)
    f = [values[key][word] for key in _SETS for word in found.words[key]]
    left = replace(found, coverage=replace(found.coverage, dropped=dropped))
    return left, np.array(f, dtype=np.float64)


class _Line(NamedTuple):
    """How associations go with log frequencies within the targets."""

    gap: float | None
    overlap: float
    r: float | None
    slope: float


def _line(f: Floats, s: Floats, n_x: int) -> _Line:
    from scipy.special import ndtr  # scipy is slow to import

    _, centred, squares = facing(n_x, len(f), f)
    apart = float(f[:n_x].mean() - f[n_x:].mean())
    if not centred.any():
        same = abs(apart) <= 1e-9 * float(np.abs(f).max())
        return _Line(0.0 if same else None, 1.0 if same else 0.0, None, 0.0)
    rest = np.concatenate([s[:n_x] - s[:n_x].mean(), s[n_x:] - s[n_x:].mean()])
    gap = apart / float(np.sqrt(squares / (len(f) - 2)))
    left = float(rest @ rest)
    r = float(centred @ rest) / float(np.sqrt(squares * left)) if left > 0 else None
    return _Line(gap, float(2 * ndtr(-abs(gap) / 2)), r, float(centred @ rest) / squares)


def _matched(
    emb: Embeddings, design: Design, scale: Scale, found: Gathered, f: Floats, draws: int, seed: int
) -> tuple[dict[str, Drawn], str]:
    """Tests on frequency-matched words, with targets and with all sets drawn; and why there are none."""
    pool = emb.pool
    if pool is None:
        return {}, "no other words were loaded (cr.load(..., pool=20_000) loads some)"
    ours = {word.lower() for key in _SETS for word in design.sets[key]}
    ours |= {emb.labels[row].lower() for rows in found.rows.values() for row in rows.tolist()}
    known = scale.of_pool(pool)
    rows, labels = np.flatnonzero(np.isfinite(known) & pool.vectors.any(axis=1)), pool.labels
    rows = rows[[labels[row].isalpha() and labels[row].lower() not in ours for row in rows.tolist()]]
    rows = rows[np.argsort(known[rows], kind="stable")]
    alike = windows(known[rows], f, within=_LIKE)
    if rows.size < _LEAST_POOL:
        return {}, f"frequencies of only {rows.size:,} other words are known, and {_LEAST_POOL:,} are needed"
    n_x, n_y, n_a = (len(found.words[key]) for key in "xya")
    words = [word for key in _SETS for word in found.words[key]]
    alone = [repr(word) for word, few in zip(words, alike.lacking.tolist(), strict=True) if few]
    targets = Windows(alike.low[: n_x + n_y], alike.high[: n_x + n_y])
    nulls: dict[str, Drawn] = {}
    if not targets.lacking.any():
        direction = found.vectors["a"].mean(axis=0) - found.vectors["b"].mean(axis=0)
        nulls["targets"] = drawn_targets(pool.vectors, rows, targets, n_x, direction, draws=draws, seed=seed)
    if not alone:
        nulls["both"] = drawn_tests(pool.vectors, rows, alike, n_x, n_y, n_a, draws=draws, seed=seed)
    return nulls, f"too few other words are about as frequent as {join_words(alone, most=3)}" if alone else ""


def _share(null: Drawn, d: float) -> float:
    """Share of tests that are at least as rare as an effect size, the observed one among them.

    A value is as rare as the share of tests that are as large on either side of 0. On the side where fewer of
    them are, it is as rare as twice the share on that side, if that is smaller.
    """
    effects = null.effect_sizes[~np.isnan(null.effect_sizes)]
    if not effects.size:
        return 1.0
    values, side = np.append(effects, d), 1.0 if float(np.median(effects)) >= 0 else -1.0
    least = np.abs(values) * (1 - 1e-12)
    either = len(effects) - np.searchsorted(np.sort(np.abs(effects)), least, "left")
    rarer = len(effects) - np.searchsorted(np.sort(-side * effects), least, "left")
    tails = np.where(side * values >= 0, either, np.minimum(either, 2 * rarer)) / len(effects)
    return (1 + int(np.count_nonzero(tails[:-1] <= tails[-1] + 1e-12))) / (1 + len(effects))


def _answer(
    line: _Line, difference: float, matched: float | None, adjusted: Crossed, lacking: str
) -> tuple[Answer, str]:
    if line.overlap < _HARDLY:
        apart = "" if line.gap is None else f", {number(abs(line.gap), 1)} standard deviations apart"
        reason = "the groups differ in frequency as much as in meaning: their frequencies overlap by"
        return "cannot tell", f"{reason} {percent(line.overlap)}{apart}"
    like = "" if matched is None else p_equals(P(matched, "≈"))
    if matched is not None and matched >= _LEVEL:
        return "no", f"frequency-matched words, drawn at random, are as far apart ({like})"
    low, high, pvalue = adjusted.low, adjusted.high, adjusted.pvalue
    if low is None or high is None or pvalue is None:
        return "cannot tell", f"the difference at equal frequency has no interval: {adjusted.reason}"
    equal, plain = number(adjusted.difference, 3), number(difference, 3)
    change = f"at equal frequency the difference is {equal} instead of {plain}"
    if pvalue < _LEVEL and adjusted.difference * difference > 0:
        tests = f"; tests on frequency-matched words could not be drawn: {lacking}"
        if matched is not None:
            tests = f", and few tests on frequency-matched words are as far apart ({like})"
        return "yes", f"{change} ({p_equals(pvalue)}){tests}"
    if abs(difference) > (high if difference > 0 else -low):
        return "no", f"{change}, and with other words it would lie between {between(low, high, 3)}"
    return "cannot tell", f"{change}, and other words could give anything in {between(low, high, 3)}"


def _equal(f: Floats, sizes: tuple[int, int, int], reliability: float) -> tuple[Facing, Facing]:
    """Weights of targets and attributes at equal frequency; sets of fewer than three words have no slope."""
    n_x, n_y, n_a = sizes
    of_targets, of_attributes = f[: n_x + n_y], f[n_x + n_y :]
    few = min(n_a, len(of_attributes) - n_a) < 3
    return (
        facing(n_x, n_x + n_y, of_targets, reliability=reliability),
        facing(n_a, len(of_attributes), None if few else of_attributes, reliability=reliability),
    )


def _tipping(
    table: Floats, f: Floats, sizes: tuple[int, int, int], difference: float, near: Near | None
) -> float | None:
    """The reliability of frequencies from which on, up to 1, the difference at equal frequency holds."""
    least, copies = None, None if near is None else near.copies
    for reliability in np.linspace(1, 0.2, 33).tolist():
        equal = _equal(f, sizes, reliability)
        found = spread_at_equal(table, *equal, sizes[0], sizes[2], copies)
        if found.total <= 0 or found.difference * difference <= 0:
            break
        if tail_probability(found.difference / np.sqrt(found.total), found.df, "two-sided") >= _LEVEL:
            break
        least = round(reliability, 3)
    return least


def _of_another(reason: str, least: float | None, source: str) -> tuple[Answer, str]:
    """The answer from frequencies that are not the model's own, which is never a plain yes."""
    if least is None or least > _RELIABILITY:
        return "cannot tell", f"{reason}, but these are not the model's own frequencies ({source})"
    within = f"unless the reliability of these frequencies within the sets is below {number(least)}"
    return "yes", f"{reason}; {within} ({source})"
