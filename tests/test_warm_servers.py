"""When warm servers are made, renewed and ended; and what their children's walls are for an ordinary user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

import pytest
from ordinary import LOOK_AROUND, seen_by_an_ordinary_user

from autograde.sandbox import bwrap
from autograde.sandbox.warm import WarmServers, hindrance

pytestmark = pytest.mark.sandbox


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


def test_after_several_deaths_sandboxes_start_cold(servers: WarmServers) -> None:
    for _ in range(4):
        assert servers.take("a", (), ()) is not None
        servers.give_back("a")
        Counted.made[-1].alive = False
    assert servers.take("a", (), ()) is None
    assert servers.take("a", (), ()) is None
    assert all(server.closed for server in Counted.made)


def test_the_doctor_says_why_a_machine_forbids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hindrance() == ""
    forbidden = bwrap.isolation
    monkeypatch.setattr(bwrap, "isolation", lambda path, serving=False: forbidden(path))
    assert "not permitted" in hindrance()


USER_SCRIPT = """
import json, os, subprocess, sys, tempfile
from pathlib import Path
from autograde.limits import Limits
from autograde.sandbox import bwrap, seccomp
from autograde.sandbox.warm import furniture
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
seen["filter"] = status["Seccomp"].strip()
LOOK_AROUND
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
spec = furniture("mine", 1 << 20)
spec |= {"rlimits": bwrap.rlimits(limits), "filter": base64.b64encode(seccomp.program()).decode()}
places = ["/usr", "/etc", "/run/course/io", "/run/course/rooms", "/dev", "/proc/sys/net", "/home"]
environment = ["--setenv", "PLACES", json.dumps(places), "--setenv", "SPEC", json.dumps(spec)]
wall = [*bwrap.server_command(rooms), *environment, "--", "/usr/bin/python3", "-c", look]
sys.exit(subprocess.run(wall).returncode)
""".replace("LOOK_AROUND", LOOK_AROUND)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs every other test of this file this way already")
def test_for_an_ordinary_user_a_child_builds_the_same_walls() -> None:
    seen = seen_by_an_ordinary_user(USER_SCRIPT)
    assert seen["uid"] == 1000
    assert seen["caps"] == 0
    assert seen["filter"] == "2"
    assert seen["calls"] == [-1, -1, -1]
    assert seen["rooms"] == []
    assert seen["writable"] == list(bwrap.DISKS)
