"""The command line of one sandbox: what it sees, what it may use."""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import course_utils
from autograde.errors import SandboxUnavailable
from autograde.limits import MIB, Limits

INSIDE = Path(__file__).parent / "inside"
#: Where the sandbox finds our two scripts, course_utils, its sockets, and its own folder.
TOOLS, LIBRARY, IO, HOME = "/run/course/tools", "/run/course/lib", "/run/course/io", "/home/student"
JUDGE_SOCKET = f"{IO}/judge.sock"
#: Where the warm server finds the folders of all its children; a child sees its own only, at IO.
ROOMS = "/run/course/rooms"
#: The disks that a sandbox may write to; all of them are memory.
DISKS = ("/dev/shm", "/tmp", HOME)

_ETC = ("alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "timezone")
_ADVICE = (
    "Student code is never run without a sandbox. Install it with `sudo apt-get install bubblewrap`. If it is there, "
    "this machine forbids user namespaces: `autograde doctor` says more. For a class you trust there is --no-sandbox."
)


@dataclass(frozen=True)
class Mount:
    """A folder or file of this machine that the sandbox sees, read only; with `source` None, an empty place instead."""

    source: Path | None
    target: Path


def find() -> str:
    """The path of bubblewrap.

    Raises:
        SandboxUnavailable: it is not installed.
    """
    path = shutil.which("bwrap") or shutil.which("bwrap", path="/usr/bin:/usr/local/bin")
    if path is None:
        raise SandboxUnavailable(f"bubblewrap is not installed. {_ADVICE}")
    return path


@functools.cache
def require() -> None:
    """Make sure that this machine can isolate code, by doing it once.

    Raises:
        SandboxUnavailable: it cannot; the message says what bubblewrap said and what to do.
    """
    command = [*isolation(find()), *_system(), "--", "/usr/bin/env", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode:
        raise SandboxUnavailable(f"bubblewrap does not work here: {done.stderr.strip()[:300]}. {_ADVICE}")


def isolation(bwrap: str, *, serving: bool = False) -> list[str]:
    """Namespaces and privileges. Root starts bubblewrap as root and leaves root inside (see inside/launch.py): only so
    can it bind files below a closed home, and only an ordinary user is held by a limit on processes.

    With `serving` what runs inside is our own warm server, which may build walls: see inside/isolate.py.
    """
    # SETFCAP because Linux lets nobody else put an ordinary user of a new namespace in the place of this one's root.
    # SYS_CHROOT because a kernel enters its sandbox's files.
    names = ("SYS_ADMIN", "SYS_CHROOT", "NET_ADMIN", "SETFCAP") if serving else ()
    building = [word for name in names for word in ("--cap-add", f"CAP_{name}")]
    command = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    if os.geteuid() == 0:
        return [*command, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", *building]
    # As root of its own user namespace: as anybody else it would be put in a second one, whose mounts are locked.
    return [*command, "--unshare-user", *(["--uid", "0", "--gid", "0", *building] if serving else [])]


def command(
    io: Path, limits: Limits, seccomp: int, extra: Iterable[Mount] = (), hidden: Iterable[Path] = ()
) -> list[str]:
    """bubblewrap's arguments up to `--`, for a sandbox whose sockets lie in `io`.

    `extra` are files of the lesson, `hidden` places that the sandbox must not see even where they lie in the system.
    """
    return [
        *isolation(find()),
        *_inside([Mount(io, Path(IO))], limits, extra, hidden),
        *["--seccomp", str(seccomp)],
    ]


def server_command(rooms: Path, extra: Iterable[Mount] = (), hidden: Iterable[Path] = ()) -> list[str]:
    """bubblewrap's arguments up to `--` for a warm server, whose children have their folders in `rooms`."""
    return [
        *isolation(find(), serving=True),
        *["--perms", "0755", "--dir", IO],
        *_inside([Mount(rooms, Path(ROOMS))], Limits(), extra, hidden),
    ]


def _inside(own: list[Mount], limits: Limits, extra: Iterable[Mount], hidden: Iterable[Path]) -> list[str]:
    """What can be seen from inside."""
    tmpfs = ["--perms", "1777", "--size", str(limits.scratch)]
    masks = [Mount(None, path) for path in hidden] + [Mount(None, Path(__file__).parents[1])]
    return [
        *_system(),
        # The empty places come first: what is bound below may lie in one of them, a whole environment in /tmp say.
        *[word for disk in DISKS for word in (*tmpfs, "--tmpfs", disk)],
        *_mounts([*_python(), Mount(INSIDE, Path(TOOLS)), *own, *masks]),
        *_fonts(),
        *[word for mount in extra for word in ("--ro-bind", str(mount.source), str(mount.target))],
        *["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME],
        *[word for name, value in environment().items() for word in ("--setenv", name, value)],
    ]


def environment() -> dict[str, str]:
    """All that the sandbox has of an environment; nothing is inherited."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return {
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": HOME,
        "USER": "student",
        "LOGNAME": "student",
        "LANG": "C.UTF-8",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NBGRADER_EXECUTION": "autograde",
        **threads,
    }


def rlimits(limits: Limits) -> dict[str, int]:
    """Hard limits of every process, by the names of the `resource` module."""
    chosen = {
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_FSIZE": limits.scratch,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_CPU": int(limits.notebook) + 60,
        # Virtual, so only a backstop for one huge allocation: torch alone maps 3.5 GB. Resident memory is watched.
        "RLIMIT_AS": limits.memory + 6144 * MIB,
    }
    if os.geteuid() == 0 or _counts_processes_per_namespace():
        chosen["RLIMIT_NPROC"] = limits.processes
    return chosen


def _counts_processes_per_namespace() -> bool:
    """Since Linux 5.14 processes outside the sandbox do not count inside; before, only the supervisor counts."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    return version is not None and (int(version[1]), int(version[2])) >= (5, 14)


def _system() -> list[str]:
    """The operating system, read only, without anything of its users."""
    words = ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/etc", "/home", "/sys", "/sys/devices", "/sys/devices/system"):
        words += ["--perms", "0755", "--dir", folder]
    words += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return [*words, "--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"]


def _python() -> list[Mount]:
    """This environment and the Python it stands on, at the paths they have here; and the course_utils that we use
    ourselves, at a place of its own: where it comes from here may not be where the sandbox would look."""
    package = Path(course_utils.__file__).resolve().parent
    paths = {Path(sys.prefix), Path(sys.base_prefix)}
    mounts = [Mount(path, path) for path in paths if not path.is_relative_to("/usr")]
    return [*mounts, Mount(package, Path(LIBRARY, package.name))]


def _fonts() -> list[str]:
    """matplotlib's list of fonts, where we have made it: making it takes every sandbox half a second."""
    manager = sys.modules.get("matplotlib.font_manager")
    if manager is None:
        return []
    known = Path(sys.modules["matplotlib"].get_cachedir(), f"fontlist-v{manager.FontManager.__version__}.json")
    cache = Path(HOME, ".cache", known.parent.name)
    folders = [word for path in (cache.parent, cache) for word in ("--perms", "1777", "--dir", str(path))]
    return [*folders, "--ro-bind-try", str(known), str(cache / known.name)]


def _mounts(mounts: list[Mount]) -> list[str]:
    """Mount arguments, outer places before inner ones; a mask matters only inside something that is mounted."""
    seen = [Path("/usr"), *(mount.target for mount in mounts if mount.source)]
    parents = {parent for place in seen for parent in place.parents if parent != Path("/")}
    # Made here because bubblewrap would close those that it makes itself to everybody but root.
    words = [word for path in sorted(parents) for word in ("--perms", "0755", "--dir", str(path))]
    for mount in sorted(mounts, key=lambda mount: len(mount.target.parts)):
        if mount.source:
            words += ["--ro-bind", str(mount.source), str(mount.target)]
        elif mount.target.exists() and any(mount.target.is_relative_to(place) for place in seen):
            words += ["--perms", "0555", "--size", "4096", "--tmpfs", str(mount.target)]
    return words
