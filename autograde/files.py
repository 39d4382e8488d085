"""Writes files whole or not at all, also where the disk is full: then what was there stays, and the error says so."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograde.errors import DiskFull

FULL = (errno.ENOSPC, errno.EDQUOT)
#: With fewer bytes than this, whatever failed to be written failed for want of room.
SCARCE = 1 << 16


@contextmanager
def staged(path: Path, content: bytes | str, *, mode: int | None = None) -> Iterator[Path]:
    """A file beside `path` that holds `content` and is safe on the disk, to be moved to its place; else it goes.

    Raises:
        DiskFull: there is no room for it.
    """
    part = path.with_name(f"{path.name}.part")
    with explained(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            yield part
        finally:
            part.unlink(missing_ok=True)


def write(path: Path, content: bytes | str, *, mode: int | None = None) -> None:
    """Let `path` hold `content`, text as UTF-8; makes its folder. Whoever reads it finds the old or the new, whole.

    Raises:
        DiskFull: there is no room for it; what was there is there still.
    """
    with staged(path, content, mode=mode) as part:
        os.replace(part, path)


def append(path: Path, content: bytes) -> None:
    """Add `content` to the end of `path`, or nothing of it.

    Raises:
        DiskFull: there is no room for it.
    """
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            end = file.tell()
            try:
                left = memoryview(content)
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Let an error of a full disk name `path`, which was to be written, and say what to do."""
    try:
        yield
    except OSError as error:
        if not says_full(error):
            raise
        raise full(path) from error


def says_full(error: BaseException) -> bool:
    """Whether this error is a full disk's, or comes of one."""
    if isinstance(error, shutil.Error):  # copytree's: a list of what went wrong
        return any(f"[Errno {number}]" in str(error) for number in FULL)
    return isinstance(error, OSError) and error.errno in FULL


def full(path: Path | str) -> DiskFull:
    """The error of a disk without room for `path`."""
    return DiskFull(
        f"The disk is full: {path} could not be written. What was there before is unharmed. "
        "Free some space and run the same command again."
    )


def scarce(path: Path) -> bool:
    """Whether the disk on which `path` lies, or is to lie, has next to no room left."""
    while not path.exists() and path != path.parent:
        path = path.parent
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize < SCARCE or (found.f_files > 0 and found.f_favail == 0)


def temporary(prefix: str, below: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    """A folder for things on their way, as a context manager; below another one, or where temporary files lie.

    Raises:
        DiskFull: there is no room where temporary files lie.
    """
    try:
        return tempfile.TemporaryDirectory(prefix=prefix, dir=below)
    except OSError as error:  # tempfile tries several places, and then says "no usable directory" only
        if says_full(error) or isinstance(error, FileNotFoundError):
            raise full(below or os.environ.get("TMPDIR", "/tmp")) from error
        raise


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """The same; a disk that is full while the folder is in use raises `DiskFull`, too."""
    with temporary(prefix) as name, explained(Path(name)):
        yield Path(name)
