"""Grades a class again aside, to show what that changes before anything is written; then lets it be written.

What is found lies in `.autograde/regrade` until it is applied: nothing is run twice, and who is stopped goes on.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

from autograde.errors import CourseError
from autograde.gradebook import results
from autograde.gradebook.database import patiently
from autograde.gradebook.differences import Comparison, compare
from autograde.gradebook.grade import Course
from autograde.gradebook.marks import given_by_hand
from autograde.gradebook.record import refusal
from autograde.gradebook.results import ASIDE, HOME, Graded
from autograde.gradebook.running import run_class


class Regrade:
    """A regrade of the submissions of a lesson (or one student's) that have a result. Use it where you are `alone`.

    `never` names those who have none, `damaged` those whose result cannot be read, `refused` those who could not be
    run, each with the reason. `idle` names those that were not run now: their result fits, or was found before.

    Raises:
        CourseError: there is no submission.
    """

    def __init__(self, course: Course, name: str, only: str | None = None, *, force: bool = False) -> None:
        self._course, self._name, self._force = course, name, force
        folders = course.chosen(name, only)
        graded = {
            student
            for student in folders  # one who was stopped while applying may have left a result aside only
            if any(results.record_path(course.root, name, student, home=home).is_file() for home in (HOME, ASIDE))
        }
        self.never = sorted(folders.keys() - graded)
        self._folders = {student: folder for student, folder in folders.items() if student in graded}
        self._before = {student: results.readable(course.root, name, student) for student in self._folders}
        self.damaged = sorted(student for student, record in self._before.items() if record is None)
        self.refused: dict[str, str] = {}
        self.idle: set[str] = set()
        self._fits: set[str] = set()
        self._after: dict[str, Graded] = {}

    @property
    def total(self) -> int:
        return len(self._folders)

    @property
    def warning(self) -> str:
        """What must be said beside every score."""
        return self._course.lesson(self._name).warning

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return any(student not in self._fits and student not in self.refused for student in self._after)

    @property
    def refusal(self) -> str:
        """Why nbgrader will not let this be written; empty if it will."""
        course = self._course
        return patiently(lambda: refusal(course.lesson(self._name), course.coursedir(self._name, "*")))

    def run(self) -> Iterator[Graded]:
        """Run what does not fit any more. Gradebook, staged notebooks and kept results stay as they are."""
        course = self._course

        def known(student: str, key: str) -> Graded | None:
            found = results.unchanged(course.root, self._name, student, key, home=ASIDE)
            if found is None and not self._force:
                found = results.unchanged(course.root, self._name, student, key)
                self._fits |= {student} if found else set()
            self.idle |= {student} if found else set()
            return found

        if not self._folders:
            return
        lesson, sandboxed = course.lesson(self._name), course.sandboxed
        kit = course.kit(lesson)
        for graded in run_class(
            course.root, lesson, self._folders, known, course.runner, sandboxed=sandboxed, home=ASIDE, kit=kit
        ):
            before = self._before[graded.student]
            if graded.refused:
                self.refused[graded.student] = str(graded.error)
            elif before is not None and before == replace(graded, seconds=before.seconds):
                self._fits.add(graded.student)
            self._after[graded.student] = graded
            yield graded

    def comparisons(self) -> list[Comparison]:
        """What it changes, by student; those that could not be run, or have nothing to compare with, are left out."""
        course, lesson = self._course, self._course.lesson(self._name)
        marks = patiently(lambda: given_by_hand(course.coursedir(self._name, "*"), lesson))
        return [
            compare(before, self._after[student], marks.get(student))
            for student, before in sorted(self._before.items())
            if before is not None and student in self._after and student not in self.refused
        ]

    def apply(self) -> Iterator[Graded]:
        """Write what was found into results, gradebook and graded notebooks. Stopped, the same again goes on.

        Raises:
            CourseError: cells were added or removed, which nbgrader refuses. Nothing is written then.
        """
        course, name = self._course, self._name
        if words := self.refusal:
            raise CourseError(words)
        folders = {student: folder for student, folder in self._folders.items() if student not in self.refused}

        def known(student: str, key: str) -> Graded | None:
            if (found := course.taken(name, student, key, folders[student])) is not None:
                return found
            if (fits := results.unchanged(course.root, name, student, key)) is not None:
                course.unchanged.add(student)
            return fits

        yield from course.written(course.run_known(name, folders, known))
        for student in self._folders:
            shutil.rmtree(results.record_path(course.root, name, student, home=ASIDE).parent, ignore_errors=True)
            shutil.rmtree(results.staged_folder(course.root, name, student, home=ASIDE), ignore_errors=True)
        aside = course.root / ASIDE
        if not any(path.is_file() for path in aside.rglob("*")):
            shutil.rmtree(aside, ignore_errors=True)
