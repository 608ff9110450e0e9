"""Published tables as data, and how to reproduce each."""

from crossroads.papers.ceat import reproduce_ceat
from crossroads.papers.reproduction import PAPERS, Cell, Reproduction, reproduce

__all__ = ["PAPERS", "Cell", "Reproduction", "reproduce", "reproduce_ceat"]
