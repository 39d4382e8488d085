"""Writes a lesson (its cells and points) into nbgrader's gradebook, so that grades have something to belong to."""

from __future__ import annotations

import copy

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearOutput, ClearSolutions, ComputeChecksums, LockCells, SaveCells
from traitlets.config import Config

from autograde.errors import CourseError
from autograde.lesson import Lesson


def record(lesson: Lesson, coursedir: CourseDirectory, config: Config) -> None:
    """Create or update the lesson in the gradebook of `coursedir`. Grades and submissions stay as they are.

    Raises:
        CourseError: cells were added or removed although submissions are graded already, which nbgrader cannot do.
    """
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            gradebook.find_assignment(lesson.name)
        except MissingEntry:
            gradebook.add_assignment(lesson.name)
    resources = {"nbgrader": {"notebook": lesson.name, "assignment": lesson.name, "db_url": coursedir.db_url}}
    notebook = copy.deepcopy(lesson.notebook)
    try:
        for step in (LockCells, ClearSolutions, ClearOutput, ComputeChecksums, SaveCells):
            notebook, resources = step(config=config).preprocess(notebook, resources)
    except RuntimeError as error:
        raise CourseError(
            f"{lesson.name}: graded cells were added or removed after submissions were graded, and nbgrader refuses "
            f"that ({error}). Put the cells back, or start a new gradebook: move gradebook.db away and grade again."
        ) from error
