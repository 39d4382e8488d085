"""One room: what runs where, what hostile submissions can and cannot do, and that nobody can overlook it."""

from __future__ import annotations

import json
import math
import os
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.utils import determine_grade
from stock_course import NAME, RIGHT, assignment, grades, hand_in, make, run_nbgrader
from typer.testing import CliRunner

from autograde.cli import app
from autograde.cluster.scheduler import Scheduler
from autograde.errors import CourseError
from autograde.explanation import explain_lost
from autograde.gradebook.grade import Course
from autograde.gradebook.results import load, staged, staged_notebook
from autograde.lesson import ONE_ROOM, Cell, Lesson
from autograde.limits import Limits
from autograde.oneroom.submission import contents, find
from autograde.oneroom.verdicts import verdict_of
from autograde.run.kernel import Ran

BOMB = """import os
def squares(n):
    while True:
        os.fork()"""
SHADOWING = ("random.py", "numpy/__init__.py", "course_utils.py", "sitecustomize.py", "json.py", "helper.py")
SHADOWS = dict.fromkeys(SHADOWING, "raise RuntimeError('shadowed')")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("course") / "course101")


@pytest.fixture(scope="module")
def lesson(course: Path) -> Lesson:
    return assignment(course)


@pytest.fixture(scope="module")
def graded(course: Path, lesson: Lesson) -> Path:
    """A class with hostile members, graded by the command."""
    dies = {**RIGHT, "squares": "import os\ndef squares(n):\n    os._exit(1)"}
    hand_in(course, lesson, "ada", {**RIGHT, "value": "VALUE = float('nan')"}, files=SHADOWS)
    hand_in(course, lesson, "dies", dies, without=["problem2", "problem3"])
    hand_in(course, lesson, "empty", {}, without=["problem1", "problem2", "problem3"])
    hand_in(course, lesson, "torn", RIGHT, without=["problem2"])
    (course / "submitted" / "torn" / NAME / "problem3.ipynb").write_text('{"cells": [')
    os.symlink("/etc/passwd", course / "submitted" / "ada" / NAME / "link.txt")
    done = CliRunner().invoke(app, ["grade", NAME, "--root", str(course)])
    assert done.exit_code == 0, done.output
    (course / "said").write_text(done.output)
    return course


# A verdict is nbgrader's grade, but for what is listed.

texts = st.one_of(
    st.floats(-3, 9).map(str), st.sampled_from(["nan", "inf", "-1", "'x'", "True", "1", "2", "tensor(1.)"])
)
outputs = st.one_of(
    texts.map(lambda text: new_output("execute_result", data={"text/plain": text})),
    st.just(new_output("error", ename="ValueError", evalue="", traceback=[])),
    st.just(new_output("stream", name="stdout", text="a line")),
    st.just(new_output("display_data", data={"text/plain": "0.5"})),
)


@given(st.lists(outputs, max_size=4), st.sampled_from([0.0, 1.0, 2.5]))
def test_a_verdict_is_the_grade_of_nbgrader_where_its_last_value_is_a_number(made: list[Any], points: float) -> None:
    cell = nbformat.v4.new_code_cell("", outputs=made, metadata={"nbgrader": {"grade": True, "points": points}})
    verdict = verdict_of(Cell(0, "test", "t", "", points), Ran("done", True), made, Limits(), 0.0)
    first = next((output for output in made if output.output_type in ("error", "execute_result")), None)
    number = math.nan
    if first is not None and first.output_type == "execute_result":
        try:
            number = float(first.data["text/plain"])
        except ValueError:
            number = math.nan
        if not 0 <= number <= points:
            assert (verdict.status, verdict.points, verdict.flag) == ("broken test", 0, True)
            return
    assert verdict.points == determine_grade(cell)[0]


@pytest.mark.parametrize("ending", ["timeout", "dead", "memory", "processes"])
def test_what_was_stopped_earns_nothing_whatever_it_printed(ending: Any) -> None:
    made = [new_output("execute_result", data={"text/plain": "1"})]
    verdict = verdict_of(Cell(0, "test", "t", "", 1.0), Ran(ending, ending == "timeout"), made, Limits(), 0.0)
    assert verdict.points == 0
    assert verdict.status == ("timeout" if ending == "timeout" else "crashed")


# What an assignment is.


def test_ours_has_two_rooms_and_any_other_one(course: Path, lesson: Lesson, tmp_path: Path) -> None:
    assert lesson.warning == ONE_ROOM
    assert [part.name for part in lesson.parts] == ["problem1", "problem2", "problem3"]
    (part,) = [part for part in lesson.parts if part.name == "problem3"]
    assert "double(5)" in part.by_id["test_double"].source
    assert "double(5)" not in str(part.release)
    assert "return 2 * x" not in str(part.release)
    # A notebook of ours whose text is gone must not be taken for a foreign one.
    ours = deepcopy(part.notebook)
    ours.cells[2].metadata["room"] = "both"
    folder = tmp_path / "source" / "01_ours"
    folder.mkdir(parents=True)
    nbformat.write(ours, folder / "01_ours.ipynb")
    (tmp_path / "nbgrader_config.py").write_text((course / "nbgrader_config.py").read_text())
    with pytest.raises(CourseError, match="autograde build 01_ours"):
        Course(tmp_path).lesson("01_ours")


def test_what_cannot_be_graded_alike_is_refused(course: Path, tmp_path: Path) -> None:
    root = make(tmp_path / "course")
    path = root / "source" / NAME / "problem2.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}
    nbformat.write(notebook, path)
    with pytest.raises(CourseError, match=r"problem2\.ipynb is written in R"):
        assignment(root)
    path.unlink()
    with (root / "nbgrader_config.py").open("a") as config:
        config.write('c.CourseDirectory.directory_structure = "{student_id}/{nbgrader_step}/{assignment_id}"\n')
    with pytest.raises(CourseError, match="directory_structure"):
        assignment(root)


def test_notebooks_under_other_names_are_found_by_their_cells(course: Path, lesson: Lesson, tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").touch()
    hand_in(tmp_path, lesson, "ada", RIGHT, files={"notes.json": "{}", "x/data.txt": "1"})
    folder = tmp_path / "submitted" / "ada" / NAME
    (folder / "problem1.ipynb").rename(folder / "problem1 (2).ipynb")
    found = find(folder, lesson)
    assert found.raw is not None
    notebooks, files = contents(found.raw)
    assert sorted(notebooks) == ["problem1", "problem2", "problem3"]
    assert sorted(files) == ["notes.json", "x/data.txt"]
    assert [note.code for note in found.notes] == ["other-name"]
    (folder / "problem2.ipynb").unlink()
    assert [note.code for note in find(folder, lesson).notes] == ["other-name", "missing-notebook"]


# A class.


def test_everybody_is_graded_and_what_goes_wrong_costs_its_own_exercise(graded: Path) -> None:
    points = {name: {test: row[0] for test, row in grades(graded, name).items()} for name in ("ada", "dies")}
    assert points["ada"]["problem3/test_part"] == 4
    assert points["ada"]["problem3/test_value"] is None
    assert points["ada"]["problem1/correct_squares"] == 1
    assert points["dies"]["problem1/correct_squares"] == 0
    assert points["dies"]["problem1/sum_of_squares_uses_squares"] == 0.5
    assert points["dies"]["problem1/sum_of_squares_application"] is None
    assert {score for score, *_ in grades(graded, "empty").values()} == {0}
    torn = load(graded, NAME, "torn")
    assert torn is not None
    assert {verdict.status for verdict in torn.verdicts if verdict.grade_id.startswith("problem3")} == {"missing"}
    assert torn.score == 3
    assert any("problem3.ipynb" in note.message and note.flag for note in torn.notes)


def test_files_beside_the_notebook_shadow_nothing_and_links_are_not_followed(graded: Path) -> None:
    record = load(graded, NAME, "ada")
    assert record is not None
    assert [verdict.exercise for verdict in record.verdicts if not verdict.full] == ["problem3/test_value"]
    folder = graded / "autograded" / "ada" / NAME
    assert (folder / "random.py").read_text() == SHADOWS["random.py"]
    assert "ours = True" in (folder / "helper.py").read_text()
    assert not (folder / "link.txt").exists()


def test_nobody_can_overlook_that_there_is_one_room(graded: Path) -> None:
    assert ONE_ROOM in (graded / "said").read_text()
    assert f"<strong>{ONE_ROOM.capitalize()}.</strong>" in (graded / "reports" / f"{NAME}.html").read_text()
    path = graded / ".autograde" / "results" / NAME / "ada" / "result.json"
    assert json.loads(path.read_text())["warning"] == ONE_ROOM
    done = CliRunner().invoke(app, ["grade", NAME, "--root", str(graded), "--say", "json"])
    rows = [json.loads(line) for line in done.output.splitlines()]
    assert {row["warning"] for row in rows if "student" in row} == {ONE_ROOM}
    assert {row["unchanged"] for row in rows if "student" in row} == {True}
    with pytest.raises(CourseError, match="one room"):
        explain_lost(graded, NAME, "ada", "problem3/test_value", None)  # type: ignore[arg-type]


@pytest.mark.nightly
def test_a_regrade_shows_first_and_then_writes_all_notebooks(graded: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(graded, root)
    helper = root / "source" / NAME / "helper.py"
    helper.write_text(helper.read_text().replace("points * sum", "points / 2 * sum"))
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        gradebook.find_grade("correct_squares", "problem1", NAME, "ada").manual_score = 0.25
        gradebook.db.commit()
    words = ["regrade", NAME, "--student", "ada", "--root", str(root)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "4 → 2 of 4" in done.output
    assert ONE_ROOM in done.output
    assert "Marks given by hand: 1" in done.output
    assert grades(root, "ada")["problem3/test_part"][0] == 4
    done = CliRunner().invoke(app, [*words, "--apply"])
    assert done.exit_code == 0, done.output
    assert grades(root, "ada")["problem3/test_part"][0] == 2
    assert staged(root, NAME, "ada") == ["problem1.ipynb", "problem2.ipynb", "problem3.ipynb"]
    assert (root / ".autograde" / "submitted" / "ada" / NAME / "numpy" / "__init__.py").is_file()
    assert not (root / ".autograde" / "regrade").exists()


def test_on_a_cluster_it_is_refused(course: Path, lesson: Lesson) -> None:
    elsewhere = Course(course, scheduler=cast(Scheduler, object()))
    with pytest.raises(CourseError, match="leave out --scheduler"):
        elsewhere.kit(lesson)


@pytest.mark.nightly
def test_what_a_result_depends_on_makes_it_run_again(graded: Path) -> None:
    course = Course(graded)
    folders = {"dies": course.submissions(NAME)["dies"]}
    assert [row.student for row in course.run(NAME, folders)] == list(course.unchanged) == ["dies"]
    (folders["dies"] / "new.txt").write_text("1")
    list(course.run(NAME, folders))
    assert not course.unchanged
    helper = graded / "source" / NAME / "helper.py"
    helper.write_text(helper.read_text() + "# changed\n")
    list(course.run(NAME, folders))
    assert not course.unchanged


@pytest.mark.nightly
def test_the_feedback_of_nbgrader_is_made_from_what_we_write(graded: Path) -> None:
    said = run_nbgrader(graded, "generate_feedback", NAME, "--student", "ada")
    assert "ERROR" not in said
    pages = sorted(path.name for path in (graded / "feedback" / "ada" / NAME).glob("*.html"))
    assert pages == ["problem1.html", "problem2.html", "problem3.html"]
    notebook = staged_notebook(graded, NAME, "ada", "problem3")
    assert any(output.output_type == "execute_result" for cell in notebook.cells for output in cell.get("outputs", []))


# One notebook in its kernel.


@pytest.mark.nightly
def test_a_fork_bomb_costs_what_it_is_in(course: Path, lesson: Lesson, tmp_path: Path) -> None:
    hand_in(course, lesson, "bomb", {**RIGHT, "squares": BOMB}, without=["problem2"])
    list(Course(course).grade(NAME, "bomb"))
    points = {test: score for test, (score, *_) in grades(course, "bomb").items()}
    assert points["problem1/correct_squares"] == 0
    assert points["problem1/sum_of_squares_uses_squares"] == 0.5
    assert points["problem3/test_part"] == 4


@pytest.mark.nightly
def test_a_flood_hides_neither_a_failure_nor_a_part_of_the_points(course: Path, lesson: Lesson, tmp_path: Path) -> None:
    flood = "import sys\ndef double(x):\n    print('x' * 3_000_000)\n    return 0"
    hand_in(course, lesson, "flood", {**RIGHT, "double": flood}, without=["problem1", "problem2"])
    (row,) = Course(course).grade(NAME, "flood")
    lost = {verdict.exercise: verdict.points for verdict in row.verdicts if verdict.exercise.startswith("problem3")}
    assert (lost["problem3/test_double"], lost["problem3/test_part"]) == (0, 0)
