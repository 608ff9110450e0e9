"""Read logs of benchmarks: which files there are, and who wrote them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from crossroads.errors import FormatError, InputError, in_short
from crossroads.evidence.runs import Run, Runs
from crossroads.sources.runs.harness import NAME, RESULTS, read_harness
from crossroads.sources.runs.inspect import read_inspect

Logs = str | Path | Iterable[str | Path]
_INSPECT = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"')
_HEAD = 200
_HINT = (
    "give samples_*.jsonl of lm-evaluation-harness (--log_samples), .eval or .json of Inspect, or a folder "
    "of such files."
)


def read_runs(logs: Logs | Mapping[str, Logs], *, progress: Callable[[str], None] | None = None) -> Runs:
    """Read logs of benchmarks that lm-evaluation-harness or Inspect ran.

    Repetitions (epochs) of an item are averaged. Samples without a score are counted. Where the log has what
    it takes, the published directed scores are computed from the samples: the bias scores of BBQ (Parrish et
    al. 2022) and the stereotype score of StereoSet (Nadeem et al. 2021).

    Parameters
    ----------
    logs
        Files or folders: ``samples_*.jsonl`` of lm-evaluation-harness, written with ``--log_samples``, and
        ``.eval`` or ``.json`` of Inspect. A mapping gives the models other names: ``{name: logs}``.
    progress
        Called with the name of each file before it is read.

    Returns
    -------
    Runs
        What each model did on each task, for :func:`~crossroads.compare_runs`.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import crossroads as cr
    >>> line = {"doc_id": 0, "doc": {"q": "?"}, "doc_hash": "ab", "metrics": ["acc"], "acc": 1.0}
    >>> Path("samples_mine.jsonl").write_text(json.dumps(line), encoding="utf-8")
    82
    >>> cr.read_runs({"first": "samples_mine.jsonl"})
    <Runs of first on mine>
    """
    named: list[tuple[str | None, Path]] = []
    if isinstance(logs, Mapping):
        for name, some in logs.items():
            named += [(str(name), path) for path in _listed(some)]
    else:
        named = [(None, path) for path in _listed(logs)]
    if not named:
        raise InputError("no logs were given.", hint=_HINT)
    found: list[Run] = []
    for name, path in dict.fromkeys(named):
        if progress is not None:
            progress(path.name)
        found.append(_read(path, name))
    return Runs(found)


def _listed(logs: Logs) -> list[Path]:
    """The files of samples among files and folders."""
    if isinstance(logs, str | Path):
        logs = (logs,)
    elif not isinstance(logs, Iterable):
        raise InputError(f"the logs are {in_short(logs)}.", hint=_HINT)
    return [path for one in logs for path in _files(Path(one))]


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(one for one in path.rglob("*") if one.is_file() and _is_log(one))
        if not found:
            raise InputError(f"{path} holds no logs.", hint=_HINT)
        return found
    if not path.is_file():
        raise InputError(f"there is no file {in_short(str(path))}.", hint=_HINT)
    results = RESULTS.fullmatch(path.name)
    if results is None:
        return [path]
    beside = sorted(path.parent.glob(f"samples_*_{results['date']}.jsonl"))
    if not beside:
        raise InputError(
            f"there are no samples beside {in_short(str(path))}.",
            hint="run the harness again with --log_samples.",
        )
    return beside


def _is_log(path: Path) -> bool:
    """Whether a file of a folder is a log, by its name and its first bytes."""
    if path.suffix == ".json":
        with path.open("rb") as file:
            return _INSPECT.match(file.read(_HEAD)) is not None
    return path.suffix == ".eval" or NAME.fullmatch(path.name) is not None


def _read(path: Path, name: str | None) -> Run:
    if path.suffix == ".jsonl":
        return read_harness(path, model=name)
    if path.suffix == ".eval" and not zipfile.is_zipfile(path):
        raise FormatError(
            "it is not a zip archive, as logs of Inspect are.",
            path=path,
            hint="the file is damaged or incomplete; copy it again.",
        )
    if path.suffix in (".eval", ".json"):
        return read_inspect(path, model=name)
    raise FormatError("it is no log that can be read.", path=path, hint=_HINT)


def named_logs(given: Iterable[str]) -> Iterator[tuple[str | None, Path]]:
    """Logs as they are written in the shell: a path, or a name and a path, as in ``mine=logs/a.eval``."""
    for one in given:
        name, sign, path = one.partition("=")
        yield (name, Path(path)) if sign and name and not Path(one).exists() else (None, Path(one))
