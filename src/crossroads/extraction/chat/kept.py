"""Answers that are kept in a folder, one file each, so that nothing is asked, and paid for, twice."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, InputError
from crossroads.sources.endpoints.chat import Reply
from crossroads.storage.files import fingerprint, write_file

FORMAT = "crossroads-chat-cache/1"


class KeptReplies:
    """Answers to questions that were asked before.

    Parameters
    ----------
    folder
        Where they are kept; created if it is missing. None keeps nothing.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = None if folder is None else Path(folder)

    def find(self, asked: dict[str, Any]) -> Reply | None:
        """The answer to a question, or ``None``.

        Parameters
        ----------
        asked
            Everything that the answer depends on.
        """
        path = self._path(asked)
        if path is None or not path.is_file():
            return None
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            kept = document["reply"]
            if document["sha256"] != _checksum(kept) or document["asked"] != asked:
                raise ValueError
            kinds = {"text": str, "finish": str, "model": str | None}
            if not all(isinstance(kept[name], kind) for name, kind in kinds.items()):
                raise TypeError("this is not an answer")
            return Reply(kept["text"], kept["finish"], kept["model"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(
                "the kept answer is damaged.",
                path=path,
                hint="remove this file; the question is then asked again.",
            ) from error

    def keep(self, asked: dict[str, Any], reply: Reply) -> None:
        """Keep the answer to a question."""
        path = self._path(asked)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"answers cannot be kept in {str(self._folder)!r}: {error.strerror}.",
                hint="name another folder.",
            ) from error
        kept = reply._asdict()
        document = {"format": FORMAT, "asked": asked, "reply": kept, "sha256": _checksum(kept)}
        write_file(path, json.dumps(document, ensure_ascii=False, indent=1), parts=path.parent)

    def _path(self, asked: dict[str, Any]) -> Path | None:
        return None if self._folder is None else self._folder / f"{fingerprint(asked)[:32]}.json"


def _checksum(kept: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
