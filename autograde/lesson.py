"""A lesson as the grader sees it: the cells of the instructor's notebook, each with its kind, and the exercises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat

from autograde.errors import CourseError

Kind = Literal["setup", "solution", "test", "written", "free", "prose"]

#: The cell ids of an exercise: `attention` is solved by the student, `test_attention` tests it.
TEST_PREFIX = "test_"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
#: Said wherever scores of an assignment with one room are shown.
ONE_ROOM = "one room: student code can influence these tests"


@dataclass(frozen=True)
class Cell:
    """One cell of the instructor's notebook.

    `kind` says in which room the cell runs: `setup` in both (marked `room="both"`), `solution` and `free` in the
    sandbox only, `test` in the judge only; `written` is a manually graded answer and `prose` is markdown: neither runs.
    `uses` of a test cell names the exercises on which its own one builds directly.
    """

    index: int
    kind: Kind
    grade_id: str | None
    source: str
    points: float = 0.0
    uses: tuple[str, ...] = ()

    @property
    def exercise(self) -> str | None:
        """The exercise a solution or test cell belongs to."""
        if self.grade_id is None or self.kind not in ("solution", "test"):
            return None
        return self.grade_id.removeprefix(TEST_PREFIX) if self.kind == "test" else self.grade_id


@dataclass(frozen=True)
class Lesson:
    """The instructor's version of one lesson and what was released of it.

    `answers` is the folder of its bank where that is not this installation's; see `autograde.bank`.
    `parts` are the notebooks of an assignment that is not one of ours (`autograde.oneroom`), whose tests run in the
    student's kernel; a lesson of ours has two rooms, one notebook and no parts.
    """

    name: str
    cells: tuple[Cell, ...]
    notebook: nbformat.NotebookNode
    release: nbformat.NotebookNode
    answers: Path | None = None
    parts: tuple[Lesson, ...] = ()

    @classmethod
    def load(cls, root: Path, name: str, answers: Path | None = None) -> Lesson:
        """Read `source/NAME/NAME.ipynb` and `release/NAME/NAME.ipynb` below the course folder `root`.

        Raises:
            CourseError: a file is missing; the message says to run `autograde build`.
        """
        paths = [root / folder / name / f"{name}.ipynb" for folder in ("source", "release")]
        for path in paths:
            if not path.is_file():
                raise CourseError(f"{path} does not exist. Run `autograde build {name}` first.")
        notebook, release = (nbformat.read(path, as_version=4) for path in paths)
        return cls(name, tuple(classify(notebook)), notebook, release, answers)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lesson:
        """Of the plain data of `to_dict`."""
        notebook, release = (nbformat.from_dict(data[name]) for name in ("notebook", "release"))
        answers = Path(data["answers"]) if data["answers"] else None
        return cls(data["name"], tuple(classify(notebook)), notebook, release, answers)

    def to_dict(self) -> dict[str, Any]:
        """A lesson with two rooms as plain data."""
        answers = str(self.answers) if self.answers else ""
        return {"name": self.name, "notebook": self.notebook, "release": self.release, "answers": answers}

    @property
    def warning(self) -> str:
        """What must be said beside every score; empty for a lesson with two rooms."""
        return ONE_ROOM if self.parts else ""

    @property
    def notebooks(self) -> tuple[Lesson, ...]:
        """What students hand in: each of the parts, else the lesson's own notebook."""
        return self.parts or (self,)

    @property
    def tests(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.kind == "test")

    @property
    def by_id(self) -> dict[str, Cell]:
        return {cell.grade_id: cell for cell in self.cells if cell.grade_id}

    def needs(self, exercise: str) -> tuple[str, ...]:
        """The exercises on which this one builds, directly or through others, in the lesson's order."""
        direct = {test.exercise: test.uses for test in self.tests}
        found: set[str] = set()
        queue = list(direct.get(exercise, ()))
        while queue:
            name = queue.pop()
            if name not in found:
                found.add(name)
                queue += direct.get(name, ())
        return tuple(str(test.exercise) for test in self.tests if test.exercise in found)

    def built_on(self, exercise: str) -> tuple[str, ...]:
        """The exercises that build on this one, directly or through others, in the lesson's order."""
        names = [str(test.exercise) for test in self.tests]
        return tuple(name for name in names if exercise in self.needs(name))

    def released_source(self, grade_id: str) -> str | None:
        """The text of a cell as students received it, or None when the release has no such cell."""
        for cell in self.release.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
                return str(cell.source)
        return None


def classify(notebook: nbformat.NotebookNode) -> Iterator[Cell]:
    """Yield the cells of an instructor's notebook with their kinds; the metadata decides, nothing is inferred."""
    for index, cell in enumerate(notebook.cells):
        marks = cell.metadata.get("nbgrader", {})
        grade, solution = marks.get("grade", False), marks.get("solution", False)
        kind: Kind
        if grade and solution:
            kind = "written"
        elif cell.cell_type != "code":
            kind = "prose"
        elif grade:
            kind = "test"
        elif solution:
            kind = "solution"
        elif cell.metadata.get("room") == "both":
            kind = "setup"
        else:
            kind = "free"
        uses = cell.metadata.get("uses", ()) if kind == "test" else ()
        uses = tuple(str(name) for name in uses) if isinstance(uses, list) else ()  # the build refuses anything else
        yield Cell(index, kind, marks.get("grade_id"), cell.source, float(marks.get("points", 0) or 0), uses)


@dataclass(frozen=True)
class Part:
    """A stretch of a test cell: visible to students, or hidden. Line numbers are those of the cell."""

    hidden: bool
    source: str


def split_hidden(source: str) -> list[Part]:
    """Cut a test cell at its hidden-test markers; each part is padded with empty lines so that line numbers hold."""
    parts: list[Part] = []
    lines: list[str] = []
    start, hidden = 0, False

    def close() -> None:
        if any(line.strip() for line in lines):
            parts.append(Part(hidden, "\n" * start + "\n".join(lines)))
        lines.clear()

    for number, line in enumerate(source.split("\n")):
        marker = re.sub(r"\s+", " ", line.strip())
        if marker in (BEGIN_HIDDEN, END_HIDDEN):
            close()
            start, hidden = number + 1, marker == BEGIN_HIDDEN
        else:
            lines.append(line)
    close()
    return parts
