"""Which label a chat model gave to each word, read from its answer.

Lines such as ``joy - black`` are expected, and come in many shapes: numbered, as lists, tables or JSON, in
bold, with other separators, the label first, several on a line, or as lists under a label. A word counts only
with one label of the design. What cannot be read is not guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from crossroads.core.errors import DesignError, in_short, join_words
from crossroads.core.stimuli import Design

Status = Literal["answered", "refused", "unparsed"]
"""What became of an answer."""
LANGUAGES = 15
"""Number of languages whose refusals are recognised."""

_THOUGHT = re.compile(
    r"\A(?:(?!<(?:think|thinking|reasoning)>).)*</(?:think|thinking|reasoning)>"  # begun by the prompt
    r"|<(think|thinking|reasoning)>.*?(</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:[\s\-*•·‣◦▪>#|]|\(?\d{1,3}[.):](?!\d)|\[[ x]?\])+")
_EDGES = " \t\"'“”‘’«»„`*_|[](){}<>.,;:!?-–—=~→⇒・。、，।؛،\u200b\u200e\u200f\ufeff"
_BETWEEN = re.compile(r"\s*(?:[-=]+>|→|⇒|:|\||\t|=|–|—|~|/|\s-+\s|(?<=\S)-+(?=\S))\s*")
_SEVERAL = re.compile(r"[;,،、，；]|\\n|\s{2,}")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
"""Scripts in which words are not, or not always, divided by spaces."""

_REFUSALS = re.compile(
    "|".join(
        (
            # English
            r"\b(?:i|we) (?:can ?not|can't|cant|won't|will not|am unable|am not able)\b",
            r"\b(?:i|we)(?:'m| am| are|'re) (?:sorry|not comfortable|unable|not able)\b",
            r"\bi (?:must |have to |respectfully )?(?:decline|refuse)\b|\bi apologi[sz]e\b",
            r"\bi don't feel comfort|\bas an ai\b|\bas a (?:large )?language model\b",
            r"\bnot (?:be )?appropriate\b|\binappropriate\b",
            # German, Dutch
            r"\btut mir leid\b|\bich kann\b.{0,60}\bnicht\b|\bkann ich\b.{0,60}\bnicht\b|\bentschuldig",
            r"\bhet spijt me\b|\bik kan\b.{0,60}\bniet\b",
            # French, Italian, Spanish, Portuguese
            r"\bdésolée?\b|\bje ne (?:peux|suis) pas\b|\bmi dispiace\b|\bnon posso\b",
            r"\blo siento\b|\bno puedo\b|\bdesculpe\b|\bsinto muito\b|\bnão posso\b",
            # Polish, Russian, Turkish
            r"\bprzykro mi\b|\bnie mogę\b|\bизвините\b|\bне могу\b|\büzgünüm\b",
            # Chinese, Japanese, Korean, Arabic, Hindi
            "抱歉|对不起|對不起|无法|無法|申し訳|できません|죄송|할 수 없",
            "عذر|آسف|لا أستطيع|لا يمكنني|क्षमा कर|माफ कर|माफ़ कर",
        )
    ),
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What an answer says."""

    status: Status
    """Whether it says something of both sets of words, refuses, or cannot be read."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The group of each word that was given to one: ``x`` or ``y``."""
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The labels that were used, by group."""
    other: tuple[str, ...] = ()
    """Words that were given to no label of the design, or to two."""


class Vocabulary(NamedTuple):
    """What is looked for in an answer, longest first: words, and labels with their groups, of the design."""

    words: Mapping[str, str]
    labels: Mapping[str, tuple[str, str]]


@lru_cache(maxsize=64)
def vocabulary(design: Design) -> Vocabulary:
    """The words and labels of a design; an error where one could be taken for another."""
    if design.y is None:
        raise DesignError(
            f"the design {in_short(design.name)} has one group of labels.",
            hint="a chat model chooses between two: give y as well.",
        )
    words, labels = (_folded_keys(design, roles) for roles in ("ab", "xy"))
    if both := [word for key, (_, word) in words.items() if key in labels]:
        raise DesignError(
            f"{join_words(map(in_short, both), most=3)} is both a word and a label of a group.",
            hint="a model gives a word to its own label: leave it out of the words.",
        )
    return Vocabulary({key: word for key, (_, word) in words.items()}, labels)


def _folded_keys(design: Design, roles: str) -> dict[str, tuple[str, str]]:
    """Words as they are looked for, each with its set; longest first."""
    known: dict[str, tuple[str, str]] = {}
    for role in roles:
        for word in design.sets[role]:
            other = known.setdefault(folded(word), (role, word))
            if other != (role, word):
                raise DesignError(
                    f"{in_short(word)} cannot be told from {in_short(other[1])} in an answer.",
                    hint="capital letters do not count: leave one of them out.",
                )
    return dict(sorted(known.items(), key=lambda item: len(item[0]), reverse=True))


def folded(text: str) -> str:
    """Text without differences of case, width, quotation marks, blanks and invisible marks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf").strip()


def parse(text: str, design: Design, *, finish: str = "") -> Parsed:
    r"""Read an answer to the word-association test.

    The targets of the design are the labels, its attributes the words. ``finish`` says how the answer ended:
    ``content_filter`` and ``refusal`` are refusals.
    """
    said = folded(_THOUGHT.sub("\n", text))
    found: dict[str, set[tuple[str, str]]] = {}
    for word, label in _pairs(said.splitlines(), vocabulary(design)):
        found.setdefault(word, set()).update([] if label is None else [label])
    given = {word: next(iter(some))[0] for word, some in found.items() if len({g for g, _ in some}) == 1}
    used = [label for word in given for label in found[word]]
    sets = design.sets
    status: Status = "answered"
    if not all(any(word in given for word in sets[role]) for role in ("a", "b")):
        refused = finish in ("content_filter", "refusal") or (not given and bool(_REFUSALS.search(said)))
        status = "refused" if refused else "unparsed"
    return Parsed(
        status=status,
        given={word: given[word] for role in ("a", "b") for word in sets[role] if word in given},
        labels={group: frozenset(name for its, name in used if its == group) for group in ("x", "y")},
        other=tuple(word for word in found if word not in given),
    )


_Pair = tuple[str, tuple[str, str] | None]


def _pairs(lines: Iterable[str], known: Vocabulary) -> Iterator[_Pair]:
    """Words with their labels; None for another label."""
    under: tuple[str, str] | None = None
    for line in lines:
        first, _, second = line.partition("-")  # how most lines look
        word, label = known.words.get(first.strip()), known.labels.get(second.strip())
        if word is not None and label is not None:
            yield word, label
            continue
        heading = _heading(line, known)
        if heading is not None:
            under, listed = heading
            yield from ((word, under) for word in listed)
            continue
        # a word with two labels is one pair; two words on a line are two
        parts = _SEVERAL.split(line) if len(_held(line, known.words)) > 1 else [line]
        pairs = [one for part in parts if (one := _pair(part, known) or _sentence(part, known)) is not None]
        if pairs:
            yield from pairs
        elif under is not None and (bare := _words(line, known)):
            yield from ((word, under) for word in bare)
        elif line.strip():
            under = None


def _stripped(text: str) -> str:
    return _LEAD.sub("", text).strip(_EDGES)


def _pair(text: str, known: Vocabulary) -> _Pair | None:
    """One word and what follows it; the label may also stand first."""
    plain = _stripped(text).replace("**", "").replace("`", "")
    for start in (plain, text.strip(_EDGES)):  # a word may begin as a number of a list does
        sides = [side.strip(_EDGES) for side in _BETWEEN.split(start, maxsplit=1)]
        if len(sides) == 2:
            first, second = sides
            if first in known.words:
                return known.words[first], _label(second, known)
            if second in known.words and (label := known.labels.get(first)):
                return known.words[second], label
    for key, word in known.words.items():
        if plain.startswith(key) and (label := known.labels.get(plain[len(key) :].strip(_EDGES))):
            return word, label
        if plain.endswith(key) and (label := known.labels.get(plain[: -len(key)].strip(_EDGES))):
            return word, label
    return None


def _label(text: str, known: Vocabulary) -> tuple[str, str] | None:
    """The label that a text is, or the only one that it holds."""
    if text in known.labels:
        return known.labels[text]
    held = _held(text, known.labels)
    return known.labels[held[0]] if len(held) == 1 else None


def _heading(line: str, known: Vocabulary) -> tuple[tuple[str, str], list[str]] | None:
    """A label with the words listed after it, if any."""
    plain = _LEAD.sub("", line).strip(" \t*_#|\"'`[](){}")
    head, _, rest = plain.partition(":")
    label = known.labels.get(head.strip(_EDGES))
    if label is None:
        return None
    listed = [part.strip(_EDGES) for part in _SEVERAL.split(rest) if part.strip(_EDGES)]
    return (label, [known.words[one] for one in listed if one in known.words])


def _words(line: str, known: Vocabulary) -> list[str]:
    """The words of a line that holds nothing else."""
    parts = [part for part in map(_stripped, _SEVERAL.split(line)) if part]
    return [known.words[one] for one in parts] if all(one in known.words for one in parts) else []


def _sentence(line: str, known: Vocabulary) -> _Pair | None:
    """A sentence that holds one word and one label, and does not refuse."""
    words, labels = _held(line, known.words), _held(line, known.labels)
    if _REFUSALS.search(line) or len(words) != 1 or len(labels) != 1:
        return None
    return known.words[words[0]], known.labels[labels[0]]


def _held(text: str, keys: Iterable[str]) -> list[str]:
    """Keys that occur in a text as whole words; where one is part of another, the longer one."""
    found: list[str] = []
    for key in keys:  # longest first
        before, after = (r"" if _unspaced(sign) else r"(?<!\w)" for sign in (key[0], key[-1]))
        pattern = f"{before}{re.escape(key)}{after.replace('(?<!', '(?!')}"
        if re.search(pattern, text):
            found.append(key)
            text = re.sub(pattern, " ", text)
    return found


def _unspaced(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_UNSPACED)
