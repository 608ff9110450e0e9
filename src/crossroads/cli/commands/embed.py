"""``crossroads embed``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from crossroads.cli import options as o
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.cli.terminal.interrupts import kept_or_finished
from crossroads.corpus import SAMPLE
from crossroads.corpus.search import EngineName
from crossroads.errors import InputError, join_words
from crossroads.evidence import Contexts
from crossroads.extraction.embed.foreign import import_store
from crossroads.extraction.embed.run import embed
from crossroads.extraction.embed.settings import AUTO, Piece, Stored
from crossroads.extraction.embed.store import Step
from crossroads.sources.models.transformers import Device
from crossroads.storage.cache import parts_folder

Folder = Annotated[
    Path | None,
    typer.Argument(help="A folder written by [b]crossroads contexts[/b].", metavar="DIR", show_default=False),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="A folder, a .gguf file, or a name on the Hugging Face hub.", metavar="MODEL"
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="The store to write.", metavar="STORE")]
Imported = Annotated[
    Path | None,
    typer.Option(
        "--import", help="Make the store from the vectors in this .npz or pickle instead.", metavar="FILE"
    ),
]
Revision = Annotated[str | None, typer.Option(help="Branch, tag or commit on the hub.")]
Layer = Annotated[
    str,
    typer.Option(
        help="A number (-1 is the top, 0 the embeddings), sum, mean, or sum:1,2,3; auto is the top, and of "
        "ELMo the sum."
    ),
]
BatchSize = Annotated[int, typer.Option(help="Largest number of sentences per batch.", min=1)]
BatchTokens = Annotated[int, typer.Option(help="Largest number of tokens per batch, with padding.", min=1)]
MaxLength = Annotated[
    int | None, typer.Option(help="Most tokens per sentence; longer ones are cut around the word.")
]
Workers = Annotated[int | None, typer.Option(help="Number of workers; by default one per processor.", min=1)]
Threads = Annotated[int, typer.Option(help="Threads per worker.", min=1)]
RayAddress = Annotated[
    str | None, typer.Option(help="A running Ray cluster; if left out, one is started.", metavar="ADDRESS")
]
Restart = Annotated[
    bool, typer.Option("--restart", help="Discard an unfinished store that has other settings.")
]


def embed_command(
    context: typer.Context,
    folder: Folder = None,
    model: Model = None,
    output: Output = ...,  # type: ignore[assignment]
    layer: Layer = AUTO,
    piece: Annotated[Piece, typer.Option(help="Which token of a word that is split.")] = "last",
    dtype: Annotated[
        Stored | None,
        typer.Option(help="Type of the stored numbers; float32 by default.", show_default=False),
    ] = None,
    revision: Revision = None,
    max_length: MaxLength = None,
    batch_size: BatchSize = 64,
    batch_tokens: BatchTokens = 16_384,
    device: Annotated[Device, typer.Option(help="Device on which the model runs.")] = "auto",
    engine: Annotated[EngineName, typer.Option(help="Local processes, or Ray.")] = "local",
    workers: Workers = None,
    threads: Threads = 1,
    ray_address: RayAddress = None,
    restart: Restart = False,
    import_: Imported = None,
    json: o.Json = False,
) -> None:
    """Compute the vector of every context; an interrupted run resumes where it stopped."""
    if import_ is not None:
        if folder is not None or model is not None:
            raise InputError("--import was given with DIR or --model.", hint="give one or the other.")
        _refuse_others(context)
        _show(output, import_store(import_, output, dtype=dtype), Watch(), json)
        return
    if folder is None or model is None:
        missing = "a folder of contexts" if folder is None else "--model"
        raise InputError(
            f"{missing} is missing.", hint="crossroads embed DIR --model MODEL -o STORE; or --import FILE."
        )
    if ray_address is not None and engine != "ray":
        raise InputError("--ray-address was given without --engine ray.", hint="add --engine ray.")
    interrupting.promise(kept_or_finished(output, parts_folder(output)))
    with watching() as watch:
        contexts = embed(
            folder,
            model,
            output,
            revision=revision,
            layer=layer,
            piece=piece,
            dtype=dtype or "float32",
            batch_size=batch_size,
            batch_tokens=batch_tokens,
            max_length=max_length,
            device=device,
            threads=threads,
            workers=workers,
            engine=engine,
            ray_address=ray_address,
            restart=restart,
            progress=watch,
        )
    _show(output, contexts, watch, json)


_WITH_IMPORT = frozenset({"output", "dtype", "import_", "json"})
"""Options that can be used with ``--import``."""


def _refuse_others(context: typer.Context) -> None:
    """Refuse options that an import would ignore."""
    given = [
        f"--{name.replace('_', '-')}"
        for name in context.params
        if name not in _WITH_IMPORT and _was_typed(context, name)
    ]
    if given:
        raise InputError(
            f"{join_words(given)} cannot be used with --import.",
            hint="the vectors already exist; only --dtype changes how they are stored.",
        )


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


class Watch:
    """Progress of an extraction: records its speed, and updates a bar if there is one."""

    def __init__(self, bar: Progress | None = None) -> None:
        self._bar, self._task = bar, None if bar is None else bar.add_task("loading", total=None, speed="")
        self._stage, self._begun, self._first = "", 0.0, 0
        self.present, self.tokens, self.kept, self.seconds = False, 0, 0, 0.0

    def __call__(self, step: Step) -> None:
        """Take note of a step."""
        now = time.monotonic()
        if step.stage != self._stage:
            self._begin(step, now)
        speed = ""
        self.present = self.present or step.stage == "present"
        if step.stage == "encoding":
            self.kept, self.tokens, self.seconds = step.kept, step.done - step.kept, now - self._begun
            if self.tokens:
                contexts = (step.contexts - self._first) / self.seconds
                speed = f"{contexts:,.0f} contexts/s {self.tokens / self.seconds:,.0f} tokens/s"
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=step.done, total=step.total or None, speed=speed)

    def _begin(self, step: Step, now: float) -> None:
        self._stage, self._begun, self._first = step.stage, now, step.contexts
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, description=step.stage, completed=step.done)


@contextmanager
def watching() -> Iterator[Watch]:
    """A bar with throughput and time left."""
    with waiting.Bar(
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=16),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[speed]}"),
        waiting.TimeLeft(),
    ) as bar:
        yield Watch(bar)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Summary of a run of ``crossroads embed``."""

    store: str
    """Where the vectors are."""
    present: bool
    """Whether they existed before."""
    words: int
    """Words with context vectors."""
    contexts: int
    """Context vectors."""
    dim: int
    """Dimensions of each."""
    dtype: str
    """Type of the numbers."""
    bytes: int
    """Size of the store on the disk."""
    tokens: int
    """Tokens encoded by this run."""
    tokens_kept: int
    """Tokens encoded by earlier runs that were interrupted."""
    seconds: float
    """Seconds of the encoding, including loading the model."""
    provenance: dict[str, Any]
    """Model, layer, settings; contexts that were left out."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)


def _show(store: Path, contexts: Contexts, watch: Watch, json: bool) -> None:
    summary = Summary(
        store=str(store),
        present=watch.present,
        words=len(contexts),
        contexts=int(contexts.offsets[-1]),
        dim=contexts.dim,
        dtype=contexts.dtype.name,
        bytes=sum(file.stat().st_size for file in store.iterdir()),
        tokens=watch.tokens,
        tokens_kept=watch.kept,
        seconds=watch.seconds,
        provenance=contexts.provenance.to_dict(),
    )
    if json:
        printing.document("embed", [summary])
        return
    for name, value in _lines(summary):
        printing.out.print(f"[b]{name:<9}[/b]{escape(value)}")


def _lines(s: Summary) -> Iterator[tuple[str, str]]:
    details = s.provenance["details"]
    yield "store", f"{s.store} (was there already)" if s.present else s.store
    how = ""
    if "layer" in details:
        how = f" ({details['class']}, layer {details['layer']}, {details['piece']} piece)"
    yield "source", s.provenance["source"] + how
    yield (
        "vectors",
        (f"{s.contexts:,} contexts of {s.words:,} words, {s.dim} × {s.dtype}, {s.bytes / 1e6:,.1f} MB"),
    )
    if s.tokens:
        yield "encoded", f"{s.tokens:,} tokens in {s.seconds:,.1f} s, {s.tokens / s.seconds:,.0f} tokens/s"
    if s.tokens_kept:
        yield "kept", f"{s.tokens_kept:,} tokens of a run that was interrupted"
    sample = details.get("record", {}).get("sample")
    if sample not in (None, SAMPLE):
        yield "sample", f"drawn by {sample}; now {SAMPLE}, which draws other contexts with the same seed"
    reasons: dict[str, int] = {}
    for word in details.get("dropped_by_word", {}).values():
        for reason, number in word.items():
            reasons[reason] = reasons.get(reason, 0) + number
    for reason, number in reasons.items():
        yield "dropped", f"{number:,} contexts: {reason}"
    if details.get("words_without_contexts"):
        words = join_words(details["words_without_contexts"], most=8)
        yield "missing", f"no context for {words}"
