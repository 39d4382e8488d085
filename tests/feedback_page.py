"""What tests of the pages share: verdicts and notebooks as the grader makes them."""

from __future__ import annotations

from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograde.gradebook.results import Graded
from autograde.repair import Note
from autograde.verdict import Status, Verdict

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def verdict(exercise: str, status: Status, points: float = 0.0, message: str = "", **more: Any) -> Verdict:
    """A verdict on an exercise of 4 points."""
    return Verdict(f"test_{exercise}", exercise, status, points, 4.0, message, **more)


def graded(*verdicts: Verdict, student: str = "ada", error: str | None = None, notes: tuple[Note, ...] = ()) -> Graded:
    return Graded(student, "03_qkv", verdicts, notes, error, True, 2.0)


def answer(name: str, source: str, outputs: Any = (), **metadata: Any) -> Any:
    """The solution cell of an exercise, as it ran."""
    marks = {"grade_id": name, "solution": True, "grade": False}
    return new_code_cell(source, outputs=list(outputs), metadata={"nbgrader": marks, **metadata})


def cell_of_test(name: str, source: str, outputs: Any = ()) -> Any:
    """A test cell as nbgrader keeps it in a graded notebook: with its hidden tests."""
    marks = {"grade_id": f"test_{name}", "solution": False, "grade": True}
    return new_code_cell(source, outputs=list(outputs), metadata={"nbgrader": marks, "after_hidden": True})


def notebook(*cells: Any) -> Any:
    return new_notebook(cells=[new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells])
