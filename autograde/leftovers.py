"""Temporary folders that say whose they are, so that what a killed process left is found and removed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path

#: Seconds that a folder stays at least: its owner may live where we cannot see it, in another container.
LEAST = 24 * 3600.0
_NAME = re.compile(r"course-[a-z]+-(\d+)-\w+")


def prefix(kind: str) -> str:
    """For the name of a temporary folder of this process."""
    return f"course-{kind}-{os.getpid()}-"


def sweep(where: Path | None = None) -> list[Path]:
    """Remove this user's temporary folders whose process is gone, if they are a day old; returns them."""
    gone = []
    for path in (where or Path(tempfile.gettempdir())).glob("course-*"):
        try:
            found = path.lstat()
        except OSError:
            continue
        named = _NAME.fullmatch(path.name)
        ours = named and stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if named and ours and time.time() - found.st_mtime > LEAST and not Path("/proc", named[1]).exists():
            shutil.rmtree(path, ignore_errors=True)
            gone.append(path)
    return gone
