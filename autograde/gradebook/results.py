"""Results on their way from the two rooms into nbgrader: kept as files, read by our plugins inside its converters."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograde import files
from autograde.gradebook import times
from autograde.lesson import Cell, Lesson
from autograde.oneroom.submission import copy_files
from autograde.repair import Note
from autograde.run.pool import Result
from autograde.verdict import Status, Verdict, no_points

#: Where results are kept, below the course folder: records in `results`, what nbgrader is sent to in `submitted`.
HOME = Path(".autograde")
#: Where `autograde regrade` keeps what it found, until that is applied.
ASIDE = HOME / "regrade"
RESULTS, STAGED = "results", "submitted"


@dataclass(frozen=True)
class Graded:
    """One student's result for one lesson: what the table, the gradebook and the feedback are made from.

    `key` is the fingerprint of all that it depends on; empty where it must be made again whatever has changed.
    `handed_in` is that of the submission alone; empty where it is not known. `warning` says what must be said beside
    every score.
    """

    student: str
    lesson: str
    verdicts: tuple[Verdict, ...]
    notes: tuple[Note, ...]
    error: str | None
    sandboxed: bool
    seconds: float
    key: str = ""
    handed_in: str = ""
    warning: str = ""

    @property
    def refused(self) -> bool:
        """Whether it could not be run through a fault of ours, so that it says nothing about the submission."""
        return self.error is not None and any(verdict.status == "broken test" for verdict in self.verdicts)

    @property
    def score(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def max_score(self) -> float:
        return sum(verdict.max_points for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        return {
            **vars(self),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "notes": [vars(note) for note in self.notes],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Graded:
        verdicts = tuple(Verdict.from_dict(verdict) for verdict in data["verdicts"])
        return cls(**{**data, "verdicts": verdicts, "notes": tuple(Note(**note) for note in data["notes"])})


def graded(result: Result, lesson: Lesson, *, sandboxed: bool, key: str = "", handed_in: str = "") -> Graded:
    """A result with a verdict for every test, also where nothing could be run; what failed through us has no key."""
    verdicts = result.verdicts
    if result.error is not None:
        verdicts = tuple(_unread(test, result) for test in lesson.tests)
    key = "" if result.refused else key
    whole = (result.notes, result.error, sandboxed, result.seconds, key, handed_in, lesson.warning)
    return Graded(result.id, lesson.name, verdicts, *whole)


def _unread(test: Cell, result: Result) -> Verdict:
    assert test.grade_id is not None
    assert result.error is not None
    status: Status = "broken test" if result.refused else "missing"
    message = "This submission could not be run; your instructor will look at it." if result.refused else result.error
    exercise = test.exercise or test.grade_id
    return no_points(test.grade_id, exercise, test.points, status, message, result.error, flag=True)


def store(root: Path, record: Graded, notebooks: Mapping[str, Any], submitted: Path, *, home: Path = HOME) -> None:
    """Keep a result: a JSON record, and a clean folder in which nbgrader finds the notebooks under their proper names.

    Both are on the disk before anything of the last result goes, and the record takes its place last: where there is
    one, all that belongs to it is there, whenever this was interrupted.

    Raises:
        DiskFull: there is no room for it; the last result is there still.
    """
    path = record_path(root, record.lesson, record.student, home=home)
    target = staged_folder(root, record.lesson, record.student, home=home)
    new = path.with_name("new")
    shutil.rmtree(new, ignore_errors=True)  # of one who was stopped
    try:
        for name, notebook in notebooks.items():
            notebook.metadata["course"] = {**notebook.metadata.get("course", {}), "result": record.to_dict()}
            files.write(new / f"{name}.ipynb", nbformat.writes(notebook) + "\n")
        if (time := times.stated(submitted)) is not None:
            files.write(new / times.NAME, time)
        if record.warning:
            copy_files(submitted, new)
        with files.staged(path, json.dumps(record.to_dict())) as ours:
            _make_room(target, path)
            os.replace(new, target)
            os.replace(ours, path)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def move(root: Path, record: Graded, submitted: Path, source: Path) -> None:
    """Let a result that is kept in `source` be the one that is kept in `HOME`. Needs no room on the disk."""
    lesson, student = record.lesson, record.student
    target, path = staged_folder(root, lesson, student), record_path(root, lesson, student)
    _make_room(target, path)
    os.replace(staged_folder(root, lesson, student, home=source), target)
    stamp(root, lesson, student, submitted)
    os.replace(record_path(root, lesson, student, home=source), path)


def _make_room(folder: Path, record: Path) -> None:
    """Take away the last result, but the empty `folder`, in whose place another needs no room of its own."""
    for place in (folder, record.parent):
        with files.explained(place):
            place.mkdir(parents=True, exist_ok=True)
    for old in (record, record.with_name("written")):
        old.unlink(missing_ok=True)
    for inside in folder.iterdir():
        if inside.is_dir() and not inside.is_symlink():
            shutil.rmtree(inside)
        else:
            inside.unlink()


def stamp(root: Path, lesson: str, student: str, submitted: Path) -> None:
    """Let the staged folder have the time of submission that `submitted` says, if it says one."""
    there = staged_folder(root, lesson, student) / times.NAME
    text = times.stated(submitted)
    if text is None:
        there.unlink(missing_ok=True)
    elif not there.is_file() or there.read_text() != text:
        files.write(there, text)


def written_path(root: Path, lesson: str, student: str) -> Path:
    """The file that says which result the gradebook has."""
    return record_path(root, lesson, student).with_name("written")


def mark_written(root: Path, record: Graded) -> None:
    """Note that the gradebook has this result."""
    files.write(written_path(root, record.lesson, record.student), _written_word(root, record))


def is_written(root: Path, record: Graded) -> bool:
    """Whether this result was written into the gradebook, as far as we know; see `autograde.gradebook.grade`."""
    path = written_path(root, record.lesson, record.student)
    return bool(record.key) and path.is_file() and path.read_text() == _written_word(root, record)


def _written_word(root: Path, record: Graded) -> str:
    time = staged_folder(root, record.lesson, record.student) / times.NAME
    return f"{record.key} {time.read_text() if time.is_file() else ''}"


def record_path(root: Path, lesson: str, student: str, *, home: Path = HOME) -> Path:
    # A folder for each student: a name may be as long as a file name can be, and then takes no ending.
    return root / home / RESULTS / lesson / student / "result.json"


def staged_folder(root: Path, lesson: str, student: str, *, home: Path = HOME) -> Path:
    return root / home / STAGED / student / lesson


def load(root: Path, lesson: str, student: str, *, home: Path = HOME) -> Graded | None:
    """A kept record, if there is one."""
    path = record_path(root, lesson, student, home=home)
    return Graded.from_dict(json.loads(path.read_text())) if path.is_file() else None


def readable(root: Path, lesson: str, student: str, *, home: Path = HOME) -> Graded | None:
    """The same; what cannot be read is as good as none."""
    try:
        return load(root, lesson, student, home=home)
    except (ValueError, TypeError, KeyError):
        return None


def unchanged(root: Path, lesson: str, student: str, key: str, *, home: Path = HOME) -> Graded | None:
    """A kept result of this fingerprint, whole with its notebooks."""
    record = readable(root, lesson, student, home=home)
    there = staged(root, lesson, student, home=home)
    return record if record is not None and record.key == key and there else None


def load_all(root: Path, lesson: str) -> dict[str, Graded]:
    """Every kept record of a lesson, by student."""
    paths = sorted((root / HOME / RESULTS / lesson).glob("*/result.json"))
    return {record.student: record for record in (Graded.from_dict(json.loads(path.read_text())) for path in paths)}


def staged(root: Path, lesson: str, student: str, *, home: Path = HOME) -> list[str]:
    """The file names of a kept result's notebooks."""
    return [path.name for path in sorted(staged_folder(root, lesson, student, home=home).glob("*.ipynb"))]


def staged_notebook(root: Path, lesson: str, student: str, notebook: str) -> Any:
    """An executed notebook of a kept result."""
    return nbformat.read(staged_folder(root, lesson, student) / f"{notebook}.ipynb", as_version=4)
