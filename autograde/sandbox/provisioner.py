"""A Jupyter kernel provisioner that starts the kernel in a sandbox; nbclient, papermill and nbgrader get it by name."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import LocalProvisioner

from autograde.limits import Limits
from autograde.sandbox import bwrap, seccomp

SUPERVISOR = Path(__file__).parent / "supervisor.py"
PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port")


@dataclass(frozen=True)
class SandboxOptions:
    """What a run may say of its sandbox: `km.start_kernel(sandbox=SandboxOptions(...))`.

    Without `pictures` figures are made but not drawn, for a run whose outputs nobody will see.
    """

    limits: Limits = field(default_factory=Limits)
    judge_socket: Path | None = None
    files: tuple[bwrap.Mount, ...] = ()
    hidden: tuple[Path, ...] = ()
    pictures: bool = True


class SandboxProvisioner(LocalProvisioner):
    """Starts `python -m ipykernel_launcher` of a kernelspec as our kernel behind bubblewrap.

    All sockets are opened on this side and handed in; the sandbox can write to no folder of this machine.
    """

    _io: Path | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose ipc transport in a folder of our own, open its sockets, write the command.

        Raises:
            SandboxUnavailable: this machine cannot isolate code.
        """
        bwrap.require()
        options: SandboxOptions = kwargs.pop("sandbox", SandboxOptions())
        self._remove_io()
        self._io = Path(tempfile.mkdtemp(prefix="course-"))
        os.chmod(self._io, 0o711)  # the kernel's user passes through, to sockets and a file it is given by name
        manager = self.parent
        manager.transport, manager.ip = "ipc", str(self._io / "k")
        manager.connection_file = str(self._io / "kernel.json")
        for number, port in enumerate([*PORTS, "hb_port"], start=1):
            setattr(manager, port, number)
        kwargs = await super().pre_launch(**kwargs)
        self._listeners = {
            str(getattr(manager, port)): _listen(f"{manager.ip}-{getattr(manager, port)}") for port in PORTS
        }
        self._options = options
        kwargs["cmd"] = []
        return kwargs

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Start the supervisor, which starts bubblewrap, which starts the kernel."""
        assert self._io is not None
        if self._options.judge_socket is not None:
            os.link(self._options.judge_socket, self._io / "judge.sock")
        os.chmod(self._io / "kernel.json", 0o644)
        filter_fd = _memory_file(seccomp.program())
        fds = [*(listener.fileno() for listener in self._listeners.values()), filter_fd]
        spec = {"command": self._command(filter_fd), "fds": fds, "report": str(self._io / "report")}
        limits = self._options.limits
        spec |= {"memory": limits.memory, "processes": limits.processes + 2}  # bubblewrap itself is two
        spec |= {"entries": limits.entries, "disks": ["/dev/shm", "/tmp", bwrap.HOME]}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SUPERVISOR), json.dumps(spec)],
            stdin=subprocess.PIPE,
            pass_fds=fds,
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")},
            cwd="/",
        )
        os.close(filter_fd)
        for listener in self._listeners.values():
            listener.close()
        self.pid = self.pgid = self.process.pid
        return self.connection_info

    def _command(self, filter_fd: int) -> list[str]:
        assert self._io is not None
        limits = self._options.limits
        inside = {
            "rlimits": bwrap.rlimits(limits),
            "uid": _spare_uid() if os.geteuid() == 0 else None,
            "sockets": {port: listener.fileno() for port, listener in self._listeners.items()},
            "connection_file": f"{bwrap.IO}/kernel.json",
            "here": bwrap.HOME,
            "library": bwrap.LIBRARY,
        }
        wall = bwrap.command(self._io, limits, filter_fd, self._options.files, self._options.hidden)
        if not self._options.pictures:
            wall += ["--setenv", "MPLBACKEND", "agg"]
        return [*wall, "--", sys.executable, f"{bwrap.TOOLS}/launch.py", json.dumps(inside)]

    async def kill(self, restart: bool = False) -> None:
        """Hang up on the supervisor, which ends the sandbox and waits for it; by force when that takes too long."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            for _ in range(100):
                if self.process.poll() is not None:
                    return
                await asyncio.sleep(0.02)
        await super().kill(restart=restart)

    @property
    def over_limit(self) -> str | None:
        """`memory`, `processes` or `files` when the supervisor ended this sandbox for that."""
        reason = self._report().get("reason")
        return reason if reason in ("memory", "processes", "files") else None

    @property
    def last_words(self) -> str:
        """The end of what the sandbox wrote outside of any cell; says why a kernel did not start."""
        return str(self._report().get("said", ""))

    def _report(self) -> dict[str, Any]:
        path = self._io / "report" if self._io else None
        return json.loads(path.read_text()) if path and path.is_file() else {}

    async def cleanup(self, restart: bool = False) -> None:
        await super().cleanup(restart=restart)
        self._remove_io()

    def _remove_io(self) -> None:
        if self._io is not None:
            shutil.rmtree(self._io, ignore_errors=True)
            self._io = None


def _spare_uid(uid_map: str | None = None) -> int:
    """A user that nobody is: another for each sandbox, because the limit on processes counts a user's, those of a
    sandbox that is just dying too. Root of a container has fewer users to choose from than root of a machine."""
    maps = (Path("/proc/self/uid_map").read_text() if uid_map is None else uid_map).splitlines()
    first, _, count = max((tuple(map(int, line.split())) for line in maps), key=lambda entry: entry[2])
    lowest = 200_000 if count > 400_000 else first + count // 2
    return lowest + secrets.randbelow(min(first + count, 2**31) - 1 - lowest)


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o666)
    listener.listen(16)
    return listener


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("filter", 0)
    with contextlib.suppress(OSError):
        os.set_inheritable(descriptor, True)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
