"""Find the notebook in what a student handed in: by its name, else by its cells."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import UnreadableSubmission
from autograde.lesson import Lesson
from autograde.repair.cells import read
from autograde.repair.folder import File, Listing, look, opened, read_file
from autograde.repair.match import Matching, by_marks, by_text
from autograde.repair.notes import Note, listed, quoted
from autograde.repair.released import Released

#: The largest file that is read, in bytes.
LARGEST = 100 * 2**20
#: At most this many files are opened to see whether they are the notebook, and this many times `LARGEST` bytes.
MOST_OPENED = 20
MOST_BYTES = 4
#: A file with this share of the released cells is a notebook of the lesson.
OURS = 0.25

CLEAR = "In JupyterLab, choose Edit, Clear Outputs of All Cells, save it and hand it in again."


@dataclass(frozen=True)
class Found:
    """What a folder holds: the notebook and its bytes, or (both None) nothing that can be graded; the notes say why.

    `refused` names links, devices, pipes and sockets below the folder: never open or copy them.
    """

    path: Path | None
    raw: bytes | None
    notes: tuple[Note, ...]
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A file that may be the notebook: the share of the released cells in it, whether an answer was written."""

    file: File
    exact: bool
    digest: bytes
    share: float = 0.0
    worked: bool = False
    problem: str = ""

    @property
    def rank(self) -> tuple[bool, bool, bool, int, int]:
        """Best last: ours, with work in it, named as asked; then the newest, then the highest copy number."""
        copy = re.search(r"\((\d{1,6})\)", self.file.name)
        return self.share >= OURS, self.worked, self.exact, self.file.modified, int(copy[1]) if copy else 0


def find_submission(folder: Path, lesson: Lesson, *, largest: int = LARGEST, others: Collection[str] = ()) -> Found:
    """Look for the notebook of a lesson in `submitted/STUDENT/LESSON` and read it.

    Links, devices and pipes are never followed or opened, and what is read is the very file that was listed. The file
    named `LESSON.ipynb` is taken if it holds work; otherwise the file whose cells are those of the release. Never
    raises for what a student can hand in: a file that is no notebook is returned, and `repair` says what is wrong.

    Args:
        others: files of these names are other notebooks of the same assignment. Then a file under a strange name is
            taken only for its cells, not for being the only notebook there is.
    """
    try:
        with opened(folder) as descriptor:
            return _search(folder, descriptor, lesson, largest, others)
    except OSError as error:
        if os.path.islink(folder):
            said = "The folder handed in is a link. Links are never followed. Hand in the files themselves."
            return Found(None, None, (Note("not-followed", said, flag=True),), (".",))
        if isinstance(error, FileNotFoundError):
            return Found(None, None, (Note("nothing-submitted", "Nothing submitted."),))
        said = f"What was handed in could not be read ({error.strerror})."
        return Found(None, None, (Note("unreadable-file", said, flag=True),))


def _search(folder: Path, descriptor: int, lesson: Lesson, largest: int, others: Collection[str]) -> Found:
    listing = look(descriptor)
    notes = _about_listing(listing)
    refused = tuple(sorted(listing.refused))
    wanted = f"{lesson.name}.ipynb"
    files = [file for file in listing.files if _may_be(file) and not any(_exact(file, other) for other in others)]
    files.sort(key=lambda file: _first(file, wanted))
    alone = len(files) == 1 and _exact(files[0], wanted)
    candidates: list[Candidate] = []
    best, best_raw, opened_bytes = None, b"", 0
    for file in files[:MOST_OPENED]:
        raw = _read(descriptor, file, largest, notes) if opened_bytes <= MOST_BYTES * largest else None
        if raw is None:
            continue
        opened_bytes += len(raw)
        candidate = Candidate(file, _exact(file, wanted), hashlib.sha256(raw).digest())
        candidate = candidate if alone else _examine(candidate, raw, Released.of(lesson), plain=not others)
        candidates.append(candidate)
        if best is None or candidate.rank > best.rank:
            best, best_raw = candidate, raw
    only = not others and best is not None and best.file.name.lower().endswith(".ipynb")
    if best is None or not (best.exact or best.share >= OURS or only):
        notes.append(_nothing(listing, lesson.name))
        return Found(None, None, tuple(notes), refused)
    notes += _about_choice(best, candidates, wanted)
    return Found(folder.joinpath(*best.file.parts), best_raw, tuple(notes), refused)


def _may_be(file: File) -> bool:
    """Whether a file may be a notebook; browsers save `.ipynb.json`, `.ipynb.txt` and worse."""
    name = file.name.lower()
    return not name.startswith("._") and (".ipynb" in name or name.endswith((".json", ".txt")))


def _exact(file: File, wanted: str) -> bool:
    return len(file.parts) == 1 and unicodedata.normalize("NFC", file.name) == wanted


def _first(file: File, wanted: str) -> tuple[bool, bool, int, tuple[str, ...]]:
    """The order in which files are opened, the likeliest first."""
    return not _exact(file, wanted), not file.name.lower().endswith(".ipynb"), -file.modified, file.parts


def _read(descriptor: int, file: File, largest: int, notes: list[Note]) -> bytes | None:
    """Read a file, or note why not."""
    name = quoted("/".join(file.parts))
    try:
        raw = None if file.size > largest else read_file(descriptor, file, largest + 1)
    except OSError as error:
        notes.append(Note("unreadable-file", f"{name} could not be read ({error.strerror}).", flag=True))
        return None
    if file.size > largest or (raw is not None and len(raw) > largest):
        size = f"{max(file.size, largest) / 2**20:,.0f} MB"
        said = f"{name} is too large ({size}; at most {largest / 2**20:,.0f} MB are read). {CLEAR}"
        notes.append(Note("too-large", said))
        return None
    if raw is None:
        notes.append(Note("not-followed", f"{name} was replaced while it was read. It was not opened.", flag=True))
    return raw


def _examine(candidate: Candidate, raw: bytes, released: Released, *, plain: bool) -> Candidate:
    """See how much of the lesson a file holds, without its `plain` cells where several notebooks share them."""
    try:
        match = Matching(read(raw)[0], released)
    except UnreadableSubmission as error:
        return Candidate(candidate.file, candidate.exact, candidate.digest, problem=str(error))
    by_marks(match)
    by_text(match)
    answers = [(place, index) for place in released.having("answer") for index in match.holders[place.key]]
    worked = any(match.texts[index] not in ("", place.text) for place, index in answers)
    present = {place.index for place in match.plain.values()} if plain else set()
    present |= {place.index for place in released.marked.values() if not match.lost(place)}
    named = {place.key for place in released.having("answer") if match.definers(place)}
    share = (len(present) + len(named)) / max(1, len(released.places if plain else released.marked))
    return Candidate(candidate.file, candidate.exact, candidate.digest, share, worked or bool(named))


def _about_listing(listing: Listing) -> list[Note]:
    notes = []
    if listing.refused:
        names = listed(quoted(name) for name in sorted(listing.refused))
        said = f"Links, devices and pipes are never followed: {names}. Hand in the files themselves."
        notes.append(Note("not-followed", said, flag=True))
    if listing.unreadable:
        names = listed(quoted(name) for name in sorted(listing.unreadable))
        notes.append(Note("unreadable-file", f"These could not be read: {names}.", flag=True))
    if not listing.complete:
        notes.append(
            Note("not-searched", "The folder is too deep or too full. A part of it was not searched.", flag=True)
        )
    return notes


def _nothing(listing: Listing, lesson: str) -> Note:
    if not listing.files and not listing.refused:
        return Note("nothing-submitted", "Nothing submitted: the folder is empty.")
    names = listed(quoted("/".join(file.parts)) for file in listing.files) or "no file"
    said = f"Nothing submitted that can be graded: no file is a notebook of {lesson} that can be read (found: {names})."
    return Note("nothing-submitted", said, flag=True)


def _about_choice(best: Candidate, candidates: list[Candidate], wanted: str) -> list[Note]:
    notes = []
    name = quoted("/".join(best.file.parts))
    if not best.exact:
        why = "was recognised by its cells" if best.share >= OURS else "is the only notebook there is"
        said = f"The notebook is called {name} instead of {quoted(wanted)}. It {why}."
        notes.append(Note("other-name", said))
    others = [each for each in candidates if each.digest != best.digest and (each.share >= OURS or each.exact)]
    for each in others:
        if each.problem:
            said = f"{quoted('/'.join(each.file.parts))} was not graded, but {name}. {each.problem}"
            notes.append(Note("other-notebook", said, flag=True))
    fine = [each for each in others if not each.problem]
    if fine:
        names = listed(quoted("/".join(each.file.parts)) for each in fine)
        why = "it is named as asked" if best.exact else "it is the newest" if best.worked else "it fits best"
        said = f"Several notebooks of this lesson were handed in. {name} was graded ({why}); not graded: {names}."
        notes.append(Note("other-notebook", said, flag=any(each.worked for each in fine)))
    return notes
