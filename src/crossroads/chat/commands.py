"""``crossroads chat``: words that a chat model gives to labels, and its decisions between two people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any

from crossroads.chat.ask import ChatPlan, Conversation, ask_chat
from crossroads.chat.evidence import ChatAnswers, Task
from crossroads.chat.models import ChatProtocol
from crossroads.chat.result import ChatResult
from crossroads.chat.scores import chat_test
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, ModelOption, Opt, Outcome, Written, command, passed
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import InputError
from crossroads.core.results.robustness import ChecksResult, checks
from crossroads.core.stimuli import StimulusSet
from crossroads.core.storage.files import is_anything_finished
from crossroads.core.storage.staging import check_folder
from crossroads.core.wording.numbers import counted, number, percent

KEPT = "answers"
"""Folder of the single answers in the folder of a run."""
LIMIT = 200
"""Number of requests that are sent without --limit none."""
_ASKING, _COST = "Asking", "Cost"


@dataclass(frozen=True, kw_only=True)
class Conversed:
    """A chat model, and what it is asked."""

    model: Annotated[
        str,
        Arg(
            "MODEL",
            "Address of a chat service; folder, GGUF file or hub name of a chat model; or a file of answers.",
        ),
    ]
    labels: Annotated[tuple[str, str] | None, Opt("Two labels in place of those of the tests.", "X Y")] = None
    task: Annotated[Task, Opt("What to ask.", "association|decision")] = "association"
    dry_run: Annotated[bool, Opt("Say what would be asked, and ask nothing.")] = False
    prompts: Annotated[int, Opt("Questions of a test.", "N", panel=_ASKING, least=1)] = 48
    repetitions: Annotated[int, Opt("How often each is asked.", "N", panel=_ASKING, least=1)] = 1
    temperature: Annotated[float, Opt("Randomness of answers.", "X", panel=_ASKING, least=0, most=2)] = 1.0
    system: Annotated[str | None, Opt("System prompt.", "TEXT", panel=_ASKING)] = None
    prompt: Annotated[
        str | None, Opt("The question, with {first}, {second} and {words}.", "TEXT", panel=_ASKING)
    ] = None
    answers: Annotated[Path, Opt("Folder in which answers are kept.", "DIR", panel=_ASKING)] = Path("chat")
    limit: Annotated[str, Opt("Most requests that are sent; none for any number.", "N|none", panel=_COST)] = (
        str(LIMIT)
    )
    price: Annotated[
        tuple[float, float] | None,
        Opt("Prices of a million tokens of questions and of answers.", "IN OUT", panel=_COST),
    ] = None
    workers: Annotated[int, Opt("Questions asked of a service at a time.", "N", panel=_COST, least=1)] = 1
    served_model: Annotated[
        str | None, ModelOption("model to request from a service", key="model"), Opt("", hidden=True)
    ] = None
    max_tokens: Annotated[int, ModelOption("most tokens of an answer", least=1)] = 1024
    protocol: Annotated[ChatProtocol, ModelOption("protocol of a service")] = "auto"
    timeout: Annotated[float, ModelOption("seconds that an answer may take")] = 120.0
    revision: o.Revision = None
    device: o.DeviceOption = "auto"

    @property
    def most(self) -> float:
        """The most requests that are sent."""
        if self.limit.lower() == "none":
            return inf
        if not self.limit.isdecimal():
            raise InputError(f"--limit is {self.limit!r}.", hint="give a whole number, or none.")
        return int(self.limit)

    def check(self) -> None:
        """Refuse wrong values before the work."""
        if self.price is not None and not all(0 <= one < inf for one in self.price):
            what = f"--price is {self.price[0]} {self.price[1]}."
            raise InputError(what, hint="give two numbers from 0 up.")
        first, second = self.labels or ("x", "y")
        if first.strip().casefold() == second.strip().casefold():
            raise InputError(f"--labels are {first!r} and {second!r}.", hint="give two that differ.")


@command
def chat_command(conversed: Conversed, chosen: o.Chosen, written: Written) -> Outcome | None:
    """Ask a chat model to give words to labels, or to decide.

    Every answer is kept: an interrupted run continues where it stopped, and nothing is asked twice. The key
    of a service is read from the environment variable CROSSROADS_API_KEY.
    """
    conversed.check()
    designs = chosen.designs("weat6")
    if conversed.labels is not None:
        x, y = (StimulusSet(label, (label,)) for label in conversed.labels)
        designs = [replace(one, x=x, y=y) for one in designs]
    written.draw_one(len(designs))
    most, model, task, seed = conversed.most, conversed.model, conversed.task, written.seed
    if model.endswith(".json") and Path(model).is_file():
        saved = ChatAnswers.open(model)
        task = saved.task or task
        return _outcome([chat_test(saved, one, task=task, seed=seed) for one in designs])
    check_folder(conversed.answers)
    options = passed(ask_chat, conversed) | {"cache": conversed.answers / KEPT, "seed": seed}
    asked = {one.name: Conversation(design=one, **options) for one in designs}
    plans = {name: one.plan() for name, one in asked.items()}
    for line in _lines(plans, conversed.price):
        printing.err.print(line, markup=False, soft_wrap=True)
    if conversed.dry_run:
        return None
    left = sum(one.requests for one in plans.values())
    if left > most:
        raise InputError(
            f"{left:,} requests are more than {most:,}.",
            hint="give --limit none to send them, or fewer --prompts or --repetitions.",
        )
    found = _answers(asked, conversed.answers, task, conversed.workers)
    return _outcome([chat_test(answers, seed=seed) for answers in found])


def _answers(asked: dict[str, Conversation], output: Path, task: str, workers: int) -> Iterator[ChatAnswers]:
    """Ask what is left, one test after the other; the answers of each are saved."""
    kept = f"interrupted: answers are kept in {output}; the same command continues."
    none = "interrupted before anything was answered: nothing is kept; run the same command again."
    interrupting.promise(lambda: kept if is_anything_finished(output) else none)
    said = f"answers are kept in {output}; the same command asks none of them again."
    printing.err.print(said, markup=False, soft_wrap=True)
    for name, one in asked.items():
        with waiting.counting(f"asking {name}", len(one.prompts)) as (bar, at):
            answers = one.answers(workers=workers, progress=partial(_tell, bar, at))
        if one.repeated:
            sent = counted(one.repeated, "request was", "requests were")
            line = f"{name}: {sent} sent again: the service was busy, or the connection broke."
            printing.err.print(line, markup=False, soft_wrap=True)
        output.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "-", name)
        answers.save(output / f"{stem}-{task}.json")
        yield answers


def _tell(bar: Any, at: Any, done: int, total: int) -> None:
    bar.update(at, completed=done, total=total)


def _lines(plans: dict[str, ChatPlan], price: tuple[float, float] | None) -> Iterator[str]:
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


def _outcome(results: Sequence[ChatResult]) -> Outcome:
    """The tables of tests and their notes."""
    named, answers = {one._label: one for one in results}, checks(results)
    return Outcome(
        command="chat",
        results=named,
        more={"checks": answers.to_dict()},
        tables=[ChatResult._tabulate(named), ChecksResult._tabulate({"checks": answers})],
        titled=True,
        lines=[
            f"{name}: {percent(one.reading.first_share)} of words went to the label named first."
            for name, one in named.items()
            if one.reading.first_share is not None
        ],
        figure=lambda plots: plots.chat_plot(results[0]),
    )
