"""``crossroads chat``: words that a chat model gives to labels, and its decisions between two people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.cli import options as o
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError
from crossroads.evidence.chat import ChatAnswers, Task
from crossroads.extraction.chat.ask import ChatPlan, Conversation
from crossroads.measures.chat.result import ChatResult
from crossroads.measures.chat.scores import chat_association, chat_decision
from crossroads.measures.robustness import ChecksResult, checks
from crossroads.sources.endpoints.chat import ChatProtocol
from crossroads.sources.models.transformers import Device
from crossroads.stimuli import Design, StimulusSet
from crossroads.storage.disks import is_anything_finished
from crossroads.storage.staging import check_folder
from crossroads.wording.numbers import counted, number, percent

KEPT = "answers"
"""Folder of the single answers in the folder of a run."""
LIMIT = 200
"""Number of requests that are sent without --yes."""


def chat_command(
    model: Annotated[
        str,
        typer.Argument(
            help="Address of a chat service; folder, GGUF file or hub name of a chat model; or a file of "
            "answers.",
            metavar="MODEL",
        ),
    ],
    test: o.Tests = None,
    design: o.DesignFiles = None,
    labels: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Two labels in place of those of the tests.", metavar="X Y"),
    ] = None,
    task: Annotated[Task, typer.Option(help="What to ask.")] = "association",
    served_model: Annotated[
        str | None, typer.Option("--served-model", help="Model to request from a service.", metavar="NAME")
    ] = None,
    prompts: Annotated[int, typer.Option(help="Number of questions of a test.", min=1)] = 48,
    repetitions: Annotated[int, typer.Option(help="How often each is asked.", min=1)] = 1,
    temperature: Annotated[float, typer.Option(help="Randomness of answers.", min=0, max=2)] = 1.0,
    system: Annotated[str | None, typer.Option(help="System prompt.", metavar="TEXT")] = None,
    prompt: Annotated[
        str | None,
        typer.Option(help="The question, with {first}, {second} and {words}.", metavar="TEXT"),
    ] = None,
    max_tokens: Annotated[int, typer.Option(help="Most tokens of an answer.", min=1)] = 1024,
    protocol: Annotated[ChatProtocol, typer.Option(help="Protocol of a service.")] = "auto",
    timeout: Annotated[float, typer.Option(help="Seconds that an answer may take.")] = 120.0,
    workers: Annotated[int, typer.Option(help="Questions asked of a service at a time.", min=1)] = 1,
    limit: Annotated[int, typer.Option(help="Most requests that are sent without --yes.", min=0)] = LIMIT,
    yes: Annotated[bool, typer.Option("--yes", help="Send any number of requests.")] = False,
    price: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Prices of a million tokens of questions and of answers.", metavar="IN OUT"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked, and ask nothing.")
    ] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder in which answers are kept.", metavar="DIR")
    ] = Path("chat"),
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit on the hub.")] = None,
    device: Annotated[Device, typer.Option(help="Device on which a model runs.")] = "auto",
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Ask a chat model to give words to labels, or to decide between two people.

    Every answer is kept: an interrupted run continues where it stopped, and nothing is asked twice. The key
    of a service is read from the environment variable CROSSROADS_API_KEY.
    """
    designs = [_labelled(one, labels) for one in o.chosen_designs(test, design, default=("weat6",))]
    if figure is not None and len(designs) != 1:
        raise InputError(
            f"--figure draws one test, and {len(designs)} were chosen.", hint="name one with --test."
        )
    if price is not None and not all(0 <= one < inf for one in price):
        raise InputError(f"--price is {price[0]} {price[1]}.", hint="give two numbers from 0 up.")
    saved = ChatAnswers.open(model) if model.endswith(".json") and Path(model).is_file() else None
    if saved is None:
        check_folder(output)
    if saved is not None:
        results = [_score(saved, one, task, seed) for one in designs]
    else:
        asked = {
            one.name: Conversation(
                model,
                one,
                task=task,
                served_model=served_model,
                prompts=prompts,
                repetitions=repetitions,
                temperature=temperature,
                system=system,
                prompt=prompt,
                max_tokens=max_tokens,
                protocol=protocol,
                timeout=timeout,
                revision=revision,
                device=device,
                cache=output / KEPT,
                seed=seed,
            )
            for one in designs
        }
        plans = {name: one.plan() for name, one in asked.items()}
        for line in _told(plans, price):
            printing.err.print(line, markup=False, soft_wrap=True)
        if dry_run:
            return
        left = sum(one.requests for one in plans.values())
        if left > limit and not yes:
            raise InputError(
                f"{left:,} requests are more than {limit:,}.",
                hint="give --yes to send them, or fewer --prompts or --repetitions.",
            )
        results = [
            _score(answers, one, task, seed)
            for one, answers in zip(designs, _answers(asked, output, task, workers), strict=True)
        ]
    if figure is not None:
        from crossroads import plots

        plots.save(plots.chat_plot(results[0]), figure)
    if json:
        printing.document("chat", results, checks=checks(results).to_dict())
        return
    show(results)


def _labelled(design: Design, labels: tuple[str, str] | None) -> Design:
    """A design with other labels."""
    if labels is None:
        return design
    if labels[0].strip().casefold() == labels[1].strip().casefold():
        raise InputError(f"--labels are {labels[0]!r} and {labels[1]!r}.", hint="give two that differ.")
    x, y = (StimulusSet(label, (label,)) for label in labels)
    return replace(design, x=x, y=y)


def _answers(asked: dict[str, Conversation], output: Path, task: str, workers: int) -> Iterator[ChatAnswers]:
    """Ask what is left, one test after the other; the answers of each are saved."""
    interrupting.promise(partial(_interrupted, output))
    said = f"answers are kept in {output}; the same command asks none of them again."
    printing.err.print(said, markup=False, soft_wrap=True)
    for name, one in asked.items():
        with waiting.counting(f"asking {name}", len(one.prompts)) as (bar, at):
            answers = one.answers(workers=workers, progress=partial(_tell, bar, at))
        if one.repeated:
            sent = counted(one.repeated, "request was", "requests were")
            told = f"{name}: {sent} sent again: the service was busy, or the connection broke."
            printing.err.print(told, markup=False, soft_wrap=True)
        output.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "-", name)
        answers.save(output / f"{stem}-{task}.json")
        yield answers


def _interrupted(output: Path) -> str:
    """What is kept of a run that is interrupted: nothing, if nothing was answered."""
    if is_anything_finished(output):
        return f"interrupted: answers are kept in {output}; the same command continues."
    return "interrupted before anything was answered: nothing is kept; run the same command again."


def _tell(bar: Any, at: Any, done: int, total: int) -> None:
    bar.update(at, completed=done, total=total)


def _score(answers: ChatAnswers, design: Design, task: str, seed: int) -> ChatResult:
    if task == "decision":
        return chat_decision(answers, design)
    return chat_association(answers, design, seed=seed)


def _told(plans: dict[str, ChatPlan], price: tuple[float, float] | None) -> Iterator[str]:
    """What would be asked, and about what it takes."""
    for name, one in plans.items():
        before = f", {one.kept:,} answered before" if one.kept else ""
        yield f"{name}: {counted(one.questions, 'question')}{before}"
    into, out = (sum(getattr(one, what) for one in plans.values()) for what in ("tokens_in", "tokens_out"))
    cost = ""
    if price is not None:
        cost = f", about {number((into * price[0] + out * price[1]) / 1e6)} at these prices"
    requests = sum(one.requests for one in plans.values())
    yield f"{counted(requests, 'request')}, about {into:,} tokens in and {out:,} out{cost}"


def show(results: Sequence[ChatResult]) -> None:
    """Print the tables of tests and their notes."""
    named = {one.label: one for one in results}
    printing.show(ChatResult.tabulate(named))
    printing.show(ChecksResult.tabulate({"checks": checks(results)}))
    for name, one in named.items():
        if one.first_share is not None:
            printing.out.print(
                f"{name}: {percent(one.first_share)} of words went to the label named first.",
                style="dim",
                markup=False,
            )
    printing.notes([(one.label, one.coverage) for one in results])
