"""What `nbgrader_config.py` plugs into nbgrader: our repair and rooms in `autograde`, our pages in `generate_feedback`.

`autograde grade`, `nbgrader autograde` and the formgrader's button all come through here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import is_task

from autograde.alone import alone
from autograde.errors import CourseError
from autograde.feedback import Mark, page
from autograde.gradebook import results
from autograde.gradebook.results import Graded
from autograde.lesson import TEST_PREFIX
from autograde.verdict import Verdict


class SubmissionExporter(NotebookExporter):
    """The exporter of `nbgrader autograde`. Its construction is the moment between "nbgrader has found folders" and
    "nbgrader copies files": here every submission is read safely, repaired and run, and nbgrader is sent to the clean
    folders that come of it. It never sees a file that a student made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        converter = self.parent
        staged = str(results.STAGED)
        if (
            converter is None
            or not hasattr(converter, "coursedir")
            or converter.coursedir.submitted_directory == staged
        ):
            return
        from autograde.gradebook.grade import Course

        course = Course(Path(converter.coursedir.root), config=converter.config)
        lesson = converter.coursedir.assignment_id
        folders = course.submissions(lesson)
        if converter.coursedir.student_id != "*":
            folders = {name: path for name, path in folders.items() if name == converter.coursedir.student_id}
        stale = {name: path for name, path in folders.items() if self._wanted(converter, lesson, name)}
        with alone(course.root):
            for _ in course.run(lesson, stale, force=converter.force):
                pass
        # A copy: the formgrader lists what is handed in, and grades again, with the same object.
        converter.coursedir = copied(converter.coursedir)
        converter.coursedir.submitted_directory = staged
        converter.init_notebooks()

    def _wanted(self, converter: Any, lesson: str, student: str) -> bool:
        """nbgrader's own rule: what is graded stays, unless forced or handed in again."""
        source, target = converter._format_source(lesson, student), converter._format_dest(lesson, student)
        if converter.force or not os.path.exists(target):
            return True
        new, old = (converter.coursedir.get_existing_timestamp(path) for path in (source, target))
        return new is not None and old is not None and new > old


def copied(coursedir: CourseDirectory) -> CourseDirectory:
    """Another course directory with the same settings."""
    return CourseDirectory(parent=coursedir.parent, **coursedir.trait_values(config=True))


def in_notebook(graded: Graded, notebook: str) -> Graded:
    """What a result says of one notebook of an assignment, by that notebook's own grade ids."""
    start = f"{notebook}/"
    if not any("/" in verdict.grade_id for verdict in graded.verdicts):
        return graded
    mine = [verdict for verdict in graded.verdicts if verdict.grade_id.startswith(start)]
    return replace(graded, verdicts=tuple(replace(each, grade_id=each.grade_id.removeprefix(start)) for each in mine))


class RunInRooms(NbGraderPreprocessor):
    """Takes nbgrader's Execute's place: puts in what the two rooms gave."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        student, lesson = resources["nbgrader"]["student"], resources["nbgrader"]["assignment"]
        root = self._root(resources)
        record = results.load(root, lesson, student)
        if record is None:
            raise CourseError(f"{student}: there is no result for {lesson}. Run `autograde grade {lesson}`.")
        name = resources["nbgrader"]["notebook"]
        executed = results.staged_notebook(root, lesson, student, name)
        for cell, ran in zip(nb.cells, executed.cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
                if "after_hidden" in ran.metadata:
                    cell.metadata["after_hidden"] = True
        nb.metadata["course"] = executed.metadata["course"]
        verdicts = {verdict.grade_id: verdict for verdict in in_notebook(record, name).verdicts}
        # What failed through us has no key; everything else without a run is nothing that could be read.
        resources["course"] = {"verdicts": verdicts, "nothing": record.error is not None and record.key != ""}
        return nb, resources

    def _root(self, resources: Any) -> Path:
        # nbgrader changes into the course folder while it converts.
        return Path.cwd()


class SaveVerdicts(SaveAutoGrades):
    """Stores the judge's points. A broken test has no score and asks for a manual one; manual marks stay."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        self._verdicts: dict[str, Verdict] = resources["course"]["verdicts"]
        self._nothing: bool = resources["course"]["nothing"]
        return super().preprocess(nb, resources)

    def _add_comment(self, cell: Any, resources: Any) -> None:
        super()._add_comment(cell, resources)
        if self._nothing and is_task(cell):  # nobody need look for what was not handed in
            where = (self.notebook_id, self.assignment_id, self.student_id)
            grade = self.gradebook.find_grade(cell.metadata["nbgrader"]["grade_id"], *where)
            grade.auto_score, grade.needs_manual_grade = 0, False
            self.gradebook.db.commit()

    def _add_score(self, cell: Any, resources: Any) -> None:
        verdict = self._verdicts.get(cell.metadata["nbgrader"]["grade_id"])
        if verdict is None:  # a written answer: nbgrader's rule (0 when untouched, else by hand)
            super()._add_score(cell, resources)
            return
        grade = self.gradebook.find_grade(verdict.grade_id, self.notebook_id, self.assignment_id, self.student_id)
        before = grade.auto_score
        grade.auto_score = None if verdict.status == "broken test" else verdict.points
        changed = before is not None and before != grade.auto_score
        by_hand = grade.manual_score is not None
        grade.needs_manual_grade = grade.auto_score is None or (by_hand and changed)
        self.gradebook.db.commit()


class FeedbackExporter(NotebookExporter):
    """The exporter of `nbgrader generate_feedback`: a page for the student, without hidden code, inputs or values."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **_: Any) -> tuple[str, Any]:
        resources = {**(resources or {}), "output_extension": ".html"}
        data = nb.metadata.get("course", {}).get("result")
        if data is None:
            raise CourseError("This notebook was graded by something else. Run `autograde grade` on it first.")
        graded = in_notebook(results.Graded.from_dict(data), resources.get("unique_key", ""))
        return page(graded, marks_of(resources), nb), resources


def marks_of(resources: Any) -> dict[str, Mark]:
    """What the gradebook holds for a submission: points, those given by hand, comments; by grade_id."""
    from nbgrader.api import Gradebook, MissingEntry

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
