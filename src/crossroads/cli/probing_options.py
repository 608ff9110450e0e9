"""What ``crossroads probe`` can be told."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

PILOT = "Asian,Black,Hispanic,immigrant"
"""The groups on which the ABC study chose its templates."""


class Measure(StrEnum):
    """What is computed."""

    ilps = "ilps"
    ilps_star = "ilps-star"
    set = "set"
    all = "all"


class Prior(StrEnum):
    """What stands for nobody in particular."""

    mask = "mask"
    noun = "noun"


class Score(StrEnum):
    """Which formula SeT has."""

    paper = "paper"
    code = "code"


class Kind(StrEnum):
    """How a model is asked."""

    auto = "auto"
    masked = "masked"
    causal = "causal"


class Missing(StrEnum):
    """What happens to what the tokenizer does not know."""

    stop = "raise"
    drop = "drop"


Model = Annotated[
    str,
    typer.Argument(
        help="A folder, a .gguf file, a name on the Hugging Face hub, or a folder that --output wrote.",
        metavar="MODEL",
    ),
]
GroupsOption = Annotated[
    list[str] | None,
    typer.Option("--groups", "-g", help="A file, or names separated by commas.", metavar="FILE|NAMES"),
]
TraitsOption = Annotated[
    str | None,
    typer.Option("--traits", help="A file, or names such as cold-warm.", metavar="FILE|NAMES"),
]
TemplatesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--templates",
        "-t",
        help="A family of the catalogue, a file, or a text with {plural} and {trait}; several times.",
        metavar="NAME",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Keep the answers here; goes on if interrupted.", metavar="DIR"),
]
Human = Annotated[
    Path | None,
    typer.Option("--human", help="Human judgements: choose templates, and compare.", metavar="FILE"),
]
Pilot = Annotated[
    str,
    typer.Option(
        help="Groups on which templates are chosen with --human; none to use all templates.", metavar="NAMES"
    ),
]
