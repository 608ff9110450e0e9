"""A short run of the fuzzer, with every input that once went wrong."""

from __future__ import annotations

import random

import pytest

from tests.hardening import fuzzing
from tests.hardening.readers import Target, targets

pytest.importorskip("pyarrow", reason="Parquet files need the extra 'parquet'")


@pytest.mark.slow
def test_every_reader_reads_or_refuses_whatever_it_is_given() -> None:
    assert fuzzing.run(1600, seed=7) == []


def test_changes_are_seeded_and_changes_of_values_leave_the_form() -> None:
    data = b'{"a": [1, {"b": "c"}], "d": 0.5}'
    for change in (fuzzing.changed, fuzzing.changed_value):
        first, again = ([change(data, random.Random(seed)) for seed in range(200)] for _ in range(2))
        assert first == again
        assert sum(one != data for one in first) > 160
    assert all(any(value.encode() in one for one in first) for value in ("1e400", "9" * 310, r'"\ud800"'))
    assert any(one.count(b'"a"') == 2 and b'"d"' in one for one in first)  # a key that is there twice


def test_every_reader_has_a_name_and_files_that_it_can_read() -> None:
    readers = targets()
    assert len({one.name for one in readers}) == len(readers) > 60
    names = {file.name.partition(".")[0] for file in fuzzing.KEPT.iterdir()}
    assert {name for name in names if not name.startswith("model-")} <= {one.name for one in readers}


def test_what_is_no_error_of_ours_is_told() -> None:
    def fail(path: object) -> None:
        raise KeyError(str(path)[-1:])

    broken = Target(name="broken", file="x", read=fail, seeds=(b"",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuzzing, "targets", lambda **_: (broken,))
        patch.setattr(fuzzing, "KEPT", fuzzing.KEPT / "none")
        assert fuzzing.run(3) == ["broken: KeyError: 'x'"]
