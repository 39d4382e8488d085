"""Results on their way from the two rooms into nbgrader: kept as files, read by our plugins inside its converters."""

from __future__ import annotations

import copy
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograde.lesson import Cell, Lesson
from autograde.oneroom.submission import copy_files
from autograde.repair import Note
from autograde.run.pool import Result
from autograde.run.words import outputs_of
from autograde.verdict import Status, Verdict, no_points

RESULTS, STAGED = Path(".autograde") / "results", Path(".autograde") / "submitted"
TIMESTAMP_LIMIT = 1_000


@dataclass(frozen=True)
class Graded:
    """One student's result for one lesson: what the table, the gradebook and the feedback are made from.

    `key` is the fingerprint of all that it depends on; empty where it must be made again whatever has changed.
    `warning` says what must be said beside every score.
    """

    student: str
    lesson: str
    verdicts: tuple[Verdict, ...]
    notes: tuple[Note, ...]
    error: str | None
    sandboxed: bool
    seconds: float
    key: str = ""
    warning: str = ""

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


def graded(result: Result, lesson: Lesson, *, sandboxed: bool, key: str = "") -> Graded:
    """A result with a verdict for every test, also where nothing could be run; what failed through us has no key."""
    verdicts = result.verdicts
    if result.error is not None:
        verdicts = tuple(_unread(test, result) for test in lesson.tests)
    key = "" if result.refused else key
    said = (result.notes, result.error, sandboxed, result.seconds, key, lesson.warning)
    return Graded(result.id, lesson.name, verdicts, *said)


def _unread(test: Cell, result: Result) -> Verdict:
    assert test.grade_id is not None
    assert result.error is not None
    status: Status = "broken test" if result.refused else "missing"
    message = "This submission could not be run; your instructor will look at it." if result.refused else result.error
    exercise = test.exercise or test.grade_id
    return no_points(test.grade_id, exercise, test.points, status, message, result.error, flag=True)


def executed_notebook(result: Result, lesson: Lesson, record: Graded) -> Any:
    """The notebook to keep: as it ran, or the release with a line on top that says why nothing ran."""
    if result.error is None:
        return result.notebook
    notebook = copy.deepcopy(lesson.release)
    words = nbformat.v4.new_markdown_cell(f"**{record.verdicts[0].message if record.verdicts else result.error}**")
    words.id = "nothing-was-run"
    notebook.cells.insert(0, words)
    by_id = {verdict.grade_id: verdict for verdict in record.verdicts}
    for cell in notebook.cells:
        verdict = by_id.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if verdict is not None:
            cell.outputs = outputs_of(verdict)
    return notebook


def store(root: Path, result: Result, lesson: Lesson, *, sandboxed: bool, submitted: Path, key: str = "") -> Graded:
    """Keep a result: a JSON record, and a clean folder in which nbgrader finds the notebook under its proper name.

    The record comes last: where there is one, all that belongs to it is there, whenever this was interrupted.
    """
    record = graded(result, lesson, sandboxed=sandboxed, key=key)
    notebooks = result.notebooks or {part.name: executed_notebook(result, part, record) for part in lesson.notebooks}
    path = record_path(root, lesson.name, result.id)
    for old in (path, written_path(root, lesson.name, result.id)):
        old.unlink(missing_ok=True)
    folder = root / STAGED / result.id / lesson.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, notebook in notebooks.items():
        notebook.metadata["course"] = {**notebook.metadata.get("course", {}), "result": record.to_dict()}
        nbformat.write(notebook, folder / f"{name}.ipynb")
    if lesson.parts:
        copy_files(submitted, folder)
    stamp(root, lesson.name, result.id, submitted)
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, json.dumps(record.to_dict()))
    return record


def stamp(root: Path, lesson: str, student: str, submitted: Path) -> None:
    """Let the staged folder have the time of submission that `submitted` says, if it says one."""
    there = root / STAGED / student / lesson / "timestamp.txt"
    text = _timestamp(submitted / "timestamp.txt")
    if text is None:
        there.unlink(missing_ok=True)
    elif not there.is_file() or there.read_text() != text:
        there.write_text(text)


def _replace(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text)
    part.rename(path)


def written_path(root: Path, lesson: str, student: str) -> Path:
    """The file that says which result the gradebook has."""
    return record_path(root, lesson, student).with_name("written")


def mark_written(root: Path, record: Graded) -> None:
    """Note that the gradebook has this result."""
    _replace(written_path(root, record.lesson, record.student), _written_word(root, record))


def is_written(root: Path, record: Graded) -> bool:
    """Whether this result was written into the gradebook, as far as we know; see `autograde.gradebook.grade`."""
    path = written_path(root, record.lesson, record.student)
    return bool(record.key) and path.is_file() and path.read_text() == _written_word(root, record)


def _written_word(root: Path, record: Graded) -> str:
    time = root / STAGED / record.student / record.lesson / "timestamp.txt"
    return f"{record.key} {time.read_text() if time.is_file() else ''}"


def record_path(root: Path, lesson: str, student: str) -> Path:
    # A folder for each student: a name may be as long as a file name can be, and then takes no ending.
    return root / RESULTS / lesson / student / "result.json"


def load(root: Path, lesson: str, student: str) -> Graded | None:
    """A kept record, if there is one."""
    path = record_path(root, lesson, student)
    return Graded.from_dict(json.loads(path.read_text())) if path.is_file() else None


def unchanged(root: Path, lesson: str, student: str, key: str) -> Graded | None:
    """A kept result of this fingerprint, whole with its notebook; what cannot be read is as good as none."""
    try:
        record = load(root, lesson, student)
    except (ValueError, TypeError, KeyError):
        return None
    return record if record is not None and record.key == key and staged(root, lesson, student) else None


def load_all(root: Path, lesson: str) -> dict[str, Graded]:
    """Every kept record of a lesson, by student."""
    paths = sorted((root / RESULTS / lesson).glob("*/result.json"))
    return {record.student: record for record in (Graded.from_dict(json.loads(path.read_text())) for path in paths)}


def staged(root: Path, lesson: str, student: str) -> list[str]:
    """The file names of a kept result's notebooks."""
    return [path.name for path in sorted((root / STAGED / student / lesson).glob("*.ipynb"))]


def staged_notebook(root: Path, lesson: str, student: str, notebook: str) -> Any:
    """An executed notebook of a kept result."""
    return nbformat.read(root / STAGED / student / lesson / f"{notebook}.ipynb", as_version=4)


def _timestamp(path: Path) -> str | None:
    """nbgrader's time of submission, read as what a student may have put there: never through a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        text = file.read(TIMESTAMP_LIMIT).decode(errors="replace").strip()
    from dateutil.parser import ParserError, parse

    try:
        parse(text)
    except (ParserError, OverflowError, ValueError):
        return None
    return text
