"""What exercises build on: the rule for `uses` and the card, what the grader reads, the plan of second runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lesson_text import GOOD, Case, broken, change, findings, marks
from tiny_lesson import solved, tiny_lesson

from autograde.lesson import Lesson
from autograde.repair import repair
from autograde.run.again import Again, better, next_run, with_ours
from autograde.verdict import Status, Verdict
from tests.tiny_lesson import as_bytes

TEST_SCALE = marks("test_Scale", grade=True, points=9)
HEADS = "# | points | minutes | uses | library calls allowed |\n# |---|---|---|---|"
CARD = f"# ## 2. A layer\n#\n{HEADS}\n# | 9 | 5 | {{}} | all |"
WITH_CARD = change("# ## 2. A layer", CARD.format("`mean`"))
USES = f'# %% uses=["mean"] {TEST_SCALE}'

CASES = [
    broken("unknown", f"# %% {TEST_SCALE}", f'# %% uses=["median"] {TEST_SCALE}', ("median", "no exercise above")),
    broken("itself", f"# %% {TEST_SCALE}", f'# %% uses=["Scale"] {TEST_SCALE}', ("uses=", "no exercise above")),
    broken("twice", f"# %% {TEST_SCALE}", f'# %% uses=["mean", "mean"] {TEST_SCALE}', ("uses=", "twice")),
    broken("no list", f"# %% {TEST_SCALE}", f'# %% uses="mean" {TEST_SCALE}', ("uses=", "no list of names")),
    broken("below", f"# %% {marks('test_mean', grade=True, points=8)}",
           f'# %% uses=["Scale"] {marks("test_mean", grade=True, points=8)}', ("uses=", "no exercise above")),
    broken("on a solution", f"# %% {marks('Scale', solution=True)}",
           f'# %% uses=["mean"] {marks("Scale", solution=True)}', ("uses=", "no test")),
    broken("misspelt", f"# %% {TEST_SCALE}", f'# %% use=["mean"] {TEST_SCALE}', ("use=", "Write `uses`")),
    Case("only on the card", WITH_CARD, (("| 9 | 5 |", "its test cell says nothing"),)),
    Case(
        "only on the cell",
        change(f"# %% {TEST_SCALE}", USES, change("# ## 2. A layer", CARD.format("nothing"))),
        (("| 9 | 5 |", "its test cell says `mean`"),),
    ),
    Case("empty entry", change("# ## 2. A layer", CARD.format("")), (("| 9 | 5 |", "uses no word"),)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_uses_that_do_not_fit_are_refused_on_the_right_line(case: Case, tmp_path: Path) -> None:
    case.verify(tmp_path)


def test_uses_that_fit_are_accepted(tmp_path: Path) -> None:
    assert findings(tmp_path, change(f"# %% {TEST_SCALE}", USES)) == []
    assert findings(tmp_path, change(f"# %% {TEST_SCALE}", USES, WITH_CARD)) == []
    assert findings(tmp_path, change("# ## 2. A layer", CARD.format("nothing"), GOOD)) == []
    assert findings(tmp_path, change("# ## 2. A layer", CARD.format("nothing: it stands alone"), GOOD)) == []


def chained() -> Lesson:
    """scores <- attention <- Layer."""
    lesson = tiny_lesson()
    uses = {"test_attention": ("scores",), "test_Layer": ("attention",)}
    return replace(lesson, cells=tuple(replace(cell, uses=uses.get(cell.grade_id or "", ())) for cell in lesson.cells))


def verdicts(**points: float | Status) -> dict[str, Verdict]:
    """Verdicts of the tiny lesson, all passed but for those given: points, or a status with none."""
    found = {}
    for test in tiny_lesson().tests:
        name, given = str(test.exercise), points.get(str(test.exercise), test.points)
        status: Status = given if isinstance(given, str) else "passed" if given == test.points else "partial"
        earned = 0.0 if isinstance(given, str) else given
        found[name] = Verdict(str(test.grade_id), name, status, earned, test.points, message="first")
    return found


def test_what_an_exercise_needs_is_found_through_others() -> None:
    lesson = chained()
    assert lesson.needs("Layer") == ("scores", "attention")
    assert lesson.needs("scores") == ()
    assert lesson.built_on("scores") == ("attention", "Layer")


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ({}, None),
        ({"scores": "failed"}, None),  # what builds on it passed all the same
        ({"Layer": "failed"}, None),  # its own mistake
        ({"scores": "failed", "attention": "failed"}, Again(frozenset({"attention"}), ("scores",))),
        ({"scores": "missing", "Layer": "failed"}, Again(frozenset({"Layer"}), ("scores",))),
        ({"scores": "failed", "Layer": 3.0}, Again(frozenset({"Layer"}), ("scores",))),
        ({"scores": "failed", "attention": "not attempted"}, None),
        ({"scores": "failed", "attention": "broken test"}, None),
    ],
)
def test_only_what_failed_on_something_that_failed_runs_again(lost: dict[str, float | Status], expected: Again) -> None:
    assert next_run(chained(), verdicts(**lost), set()) == expected


def test_a_rescued_exercise_stays_the_students_own_in_what_builds_on_it() -> None:
    lesson, found = chained(), verdicts(scores="failed", attention="failed", Layer="failed")
    first = next_run(lesson, found, set())
    assert first == Again(frozenset({"attention"}), ("scores",))
    rescued = better(found["attention"], replace(found["attention"], points=5.0, status="passed"), first.ours)
    assert next_run(lesson, {**found, "attention": rescued}, {"attention"}) == Again(frozenset({"Layer"}), ("scores",))
    assert next_run(lesson, found, {"attention"}) == Again(frozenset({"Layer"}), ("scores", "attention"))


@given(st.dictionaries(st.sampled_from(["scores", "attention", "Layer"]), st.sampled_from(["failed", "missing", 1.0])))
def test_every_exercise_runs_again_once_at_most(lost: dict[str, float | Status]) -> None:
    lesson, found, done = chained(), verdicts(**lost), set()
    while (again := next_run(lesson, found, done)) is not None:
        assert not again.exercises & done
        assert not again.exercises & set(again.ours)
        assert all(found[name].points < found[name].max_points for name in (*again.exercises, *again.ours))
        done |= again.exercises


def test_of_the_second_run_only_more_points_leave() -> None:
    first = Verdict("test_Layer", "Layer", "failed", 0, 8, "first", "detail", seconds=1.0, calls=3, figures=("png",))
    second = replace(first, message="OURS", detail="OURS", text="OURS", seconds=99.0, calls=77, mistake="OURS")
    assert better(first, second, ("attention",)) == first
    passed = better(first, replace(second, status="passed", points=8.0), ("attention",))
    assert (passed.status, passed.points, passed.tested_with) == ("passed", 8, ("attention",))
    assert passed.message == "Tested with our attention."
    partial = better(first, replace(second, status="partial", points=3.0), ("scores", "attention"))
    assert (partial.status, partial.points) == ("partial", 3)
    assert partial.message == "3 of 8 points. Tested with our scores and attention."
    for verdict in (passed, partial):
        assert "OURS" not in repr(verdict)
        assert (verdict.seconds, verdict.calls, verdict.figures) == (1.0, 3, ())


def test_in_the_second_run_ours_stands_in_the_failed_cell_only() -> None:
    lesson = chained()
    notebook = solved(lesson)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in ("scores", "attention"):
            cell.source += "\n# the student's"
    repaired = repair(as_bytes(notebook), lesson)
    sources = {cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in repaired.notebook.cells if cell.metadata}
    ours = {
        cell.metadata["nbgrader"]["grade_id"]: cell.source
        for cell in with_ours(repaired, lesson, ("attention",)).notebook.cells
        if cell.metadata
    }
    assert ours.pop("attention") == lesson.by_id["attention"].source
    assert sources.pop("attention").endswith("# the student's")
    assert ours == sources
