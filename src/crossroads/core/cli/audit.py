"""``crossroads audit``: its options, the order of its work, its rules and its output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

from rich.markup import escape
from rich.progress import BarColumn, TextColumn

from crossroads.core.audit.audit import (
    Plan,
    Session,
    audit_cache,
    audit_folder,
    draw_once,
    make_plan,
    run_plan,
)
from crossroads.core.audit.engine import Settings
from crossroads.core.audit.progress import WRITING, Event, ProgressTracker
from crossroads.core.audit.progress import Progress as Watcher
from crossroads.core.audit.registration import read_registration
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, Opt, Seeded, command, passed
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import CrossroadsError, InputError
from crossroads.core.evidence.model_names import KINDS, distinct_names
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.kinds import TAKES, Correction, SourceOptions, check_options, recognise
from crossroads.core.report.audit import Audit, FinishedAudit, conclusions_of
from crossroads.core.report.files import PAGE, Joint, write_audits
from crossroads.core.report.folder import check_output
from crossroads.core.report.gate import Gate, check_rules, judge, read_rules
from crossroads.core.report.renderers.texts import findings_by_status, markdown_summary
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.text import read_frequencies, wordfreq_language
from crossroads.core.storage.files import check_file, disk_errors, write_file
from crossroads.core.subjects import brought
from crossroads.core.wording.numbers import counted

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable with the path of the file that GitHub shows with a job
GITHUB = "github"
_OUTPUT = "Output"


@dataclass(frozen=True, kw_only=True)
class Audited:
    """Models, and how they are read and measured."""

    models: Annotated[
        list[str] | None,
        Arg(
            "MODEL",
            "Vectors in any format, a transformer (folder, .gguf, name on the hub), a CLIP model, a "
            "store of context vectors, saved answers, or the address of an embedding service; the default "
            "vectors if left out. Two or more are compared.",
        ),
    ] = None
    missing: o.MissingWords = "drop"
    fallback: o.Fallback = "auto"
    frequencies: Annotated[
        str | None,
        Opt(
            "Word counts: CSV, TSV or wordfreq[:LANGUAGE]; by default the order of vectors, if by frequency.",
            "FILE",
            panel=o.WORDS,
        ),
    ] = None
    layers: Annotated[bool, Opt("Also every test in each layer.", panel=o.MODELS)] = False
    contexts: Annotated[Path | None, Opt("Sentences to read words in.", "DIR", panel=o.MODELS)] = None
    images: Annotated[
        Path | None, Opt("Images for a CLIP model: one subfolder per set.", "DIR", panel=o.MODELS)
    ] = None
    human: Annotated[Path | None, Opt("Judgements of people to compare with.", "FILE", panel=o.MODELS)] = None
    preregistered: Annotated[
        Path | None, Opt("What plan --freeze wrote: run it, say what departs.", "FILE", panel=o.WORDS)
    ] = None
    kind: o.KindOption = None
    format: o.FormatOption = None
    prompt: o.PromptOption = None
    served: o.ServedOption = None
    device: o.DeviceOption = "auto"
    alternative: Annotated[Alternative, Convention("which tail")] = "two-sided"
    correct: Annotated[
        Correction | None,
        Convention("correct an uneven space first; tests before and after are always shown"),
    ] = None
    placebo: Annotated[bool, Convention("ask a model for 2,000 more words, to draw placebo tests from")] = (
        False
    )

    def plans(self, designs: Sequence[Design] | None) -> list[Plan]:
        """The plan of each model; optional inputs are given to the models that can use them."""
        kinds = [recognise(name, format=self.format, kind=self.kind) for name in self.models or ["default"]]
        twice = [one.shown for at, one in enumerate(kinds) if one in kinds[:at]]
        if twice:
            raise InputError(f"the model {twice[0]!r} was given twice.", hint="give each model once.")
        inputs = {name: getattr(self, name) for name in ("contexts", "images", "human", "placebo", "layers")}
        registered = None if self.preregistered is None else read_registration(self.preregistered)
        plans = []
        for kind in kinds:
            # if no model can use an input, the first raises the error
            options = {
                name: value
                for name, value in inputs.items()
                if value and (kind.name in TAKES[name] or not any(one.name in TAKES[name] for one in kinds))
            }
            plans.append(make_plan(kind, designs, registration=registered, **options))
        check_options(kinds, prompt=self.prompt, served=self.served, correct=self.correct)
        return plans

    def settings(self, seed: int) -> Settings:
        """How everything is measured."""
        options, counts = passed(Settings, self) | {"seed": seed}, self.frequencies
        if counts is not None and counts.partition(":")[0] == "wordfreq" and not Path(counts).exists():
            wordfreq_language(counts)  # refused before the work
        elif counts is not None:
            options["frequencies"] = read_frequencies(Path(counts))
        return Settings(**options)

    @property
    def source(self) -> SourceOptions:
        """How models are read."""
        return SourceOptions(**passed(SourceOptions, self))


@dataclass(frozen=True, kw_only=True)
class Folder:
    """What an audit writes, and what it must not break."""

    output: Annotated[Path, Opt("Where results go.", "FOLDER", names="--output -o")] = Path("audit")
    name: o.Names = None
    rules: Annotated[
        Path | None, Opt("Exit with status 1 if a rule is broken.", "FILE.toml", names="--rules --fail-on")
    ] = None
    figures: Annotated[bool, Opt("Draw no figures.", names="--figures/--no-figures", panel=_OUTPUT)] = True
    vectors: Annotated[
        bool, Opt("Do not save the vectors of the words.", names="--vectors/--no-vectors", panel=_OUTPUT)
    ] = True
    summary: Annotated[
        str | None,
        Opt(
            "Also write the summary in Markdown; github: to the summary of the job.",
            "FILE|github",
            panel=_OUTPUT,
        ),
    ] = None
    workers: o.Workers = None
    fresh: o.Fresh = False

    def check_apart(self, plans: Sequence[Plan]) -> None:
        """Refuse to replace a folder that contains a model to be read."""
        for model in (plan.kind.model for plan in plans):
            if Path(model).exists() and Path(model).resolve().is_relative_to(self.output.resolve()):
                message = f"{model} is in the folder {self.output}, which would be replaced."
                raise InputError(message, hint="name another folder with --output.")

    def check(self) -> None:
        """Refuse paths that cannot be written, before any work is done."""
        check_output(self.output)
        if self.summary == GITHUB and not os.environ.get(STEP_SUMMARY):
            raise InputError(f"${STEP_SUMMARY} is not set.", hint="name a file with --summary elsewhere.")
        if self.summary is None or self.summary == GITHUB:
            return
        file = Path(self.summary)
        if file.is_dir():
            raise InputError(f"{file} is a folder.", hint="name a file with --summary.")
        if self.output.resolve() in file.resolve().parents:
            hint = f"{self.output / 'summary.md'} is written anyway."
            raise InputError(f"{file} is inside the folder of the audit.", hint=hint)
        check_file(file)

    def send_summary(self, text: str) -> None:
        """Write the summary where it was asked for."""
        if self.summary == GITHUB:
            with Path(os.environ[STEP_SUMMARY]).open("a", encoding="utf-8") as file:
                file.write(text)
        elif self.summary is not None:
            write_file(Path(self.summary), text)


@command
def audit_command(audited: Audited, chosen: o.Chosen, folder: Folder, shown: Seeded) -> None:
    """Run every measure that applies; write one page and the numbers.

    Finished parts are kept next to the folder: an interrupted run resumes where it stopped, and a run with
    another option measures only what depends on it.
    """
    interrupting.promise(interrupting.UNTOUCHED)
    output = folder.output
    called = o.checked_names(folder.name, audited.models or ["default"])
    folder.check()
    plans = audited.plans(chosen.designs() if chosen.test or chosen.design else None)
    folder.check_apart(plans)
    rules = () if folder.rules is None else read_rules(folder.rules)
    check_rules(rules, {name: kind for plan in plans for name, kind in plan.names.items()} if rules else {})
    settings = audited.settings(shown.seed)
    again = "the same command without --fresh" if folder.fresh else "the same command"
    interrupting.promise(interrupting.kept(output, audit_folder(output), again=again))
    with audit_cache(audit_folder(output), fresh=folder.fresh) as cache:
        with watching() as watch:
            session = Session(cache=cache, tracker=ProgressTracker(watch), workers=folder.workers)
            session.tracker.divide(len(plans))
            audits = run_all(plans, settings, audited.source, session, called)
            tested = None
            for comparing in brought("several"):
                tested = comparing.compare_finished(audits, settings, session)
            for (model, one), plan in zip(list(audits.items()), plans, strict=True) if rules else ():
                # of several audits, each is held against the rules that match one of its tests
                alone, named = len(plans) == 1, plan.names.items()
                mine = [rule for rule in rules if alone or any(rule.matches(*test) for test in named)]
                audits[model] = replace(one, gate=judge(one.audit, mine, plan.names))
            session.tracker.begin(f"writing {output}")
            with disk_errors(output, parts=cache.folder):
                saved = audits
                if not folder.vectors:
                    saved = {model: replace(one, vectors=None) for model, one in audits.items()}
                options: dict[str, Any] = {"seed": shown.seed, "figures": folder.figures}
                absent, joint = write_audits(
                    output, saved, tested, drawer=partial(draw_once, cache), **options
                )
            session.tracker.finish(work=WRITING)
        interrupting.promise(f"interrupted: the audit was already finished, and is written to {output}.")
        cache.sweep()
    tell(audits, folder, absent, joint, json=shown.json)


def run_all(
    plans: Sequence[Plan],
    settings: Settings,
    source: SourceOptions,
    session: Session,
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
            found.append(run_plan(plan, settings, source, session))
        except CrossroadsError as error:
            if len(plans) > 1 and plan.kind.shown not in error.message:
                error.message = f"{plan.kind.shown}: {error.message}"
            raise
    labels = names or distinct_names([one.audit.about for one in found])
    return {
        label: one if label == one.audit.model else replace(one, audit=replace(one.audit, name=label))
        for label, one in zip(labels, found, strict=True)
    }


def all_gates(gates: Mapping[str, Gate]) -> Gate:
    """The verdicts of several audits as one gate, each under the name of its model."""
    verdicts = tuple(
        replace(one, test=f"{model}: {one.test}", sentence=f"{model}: {one.sentence}")
        for model, gate in gates.items()
        for one in gate.verdicts
    )
    everywhere = set.intersection(*(set(gate.unmatched) for gate in gates.values()))
    return Gate(verdicts=verdicts, unmatched=tuple(sorted(everywhere)))


def tell(
    audits: Mapping[str, FinishedAudit],
    folder: Folder,
    absent: Sequence[str],
    joint: Joint | None,
    *,
    json: bool,
) -> None:
    """Write the summary, print the results, and raise an error if a rule was broken."""
    gates = {name: one.gate for name, one in audits.items() if one.gate is not None}
    gate = None if not gates else all_gates(gates) if len(gates) > 1 else next(iter(gates.values()))
    summaries = [markdown_summary(one.audit, one.gate) for one in audits.values()]
    folder.send_summary("\n".join([*([] if joint is None else [joint.markdown]), *summaries]))
    if json:
        print_json([one.audit for one in audits.values()], list(audits), folder.output, gate, joint)
    else:
        said: set[str] = set()
        for number, (name, one) in enumerate(audits.items()):
            if number:
                printing.out.print()
            show_audit(one.audit, name, said)
        if joint is not None:
            show_joint(joint)
        if gate is not None and gate.passed:
            printing.out.print(f"{gate.headline}.", markup=False)
        printing.ending(folder.output, absent)
    if gate is not None:
        gate.check()


def print_json(
    audits: Sequence[Audit], models: list[str], output: Path, gate: Gate | None, joint: Joint | None
) -> None:
    """Write the one JSON document of the command."""
    more: dict[str, Any] = {} if gate is None else {"gate": gate.to_dict()}
    if len(audits) == 1:
        skipped = {name: why for name, (_, why) in audits[0].unmeasured().items()}
        more |= {"kind": audits[0].kind, "model": audits[0].model, "skipped": skipped}
    else:
        more |= {"models": models}
    named = [item for audit in audits for item in audit.items()]
    named += [] if joint is None else [(one._label, one) for one in joint.results]
    names, results = zip(*named, strict=True)
    printing.document("audit", results, names=list(names), output=str(output), **more)


# ---- in the terminal

_LONGEST = 30
_TRUSTED = 10.0  # seconds of work after which the observed speed has the same weight as the expected one


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all work, with the current step and the estimated remaining time."""
    with waiting.Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[count]}"),
        waiting.TimeLeft(),
    ) as bar:
        task, begun = bar.add_task("beginning", total=1.0, count=""), bar.get_time()

        def watch(event: Event) -> None:
            now, doing = bar.get_time(), event.doing
            # first from the expected speed, then increasingly from the observed one
            slower = (now - begun + _TRUSTED) / (event.worked + _TRUSTED)
            count = f"{event.done:,} of {counted(event.total, 'part')}" if event.total else ""
            bar.update(
                task,
                description=escape(doing if len(doing) <= _LONGEST else f"{doing[: _LONGEST - 1]}…"),
                completed=event.share,
                count=f"{count}, {event.kept:,} kept" if count and event.kept else count,
                due=now + event.seconds * (1 - event.share) * slower,
            )

        yield watch


def show_audit(audit: Audit, name: str, said: set[str]) -> None:
    """Print the tables of an audit and their notes.

    ``said`` are sentences already printed below the tables of other models, which are not repeated.
    """
    heading = KINDS[audit.kind]
    battery: Any = next((one for one in audit.values() if one._tests_on == "words"), None)
    if battery is not None:
        size, tests = battery.provenance[0].details.get("vocabulary"), counted(len(battery.tests), "test")
        heading = f"{f'{size:,} words' if isinstance(size, int) else heading}, {tests}"
    printing.out.print(f"[b]{escape(name)}[/b]: {heading}")
    if (registered := audit.registration) is not None:
        printing.show(registered._table())
        if not registered.departures:
            printing.out.print(f"\n{registered._headline()}.", style="bold", markup=False)
    for kind, results in reversed(audit.by_type()):  # what concerns the whole space comes first
        for note in kind._warnings(results):
            warning = f"Warning: {note.removeprefix('Warning: ')}"
            printing.out.print(warning, style="yellow", markup=False)
            said.add(note)  # and not again below its table
    for heading, lines in findings_by_status(conclusions_of(audit)).items():
        printing.out.print(f"\n{heading}", style="bold", markup=False)
        for line in lines:
            wrapped = fill(line, printing.out.width, initial_indent="  • ", subsequent_indent="    ")
            printing.out.print(wrapped, markup=False, highlight=False)
    for kind, results in audit.by_type():
        if printing.out.verbose or kind._printed:
            printing.show(kind._tabulate(results), elsewhere=PAGE, said=said)
    printing.notes([(name, one.coverage) for name, one in audit.named() if one._printed])
    printing.skipped({name: why for name, (_, why) in audit.unmeasured().items()})


def show_joint(joint: Joint) -> None:
    """Print the tables of a comparison and their notes."""
    for table in joint.tables:
        printing.show(table, elsewhere=PAGE)
    for sentence in joint.notes:
        printing.out.print(sentence, style="dim", markup=False)
