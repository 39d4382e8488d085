"""Every kind of damaged notebook ends graded or refused in one clear line, and nothing of the student's is lost."""

from __future__ import annotations

import time
from copy import deepcopy

import damage
import pytest
from damage import DAMAGES, Damage, code_cell, setup_cells, solution_cells, write, written_cells
from nbformat.validator import isvalid
from repair_checks import FULL, LESSON, RELEASE, SOLVED, codes, mend, text_of
from tiny_lesson import score

from autograde.errors import UnreadableSubmission
from autograde.repair import repair

GRADED = [each for each in DAMAGES.values() if each.ends != "refused" and not each.large]
LARGE = [each for each in DAMAGES.values() if each.large]
REFUSED = [each for each in DAMAGES.values() if each.ends == "refused"]


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
