"""``crossroads probe``: traits that a language model associates with groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.cli import options as o
from crossroads.cli.commands.probe.options import (
    PILOT,
    BatchSize,
    DeviceOption,
    GroupsOption,
    Human,
    Kind,
    Measure,
    Model,
    Output,
    Pilot,
    Revision,
    TemplatesOption,
    Threads,
    TraitsOption,
)
from crossroads.cli.commands.probe.tables import Compared, show
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.cli.terminal.interrupts import kept_or_finished
from crossroads.errors import InputError, OnMissing, join_words
from crossroads.evidence.judgement_files import read_judgements
from crossroads.evidence.judgements import Judgements
from crossroads.evidence.logits import FORMAT, Logits
from crossroads.extraction.language import ProbeStep
from crossroads.extraction.probe.material import FILES
from crossroads.extraction.probe.prompts import Prior
from crossroads.extraction.probe.run import probe
from crossroads.measures.traits.alignment import align
from crossroads.measures.traits.ilps import ilps, ilps_star
from crossroads.measures.traits.scores import TraitScores
from crossroads.measures.traits.sensitivity import Score, set_test
from crossroads.measures.traits.templates import choose_templates
from crossroads.stimuli.catalogue.lookup import catalog
from crossroads.stimuli.identities.pairs import paired_groups
from crossroads.storage.cache import parts_folder


def probe_command(
    model: Model,
    measure: Annotated[Measure, typer.Option(help="Measure to compute.")] = "all",
    groups: GroupsOption = None,
    traits: TraitsOption = None,
    templates: TemplatesOption = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Also ask about all pairs of these groups, in both orders.")
    ] = False,
    synonyms: Annotated[
        bool, typer.Option("--synonyms", help="Average each adjective with its synonyms.")
    ] = False,
    prior: Annotated[
        Prior | None,
        typer.Option(help="Prior of the scores; by default mask, for causal models noun."),
    ] = None,
    renormalise: Annotated[
        bool,
        typer.Option(
            "--renormalise", help="ILPS*: word beginnings among beginnings, without special tokens."
        ),
    ] = False,
    special_tokens: Annotated[
        bool,
        typer.Option(
            "--special-tokens", help="With --renormalise: include special tokens, as in the released code."
        ),
    ] = False,
    gamma: Annotated[float, typer.Option(help="SeT: margin by which a trait has to lead.", min=0)] = 1.0,
    bias: Annotated[bool, typer.Option("--bias", help="SeT: the output bias may move too.")] = False,
    score: Annotated[Score, typer.Option(help="SeT: formula of the paper or of its code.")] = "paper",
    output: Output = None,
    human: Human = None,
    pilot: Pilot = PILOT,
    missing: Annotated[
        OnMissing, typer.Option(help="What to do with groups and traits unknown to the tokenizer.")
    ] = "raise",
    kind: Kind = "auto",
    revision: Revision = None,
    device: DeviceOption = "auto",
    threads: Threads = None,
    batch_size: BatchSize = 64,
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard an unfinished DIR that has other settings.")
    ] = False,
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Ask a masked or causal language model for traits of groups: ILPS, ILPS* and SeT.

    By default the 53 groups, 16 pairs of traits and 35 templates of the ABC study.
    """
    if special_tokens and not renormalise:
        raise InputError("--special-tokens is given without --renormalise.", hint="give both or neither.")
    judged = None if human is None else read_judgements(human, names="catalogue" if traits is None else "own")
    if is_saved(model):
        _refuse_for_saved(
            model,
            traits=traits,
            pairs=pairs,
            kind=kind != "auto",
            revision=revision,
            missing=missing != "raise",
            restart=restart,
        )
        logits = _opened(model, groups, templates, output)
    else:
        if output is not None:
            interrupting.promise(kept_or_finished(output, parts_folder(output)))
        with watching() as watch:
            logits = probe(
                model,
                groups=_asked_groups(groups, pairs),
                traits=None if traits is None else _names([traits]),
                templates=templates,
                synonyms=synonyms,
                kind=kind,
                margin=max(4.0, gamma),
                missing=missing,
                revision=revision,
                store=output,
                device=device,
                threads=threads,
                batch_size=batch_size,
                restart=restart,
                progress=watch,
            )
    options: dict[str, Any] = {
        "prior": prior,
        "adjectives": "synonyms" if synonyms else "pairs",
    }
    star = {"renormalise": "code" if special_tokens else renormalise}
    results = measured(
        logits, measure, star, {"gamma": gamma, "bias": bias, "score": score},
        options,
    )  # fmt: skip
    compared = Compared()
    if judged is not None:
        results, compared = compare(results, judged, _pilot(pilot, logits, judged), seed)
    if figure is not None:
        _draw(results, figure)
    if json:
        printing.document(
            "probe",
            results,
            choices=[one.to_dict() for one in compared.choices],
            alignments=[one.to_dict() for one in compared.alignments],
            without_pilot=[one.to_dict() for one in compared.without_pilot],
        )
        return
    show(logits, results, compared)


def is_saved(model: str) -> bool:
    """Whether a folder has answers of a model, not a model."""
    manifest = Path(model) / "manifest.json"
    return manifest.is_file() and not (Path(model) / "config.json").is_file() and FORMAT in _head(manifest)


def _head(file: Path) -> str:
    """The text of a manifest."""
    return file.read_text(encoding="utf-8", errors="replace")


def _refuse_for_saved(folder: str, **given: object) -> None:
    """Refuse options that change what a model is asked, if its answers are given."""
    for name, value in given.items():
        if value:
            raise InputError(
                f"--{name} was given, but {folder} already has answers.",
                hint="leave it out, or probe the model again.",
            )


def _opened(
    folder: str, groups: list[str] | None, templates: list[str] | None, output: Path | None
) -> Logits:
    """The requested part of saved answers."""
    if output is not None:
        raise InputError(f"--output was given, but {folder} already has answers.", hint="leave it out.")
    logits = Logits.open(folder)
    chosen = None
    if templates is not None:
        families = catalog().templates("abc-templates")
        chosen = [
            text
            for name in templates
            for text in ([t.text for t in families[name].templates] if name in families else [name])
        ]
    if groups is None and chosen is None:
        return logits
    return logits.select(groups=None if groups is None else _names(groups), templates=chosen)


def _asked_groups(groups: list[str] | None, pairs: bool) -> Any:
    """Names and files as arguments of the library; pairs of groups need names of the catalogue."""
    names = None if groups is None else _names(groups)
    if not pairs:
        return names
    if names is not None and any(name.lower().endswith(FILES) for name in names):
        raise InputError(
            "--pairs was given with a file of groups.",
            hint="name groups of the catalogue, or list the pairs themselves in the file.",
        )
    single = list(catalog().groups("abc-groups")) if names is None else names
    return [*single, *paired_groups(names)]


def _names(given: Iterable[str]) -> list[str]:
    names = [name.strip() for part in given for name in part.split(",") if name.strip()]
    if not names:
        raise InputError("an option names nothing.", hint="separate names by commas.")
    return names


@contextmanager
def watching() -> Iterator[Any]:
    """A progress bar over all texts."""
    with waiting.counting("asking the model", 1) as (bar, task):
        kept = 0

        def watch(step: ProbeStep) -> None:
            nonlocal kept
            if step.kept > kept:  # texts answered by an earlier run do not count for the speed
                kept = step.kept
                bar.reset(task, total=step.total, completed=kept)
            what = {"loading": "loading the model", "splitting": "writing prompts"}.get(
                step.stage, "asking the model"
            )
            bar.update(task, description=what, completed=step.done, total=step.total or 1)

        yield watch


def measured(
    logits: Logits, measure: Measure, star: dict[str, Any], change: dict[str, Any], options: dict[str, Any]
) -> list[TraitScores]:
    """The requested measures."""
    found = []
    if measure in ("ilps", "all"):
        found.append(ilps(logits, **options))
    if measure in ("ilps-star", "all"):
        found.append(ilps_star(logits, **star, **options))
    if measure in ("set", "all"):
        found.append(set_test(logits, **change, **options))
    return found


def _pilot(given: str, logits: Logits, judged: Judgements) -> tuple[str, ...]:
    """The pilot groups on which templates are chosen: those named that are both probed and judged."""
    if given.strip().lower() == "none" or len(logits.templates) < 2:
        return ()
    names = _names([given])
    there = [name for name in names if name in logits.groups and name in judged.groups]
    if not there and given != PILOT:
        raise InputError(
            f"none of the pilot groups {join_words(names)} is both probed and judged.",
            hint="name others with --pilot, or --pilot none to use all templates.",
        )
    return tuple(there)


def compare(
    results: Sequence[TraitScores], judged: Judgements, pilot: tuple[str, ...], seed: int
) -> tuple[list[TraitScores], Compared]:
    """Choose templates on the pilot groups, and compare the scores of these templates with people.

    Parameters
    ----------
    results
        Scores over all templates.
    judged
        Human judgements.
    pilot
        Groups on which templates are chosen, as in the ABC study; none to keep all templates.
    seed
        Seed of all random numbers.
    """
    target = judged.to_dict()
    choices = [choose_templates(one, target, groups=pilot) for one in results] if pilot else []
    if choices:
        results = [one.with_templates(c.templates) for one, c in zip(results, choices, strict=True)]
    rest = [name for name in results[0].groups if name not in pilot and name in judged.groups]
    options: dict[str, Any] = {"seed": seed, "k": min(3, len(results[0].traits))}
    return list(results), Compared(
        choices=tuple(choices),
        alignments=tuple(align(one, judged, **options) for one in results),
        without_pilot=tuple(align(one, judged, groups=rest, **options) for one in results)
        if choices and rest
        else (),
    )


def _draw(results: Sequence[TraitScores], figure: Path) -> None:
    """A map of groups and traits; one file per measure if there are several."""
    from crossroads.plots import trait_heatmap
    from crossroads.plots.frame.saving import save

    for one in results:
        name = one.measure.replace("*", "-star")
        path = figure if len(results) == 1 else figure.with_name(f"{figure.stem}-{name}{figure.suffix}")
        save(trait_heatmap(one), path)
