"""Published tables as data, and how to reproduce each."""

from crossroads.papers.reproduction import PAPERS, Cell, Reproduction, reproduce

__all__ = ["PAPERS", "Cell", "Reproduction", "reproduce"]
