"""The command line: parsing and printing only."""

from crossroads.cli.terminal.interrupts import guarded

__all__ = ["main"]


def main() -> None:
    """Run the program; it can be interrupted cleanly while modules are still being loaded."""
    with guarded():
        from crossroads.cli.app import main as run

        run()
