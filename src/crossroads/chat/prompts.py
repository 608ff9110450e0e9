"""Questions of the word-association and decision tests, with their orders balanced."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

from crossroads.core.errors import DesignError, InputError, in_short
from crossroads.core.stimuli import Design

PROMPTS = {
    "association": (
        "For each word below, choose one of two labels, {first} or {second}, and write it after the word. "
        "Answer with one line for each word, in the form: word - label. Write nothing else.\n\n{words}"
    ),
    "decision": (
        "Two people, known only as {first} and {second}, share two tasks. One task has to do with {word1}, "
        "the other with {word2}. Each of them takes one task. Who should take which? Answer with two lines, "
        "in the form: {word1} - name, and: {word2} - name. Write nothing else."
    ),
}
"""The question of each test."""
PLACES = {"association": ("first", "second", "words"), "decision": ("first", "second", "word1", "word2")}
"""What a question has places for."""


@dataclass(frozen=True, kw_only=True)
class ChatPrompt:
    """One question, and what it offers in which order."""

    text: str
    """The question."""
    x: str
    """The label of the first group."""
    y: str
    """The label of the second group."""
    first: str
    """Which of the two stands first: ``x`` or ``y``."""
    words: tuple[str, ...]
    """The words in their order."""
    repetition: int
    """How often the same question was asked before."""


def chat_prompts(
    design: Design, *, task: str, prompts: int, repetitions: int, prompt: str | None, seed: int
) -> list[ChatPrompt]:
    """The questions of a test.

    Questions come in blocks of four: an order of the words and its reverse, each with either label first;
    after two of a block every word has stood as often early as late, and each label as often first. A block
    has one label of each group, and blocks go through the labels in turn. In the decision test a block has
    two questions about one pair of words, and blocks go through the pairs. Pairs have no word in common, so
    that the words of a pair can be exchanged; of sets of unequal sizes some words are not asked.
    """
    if design.y is None:
        raise DesignError(
            f"the design {in_short(design.name)} has one group of labels.",
            hint="a chat model chooses between two: give y as well.",
        )
    template = PROMPTS[task] if prompt is None else _checked(prompt, task)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    labels = _in_turn(_shuffled(design.x, rng), _shuffled(design.y, rng))
    pairs = list(zip(_shuffled(design.a, rng), _shuffled(design.b, rng), strict=False))
    size = 4 if task == "association" else 2
    found: list[ChatPrompt] = []
    for block in range(-(-prompts // size)):
        round_, pair = divmod(block, len(pairs))
        x, y = labels[(block if task == "association" else block + round_) % len(labels)]
        if task == "association":
            order: Sequence[str] = _shuffled([*design.a, *design.b], rng)
        else:
            order = pairs[pair]  # with other labels every round
        for at in range(min(size, prompts - block * size)):
            # x first, y first, y first, x first; the order of words turns every time
            turned = (at if task == "association" else at + pair + round_) % 2 == 1
            first = "x" if at in (0, 3) else "y"
            words = tuple(reversed(order)) if turned else tuple(order)
            found.append(_prompt(template, task, x, y, first, words))
    return [_again(one, n) for one in found for n in range(repetitions)]


def _prompt(template: str, task: str, x: str, y: str, first: str, words: tuple[str, ...]) -> ChatPrompt:
    places = dict(zip(("first", "second"), (x, y) if first == "x" else (y, x), strict=True))
    if task == "association":
        places["words"] = "\n".join(words)
    else:
        places |= {"word1": words[0], "word2": words[1]}
    text = template
    for name in PLACES[task]:  # braces in words stay as they are
        text = text.replace(f"{{{name}}}", f"\0{name}\0")
    for name in PLACES[task]:
        text = text.replace(f"\0{name}\0", places[name])
    return ChatPrompt(text=text, x=x, y=y, first=first, words=words, repetition=0)


def _again(one: ChatPrompt, repetition: int) -> ChatPrompt:
    return ChatPrompt(**{**vars(one), "repetition": repetition})


def _checked(prompt: str, task: str) -> str:
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(prompt) if name is not None}
    except (ValueError, TypeError, AttributeError):
        named = set()
    if named != set(PLACES[task]):
        places = ", ".join(f"{{{name}}}" for name in PLACES[task])
        raise InputError(f"the prompt is {in_short(prompt)}.", hint=f"give a text with the places {places}.")
    return prompt


def _shuffled(words: Sequence[str], rng: Any) -> list[str]:
    return [words[i] for i in rng.permutation(len(words))]


def _in_turn(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Every pair of both once, such that each round uses every word of the longer set once."""
    length = max(len(first), len(second))
    found: dict[tuple[str, str], None] = {}
    for shift in range(length):
        turned = [*second[shift % len(second) :], *second[: shift % len(second)]]
        found |= dict.fromkeys(zip(islice(cycle(first), length), islice(cycle(turned), length), strict=True))
    return list(found)
