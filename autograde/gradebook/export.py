"""`nbgrader export`: the gradebook as a table for a spreadsheet, which must not run what a student is called.

nbgrader's own puts names into the lines as they are: a comma shifts all columns behind it, and a spreadsheet computes
`=1+1`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograde import files

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
#: What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class CsvExport(ExportPlugin):
    """nbgrader's table, with the same columns and options, quoted."""

    def export(self, gradebook: Gradebook) -> None:
        """Write one row for each assignment and student; zero where nothing was handed in, then without a time.

        Raises:
            DiskFull: there is no room for the table; the last one is there still.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self._rows(gradebook):
            writer.writerow([inert(row[name]) for name in COLUMNS])
        where = Path(self.to or "grades.csv")
        files.write(where, text.getvalue())
        self.log.info("Grades exported to %s", where)

    def _rows(self, gradebook: Gradebook) -> Iterator[dict[str, Any]]:
        students, assignments = set(map(str, self.student)), set(map(str, self.assignment))
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                if (students and student.id not in students) or (assignments and assignment.name not in assignments):
                    continue
                row = {"assignment": assignment.name, "duedate": assignment.duedate, "student_id": student.id}
                row |= {name: getattr(student, name) for name in ("last_name", "first_name", "email")}
                yield {**row, "max_score": assignment.max_score, **_score(gradebook, assignment.name, student.id)}


def _score(gradebook: Gradebook, assignment: str, student: str) -> dict[str, Any]:
    try:
        handed_in = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return {"timestamp": None, "raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0}
    penalty = handed_in.late_submission_penalty or 0.0
    scores = {"raw_score": handed_in.score, "late_submission_penalty": penalty}
    return {"timestamp": handed_in.timestamp, **scores, "score": max(0.0, handed_in.score - penalty)}


def inert(value: Any) -> str:
    """A value as a spreadsheet shows it and never computes it: a text that looks like a formula gets an apostrophe."""
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.lstrip(" ").startswith(FORMULA) else text
