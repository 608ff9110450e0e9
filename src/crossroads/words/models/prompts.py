"""Prompts: templates such as ``"This is {word}"``, filled with a word.

The vector of a word depends on the text in which the model reads it. That text is made here, with the
characters that the word takes up in it.
"""

from __future__ import annotations

import contextlib
import re
import string
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crossroads.core.errors import InputError, in_short, join_words
from crossroads.core.stimuli import Design, Sentence, catalog
from crossroads.core.stimuli.grammar import article as article_of
from crossroads.core.stimuli.sets import word_fault

Words = Iterable[str] | Mapping[str, str] | Mapping[str, str | Sentence]
"""Words; or words with the prompt of each, which may be a sentence and the word in it that is read."""
_PLACES = ("word", "article")
_FEW = 8
_HINT = "write {word} where the stimulus goes, as in 'This is {word}', and {article} for a or an."


class PromptedWord(NamedTuple):
    """A word, which labels the vector, and the text in which a model reads it."""

    word: str
    text: str
    span: tuple[int, int] | None
    """The characters of the word in the text; ``None`` if it does not occur there."""


def prompted_words(words: Words, prompt: str) -> tuple[PromptedWord, ...]:
    """Put words into their prompts, each word once, in the order given.

    A word's own prompt is a template with ``{word}``, a text as it is, or a
    :class:`~crossroads.core.stimuli.Sentence` with the word that is read.

    Examples
    --------
    >>> prompted_words(["axe"], "This is {article} {word}")[0]
    PromptedWord(word='axe', text='This is an axe', span=(11, 14))
    """
    check_prompt(prompt)
    if isinstance(words, str | bytes):
        raise InputError(f"the words are one string, {in_short(words)}.", hint="give a list of words.")
    own: Mapping[str, str | Sentence] = words if isinstance(words, Mapping) else {}
    texts = tuple(_prompted(word, own.get(word, prompt)) for word in dict.fromkeys(words))
    if not texts:
        raise InputError("there are no words.", hint="give at least one.")
    return texts


def check_prompt(prompt: object) -> str:
    """Return a template that can be filled with a word; anything else is an error."""
    names = _places(prompt)
    if names.count("word") != 1:
        said = "no place" if "word" not in names else f"{names.count('word')} places"
        raise InputError(f"the prompt {in_short(prompt)} has {said} for the word.", hint=_HINT)
    return str(prompt)


BARE = "{word}"
"""The prompt that is the word alone."""


def has_prompts(language: str, entry: str = "gpt2-prompts") -> bool:
    """Whether the prompts of an entry are in a language, such as ``"pt-BR"``; no language is English."""
    spoken = language.replace("_", "-").partition("-")[0].casefold()
    return not spoken or spoken == catalog().templates(entry).about.language.partition("-")[0]


def prompts_for(*designs: Design) -> dict[str, str]:
    """The prompt that ML-EAT puts to GPT-2 for each word of some designs.

    The targets of ``weat1`` and ``weat2``, recognised by their words, can be counted and get an article; see
    the catalogue entry ``gpt2-prompts``. A design with its own template keeps that. The words of a design in
    another language than these prompts are read bare. A word that needs the article in one design has it in
    all, because a word has one vector.

    Examples
    --------
    >>> prompts = prompts_for(catalog("weat1"))
    >>> prompts["rose"], prompts["love"]
    ('This is {article} {word}', 'This is {word}')
    """
    families = catalog().templates("gpt2-prompts")
    plain, article = (families[name].templates[0].text for name in ("plain", "article"))
    counted = {
        word for name in ("weat1", "weat2") for role in ("x", "y") for word in catalog(name).sets[role]
    }
    prompts: dict[str, str] = {}
    for design in designs:
        if len(design.templates) > 1:
            held = f"has {len(design.templates)} templates, and a word has one vector."
            hint = "keep one template, or make a design for each."
            raise InputError(f"the design {design.name!r} {held}", hint=hint)
        own = None if has_prompts(design.language) else BARE
        own = check_prompt(design.templates[0]) if design.templates else own
        for role, stimuli in design.sets.items():
            chosen = own or (article if role in ("x", "y") and counted.issuperset(stimuli) else plain)
            for word in stimuli:
                if prompts.get(word, plain) == plain:
                    prompts[word] = chosen
    return prompts


def _places(prompt: object) -> list[str]:
    """Names of the fields of a template; a field that cannot be filled is an error."""
    if not isinstance(prompt, str):
        raise InputError(f"the prompt {in_short(prompt)} is of type {type(prompt).__name__}.", hint=_HINT)
    try:
        parts = list(string.Formatter().parse(prompt))
    except ValueError as error:
        raise InputError(f"the prompt {in_short(prompt)} cannot be read: {error}.", hint=_HINT) from error
    fields = [(name, form, conversion) for _, name, form, conversion in parts if name is not None]
    odd = [name for name, form, conversion in fields if name not in _PLACES or form or conversion]
    if odd:
        raise InputError(
            f"the prompt {in_short(prompt)} has a place that nothing fills: {join_words(map(repr, odd))}.",
            hint=_HINT,
        )
    return [name for name, _, _ in fields]


def _prompted(word: object, prompt: object) -> PromptedWord:
    fault = word_fault(word)
    if fault is not None:
        raise InputError(
            f"the word {in_short(word)} {fault}.", hint="give every stimulus without spaces around it."
        )
    word = str(word)
    if isinstance(prompt, Sentence):
        return PromptedWord(word, prompt.text, prompt.span)
    if "word" in _places(prompt):
        return _filled(word, check_prompt(prompt))
    span = None  # the word may be meant, but not written
    with contextlib.suppress(InputError):
        span = Sentence(str(prompt), word).span
    return PromptedWord(word, str(prompt), span)


def _filled(word: str, template: str) -> PromptedWord:
    """Fill a template, and note the position of the word."""
    parts = [(literal, name) for literal, name, _, _ in string.Formatter().parse(template)]
    text, start, end = "", 0, 0
    for at, (literal, name) in enumerate(parts):
        text += literal
        if name == "article":
            behind = "".join(said + (word if place == "word" else "") for said, place in parts[at + 1 :])
            text += article_of(behind if behind.strip() else word)
        elif name == "word":
            start, end = len(text), len(text) + len(word)
            text += word
    sentence = text
    if template.startswith("{") and not template.endswith("}"):  # a sentence that begins with a field
        sentence = text[:1].upper() + text[1:]
    return PromptedWord(word, sentence, (start, end + len(sentence) - len(text)))


def prompts_of(
    words: Iterable[str],
    designs: Iterable[Design] = (),
    *,
    prompt: str | None = None,
    default: str = BARE,
    entry: str | None = None,
) -> list[str] | dict[str, str | Sentence]:
    """Words with the prompts in which a model reads them, or as they are where one prompt is for all.

    Sentences are read as they are (:func:`sentence_in`).
    """
    listed, designs = list(dict.fromkeys(words)), list(designs)
    own: dict[str, str | Sentence] = {}
    if prompt is None and entry == "gpt2-prompts":
        own |= prompts_for(*designs)
    elif prompt is None and entry is not None:
        foreign = [one for one in designs if not has_prompts(one.language, entry)]
        own |= dict.fromkeys((word for one in foreign for word in one.words), BARE)
    own |= {word: found for word in listed if (found := sentence_in(word)) is not None}
    everyone = default if prompt is None else prompt
    alike = all(own.get(word, everyone) == everyone for word in listed)
    if alike and (prompt is not None or entry != "gpt2-prompts"):
        return listed
    return {word: own.get(word, everyone) for word in listed}


_MARKED = re.compile(r"[^\[\]]*\[([^\[\]]+)\][^\[\]]*")
_ENDS = tuple(".!?…。！？؟।")


def sentence_in(item: str) -> Sentence | None:
    """The sentence that an item is, to be read as it is; None for words and phrases.

    Brackets around one word mark it as the one whose vector is taken. Without them an item of several words,
    or in a script without spaces, that ends like a sentence is one, and it is read as a whole.

    Examples
    --------
    >>> sentence_in("The [Black] woman is here.")
    Sentence(text='The Black woman is here.', keyword='Black')
    >>> sentence_in("She is here.").keyword, sentence_in("Black woman"), sentence_in("Mr.")
    ('She is here.', None, None)
    """
    marked = _MARKED.fullmatch(item)
    if marked:
        text = item.replace("[", "").replace("]", "")
        return Sentence(text, marked[1], marked.start(1) - 1)
    if item.endswith(_ENDS) and (" " in item.strip() or not item.isascii()):
        return Sentence(item, item, 0)
    return None


def said_prompts(prompts: Iterable[str | Sentence]) -> str | list[str]:
    """The prompts for the provenance: one, a short list, or how many there are."""
    found = sorted({"sentences as they are" if isinstance(one, Sentence) else one for one in prompts})
    if len(found) == 1:
        return found[0]
    return found if len(found) <= _FEW else f"{len(found)} different ones"
