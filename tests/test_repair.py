"""Every kind of damaged notebook ends graded or refused in one clear line, and nothing of the student's is lost."""

from __future__ import annotations

import json
import time
from copy import deepcopy

import damage
import nbformat
import pytest
from damage import DAMAGES, Damage, code_cell, marks, setup_cells, solution_cells, write, written_cells
from nbformat import NotebookNode
from nbformat.validator import isvalid
from tiny_lesson import NAME, score, solved, tiny_lesson

from autograde.errors import UnreadableSubmission
from autograde.repair import Repaired, repair

LESSON = tiny_lesson()
RELEASE = LESSON.release
SOLVED = solved(LESSON)
FULL = {"test_scores": True, "test_attention": True, "test_Layer": True}
GRADED = [each for each in DAMAGES.values() if each.ends != "refused" and not each.large]
LARGE = [each for each in DAMAGES.values() if each.large]
REFUSED = [each for each in DAMAGES.values() if each.ends == "refused"]


def mend(notebook: object) -> Repaired:
    """Repair a notebook, and check what must hold for every result."""
    result = repair(notebook if isinstance(notebook, bytes) else write(notebook), LESSON)
    sound(result)
    return result


def sound(result: Repaired) -> None:
    """What must hold for every repaired notebook."""
    notebook = result.notebook
    assert isvalid(notebook)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == RELEASE.metadata
    nbformat.writes(notebook).encode()
    held: dict[str, list[int]] = {}
    for at, cell in enumerate(notebook.cells):
        assert not cell.get("outputs")
        if "nbgrader" in cell.metadata:
            held.setdefault(cell.metadata.nbgrader.grade_id, []).append(at)
    wanted = {marks(cell)["grade_id"]: cell for cell in RELEASE.cells if marks(cell)}
    assert {key: len(places) for key, places in held.items()} == dict.fromkeys(wanted, 1)
    at = {key: places[0] for key, places in held.items()}
    for key, cell in wanted.items():
        found = notebook.cells[at[key]]
        assert (found.id, found.cell_type, found.metadata) == (cell.id, cell.cell_type, cell.metadata)
        if not marks(cell)["solution"]:
            assert found == cell
        if key in result.missing:
            assert found.source == cell.source
    assert all(at["setup"] < place for key, place in at.items() if key != "setup")
    assert all(at[name] < at[f"test_{name}"] for name in ("scores", "attention", "Layer"))
    for note in result.notes:
        assert "\n" not in note.message
        assert len(note.message) < 700
        assert note.message[0].isupper() or note.message.startswith(tuple(wanted))
        assert note.message.endswith(".")


def codes(result: Repaired) -> set[str]:
    return {note.code for note in result.notes}


def text_of(result: Repaired, grade_id: str) -> str:
    return next(cell.source for cell in result.notebook.cells if marks(cell).get("grade_id") == grade_id)


def own_cells(result: Repaired) -> list[str]:
    """The student's own cells: unmarked, and not of the release."""
    released = {cell.source for cell in RELEASE.cells}
    return [cell.source for cell in result.notebook.cells if not marks(cell) and cell.source not in released]


def find(notebook: NotebookNode, grade_id: str) -> int:
    return next(at for at, cell in enumerate(notebook.cells) if marks(cell).get("grade_id") == grade_id)


# Every kind of damage


def test_a_whole_notebook_stays_as_it_is() -> None:
    result = mend(SOLVED)
    assert result.notebook == SOLVED
    assert (result.notes, result.missing) == ((), frozenset())
    assert score(result.notebook, LESSON) == FULL


def test_the_release_is_not_attempted_but_not_missing() -> None:
    result = mend(RELEASE)
    assert result.notebook == RELEASE
    assert (result.notes, result.missing) == ((), frozenset())


@pytest.mark.parametrize("kind", GRADED, ids=lambda kind: kind.name)
def test_damage_is_repaired_said_and_costs_nothing(kind: Damage) -> None:
    result = mend(kind(SOLVED))
    assert kind.note in codes(result) or (not kind.note and not result.notes)
    points = score(result.notebook, LESSON)
    assert points == FULL if kind.ends == "kept" else sorted(points.values()) == [False, True, True]
    again = repair(write(result.notebook), LESSON)
    assert again.notebook == result.notebook
    assert codes(again) <= codes(result)


@pytest.mark.parametrize("kind", GRADED, ids=lambda kind: kind.name)
def test_damage_to_an_unsolved_notebook_gives_nothing(kind: Damage) -> None:
    result = mend(kind(RELEASE))
    assert not any(score(result.notebook, LESSON).values())


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.name)
def test_what_is_no_notebook_is_refused_in_one_line(kind: Damage) -> None:
    with pytest.raises(UnreadableSubmission) as caught:
        repair(kind(SOLVED), LESSON)
    assert "\n" not in str(caught.value)
    assert "hand" in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("kind", LARGE, ids=lambda kind: kind.name)
def test_large_files_are_quick(kind: Damage) -> None:
    raw = kind(SOLVED)
    start = time.process_time()
    try:
        result = repair(raw, LESSON)
    except UnreadableSubmission:
        result = None
    assert time.process_time() - start < 10
    assert (result is None) == (kind.ends == "refused")
    if result is not None:
        assert isvalid(result.notebook)
        assert text_of(result, "Layer") == text_of(mend(SOLVED), "Layer")


# What the refusals and notes say


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "empty (0 bytes)"),
        ("empty_list", "a list, not a notebook"),
        ("cut_in_the_middle", "cut off"),
        ("cut_near_the_end", "cut off"),
        ("conflict_markers", "conflict markers of a git merge (line "),
        ("web_page", "a web page"),
        ("zip_archive", "a zip archive"),
        ("nested_too_deeply", "nested too deeply"),
        ("millions_of_lists", "too many"),
    ],
)
def test_a_refusal_names_its_reason(name: str, words: str) -> None:
    with pytest.raises(UnreadableSubmission, match=words.replace("(", r"\(").replace(")", r"\)")):
        repair(DAMAGES[name](SOLVED), LESSON)


def test_a_duplicate_names_both_places() -> None:
    [note] = mend(DAMAGES["copied_test_at_the_end"](SOLVED)).notes
    assert (note.exercise, note.flag) == ("Layer", False)
    assert "17" in note.message
    assert "13" in note.message


def test_changed_marks_are_flagged_and_name_the_change() -> None:
    notes = mend(DAMAGES["points_200"](SOLVED)).notes
    assert [note.flag for note in notes] == [True, True, True]
    assert "cell 5 (test_scores)" in notes[0].message
    assert "points 200 instead of 4" in notes[0].message


def test_only_what_looks_made_up_is_flagged() -> None:
    for name, flagged in (
        ("metadata_emptied", False),
        ("last_weeks_release", False),
        ("deleted_test", False),
        ("changed_setup", False),
        ("forged_extra_cell", True),
        ("replaced_tests", True),
        ("older_solution_below_the_test", True),
    ):
        assert any(note.flag for note in mend(DAMAGES[name](SOLVED)).notes) == flagged, name


def test_lost_metadata_gives_one_note() -> None:
    [note] = mend(DAMAGES["metadata_emptied"](SOLVED)).notes
    assert "8" not in note.code
    assert all(way in note.message for way in ("released text", "names they define", "cells around them"))


def test_messages_stay_short_and_on_one_line_whatever_the_ids() -> None:
    notebook = deepcopy(SOLVED)
    for number in range(3000):
        forged = {"grade": True, "solution": False, "locked": False, "grade_id": f"x\n\x1b[31m{number}" * 50}
        notebook.cells.append(code_cell("1", nbgrader=forged))
    [note] = mend(notebook).notes
    assert note.message.isprintable()
    assert "2992 more" in note.message


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
    from nbgrader.utils import compute_checksum

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


def test_the_corpus_damages_what_it_says() -> None:
    assert (
        len(damage.test_cells(SOLVED)),
        len(solution_cells(SOLVED)),
        len(written_cells(SOLVED)),
        len(setup_cells(SOLVED)),
    ) == (3, 3, 1, 1)
    before = deepcopy(SOLVED)
    assert all(each(SOLVED) != write(SOLVED) for each in DAMAGES.values() if not each.large)
    assert before == SOLVED
