"""Grades a class: finds what was handed in, lets it be run, writes each result into nbgrader's gradebook."""

from __future__ import annotations

import contextlib
import gc
import glob
import itertools
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, redirect_stderr
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path

from nbgrader.api import MissingEntry
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograde import files
from autograde.alone import alone
from autograde.cluster.runner import runner_of
from autograde.cluster.scheduler import Scheduler
from autograde.errors import CourseError, DiskFull
from autograde.gradebook import database, results
from autograde.gradebook.config import load_config
from autograde.gradebook.database import patiently
from autograde.gradebook.record import record
from autograde.gradebook.results import ASIDE, Graded
from autograde.gradebook.running import Known, run_class
from autograde.gradebook.times import read_as_a_students
from autograde.gradebook.transaction import OpenGradebook
from autograde.lesson import Lesson
from autograde.oneroom import assignment
from autograde.oneroom.config import with_one_room
from autograde.repair import Note
from autograde.run.pool import Runner

read_as_a_students()


class Course:
    """A course folder: `source`, `release`, `submitted`, and nbgrader's gradebook and outputs beside them.

    `unchanged` names those whose result was kept and fits in the last run.
    """

    def __init__(
        self,
        root: Path,
        *,
        config: Config | None = None,
        workers: int | None = None,
        sandboxed: bool = True,
        scheduler: Scheduler | None = None,
    ) -> None:
        self.root = root.resolve()
        self.config = config or load_config(self.root)
        self.workers, self.sandboxed, self.scheduler = workers, sandboxed, scheduler
        self.unchanged: set[str] = set()

    def lesson(self, name: str) -> Lesson:
        """A lesson of ours, or any other assignment, which then has one room only (`lesson.parts`)."""
        coursedir = self.coursedir(name, "*")
        if assignment.is_one_room(self.root, coursedir, name):
            return assignment.load(name, coursedir, self.config)
        return Lesson.load(self.root, name)

    def submissions(self, lesson: str) -> dict[str, Path]:
        """Who handed in (or opened a folder for) this lesson: student -> folder."""
        submitted = self.root / CourseDirectory(config=self.config).submitted_directory
        folders = sorted(submitted.glob(f"*/{glob.escape(lesson)}")) if submitted.is_dir() else []
        return {folder.parent.name: folder for folder in folders if not folder.parent.name.startswith(".")}

    def chosen(self, lesson: str, only: str | None) -> dict[str, Path]:
        """Every submission of a lesson, or one student's.

        Raises:
            CourseError: there is none.
        """
        folders = {name: path for name, path in self.submissions(lesson).items() if only in (None, name)}
        if not folders:
            where = self.root / "submitted" / (only or "*") / lesson
            raise CourseError(
                f"Nothing to grade: no folder matches {where}. Submissions lie in submitted/STUDENT/{lesson}/."
            )
        return folders

    def run(self, name: str, folders: Mapping[str, Path], *, force: bool = False) -> Iterator[Graded]:
        """Run submissions in the two rooms and keep the results; no gradebook is touched but to record the lesson.

        A submission whose result is kept and depends on nothing that has changed since is not run again; `unchanged`
        names these. Neither is one that `autograde regrade` has run already.

        Args:
            force: run these, too.

        Raises:
            CourseError: there is no such lesson, or this machine cannot isolate student code.
        """

        def known(student: str, key: str) -> Graded | None:
            if force:
                return None
            if (fits := results.unchanged(self.root, name, student, key)) is not None:
                self.unchanged.add(student)
                results.stamp(self.root, name, student, folders[student])
                return fits
            return self.taken(name, student, key, folders[student])

        yield from self.run_known(name, folders, known)

    def run_known(self, name: str, folders: Mapping[str, Path], known: Known) -> Iterator[Graded]:
        """Record the lesson in the gradebook, then run what is not `known`."""
        self.unchanged.clear()
        if not folders:
            return
        lesson, coursedir = self.lesson(name), self.coursedir(name, "*")
        kit = self.kit(lesson)

        def meanwhile() -> None:
            patiently(lambda: database.make(coursedir))
            self._with_room(lambda: record(lesson, coursedir, self.config))

        yield from run_class(
            self.root, lesson, folders, known, self.runner, sandboxed=self.sandboxed, kit=kit, meanwhile=meanwhile
        )

    def kit(self, lesson: Lesson) -> str:
        """What jobs with one room read, made anew; see `assignment.kit`."""
        coursedir, cluster = self.coursedir(lesson.name, "*"), self.scheduler is not None
        return assignment.kit(self.root, lesson, coursedir, self.config, cluster=cluster)

    def runner(self) -> AbstractContextManager[Runner]:
        """What runs submissions: this machine, or a cluster."""
        return runner_of(self.scheduler, self.workers, sandboxed=self.sandboxed, root=self.root)

    def taken(self, name: str, student: str, key: str, submitted: Path) -> Graded | None:
        """What a regrade found with this fingerprint, if it was run: from now on it is the result that is kept."""
        found = results.unchanged(self.root, name, student, key, home=ASIDE)
        if found is not None:
            results.move(self.root, found, submitted, ASIDE)
        return found

    def grade(
        self, name: str, only: str | None = None, *, force: bool = False, waiting: Callable[[], None] = lambda: None
    ) -> Iterator[Graded]:
        """Run every submission of a lesson (or one student's) and write each into the gradebook as it is finished.

        What was interrupted goes on where it was; what is unchanged is neither run nor written again without `force`.

        Args:
            waiting: called once where another grader works on this course, which is waited for.

        Raises:
            DiskFull: a result or the gradebook could not be written. Those before it are, and nothing is lost.
        """
        folders = self.chosen(name, only)
        with alone(self.root, waiting):
            yield from self.written(self.run(name, folders, force=force))

    def written(self, rows: Iterator[Graded]) -> Iterator[Graded]:
        """Let the gradebook have these results; yields each when it does."""
        first = next(rows, None)  # which has made the gradebook where there was none
        if first is None:
            return
        where = self.coursedir("", "")
        gc.freeze()  # else each submission pays for a search through all that was imported
        with patiently(lambda: OpenGradebook(where.db_url, where.course_id)) as book:
            for graded in itertools.chain([first], rows):
                if graded.student in self.unchanged and patiently(partial(self._has, book, graded)):
                    yield graded
                else:
                    yield self._written(book, graded)

    def _has(self, book: OpenGradebook, graded: Graded) -> bool:
        """Whether the gradebook and `autograded` have this result; either may have been moved away since."""
        coursedir = self.coursedir(graded.lesson, graded.student)
        made = Path(coursedir.format_path(coursedir.autograded_directory, graded.student, graded.lesson))
        names = results.staged(self.root, graded.lesson, graded.student)
        if not results.is_written(self.root, graded) or not all((made / name).is_file() for name in names):
            return False
        with contextlib.suppress(MissingEntry), book.transaction() as gradebook:
            gradebook.find_submission(graded.lesson, graded.student)
            return True
        return False

    def _written(self, book: OpenGradebook, graded: Graded) -> Graded:
        """Write one result into the gradebook; one that cannot be written is flagged, and the batch goes on.

        Raises:
            DiskFull: there is no room; none of those that follow could be written either.
        """
        try:
            patiently(partial(self._write, book, graded))
        except DiskFull:
            raise
        except CourseError as error:
            return replace(graded, notes=(*graded.notes, Note("not in the gradebook", str(error), flag=True)))
        results.mark_written(self.root, graded)
        return graded

    def _write(self, book: OpenGradebook, graded: Graded) -> None:
        coursedir = self.coursedir(graded.lesson, glob.escape(graded.student))
        coursedir.submitted_directory = str(results.HOME / results.STAGED)
        config = with_one_room(self.config) if graded.warning else self.config
        converter = Autograde(coursedir=coursedir, config=config)
        converter.force = True
        log = StringIO()
        handler = logging.StreamHandler(log)
        converter.log.propagate = False
        converter.log.handlers = [handler]
        try:
            with redirect_stderr(StringIO()), book.transaction():
                converter.start()
        except Exception as error:
            gradebook = database.file_of(coursedir) or self.root
            said = _errors(log.getvalue())
            if database.tells_of_a_full_disk("\n".join([str(error), *said]), gradebook):
                raise files.full(f"{graded.student}'s result in {gradebook}") from error
            raise CourseError(
                f"The result is kept, but nbgrader could not write it into the gradebook: {error}. "
                f"Grade again with --student {graded.student}. {said[-1][:300] if said else ''}"
            ) from error

    def _with_room(self, work: Callable[[], None]) -> None:
        place = database.file_of(self.coursedir("", "")) or self.root
        patiently(lambda: database.with_room(place, work))

    def coursedir(self, lesson: str, student: str) -> CourseDirectory:
        """nbgrader's view of this course, for one lesson and one student (or a pattern)."""
        coursedir = CourseDirectory(config=self.config)
        coursedir.root = str(self.root)
        coursedir.assignment_id, coursedir.student_id = lesson, student
        return coursedir


def _errors(log: str) -> list[str]:
    """The lines of tracebacks that say what happened."""
    return [line for line in log.splitlines() if re.match(r"[\w.]+(Error|Warning|Exception)\b", line)]
