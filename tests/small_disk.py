"""Runs a function on a small disk of its own, which it can fill: a tmpfs that only its process sees."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import REPO

MOUNT = 'mount -t tmpfs -o size="$1" small "$2" && shift 2 && exec "$@"'


def on_small_disk(work: Callable[[Path], None], size: str, folder: Path) -> None:
    """Call `work`, a function of a module, in a new process with a disk of `size` mounted on `folder`.

    An ordinary user may mount one in a namespace of their own, where they pass for root.
    """
    where = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    call = f"import sys, pathlib, {work.__module__} as tests; tests.{work.__name__}(pathlib.Path(sys.argv[1]))"
    program = ["sh", "-c", MOUNT, "sh", size, str(folder), sys.executable, "-c", call, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPO), str(REPO / "tests")])}
    done = subprocess.run([*where, *program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@contextmanager
def filled(folder: Path, left: int = 0) -> Iterator[None]:
    """While this lasts, the disk has room for `left` bytes."""
    stone = folder / "stone"
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    with stone.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(free - left, 1))
    try:
        yield
    finally:
        stone.unlink()
