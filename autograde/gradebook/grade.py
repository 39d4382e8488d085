"""Grades a class: finds what was handed in, runs it in the pool, writes each result into nbgrader's gradebook."""

from __future__ import annotations

import contextlib
import glob
import itertools
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TypeVar

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograde.alone import alone
from autograde.bank import bank
from autograde.errors import CourseError, UnreadableSubmission
from autograde.fingerprint import LessonPrint
from autograde.gradebook import results
from autograde.gradebook.record import record
from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.oneroom import assignment
from autograde.oneroom.config import with_one_room
from autograde.oneroom.submission import find as find_parts
from autograde.repair import Note, find_submission
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for

#: What SQLite says while somebody else writes (the formgrader, nbgrader by hand), and how long we wait for them, in s.
LOCKED, PATIENCE = "database is locked", 60.0
T = TypeVar("T")


class Course:
    """A course folder: `source`, `release`, `submitted`, and nbgrader's gradebook and outputs beside them."""

    def __init__(
        self, root: Path, *, config: Config | None = None, workers: int | None = None, sandboxed: bool = True
    ) -> None:
        self.root = root.resolve()
        self.config = config or load_config(self.root)
        self._workers, self._sandboxed = workers, sandboxed
        self.unchanged: set[str] = set()

    def lesson(self, name: str) -> Lesson:
        """A lesson of ours, or any other assignment, which then has one room only (`lesson.parts`)."""
        coursedir = self._coursedir(name, "*")
        if assignment.is_one_room(self.root, coursedir, name):
            return assignment.load(name, coursedir, self.config)
        return Lesson.load(self.root, name)

    def submissions(self, lesson: str) -> dict[str, Path]:
        """Who handed in (or opened a folder for) this lesson: student -> folder."""
        submitted = self.root / CourseDirectory(config=self.config).submitted_directory
        folders = sorted(submitted.glob(f"*/{glob.escape(lesson)}")) if submitted.is_dir() else []
        return {folder.parent.name: folder for folder in folders if not folder.parent.name.startswith(".")}

    def run(self, name: str, folders: Mapping[str, Path], *, force: bool = False) -> Iterator[Graded]:
        """Run submissions in the two rooms and keep the results; no gradebook is touched but to record the lesson.

        A submission whose result is kept and depends on nothing that has changed since is not run again; `unchanged`
        names these.

        Args:
            force: run these, too.

        Raises:
            CourseError: there is no such lesson, or this machine cannot isolate student code.
        """
        self.unchanged.clear()
        if not folders:
            return
        lesson = self.lesson(name)
        seeds = seeds_for(lesson, course_secret(self.root))
        limits = Limits.for_lesson(lesson.notebook.metadata)
        prints = LessonPrint(lesson, limits, seeds, bank(lesson), sandboxed=self._sandboxed)
        notes: dict[str, tuple[Note, ...]] = {}
        keys: dict[str, str] = {}
        ready: list[Result | Graded] = []
        find = find_parts if lesson.parts else find_submission
        coursedir = self._coursedir(name, "*")
        kit = str(assignment.write_kit(self.root, lesson, coursedir, self.config)) if lesson.parts else ""

        def jobs() -> Iterator[Job]:
            for student, folder in folders.items():
                try:
                    found = find(folder, lesson)
                except UnreadableSubmission as error:
                    ready.append(Result(student, error=str(error)))
                    continue
                notes[student], keys[student] = found.notes, prints.of(found.raw, found.notes)
                known = None if force else results.unchanged(self.root, name, student, keys[student])
                if known is not None:
                    self.unchanged.add(student)
                    ready.append(known)
                elif found.raw is None:
                    words = found.notes[0].message if found.notes else "Nothing was submitted."
                    ready.append(Result(student, error=words))
                else:
                    job = Job(student, found.raw, self.root, name, limits, seeds, self._sandboxed)
                    yield replace(job, kit=kit, parts=len(lesson.notebooks))

        def kept() -> Iterator[Graded]:
            while ready:
                result = ready.pop(0)
                if isinstance(result, Graded):
                    results.stamp(self.root, name, result.student, folders[result.student])
                    yield result
                    continue
                if result.error is None:
                    result = with_notes(result, notes.get(result.id, ()))
                where, key = folders[result.id], keys.get(result.id, "")
                yield results.store(self.root, result, lesson, sandboxed=self._sandboxed, submitted=where, key=key)

        patiently(lambda: record(lesson, self._coursedir(name, "*"), self.config))
        waiting = jobs()
        first = next(waiting, None)
        if first is not None:  # otherwise nothing must be run, and nothing imported for it
            with Pool(self._workers, sandboxed=self._sandboxed, root=self.root) as pool:
                for result in pool.run(itertools.chain([first], waiting)):
                    ready.append(result)
                    yield from kept()
        yield from kept()

    def grade(
        self, name: str, only: str | None = None, *, force: bool = False, waiting: Callable[[], None] = lambda: None
    ) -> Iterator[Graded]:
        """Run every submission of a lesson (or one student's) and write each into the gradebook as it is finished.

        What was interrupted goes on where it was; what is unchanged is neither run nor written again without `force`.

        Args:
            waiting: called once where another grader works on this course, which is waited for.
        """
        folders = self.submissions(name)
        if only is not None:
            folders = {student: folder for student, folder in folders.items() if student == only}
        if not folders:
            where = self.root / "submitted" / (only or "*") / name
            raise CourseError(
                f"Nothing to grade: no folder matches {where}. Submissions lie in submitted/STUDENT/{name}/."
            )
        with alone(self.root, waiting):
            for graded in self.run(name, folders, force=force):
                if graded.student in self.unchanged and patiently(partial(self._has, graded)):
                    yield graded
                else:
                    yield self._written(graded)

    def _has(self, graded: Graded) -> bool:
        """Whether the gradebook and `autograded` have this result; either may have been moved away since."""
        coursedir = self._coursedir(graded.lesson, graded.student)
        made = Path(coursedir.format_path(coursedir.autograded_directory, graded.student, graded.lesson))
        names = results.staged(self.root, graded.lesson, graded.student)
        if not results.is_written(self.root, graded) or not all((made / name).is_file() for name in names):
            return False
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook, contextlib.suppress(MissingEntry):
            gradebook.find_submission(graded.lesson, graded.student)
            return True
        return False

    def _written(self, graded: Graded) -> Graded:
        """Write one result into the gradebook; one that cannot be written is flagged, and the batch goes on."""
        try:
            patiently(partial(self._write, graded))
        except CourseError as error:
            return replace(graded, notes=(*graded.notes, Note("not in the gradebook", str(error), flag=True)))
        results.mark_written(self.root, graded)
        return graded

    def _write(self, graded: Graded) -> None:
        coursedir = self._coursedir(graded.lesson, glob.escape(graded.student))
        coursedir.submitted_directory = str(results.STAGED)
        config = with_one_room(self.config) if graded.warning else self.config
        converter = Autograde(coursedir=coursedir, config=config)
        converter.force = True
        log = StringIO()
        handler = logging.StreamHandler(log)
        converter.log.propagate = False
        converter.log.handlers = [handler]
        try:
            with redirect_stderr(StringIO()):
                converter.start()
        except Exception as error:
            raise CourseError(
                f"The result is kept, but nbgrader could not write it into the gradebook: {error}. "
                f"Grade again with --student {graded.student}. {_last_line(log.getvalue())}"
            ) from error

    def _coursedir(self, lesson: str, student: str) -> CourseDirectory:
        coursedir = CourseDirectory(config=self.config)
        coursedir.root = str(self.root)
        coursedir.assignment_id, coursedir.student_id = lesson, student
        return coursedir


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


def _last_line(log: str) -> str:
    """The line of a traceback that says what happened."""
    errors = [line for line in log.splitlines() if re.match(r"[\w.]+(Error|Warning|Exception)\b", line)]
    return errors[-1][:300] if errors else ""


def with_notes(result: Result, notes: tuple[Note, ...]) -> Result:
    return replace(result, notes=(*notes, *result.notes))


def load_config(root: Path) -> Config:
    """The course's `nbgrader_config.py`.

    Raises:
        CourseError: it is missing.
    """
    path = root / "nbgrader_config.py"
    if not path.is_file():
        raise CourseError(f"{path} does not exist. Run this command in the course folder, or name it with --root.")
    config: Config = PyFileConfigLoader(path.name, path=str(root)).load_config()
    return config
