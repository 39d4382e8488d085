"""Starts the judges' server (`server.py`), in a process of its own or forked from this one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from autograde import leftovers
from autograde.judge.forks import die_with_parent, in_child

#: Servers that may die before we do without.
DEATHS = 3


class JudgeServer:
    """A server whose judges are forked warm. It ends with this process, and its judges with it.

    `line` is the socket on which a worker asks for a judge; requests wait there until all is imported. It lies in a
    folder that is closed to everybody else.
    """

    def __init__(self) -> None:
        self._folder, self.line, listener = _listening()
        with listener:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autograde.judge.server", str(listener.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[listener.fileno()],
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the server and all its judges."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class JudgeServers:
    """Keeps one server, and replaces it when it is dead."""

    def __init__(self) -> None:
        self._current: JudgeServer | None = None
        self._deaths = 0

    def line(self) -> str | None:
        """That of a server which lives; None, so that each worker forks its own, where servers die again and again."""
        if self._current is not None and not self._current.alive:
            self._deaths += 1
            self.close()
        if self._deaths > DEATHS:
            return None
        self._current = self._current or JudgeServer()
        return str(self._current.line)

    def close(self) -> None:
        if self._current is not None:
            self._current.close()
        self._current = None


class ForkedServer:
    """The same, forked from this process, which must have no thread and no running event loop."""

    def __init__(self) -> None:
        self._folder, self.line, listener = _listening()
        theirs, self._ours = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._ours)
            in_child(lambda: _serve(listener, theirs))
        listener.close()
        os.close(theirs)

    def close(self) -> None:
        os.close(self._ours)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> ForkedServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _listening() -> tuple[Path, Path, socket.socket]:
    folder = Path(tempfile.mkdtemp(prefix=leftovers.prefix("judges")))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "line"))
    listener.listen(256)
    return folder, folder / "line", listener


def _serve(listener: socket.socket, owner: int) -> None:
    import autograde.judge.serve
    from autograde.judge.server import serve

    die_with_parent()
    serve(listener, owner)
    del autograde
