"""Control groups: which ones are ours to use, what they hold, and that nothing of them stays."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import run_async

from autograde import doctor
from autograde.limits import Limits
from autograde.run.kernel import StudentKernel
from autograde.sandbox import cgroups
from autograde.sandbox.provisioner import SandboxOptions
from autograde.sandbox.warm import WarmServer

HAD = cgroups.trial(cgroups.places())
needs_a_group = pytest.mark.skipif(not HAD, reason="no control group of this machine is ours to use")


def machine(tmp_path: Path, mounts: str, own: str) -> str:
    """A folder that stands for /proc/self."""
    proc = tmp_path / "self"
    proc.mkdir(exist_ok=True)
    (proc / "mountinfo").write_text(mounts.replace("TOP", str(tmp_path)))
    (proc / "cgroup").write_text(own)
    return str(proc)


def group(folder: Path, enabled: str | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cgroup.procs").touch()
    if enabled is not None:
        (folder / "cgroup.controllers").touch()
        (folder / "cgroup.subtree_control").write_text(enabled)


V2 = "30 23 0:26 / TOP/fs rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = "35 31 0:32 {} TOP/{} rw - cgroup cgroup rw,{}\n"
SESSION = "user.slice/app.slice"


def test_v2_gives_the_nearest_group_that_was_delegated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top, given = tmp_path / "fs", tmp_path / "fs" / SESSION
    for folder, enabled in ((top, "cpu memory pids"), (given.parent, "memory pids"), (given, "memory pids\n")):
        group(folder, enabled)
    group(given / "term.scope", "")
    proc = machine(tmp_path, V2, f"0::/{SESSION}/term.scope\n")
    monkeypatch.setattr(cgroups, "_is_delegated", lambda folder: folder.startswith(str(given)))
    assert cgroups.places(proc) == {"memory": str(given), "pids": str(given)}
    group(given, "cpu pids")
    assert cgroups.places(proc) == {"pids": str(given)}
    assert cgroups.version(str(given)) == "v2"


def test_v2_leaves_what_belongs_to_others_alone(tmp_path: Path) -> None:
    """As root everything can be written; but a service's group is its owner's, and so are its limits."""
    top = tmp_path / "fs"
    group(top, "memory pids")
    group(top / "system.slice" / "job.service", "memory pids")
    assert cgroups.places(machine(tmp_path, V2, "0::/system.slice/job.service\n")) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_belongs_to_an_ordinary_user_is_delegated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(tmp_path, 1234, 1234)
    assert not cgroups._is_delegated(str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert cgroups._is_delegated(str(tmp_path))


def test_v1_gives_our_own_group_only_at_the_top(tmp_path: Path) -> None:
    for name in ("memory/jobs/7", "memory", "pids"):
        group(tmp_path / name)
    pids = V1.format("/", "pids", "pids")
    mounts = V1.format("/", "memory", "memory") + pids + V1.format("/", "cpu", "cpu,cpuacct")
    proc = machine(tmp_path, mounts, "4:memory:/jobs/7\n8:pids:/\n1:cpu,cpuacct:/\n0::/\n")
    assert cgroups.places(proc) == {"pids": str(tmp_path / "pids")}
    # In a container its own group is mounted, and so is the top of all that it sees.
    inside = machine(tmp_path, V1.format("/jobs/7", "memory", "memory") + pids, "4:memory:/jobs/7\n8:pids:/elsewhere\n")
    assert cgroups.places(inside) == {"memory": str(tmp_path / "memory")}


@pytest.mark.parametrize(("mounts", "own"), [("", ""), ("nonsense\n", "x\n"), (V2, "0::/../outside\n"), (V2, "")])
def test_an_odd_machine_has_no_group(tmp_path: Path, mounts: str, own: str) -> None:
    assert cgroups.places(machine(tmp_path, mounts, own)) == {}
    assert cgroups.places(str(tmp_path / "nothing")) == {}


def test_a_group_holds_its_limits_and_says_when_memory_ran_out(tmp_path: Path) -> None:
    """On folders that stand for both versions; the next tests use what this machine has."""
    group(tmp_path / "v2", "memory pids")
    (tmp_path / "v1").mkdir()
    newer = cgroups.Group(dict.fromkeys(cgroups.CONTROLLERS, str(tmp_path / "v2")), {"memory": 5000, "pids": 7})
    folder = Path(newer.folders["memory"])
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == {"memory.max": "5000", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "7"}
    older = cgroups.Group({"memory": str(tmp_path / "v1")}, {"memory": 5000, "pids": 7})
    assert Path(older.folders["memory"], "memory.limit_in_bytes").read_text() == "5000"
    for made, events in ((newer, "memory.events"), (older, "memory.oom_control")):
        path = Path(made.folders["memory"], events)
        assert not made.out_of_memory()
        path.write_text("low 0\noom_kill_disable 0\noom 3\noom_kill 0\n")
        assert not made.out_of_memory()
        path.write_text("low 0\noom_kill 2\n")
        assert made.out_of_memory()


def test_without_groups_everything_goes_on() -> None:
    none = cgroups.Group({"pids": "/nowhere/at/all"}, {"memory": 1, "pids": 1})
    assert none.folders == {}
    none.join()
    assert not none.out_of_memory()
    none.remove()


@needs_a_group
def test_a_group_holds_processes_and_nothing_of_it_stays() -> None:
    made = cgroups.Group(HAD, {"memory": 1 << 30, "pids": 6})
    if "pids" not in made.folders:
        pytest.skip("this machine gives no group that counts processes")
    fork = "import subprocess\nfor number in range(12): subprocess.Popen(['sleep', '1'])"
    command = ["/usr/bin/python3", "-c", fork]
    try:
        done = subprocess.run(command, preexec_fn=made.join, capture_output=True, text=True, check=False)
        twin = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        made.remove()
    assert "BlockingIOError" in done.stderr
    assert twin.returncode == 0
    assert not [path for path in made.folders.values() if os.path.exists(path)]


@needs_a_group
def test_what_a_killed_supervisor_left_is_swept_away() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = [Path(place, f"{cgroups.PREFIX}{gone.pid}") for place in set(HAD.values())]
    for path in left:
        path.mkdir()
    cgroups.Group(HAD, {"memory": 1 << 30, "pids": 6}).remove()
    assert not any(path.exists() for path in left)


@needs_a_group
@pytest.mark.sandbox
@pytest.mark.parametrize("start", ["cold", "warm"])
def test_a_sandbox_and_all_that_it_starts_is_in_its_group(start: str) -> None:
    server = WarmServer() if start == "warm" else None

    async def run() -> tuple[list[str], dict[str, set[str]], str]:
        kernel = StudentKernel(SandboxOptions(warm=server.line if server else None))
        await kernel.start()
        try:
            assert kernel.warm == (server is not None)
            outputs: list[Any] = []
            code = "import subprocess; subprocess.Popen(['sleep', '60']); print(open('/proc/self/cgroup').read())"
            await kernel.execute(code, 30, outputs)
            owner = kernel._manager.provisioner.pid
            folders = {name: Path(place, f"{cgroups.PREFIX}{owner}") for name, place in HAD.items()}
            held = {name: _commands(folder / "cgroup.procs") for name, folder in folders.items()}
            limit = (folders["pids"] / "pids.max").read_text().strip() if "pids" in folders else ""
            return [str(folder) for folder in folders.values()], held, limit + "\n" + outputs[0].text
        finally:
            await kernel.kill()

    try:
        folders, held, said = run_async(run())
    finally:
        if server:
            server.close()
    for commands in held.values():
        assert "sleep" in commands
        assert len(commands) >= 2  # the kernel as well
    limit, *lines = said.splitlines()
    assert limit in ("", str(Limits().processes + (1 if server else 2)))
    assert not [line for line in lines if cgroups.PREFIX in line], "the sandbox sees where its group lies"
    assert not [folder for folder in folders if os.path.exists(folder)]


def _commands(path: Path) -> set[str]:
    """The programs of the processes in a group, once a `sleep` is among them."""
    end, names = time.monotonic() + 5, set[str]()
    while "sleep" not in names and time.monotonic() < end:
        names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in path.read_text().split()}
    return names


def test_the_doctor_has_a_line_for_everything_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {finding.name: finding for finding in doctor.findings()}
    for name in ("seccomp", "rlimits", "watchdog"):
        assert lines[name].good
        assert lines[name].words.startswith("on: ")
    assert "NOFILE" in lines["rlimits"].words
    assert "2048 MiB and 128 processes" in lines["watchdog"].words
    assert lines["cgroups"].good == bool(HAD)
    for controller in cgroups.CONTROLLERS:
        place = HAD.get(controller)
        said = f"{controller} ({cgroups.version(place)}, {place})" if place else controller
        assert said in lines["cgroups"].words
    monkeypatch.setattr(cgroups, "places", dict)
    bare = {finding.name: finding for finding in doctor.findings()}["cgroups"]
    assert (bare.good, bare.needed) == (False, False)
    assert "left to the watchdog" in bare.words
