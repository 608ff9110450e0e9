"""The command line: parsing and printing only."""

from crossroads.cli.interrupting import guarded

__all__ = ["main"]


def main() -> None:
    """Run the program; it can be interrupted without a fuss while everything else is still being loaded."""
    with guarded():
        from crossroads.cli.app import main as run

        run()
