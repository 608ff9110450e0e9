"""``crossroads audit``: the main job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crossroads.auditing import (
    Asking,
    Desk,
    Finished,
    Plan,
    Settings,
    Tally,
    Workplace,
    make_plan,
    parts_folder,
    recognise,
    run_plan,
)
from crossroads.auditing.comparing import compare_finished
from crossroads.auditing.planning import check_asking, takes
from crossroads.auditing.watching import WRITING
from crossroads.cli import audit_progress, gating, interrupting
from crossroads.cli import options as o
from crossroads.cli.audit_writing import Done, tell, write
from crossroads.cli.extracting import Device
from crossroads.cli.promising import kept
from crossroads.errors import CrossroadsError, InputError
from crossroads.evidence.full_disks import disk_errors
from crossroads.evidence.model_names import distinct_names
from crossroads.report import Gate
from crossroads.report.folder import check_output
from crossroads.stimuli import Design


class KindName(StrEnum):
    """What a model can be said to be."""

    vectors = "vectors"
    series = "series"
    encoder = "encoder"
    language_model = "language-model"
    vision_language = "vision-language"
    endpoint = "endpoint"
    contexts = "contexts"
    logits = "logits"


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
As = Annotated[KindName | None, typer.Option("--as", help="What MODEL is, if it is not to be found out.")]
ContextsFolder = Annotated[
    Path | None,
    typer.Option(
        "--contexts", help="Contexts for a model to read, as crossroads contexts writes them.", metavar="DIR"
    ),
]
ImagesFolder = Annotated[
    Path | None,
    typer.Option("--images", help="Images for a CLIP model: one subfolder a stimulus set.", metavar="DIR"),
]
Human = Annotated[
    Path | None,
    typer.Option("--human", help="Human judgements to compare a language model with.", metavar="FILE"),
]
Pairs = Annotated[
    bool,
    typer.Option(
        "--pairs", help="Also ask a language model about all pairs of groups: some forty times the work."
    ),
]
Prompt = Annotated[
    str | None,
    typer.Option("--prompt", help="Text with {word} in which a model reads words.", metavar="TEXT"),
]
Served = Annotated[
    str | None, typer.Option("--served-model", help="Which model of an embedding service.", metavar="NAME")
]
Workers = Annotated[
    int | None, typer.Option(help="Parts at a time; by default one for each processor.", min=1)
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure everything anew, also what is finished.")]
KeepVectors = Annotated[
    bool, typer.Option("--vectors/--no-vectors", help="Keep the vectors of the stimuli beside the results.")
]


def audit_command(
    models: Models = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the results go.")] = Path("audit"),
    name: o.Names = None,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    as_: As = None,
    alternative: Annotated[o.Alternative, typer.Option(help="Which tail.")] = o.Alternative.two_sided,
    missing: o.MissingOption = o.Missing.drop,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    prompt: Prompt = None,
    served_model: Served = None,
    contexts: ContextsFolder = None,
    images: ImagesFolder = None,
    human: Human = None,
    pairs: Pairs = False,
    device: Annotated[Device, typer.Option(help="Where a model runs.")] = Device.auto,
    seed: o.Seed = 0,
    workers: Workers = None,
    fresh: Fresh = False,
    vectors: KeepVectors = True,
    figures: Annotated[bool, typer.Option(help="Draw figures, where matplotlib is installed.")] = True,
    fail_on: gating.FailOn = None,
    summary: gating.Summary = None,
    github: gating.GitHub = False,
    json: o.Json = False,
) -> None:
    """Test models on everything that applies to them, and write it all to a folder.

    What is finished is kept beside the folder: a run that was interrupted goes on where it stopped, and one
    with another option measures only what depends on it.
    """
    interrupting.promise(interrupting.UNTOUCHED)
    names = models or ["default"]
    called = o.checked_names(name, names)
    check_output(output)
    gating.check_summary(summary, output, github=github)
    designs = o.chosen_designs(test, design, default=()) if test or design else None
    extras = {"contexts": contexts, "images": images, "human": human}
    plans = make_plans(names, designs, as_.value if as_ else None, format_, extras, pairs=pairs)
    check_asking([plan.kind for plan in plans], prompt=prompt, served=served_model)
    check_apart(plans, output)
    rules = gating.rules_for(fail_on, [plan.names for plan in plans])
    settings = Settings(alternative=alternative.value, missing=missing.value, fallback=fallback, seed=seed)
    asking = Asking(format=format_, prompt=prompt, served=served_model, images=images, device=device.value)
    again = "the same command without --fresh" if fresh else "the same command"
    interrupting.promise(kept(output, parts_folder(output), again=again))
    with Workplace(parts_folder(output), fresh=fresh) as place:
        with audit_progress.watching() as watch:
            desk = Desk(place=place, tally=Tally(watch))
            desk.tally.divide(len(plans))
            audits = run_all(plans, settings, asking, desk, workers, called)
            compared = compare_finished(audits, settings, desk, workers=workers)
            gates: dict[str, Gate] = {}
            if fail_on is not None:
                for (model, one), plan in zip(audits.items(), plans, strict=True):
                    gates[model] = gating.held_against(one.audit, rules, plan.names, alone=len(plans) == 1)
            done = Done(audits=audits, gates=gates, comparison=compared)
            desk.tally.begin(f"writing {output}")
            with disk_errors(output, parts=place.folder):
                absent = write(output, done, figures=figures, vectors=vectors, seed=seed)
            desk.tally.finish(work=WRITING)
        interrupting.promise(audit_progress.written(output))
        place.sweep()
    tell(done, output, absent, summary=summary, github=github, json=json)


def make_plans(
    models: Sequence[str],
    designs: Sequence[Design] | None,
    kind: str | None,
    format_: str | None,
    extras: Mapping[str, Path | None],
    *,
    pairs: bool = False,
) -> list[Plan]:
    """What is asked of each model; material goes to the models that can use it."""
    kinds = [recognise(name, format=format_, kind=kind) for name in models]
    twice = [one.shown for at, one in enumerate(kinds) if one in kinds[:at]]
    if twice:
        raise InputError(f"the model {twice[0]!r} was given twice.", hint="give each model once.")
    given = {name: path for name, path in extras.items() if path is not None}
    plans = []
    for one in kinds:
        # where no model can use it, the first says so
        mine = {
            name: path
            for name, path in given.items()
            if takes(one, name) or not any(takes(other, name) for other in kinds)
        }
        asked = pairs and (one.name == "language model" or len(kinds) == 1)
        plans.append(make_plan(one, designs, pairs=asked, **mine))
    return plans


def check_apart(plans: Sequence[Plan], output: Path) -> None:
    """Refuse to replace a folder in which a model lies that is to be read."""
    for plan in plans:
        place = Path(plan.kind.model)
        if place.exists() and place.resolve().is_relative_to(output.resolve()):
            raise InputError(
                f"{plan.kind.model} lies in the folder {output}, which would be replaced.",
                hint="name another folder with --output.",
            )


def run_all(
    plans: Sequence[Plan],
    settings: Settings,
    asking: Asking,
    desk: Desk,
    workers: int | None,
    names: Sequence[str] | None = None,
) -> dict[str, Finished]:
    """Audit one model after the other, each under a name of its own: the one given, or a short one."""
    found: list[Finished] = []
    for plan in plans:
        try:
            if found:
                desk.tally.next_model()
            if plan is plans[-1]:
                desk.tally.expect(1, WRITING)
            found.append(run_plan(plan, settings, asking, desk, workers=workers))
        except CrossroadsError as error:
            if len(plans) > 1 and plan.kind.shown not in error.message:
                error.message = f"{plan.kind.shown}: {error.message}"
            raise
    labels = names or distinct_names([one.audit.about for one in found])
    return {
        label: one if label == one.audit.model else replace(one, audit=replace(one.audit, name=label))
        for label, one in zip(labels, found, strict=True)
    }
