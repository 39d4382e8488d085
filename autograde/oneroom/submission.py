"""What a student handed in for an assignment: its notebooks, and the plain files beside them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from autograde.files import explained
from autograde.lesson import Lesson
from autograde.oneroom.pack import below, pack, unpack
from autograde.repair import Found, Note, find_submission
from autograde.repair.folder import File, look, opened, read_file
from autograde.repair.notes import listed, quoted

#: Bytes of all files beside the notebooks together; the sandbox's own folder holds four times as many.
MOST_BYTES = 64 * 2**20
#: Codes of what `find_submission` says of a folder as a whole, once for each notebook.
NOTHING = "nothing-submitted"


def find(folder: Path, lesson: Lesson) -> Found:
    """Look for the notebooks of an assignment in `submitted/STUDENT/ASSIGNMENT`, and read all plain files there.

    `raw` holds everything; see `contents`. A notebook that is not there is named in a note; where none is there, `raw`
    is None. Links, devices and pipes are never followed or opened.
    """
    names = {f"{part.name}.ipynb" for part in lesson.parts}
    found = {part.name: find_submission(folder, part, others=names - {f"{part.name}.ipynb"}) for part in lesson.parts}
    notes = [note for each in found.values() for note in each.notes if note.code != NOTHING]
    refused = next(iter(found.values())).refused
    raws = {f"notebooks/{name}": each.raw for name, each in found.items() if each.raw is not None}
    if not raws:
        # A link in the place of the folder, say: otherwise that nothing was submitted.
        notes = notes or [note for each in found.values() for note in each.notes][:1]
        return Found(None, None, tuple(dict.fromkeys(notes)), refused)
    for name, each in found.items():
        if each.raw is None:
            said = f"{name}.ipynb was not handed in: its tests earn nothing."
            notes.append(Note("missing-notebook", said, flag=True))
    taken = {each.path.relative_to(folder).as_posix() for each in found.values() if each.path is not None}
    files, more = _files(folder, taken)
    raw = pack({**raws, **{f"files/{name}": data for name, data in files.items()}})
    # What is said of the folder is the same for each notebook.
    return Found(folder, raw, tuple(dict.fromkeys([*notes, *more])), refused)


def contents(raw: bytes) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The notebooks by name, and the other files by path, of what `find` found."""
    held = unpack(raw)
    return below("notebooks", held), below("files", held)


def copy_files(folder: Path, target: Path) -> None:
    """Put the files beside the notebooks where nbgrader takes them from."""
    files: dict[str, bytes] = {}
    with contextlib.suppress(OSError):  # a link, or gone: then nothing was handed in
        files, _ = _files(folder, set())
    for name, data in files.items():
        path = target / name
        # A folder may have a notebook's name, and a way down be too long: such a file is left out.
        with contextlib.suppress(OSError), explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _files(folder: Path, taken: set[str]) -> tuple[dict[str, bytes], list[Note]]:
    """The plain files that nbgrader would copy, as far as there is room for them."""
    kept: dict[str, bytes] = {}
    left_out = []
    room = MOST_BYTES
    with opened(folder) as descriptor:
        for file in look(descriptor).files:
            name = "/".join(file.parts)
            if name in taken or not _copied(file):
                continue
            data = None
            if file.size <= room and _writable(name):
                with contextlib.suppress(OSError):  # gone, or not to be read
                    data = read_file(descriptor, file, room + 1)
            if data is None or len(data) > room:
                left_out.append(name)
            else:
                kept[name] = data
                room -= len(data)
    if not left_out:
        return kept, []
    names, most = listed(map(quoted, left_out)), f"{MOST_BYTES >> 20} MiB"
    said = f"Not in the notebook's folder when it ran: {names} (unreadable, or more than {most})."
    return kept, [Note("file-left-out", said, flag=True)]


def _copied(file: File) -> bool:
    """Whether nbgrader copies such a file; the time of submission is read by whoever needs it."""
    return not file.name.endswith((".ipynb", ".pyc")) and file.parts != ("timestamp.txt",)


def _writable(name: str) -> bool:
    """Whether a name can be sent and written: the bytes of some are no text."""
    try:
        os.fsencode(name).decode()
    except UnicodeDecodeError:
        return False
    return True
