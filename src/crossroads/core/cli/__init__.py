"""The command line: parsing and printing only."""

import os

from crossroads.core.cli.terminal.interrupts import guarded

__all__ = ["main"]


def main() -> None:
    """Run the program; it can be interrupted cleanly while modules are still being loaded."""
    # read when numpy is loaded; parts of an audit run in threads of their own
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with guarded():
        from crossroads.core.cli.app import main as run

        run()
