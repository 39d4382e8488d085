"""Kernels forked from one warm server: each alone, each as new, none lost when the server is."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import run_async

from autograde.run.kernel import StudentKernel
from autograde.sandbox import bwrap
from autograde.sandbox.provisioner import SandboxOptions
from autograde.sandbox.warm import WarmServer

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

    return run_async(run())


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
    assert warm == again == run_async(cold())


def test_what_is_mounted_on_a_disk_that_may_be_written_is_there_for_every_child(tmp_path: Path) -> None:
    """The environment of a clone in /tmp is such a place, and so are a lesson's own files."""
    tmp_path.chmod(0o755)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "two words.txt").write_text("kept")
    file = tmp_path / "inner" / "two words.txt"
    home = Path(bwrap.HOME)
    mounts = (bwrap.Mount(tmp_path, Path("/tmp/place")), bwrap.Mount(file, home / "two words.txt"))
    look = """
import os
print(open('/tmp/place/inner/two words.txt').read(), open('two words.txt').read(), os.listdir('/tmp'), os.listdir())
for place in ('/tmp/place/x', '/tmp/x', 'x'):
    try: open(place, 'w'); print('written')
    except OSError as error: print(type(error).__name__)
"""

    async def run() -> str:
        kernel = StudentKernel(SandboxOptions(files=mounts, warm=server.line))
        await kernel.start()
        try:
            assert kernel.warm
            return await _said(kernel, look)
        finally:
            await kernel.kill()

    server = WarmServer(mounts)
    try:
        first, second = run_async(run()), run_async(run())
    finally:
        server.close()
    assert first == second
    words, *tries = first.splitlines()
    assert words.startswith("kept kept [")
    assert "'place'" in words
    assert tries[0] in ("OSError", "PermissionError")
    assert tries[1:] == ["written", "written"]


def test_where_the_server_is_dead_a_kernel_starts_cold() -> None:
    server = WarmServer()

    async def run() -> tuple[bool, str]:
        kernel = StudentKernel(SandboxOptions(warm=server.line))
        await kernel.start()
        try:
            return kernel.warm, await _said(kernel, "print('here')")
        finally:
            await kernel.kill()

    try:
        assert run_async(run()) == (True, "here\n")  # it runs: what dies now is all of it, not only its wall
        server._process.kill()
        server._process.wait()
        _until_nobody_listens(server.line)
        assert run_async(run()) == (False, "here\n")
    finally:
        server.close()


def _until_nobody_listens(line: Path) -> None:
    """bubblewrap is dead at once; the kernel of this machine ends what it had started a moment later."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            if asking.connect_ex(str(line)) == errno.ECONNREFUSED:
                return
        time.sleep(0.02)
    raise AssertionError("the server of a dead bubblewrap still listens")


def test_all_sandboxes_die_with_the_owner_of_the_server() -> None:
    script = """
import asyncio, os
from autograde.run.kernel import StudentKernel
from autograde.sandbox import bwrap
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
