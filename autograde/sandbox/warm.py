"""The warm servers of this process: one for each set of files that sandboxes see, each renewed after a while."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograde import leftovers
from autograde.sandbox import bwrap

#: Jobs after which a server is replaced: what a fork of it could learn of its memory grows old with it.
RENEWED_AFTER = 500
#: Servers that may die before we do without.
DEATHS = 3


class WarmServer:
    """A fork server behind bubblewrap; see `inside/warm.py`. It ends with this process, and its sandboxes with it.

    Make it in a process whose main thread lives as long as the server should: `--die-with-parent` goes by the thread.
    `line` is the socket that asks for a sandbox; requests wait there until all is imported. `rooms` is the folder in
    which each sandbox has a folder of its own.
    """

    def __init__(self, extra: Sequence[bwrap.Mount] = (), hidden: Sequence[Path] = ()) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=leftovers.prefix("warm")))
        self.line, self.rooms = line_and_rooms(self._folder)
        self.rooms.mkdir()
        os.chmod(self.rooms, 0o711)
        inside: dict[str, Any] = {"here": bwrap.HOME, "library": bwrap.LIBRARY}
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, self.said.open("wb") as said:
            listener.bind(str(self.line))
            listener.listen(256)
            inside["listener"] = listener.fileno()
            wall = bwrap.server_command(self.rooms, extra, hidden)
            self._process = subprocess.Popen(
                [*wall, "--", sys.executable, f"{bwrap.TOOLS}/warm.py", json.dumps(inside)],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                pass_fds=[listener.fileno()],
                env={},
                cwd="/",
                start_new_session=True,
            )

    @property
    def said(self) -> Path:
        """What the server wrote: why it does not run."""
        return self._folder / "said"

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the server and all sandboxes that came of it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def line_and_rooms(folder: Path) -> tuple[Path, Path]:
    """The socket and the rooms of a warm server in `folder`."""
    return folder / "line", folder / "rooms"


def furniture(room: str, scratch: int) -> dict[str, Any]:
    """What a child mounts (see `inside/isolate.py`): the folder `room` of its server's, disks of `scratch` bytes."""
    places = {"room": f"{bwrap.ROOMS}/{room}", "rooms": bwrap.ROOMS, "io": bwrap.IO}
    return {**places, "disks": bwrap.DISKS, "scratch": scratch}


def hindrance() -> str:
    """Why this machine does not let a warm server build sandboxes, in one line; empty if it does."""
    with tempfile.TemporaryDirectory(prefix=leftovers.prefix("warm")) as folder:
        Path(folder, "room").mkdir()
        script = [sys.executable, f"{bwrap.TOOLS}/isolate.py", json.dumps(furniture("room", 1 << 20))]
        command = [*bwrap.server_command(Path(folder)), "--", *script]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    words = done.stderr.strip().splitlines()
    return (words[-1] if words else f"exit code {done.returncode}") if done.returncode else ""


class WarmServers:
    """Hands out warm servers; keeps one for the sandboxes of one course folder, replaces it when it is old or dead."""

    def __init__(self) -> None:
        self._current: WarmServer | None = None
        self._key: tuple[object, ...] = ()
        self._left = 0
        self._deaths = 0
        self._users: dict[object, WarmServer] = {}

    def prepare(self, extra: Sequence[bwrap.Mount], hidden: Sequence[Path]) -> WarmServer | None:
        """The server for these files; a new one where there is none, or where it is old or dead. None, so that
        sandboxes start cold, where servers die again and again."""
        key = (tuple(extra), tuple(hidden))
        self._deaths += self._current is not None and not self._current.alive
        if self._deaths > DEATHS:
            self._retire_current()
            return None
        if self._current is None or self._key != key or self._left <= 0 or not self._current.alive:
            self._retire_current()
            self._current = WarmServer(extra, hidden)
            self._key, self._left = key, RENEWED_AFTER
        return self._current

    def take(self, user: object, extra: Sequence[bwrap.Mount], hidden: Sequence[Path]) -> Path | None:
        """The line of a server for these files, which stays at least until `user` gives it back."""
        server = self.prepare(extra, hidden)
        if server is None:
            return None
        self._users[user] = server
        self._left -= 1
        return server.line

    def give_back(self, user: object) -> None:
        self._retire(self._users.pop(user, None))

    def _retire_current(self) -> None:
        old, self._current = self._current, None
        self._retire(old)

    def _retire(self, server: WarmServer | None) -> None:
        if server is not None and server is not self._current and server not in self._users.values():
            server.close()

    def close(self) -> None:
        for server in {*self._users.values(), *([self._current] if self._current else [])}:
            server.close()
        self._users.clear()
        self._current = None


def servers() -> WarmServers | None:
    """Those of this process for kernels that are started by name alone; None where these must start cold.

    That is where this machine does not let a warm server build sandboxes, and in a thread: its end would be the end of
    a server started there.
    """
    return _servers(os.getpid()) if threading.current_thread() is threading.main_thread() else None


@functools.cache
def _servers(owner: int) -> WarmServers | None:
    if hindrance():
        return None
    made = WarmServers()

    def close() -> None:
        if os.getpid() == owner:  # a fork of its owner ends for itself
            made.close()

    atexit.register(close)
    return made
