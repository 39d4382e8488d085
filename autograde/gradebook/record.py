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
        _forget_removed(lesson, gradebook)
    # The parts of an assignment went through the course's own steps when they were loaded.
    steps = [SaveCells] if lesson.parts else [LockCells, ClearSolutions, ClearOutput, ComputeChecksums, SaveCells]
    try:
        for part in lesson.notebooks:
            resources = {"nbgrader": {"notebook": part.name, "assignment": lesson.name, "db_url": coursedir.db_url}}
            notebook = copy.deepcopy(part.notebook)
            for step in steps:
                notebook, resources = step(config=config).preprocess(notebook, resources)
    except RuntimeError as error:
        raise CourseError(
            f"{lesson.name}: graded cells were added or removed after submissions were graded, and nbgrader refuses "
            f"that ({error}). Put the cells back, or start a new gradebook: move gradebook.db away and grade again."
        ) from error


def _forget_removed(lesson: Lesson, gradebook: Gradebook) -> None:
    """Take out notebooks that the lesson no longer has, as `nbgrader generate_assignment` does, while nobody has
    handed in."""
    assignment = gradebook.find_assignment(lesson.name)
    if not assignment.submissions:
        for name in {notebook.name for notebook in assignment.notebooks} - {part.name for part in lesson.notebooks}:
            gradebook.remove_notebook(name, lesson.name)
