"""Kernels forked from one warm server: each alone, each as new, none lost when the server is."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from conftest import REPO

from autograde.run.kernel import StudentKernel
from autograde.sandbox import bwrap
from autograde.sandbox.provisioner import SandboxOptions
from autograde.sandbox.warm import WarmServer, WarmServers

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def server() -> Iterator[WarmServer]:
    server = WarmServer()
    yield server
    server.close()


def both(server: WarmServer, first: str, second: str, then: str = "") -> list[str]:
    """What code prints in two kernels that live at the same time: `first` here, `second` there, `then` here."""

    async def run() -> list[str]:
        here, there = (StudentKernel(SandboxOptions(warm=server.line)) for _ in range(2))
        await asyncio.gather(here.start(), there.start())
        assert here.warm
        assert there.warm
        try:
            return [await _said(here, first), await _said(there, second), await _said(here, then)]
        finally:
            await here.kill()
            await there.kill()

    return asyncio.run(run())


async def _said(kernel: StudentKernel, code: str) -> str:
    outputs: list[Any] = []
    await kernel.execute(code, 30, outputs)
    return "".join(output.get("text", output.get("evalue", "")) for output in outputs)


def test_neither_sees_the_files_or_processes_of_the_other(server: WarmServer) -> None:
    write = """
import subprocess
for place in ('.', '/tmp', '/dev/shm'): open(f'{place}/mine', 'w').write('secret')
child = subprocess.Popen(['sleep', '55'])
"""
    look = """
import os
print([name for place in ('.', '/tmp', '/dev/shm') for name in os.listdir(place) if name == 'mine'])
lines = [open(f'/proc/{pid}/cmdline').read() for pid in os.listdir('/proc') if pid.isdigit()]
print(len(lines) <= 3, any('sleep' in line for line in lines), os.listdir('/run/course/rooms'))
"""
    assert both(server, write, look)[1].splitlines() == ["[]", "True False []"]


def test_neither_reaches_the_sockets_or_terminals_of_the_other(server: WarmServer) -> None:
    listen = """
import os, socket
abstract = socket.socket(socket.AF_UNIX); abstract.bind('\\0meet'); abstract.listen()
port = socket.socket(); port.bind(('127.0.0.1', 4444)); port.listen()
mine = socket.create_connection(('127.0.0.1', 4444), 5)  # the honest twin: its own network works
terminal = os.openpty(); print(len(os.listdir('/dev/pts')))
"""
    reach = """
import os, socket
for kind, place in ((socket.AF_UNIX, '\\0meet'), (socket.AF_INET, ('127.0.0.1', 4444))):
    try: socket.socket(kind).connect(place); print('reached')
    except OSError as error: print(type(error).__name__)
print(os.listdir('/dev/pts'))
"""
    first, second, _ = both(server, listen, reach)
    assert first.strip() == "2"
    assert second.splitlines() == ["ConnectionRefusedError", "ConnectionRefusedError", "['ptmx']"]


def test_what_one_changes_in_a_module_stays_its_own(server: WarmServer) -> None:
    spoil = "import torch, random; torch.matmul = lambda *_: 'spoilt'; random.seed = None; print(torch.matmul())"
    use = "import torch, random; print(torch.matmul(torch.ones(2), torch.ones(2)).item(), random.seed is None)"
    assert both(server, spoil, use)[:2] == ["spoilt\n", "2.0 False\n"]


def test_each_draws_numbers_of_its_own(server: WarmServer) -> None:
    draw = "import random, numpy, torch; print([random.random(), numpy.random.rand(), torch.rand(1).item()])"
    first, second, _ = both(server, draw, draw)
    assert not set(json.loads(first)) & set(json.loads(second))


def test_the_first_process_of_the_sandbox_cannot_be_read_or_ended(server: WarmServer) -> None:
    attack = """
import os
print(os.getpid() != 1)
for path in ('/proc/1/mem', '/proc/1/environ'):
    try: open(path, 'rb').read(1); print('read')
    except OSError as error: print(type(error).__name__)
try: print(os.listdir('/proc/1/fd'))
except OSError as error: print(type(error).__name__)
for number in (2, 9, 15, 17):
    try: os.kill(1, number)
    except OSError: pass
"""
    first, _, then = both(server, attack, "", "print('alive')")
    assert first.splitlines() == ["True", *["PermissionError"] * 3]
    assert then == "alive\n"


def test_no_descriptor_of_the_server_or_the_supervisor_is_left_in_the_kernel(server: WarmServer) -> None:
    """The same kinds as where nothing was forked; where a count differs, something leaked."""
    count = """
import collections, os
def kinds():
    for name in os.listdir('/proc/self/fd'):
        try: yield os.readlink(f'/proc/self/fd/{name}').split(':')[0]
        except OSError: pass  # the one that listed them
print(sorted(collections.Counter(kinds()).items()))
"""

    async def cold() -> str:
        kernel = StudentKernel(SandboxOptions())
        await kernel.start()
        try:
            return await _said(kernel, count)
        finally:
            await kernel.kill()

    warm, again, _ = both(server, count, count)
    assert warm == again == asyncio.run(cold())


def test_where_the_server_is_dead_a_kernel_starts_cold() -> None:
    server = WarmServer()
    server._process.kill()
    server._process.wait()

    async def run() -> tuple[bool, str]:
        kernel = StudentKernel(SandboxOptions(warm=server.line))
        await kernel.start()
        try:
            return kernel.warm, await _said(kernel, "print('here')")
        finally:
            await kernel.kill()

    assert asyncio.run(run()) == (False, "here\n")
    server.close()


def test_all_sandboxes_die_with_the_owner_of_the_server() -> None:
    script = """
import asyncio, os
from autograde.run.kernel import StudentKernel
from autograde.sandbox.provisioner import SandboxOptions
from autograde.sandbox.warm import WarmServer
server = WarmServer()
async def main():
    kernel = StudentKernel(SandboxOptions(warm=server.line))
    await kernel.start()
    assert kernel.warm
    await kernel.execute(f"import subprocess; subprocess.Popen(['sleep', '{os.environ['SLEEP']}'])", 10, [])
    print(server._process.pid, flush=True)
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""
    sleep = f"5{os.getpid()}"
    environment = {**os.environ, "SLEEP": sleep}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.strip().isdigit(), done.stderr
    deadline = time.monotonic() + 10
    while (left := _processes(sleep, done.stdout.strip())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def _processes(argument: str, pid: str) -> list[str]:
    found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if path.parent.name == pid or _has(path, argument)]
    return [path.parent.name for path in found]


def _has(path: Path, argument: str) -> bool:
    try:
        return argument.encode() in path.read_bytes().split(b"\0")
    except OSError:
        return False


class Counted:
    """Stands for a server: what matters here is when it is made and ended."""

    made: ClassVar[list[Counted]] = []

    def __init__(self, *_: object) -> None:
        self.line, self.alive, self.closed = Path(f"/line{len(self.made)}"), True, False
        self.made.append(self)

    def close(self) -> None:
        assert not self.closed
        self.closed = True


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> WarmServers:
    monkeypatch.setattr("autograde.sandbox.warm.WarmServer", Counted)
    monkeypatch.setattr("autograde.sandbox.warm.RENEWED_AFTER", 2)
    monkeypatch.setattr(Counted, "made", [])
    return WarmServers()


def test_a_server_is_renewed_and_stays_until_the_last_who_uses_it(servers: WarmServers) -> None:
    lines = [servers.take(number, (), ()) for number in range(3)]
    assert lines == [Path("/line0"), Path("/line0"), Path("/line1")]
    first, second = Counted.made
    servers.give_back(0)
    assert not first.closed
    servers.give_back(1)
    assert first.closed
    servers.close()
    assert second.closed


def test_a_dead_server_and_one_for_other_files_are_replaced(servers: WarmServers) -> None:
    servers.take("a", (), ())
    Counted.made[0].alive = False
    assert servers.take("b", (), ()) == Path("/line1")
    assert servers.take("c", (), (Path("/hidden"),)) == Path("/line2")
    assert servers.prepare((), (Path("/hidden"),)) is Counted.made[2]


USER_SCRIPT = """
import json, os, subprocess, sys, tempfile
from pathlib import Path
from autograde.limits import Limits
from autograde.sandbox import bwrap, seccomp
import base64

rooms = Path(tempfile.mkdtemp())
(rooms / "mine").mkdir()
(rooms / "other").mkdir()
look = '''
import base64, ctypes, json, os, socket, subprocess, sys
sys.path.insert(0, "/run/course/tools")
import isolate, launch
spec = json.loads(os.environ["SPEC"])
isolate.leave_namespaces()
pid = os.fork()
if pid: sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
isolate.furnish(spec)
pid = os.fork()
if pid: sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
isolate.become_ordinary(None)
launch.limit(spec["rlimits"])
isolate.filter_calls(spec["filter"])
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
seen = {"uid": os.getuid(), "caps": int(status["CapEff"], 16) + int(status["CapPrm"], 16) + int(status["CapInh"], 16)}
seen["filter"], seen["pids"] = status["Seccomp"].strip(), len([p for p in os.listdir("/proc") if p.isdigit()])
children = []
try:
    while len(children) < 200: children.append(subprocess.Popen(["sleep", "60"]))
except OSError: pass
seen["children"] = len(children)
for child in children: child.kill(); child.wait()
try: socket.create_connection(("127.0.0.1", 22), 1)
except OSError as error: seen["network"] = type(error).__name__
libc = ctypes.CDLL(None, use_errno=True)
seen["calls"] = [libc.unshare(0x10000000), libc.umount2(b"/run/course/rooms", 0)]
seen["calls"].append(libc.mount(b"x", b"/tmp", b"tmpfs", 0, 0))
seen["rooms"] = os.listdir("/run/course/rooms")
seen["writable"] = []
for place in [*json.loads(os.environ["PLACES"]), *spec["disks"]]:
    try: open(f"{place}/x", "w"); seen["writable"].append(place)
    except OSError: pass
print(json.dumps(seen))
'''
limits = Limits(processes=40)
spec = {"room": f"{bwrap.ROOMS}/mine", "rooms": bwrap.ROOMS, "io": bwrap.IO, "disks": bwrap.DISKS, "scratch": 1 << 20}
spec |= {"rlimits": bwrap.rlimits(limits), "filter": base64.b64encode(seccomp.program()).decode()}
places = ["/usr", "/etc", "/run/course/io", "/run/course/rooms", "/dev", "/proc/sys/net", "/home"]
environment = ["--setenv", "PLACES", json.dumps(places), "--setenv", "SPEC", json.dumps(spec)]
wall = [*bwrap.server_command(rooms), *environment, "--", "/usr/bin/python3", "-c", look]
sys.exit(subprocess.run(wall).returncode)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs every other test of this file this way already")
def test_for_an_ordinary_user_a_child_builds_the_same_walls() -> None:
    """With the system's Python, which everybody can read, and so without torch."""
    import shutil

    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for package in ("autograde", "course_utils"):
            ignore = shutil.ignore_patterns("__pycache__", "answers")
            shutil.copytree(REPO / package, Path(folder, package), ignore=ignore)
        done = subprocess.run(
            ["/usr/bin/python3", "-c", USER_SCRIPT],
            user=65534,
            group=65534,
            extra_groups=[],
            cwd="/",
            env={"PYTHONPATH": folder, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["uid"] == 1000
    assert seen["caps"] == 0
    assert seen["filter"] == "2"
    assert seen["pids"] <= 3
    assert 20 < seen["children"] < 40
    assert seen["network"] in ("ConnectionRefusedError", "OSError")
    assert seen["calls"] == [-1, -1, -1]
    assert seen["rooms"] == []
    assert seen["writable"] == list(bwrap.DISKS)
