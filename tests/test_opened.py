"""What failed in a visible check is shown, also where hidden inputs were seen before; what saw them never is."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Grader

from autograde.run.opened import opened, to_open
from autograde.verdict import Verdict, no_points

REMEMBERS = """SEEN = []
def scores(x, W_q, W_k):
    SEEN.append(x.shape)
    return x @ W_q.mT @ (x @ W_k.mT).mT
"""
TELLS = """print("outside", len(SEEN))
def attention(q, k, v, mask=None):
    print("inside", len(SEEN))
    gates = torch.softmax(q @ k.transpose(-2, -1), -1)
    return gates @ v, gates
"""


def verdict(**fields: Any) -> Verdict:
    return Verdict(**{**vars(no_points("test_a", "a", 2, "failed", "m", "d")), "after_hidden": True, **fields})


@pytest.mark.parametrize(
    ("fields", "late"),
    [
        ({}, True),
        ({"saw_hidden": True}, False),  # a hidden test fails: there is nothing to show
        ({"after_hidden": False}, False),  # all is shown already
        ({"status": "timeout"}, False),
        ({"status": "passed"}, False),
    ],
)
def test_only_a_visible_check_that_failed_too_late_is_run_again(fields: dict[str, Any], late: bool) -> None:
    assert to_open({"a": verdict(**fields)}) == ({"a"} if late else set())


def test_the_open_run_gives_words_and_pictures_and_no_points() -> None:
    again = verdict(message="expected 1, yours 2", figures=("png",), text="t", after_hidden=False, points=2.0)
    got = opened(verdict(mistake="hint"), again)
    assert (got.message, got.figures, got.text, got.after_hidden) == ("expected 1, yours 2", ("png",), "t", False)
    assert (got.points, got.status, got.detail, got.mistake) == (0, "failed", "d", "hint")


@pytest.mark.parametrize("again", [None, verdict(status="passed", after_hidden=False), verdict()])
def test_an_open_run_that_ends_otherwise_changes_nothing(again: Verdict | None) -> None:
    assert opened(verdict(), again) == verdict()


@pytest.mark.sandbox
def test_a_late_failure_is_shown_and_nothing_that_saw_hidden_inputs(grader: Grader) -> None:
    result = grader.grade(grader.solved({"scores": REMEMBERS, "attention": TELLS}), only=("scores", "attention"))
    first, second = result.verdicts
    assert (first.status, first.saw_hidden) == ("passed", True)
    assert (second.status, second.points, second.after_hidden) == ("failed", 0, False)
    assert "expected" in second.message
    assert second.figures
    shown = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in result.notebook.cells}
    below = str(shown["test_attention"].outputs)
    assert "inside 0" in below  # in the run that is shown, no test of `scores` has been run
    assert "after_hidden" not in shown["test_attention"].metadata
    assert "outside 0" in str(shown["attention"].outputs)


@pytest.mark.sandbox
def test_a_hidden_test_that_fails_shows_no_value(grader: Grader) -> None:
    wrong_for_large = REMEMBERS.replace("return", "if x.shape[-2] == 6: return x @ x.mT\n    return")
    (failed,) = grader.grade(grader.solved({"scores": wrong_for_large}), only=("scores",)).verdicts
    assert failed.status == "failed"
    assert failed.message.startswith("A hidden test fails.")
    assert "expected" not in failed.message
    assert not failed.figures
