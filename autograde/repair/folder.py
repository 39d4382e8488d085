"""Read a folder that a student controls: nothing outside it is opened, and nothing that is not a plain file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

#: How far and how long a folder is searched. An unpacked archive is often one folder deeper than it should be.
DEEPEST = 3
MOST_ENTRIES = 5_000

#: Folders that editors and systems make; what lies there was not handed in.
SKIPPED = frozenset({".ipynb_checkpoints", "__MACOSX", "__pycache__", ".git"})

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True)
class File:
    """A plain file as it was seen: its path below the folder in parts, and what identifies it."""

    parts: tuple[str, ...]
    size: int
    modified: int
    device: int
    inode: int

    @property
    def name(self) -> str:
        return self.parts[-1]


@dataclass
class Listing:
    """What lies in a folder. `refused` are links, devices, pipes and sockets; they are never opened."""

    files: list[File] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    complete: bool = True
    entries: int = 0


def look(folder: int) -> Listing:
    """List the plain files below an open folder, to a limited depth and number."""
    listing = Listing()
    _look(folder, (), listing)
    listing.files.sort(key=lambda file: file.parts)
    return listing


def _look(folder: int, above: tuple[str, ...], listing: Listing) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            listing.entries += 1
            if listing.entries > MOST_ENTRIES:
                listing.complete = False
                return
            parts = (*above, entry.name)
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                listing.unreadable.append("/".join(parts))
                continue
            if stat.S_ISREG(status.st_mode):
                seen = File(parts, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)
                listing.files.append(seen)
            elif not stat.S_ISDIR(status.st_mode):
                listing.refused.append("/".join(parts))
            elif entry.name not in SKIPPED:
                _enter(folder, parts, listing)


def _enter(folder: int, parts: tuple[str, ...], listing: Listing) -> None:
    if len(parts) > DEEPEST:
        listing.complete = False
        return
    try:
        inner = os.open(parts[-1], _FOLDER, dir_fd=folder)
    except OSError as error:
        # ELOOP, ENOTDIR: swapped for a link since it was listed.
        where = listing.refused if error.errno in (errno.ELOOP, errno.ENOTDIR) else listing.unreadable
        where.append("/".join(parts))
        return
    try:
        _look(inner, parts, listing)
    finally:
        os.close(inner)


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[int]:
    """Open a folder that must not be a link itself.

    Raises:
        OSError: it does not exist, is a link, or may not be read.
    """
    folder = os.open(path, _FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)


def read_file(folder: int, file: File, limit: int) -> bytes | None:
    """Read a listed file, at most `limit` bytes; None when it is no longer the plain file that was listed.

    Raises:
        OSError: it may not be read, or is gone.
    """
    held: list[int] = []
    try:
        for part in file.parts[:-1]:
            held.append(os.open(part, _FOLDER, dir_fd=held[-1] if held else folder))
        held.append(os.open(file.name, _FILE, dir_fd=held[-1] if held else folder))
        status = os.fstat(held[-1])
        if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) != (file.device, file.inode):
            return None
        with open(held[-1], "rb", closefd=False) as stream:
            return stream.read(limit)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return None
        raise
    finally:
        for descriptor in held:
            os.close(descriptor)
