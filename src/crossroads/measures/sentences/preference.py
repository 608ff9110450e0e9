"""What pairs of sentences share, and how sure a preference between them is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, UnknownNameError, in_short
from crossroads.evidence.sentences import ScoredItem, SentenceScores
from crossroads.geometry import Floats
from crossroads.inference.permutation.flips import FlippedMean, flipped_mean, flipped_signs, widening
from crossroads.stimuli.files.sentences import SentenceItem
from crossroads.wording.table import Interval

TIES = "differences within the rounding errors of both scores"
"""Which scores count as equal."""
CONTRAST, FRAME = "contrast", "frame"
"""What pairs may share: the words in which their sentences differ, and all other words."""
AUTO = "auto"
FLAWS = (
    "Blodgett et al. (2021) found that the pairs of CrowS-Pairs and StereoSet often do not say what they "
    "measure: many are no stereotypes, contrast groups that are no alternatives, or differ in more than the "
    "group; a share is a description of these sentences, not the amount of bias in a model."
)
"""Known flaws of the published sentences, said beside every number."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Preference:
    """How often and how much a model prefers the sentence that stereotypes more."""

    pairs: int
    """Number of pairs."""
    preferred: int
    """Pairs in which the sentence that stereotypes more has the higher score."""
    ties: int
    """Pairs whose scores do not differ by more than their rounding errors."""
    share: float
    """Share of all pairs in which the sentence that stereotypes more has the higher score, as published."""
    low: float | None
    """Lower end of its interval, clusters drawn; None where so few clusters cannot give one."""
    high: float | None
    """Upper end."""
    pvalue: float
    """Share of flips of whole clusters in which preferences are at least as far from balanced, counted."""
    min_pvalue: float
    """The smallest p-value that these clusters can give."""
    sign_pvalue: float
    """The exact sign test over single pairs, two-sided, without ties: it takes pairs as independent."""
    difference: float
    """Mean of the score of the sentence that stereotypes more less that of the other."""
    difference_low: float | None
    """Lower end of its interval, clusters drawn."""
    difference_high: float | None
    """Upper end."""
    difference_pvalue: float
    """Share of flips of whole clusters that give a mean at least as far from zero."""
    clusters: tuple[int, ...]
    """Number of clusters of each kind."""
    largest: int
    """Number of pairs in the largest cluster."""

    @property
    def interval(self) -> Interval | None:
        """The interval of the share."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def difference_interval(self) -> Interval | None:
        """The interval of the difference."""
        low, high = self.difference_low, self.difference_high
        return None if low is None or high is None else Interval(low, high)


def preference(
    differences: Floats, room: Floats, groupings: Sequence[Integers], *, level: float, seed: int
) -> Preference:
    """How sure a preference is for other pairs.

    Parameters
    ----------
    differences
        Score of the first sentence of each pair minus that of the second.
    room
        Largest difference of each pair that counts as a tie: the rounding errors of both scores.
    groupings
        What pairs share, as numbers from 0: one thing, or two that are crossed. The larger of their p-values
        and the wider of their intervals count.
    level
        Level of the intervals.
    seed
        Seed of the flips, where they are drawn.
    """
    signs = np.where(np.abs(differences) <= room, 0, np.sign(differences)).astype(np.int64)
    kinds = [np.unique(one, return_inverse=True)[1].reshape(-1).astype(np.int64) for one in groupings]
    hits = (signs > 0).astype(np.float64)
    ways = list(zip(kinds, widening(signs.astype(np.float64), kinds), strict=True))
    flips = [flipped_signs(signs, one, widened=wider) for one, wider in ways]
    options: dict[str, Any] = {"level": level, "seed": seed}
    shares = [flipped_mean(hits, one, null=0.5, widened=wider, **options) for one, wider in ways]
    spread = zip(kinds, widening(differences, kinds), strict=True)
    means = [flipped_mean(differences, one, widened=wider, **options) for one, wider in spread]
    low, high = widest(shares)
    difference_low, difference_high = widest(means)
    return Preference(
        pairs=len(signs),
        preferred=int(hits.sum()),
        ties=int((signs == 0).sum()),
        share=float(hits.mean()),
        low=None if low is None else max(0.0, low),
        high=None if high is None else min(1.0, high),
        pvalue=max(one.pvalue for one in flips),
        min_pvalue=max(one.min_pvalue for one in flips),
        sign_pvalue=flipped_signs(signs).pvalue,
        difference=float(differences.mean()),
        difference_low=difference_low,
        difference_high=difference_high,
        difference_pvalue=max(one.pvalue for one in means),
        clusters=tuple(int(one.max()) + 1 for one in kinds),
        largest=max(int(np.bincount(one).max()) for one in kinds),
    )


def widest(found: Sequence[FlippedMean]) -> tuple[float | None, float | None]:
    """The interval around all; None where one has none."""
    lows, highs = [one.low for one in found if one.low is not None], [one.high for one in found]
    known = [one for one in highs if one is not None]
    return (min(lows), max(known)) if len(lows) == len(known) == len(found) else (None, None)


def groupings_of(scores: SentenceScores, cluster: str | Sequence[str] | None) -> dict[str, Integers]:
    """What pairs share, by name, as numbers from 0.

    Parameters
    ----------
    scores
        The pairs.
    cluster
        ``"auto"``: the words in which the sentences of a pair differ (``contrast``), and the others
        (``frame``); one or two names of columns; None to take pairs as independent.
    """
    if cluster is None:
        return {"pair": np.arange(len(scores), dtype=np.int64)}
    names = cluster_names([one.item for one in scores], cluster)
    split = [contrast_and_frame(one) for one in scores] if {CONTRAST, FRAME} & set(names) else []
    found = {}
    for name in names:
        if name in (CONTRAST, FRAME):
            values = [one[name == FRAME] for one in split]
        elif name == "category":
            values = [one.item.category for one in scores]
        else:
            values = [one.item.columns.get(name, "") for one in scores]
        found[name] = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def cluster_names(items: Iterable[SentenceItem], cluster: str | Sequence[str]) -> tuple[str, ...]:
    """Names of what pairs share; what they do not have is an error.

    Parameters
    ----------
    items
        The pairs.
    cluster
        As in :func:`groupings_of`.
    """
    names = (
        (CONTRAST, FRAME) if cluster == AUTO else (cluster,) if isinstance(cluster, str) else tuple(cluster)
    )
    if not 1 <= len(set(names)) == len(names) <= 2:
        raise InputError(f"cluster is {in_short(cluster)}.", hint="name one column, or two that are crossed.")
    known = dict.fromkeys((CONTRAST, FRAME, "category", *(key for one in items for key in one.columns)))
    for name in names:
        if name not in known:
            raise UnknownNameError("column", name, (AUTO, *known))
    return names


def contrast_and_frame(one: ScoredItem) -> tuple[str, str]:
    """The words in which the first two sentences of an item differ, in one order, and the others.

    Examples
    --------
    >>> from crossroads.stimuli.files.sentences import SentenceItem
    >>> pair = SentenceItem(sentences=("Women can't drive.", "Men can't drive."))
    >>> contrast_and_frame(ScoredItem(item=pair, totals=(0.0, 0.0), tokens=(1, 1)))
    ('men / women', "_ can't drive")
    """
    first, second = _words(one.item.sentences[:2])
    frame: list[str] = []
    apart: tuple[list[str], list[str]] = ([], [])
    for what, i, j, k, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if what == "equal":
            frame += first[i:j]
        else:
            frame.append("_")
            apart[0].extend(first[i:j])
            apart[1].extend(second[k:m])
    return " / ".join(sorted(" ".join(some) for some in apart)), " ".join(frame)


def _words(texts: Sequence[str]) -> list[list[str]]:
    """The words of sentences without case; characters where nothing is between words."""
    spaced = any(" " in text for text in texts)
    return [_WORD.findall(text.casefold()) if spaced else list(text.casefold()) for text in texts]
