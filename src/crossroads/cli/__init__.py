"""The command line: parsing and printing only."""

from crossroads.cli.app import main

__all__ = ["main"]
