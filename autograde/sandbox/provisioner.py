"""A Jupyter kernel provisioner that starts the kernel in a sandbox; nbclient, papermill and nbgrader get it by name."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import marshal
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

from autograde import leftovers
from autograde.limits import Limits
from autograde.sandbox import bwrap, cgroups, seccomp
from autograde.sandbox.warm import WarmServers, furniture, line_and_rooms, servers

SUPERVISOR = Path(__file__).parent / "supervisor.py"
PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port")


@dataclass(frozen=True)
class SandboxOptions:
    """What a run may say of its sandbox: `km.start_kernel(sandbox=SandboxOptions(...))`.

    Without `pictures` figures are made but not drawn, for a run whose outputs nobody will see. `warm` is the line of a
    warm server (`autograde.sandbox.warm`) for the same files and hidden places; without it the sandbox starts cold. A
    kernel that is started without options gets a line of this process's own servers.
    """

    limits: Limits = field(default_factory=Limits)
    judge_socket: Path | None = None
    files: tuple[bwrap.Mount, ...] = ()
    hidden: tuple[Path, ...] = ()
    pictures: bool = True
    warm: Path | None = None


class SandboxProvisioner(LocalProvisioner):
    """Starts `python -m ipykernel_launcher` of a kernelspec as our kernel behind bubblewrap.

    All sockets are opened on this side and handed in; the sandbox can write to no folder of this machine.
    """

    _io: Path | None = None
    _lent_by: WarmServers | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose ipc transport in a folder of our own, open its sockets, write the command.

        Raises:
            SandboxUnavailable: this machine cannot isolate code.
        """
        bwrap.require()
        options: SandboxOptions = kwargs.pop("sandbox", None) or self._by_name()
        self._remove_io()
        rooms = line_and_rooms(options.warm.parent)[1] if options.warm is not None else None
        self._io = Path(tempfile.mkdtemp(prefix=leftovers.prefix("io"), dir=rooms))
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

    def _by_name(self) -> SandboxOptions:
        """For whoever knows no more of us than the kernel's name."""
        self._give_back()
        self._lent_by = servers()
        return SandboxOptions(warm=self._lent_by.take(self, (), ()) if self._lent_by else None)

    def _give_back(self) -> None:
        if self._lent_by is not None:
            self._lent_by.give_back(self)
        self._lent_by = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Start the supervisor, which starts bubblewrap, which starts the kernel."""
        assert self._io is not None
        if self._options.judge_socket is not None:
            os.link(self._options.judge_socket, self._io / "judge.sock")
        os.chmod(self._io / "kernel.json", 0o644)
        handed = [listener.fileno() for listener in self._listeners.values()]
        program = seccomp.program()
        limits = self._options.limits
        spec = {"report": str(self._io / "report"), "memory": limits.memory}
        spec |= {"entries": limits.entries, "disks": bwrap.DISKS, "groups": cgroups.places()}
        spec |= {"ceiling": limits.memory + len(bwrap.DISKS) * limits.scratch}  # a group's memory has its files in it
        if self._options.warm is not None:
            spec |= {"warm": str(self._options.warm), "ask": json.dumps(self._request(program)), "start": limits.start}
            spec |= {"processes": limits.processes + 1}  # the first of its pid namespace
        else:
            handed.append(_memory_file(program))
            spec |= {"command": self._command(handed[-1]), "processes": limits.processes + 2}  # bubblewrap is two
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SUPERVISOR), marshal.dumps({**spec, "fds": handed}).hex()],
            stdin=subprocess.PIPE,
            pass_fds=handed,
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")},
            cwd="/",
        )
        for listener in self._listeners.values():
            listener.close()
        for descriptor in handed[len(self._listeners) :]:
            os.close(descriptor)
        self.pid = self.pgid = self.process.pid
        return self.connection_info

    def _kernel(self) -> dict[str, Any]:
        """What the kernel is told, however it starts."""
        return {
            "rlimits": bwrap.rlimits(self._options.limits),
            "uid": _spare_uid() if os.geteuid() == 0 else None,
            "connection_file": f"{bwrap.IO}/kernel.json",
            "here": bwrap.HOME,
        }

    def _command(self, filter_fd: int) -> list[str]:
        assert self._io is not None
        sockets = {port: listener.fileno() for port, listener in self._listeners.items()}
        inside = {**self._kernel(), "sockets": sockets, "library": bwrap.LIBRARY}
        options = self._options
        wall = bwrap.command(self._io, options.limits, filter_fd, options.files, options.hidden)
        wall += [word for name, value in self._drawing().items() for word in ("--setenv", name, value)]
        return [*wall, "--", sys.executable, f"{bwrap.TOOLS}/launch.py", json.dumps(inside)]

    def _request(self, program: bytes) -> dict[str, Any]:
        """What a warm server is asked for."""
        assert self._io is not None
        return {
            **self._kernel(),
            "ports": list(self._listeners),
            **furniture(self._io.name, self._options.limits.scratch),
            "environment": self._drawing(),
            "filter": base64.b64encode(program).decode(),
        }

    def _drawing(self) -> dict[str, str]:
        return {} if self._options.pictures else {"MPLBACKEND": "agg", "COURSE_PICTURES": "no"}

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
    def warm(self) -> bool:
        """Whether the sandbox was asked of a warm server."""
        return self._options.warm is not None

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
        return marshal.loads(path.read_bytes()) if path and path.is_file() else {}

    async def cleanup(self, restart: bool = False) -> None:
        await super().cleanup(restart=restart)
        self._remove_io()
        self._give_back()

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
