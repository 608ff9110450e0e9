"""Which files are logs, and whose."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossroads as cr
from crossroads.errors import FormatError, InputError
from crossroads.sources.runs.read import named_logs

LOGS = Path(__file__).parents[2] / "references" / "runs"


def test_a_folder_is_searched_for_logs_of_both_programs() -> None:
    pytest.importorskip("zstandard", reason="Inspect compresses members by zstandard")
    found: list[str] = []
    runs = cr.read_runs(LOGS, progress=found.append)
    assert runs.models == ("tiny-a", "tiny-b", "mockllm/first", "mockllm/second")
    assert len(runs) == len(found) == 8
    assert (
        repr(cr.read_runs(LOGS / "harness" / "tiny-a"))
        == "<Runs of tiny-a on bbq_made_up, crows_pairs_made_up>"
    )


def test_results_stand_for_the_samples_beside_them(tmp_path: Path) -> None:
    (results,) = (LOGS / "harness" / "tiny-a").glob("results_*.json")
    assert cr.read_runs(results).tasks == ("bbq_made_up", "crows_pairs_made_up")
    alone = tmp_path / results.name
    alone.write_text("{}")
    with pytest.raises(InputError, match="no samples beside") as caught:
        cr.read_runs(alone)
    assert caught.value.hint == "run the harness again with --log_samples."


def test_models_can_be_named_and_two_logs_of_one_must_be() -> None:
    one, two = (next((LOGS / "harness" / name).glob("samples_crows*")) for name in ("tiny-a", "tiny-b"))
    assert cr.read_runs({"old": one, "new": [two]}).models == ("old", "new")
    with pytest.raises(InputError, match="are both of same on crows_pairs_made_up"):
        cr.read_runs({"same": [one, two]})
    assert len(cr.read_runs([one, one])) == 1  # the same file twice is one log


def test_names_in_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lr=3.eval").touch()
    assert list(named_logs(["mine=a/b.eval", "lr=3.eval", "c"])) == [
        ("mine", Path("a/b.eval")),
        (None, Path("lr=3.eval")),
        (None, Path("c")),
    ]


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no logs"):
        cr.read_runs(tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        cr.read_runs(tmp_path / "none.eval")
    with pytest.raises(InputError, match="no logs were given"):
        cr.read_runs([])
    other = tmp_path / "words.txt"
    other.write_text("rose")
    with pytest.raises(FormatError, match="no log that can be read"):
        cr.read_runs(other)
    broken = tmp_path / "log.eval"
    broken.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(FormatError, match="not a zip archive"):
        cr.read_runs(broken)
