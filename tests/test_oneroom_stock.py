"""The course of `nbgrader quickstart`, unchanged: our scores are those of stock nbgrader, but for those listed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from stock_course import NAME, RIGHT, SQUARES, assignment, grades, hand_in, make, run_nbgrader

from autograde.gradebook.grade import Course

pytestmark = [pytest.mark.stock, pytest.mark.sandbox]

WRONG = "def squares(n):\n    return [n]"
LOOP = "def squares(n):\n    while True:\n        pass"
SILENT = "get_ipython().showtraceback = lambda *a, **k: None\n" + WRONG
WARNS = SQUARES.replace("    return", "    import sys; print('slow', file=sys.stderr)\n    return")
DIES = "import os\ndef squares(n):\n    os._exit(1)"
FORGED = {"points": 200, "locked": False}


def _forge(name: str, cells: list[Any]) -> None:
    """Edit the tests and what they are worth, and solve the exercise in a cell of one's own."""
    for cell in cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            cell.source = "pass"
            marks.update(FORGED)


def _task(name: str, cells: list[Any]) -> None:
    from nbformat.v4 import new_code_cell, new_markdown_cell

    if name == "problem1":
        cells += [new_markdown_cell("The formulae."), new_code_cell("sum(range(5))"), new_code_cell("1 / 0")]


#: Student -> answers and how they are handed in: stock nbgrader gives these the scores that we give.
SAME: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "right": (RIGHT, {}),
    "wrong": ({**RIGHT, "squares": WRONG, "double": "def double(x):\n    return x * x", "value": "VALUE = 0"}, {}),
    "partial": ({**RIGHT, "double": "def double(x):\n    return min(2 * x, 9)", "value": "VALUE = 0.25"}, {}),
    "unanswered": ({}, {}),
    "written": ({"sum_of_squares_equation": "$x$", "part-b": "None."}, {}),
    "code-by-hand": ({"sum_of_squares_application": "1 / 0", "squares": SQUARES}, {}),
    "missing": (RIGHT, {"without": ["problem2"]}),
    "only-one": (RIGHT, {"without": ["problem1", "problem3"]}),
    "task": (RIGHT, {"changed": _task}),
    "forged": ({"squares": WRONG}, {"changed": _forge}),
    "syntax": ({**RIGHT, "squares": "def squares(n:", "double": "double = None"}, {}),
    "loop": ({**RIGHT, "squares": LOOP}, {}),
    "silent": ({**RIGHT, "squares": SILENT}, {}),
    "files": (
        {**RIGHT, "double": "import mine\ndouble = mine.double", "read": "read = lambda: open('in/x').read().split()"},
        {"files": {"mine.py": "def double(x):\n    return 2 * x\n", "in/x": "1 2 3", "helper.py": "ours = False\n"}},
    ),
    "names": ({**RIGHT, "double": "def double(x):\n    return sys.maxsize and 2 * x"}, {}),
}
#: What stock nbgrader gives for each listed difference, and what we give, by cell.
OTHER: dict[str, tuple[dict[str, str], dict[str, tuple[Any, Any]]]] = {
    "stderr": (
        {**RIGHT, "squares": WARNS},
        dict.fromkeys(["problem1/correct_squares"], (0, 1))
        | dict.fromkeys(["problem1/correct_sum_of_squares"], (0, 0.5)),
    ),
    "nan": ({**RIGHT, "value": "VALUE = float('nan')"}, {"problem3/test_value": (2, None)}),
    "numpy": ({**RIGHT, "value": "VALUE = np.float64(1.0)"}, {"problem3/test_value": (2, None)}),
    "negative": ({**RIGHT, "value": "VALUE = -1"}, {"problem3/test_value": (2, None)}),
    "words": ({**RIGHT, "value": "VALUE = 'all of them'"}, {"problem3/test_value": (2, None)}),
}
#: Stock nbgrader ends these with an error, and gives no score for this cell and what follows; what we give.
ENDED: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "too-much": ({**RIGHT, "value": "VALUE = 7"}, {"problem3/test_value": None, "problem3/test_read": 1}),
    "dies": ({**RIGHT, "squares": DIES}, {"problem1/correct_squares": 0, "problem3/test_double": 2}),
}


def both(ours: Path, theirs: Path) -> None:
    """Grade a course and an equal one with stock nbgrader."""
    shutil.copytree(ours, theirs)
    list(Course(ours).grade(NAME))
    run_nbgrader(theirs, "generate_assignment", NAME)
    run_nbgrader(theirs, "autograde", NAME)


def test_a_submission_has_the_scores_that_stock_gives_it(tmp_path: Path) -> None:
    """One notebook of the course, for every change; all of them below, by night."""
    root = make(tmp_path / "ours")
    for name in ("problem1", "problem2"):
        (root / "source" / NAME / f"{name}.ipynb").unlink()
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    hand_in(root, assignment(root), "ada", {**RIGHT, "double": "def double(x):\n    return min(2 * x, 9)"})
    both(root, tmp_path / "theirs")
    found = grades(root, "ada")
    assert found == grades(tmp_path / "theirs", "ada")
    assert {name: score for name, (score, *_) in found.items()} == {
        "problem3/test_double": 0,  # its hidden part
        "problem3/test_part": 2,
        "problem3/test_value": 1.5,
        "problem3/test_read": 1,
        "problem3/correct_squares": 1,
    }
    assert {path: path.read_bytes() for path in before} == before


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("both")
    root = make(folder / "ours", quickstart=True)
    lesson = assignment(root)
    for student, (answers, more) in SAME.items():
        hand_in(root, lesson, student, answers, **more)
    for student, (answers, _) in {**OTHER, **ENDED}.items():
        hand_in(root, lesson, student, answers)
    both(root, folder / "theirs")
    return root, folder / "theirs"


@pytest.mark.nightly
@pytest.mark.parametrize("student", SAME)
def test_scores_are_those_of_stock_nbgrader(graded: tuple[Path, Path], student: str) -> None:
    ours, theirs = (grades(root, student) for root in graded)
    assert theirs, "stock nbgrader gave nothing: this compares nothing"
    assert ours == theirs


@pytest.mark.nightly
@pytest.mark.parametrize("student", OTHER)
def test_a_listed_difference_is_all_that_differs(graded: tuple[Path, Path], student: str) -> None:
    ours, theirs = (grades(root, student) for root in graded)
    differs = {name: (theirs[name][0], ours[name][0]) for name in theirs if ours[name] != theirs[name]}
    assert differs == OTHER[student][1]


@pytest.mark.nightly
@pytest.mark.parametrize("student", ENDED)
def test_where_stock_ends_with_an_error_only_the_guilty_cell_costs(graded: tuple[Path, Path], student: str) -> None:
    ours, theirs = (grades(root, student) for root in graded)
    assert {theirs[name][0] for name in ENDED[student][1]} == {None}
    assert {name: ours[name][0] for name in ENDED[student][1]} == ENDED[student][1]
