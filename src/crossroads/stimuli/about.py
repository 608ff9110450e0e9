"""Where published material comes from, and how the catalogue departs from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from crossroads.errors import DesignError, in_short
from crossroads.stimuli.sets import is_text

_DOI = re.compile(r"10\.\d{4,9}/\S+")


@dataclass(frozen=True)
class Citation:
    """A publication, in words and by its identifier.

    Examples
    --------
    >>> Citation("Caliskan et al. (2017)", "10.1126/science.aal4230").url
    'https://doi.org/10.1126/science.aal4230'
    """

    text: str
    """Authors, year, title and place, as in a list of references."""
    doi: str | None = None
    """The digital object identifier, without a URL; None if there is none."""

    def __post_init__(self) -> None:
        if not is_text(self.text):
            raise DesignError(
                f"the text of a citation is {in_short(self.text)}.", hint="name authors and year."
            )
        if self.doi is not None and not _DOI.fullmatch(str(self.doi)):
            raise DesignError(
                f"{in_short(self.doi)} is not a DOI.",
                hint="give it as 10.1126/science.aal4230, without a URL.",
            )

    @property
    def url(self) -> str | None:
        """The address of the publication, or None without a DOI."""
        return None if self.doi is None else f"https://doi.org/{self.doi}"

    def to_dict(self) -> dict[str, str]:
        """The citation as plain data."""
        return {"text": self.text} if self.doi is None else {"text": self.text, "doi": self.doi}


@dataclass(frozen=True, kw_only=True)
class About:
    """What an entry of the catalogue is and where it was published."""

    name: str
    """The name of the entry in the catalogue."""
    kind: str
    """One of ``design``, ``groups``, ``traits``, ``templates``, ``words``, ``sentences``,
    ``ratings``."""
    title: str
    """Contents of the entry, in one line."""
    source: Citation
    """The publication."""
    licence: str
    """Terms of the material, or that none are stated."""
    language: str
    """Language of the stimuli, as an IETF tag such as ``"en"``."""
    table: str
    """Table or section of the publication in which the material is printed."""
    departures: tuple[str, ...] = ()
    """How the entry departs from the publication, or chooses where its parts disagree; one sentence each."""


def sentences(value: str | Iterable[str], field: str) -> tuple[str, ...]:
    """Check a tuple of sentences, such as departures; one string is one sentence."""
    if not isinstance(value, Iterable):
        raise DesignError(f"{field} is {in_short(value)}.", hint=f"give {field} as a list of sentences.")
    lines = (value,) if isinstance(value, str) else tuple(value)
    for line in lines:
        if not is_text(line):
            raise DesignError(
                f"{in_short(line)} is not a sentence.", hint=f"give {field} as a list of sentences."
            )
    return lines
