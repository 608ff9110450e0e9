"""The material of a probe as tokens, which tokens begin words, and what had to be left out.

A trait gets the tokens that it has inside its sentence: the sentence is split with the trait in it, and the
tokens are found by the characters they cover. The mark of the beginning of a word (``Ġ``, ``▁``) or of its
continuation (``##``) is found from the tokenizer, not from the name of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, MissingStimuliError, join_words
from crossroads.extraction.probe.prompts import Row, fill
from crossroads.sources.models.batches import find_pieces
from crossroads.stimuli.material import Trait

UNKNOWN = "the tokenizer does not know it"
NOTHING = "no token represents it"
JOINED = "the tokenizer joins it with the text around it"
_LETTERS = "aeoinst1"
_TEXTS_AT_ONCE = 4096
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Which tokens begin a word and which continue one."""

    sign: str
    """The mark of the tokenizer: before beginnings (``Ġ``, ``▁``) or continuations (``##``); or nothing."""
    initial: NDArray[np.bool_]
    """For each token whether it begins a word; special tokens do neither."""
    continuation: NDArray[np.bool_]
    """For each token whether it continues one."""
    bare_initial: NDArray[np.bool_]
    """The same by the mark alone, as in the released code of ILPS*: a special token without the mark of
    continuations begins a word, ..."""
    bare_continuation: NDArray[np.bool_]
    """... and one without the mark of beginnings continues one."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A sentence as tokens, around the pieces of a trait."""

    before: tuple[int, ...]
    """Tokens before the trait, special ones included."""
    pieces: tuple[int, ...]
    """Tokens of the trait."""
    after: tuple[int, ...]
    """Tokens after it."""
    unknown: bool
    """Whether any token around the trait is the unknown token."""


def find_marks(tokenizer: Any, vocabulary: int) -> Marks:
    """Find the tokens that begin words.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    vocabulary
        Number of logits, which may be larger than the tokenizer's vocabulary.

    Returns
    -------
    Marks
        If the tokenizer marks neither beginnings nor continuations, all ordinary tokens count as both.
    """
    known = min(vocabulary, len(tokenizer))
    tokens = [token or "" for token in tokenizer.convert_ids_to_tokens(list(range(known)))]
    there = np.zeros(vocabulary, bool)
    there[:known] = [token != "" for token in tokens]
    ordinary = there.copy()
    special = {int(one) for one in tokenizer.all_special_ids}
    special |= {int(at) for at, token in tokenizer.added_tokens_decoder.items() if token.special}
    ordinary[[one for one in special if one < vocabulary]] = False
    space = _space_sign(tokenizer)
    if space:
        marked = np.zeros(vocabulary, bool)
        marked[:known] = [token.startswith(space) for token in tokens]
        return _marks(space, ordinary, there, marked, ~marked)
    prefix = getattr(tokenizer.backend_tokenizer.model, "continuing_subword_prefix", None) or ""
    if not prefix:
        everything = np.ones(vocabulary, bool)
        return _marks("", ordinary, there, everything, everything)
    marked = np.zeros(vocabulary, bool)
    marked[:known] = [token.startswith(prefix) for token in tokens]
    return _marks(prefix, ordinary, there, ~marked, marked)


def _marks(sign: str, ordinary: Flags, there: Flags, begins: Flags, goes_on: Flags) -> Marks:
    """Kinds of tokens by their mark, without special tokens and with them."""
    return Marks(
        sign=sign,
        initial=ordinary & begins,
        continuation=ordinary & goes_on,
        bare_initial=there & begins,
        bare_continuation=there & goes_on,
    )


def _space_sign(tokenizer: Any) -> str:
    """The mark of a token that follows a space; empty in tokenizers that drop spaces."""
    for letter in _LETTERS:
        tokens = tokenizer.convert_ids_to_tokens(
            tokenizer(f"{letter} {letter}", add_special_tokens=False, verbose=False)["input_ids"]
        )
        if tokenizer.unk_token in tokens or len(tokens) < 2 or not tokens[-1].endswith(letter):
            continue
        sign: str = tokens[-1][: -len(letter)]
        return sign or (tokens[-2] if not tokens[-2].endswith(letter) else "")
    return ""


def split_in_context(tokenizer: Any, texts: Sequence[tuple[str, str, str]]) -> Iterator[Split | str]:
    """Split sentences into the tokens before, of and after a word, or give the reason why not.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    texts
        The text before the word, the word, and the text after it.
    """
    unknown, backend = tokenizer.unk_token_id, tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = texts[first : first + _TEXTS_AT_ONCE]
        encodings = backend.encode_batch(["".join(one) for one in part])
        for (left, word, right), encoding in zip(part, encodings, strict=True):
            text, start, end = left + word + right, len(left), len(left) + len(word)
            yield _around(encoding.ids, encoding.offsets, text, start, end, unknown)


def _around(
    ids: list[int], offsets: list[tuple[int, int]], text: str, start: int, end: int, unknown: int | None
) -> Split | str:
    span = find_pieces(offsets, start, end)
    if span is None:
        return NOTHING
    first, stop = span
    while first > 0 and _is_space(offsets[first - 1], text, start):
        first -= 1  # a separate token for a space belongs to the word that follows
    if offsets[span.first][0] < start and text[offsets[span.first][0] : start].strip():
        return JOINED
    if offsets[stop - 1][1] > end:
        return JOINED
    if unknown is not None and unknown in ids[first:stop]:
        return UNKNOWN
    around = (*ids[:first], *ids[stop:])
    return Split(
        before=tuple(ids[:first]),
        pieces=tuple(ids[first:stop]),
        after=tuple(ids[stop:]),
        unknown=unknown is not None and unknown in around,
    )


def _is_space(offset: tuple[int, int], text: str, start: int) -> bool:
    """Whether a token is only the space right before a word; some offsets exclude the space."""
    left, right = offset
    return left <= right == start > 0 and not text[left:right].strip()


UNKNOWN_GROUP = "the tokenizer does not know a part of it"
UNKNOWN_TEMPLATE = "the tokenizer does not know a word of it"
_HINT = "leave them out, or use missing='drop'."

Cell = tuple[int, int, int]
"""Row, template and adjective."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The material of a probe, as tokens."""

    groups: tuple[Row, ...]
    """The groups that are asked about."""
    priors: tuple[Row, ...]
    """The priors, which name no group."""
    templates: tuple[str, ...]
    """Texts of the templates."""
    traits: tuple[Trait, ...]
    """The pairs whose adjectives are both asked for."""
    adjectives: tuple[str, ...]
    """The adjectives of the pairs, and synonyms if they were asked for."""
    splits: Mapping[Cell, Split]
    """The tokens of each cell."""
    dropped: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """``groups``, ``adjectives`` and ``templates`` left out, each with the reason."""

    @property
    def shape(self) -> Cell:
        """Number of rows, templates and adjectives."""
        return len(self.groups) + len(self.priors), len(self.templates), len(self.adjectives)

    def word_initial(self, marks: Marks) -> NDArray[np.bool_]:
        """Whether each piece of each adjective begins a word, as in the first template."""
        pieces = max(len(split.pieces) for split in self.splits.values())
        table = np.zeros((len(self.adjectives), pieces), bool)
        for at in range(len(self.adjectives)):
            found = self.splits[0, 0, at].pieces
            table[at, : len(found)] = marks.initial[list(found)]
        return table


def make_material(
    tokenizer: Any,
    *,
    groups: Sequence[Row],
    priors: Sequence[Row],
    templates: Sequence[str],
    traits: Sequence[Trait],
    synonyms: bool,
    causal: bool,
    missing: str,
) -> Material:
    """Split every prompt into tokens, and leave out what the tokenizer does not know.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    groups, priors, templates, traits
        The material.
    synonyms
        Whether the synonyms of the adjectives are asked for as well.
    causal
        Whether the model sees only the text before the trait.
    missing
        ``"raise"`` an error that names what is not known, or ``"drop"`` it.
    """
    words = [word for trait in traits for word in (trait.left, trait.right)]
    if synonyms:
        words += [w for t in traits for w in (*t.left_synonyms, *t.right_synonyms)]
    adjectives = tuple(dict.fromkeys(words))
    rows = [*groups, *priors]
    found = _split(tokenizer, rows, templates, adjectives, causal)
    table = _Faults(found, len(groups), len(rows), templates, adjectives)
    no_template = table.templates()
    no_group = table.groups([row.name for row in groups], no_template)
    no_adjective = table.adjectives()
    if missing == "raise":
        _insist(no_template, no_group, no_adjective)
    keep_traits = tuple(t for t in traits if t.left not in no_adjective and t.right not in no_adjective)
    kept_words = {w for t in keep_traits for w in (t.left, t.right)}
    if synonyms:
        kept_words |= {w for t in keep_traits for w in (*t.left_synonyms, *t.right_synonyms)}
    keep = (
        [at for at, row in enumerate(rows) if row.name not in no_group or at >= len(groups)],
        [at for at, text in enumerate(templates) if text not in no_template],
        [at for at, word in enumerate(adjectives) if word in kept_words and word not in no_adjective],
    )
    _something_left(keep, len(priors))
    return Material(
        groups=tuple(rows[at] for at in keep[0] if at < len(groups)),
        priors=tuple(priors),
        templates=tuple(templates[at] for at in keep[1]),
        traits=keep_traits,
        adjectives=tuple(adjectives[at] for at in keep[2]),
        splits=_kept(found, keep),
        dropped={"groups": no_group, "adjectives": no_adjective, "templates": no_template},
    )


def _split(
    tokenizer: Any, rows: Sequence[Row], templates: Sequence[str], adjectives: Sequence[str], causal: bool
) -> dict[Cell, Split | str]:
    cells: list[Cell] = []
    texts: list[tuple[str, str, str]] = []
    for r, row in enumerate(rows):
        for t, template in enumerate(templates):
            prompt = fill(template, row, causal=causal)
            for a, word in enumerate(adjectives):
                begins = not prompt.left and template.startswith("{trait}")
                spelled = word[:1].upper() + word[1:] if begins else word
                cells.append((r, t, a))
                texts.append((prompt.left, spelled, prompt.right))
    return dict(zip(cells, split_in_context(tokenizer, texts), strict=True))


class _Faults:
    """Groups, adjectives and templates that the tokenizer does not know."""

    def __init__(
        self,
        found: Mapping[Cell, Split | str],
        groups: int,
        rows: int,
        templates: Sequence[str],
        adjectives: Sequence[str],
    ) -> None:
        self._found, self._groups, self._rows = found, groups, rows
        self._templates, self._adjectives = templates, adjectives
        self._unknown = np.zeros((rows, len(templates)), bool)
        for (r, t, _), split in found.items():
            if isinstance(split, Split) and split.unknown:
                self._unknown[r, t] = True

    def templates(self) -> dict[str, str]:
        """Templates with unknown words of their own: unknown with every prior."""
        bad = np.atleast_1d(self._unknown[self._groups :].all(axis=0)).tolist()
        return {text: UNKNOWN_TEMPLATE for text, wrong in zip(self._templates, bad, strict=True) if wrong}

    def groups(self, names: Sequence[str], no_template: Mapping[str, str]) -> dict[str, str]:
        """Groups with unknown words, in templates without."""
        good = [at for at, text in enumerate(self._templates) if text not in no_template]
        bad = np.atleast_1d(self._unknown[: self._groups, good].any(axis=1)).tolist()
        return {name: UNKNOWN_GROUP for name, wrong in zip(names, bad, strict=True) if wrong}

    def adjectives(self) -> dict[str, str]:
        """Adjectives without tokens, or whose number of tokens depends on the group."""
        reasons: dict[str, str] = {}
        for (_, t, a), split in self._found.items():
            first = self._found[0, t, a]
            word = self._adjectives[a]
            if isinstance(split, str):
                reasons.setdefault(word, split)
            elif isinstance(first, Split) and len(first.pieces) != len(split.pieces):
                reasons.setdefault(word, JOINED)
        return reasons


def _kept(
    found: Mapping[Cell, Split | str], keep: tuple[list[int], list[int], list[int]]
) -> dict[Cell, Split]:
    kept: dict[Cell, Split] = {}
    for r, row in enumerate(keep[0]):
        for t, template in enumerate(keep[1]):
            for a, word in enumerate(keep[2]):
                split = found[row, template, word]
                if isinstance(split, Split):
                    kept[r, t, a] = split
    return kept


def _insist(templates: Mapping[str, str], groups: Mapping[str, str], adjectives: Mapping[str, str]) -> None:
    for kind, missing in (("trait", adjectives), ("group", groups), ("template", templates)):
        if missing:
            shown = join_words([repr(name) for name in missing], most=6)
            reasons = join_words(dict.fromkeys(missing.values()))
            raise MissingStimuliError(
                f"{kind}{'s' * (len(missing) > 1)} that cannot be asked for: {shown} ({reasons}).",
                missing=missing,
                hint=_HINT,
            )


def _something_left(keep: tuple[list[int], list[int], list[int]], priors: int) -> None:
    for kind, count in (
        ("group", len(keep[0]) - priors),
        ("template", len(keep[1])),
        ("pair of traits", len(keep[2])),
    ):
        if not count:
            raise InputError(
                f"no {kind} is left that the tokenizer knows.",
                hint="check that the model is for the language of the material.",
            )
