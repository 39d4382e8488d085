"""What a test cell that ran in the student's kernel is worth: nbgrader's rule, without its two traps.

nbgrader looks for the first output that decides: an error gives nothing, the value of the last line is a part of the
points, and where there is neither, the test has passed. Its traps: anything on stderr gives nothing, and a last value
that is no number from 0 to the cell's points gives all of them, or ends the run. Here stderr costs nothing, and such a
value means that the test is broken: an instructor decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nbconvert.filters import strip_ansi

from autograde.lesson import Cell
from autograde.limits import Limits
from autograde.run.kernel import Ran
from autograde.run.words import words_for
from autograde.verdict import Status, Verdict, no_points

#: Characters of a message and of a traceback that are kept.
MESSAGE, DETAIL = 300, 6_000


def verdict_of(test: Cell, ran: Ran, outputs: Sequence[Any], limits: Limits, seconds: float) -> Verdict:
    """The verdict on a test cell that ended as `ran` says after `seconds` and made `outputs`."""
    lost = replace(without_points(test, "failed", ""), seconds=seconds)
    if stopped := words_for(ran.ending, replace(limits, cell=limits.test)):
        said = f"While it was tested, your code {stopped}."
        return lost.lost("timeout" if ran.ending == "timeout" else "crashed", said)
    decisive = next((output for output in outputs if output.output_type in ("error", "execute_result")), None)
    if decisive is None:
        return replace(lost, status="passed", points=test.points)
    if decisive.output_type == "error":
        return _failed(lost, decisive)
    return _partial(lost, decisive.data.get("text/plain", ""))


def without_points(test: Cell, status: Status, why: str) -> Verdict:
    """The verdict on a test cell that did not run, or failed."""
    grade_id = str(test.grade_id)
    return no_points(grade_id, test.exercise or grade_id, test.points, status, why)


def _failed(lost: Verdict, error: Any) -> Verdict:
    traceback = strip_ansi("\n".join(error.traceback))
    said = ": ".join(filter(None, [error.ename, error.evalue or _line(error.ename, traceback)]))
    status: Status = "not attempted" if error.ename == "NotImplementedError" else "failed"
    return replace(lost.lost(status, said[:MESSAGE]), detail=traceback[-DETAIL:])


def _line(name: str, traceback: str) -> str:
    """The line of the test at which a bare `assert` stopped, which says more than "AssertionError"."""
    marked = [line for line in traceback.splitlines() if line.startswith("--") and "> " in line]
    return marked[0].lstrip("-> 0123456789").strip() if marked and name == "AssertionError" else ""


def _partial(lost: Verdict, text: str) -> Verdict:
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not 0 <= points <= lost.max_points:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        said = f"The test's last value is {shown}, not a number from 0 to {lost.max_points:g}: no points are set."
        return lost.lost("broken test", said, flag=True)
    if points == lost.max_points:
        return replace(lost, status="passed", points=points)
    return replace(lost, status="partial", points=abs(points), message=f"{points:g} of {lost.max_points:g} points.")
