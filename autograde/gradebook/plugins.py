"""What `nbgrader_config.py` plugs into nbgrader: our repair and rooms in `autograde`, our pages in `generate_feedback`.

`autograde grade`, `nbgrader autograde` and the formgrader's button all come through here.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from nbgrader.utils import is_task

from autograde.alone import alone
from autograde.errors import CourseError
from autograde.feedback import page
from autograde.gradebook import results
from autograde.gradebook.marks import HandMark, marks_of, score_of, written_answers
from autograde.gradebook.notebooks import in_notebook
from autograde.verdict import Verdict


class SubmissionExporter(NotebookExporter):
    """The exporter of `nbgrader autograde`. Its construction is the moment between "nbgrader has found folders" and
    "nbgrader copies files": here every submission is read safely, repaired and run, and nbgrader is sent to the clean
    folders that come of it. It never sees a file that a student made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        converter = self.parent
        staged = str(results.HOME / results.STAGED)
        if converter is None or not hasattr(converter, "coursedir"):
            return
        #: What was written when this was graded last, by student and notebook; nbgrader deletes it before it converts.
        self.answers = {(path.parts[-3], path.stem): written_answers(path) for path in _graded_before(converter)}
        if converter.coursedir.submitted_directory == staged:
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


def _graded_before(converter: Any) -> list[Path]:
    """The graded notebooks that a conversion is about to replace."""
    lesson = converter.coursedir.assignment_id
    folders = glob.glob(converter._format_dest(lesson, converter.coursedir.student_id))
    return [path for folder in folders for path in Path(folder).glob("*.ipynb") if path.is_file()]


def copied(coursedir: CourseDirectory) -> CourseDirectory:
    """Another course directory with the same settings."""
    return CourseDirectory(parent=coursedir.parent, **coursedir.trait_values(config=True))


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
        answers: dict[tuple[str, str], dict[str, str]] = getattr(self.parent, "answers", {})
        self._before = answers.get((resources["nbgrader"]["student"], resources["nbgrader"]["notebook"]), {})
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
        name = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        if verdict is None:  # a written answer: nbgrader's rule (0 when untouched, else by hand)
            seen = HandMark.of(grade).seen and self._before.get(name) == cell.source
            super()._add_score(cell, resources)
            grade.needs_manual_grade &= not seen  # a person has read this very answer
            self.gradebook.db.commit()
            return
        score = score_of(verdict)
        grade.needs_manual_grade = score is None or HandMark.of(grade).asks_again(score)
        grade.auto_score = score
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
