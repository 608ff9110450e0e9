"""The program on the path of a shell: one process that has loaded it, and a copy of that for every command.

Loading takes a second, and four where a model is read; with the commands of the documentation, that would be
nearly all of their time.
"""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CLIENT = """\
#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
asked = json.dumps([os.getcwd(), dict(os.environ), sys.argv[1:]]).encode()
socket.send_fds(server, [len(asked).to_bytes(8, "big")], [0, 1, 2])
server.sendall(asked)
sys.exit((server.recv(1) or b"\\x01")[0])
"""


@contextmanager
def on_the_path(folder: Path) -> Iterator[dict[str, str]]:
    """An environment in which a shell finds ``crossroads``, as long as the block lasts."""
    address = str(folder / "socket")
    script = folder / "crossroads"
    script.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "COLUMNS": "80", "HF_HUB_OFFLINE": "1", "CROSSROADS_PROGRESS": "0"}
    environment["PATH"] = (
        f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    )
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    server = subprocess.Popen(
        [sys.executable, __file__, address], env=environment, stdout=subprocess.PIPE, cwd=folder
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield environment
    finally:
        server.kill()
        server.communicate()


def serve(address: str) -> None:
    """Answer every connection in a copy of this process."""
    import crossroads.core.cli.app
    import crossroads.core.report.page  # noqa: F401

    with suppress(ImportError):
        import torch  # noqa: F401
        import transformers  # noqa: F401
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    print("ready", flush=True)  # noqa: T201
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            os._exit(_answer(connection))
        connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass


def _answer(connection: socket.socket) -> int:
    """Run a command as the one who asked would."""
    from crossroads.core.cli import main

    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    asked = b""
    while len(asked) < int.from_bytes(size, "big"):
        asked += connection.recv(1 << 16)
    folder, environment, arguments = json.loads(asked)
    for stream, number in zip(streams, (0, 1, 2), strict=True):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(one, "rww"[one], encoding="utf-8") for one in (0, 1, 2))
    if hasattr(os, "sched_setaffinity"):  # on one processor no other process is started, and loaded
        os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if arguments[:1] in (["audit"], ["compare"]):
        sys.modules["matplotlib"] = None  # type: ignore[assignment]  # as where it is not installed: figures take most of the time
    sys.argv = ["crossroads", *arguments]
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    for told in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            told.flush()
    connection.send(bytes([status & 255]))
    return status


if __name__ == "__main__":
    serve(sys.argv[1])
