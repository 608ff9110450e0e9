"""A short run of the fuzzer, with every input that once went wrong."""

from __future__ import annotations

import random

import pytest

from tests.hardening import fuzzing

pytest.importorskip("pyarrow", reason="Parquet files need the extra 'parquet'")


@pytest.mark.slow
def test_every_reader_reads_or_refuses_whatever_it_is_given() -> None:
    assert fuzzing.run(1600, seed=7) == []


def test_changes_are_seeded_and_change_something() -> None:
    first, again = (
        [fuzzing.changed(b"rose 1 2 3\n", random.Random(seed)) for seed in range(50)] for _ in range(2)
    )
    assert first == again
    assert sum(one != b"rose 1 2 3\n" for one in first) > 40


def test_what_is_no_error_of_ours_is_told() -> None:
    def fail(path: object) -> None:
        raise KeyError(str(path)[-1:])

    broken = fuzzing.Target(name="broken", file="x", read=fail, seeds=(b"",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuzzing, "targets", lambda: (broken,))
        patch.setattr(fuzzing, "KEPT", fuzzing.KEPT / "none")
        assert fuzzing.run(3) == ["broken: KeyError: 'x'"]
