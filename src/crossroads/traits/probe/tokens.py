"""The material of a probe as tokens, which tokens begin words, and what had to be left out.

A trait gets the tokens that it has inside its sentence: the sentence is split with the trait in it, and the
tokens are found by the characters they cover. The mark of the beginning of a word (``Ġ``, ``▁``) or of its
continuation (``##``) is found from the tokenizer, not from the name of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, MissingStimuliError, join_words
from crossroads.core.models.opening import find_pieces
from crossroads.core.stimuli.material import Trait
from crossroads.traits.probe.prompts import Row, fill

UNKNOWN = "the tokenizer does not know it"
NOTHING = "no token represents it"
JOINED = "the tokenizer joins it with the text around it"
UNKNOWN_GROUP = "the tokenizer does not know a part of it"
UNKNOWN_TEMPLATE = "the tokenizer does not know a word of it"
_LETTERS = "aeoinst1"
_TEXTS_AT_ONCE = 4096
Cell = tuple[int, int, int]
"""Row, template and adjective."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Which tokens begin a word and which continue one."""

    sign: str
    """The mark of the tokenizer: before beginnings (``Ġ``, ``▁``) or continuations (``##``); or nothing."""
    initial: NDArray[np.bool_]
    continuation: NDArray[np.bool_]
    """For each token whether it begins a word, or continues one; special tokens do neither."""
    bare_initial: NDArray[np.bool_]
    bare_continuation: NDArray[np.bool_]
    """The same by the mark alone, as in the released code of ILPS*: a special token without the mark of
    continuations begins a word, and one without the mark of beginnings continues one."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A sentence as tokens, around the pieces of a trait."""

    before: tuple[int, ...]
    pieces: tuple[int, ...]
    after: tuple[int, ...]
    unknown: bool
    """Whether any token around the trait is the unknown token."""


def find_marks(tokenizer: Any, vocabulary: int) -> Marks:
    """Find the tokens that begin words, among as many tokens as the model has logits.

    If the tokenizer marks neither beginnings nor continuations, all ordinary tokens count as both.
    """
    known = min(vocabulary, len(tokenizer))
    tokens = [token or "" for token in tokenizer.convert_ids_to_tokens(list(range(known)))]
    there = np.zeros(vocabulary, bool)
    there[:known] = [token != "" for token in tokens]
    ordinary = there.copy()
    special = {int(at) for at, token in tokenizer.added_tokens_decoder.items() if token.special}
    special |= {int(at) for at in tokenizer.all_special_ids}
    ordinary[[at for at in special if at < vocabulary]] = False
    space = _space_sign(tokenizer)
    sign = space or getattr(tokenizer.backend_tokenizer.model, "continuing_subword_prefix", None) or ""
    marked = np.zeros(vocabulary, bool)
    marked[:known] = [token.startswith(sign) for token in tokens]
    begins, goes_on = (marked, ~marked) if space else (~marked, marked)
    if not sign:
        begins = goes_on = np.ones(vocabulary, bool)
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
    """Split texts before, of and after a word into tokens, in context; or give the reason why not."""
    unknown, backend = tokenizer.unk_token_id, tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = texts[first : first + _TEXTS_AT_ONCE]
        encodings = backend.encode_batch(["".join(one) for one in part])
        for (left, word, right), encoding in zip(part, encodings, strict=True):
            span_of_word = len(left), len(left) + len(word)
            yield _around(encoding.ids, encoding.offsets, left + word + right, *span_of_word, unknown)


def _around(
    ids: list[int], offsets: list[tuple[int, int]], text: str, start: int, end: int, unknown: int | None
) -> Split | str:
    span = find_pieces(offsets, start, end)
    if span is None:
        return NOTHING
    first, stop = span
    while first > 0 and start > 0:
        left, right = offsets[first - 1]  # some exclude the space
        if right != start or text[left:right].strip():
            break
        first -= 1  # a separate token for a space belongs to the word that follows
    if text[offsets[span.first][0] : start].strip() or offsets[stop - 1][1] > end:
        return JOINED
    before, pieces, after = tuple(ids[:first]), tuple(ids[first:stop]), tuple(ids[stop:])
    if unknown is not None and unknown in pieces:
        return UNKNOWN
    strange = unknown is not None and unknown in (*before, *after)
    return Split(before=before, pieces=pieces, after=after, unknown=strange)


@dataclass(frozen=True, kw_only=True)
class Material:
    """The material of a probe, as tokens."""

    groups: tuple[Row, ...]
    priors: tuple[Row, ...]
    templates: tuple[str, ...]
    traits: tuple[Trait, ...]
    """The pairs whose adjectives are both asked for."""
    adjectives: tuple[str, ...]
    """The adjectives of the pairs, and synonyms if they were asked for."""
    splits: Mapping[Cell, Split]
    dropped: Mapping[str, Mapping[str, str]]
    """``groups``, ``adjectives`` and ``templates`` left out, each with the reason."""

    @property
    def shape(self) -> Cell:
        """Number of rows, templates and adjectives."""
        return len(self.groups) + len(self.priors), len(self.templates), len(self.adjectives)

    def word_initial(self, marks: Marks) -> NDArray[np.bool_]:
        """Whether each piece of each adjective begins a word, as in the first template."""
        pieces = max(len(split.pieces) for split in self.splits.values())
        table = np.zeros((len(self.adjectives), pieces), bool)
        for at, row in enumerate(table):
            found = self.splits[0, 0, at].pieces
            row[: len(found)] = marks.initial[list(found)]
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
    """Split every prompt into tokens; what the tokenizer does not know is left out, or an error names it."""
    adjectives = tuple(dict.fromkeys(_words(traits, synonyms)))
    texts: dict[Cell, tuple[str, str, str]] = {}
    for (r, row), (t, template) in product(enumerate([*groups, *priors]), enumerate(templates)):
        left, right = fill(template, row, causal=causal)
        begins = not left and template.startswith("{trait}")
        for a, word in enumerate(adjectives):
            texts[r, t, a] = (left, word[:1].upper() + word[1:] if begins else word, right)
    found = dict(zip(texts, split_in_context(tokenizer, list(texts.values())), strict=True))
    dropped = _dropped(found, groups, priors, templates, adjectives)
    for kind, key in (("trait", "adjectives"), ("group", "groups"), ("template", "templates")):
        if missing == "raise" and (absent := dropped[key]):
            shown = join_words([repr(name) for name in absent], most=6)
            reasons = join_words(dict.fromkeys(absent.values()))
            raise MissingStimuliError(
                f"{kind}{'s' * (len(absent) > 1)} that cannot be asked for: {shown} ({reasons}).",
                missing=absent,
                hint="leave them out, or use missing='drop'.",
            )
    pairs = tuple(t for t in traits if not dropped["adjectives"].keys() & {t.left, t.right})
    words = {*_words(pairs, synonyms)} - dropped["adjectives"].keys()
    keep = (
        [at for at, row in enumerate(groups) if row.name not in dropped["groups"]],
        [at for at, text in enumerate(templates) if text not in dropped["templates"]],
        [at for at, word in enumerate(adjectives) if word in words],
    )
    for kind, kept in zip(("group", "template", "pair of traits"), keep, strict=True):
        if not kept:
            raise InputError(
                f"no {kind} is left that the tokenizer knows.",
                hint="check that the model is for the language of the material.",
            )
    rows = [*keep[0], *range(len(groups), len(groups) + len(priors))]
    cells = product(enumerate(rows), enumerate(keep[1]), enumerate(keep[2]))
    splits = {(r, t, a): found[one, two, three] for (r, one), (t, two), (a, three) in cells}
    return Material(
        groups=tuple(groups[at] for at in keep[0]),
        priors=tuple(priors),
        templates=tuple(templates[at] for at in keep[1]),
        traits=pairs,
        adjectives=tuple(adjectives[at] for at in keep[2]),
        splits={cell: split for cell, split in splits.items() if isinstance(split, Split)},
        dropped=dropped,
    )


def _words(traits: Sequence[Trait], synonyms: bool) -> list[str]:
    """The adjectives of pairs, then their synonyms if these are asked for."""
    words = [word for trait in traits for word in (trait.left, trait.right)]
    if synonyms:
        words += [word for trait in traits for word in (*trait.left_synonyms, *trait.right_synonyms)]
    return words


def _dropped(
    found: Mapping[Cell, Split | str],
    groups: Sequence[Row],
    priors: Sequence[Row],
    templates: Sequence[str],
    adjectives: Sequence[str],
) -> dict[str, dict[str, str]]:
    """What the tokenizer does not know, with the reasons.

    A template has unknown words of its own if it has some with every prior; a group has unknown words if the
    other templates have some with it. The number of tokens of an adjective must not depend on the group.
    """
    unknown = np.zeros((len(groups) + len(priors), len(templates)), bool)
    reasons: dict[str, str] = {}
    for (r, t, a), split in found.items():
        first = found[0, t, a]
        if isinstance(split, str):
            reasons.setdefault(adjectives[a], split)
        else:
            unknown[r, t] |= split.unknown
            if isinstance(first, Split) and len(first.pieces) != len(split.pieces):
                reasons.setdefault(adjectives[a], JOINED)
    of_templates = unknown[len(groups) :].all(axis=0)
    of_groups = unknown[: len(groups), ~of_templates].any(axis=1)
    return {
        "groups": {groups[at].name: UNKNOWN_GROUP for at in np.flatnonzero(of_groups).tolist()},
        "adjectives": reasons,
        "templates": {templates[at]: UNKNOWN_TEMPLATE for at in np.flatnonzero(of_templates).tolist()},
    }
