"""``crossroads audit``: its options, the order of its work, its rules and its output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from crossroads.core.audit.audit import FinishedAudit, Session, audit_cache, audit_folder, draw_once, run_plan
from crossroads.core.audit.engine import Settings
from crossroads.core.audit.plan import Plan, make_plan
from crossroads.core.audit.progress import WRITING, ProgressTracker
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, ModelOption, Opt, Seeded, command
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.cli.terminal.audits import show_audit, show_joint, watching
from crossroads.core.errors import CrossroadsError, InputError
from crossroads.core.evidence.model_names import distinct_names
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.kinds import TAKES, Correction, KindName, SourceOptions, check_options, recognise
from crossroads.core.report.audit import Audit
from crossroads.core.report.files import Drawer, Joint, Written, write_audits
from crossroads.core.report.folder import check_output
from crossroads.core.report.gate.files import read_rules
from crossroads.core.report.gate.rules import Gate, Rule, check_rules, judge
from crossroads.core.report.renderers.texts import markdown_summary
from crossroads.core.results import Result
from crossroads.core.stimuli import Design
from crossroads.core.stimuli.files.lists import read_frequencies, wordfreq_language
from crossroads.core.storage.disks import disk_errors
from crossroads.core.storage.files import check_file, write_file
from crossroads.subjects import brought

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable with the path of the file that GitHub shows with a job."""
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
            "Word counts: a CSV or TSV file, or wordfreq[:LANGUAGE]; by default the order of the vectors, "
            "where it is one of frequency.",
            "FILE",
            panel=o.WORDS,
        ),
    ] = None
    layers: Annotated[bool, Opt("Also every test in each layer.", panel=o.MODELS)] = False
    contexts: Annotated[
        Path | None,
        Opt("Sentences to read words in.", "DIR", panel=o.MODELS),
    ] = None
    images: Annotated[
        Path | None,
        Opt("Images for a CLIP model: one subfolder per set.", "DIR", panel=o.MODELS),
    ] = None
    human: Annotated[
        Path | None,
        Opt("Judgements of people to compare with.", "FILE", panel=o.MODELS),
    ] = None
    kind: Annotated[KindName | None, ModelOption("kind of MODEL; detected if left out", key="as")] = None
    format: Annotated[str | None, ModelOption("format of a file of vectors; detected if left out")] = None
    prompt: Annotated[str | None, ModelOption("text with {word} in which a model reads words")] = None
    served: Annotated[
        str | None,
        ModelOption("model of an embedding service", key="model"),
        Opt("", names="--served-model", hidden=True),
    ] = None
    device: o.DeviceOption = "auto"
    alternative: Annotated[Alternative, Convention("which tail")] = "two-sided"
    correct: Annotated[
        Correction | None,
        Convention("correct an uneven space first; tests before and after are always shown"),
    ] = None
    placebo: Annotated[bool, Convention("ask a model for 2,000 more words, to draw placebo tests from")] = (
        False
    )

    @property
    def names(self) -> list[str]:
        """The models as given, or the default."""
        return self.models or ["default"]

    def plans(self, designs: Sequence[Design] | None) -> list[Plan]:
        """The plan of each model; optional inputs are given to the models that can use them."""
        extras = {"contexts": self.contexts, "images": self.images, "human": self.human}
        plans = make_plans(
            self.names, designs, self.kind, self.format, extras, placebo=self.placebo, layers=self.layers
        )
        check_options(
            [plan.kind for plan in plans], prompt=self.prompt, served=self.served, correct=self.correct
        )
        return plans

    def settings(self, seed: int) -> Settings:
        """How everything is measured."""
        return Settings(
            alternative=self.alternative,
            missing=self.missing,
            fallback=self.fallback,
            seed=seed,
            correct=self.correct,
            frequencies=_read_counts(self.frequencies),
        )

    @property
    def source(self) -> SourceOptions:
        """How models are read."""
        return SourceOptions(
            format=self.format, prompt=self.prompt, served=self.served, images=self.images, device=self.device
        )


@dataclass(frozen=True, kw_only=True)
class Folder:
    """What an audit writes, and what it must not break."""

    output: Annotated[Path, Opt("Where results go.", "FOLDER", names="--output -o")] = Path("audit")
    name: o.Names = None
    rules: Annotated[
        Path | None,
        Opt("Exit with status 1 if a rule is broken.", "FILE.toml", names="--rules --fail-on"),
    ] = None
    figures: Annotated[bool, Opt("Draw no figures.", names="--figures/--no-figures", panel=_OUTPUT)] = True
    vectors: Annotated[
        bool,
        Opt("Do not save the vectors of the words.", names="--vectors/--no-vectors", panel=_OUTPUT),
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

    def check(self) -> None:
        """Refuse paths that cannot be written, before any work is done."""
        check_output(self.output)
        if self.summary == GITHUB and not os.environ.get(STEP_SUMMARY):
            raise InputError(f"${STEP_SUMMARY} is not set.", hint="name a file with --summary elsewhere.")
        if self.summary in (None, GITHUB):
            return
        file = Path(str(self.summary))
        if file.is_dir():
            raise InputError(f"{file} is a folder.", hint="name a file with --summary.")
        if self.output.resolve() in file.resolve().parents:
            raise InputError(
                f"{file} is inside the folder of the audit.",
                hint=f"{self.output / 'summary.md'} is written anyway.",
            )
        check_file(file)

    def send_summary(self, text: str) -> None:
        """Write the summary where it was asked for."""
        if self.summary == GITHUB:
            with Path(os.environ[STEP_SUMMARY]).open("a", encoding="utf-8") as file:
                file.write(text)
        elif self.summary is not None:
            write_file(Path(self.summary), text)


@dataclass(frozen=True, kw_only=True)
class Done:
    """The audits of one command."""

    audits: Mapping[str, FinishedAudit]
    """Audits by the unique name of the model."""
    gates: Mapping[str, Gate]
    """Verdicts of the rules, if there were any."""
    comparison: Result | None
    """Comparison of every pair of models."""


@command
def audit_command(audited: Audited, chosen: o.Chosen, folder: Folder, shown: Seeded) -> None:
    """Run every measure that applies; write one page and the numbers.

    Finished parts are kept next to the folder: an interrupted run resumes where it stopped, and a run with
    another option measures only what depends on it.
    """
    interrupting.promise(interrupting.UNTOUCHED)
    output, workers = folder.output, folder.workers
    called = o.checked_names(folder.name, audited.names)
    folder.check()
    plans = audited.plans(chosen.designs() if chosen.test or chosen.design else None)
    check_apart(plans, output)
    rules = rules_for(folder.rules, (plan.names for plan in plans))
    settings = audited.settings(shown.seed)
    again = "the same command without --fresh" if folder.fresh else "the same command"
    interrupting.promise(interrupting.kept(output, audit_folder(output), again=again))
    with audit_cache(audit_folder(output), fresh=folder.fresh) as cache:
        with watching() as watch:
            session = Session(cache=cache, tracker=ProgressTracker(watch))
            session.tracker.divide(len(plans))
            audits = run_all(plans, settings, audited.source, session, workers, called)
            compared = None
            for comparing in brought("several"):
                compared = comparing.compare_finished(audits, settings, session, workers=workers)
            gates: dict[str, Gate] = {}
            if folder.rules is not None:
                for (model, one), plan in zip(audits.items(), plans, strict=True):
                    gates[model] = held_against(one.audit, rules, plan.names, alone=len(plans) == 1)
            done = Done(audits=audits, gates=gates, comparison=compared)
            session.tracker.begin(f"writing {output}")
            with disk_errors(output, parts=cache.folder):
                absent, both = write(done, folder, shown.seed, partial(draw_once, cache))
            session.tracker.finish(work=WRITING)
        interrupting.promise(f"interrupted: the audit was already finished, and is written to {output}.")
        cache.sweep()
    tell(done, folder, absent, both, json=shown.json)


def _read_counts(given: str | None) -> Mapping[str, float] | str | None:
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
    placebo: bool = False,
    layers: bool = False,
) -> list[Plan]:
    """The plan of each model; optional inputs are given to the models that can use them."""
    kinds = [recognise(name, format=format_, kind=kind) for name in models]
    twice = [one.shown for at, one in enumerate(kinds) if one in kinds[:at]]
    if twice:
        raise InputError(f"the model {twice[0]!r} was given twice.", hint="give each model once.")
    given = {name: path for name, path in extras.items() if path is not None}
    asked = [name for name, on in (("placebo", placebo), ("layers", layers)) if on]
    plans = []
    for one in kinds:
        # if no model can use it, the first raises the error
        mine = [
            name
            for name in (*given, *asked)
            if one.name in TAKES[name] or not any(other.name in TAKES[name] for other in kinds)
        ]
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


def rules_for(file: Path | None, planned: Iterable[Mapping[str, str]]) -> tuple[Rule, ...]:
    """The rules of a file, each of which must match a planned test of a model; tests have their kinds."""
    if file is None:
        return ()
    rules = read_rules(file)
    check_rules(rules, {name: kind for names in planned for name, kind in names.items()})
    return rules


def held_against(audit: Audit, rules: Iterable[Rule], planned: Mapping[str, str], *, alone: bool) -> Gate:
    """Check an audit against rules; of one of several audits, those that match one of its tests.

    Missing results that were not planned, such as a CEAT without contexts, do not fail the gate.
    """
    mine = [
        rule
        for rule in rules
        if alone or any(rule.matches(name) and rule.applies(kind) for name, kind in planned.items())
    ]
    return judge(audit, mine, planned)


def all_gates(gates: Mapping[str, Gate]) -> Gate:
    """The verdicts of several audits as one gate, each under the name of its model."""
    verdicts = [
        replace(one, test=f"{model}: {one.test}", sentence=f"{model}: {one.sentence}")
        for model, gate in gates.items()
        for one in gate.verdicts
    ]
    unmatched = [set(gate.unmatched) for gate in gates.values()]
    everywhere = set.intersection(*unmatched) if unmatched else set()
    return Gate(verdicts=tuple(verdicts), unmatched=tuple(sorted(everywhere)))


def write(done: Done, folder: Folder, seed: int, drawer: Drawer) -> Written:
    """Write one audit, or several and their comparison."""
    audits = {
        name: replace(one, vectors=one.vectors if folder.vectors else None, gate=done.gates.get(name))
        for name, one in done.audits.items()
    }
    return write_audits(
        folder.output, audits, done.comparison, seed=seed, figures=folder.figures, drawer=drawer
    )


def tell(done: Done, folder: Folder, absent: Sequence[str], compared: Joint | None, *, json: bool) -> None:
    """Write the summary, print the results, and raise an error if a rule was broken."""
    gate = None
    if done.gates:
        gate = next(iter(done.gates.values())) if len(done.gates) == 1 else all_gates(done.gates)
    folder.send_summary(summary_of(done, compared))
    if json:
        print_json(done, folder.output, gate, compared)
    else:
        said: set[str] = set()
        for number, (name, one) in enumerate(done.audits.items()):
            if number:
                printing.out.print()
            show_audit(one.audit, name, said)
        if compared is not None:
            show_joint(compared)
        if gate is not None and gate.passed:
            printing.out.print(f"{gate.headline}.", markup=False)
        printing.ending(folder.output, absent)
    if gate is not None:
        gate.check()


def summary_of(done: Done, compared: Joint | None) -> str:
    """The summary in Markdown: of several models the comparison, then one after the other."""
    parts = [markdown_summary(one.audit, done.gates.get(name)) for name, one in done.audits.items()]
    return "\n".join([*([] if compared is None else [compared.markdown]), *parts])


def print_json(done: Done, output: Path, gate: Gate | None, compared: Joint | None) -> None:
    """Write the one JSON document of the command."""
    more: dict[str, Any] = {} if gate is None else {"gate": gate.to_dict()}
    audits = [one.audit for one in done.audits.values()]
    if len(audits) == 1:
        skipped = {name: why for name, (_, why) in audits[0].unmeasured().items()}
        more |= {"kind": audits[0].kind, "model": audits[0].model, "skipped": skipped}
    else:
        more |= {"models": list(done.audits)}
    results = [result for audit in audits for result in audit.values()]
    names = [name for audit in audits for name in audit]
    printing.document(
        "audit",
        [*results, *([] if compared is None else compared.results)],
        names=[*names, *([] if compared is None else [one._label for one in compared.results])],
        output=str(output),
        **more,
    )
