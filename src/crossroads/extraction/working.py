"""A worker: a process of its own that loads the model once and encodes units until its input ends.

Started by :mod:`crossroads.extraction.local_engine`, it reads the settings and then units from
standard input and answers on standard output. A parent that is gone, however it went, is an input that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Any

from crossroads.errors import CrossroadsError, InputError
from crossroads.extraction.encoding import Encoder


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not come between the answers
    questions = sys.stdin.buffer
    encoder: Encoder | None = None
    while True:
        try:
            question = pickle.load(questions)
        except (EOFError, pickle.UnpicklingError):
            return
        answer: tuple[str, Any]
        try:
            if encoder is None:
                encoder = Encoder(question)
                continue
            answer = ("vectors", encoder(question))
        except CrossroadsError as error:
            answer = ("input" if isinstance(error, InputError) else "failed", (error.message, error.hint))
        except Exception as error:
            answer = ("failed", _told(error))
        try:
            pickle.dump(answer, answers, protocol=5)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)
        if answer[0] != "vectors":
            return


def _told(error: Exception) -> tuple[str, str]:
    """What nobody foresaw, in a sentence, and what may help."""
    said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    hint = "try device='cpu', another transformers, or smaller batches; no finished unit is done again."
    if isinstance(error, IndexError):
        hint = (
            "its tokenizer may know more tokens, or longer texts, than the model: try a smaller max_length."
        )
    kind = type(error).__name__
    return f"the model failed: {kind}: {said[:200]}" if said else f"the model failed: {kind}.", hint
