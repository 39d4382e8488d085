"""The sandbox on machines that forbid it, and for ordinary users; see test_sandbox.py for its walls."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ordinary import LOOK_AROUND, seen_by_an_ordinary_user

from autograde.errors import SandboxUnavailable
from autograde.sandbox import bwrap, seccomp
from autograde.sandbox.provisioner import _spare_uid

pytestmark = pytest.mark.sandbox


def test_without_bubblewrap_the_grader_refuses_and_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    bwrap.require.cache_clear()
    with pytest.raises(SandboxUnavailable, match="apt-get install bubblewrap"):
        bwrap.require()
    monkeypatch.undo()
    bwrap.require.cache_clear()


def test_where_namespaces_are_forbidden_the_grader_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bwrap, "find", lambda: str(broken))
    bwrap.require.cache_clear()
    with pytest.raises(SandboxUnavailable, match="No permissions to create new namespace"):
        bwrap.require()
    monkeypatch.undo()
    bwrap.require.cache_clear()


def test_an_unknown_processor_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        seccomp.program("riscv64")


def test_the_supervisor_needs_only_the_standard_library() -> None:
    spec = {"command": ["/bin/true"], "fds": [], "report": "/dev/null", "memory": 1 << 30, "processes": 10}
    supervisor = Path(bwrap.__file__).parent / "supervisor.py"
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(supervisor), marshal.dumps(spec).hex()], stdin=subprocess.PIPE
    ) as process:
        assert process.wait(10) == 0


USER_SCRIPT = """
import json, os, subprocess, sys, tempfile
from pathlib import Path
from autograde.limits import Limits
from autograde.sandbox import bwrap, seccomp

bwrap.require()
descriptor = os.memfd_create("filter", 0)
os.write(descriptor, seccomp.program())
os.lseek(descriptor, 0, os.SEEK_SET)
limits = Limits(processes=40)
wall = bwrap.command(Path(tempfile.mkdtemp()), limits, descriptor)
look = '''
import ctypes, json, os, resource, socket, subprocess
for name, value in json.loads(os.environ["LIMITS"]).items(): resource.setrlimit(getattr(resource, name), (value, value))
seen = {"uid": os.getuid()}
LOOK_AROUND
try: open("/usr/x", "w")
except OSError as error: seen["usr"] = type(error).__name__
seen["namespace"] = ctypes.CDLL(None).unshare(0x10000000)
seen["homes"] = os.listdir("/home")
print(json.dumps(seen))
'''
wall += ["--setenv", "LIMITS", json.dumps(bwrap.rlimits(limits)), "--", "/usr/bin/python3", "-c", look]
sys.exit(subprocess.run(wall, pass_fds=[descriptor]).returncode)
""".replace("LOOK_AROUND", LOOK_AROUND)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs every other test of this file this way already")
def test_an_ordinary_user_has_the_same_walls() -> None:
    """Root starts the sandbox another way than everybody else; here somebody else does, with the system's Python."""
    seen = seen_by_an_ordinary_user(USER_SCRIPT)
    assert seen["uid"] != 0
    assert seen["usr"] in ("OSError", "PermissionError")
    assert seen["namespace"] == -1
    assert seen["homes"] == ["student"]


@pytest.mark.parametrize(
    "uid_map", ["         0          0 4294967295\n", "0 100000 65536\n", "0 1000 1\n1 100000 65536\n"]
)
def test_each_sandbox_has_a_user_of_its_own_that_is_mapped(uid_map: str) -> None:
    users = {_spare_uid(uid_map) for _ in range(200)}
    size = max(int(line.split()[0]) + int(line.split()[2]) for line in uid_map.splitlines())
    assert len(users) > 190
    assert all(30_000 < user < min(size, 2**31) for user in users)
