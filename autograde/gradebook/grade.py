"""Grades a class: finds what was handed in, runs it in the pool, writes each result into nbgrader's gradebook."""

from __future__ import annotations

import glob
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograde.errors import CourseError, UnreadableSubmission
from autograde.gradebook import results
from autograde.gradebook.record import record
from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.repair import Note, find_submission
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for


class Course:
    """A course folder: `source`, `release`, `submitted`, and nbgrader's gradebook and outputs beside them."""

    def __init__(
        self, root: Path, *, config: Config | None = None, workers: int | None = None, sandboxed: bool = True
    ) -> None:
        self.root = root.resolve()
        self.config = config or load_config(self.root)
        self._workers, self._sandboxed = workers, sandboxed

    def lesson(self, name: str) -> Lesson:
        return Lesson.load(self.root, name)

    def submissions(self, lesson: str) -> dict[str, Path]:
        """Who handed in (or opened a folder for) this lesson: student -> folder."""
        submitted = self.root / CourseDirectory(config=self.config).submitted_directory
        folders = sorted(submitted.glob(f"*/{glob.escape(lesson)}")) if submitted.is_dir() else []
        return {folder.parent.name: folder for folder in folders if not folder.parent.name.startswith(".")}

    def run(self, name: str, folders: Mapping[str, Path]) -> Iterator[Graded]:
        """Run submissions in the two rooms and keep the results; no gradebook is touched but to record the lesson.

        Raises:
            CourseError: there is no such lesson, or this machine cannot isolate student code.
        """
        if not folders:
            return
        lesson = self.lesson(name)
        seeds = seeds_for(lesson, course_secret(self.root))
        limits = Limits.for_lesson(lesson.notebook.metadata)
        notes: dict[str, tuple[Note, ...]] = {}
        ready: list[Result] = []

        def jobs() -> Iterator[Job]:
            for student, folder in folders.items():
                try:
                    found = find_submission(folder, lesson)
                    notes[student] = found.notes
                    if found.raw is None:
                        raise UnreadableSubmission(found.notes[0].message if found.notes else "Nothing was submitted.")
                except UnreadableSubmission as error:
                    ready.append(Result(student, error=str(error)))
                    continue
                yield Job(student, found.raw, self.root, name, limits, seeds, self._sandboxed)

        with Pool(self._workers, sandboxed=self._sandboxed, root=self.root) as pool:
            record(lesson, self._coursedir(name, "*"), self.config)
            for result in pool.run(jobs()):
                yield from self._kept([*ready, result], lesson, folders, notes)
                ready.clear()
            yield from self._kept(ready, lesson, folders, notes)

    def _kept(
        self, finished: list[Result], lesson: Lesson, folders: Mapping[str, Path], notes: Mapping[str, tuple[Note, ...]]
    ) -> Iterator[Graded]:
        for result in finished:
            if result.error is None:
                result = with_notes(result, notes.get(result.id, ()))
            yield results.store(self.root, result, lesson, sandboxed=self._sandboxed, submitted=folders[result.id])

    def grade(self, name: str, only: str | None = None) -> Iterator[Graded]:
        """Run every submission of a lesson (or one student's) and write each into the gradebook as it is finished."""
        folders = self.submissions(name)
        if only is not None:
            folders = {student: folder for student, folder in folders.items() if student == only}
        if not folders:
            where = self.root / "submitted" / (only or "*") / name
            raise CourseError(
                f"Nothing to grade: no folder matches {where}. Submissions lie in submitted/STUDENT/{name}/."
            )
        for graded in self.run(name, folders):
            yield self._written(graded)

    def _written(self, graded: Graded) -> Graded:
        """Write one result into the gradebook; one that cannot be written is flagged, and the batch goes on."""
        try:
            self._write(graded)
        except CourseError as error:
            return replace(graded, notes=(*graded.notes, Note("not in the gradebook", str(error), flag=True)))
        return graded

    def _write(self, graded: Graded) -> None:
        coursedir = self._coursedir(graded.lesson, glob.escape(graded.student))
        coursedir.submitted_directory = str(results.STAGED)
        converter = Autograde(coursedir=coursedir, config=self.config)
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
