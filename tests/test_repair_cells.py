"""Answers, tests, setup and the student's own cells: what is graded, what is restored, what stays."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from damage import DAMAGES, code_cell, marks, write
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum
from repair_checks import FULL, LESSON, RELEASE, SOLVED, codes, find, mend, own_cells, text_of
from tiny_lesson import NAME, score, tiny_lesson

from autograde.repair import repair

# Answers


def test_a_missing_answer_is_listed_and_earns_nothing() -> None:
    result = mend(DAMAGES["deleted_solution"](SOLVED))
    [note] = result.notes
    assert result.missing == {"Layer"}
    assert (note.code, note.exercise) == ("answer-missing", "Layer")
    assert text_of(result, "Layer") == RELEASE.cells[find(RELEASE, "Layer")].source


@pytest.mark.parametrize("offset", [0, 1])
def test_an_untouched_stub_beside_the_answer_is_left_out(offset: int) -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "attention")
    notebook.cells.insert(at + offset, deepcopy(RELEASE.cells[at]))
    result = mend(notebook)
    assert result.notebook == SOLVED
    assert codes(result) == {"duplicate-answer"}


def test_the_last_of_two_answers_above_the_test_counts_and_both_run() -> None:
    result = mend(DAMAGES["wrong_solution_between_solution_and_test"](SOLVED))
    [note] = result.notes
    assert note.flag
    assert "Cells 11 and 12" in note.message
    assert "None and" in text_of(result, "Layer")
    assert own_cells(result) == [SOLVED.cells[find(SOLVED, "Layer")].source]


def test_two_halves_of_a_split_answer_both_stay_in_order() -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "attention")
    helper, rest = "def helper(x):\n    return math.exp(x)", notebook.cells[at].source.replace("math.exp", "helper")
    half = deepcopy(notebook.cells[at])
    half.source, notebook.cells[at].source = helper, rest
    notebook.cells.insert(at, half)
    result = mend(notebook)
    assert text_of(result, "attention") == rest
    assert own_cells(result) == [helper]
    assert score(result.notebook, LESSON) == FULL


@pytest.mark.parametrize("below", [True, False])
def test_an_answer_in_a_new_cell_beside_its_untouched_stub_is_graded(below: bool) -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "attention")
    mine = notebook.cells[at].source
    notebook.cells[at].source = RELEASE.cells[at].source
    notebook.cells.insert(at + below, code_cell(mine))
    result = mend(notebook)
    assert text_of(result, "attention") == mine
    assert [(note.code, note.flag) for note in result.notes] == [("answer-elsewhere", True)]
    assert score(result.notebook, LESSON) == FULL


def test_an_answer_typed_into_the_test_cell_is_graded() -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "attention")
    notebook.cells[at + 1].source = mine = notebook.cells[at].source
    notebook.cells[at].source = RELEASE.cells[at].source
    result = mend(notebook)
    assert text_of(result, "attention") == mine
    assert any(note.flag and note.code == "answer-elsewhere" for note in result.notes)
    assert score(result.notebook, LESSON) == FULL


def test_exchanged_marks_are_set_right_by_the_names() -> None:
    notebook = deepcopy(SOLVED)
    first, second = find(notebook, "scores"), find(notebook, "Layer")
    one, two = notebook.cells[first], notebook.cells[second]
    one.metadata, two.metadata = two.metadata, one.metadata
    result = mend(notebook)
    assert "class Layer" in text_of(result, "Layer")
    assert score(result.notebook, LESSON) == FULL
    assert codes(result) == {"marks-lost"}


def test_an_answer_defined_again_above_its_test_is_flagged() -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "scores")
    notebook.cells.insert(at + 1, code_cell("def scores(x, y):\n    return []"))
    result = mend(notebook)
    assert [(note.code, note.flag) for note in result.notes] == [("answer-redefined", True)]
    assert not score(result.notebook, LESSON)["test_scores"]


def test_conflict_markers_inside_a_cell_are_named() -> None:
    notebook = deepcopy(SOLVED)
    notebook.cells[find(notebook, "scores")].source += "\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n"
    assert codes(mend(notebook)) == {"conflict-in-cell"}


def test_a_written_answer_keeps_its_text_and_pictures() -> None:
    notebook = deepcopy(SOLVED)
    cell = notebook.cells[find(notebook, "why")]
    cell.attachments = {"a.png": {"image/png": "iVBORw0KGgo="}, "bad": 3}
    cell.source = "![](attachment:a.png) so."
    cell.metadata = {}
    found = next(each for each in mend(notebook).notebook.cells if each.id == "why")
    assert (found.source, found.attachments) == (cell.source, {"a.png": {"image/png": "iVBORw0KGgo="}})


def test_a_guess_by_place_is_flagged() -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "why")
    notebook.cells[at].metadata = NotebookNode()
    notebook.cells.insert(at, NotebookNode(cell_type="markdown", metadata={}, source="A thought before."))
    assert [(note.code, note.flag) for note in mend(notebook).notes] == [("marks-lost", True)]


# Tests, setup and free cells


def test_a_changed_setup_cell_is_restored_and_the_change_runs_below_it() -> None:
    result = mend(DAMAGES["changed_setup"](SOLVED))
    at = find(result.notebook, "setup")
    mine = result.notebook.cells[at + 1]
    assert (mine.cell_type, mine.metadata) == ("code", {})
    assert mine.source.endswith("MINE = 1\n")


def test_functions_written_into_a_test_cell_stay_below_it() -> None:
    notebook = deepcopy(SOLVED)
    at = find(notebook, "test_scores")
    notebook.cells[at].source = mine = "def look(x):\n    return x"
    result = mend(notebook)
    assert [cell.source for cell in result.notebook.cells[at : at + 2]] == [RELEASE.cells[at].source, mine]
    assert codes(result) == {"test-changed"}


def test_a_missing_test_comes_back_below_its_answer() -> None:
    notebook = mend(DAMAGES["deleted_tests"](SOLVED)).notebook
    assert notebook == SOLVED


def test_cells_of_last_weeks_release_are_replaced_without_blame() -> None:
    notebook = deepcopy(SOLVED)
    test = notebook.cells[find(notebook, "test_scores")]
    test.source = "assert scores([1], [2]) == [2]"
    marks(test)["points"] = 3
    marks(test)["checksum"] = compute_checksum(test)
    notes = mend(notebook).notes
    assert {note.code for note in notes} == {"marks-changed", "older-version"}
    assert not any(note.flag for note in notes)


def test_another_lessons_notebook_is_flagged() -> None:
    notebook = NotebookNode(cells=[code_cell("print('chemistry')")], metadata={}, nbformat=4, nbformat_minor=5)
    result = mend(notebook)
    assert result.missing == {"scores", "attention", "Layer", "why"}
    assert any(note.code == "wrong-notebook" and note.flag and NAME in note.message for note in result.notes)


def test_students_cells_keep_order_text_and_ids() -> None:
    notebook = deepcopy(SOLVED)
    for number, at in enumerate((0, 5, 9, len(notebook.cells) + 3)):
        cell = code_cell(f"mine_{number} = 1", tags=["hide"], scrolled=True)
        notebook.cells.insert(at, NotebookNode(cell, id=f"mine-{number}"))
    result = mend(notebook)
    assert result.notes == ()
    assert [cell.source for cell in result.notebook.cells] == [cell.source for cell in notebook.cells]
    assert [cell.id for cell in result.notebook.cells] == [cell.id for cell in notebook.cells]


def test_repair_leaves_the_lesson_alone() -> None:
    lesson = tiny_lesson()
    before = json.dumps([lesson.release, lesson.notebook])
    result = repair(write(SOLVED), lesson)
    for cell in result.notebook.cells:
        cell.metadata.clear()
        cell.source = ""
    result.notebook.metadata.clear()
    assert json.dumps([lesson.release, lesson.notebook]) == before
