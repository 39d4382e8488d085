"""Records a test of an answer in this process, without a sandbox: for answers of our own only."""

from __future__ import annotations

from typing import Any

from autograde.diagnosis import cells_needed
from autograde.judge.cell import run_test
from autograde.judge.record import Record
from autograde.judge.room import JudgeRoom
from autograde.lesson import Cell, Lesson
from autograde.limits import Limits
from autograde.sandbox.inside import course_agent
from autograde.verdict import Verdict
from course_utils import room as rooms
from course_utils import wire

SEED = 11


class Line:
    """Stands for the line to a student's kernel: our agent answers in this process."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace, self._probes = namespace, dict[str, Any]()

    def ask(self, request: Any, seconds: float) -> Any:
        return wire.decode(course_agent._answer(wire.copy(request), self._probes, self._namespace))


def setup_names(lesson: Lesson) -> dict[str, Any]:
    """What the setup cells of a lesson define."""
    names: dict[str, Any] = {}
    for cell in lesson.cells:
        if cell.kind == "setup":
            exec(cell.source, names)
    return names


def recorded(lesson: Lesson, test: Cell, answers: dict[str, str], seed: int = SEED) -> tuple[Verdict, Record]:
    """Run a test on our solutions, but for the exercises in `answers`: the verdict and what was recorded."""
    theirs = setup_names(lesson)
    for cell in cells_needed(lesson, test):
        exec(answers.get(cell.exercise or "", cell.source), theirs)
    room = JudgeRoom(Line(theirs), test.source, seed, Limits())  # type: ignore[arg-type]
    try:
        verdict = run_test(test, setup_names(lesson), room, Limits(), seed)
    finally:
        rooms.enter(rooms.LocalRoom())
    return verdict, room.record
