"""nbgrader's gradebook as a file: made whole or not at all, shared with whoever writes it, on a disk that may fill."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from unittest import mock

import alembic.config
from alembic.script import ScriptDirectory
from nbgrader import api, dbutil
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.engine import make_url

from autograde import files
from autograde.errors import DiskFull

#: What SQLite says while somebody else writes (the formgrader, nbgrader by hand), and how long we wait for them, in s.
LOCKED, PATIENCE = "database is locked", 60.0
#: What it says, or nbgrader's log, when the disk is full; and what it says then, too, if it cannot even begin.
FULL = re.compile(rf"database or disk is full|\[Errno ({'|'.join(map(str, files.FULL))})\]")
PERHAPS_FULL = re.compile(r"unable to open database file|disk I/O error|No usable temporary directory")
T = TypeVar("T")


def file_of(coursedir: CourseDirectory) -> Path | None:
    """Where the gradebook lies; None if it is not a file, but a server's."""
    url = make_url(coursedir.db_url)
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def is_there(coursedir: CourseDirectory) -> bool:
    """Whether there is a gradebook to be read. nbgrader would make one to look into it."""
    path = file_of(coursedir)
    return path is None or path.is_file()


def make(coursedir: CourseDirectory) -> None:
    """Make the gradebook if there is none. One that nbgrader makes on a full disk may lack tables, or its version.

    Raises:
        DiskFull: there is no room for it.
    """
    path = file_of(coursedir)
    if path is None or path.is_file():
        return
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        with mock.patch.object(api, "get_alembic_version", version):
            with_room(path, lambda: api.Gradebook(f"sqlite:///{part}", coursedir.course_id).close())
        os.replace(part, path)
    finally:
        for left in (part, part.with_name(f"{part.name}-journal")):
            left.unlink(missing_ok=True)


def version() -> str:
    """The version of nbgrader's tables. nbgrader starts a command to ask for it, which takes four seconds."""
    config = alembic.config.Config()
    config.set_main_option("script_location", dbutil.ALEMBIC_DIR)
    return str(ScriptDirectory.from_config(config).get_current_head())


def patiently(work: Callable[[], T]) -> T:
    """Do something with the gradebook; while somebody else writes it, wait for them."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except Exception as error:  # SQLAlchemy's, or ours around nbgrader's
            if LOCKED not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.5)


def with_room(path: Path, work: Callable[[], T]) -> T:
    """Do something that writes `path`, or beside it.

    Raises:
        DiskFull: it failed because the disk is full, in whatever words.
    """
    try:
        return work()
    except DiskFull:
        raise
    except Exception as error:
        if tells_of_a_full_disk(str(error), path) or files.says_full(error):
            raise files.full(path) from error
        raise


def tells_of_a_full_disk(words: str, path: Path) -> bool:
    """Whether an error, or what nbgrader logged of one, comes of a full disk."""
    if FULL.search(words):
        return True
    with suppress(OSError):
        return PERHAPS_FULL.search(words) is not None and files.scarce(path)
    return False
