"""What the gradebook holds for a submission; what becomes of a mark given by hand when the judge's score changes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from autograde.feedback import Mark
from autograde.gradebook.database import is_there
from autograde.lesson import TEST_PREFIX, Lesson
from autograde.oneroom.assignment import qualified
from autograde.verdict import Verdict


def score_of(verdict: Verdict) -> float | None:
    """What the gradebook gets from the judge; a broken test sets nothing."""
    return None if verdict.status == "broken test" else verdict.points


@dataclass(frozen=True)
class HandMark:
    """A mark beside the judge's: `given` by a person, or None; `judged` is the judge's; `waits` for a look."""

    given: float | None
    judged: float | None
    waits: bool

    @classmethod
    def of(cls, grade: Any) -> HandMark:
        return cls(grade.manual_score, grade.auto_score, bool(grade.needs_manual_grade))

    @property
    def seen(self) -> bool:
        """Whether a person gave it, and nothing has changed since."""
        return self.given is not None and not self.waits

    def asks_again(self, score: float | None) -> bool:
        """Whether a person should look at the mark they gave when the judge says `score` now. It stays in any case,
        and nobody but a person takes back that it waits: who is stopped while writing writes again."""
        return self.given is not None and (self.waits or self.judged != score)


def given_by_hand(coursedir: CourseDirectory, lesson: Lesson) -> dict[str, dict[str, HandMark]]:
    """All marks that people gave in a lesson: student -> grade_id -> mark. Only reads, and makes no gradebook."""
    found: dict[str, dict[str, HandMark]] = {}
    if not is_there(coursedir):
        return found
    several = len(lesson.notebooks) > 1
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        for part in lesson.notebooks:
            with suppress(MissingEntry):
                for submission in gradebook.notebook_submissions(part.name, lesson.name):
                    for grade in submission.grades:
                        if grade.manual_score is not None:
                            marks = found.setdefault(submission.student.id, {})
                            marks[qualified(part.name, grade.name, several)] = HandMark.of(grade)
    return found


def written_answers(path: Path) -> dict[str, str]:
    """The answers in a graded notebook that a person marks, by grade_id; none where it cannot be read."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, ValueError):
        return {}
    written = (cell for cell in notebook.cells if utils.is_grade(cell) and utils.is_solution(cell))
    return {cell.metadata.nbgrader["grade_id"]: cell.source for cell in written}


def marks_of(resources: Any) -> dict[str, Mark]:
    """What the gradebook holds for a submission: points, those given by hand, comments; by grade_id."""
    where = resources.get("nbgrader")
    if not where:
        return {}
    with Gradebook(where["db_url"]) as gradebook:
        try:
            submission = gradebook.find_submission_notebook(where["notebook"], where["assignment"], where["student"])
        except MissingEntry:
            return {}
        comments = {comment.name: comment.manual_comment or "" for comment in submission.comments}
        return {grade.name: _mark(grade, comments) for grade in submission.grades}


def _mark(grade: Any, comments: Mapping[str, str]) -> Mark:
    """A grade with its comment. nbgrader keeps comments with what was answered, not with the test of it."""
    comment = comments.get(grade.name) or comments.get(grade.name.removeprefix(TEST_PREFIX), "")
    by_hand = grade.manual_score is not None
    score = grade.manual_score if by_hand else grade.auto_score
    return Mark(None if grade.needs_manual_grade else score, grade.max_score, comment, by_hand)
