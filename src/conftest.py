"""Models for the examples that need one: small random ones, and an embedding service on this machine."""

from __future__ import annotations

import importlib.util
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

NEEDED = {
    **dict.fromkeys(("probe", "ilps", "ilps_star", "set_test"), ("folder", "save_bert")),
    "prompted_embeddings": ("folder", "save_bert"),
    "clip_embeddings": ("folder", "save_clip"),
    "Elmo": ("elmo_folder", "save_elmo"),
    **dict.fromkeys(("load", "load_series"), ("folder", "save_bert")),
    "score_sentences": ("folder", "save_bert"),
}
"""Functions whose examples need a model: what they call it, and what makes one."""


class _Service(BaseHTTPRequestHandler):
    """An embedding service that speaks Ollama's protocol: a vector is the length of a text, and 1."""

    def do_POST(self) -> None:
        """Answer with one vector for each text."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"model": "tiny", "embeddings": [[len(text), 1] for text in asked["input"]]})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every example in an empty folder: some write files."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def example_models(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> Any:
    """Put what an example needs among its names."""
    function = request.node.name.rpartition(".")[2]
    if function in NEEDED:
        name, make = NEEDED[function]
        place = request.getfixturevalue("tmp_path_factory").mktemp(function) / "model"
        doctest_namespace[name] = getattr(_small_models(), make)(place)
    if function != "endpoint_embeddings":
        yield
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    doctest_namespace["url"] = f"http://127.0.0.1:{server.server_port}/api/embed"
    yield
    server.shutdown()
    server.server_close()


def _small_models() -> Any:
    """The module of the tests that makes them."""
    file = Path(__file__).parent.parent / "tests" / "small_models.py"
    spec = importlib.util.spec_from_file_location("crossroads_small_models", file)
    if spec is None or spec.loader is None:
        pytest.fail(f"{file} is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
