"""Says what this machine lacks, each with the command that mends it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from autograde.errors import SandboxUnavailable
from autograde.limits import MIB, Limits
from autograde.run import capacity
from autograde.sandbox import bwrap, cgroups, seccomp, supervisor, warm


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `needed` things must be good for grading; the others are for tests only."""

    name: str
    good: bool
    words: str
    needed: bool = True


def examine(console: Console) -> bool:
    """Print every finding; True when student code can be graded here."""
    good = True
    for finding in findings():
        colour, word = (
            ("green", "ok") if finding.good else (("red", "missing") if finding.needed else ("yellow", "missing"))
        )
        console.print(f"[{colour}]{word:<8}[/] {finding.name:<12} ", end="")
        console.print(finding.words, markup=False, highlight=False)
        good = good and (finding.good or not finding.needed)
    return good


def findings() -> Iterator[Finding]:
    """Everything that matters, looked at on this machine now."""
    version = platform.python_version()
    yield Finding("python", sys.version_info >= (3, 11), f"{version} (3.11 or newer is needed)")
    yield from (_package(name) for name in ("torch", "torchvision", "jupyterlab", "nbgrader", "papermill", "jupytext"))
    yield _sandbox()
    yield _filter()
    yield from _held()
    yield _warm()
    yield _path()
    free = capacity.free_memory() / (1 << 30)
    yield Finding("memory", free >= 3, f"{free:.1f} GiB free (a submission may use 2, its judge a little more)")
    found = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    yield Finding(
        "chromium", found is not None, found or "only the browser tests need it: sudo apt-get install chromium", False
    )


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, 'pip install -e ".[grade]"')


def _sandbox() -> Finding:
    try:
        bwrap.require()
    except SandboxUnavailable as error:
        return Finding("bubblewrap", False, f"{error} {_namespaces()}")
    user = "as root; student code runs as an ordinary user" if os.geteuid() == 0 else "as this user"
    return Finding("bubblewrap", True, f"{bwrap.find()}, {user}")


def _namespaces() -> str:
    """What forbids user namespaces here, as far as the kernel tells."""
    switches = {
        "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        "/proc/sys/user/max_user_namespaces": ("0", "sudo sysctl user.max_user_namespaces=1000"),
    }
    for path, (bad, cure) in switches.items():
        if Path(path).is_file() and Path(path).read_text().strip() == bad:
            return f"{path} is {bad}: {cure}"
    return ""


def _filter() -> Finding:
    try:
        seccomp.program()
    except SandboxUnavailable as error:
        return Finding("seccomp", False, str(error))
    return Finding("seccomp", True, f"on: a filter for {platform.machine()}")


def _held() -> Iterator[Finding]:
    """What holds a sandbox's memory and processes, a line for each keeper."""
    limits = Limits()
    names = [name.removeprefix("RLIMIT_") for name in bwrap.rlimits(limits)]
    counted = "" if "NPROC" in names else "; processes are counted by the watchdog: this Linux counts everybody's"
    yield Finding("rlimits", True, f"on: {', '.join(names)}{counted}")
    had = cgroups.trial(cgroups.places())
    groups = ", ".join(f"{name} ({cgroups.version(place)}, {place})" for name, place in sorted(had.items()))
    rest = [name for name in cgroups.CONTROLLERS if name not in had]
    alone = f"no group for {' and '.join(rest)} is ours to make here: left to the watchdog" if rest else ""
    cure = "" if had else ". With systemd, `systemd-run --user --scope COMMAND` gives one"
    yield Finding("cgroups", bool(had), "; ".join(filter(None, [groups and f"on: {groups}", alone])) + cure, False)
    seen = supervisor.proportional(f"/proc/{os.getpid()}") > 0
    words = f"{limits.memory // MIB} MiB and {limits.processes} processes a sandbox, looked at every"
    words = f"on: {words} {supervisor.INTERVAL:g} s"
    yield Finding("watchdog", seen, words if seen else "/proc says nothing about processes: mount it")


def _warm() -> Finding:
    """Whether sandboxes can be forked from one that has imported everything."""
    try:
        bwrap.require()
        why = warm.hindrance()
    except SandboxUnavailable:
        why = "there is no sandbox"
    words = "each sandbox is forked from one that has imported torch" if not why else f"sandboxes start cold: {why}"
    return Finding("warm start", not why, words, needed=False)


def _path() -> Finding:
    """nbgrader starts programs by name, so the environment's commands must be found."""
    folder = str(Path(sys.prefix) / "bin")
    good = folder in os.environ.get("PATH", "").split(os.pathsep)
    cure = f"{folder} is not on PATH: `source {folder}/activate`, or nbgrader's own commands fail"
    return Finding("PATH", good, "the environment is active" if good else cure, needed=False)
