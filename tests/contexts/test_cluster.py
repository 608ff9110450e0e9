"""Ray, and both who use it: clusters that are not there, and files that nobody is to run."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts import cluster
from crossroads.contexts.cluster import on_cluster
from crossroads.core.errors import InputError, UnknownNameError

Work = Callable[..., Any]
needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="ray is not installed (extra [ray])"
)


@pytest.mark.parametrize("work", ["contexts", "embed"], indirect=True)
def test_no_process_runs_a_file_of_the_current_folder(work: Work, traps: Path) -> None:
    """Workers of both who start them; those of an encoder import torch."""
    found = work(engine="local", workers=2)
    assert not traps.exists(), traps.read_text(encoding="utf-8").split()
    assert found == work(workers=1)


@needs_ray
@pytest.mark.parametrize("work", ["contexts", pytest.param("embed", marks=pytest.mark.full)], indirect=True)
def test_ray_finds_the_same_and_runs_no_file_of_the_current_folder(work: Work, traps: Path) -> None:
    """Ray is started as a search does it, in the folder that is looked at, and stopped again."""
    import ray

    told: list[Any] = []
    found = work(engine="ray", workers=2, progress=lambda *step: told.append(step))
    assert not ray.is_initialized()
    assert not traps.exists(), traps.read_text(encoding="utf-8").split()
    assert found == work(workers=1)
    assert len(told) > 3
    if len(told[-1]) == 2:  # bytes that are done and bytes of the corpus
        assert told[-1][0] == told[-1][1]


@needs_ray
@pytest.mark.parametrize("scheme", ["", "ray://"])
@pytest.mark.parametrize("silent", [False, True])
def test_an_address_at_which_no_cluster_answers_is_an_error(
    scheme: str, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS", 0.5)  # of waiting for what never comes
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"{scheme}127.0.0.1:{server.getsockname()[1]}"
        if not silent:
            server.close()
        with pytest.raises(InputError, match=rf"no Ray cluster answers at '{address}'(.|\n)*ray start"):
            list(on_cluster(lambda _: max, None, [1], workers=1, address=address, hint="try again."))


@needs_ray
@pytest.mark.parametrize("address", ["ray://head", "127.0.0.1:99999"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=f"'{address}'"):
        list(on_cluster(lambda _: max, None, [1], workers=1, address=address, hint="try again."))


@needs_ray
def test_answers_and_errors_of_a_cluster_arrive_whole() -> None:
    """A cluster that somebody else has started, which takes Ray some seconds, is used and left running."""
    import ray

    def prepare(setup: int) -> Any:
        def task(number: int, _: object) -> int:
            if number == 7:
                raise UnknownNameError("test", "waet", ["weat"])
            return setup * number

        return task

    options: dict[str, Any] = {"workers": 1, "address": None, "hint": "try again."}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        assert sorted(on_cluster(prepare, 10, [1, 2, 3], **options)) == [(1, 10), (2, 20), (3, 30)]
        with pytest.raises(UnknownNameError, match="unknown test 'waet'") as caught:
            list(on_cluster(prepare, 10, [7], **options))
        assert caught.value.nearest == ("weat",)
        assert ray.is_initialized()  # it is not ours to stop
    finally:
        ray.shutdown()
