"""Answers of a chat model, each with what was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import EvidenceError, FormatError, in_short, one_of
from crossroads.core.evidence.embeddings import Provenance, provenance_of
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.text import load_json
from crossroads.core.storage.files import rebuilt, with_checksum, write_file

FORMAT = "crossroads-chat-answers/2"
Task = Literal["association", "decision"]
"""What a chat model is asked: to give words to one of two labels, or to decide between two people."""


@dataclass(frozen=True, kw_only=True)
class ChatAnswer:
    """One answer of a chat model, and the question it answers."""

    text: str
    """The answer."""
    x: str | None = None
    """The label of the first group that was offered; None where it is not known."""
    y: str | None = None
    """The label of the second group."""
    first: str | None = None
    """Which label stood first in the question: ``x`` or ``y``."""
    words: tuple[str, ...] = ()
    """The words in the order in which they were asked."""
    prompt: str = ""
    """The question as it was sent."""
    repetition: int = 0
    """How often the same question had been asked before."""
    finish: str = ""
    """How the answer ended, as the service says: ``stop``, ``length``, ``content_filter``, ``refusal`` …, or
    ``other``."""


class ChatAnswers(Sequence[ChatAnswer]):
    """What a chat model answered, in the order of the questions."""

    def __init__(
        self,
        answers: Iterable[ChatAnswer | str],
        *,
        provenance: Provenance | str | None = None,
        design: Design | None = None,
    ) -> None:
        if isinstance(answers, str | bytes | Mapping) or not isinstance(answers, Iterable):
            raise EvidenceError(
                f"the answers are {in_short(answers)}.", hint="give a list of texts, one for each answer."
            )
        self._answers = tuple(_answer(one, at) for at, one in enumerate(answers))
        self.provenance = provenance_of(provenance, "given as texts")
        self.design = design

    @property
    def task(self) -> Task | None:
        """What was asked; None where it is not known."""
        task: Task | None = self.provenance.details.get("task")
        return task

    def __getitem__(self, at: Any) -> Any:
        return self._answers[at]

    def __len__(self) -> int:
        return len(self._answers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChatAnswers):
            return NotImplemented
        mine, theirs = ((one._answers, one.provenance, one.design) for one in (self, other))
        return mine == theirs

    def __repr__(self) -> str:
        return f"<ChatAnswers of {self.provenance.source}: {len(self)}>"

    def save(self, path: str | Path) -> None:
        """Write the answers to a JSON file, with their checksum."""
        document = {
            "format": FORMAT,
            "provenance": self.provenance.to_dict(),
            "design": None if self.design is None else self.design.to_dict(),
            "answers": [asdict(one) for one in self],
        }
        write_file(Path(path), json.dumps(with_checksum(document), ensure_ascii=False, indent=1))

    @classmethod
    def open(cls, path: str | Path) -> ChatAnswers:
        """Read answers from a file of :meth:`save`, or from a JSON list of texts.

        A file of :meth:`save` that was changed since is an error.
        """
        try:
            document = load_json(Path(path).read_text(encoding="utf-8"), path)
        except FormatError:
            raise
        except ValueError as error:
            raise FormatError("it is not JSON.", path=path, hint="give a file of answers.") from error
        if isinstance(document, list):
            return cls(document, provenance=Path(path).name)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise FormatError(
                "it holds no answers of a chat model.",
                path=path,
                hint=f"expected a list of texts, or an object with the format {FORMAT!r}.",
            )
        return rebuilt(document, cls._rebuilt, path, what="answers", again="ask the model again")

    @classmethod
    def _rebuilt(cls, document: dict[str, Any]) -> ChatAnswers:
        names = {each.name for each in fields(ChatAnswer)}
        known = ({key: value for key, value in one.items() if key in names} for one in document["answers"])
        answers = [ChatAnswer(**one | {"words": tuple(one.get("words", ()))}) for one in known]
        provenance, data = Provenance.from_dict(document["provenance"]), document.get("design")
        design = None if data is None else Design.from_dict(data)
        return cls(answers, provenance=provenance, design=design)


_SURROGATES = re.compile("[\ud800-\udfff]")


def writable(text: str) -> str:
    """A text that can be written to a file: halves of characters are shown as "�"."""
    return _SURROGATES.sub("\ufffd", text)


def _answer(one: object, at: int) -> ChatAnswer:
    answer = ChatAnswer(text=one) if isinstance(one, str) else one
    if not isinstance(answer, ChatAnswer) or not isinstance(answer.text, str):
        raise EvidenceError(
            f"answer {at + 1} is {in_short(one)}, not a text.",
            hint="give every answer as a text; an empty one for a model that said nothing.",
        )
    if answer.first is not None:
        one_of("first label", answer.first, ("x", "y"))
    return replace(answer, text=writable(answer.text))
