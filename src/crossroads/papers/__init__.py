"""Published tables as data, and how to reproduce each."""

from crossroads.papers.abc import reproduce_abc
from crossroads.papers.ceat import reproduce_ceat
from crossroads.papers.cells import VERDICTS, Cell
from crossroads.papers.fidelity import BADGES, Choice, Fidelity, fidelity
from crossroads.papers.findings import Finding, findings
from crossroads.papers.ml_eat import ml_eat_models, reproduce_ml_eat
from crossroads.papers.ml_eat_images import clip_texts_of_ml_eat, image_sets_of_ml_eat
from crossroads.papers.reproducing import PAPERS, reproduce
from crossroads.papers.reproduction import Reproduction

__all__ = [
    "BADGES",
    "PAPERS",
    "VERDICTS",
    "Cell",
    "Choice",
    "Fidelity",
    "Finding",
    "Reproduction",
    "clip_texts_of_ml_eat",
    "fidelity",
    "findings",
    "image_sets_of_ml_eat",
    "ml_eat_models",
    "reproduce",
    "reproduce_abc",
    "reproduce_ceat",
    "reproduce_ml_eat",
]
