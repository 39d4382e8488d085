"""Through the real path: one mistake costs once, is named, and can be explained; the second run keeps what it sees."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, Grader, points, printed
from rich.console import Console

from autograde.bank import Answer, bank
from autograde.errors import CourseError

pytestmark = pytest.mark.sandbox


def wrong(lesson: Any, exercise: str, name: str) -> Answer:
    return next(answer for answer in bank(lesson, exercise) if answer.name == name and not answer.right)


@pytest.fixture(scope="module")
def no_scale(grader: Grader) -> Any:
    """A student who forgot the scale in `attention`, and nothing else."""
    return grader.grade(grader.solved({"attention": wrong(grader.lesson, "attention", "no_scale").source}))


def by_exercise(result: Any) -> dict[str, Any]:
    return {verdict.exercise: verdict for verdict in result.verdicts}


def test_a_mistake_costs_its_exercise_only_and_is_named(grader: Grader, no_scale: Any) -> None:
    assert points(no_scale) == FULL | {"attention": 0}
    found = by_exercise(no_scale)
    assert found["attention"].mistake == wrong(grader.lesson, "attention", "no_scale").hint
    assert found["SelfAttention"].tested_with == ("attention",)
    assert found["SelfAttention"].message == "Tested with our attention."
    assert not found["SelfAttention"].mistake
    assert found["scores"].tested_with == ()


def test_the_graded_notebook_shows_the_first_run_and_says_what_counted(grader: Grader, no_scale: Any) -> None:
    nbformat.validate(no_scale.notebook)
    text = printed(no_scale)
    assert "Tested with our attention." in text
    assert "Probably: The scores are not divided" in text
    sources = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in no_scale.notebook.cells}
    assert sources["attention"] == wrong(grader.lesson, "attention", "no_scale").source
    assert grader.lesson.by_id["attention"].source not in sources.values()


def test_two_mistakes_cost_twice_and_both_are_named(grader: Grader) -> None:
    """The second is found although the first changes its numbers, too: both are replayed together."""
    two = {
        "attention": wrong(grader.lesson, "attention", "mask_ignored"),
        "SelfAttention": wrong(grader.lesson, "SelfAttention", "residual_missing"),
    }
    result = grader.grade(grader.solved({name: answer.source for name, answer in two.items()}))
    assert points(result) == FULL | {"attention": 0, "SelfAttention": 0}
    found = by_exercise(result)
    assert {name: found[name].mistake for name in two} == {name: answer.hint for name, answer in two.items()}
    assert found["SelfAttention"].tested_with == ()


def test_a_cell_that_kills_with_what_it_builds_on_is_tested_with_ours(grader: Grader) -> None:
    """The layer's own cell calls attention, which is not written yet; with ours it runs."""
    released = next(
        cell.source
        for cell in grader.lesson.release.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "attention"
    )
    layer = grader.lesson.by_id["SelfAttention"].source + "\nSelfAttention(3, 2, 3)(torch.ones(2, 3))\n"
    result = grader.grade(grader.solved({"attention": released, "SelfAttention": layer}))
    assert points(result) == FULL | {"attention": 0}
    assert by_exercise(result)["attention"].status == "not attempted"


@pytest.fixture(scope="module")
def handed_in(course: Path, grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which Ada handed in an attention that fails late, and Bob an empty folder."""
    root = tmp_path_factory.mktemp("explained") / "course"
    shutil.copytree(course, root)
    late = wrong(grader.lesson, "attention", "no_check_of_empty_rows").source
    for student in ("ada", "bob"):
        (root / "submitted" / student / "03_qkv").mkdir(parents=True)
    nbformat.write(grader.solved({"attention": late}), root / "submitted" / "ada" / "03_qkv" / "03_qkv.ipynb")
    return root


def explained(root: Path, student: str, exercise: str) -> str:
    from autograde.explanation import explain_lost

    out = io.StringIO()
    explain_lost(root, "03_qkv", student, exercise, Console(file=out, width=120))
    return out.getvalue()


def test_a_lost_point_is_explained_with_inputs_and_mistake(handed_in: Path, lesson: Any) -> None:
    before = sorted(handed_in.rglob("*"))
    text = explained(handed_in, "ada", "attention")
    assert "ada, 03_qkv, attention: failed, 0 of 4 points" in text
    assert "probe observe" in text
    assert "float32 (" in text
    assert 'check.raises("ValueError"' in text
    assert wrong(lesson, "attention", "no_check_of_empty_rows").hint.split(".")[0][:40] in " ".join(text.split())
    assert [path for path in sorted(handed_in.rglob("*")) if path not in before and ".autograde" not in str(path)] == []


def test_where_nothing_was_lost_it_says_so(handed_in: Path) -> None:
    assert "Nothing was lost here." in explained(handed_in, "ada", "scores")


@pytest.mark.parametrize(
    ("student", "exercise", "words"),
    [("ada", "softmax", "no exercise"), ("eve", "attention", "no folder"), ("bob", "attention", "submi")],
)
def test_what_cannot_be_explained_says_why(student: str, exercise: str, words: str, handed_in: Path) -> None:
    with pytest.raises(CourseError, match=words):
        explained(handed_in, student, exercise)
