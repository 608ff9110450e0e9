"""What an audit found, for the page of a model on the Hugging Face hub: a section of its card, and entries.

An entry of ``.eval_results`` has one value. So there is an entry for each test, which also says the interval
of that value and whether it generalizes to other words; there is none for a whole audit, and none for a
number without an interval.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, InputError, in_short, join_words
from crossroads.core.evidence.model_names import numbered
from crossroads.core.report.documents.records import Record
from crossroads.core.report.gate import gate_headline
from crossroads.core.report.renderers.texts import finding, findings_in_markdown
from crossroads.core.stimuli.files.text import read_text
from crossroads.core.storage.files import check_file, write_file
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import in_markdown, one_line
from crossroads.core.wording.numbers import counted

BEGIN, END = "<!-- crossroads: begin -->", "<!-- crossroads: end -->"
"""Lines around the section of a card, which is replaced when it is written again."""
ENTRIES = Path(".eval_results") / "crossroads.yaml"  # file of the entries, in the folder of the card
_DATASET = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_LIMITS = (
    "Each number belongs to one test and its words; there is no overall score. The numbers are associations "
    "of words in this model. They do not show where these come from, nor what the model does in use."
)


def card_section(record: Record) -> str:
    """The section of a card in Markdown: the findings, with their intervals, and what they cannot show."""
    tests, version = counted(len(record.conclusions), "test"), record.document["crossroads"]
    scaled = any(one.found.scale == "Δ" for one in record.conclusions)
    blocks = [
        BEGIN,
        "## Social and intersectional associations",
        f"{in_markdown(record.model)}: {tests}, measured with crossroads {version}. {_LIMITS}",
        *([] if record.gate is None else _gate(record.gate["verdicts"])),
        *([f"Δ: {phrases.DIFFERENCE}; 95 % CI {phrases.OTHER_WORDS_CI}."] if scaled else []),
        *findings_in_markdown(record.conclusions),
        END,
    ]
    return "\n\n".join(blocks) + "\n"


def _gate(verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many rules passed; of those that failed, why."""
    failed = [one for one in verdicts if one["outcome"] not in ("passed", "excused")]
    lines = [f"- {in_markdown(str(one['rule']))}: {in_markdown(str(one['sentence']))}" for one in failed]
    head = f"Release rules: {gate_headline(verdicts)}{':' if lines else '.'}"
    return [head, *(["\n".join(lines)] if lines else [])]


def eval_results(record: Record, dataset: str) -> list[dict[str, Any]]:
    """The entries of ``.eval_results``: one for each test that has a number and its interval.

    ``dataset`` is the name of the benchmark on the hub; its tasks are named after the tests.
    """
    if not _DATASET.fullmatch(dataset):
        raise InputError(
            f"{in_short(dataset)} is not the name of a dataset on the hub.", hint="give it as OWNER/NAME."
        )
    needed = {"value", "low", "high"}
    conclusions = [one.found for one in record.conclusions if needed <= one.found.numbers.keys()]
    names = numbered([one_line(one.name) for one in conclusions])
    return [
        {
            "dataset": {"id": dataset, "task_id": name},
            "value": one.number("value"),
            "notes": f"{one.heading}: {one_line(finding(one))}",
        }
        for name, one in zip(names, conclusions, strict=True)
    ]


def _in_yaml(entry: Mapping[str, Any]) -> str:
    """An entry as YAML; texts are quoted as in JSON, so that no name is taken for anything else."""
    fields = {"    id": entry["dataset"]["id"], "    task_id": entry["dataset"]["task_id"]}
    fields |= {"  value": entry["value"], "  notes": entry["notes"]}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join(["- dataset:", *lines]) + "\n"


def with_section(card: str, section: str, *, path: Path | None = None) -> str:
    """A card with the section in place of an earlier one, or at its end."""
    begins, ends = card.count(BEGIN), card.count(END)
    if (begins, ends) == (0, 0):
        return f"{card.rstrip()}\n\n{section}" if card.strip() else section
    if (begins, ends) != (1, 1) or card.index(BEGIN) > card.index(END):
        hint = "remove both; the section is then added at the end."
        raise FormatError(f"the lines {BEGIN} and {END} do not enclose one section.", path=path, hint=hint)
    before, after = card[: card.index(BEGIN)], card[card.index(END) + len(END) :]
    return before + section.rstrip("\n") + after


def card_files(path: Path, records: Sequence[Record], dataset: str | None = None) -> dict[Path, str]:
    """A card of one model with the section, and its entries if a benchmark is named: texts by file.

    Other contents of a card that exists stay.
    """
    if path.suffix.lower() != ".md":
        raise InputError(f"{path} does not end in .md.", hint="a model card is a file README.md.")
    check_file(path)
    if len(records) != 1:
        names = join_words([in_short(one.model) for one in records], most=5)
        raise InputError(f"a card describes one model, not {names}.", hint="give the results of one model.")
    (record,) = records
    if not record.conclusions:
        raise InputError("no result comes to a finding for a card.", hint="give an audit.")
    card = read_text(path, "a model card") if path.exists() else ""
    files = {path: with_section(card, card_section(record), path=path)}
    if dataset is not None:
        files[path.parent / ENTRIES] = "".join(map(_in_yaml, eval_results(record, dataset))) or "\n"
    return files


def write_card(files: Mapping[Path, str]) -> None:
    """Write the files of a card, each as a whole."""
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        write_file(path, text)
