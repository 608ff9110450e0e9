"""``crossroads audit``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.audit import (
    FinishedAudit,
    PartsFolder,
    Plan,
    ProgressTracker,
    Session,
    Settings,
    SourceOptions,
    make_plan,
    parts_folder,
    recognise,
    run_plan,
)
from crossroads.audit.measured.comparison import compare_finished
from crossroads.audit.plan import ON_WORDS, takes
from crossroads.audit.progress import WRITING
from crossroads.cli import models as m
from crossroads.cli import options as o
from crossroads.cli.commands.audit import gate as gating
from crossroads.cli.commands.audit import progress as audit_progress
from crossroads.cli.commands.audit.output import Done, tell, write
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal.interrupts import kept
from crossroads.errors import CrossroadsError, InputError
from crossroads.evidence.model_names import distinct_names
from crossroads.measures.association.scales import wordfreq_language
from crossroads.measures.geometry.corrections import Correction
from crossroads.report import Gate
from crossroads.report.folder import check_output
from crossroads.sources.kinds import TRANSFORMERS, Kind, KindName, check_options
from crossroads.stimuli import Design
from crossroads.stimuli.files.lists import read_frequencies
from crossroads.storage.disks import disk_errors

Models = Annotated[
    list[str] | None,
    typer.Argument(
        help="A file or folder of word vectors, a transformer (folder, .gguf file or name on the Hugging "
        "Face hub), a CLIP model, a store of context vectors, saved answers, or the address of an embedding "
        "service; the embedded default if left out. Two or more are compared.",
        metavar="MODEL",
        show_default=False,
    ),
]
ContextsFolder = Annotated[
    Path | None,
    typer.Option(
        "--contexts", help="Contexts for a model to read, as crossroads contexts writes them.", metavar="DIR"
    ),
]
ImagesFolder = Annotated[
    Path | None,
    typer.Option("--images", help="Images for a CLIP model: one subfolder per stimulus set.", metavar="DIR"),
]
Human = Annotated[
    Path | None,
    typer.Option("--human", help="Human judgements to compare a language model with.", metavar="FILE"),
]
Pairs = Annotated[
    bool,
    typer.Option(
        "--pairs", help="Also ask a language model about all pairs of groups: about forty times the work."
    ),
]
Placebo = Annotated[
    bool,
    typer.Option(
        "--placebo",
        help="Ask a model for 2,000 more words, to draw placebo tests from; vectors have them read along.",
    ),
]
Layers = Annotated[
    bool,
    typer.Option("--layers", help="Measure every test in each layer of a transformer as well."),
]
Frequencies = Annotated[
    str | None,
    typer.Option(
        "--frequencies",
        help="Frequencies of words: a CSV or TSV file of words and counts, or wordfreq[:LANGUAGE]; "
        "by default the order of a file of vectors, where it is one of frequency.",
        metavar="FILE|wordfreq",
    ),
]
Correct = Annotated[
    Correction | None,
    typer.Option(
        "--correct",
        help="Correct an uneven space before everything is measured; the audit always shows its tests "
        "before and after each correction.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="Number of parts measured at a time; by default one per processor.", min=1)
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure everything again, including finished parts.")]
KeepVectors = Annotated[
    bool, typer.Option("--vectors/--no-vectors", help="Save the vectors of the stimuli with the results.")
]


def audit_command(
    models: Models = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("audit"),
    name: o.Names = None,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    as_: m.As = None,
    alternative: o.AlternativeOption = "two-sided",
    missing: o.MissingOption = "drop",
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    frequencies: Frequencies = None,
    correct: Correct = None,
    prompt: m.Prompt = None,
    served: m.Served = None,
    contexts: ContextsFolder = None,
    images: ImagesFolder = None,
    human: Human = None,
    pairs: Pairs = False,
    placebo: Placebo = False,
    layers: Layers = False,
    device: m.DeviceOption = "auto",
    seed: o.Seed = 0,
    workers: Workers = None,
    fresh: Fresh = False,
    vectors: KeepVectors = True,
    figures: Annotated[bool, typer.Option(help="Draw figures, if matplotlib is installed.")] = True,
    fail_on: gating.FailOn = None,
    summary: gating.Summary = None,
    github: gating.GitHub = False,
    json: o.Json = False,
) -> None:
    """Run all measures that apply to models, and write the results to a folder.

    Finished parts are kept beside the folder: an interrupted run resumes where it stopped, and a run with
    another option measures only what depends on it.
    """
    interrupting.promise(interrupting.UNTOUCHED)
    names = models or ["default"]
    called = o.checked_names(name, names)
    check_output(output)
    gating.check_summary(summary, output, github=github)
    designs = o.chosen_designs(test, design, default=()) if test or design else None
    extras = {"contexts": contexts, "images": images, "human": human}
    plans = make_plans(names, designs, as_, format_, extras, pairs=pairs, placebo=placebo, layers=layers)
    check_options([plan.kind for plan in plans], prompt=prompt, served=served, correct=correct)
    check_apart(plans, output)
    rules = gating.rules_for(fail_on, [plan.names for plan in plans])
    settings = Settings(
        alternative=alternative,
        missing=missing,
        fallback=fallback,
        seed=seed,
        correct=correct,
        frequencies=given_frequencies(frequencies),
    )
    source = SourceOptions(format=format_, prompt=prompt, served=served, images=images, device=device)
    again = "the same command without --fresh" if fresh else "the same command"
    interrupting.promise(kept(output, parts_folder(output), again=again))
    with PartsFolder(parts_folder(output), fresh=fresh) as place:
        with audit_progress.watching() as watch:
            session = Session(place=place, tracker=ProgressTracker(watch))
            session.tracker.divide(len(plans))
            audits = run_all(plans, settings, source, session, workers, called)
            compared = compare_finished(audits, settings, session, workers=workers)
            gates: dict[str, Gate] = {}
            if fail_on is not None:
                for (model, one), plan in zip(audits.items(), plans, strict=True):
                    gates[model] = gating.held_against(one.audit, rules, plan.names, alone=len(plans) == 1)
            done = Done(audits=audits, gates=gates, comparison=compared)
            session.tracker.begin(f"writing {output}")
            with disk_errors(output, parts=place.folder):
                absent, both = write(
                    output, done, figures=figures, vectors=vectors, seed=seed, drawer=place.draw
                )
            session.tracker.finish(work=WRITING)
        interrupting.promise(audit_progress.written(output))
        place.sweep()
    tell(done, output, absent, both, summary=summary, github=github, json=json)


def given_frequencies(given: str | None) -> Mapping[str, float] | str | None:
    """Frequencies out of a file, or the name of where they are to be found: refused before the work."""
    if given is None:
        return None
    if given.partition(":")[0] == "wordfreq" and not Path(given).exists():
        wordfreq_language(given)
        return given
    return read_frequencies(Path(given))


def make_plans(
    models: Sequence[str],
    designs: Sequence[Design] | None,
    kind: KindName | None,
    format_: str | None,
    extras: Mapping[str, Path | None],
    *,
    pairs: bool = False,
    placebo: bool = False,
    layers: bool = False,
) -> list[Plan]:
    """The plan of each model; optional inputs are given to the models that can use them."""
    kinds = [recognise(name, format=format_, kind=kind) for name in models]
    twice = [one.shown for at, one in enumerate(kinds) if one in kinds[:at]]
    if twice:
        raise InputError(f"the model {twice[0]!r} was given twice.", hint="give each model once.")
    given = {name: path for name, path in extras.items() if path is not None}
    uses = {"pairs": ("language model",), "placebo": ON_WORDS, "layers": TRANSFORMERS}
    asked = [name for name, on in (("pairs", pairs), ("placebo", placebo), ("layers", layers)) if on]

    def fits(name: str, one: Kind) -> bool:
        return one.name in uses[name] if name in uses else takes(one, name)

    plans = []
    for one in kinds:
        # if no model can use it, the first raises the error
        mine = {name for name in (*given, *asked) if fits(name, one) or not any(fits(name, k) for k in kinds)}
        options: dict[str, Any] = {name: given.get(name, True) for name in mine}
        plans.append(make_plan(one, designs, **options))
    return plans


def check_apart(plans: Sequence[Plan], output: Path) -> None:
    """Refuse to replace a folder that contains a model to be read."""
    for plan in plans:
        place = Path(plan.kind.model)
        if place.exists() and place.resolve().is_relative_to(output.resolve()):
            raise InputError(
                f"{plan.kind.model} is in the folder {output}, which would be replaced.",
                hint="name another folder with --output.",
            )


def run_all(
    plans: Sequence[Plan],
    settings: Settings,
    source: SourceOptions,
    session: Session,
    workers: int | None,
    names: Sequence[str] | None = None,
) -> dict[str, FinishedAudit]:
    """Audit one model after the other, each under a unique name: the given one, or a short one."""
    found: list[FinishedAudit] = []
    for plan in plans:
        try:
            if found:
                session.tracker.next_model()
            if plan is plans[-1]:
                session.tracker.expect(1, WRITING)
            found.append(run_plan(plan, settings, source, session, workers=workers))
        except CrossroadsError as error:
            if len(plans) > 1 and plan.kind.shown not in error.message:
                error.message = f"{plan.kind.shown}: {error.message}"
            raise
    labels = names or distinct_names([one.audit.about for one in found])
    return {
        label: one if label == one.audit.model else replace(one, audit=replace(one.audit, name=label))
        for label, one in zip(labels, found, strict=True)
    }
