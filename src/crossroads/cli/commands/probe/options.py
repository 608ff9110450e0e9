"""Options of ``crossroads probe``, some of them also of ``crossroads sentences``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from crossroads.sources.models.language import Asked
from crossroads.sources.models.transformers import Device

PILOT = "Asian,Black,Hispanic,immigrant"
"""The groups on which the ABC study chose its templates."""


Measure = Literal["ilps", "ilps-star", "set", "all"]
Kind = Annotated[Asked, typer.Option(help="How the model is asked.")]
Revision = Annotated[str | None, typer.Option(help="Branch, tag or commit on the hub.")]
DeviceOption = Annotated[Device, typer.Option(help="Device on which the model runs.")]
Threads = Annotated[int | None, typer.Option(help="Number of threads; by default one per processor.", min=1)]
BatchSize = Annotated[int, typer.Option(help="Largest number of texts per batch.", min=1)]
Model = Annotated[
    str,
    typer.Argument(
        help="A folder, a .gguf file, a name on the Hugging Face hub, or a folder written by --output.",
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
        help="A family of the catalogue, a file, or a text with {plural} and {trait}; repeatable.",
        metavar="NAME",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Save the answers here; resumes if interrupted.", metavar="DIR"),
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
