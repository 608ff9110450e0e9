"""``crossroads embed``."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape
from rich.progress import BarColumn, TextColumn

from crossroads.contexts.corpus import SAMPLE
from crossroads.contexts.embed.foreign import import_store
from crossroads.contexts.embed.run import Step, embed
from crossroads.contexts.embed.settings import AUTO, Piece, Stored
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, ModelOption, Opt, Outcome, Shown, command, passed
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError, join_words
from crossroads.core.evidence import Contexts
from crossroads.core.storage.cache import parts_folder


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """Sentences, and the model that reads them."""

    folder: Annotated[Path | None, Arg("DIR", "A folder written by crossroads contexts.")] = None
    model: Annotated[
        str | None,
        Opt("A folder, a .gguf file, or a name on the hub.", "MODEL", names="--model -m"),
    ] = None
    output: Annotated[Path, Opt("The store to write.", "STORE", names="--output -o")]
    imported: Annotated[
        Path | None,
        Opt("Make the store from the vectors in this .npz or pickle instead.", "FILE", names="--import"),
    ] = None
    restart: o.Fresh = False
    layer: Annotated[
        str,
        ModelOption(
            "a number (-1 is the top, 0 the embeddings), sum, mean, or sum:1,2,3; auto is the top, and of "
            "ELMo the sum"
        ),
    ] = AUTO
    piece: Annotated[Piece, ModelOption("which token of a word that is split")] = "last"
    dtype: Annotated[Stored | None, ModelOption("type of the stored numbers; float32 by default")] = None
    revision: o.Revision = None
    max_length: Annotated[
        int | None, ModelOption("most tokens per sentence; longer ones are cut around the word")
    ] = None
    batch_size: o.BatchSize = 64
    batch_tokens: Annotated[int, ModelOption("largest number of tokens per batch, with padding", least=1)] = (
        16_384
    )
    device: o.DeviceOption = "auto"
    threads: Annotated[int, ModelOption("threads per worker", least=1)] = 1


@command
def embed_command(embedded: Embedded, cluster: o.Cluster, shown: Shown) -> None:
    """Compute the vector of every word in its sentence.

    An interrupted run resumes where it stopped.
    """
    watch = Watch()
    if embedded.imported is not None:
        _refuse_others(embedded, cluster)
        contexts = import_store(embedded.imported, embedded.output, dtype=embedded.dtype)
    elif embedded.folder is None or embedded.model is None:
        missing = "a folder of contexts" if embedded.folder is None else "--model"
        raise InputError(
            f"{missing} is missing.", hint="crossroads embed DIR --model MODEL -o STORE; or --import FILE."
        )
    else:
        interrupting.promise(interrupting.kept_or_finished(embedded.output, parts_folder(embedded.output)))
        options = passed(embed, embedded) | cluster.options | {"dtype": embedded.dtype or "float32"}
        with watch.bar:
            contexts = embed(embedded.folder, store=embedded.output, progress=watch, **options)
    summary = _summary(embedded.output, contexts, watch)
    if shown.json:
        printing.write_json(Outcome(command="embed", results={}, more={"results": [summary]}).document)
        return
    for name, value in _lines(summary):
        printing.out.print(f"[b]{name:<9}[/b]{escape(value)}")


def _refuse_others(embedded: Embedded, cluster: o.Cluster) -> None:
    """Refuse options that an import would ignore."""
    if embedded.folder is not None or embedded.model is not None:
        raise InputError("--import was given with DIR or --model.", hint="give one or the other.")
    usual = Embedded(output=embedded.output, imported=embedded.imported, dtype=embedded.dtype)
    changed = [name for name, value in vars(embedded).items() if value != getattr(usual, name)]
    ignored = ["--fresh" if name == "restart" else f"-M {name}" for name in changed]
    ignored += ["--workers"] if cluster.workers else []
    ignored += ["--ray"] if cluster.options["engine"] == "ray" else []
    if ignored:
        raise InputError(
            f"{join_words(ignored)} cannot be used with --import.",
            hint="the vectors already exist; only -M dtype changes how they are stored.",
        )


class Watch:
    """Progress of an extraction: its speed, on a bar with the time left."""

    def __init__(self) -> None:
        self.bar = waiting.Bar(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=16),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[speed]}"),
            waiting.TimeLeft(),
        )
        self._task = self.bar.add_task("loading", total=None, speed="")
        self._stage, self._begun, self._first = "", 0.0, 0
        self.present, self.tokens, self.kept, self.seconds = False, 0, 0, 0.0

    def __call__(self, step: Step) -> None:
        """Take note of a step."""
        now, speed = time.monotonic(), ""
        if step.stage != self._stage:
            self._stage, self._begun, self._first = step.stage, now, step.contexts
            self.bar.reset(self._task, description=step.stage, completed=step.done)
        self.present = self.present or step.stage == "present"
        if step.stage == "encoding":
            self.kept, self.tokens, self.seconds = step.kept, step.done - step.kept, now - self._begun
            if self.tokens:
                contexts = (step.contexts - self._first) / self.seconds
                speed = f"{contexts:,.0f} contexts/s {self.tokens / self.seconds:,.0f} tokens/s"
        self.bar.update(self._task, completed=step.done, total=step.total or None, speed=speed)


def _summary(store: Path, contexts: Contexts, watch: Watch) -> dict[str, Any]:
    """What a run made, for JSON."""
    return {
        "store": str(store),
        "present": watch.present,  # before the run
        "words": len(contexts),
        "contexts": int(contexts.offsets[-1]),
        "dim": contexts.dim,
        "dtype": contexts.dtype.name,
        "bytes": sum(file.stat().st_size for file in store.iterdir()),
        "tokens": watch.tokens,
        "tokens_kept": watch.kept,  # encoded by earlier runs
        "seconds": watch.seconds,
        "provenance": contexts.provenance.to_dict(),
    }


def _lines(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    store, tokens, seconds = summary["store"], summary["tokens"], summary["seconds"]
    details = summary["provenance"]["details"]
    yield "store", f"{store} (was there already)" if summary["present"] else store
    how = ""
    if "layer" in details:
        how = f" ({details['class']}, layer {details['layer']}, {details['piece']} piece)"
    yield "source", summary["provenance"]["source"] + how
    shape = f"{summary['dim']} × {summary['dtype']}, {summary['bytes'] / 1e6:,.1f} MB"
    yield "vectors", f"{summary['contexts']:,} contexts of {summary['words']:,} words, {shape}"
    if tokens:
        yield "encoded", f"{tokens:,} tokens in {seconds:,.1f} s, {tokens / seconds:,.0f} tokens/s"
    if summary["tokens_kept"]:
        yield "kept", f"{summary['tokens_kept']:,} tokens of a run that was interrupted"
    sample = details.get("record", {}).get("sample")
    if sample not in (None, SAMPLE):
        yield "sample", f"drawn by {sample}; now {SAMPLE}, which draws other contexts with the same seed"
    reasons: Counter[str] = Counter()
    for dropped in details.get("dropped_by_word", {}).values():
        reasons.update(dropped)
    for reason, number in reasons.items():
        yield "dropped", f"{number:,} contexts: {reason}"
    if details.get("words_without_contexts"):
        words = join_words(details["words_without_contexts"], most=8)
        yield "missing", f"no context for {words}"
