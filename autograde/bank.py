"""The bank: what students might write into one solution cell, right or wrong; a wrong answer carries its hint."""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import CourseError
from autograde.lesson import Lesson

ANSWERS = Path(__file__).parent / "answers"


@dataclass(frozen=True)
class Answer:
    """One file of the bank. `right` answers must keep all points, wrong ones none."""

    lesson: str
    exercise: str
    right: bool
    name: str
    source: str

    @property
    def id(self) -> str:
        return f"{self.exercise}/{'right' if self.right else 'wrong'}/{self.name}"

    @functools.cached_property
    def hint(self) -> str:
        """What a teacher would say: the first paragraph of the docstring, on one line."""
        said = ast.get_docstring(ast.parse(self.source)) or ""
        return " ".join(inspect.cleandoc(said).partition("\n\n")[0].split())


def bank(lesson: Lesson, exercise: str | None = None) -> list[Answer]:
    """The answers for a lesson (or one exercise of it), from `answers/LESSON/EXERCISE/{right,wrong}/*.py`, or from the
    folder that the lesson names in the place of `answers/LESSON`.

    Raises:
        CourseError: an answer for an exercise that the lesson does not have.
    """
    if lesson.parts:
        return []  # an assignment of another course may have the name of one of our lessons
    exercises = {test.exercise for test in lesson.tests}
    answers = []
    for path in sorted((lesson.answers or ANSWERS / lesson.name).glob("*/*/*.py")):
        name, kind = path.parts[-3:-1]
        if name not in exercises or kind not in ("right", "wrong"):
            raise CourseError(
                f"{path}: answers lie in EXERCISE/right or EXERCISE/wrong; exercises are {sorted(map(str, exercises))}."
            )
        if exercise in (None, name):
            answers.append(Answer(lesson.name, name, kind == "right", path.stem, path.read_text()))
    return answers
