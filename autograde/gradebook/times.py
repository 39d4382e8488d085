"""When something was handed in: `timestamp.txt`, read as what a student may have put there.

nbgrader reads it as its own. A word in it that is no time ends `nbgrader autograde` for the whole class and the
formgrader's list with an error, and a pipe of that name ends neither, ever.
"""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

NAME = "timestamp.txt"
#: A time is shorter.
LIMIT = 200


def stated(folder: Path) -> str | None:
    """The time that a folder states; None where it states none that nbgrader could read. Never through a link."""
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        data = os.read(descriptor, LIMIT) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)
    text = data.decode(errors="replace").strip()
    return text if _read(text) is not None else None


def _read(text: str) -> datetime | None:
    with contextlib.suppress(Exception):  # whatever it provokes in a parser, it is no time
        return parse_utc(text)
    return None


def read_as_a_students() -> None:
    """Let nbgrader, its formgrader too, read the time of a submission this way."""

    def existing(directory: Any, path: str) -> datetime | None:
        text = stated(Path(path))
        return _read(text) if text is not None else None

    def submitted(api: Any, assignment_id: str, student_id: str) -> datetime | None:
        directory = api.coursedir
        return existing(directory, directory.format_path(directory.submitted_directory, student_id, assignment_id))

    CourseDirectory.get_existing_timestamp = existing
    NbGraderAPI.get_submitted_timestamp = submitted
