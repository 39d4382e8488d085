"""A small lesson in memory: setup, three chained exercises, a written answer; built as nbgrader builds a release."""

from __future__ import annotations

import json
from copy import deepcopy

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions, ComputeChecksums, LockCells

from autograde.lesson import Lesson, classify

NAME = "00_tiny"

SETUP = "import math\n\nfrom course_utils import check\n\nSEED = 3\n"

SCORES = '''def scores(x, y):
    """The products of two lists of numbers, pair by pair."""
    ### BEGIN SOLUTION
    return [a * b for a, b in zip(x, y)]
    ### END SOLUTION
'''

ATTENTION = '''def attention(x, y):
    """The gates of the scores: a softmax."""
    ### BEGIN SOLUTION
    weights = [math.exp(score) for score in scores(x, y)]
    return [weight / sum(weights) for weight in weights]
    ### END SOLUTION
'''

LAYER = '''class Layer:
    """Attention with a learned scale."""

    def __call__(self, x, y):
        """Return the gates, scaled."""
        ### BEGIN SOLUTION
        return [2 * gate for gate in attention(x, y)]
        ### END SOLUTION
'''


def _test(name: str, call: str, length: int) -> str:
    return f"""@check.probe
def observe_{name.lower()}(x, y):
    return {call}


got = observe_{name.lower()}([1.0, 2.0], [0.5, 0.25])
check.that(len(got) == {length}, "one number for each pair")
check.that(all(number > 0 for number in got), "all of them positive in {name}")
### BEGIN HIDDEN TESTS
check.that(len(observe_{name.lower()}([], [])) == 0, "nothing in, nothing out")
### END HIDDEN TESTS"""


def _marks(grade_id: str, *, grade: bool = False, solution: bool = False, points: int | None = None) -> dict:
    marks = {"grade": grade, "solution": solution, "locked": not solution, "task": False, "schema_version": 3}
    return {"nbgrader": {**marks, "grade_id": grade_id, **({} if points is None else {"points": points})}}


def instructor() -> nbformat.NotebookNode:
    """The instructor's notebook."""
    cells = [
        new_markdown_cell("# A tiny lesson\n\nThree exercises and a question."),
        new_code_cell(SETUP, metadata={"room": "both", **_marks("setup")}),
        new_markdown_cell("## 1. Scores\n\nMultiply pair by pair."),
        new_code_cell(SCORES, metadata=_marks("scores", solution=True)),
        new_code_cell(_test("scores", "scores(x, y)", 2), metadata=_marks("test_scores", grade=True, points=4)),
        new_markdown_cell("## 2. Attention\n\nMake gates of the scores."),
        new_code_cell(ATTENTION, metadata=_marks("attention", solution=True)),
        new_code_cell(
            _test("attention", "attention(x, y)", 2), metadata=_marks("test_attention", grade=True, points=5)
        ),
        new_code_cell("# Look at it\nprint(attention([1, 2], [3, 4]))"),
        new_markdown_cell("## 3. A layer"),
        new_code_cell(LAYER, metadata=_marks("Layer", solution=True)),
        new_markdown_cell("Now check it."),
        new_code_cell(_test("Layer", "Layer()(x, y)", 2), metadata=_marks("test_Layer", grade=True, points=8)),
        new_markdown_cell("## 4. In your words\n\nWhy do the gates add up to one?"),
        new_markdown_cell("Because of the division.", metadata=_marks("why", grade=True, solution=True, points=3)),
        new_markdown_cell("That was all."),
    ]
    for number, cell in enumerate(cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"place-{number}")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def tiny_lesson() -> Lesson:
    """The lesson: the instructor's notebook, and the release that nbgrader's own preprocessors make of it."""
    notebook = instructor()
    release = deepcopy(notebook)
    for preprocessor in (ClearSolutions, LockCells, ComputeChecksums, ClearHiddenTests, ComputeChecksums):
        release, _ = preprocessor().preprocess(release, {})
    return Lesson(NAME, tuple(classify(notebook)), notebook, release)


def solved(lesson: Lesson) -> nbformat.NotebookNode:
    """The release with every answer filled in, as an excellent student hands it in."""
    notebook = deepcopy(lesson.release)
    for cell, full in zip(notebook.cells, lesson.notebook.cells, strict=True):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "\n".join(line for line in full.source.split("\n") if "###" not in line)
    return notebook


def as_bytes(notebook: object) -> bytes:
    """Write a notebook as JupyterLab does, without looking whether it is valid."""
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def score(notebook: nbformat.NotebookNode, lesson: Lesson) -> dict[str, bool]:
    """Run a notebook from top to bottom in this process, with the instructor's tests: which of them pass."""
    space: dict = {}
    passed = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        test = lesson.by_id[grade_id] if grade_id else None
        try:
            exec(compile(test.source if test and test.kind == "test" else cell.source, "<cell>", "exec"), space)
        except Exception:
            outcome = False
        else:
            outcome = True
        if test and test.kind == "test":
            passed[grade_id] = outcome
    return passed
