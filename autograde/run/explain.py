"""Why an exercise has no points, in the student's words: not handed in, not attempted, stopped, or wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from autograde.run.words import error_of
from autograde.verdict import Status, Verdict
from course_utils.kinds import KNOWN_KINDS


@dataclass(frozen=True)
class Solution:
    """What became of an exercise's own cell: its text, the released text, its outputs, and why it was stopped."""

    source: str
    released: str
    handed_in: bool
    outputs: tuple[Any, ...] = ()
    stopped: str = ""
    died: bool = False


def explain(verdict: Verdict, solution: Solution) -> Verdict:
    """The verdict with the reason that a student can act on. A cell that had to be stopped earns nothing."""
    if verdict.status == "broken test":
        return verdict
    if solution.stopped:
        status: Status = "crashed" if solution.died else "timeout"
        return verdict.lost(status, f"The cell of this exercise {solution.stopped}.")
    if verdict.points:
        return verdict
    if not solution.handed_in:
        return verdict.lost("missing", "The cell of this exercise was not handed in.")
    if solution.source.strip() == solution.released.strip():
        return verdict.lost("not attempted", "Not attempted: the cell is as it was released.")
    if verdict.status == "not attempted" and "NotImplementedError" not in solution.source:
        return verdict.lost("failed", "Your code uses an exercise that is not attempted yet (NotImplementedError).")
    return _with_cell_error(verdict, solution)


def _with_cell_error(verdict: Verdict, solution: Solution) -> Verdict:
    """The error that the cell itself raised explains a NameError in its test better than the NameError does."""
    errors = [output for output in solution.outputs if output.output_type == "error"]
    if not errors or verdict.status != "failed":
        return verdict
    kind = errors[-1].ename if errors[-1].ename in KNOWN_KINDS else "an error"
    said = kind if verdict.after_hidden else error_of(solution.outputs)
    return replace(verdict, message=f"Running the cell of this exercise stopped with {said}\n{verdict.message}")
