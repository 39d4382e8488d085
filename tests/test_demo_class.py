"""The bundled class: the demonstration course is made safely, and every student gets what the recipe says."""

from __future__ import annotations

import io
import re
import shutil
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from conftest import WRITTEN
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from autograde.demo import MARKER, RECIPES, Recipe, bundled_class, make_course, read_recipe
from autograde.errors import CourseError
from autograde.gradebook.grade import Course
from autograde.gradebook.results import Graded
from autograde.lesson import Lesson
from autograde.pages import found
from autograde.report import table, write_report

ROOT, LESSON = Path(__file__).resolve().parents[1], "03_qkv"
CLASS = bundled_class(ROOT, LESSON)

KINDS = {"excellent": 3, "partly wrong": 2, "unfinished": 2, "damaged": 5, "slow": 1, "a dead kernel": 1, "a forger": 4}


@pytest.fixture(scope="module")
def clone(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the demonstration needs of the repository, so that no test builds into this one."""
    root = tmp_path_factory.mktemp("demo") / "clone"
    shutil.copytree(course, root)
    shutil.copytree(ROOT / RECIPES, root / RECIPES)
    return root


@pytest.fixture(scope="module")
def demo(clone: Path) -> Path:
    make_course(clone, clone / "demo", LESSON)
    return clone / "demo"


@pytest.fixture(scope="module")
def lesson(demo: Path) -> Lesson:
    return Lesson.load(demo, LESSON)


@pytest.fixture(scope="module")
def rows(demo: Path) -> dict[str, Graded]:
    """The whole class, graded once; a batch that stops fails every test that asks for this."""
    return {row.student: row for row in Course(demo).grade(LESSON)}


@pytest.fixture
def fresh(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lesson has just been built for `demo`: the same again would only take time."""
    monkeypatch.setattr("autograde.demo.build", lambda root, lesson: [])


def in_the_terminal(shown: Table) -> str:
    text = io.StringIO()
    Console(width=200, file=text).print(shown)
    return text.getvalue()


def named(recipe: Recipe) -> str:
    return recipe.student


def test_class_is_large_and_varied() -> None:
    kinds = Counter(kind for recipe in CLASS for kind in KINDS if re.match(rf"\w+, {kind}\b", recipe.about))
    assert len(CLASS) >= 16
    assert sum(kinds.values()) == len(CLASS), "a docstring begins with `Name, kind of submission:`"
    assert {kind: kinds[kind] for kind in KINDS if kinds[kind] < KINDS[kind]} == {}


@pytest.mark.parametrize("recipe", CLASS, ids=named)
def test_recipe_is_complete(recipe: Recipe, lesson: Lesson) -> None:
    assert recipe.about.startswith(recipe.student.capitalize())
    assert re.fullmatch(r"[a-z]+", recipe.student)
    assert set(recipe.expect) == {test.exercise for test in lesson.tests}
    nbformat.validate(recipe.notebook(lesson), version=4, version_minor=5, relax_add_props=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# from: release\n", "docstring"),
        ('"""Words."""\n# from: nowhere\n', "nowhere"),
        ('"""Words."""\n# points: 11\n', "points"),
        ('"""Words."""\n# %% free for all\nx = 1\n', "# %% free for all"),
    ],
)
def test_broken_recipe_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "student.py"
    path.write_text(text)
    with pytest.raises(CourseError, match=re.escape(reason)) as refused:
        read_recipe(path, LESSON)
    assert str(path) in str(refused.value)


def test_course_has_everything_and_no_stale_notebook(clone: Path, demo: Path, lesson: Lesson) -> None:
    assert {path.name for path in (demo / "submitted").iterdir()} == {recipe.student for recipe in CLASS}
    assert (demo / "nbgrader_config.py").is_file()
    released = nbformat.read(clone / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert lesson.release == released
    assert nbformat.read(demo / "submitted" / "goran" / LESSON / f"{LESSON}.ipynb", as_version=4) == released


@pytest.mark.usefixtures("fresh")
def test_second_course_replaces_the_first_only(clone: Path, tmp_path: Path) -> None:
    into = tmp_path / "demo"
    make_course(clone, into, LESSON)
    notebook = into / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb"
    first = notebook.read_bytes()
    (into / "submitted" / "zoe").mkdir()
    (into / "gradebook.db").write_text("old")
    (into / "my notes.txt").write_text("mine")
    make_course(clone, into, LESSON)
    assert notebook.read_bytes() == first
    assert not (into / "submitted" / "zoe").exists()
    assert not (into / "gradebook.db").exists()
    assert (into / "my notes.txt").read_text() == "mine"


@pytest.mark.parametrize("content", ["nbgrader_config.py", "submitted/ada/notes.txt"])
def test_folder_of_somebody_else_is_refused(content: str, clone: Path, tmp_path: Path) -> None:
    path = tmp_path / content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    with pytest.raises(CourseError, match=MARKER):
        make_course(clone, tmp_path, LESSON)
    assert path.read_text() == "mine"
    assert not (tmp_path / MARKER).exists()


@pytest.mark.usefixtures("fresh")
def test_links_in_an_earlier_course_are_not_followed(clone: Path, tmp_path: Path) -> None:
    into, elsewhere = tmp_path / "demo", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").write_text("kept")
    into.mkdir()
    (into / MARKER).touch()
    (into / "submitted").symlink_to(elsewhere)
    make_course(clone, into, LESSON)
    assert [path.name for path in elsewhere.iterdir()] == ["kept.txt"]


@pytest.mark.sandbox
@pytest.mark.parametrize("recipe", CLASS, ids=named)
def test_student_gets_what_the_recipe_says(recipe: Recipe, rows: dict[str, Graded]) -> None:
    row = rows[recipe.student]
    assert {verdict.exercise: verdict.points for verdict in row.verdicts} == recipe.expect, found(row)
    assert recipe.says in "\n".join(found(row))
    assert row.sandboxed


@pytest.mark.sandbox
def test_nobody_is_missing(rows: dict[str, Graded]) -> None:
    assert set(rows) == {recipe.student for recipe in CLASS}


@pytest.mark.sandbox
def test_lost_points_have_a_reason(rows: dict[str, Graded]) -> None:
    for row in rows.values():
        assert not any(verdict.status == "broken test" for verdict in row.verdicts), row.student
        if row.score < row.max_score:
            assert found(row), row.student


@pytest.mark.sandbox
def test_gradebook_and_graded_notebooks_agree(rows: dict[str, Graded], demo: Path) -> None:
    answered = {recipe.student for recipe in CLASS if any(place.startswith("written ") for place, _ in recipe.cells)}
    with Gradebook(f"sqlite:///{demo / 'gradebook.db'}") as gradebook:
        submissions = {submission.student.id: submission for submission in gradebook.assignment_submissions(LESSON)}
        assert set(submissions) == set(rows)
        for student, submission in submissions.items():
            (notebook,) = submission.notebooks
            stored = {grade.name: (grade.auto_score, bool(grade.needs_manual_grade)) for grade in notebook.grades}
            assert stored.pop(WRITTEN) == ((None, True) if student in answered else (0, False)), student
            assert stored == {verdict.grade_id: (verdict.points, False) for verdict in rows[student].verdicts}, student
            assert submission.score == rows[student].score
    for student in rows:
        path = demo / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        nbformat.validate(nbformat.read(path, as_version=4), relax_add_props=False)


@pytest.mark.sandbox
def test_report_and_table_say_whom_to_look_at(rows: dict[str, Graded], demo: Path, lesson: Lesson) -> None:
    html = write_report(demo, lesson, list(rows.values())).read_text()
    printed = in_the_terminal(table(lesson, list(rows.values())))
    flagged = ["leila", "mateo", "uma"]  # a broken file, an empty folder, changed tests
    for student in flagged:
        assert re.search(rf"<td><bdi>{student}</bdi> <strong [^>]*>to look at<", html)
    assert html.count(">to look at<") == printed.count("to look at") >= len(flagged)
    assert not re.search(r"<td><bdi>(ada|diego|goran|kaito|olga)</bdi> <strong", html)


@pytest.mark.sandbox
def test_report_and_table_hold_everybody(rows: dict[str, Graded], demo: Path, lesson: Lesson) -> None:
    html = write_report(demo, lesson, list(rows.values())).read_text()
    printed = in_the_terminal(table(lesson, list(rows.values())))
    for student, row in rows.items():
        assert re.search(rf"<td><bdi>{student}</bdi>", html)
        assert re.search(rf"{student} .*{row.score:g}/{row.max_score:g}", printed)
