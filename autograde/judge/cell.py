"""Runs one test cell in the judge and says what it is worth."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import math
import time
import traceback
from dataclasses import replace
from typing import Any

import torch

from autograde.errors import BrokenTest
from autograde.judge.channel import Gone, Nonsense, Silence
from autograde.judge.room import JudgeRoom
from autograde.lesson import Cell, Part, split_hidden
from autograde.limits import Limits
from autograde.verdict import Verdict, no_points
from course_utils import check
from course_utils import room as rooms

TEXT_LIMIT = 8_000
FIGURE_LIMIT = 4
#: Raised by a test on data it did not expect, these mean that the data was odd, not that the test is broken.
ODD_DATA = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError, MemoryError)

NOT_ATTEMPTED = "Not attempted: the cell still raises NotImplementedError."


def run_test(
    cell: Cell, namespace: dict[str, Any], room: JudgeRoom, limits: Limits, seed: int, *, open: bool = False
) -> Verdict:
    """Run a test cell whose probes `room` answers, when `open` without its hidden regions. Always returns a verdict."""
    assert cell.grade_id is not None
    started = time.monotonic()
    zero = no_points(cell.grade_id, cell.exercise or cell.grade_id, cell.points, "failed", "")
    rooms.enter(room)
    torch.manual_seed(seed)
    stdout = _Capped(TEXT_LIMIT)
    figures: list[str] = []
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(_Capped(TEXT_LIMIT)):
            value = None
            for part in split_hidden(cell.source):
                if part.hidden and open:
                    continue
                room.hidden = part.hidden
                if part.hidden:
                    figures += _figures(FIGURE_LIMIT - len(figures))
                    stdout.closed_for_students = True
                value = _execute(part, cell.grade_id, namespace, room)
        verdict = _scored(zero, value, room)
    except (check.Failed, rooms.StudentError) as error:
        verdict = _failure(zero, error, room)
    except AssertionError as error:
        words = str(error) or "An assertion of this test does not hold."
        private = room.hidden or room.after_hidden
        message = "A property that this test asks for does not hold." if private else words
        verdict = replace(zero, message=message, detail=words)
    except Silence:
        told = limits.told
        slow = f"Your code took longer than {told.call:g} s for one call, or than {told.test:g} s for this test."
        verdict = zero.lost("timeout", slow)
    except Gone:
        verdict = zero.lost("crashed", "Your code ended the kernel while it was tested.")
    except Nonsense as error:
        verdict = replace(zero, message="The answer of your code could not be read.", detail=str(error), flag=True)
    except BrokenTest as error:
        verdict = _broken(zero, str(error))
    except Exception as error:
        verdict = _exception(zero, error, room)
    if not room.hidden:
        figures += _figures(FIGURE_LIMIT - len(figures))
    _close_figures()
    room.record.seconds = time.monotonic() - started
    return replace(
        verdict,
        text=stdout.for_students,
        figures=tuple(figures),
        after_hidden=room.after_hidden,
        saw_hidden=room.asked_hidden,
        seconds=time.monotonic() - started,
        calls=room.calls,
    )


def _execute(part: Part, grade_id: str, namespace: dict[str, Any], room: JudgeRoom) -> Any:
    """Run a part of a test; returns the value of its last line when that is an expression, else None."""
    tree = ast.parse(part.source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    filename = f"<{grade_id}>"
    try:
        exec(compile(tree, filename, "exec"), namespace)
        if last is None:
            return None
        assert isinstance(last, ast.Expr)
        return eval(compile(ast.Expression(last.value), filename, "eval"), namespace)
    except BaseException as error:
        room.record.ended(error, filename)
        raise


def _scored(zero: Verdict, value: Any, room: JudgeRoom) -> Verdict:
    """A test that ran to its end: full points, or the number that it declared."""
    if room.awarded is not None:
        value = room.awarded
    if value is None:
        return replace(zero, status="passed", points=zero.max_points)
    # bool, numpy scalars and tensors are no declared number: a test that ends in one does not say what it means.
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= zero.max_points:
        return _broken(zero, f"its last value is {value!r}, which is no number from 0 to {zero.max_points:g}")
    if value == zero.max_points:
        return replace(zero, status="passed", points=float(value))
    return replace(zero, status="partial", points=float(value), message=f"{value:g} of {zero.max_points:g} points.")


def _failure(zero: Verdict, error: check.Failed | rooms.StudentError, room: JudgeRoom) -> Verdict:
    if isinstance(error, rooms.StudentError) and error.kinds[0] == "NotImplementedError":
        return replace(zero, status="not attempted", message=NOT_ATTEMPTED, detail=str(error))
    private = error.public if room.hidden or room.after_hidden else str(error)
    message = f"A hidden test fails. {private}" if room.hidden else private
    return replace(zero, message=message, detail=str(error))


def _exception(zero: Verdict, error: Exception, room: JudgeRoom) -> Verdict:
    trace = "".join(traceback.format_exception(error)[-6:])
    if isinstance(error, ODD_DATA) and not isinstance(error, NotImplementedError) and room.calls:
        message = f"What your code returned has another form than this test expects ({type(error).__name__})."
        return replace(zero, message=message, detail=trace, flag=True)
    return _broken(zero, trace)


def _broken(zero: Verdict, why: str) -> Verdict:
    return replace(
        zero,
        status="broken test",
        message="This test is broken; your instructor will look at it.",
        detail=why,
        flag=True,
    )


class _Capped(io.StringIO):
    """Text up to a limit; what comes after `closed_for_students` is kept apart."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._left, self.for_students, self.closed_for_students = limit, "", False

    def write(self, text: str) -> int:
        if not self.closed_for_students:
            self.for_students += text[: self._left]
            self._left -= min(self._left, len(text))
        return len(text)


def _figures(most: int) -> list[str]:
    """The open figures as PNG, base64, and closes them."""
    from matplotlib import pyplot

    pictures = []
    for number in pyplot.get_fignums()[: max(most, 0)]:
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, format="png", dpi=80, bbox_inches="tight")
        pictures.append(base64.b64encode(buffer.getvalue()).decode())
    _close_figures()
    return pictures


def _close_figures() -> None:
    from matplotlib import pyplot

    pyplot.close("all")
