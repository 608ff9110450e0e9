"""The model of a measure: the options by which any kind of model is read, and the vectors it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError
from crossroads.evidence import Embeddings
from crossroads.sources.kinds import KindName, check_options, recognise
from crossroads.sources.models.settings import Pooling
from crossroads.sources.models.transformers import Device
from crossroads.sources.words import Over, embed_series, embed_words
from crossroads.stimuli import Design

Model = Annotated[
    str,
    typer.Argument(
        help="A file or folder of word vectors, [b]default[/b], a transformer (folder, .gguf file or name on "
        "the Hugging Face hub), a CLIP model, a store of context vectors, or the address of an embedding "
        "service.",
        metavar="MODEL",
    ),
]
As = Annotated[KindName | None, typer.Option("--as", help="Kind of MODEL; detected if left out.")]
Prompt = Annotated[
    str | None,
    typer.Option("--prompt", help="Text with {word} in which a model reads words.", metavar="TEXT"),
]
Served = Annotated[
    str | None, typer.Option("--served-model", help="Model of an embedding service.", metavar="NAME")
]
DeviceOption = Annotated[Device, typer.Option("--device", help="Device on which a model runs.")]
PoolingOption = Annotated[
    Pooling | None,
    typer.Option("--pooling", help="Tokens whose mean a transformer gives; by default those of its kind."),
]
ALL = "all"


def _checked_layer(text: str | None) -> str | None:
    """A layer as given, if it is one."""
    if text is not None and text != ALL and not text.removeprefix("-").isdecimal():
        raise typer.BadParameter(f"{text!r} is not a layer: give a whole number, such as 0 or -1.")
    return text


Layer = Annotated[
    str | None,
    typer.Option(
        "--layer",
        help="Layer of a transformer: 0 is below the first block, -1 the top.",
        metavar="N",
        callback=_checked_layer,
    ),
]
LayerOrAll = Annotated[
    str | None,
    typer.Option(
        "--layer",
        help="Layer of a transformer: 0 is below the first block, -1 the top; all for each of them.",
        metavar="N|all",
        callback=_checked_layer,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A model and how it is read, as the options of a command say."""

    model: str
    """The model as given."""
    kind: KindName | None = None
    """Its kind; None to detect it."""
    format: str | None = None
    """Format of a file of vectors."""
    fallback: str = "auto"
    """Spellings to try for words of a file or a store."""
    prompt: str | None = None
    """Text in which a model reads words."""
    layer: str | None = None
    """Layer of a transformer: a number, or ``"all"``."""
    pooling: Pooling | None = None
    """Tokens whose mean is taken."""
    served: str | None = None
    """Name of the model at a service."""
    device: Device = "auto"
    """Where a model runs."""

    @property
    def _asking(self) -> dict[str, Any]:
        layer = None if self.layer in (None, ALL) else int(str(self.layer))
        return {"prompt": self.prompt, "pooling": self.pooling, "layer": layer, "device": self.device}

    def vectors(self, words: Sequence[str] | Sequence[Design] | None) -> Embeddings:
        """One vector per word, with a progress bar; None for all words of a file."""
        found = recognise(self.model, format=self.format, kind=self.kind)
        check_options([found], layer=self.layer)
        if self.layer == ALL:
            raise InputError(
                "--layer all was given, and one layer is measured here.",
                hint="mleat and rsa measure each layer of a model.",
            )
        bar = waiting.reading if found.name in ("vectors", "series") else waiting.asking
        with bar(found.shown) as progress:
            return embed_words(
                self.model,
                words,
                kind=self.kind,
                format=self.format,
                fallback=self.fallback,
                served=self.served,
                progress=progress,
                **self._asking,
            )

    def series(self, words: Sequence[str] | Sequence[Design], over: Over | None) -> dict[int, Embeddings]:
        """Vectors in every layer, checkpoint or decade, with a progress bar."""
        bar = waiting.reading if over == "decades" else waiting.asking
        with bar(self.model) as progress:
            return embed_series(
                self.model, words, over=over, fallback=self.fallback, progress=progress, **self._asking
            )


def say_source(emb: Embeddings, *, layer: bool = True) -> None:
    """Print how a model gave its vectors; nothing for files of vectors.

    Parameters
    ----------
    emb
        Its vectors.
    layer
        Whether the layer is worth saying.
    """
    details = emb.provenance.details
    said = []
    if "contexts of a word" in details:
        said.append(
            f"One vector per word: the mean over its contexts ({details['contexts of a word']} of a word); "
            "crossroads ceat draws them."
        )
    elif "bare words" in details:
        said.append(f"Words are read without a prompt: {details['bare words']}.")
    elif "prompt" in details:
        prompts = details["prompt"] if isinstance(details["prompt"], list) else [details["prompt"]]
        listed = "; ".join(escape(str(one)) for one in prompts)
        said.append(f"Words are read in: {listed}.")
    if layer and "layer" in details:
        said.append(f"Layer {details['layer']} of {details['layers of the model']}.")
    if "pooling" in details:
        said.append(f"Pooling: {details['pooling']}.")
    if said:
        printing.out.print(" ".join(said), style="dim")
