"""Compare everything that the program says with what it said when it was frozen: ``make oracle``.

``python -m tests.oracle`` makes audits of every kind, each once at a stretch and once **killed and resumed**,
runs every command as text and as JSON, and shows every view of every example result; then it says which keys
moved and which values changed. ``--freeze`` writes the frozen file anew instead, ``--only`` takes one kind.
Values that depend on the day, the folder or the versions of packages are masked.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crossroads.core.report.documents.records import unpacked
from tests import audits, docs_material, results, small_models
from tests.oracle.comparing import compared

FROZEN = Path(__file__).with_name("frozen.json.xz")
MOMENTS = Path(__file__).parents[1] / "moments.py"
ENVIRONMENT = {
    **os.environ,
    "COLUMNS": "80",
    "HF_HUB_OFFLINE": "1",
    "CROSSROADS_PROGRESS": "0",
    "SOURCE_DATE_EPOCH": "0",
    "PYTHONHASHSEED": "0",
}
PROGRAM = "from crossroads.core.cli import main; main()"
MASKED = {"versions", "created", "seconds", "crossroads", "python"}
"""Keys whose values are those of a day or a machine."""

AUDITS: dict[str, list[str]] = {
    "default": [],
    "one file": ["vectors.txt", "-d", "design.json"],
    "another": ["other.txt", "-d", "design.json"],
    "two models": ["vectors.txt", "other.txt", "-d", "design.json"],
    "decades": ["sgns", "-t", "weat6", "-t", "weat7"],
    "contexts": ["store", "-d", "design.json"],
    "language model": ["bert", "-t", "weat6", "-t", "weat7", "--workers", "1"],
    "vision": ["clip", "-d", "design.json", "--workers", "1"],
}
"""Arguments of audits, by the kind of what is given."""

COMMANDS: dict[str, list[str]] = {
    "weat": ["weat", "vectors.txt", "-d", "design.json"],
    "mleat": ["mleat", "vectors.txt", "-d", "design.json"],
    "plan": ["plan", "vectors.txt", "-d", "design.json"],
    "mleat of decades": ["mleat", "sgns", "-t", "weat6"],
    "sc-weat": ["sc-weat", "vectors.txt", "-d", "design.json"],
    "ibd": ["ibd", "named.txt", "--test", "AF"],
    "eibd": ["eibd", "named.txt", "--test", "AF"],
    "rsa": ["rsa", "named.txt", "-C", "samples=10"],
    "contexts": ["contexts", "corpus.txt", "-o", "found", "-t", "c6"],
    "embed": ["embed", "contexts", "--model", "bert", "-o", "embedded"],
    "ceat": ["ceat", "store", "-d", "design.json", "-C", "samples=100"],
    "probe": ["probe", "answers"],
    "chat": ["chat", "chat/answers.json", "-d", "chat/age.json"],
    "sentences": ["sentences", "bert", "crows_pairs_anonymized.csv"],
    "align": ["align", "scores.json", "--human", "judgements.json"],
    "reproduce": ["reproduce", "ml-eat"],
    "compare": ["compare", "audit of one file", "audit of another", "-o", "compared"],
    "catalog": ["catalog"],
    "catalog weat6": ["catalog", "weat6"],
    "report": ["report", "audit of default", "-o", "page.html"],
}
"""Every command on small files; with ``--json`` as well where it has that."""


def prepared(folder: Path) -> None:
    """The files that audits and commands name."""
    for name, seed in (("vectors.txt", 1), ("other.txt", 2)):
        audits.vectors(folder / name, seed)
    audits.design(folder / "design.json")
    docs_material.decades(folder / "sgns")
    docs_material.text_file(folder / "named.txt", docs_material.intersectional_words())
    small_models.save_bert(folder / "bert", [*small_models.study_words(), "this", "is"])
    small_models.save_clip(folder / "clip")
    (folder / "corpus.txt").write_text("\n".join(docs_material.corpus_lines()), encoding="utf-8")
    docs_material.contexts(folder / "contexts")
    docs_material.answers(folder / "answers")
    docs_material.judgements(folder / "judgements.json")
    docs_material.scores(folder / "scores.json")
    docs_material.pairs(folder / "crows_pairs_anonymized.csv")
    for name, make in (("contexts-audit", audits.contexts), ("chat", audits.chat)):
        (folder / name).mkdir()
        make(folder / name)
    (folder / "contexts-audit" / "store").rename(folder / "store")


def ran(folder: Path, arguments: list[str], *before: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder, under another one if that is named before."""
    command = [sys.executable, *(before or ("-c",)), PROGRAM, *arguments]
    return subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False,
        start_new_session=True,
    )  # fmt: skip


def audited(folder: Path, name: str, arguments: list[str], output: str, *, killed: bool) -> Any:
    """What an audit wrote, also one that was killed when its second part was finished, and then resumed."""
    given = ["audit", *arguments, "--no-figures", "-o", output]
    if killed:
        first = ran(folder, given, str(MOMENTS), "os.rename", "part-", "2", "SIGKILL:self")
        if first.returncode != -9:
            raise SystemExit(f"the audit of {name} was not killed: {first.returncode}\n{first.stderr}")
    done = ran(folder, given)
    if done.returncode:
        raise SystemExit(f"the audit of {name} ended with {done.returncode}:\n{done.stderr}")
    files = {"printed": done.stdout}
    for file in sorted((folder / output).rglob("*")):
        if file.suffix in (".json", ".md", ".tex", ".bib", ".csv"):
            files[file.relative_to(folder / output).as_posix()] = file.read_text(encoding="utf-8")
    return {key: read(key, text) for key, text in files.items()}


def read(name: str, text: str) -> Any:
    """A file as values: JSON and CSV by key, all else by line."""
    if name.endswith("results.json"):
        document = unpacked(json.loads(text))
        return {**document, "results": dict(zip(document.pop("names"), document["results"], strict=True))}
    if name.endswith(".json"):
        return json.loads(text)
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text)))
    return text


def masked(value: Any, folder: Path) -> Any:
    """A value without what belongs to a day, a folder or a machine."""
    if isinstance(value, dict):
        return {k: None if k in MASKED else masked(v, folder) for k, v in value.items()}
    if isinstance(value, list):
        return [masked(one, folder) for one in value]
    if isinstance(value, str):
        text = value.replace(str(folder), "FOLDER")
        text = re.sub(r"\b(crossroads|numpy|scipy|Python) \d+(\.\d+)+\b", r"\1 VERSION", text)
        return re.sub(r"\bin [\d.]+ s, [\d.,]+ (\w+)/s", r"in SECONDS, SPEED \1/s", text)
    return value


def views() -> dict[str, Any]:
    """Every view of every example result."""
    from crossroads.core.report.audit import Audit
    from crossroads.core.report.methods.citations import bibtex
    from crossroads.core.report.methods.paragraph import methods_text
    from crossroads.core.report.renderers.tables import tidy_rows
    from crossroads.core.report.renderers.texts import latex_table, markdown_summary

    def said(make: Callable[[Any], Any], of: Any) -> Any:
        try:
            return make(of)
        except Exception as error:  # a view that a type has not is told as such
            return f"{type(error).__name__}: {error}"

    found = {}
    for name, one in results.every_result().items():
        audit = said(Audit, {"example": one})
        found[name] = {
            "data": json.loads(one.to_json()),
            "repr": repr(one),
            "str": str(one),
            "html": one._repr_html_(),
            "frame": said(lambda one: json.loads(one.to_frame().to_json(orient="split")), one),
            "rules": [[str(part) for part in row] for row in one._readings("example")],
            "conclusions": [str(conclusion) for conclusion in one._conclusions("example")],
            "markdown": said(markdown_summary, audit),
            "latex": said(latex_table, audit),
            "methods": said(methods_text, audit),
            "citations": said(bibtex, audit),
            "rows": said(lambda audit: [dict(row) for row in tidy_rows(audit)], audit),
        }
    return dict(json.loads(json.dumps(found, default=str)))


def made(only: str | None = None) -> dict[str, Any]:
    """Everything that the program says now."""
    with tempfile.TemporaryDirectory(prefix="oracle-") as place:
        folder = Path(place).resolve()
        prepared(folder)
        found: dict[str, Any] = {}
        if only in (None, "audits", "commands"):
            found["audits"], found["resumed"] = {}, {}
            for name, arguments in AUDITS.items():
                output = f"audit of {name}"
                found["audits"][name] = audited(folder, name, arguments, output, killed=False)
                if only != "commands":
                    again = audited(folder, name, arguments, f"{output} again", killed=True)
                    found["resumed"][name] = json.loads(json.dumps(again).replace(f"{output} again", output))
                print(f"audited: {name}", flush=True)
        if only in (None, "commands"):
            found["commands"] = {}
            for name, arguments in COMMANDS.items():
                text = ran(folder, arguments)
                data = ran(folder, [*arguments, "--json"])
                found["commands"][name] = {"status": text.returncode, "text": text.stdout}
                if data.returncode == 0 and data.stdout.startswith("{"):
                    found["commands"][name]["json"] = json.loads(data.stdout)
                if text.returncode:
                    raise SystemExit(f"crossroads {' '.join(arguments)}: {text.stderr}")
                print(f"ran: {name}", flush=True)
        if only in (None, "views"):
            found["views"] = views()
        return dict(masked(json.loads(json.dumps(found)), folder))


def main() -> None:
    """Freeze, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--freeze", action="store_true", help="keep what is said now")
    parser.add_argument("--only", choices=["audits", "commands", "views"])
    asked = parser.parse_args()
    now = made(asked.only)
    resumed = now.pop("resumed", {})
    trouble = False
    for name, document in resumed.items():
        difference = compared(now["audits"][name], document)
        if difference.matters or difference.moved or difference.rounded:
            trouble = True
            print(f"\nA resumed audit is not the fresh one: {name}", *difference.lines(), sep="\n")
    if asked.freeze:
        FROZEN.write_bytes(lzma.compress(json.dumps(now, ensure_ascii=False).encode(), preset=9))
        print(f"{FROZEN.name}: {FROZEN.stat().st_size:,} bytes")
    else:
        before = json.loads(lzma.decompress(FROZEN.read_bytes()))
        for kind, document in now.items():
            for name in sorted(document.keys() | before[kind].keys()):
                old, new = before[kind].get(name), document.get(name)
                difference = compared(old, new)
                trouble = trouble or difference.matters
                if difference.matters or difference.moved:
                    print(f"\n{kind}: {name}", *difference.lines(), sep="\n")
        print("\nSomething changed." if trouble else "\nNothing changed.")
    sys.exit(trouble)


if __name__ == "__main__":
    main()
