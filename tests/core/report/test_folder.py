"""The folder of an audit: what it may replace, and what it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossroads.core.errors import InputError
from crossroads.core.report.folder import MARK, check_output, folder_names, ours

RECORD = '{"crossroads": "0", "designs": [], "results": []}'


def test_a_folder_with_other_things_is_refused_and_one_with_audits_of_models_is_not(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "glove").mkdir()
    (tmp_path / "glove" / MARK).write_text(RECORD, encoding="utf-8")
    (tmp_path / "glove" / "vectors.npz").write_bytes(b"")
    check_output(tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match=r"has other contents: 'thesis.tex'"):
        check_output(tmp_path)


@pytest.mark.parametrize("name", ["notes.txt", MARK, "link"])
def test_a_folder_that_only_looks_like_an_audit_of_a_model_is_foreign(name: str, tmp_path: Path) -> None:
    output, inside = tmp_path / "out", tmp_path / "elsewhere"
    output.mkdir()
    inside.mkdir()
    for folder in (output, inside):
        (folder / MARK).write_text(RECORD, encoding="utf-8")
    if name == "link":
        (output / "data").symlink_to(inside, target_is_directory=True)
    else:
        (inside / name).write_text('{"my": "own"}', encoding="utf-8")
        inside.rename(output / "data")
    with pytest.raises(InputError, match="has other contents: 'data'"):
        check_output(output)


def test_folders_of_models_have_names_of_their_own_and_none_of_ours() -> None:
    models = ["a/b.txt", "c/b.txt", "C:\\x\\B.TXT", "figures", "../..", "Zoë & co", "é" * 200, "...", "/"]
    names = folder_names(models)
    assert list(names) == models
    assert len({name.casefold() for name in names.values()}) == len(models)
    assert names["a/b.txt"] == "a-b.txt"
    assert names["c/b.txt"] == "c-b.txt"
    assert names["Zoë & co"] == "Zoë-co"
    assert folder_names(["mini/model", "mini"]) == {"mini/model": "mini-model", "mini": "mini"}
    assert not set(names.values()) & ours()
    assert all(name not in (".", "..") and "/" not in name and len(name) < 70 for name in names.values())
