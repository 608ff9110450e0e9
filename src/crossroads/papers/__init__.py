"""Published tables as data, and how to reproduce each."""

from crossroads.papers.abc import reproduce_abc
from crossroads.papers.ceat import reproduce_ceat
from crossroads.papers.reproduction import PAPERS, Cell, Reproduction, reproduce

__all__ = [
    "PAPERS",
    "Cell",
    "Reproduction",
    "reproduce",
    "reproduce_abc",
    "reproduce_ceat",
]
