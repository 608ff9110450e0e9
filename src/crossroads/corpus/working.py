"""A worker: a process of its own that searches parts of files until its input ends.

Started by :func:`crossroads.corpus.engines.worker_command`, it reads the search and then parts from standard
input, and answers on standard output: a number of bytes whenever some are read, and a table at the end of
each part. A parent that is gone, however it went, is an input that ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from typing import Any

from crossroads.corpus.tasks import attempt


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not come between the answers
    questions = sys.stdin.buffer

    def tell(answer: Any) -> None:
        pickle.dump(answer, answers, protocol=5)
        answers.flush()

    with contextlib.suppress(EOFError):
        search = pickle.load(questions)
        while True:
            part, thresholds = pickle.load(questions)
            try:
                tell(attempt(search, part, thresholds, tell))
            except BrokenPipeError:
                os._exit(0)
