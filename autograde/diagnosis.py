"""Names the mistake behind a lost point: the wrong answer of the bank that behaves as the student's did."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograde.bank import Answer
from autograde.judge.record import Record
from autograde.judge.replay import fails_alike
from autograde.lesson import Cell, Lesson
from autograde.rules.names import names_of
from autograde.rules.probes import split_probes
from autograde.rules.python import parse

#: Seconds that a wrong answer may take for what the student's did in `record.seconds`: some answers never end.
LEAST, TIMES_SLOWER = 2.0, 10.0


def alike(
    lesson: Lesson,
    test: Cell,
    record: Record,
    answers: Iterable[Answer],
    names: dict[str, Any],
    seed: int,
    seconds: float,
    beside: Mapping[str, str] | None = None,
) -> Iterator[Answer]:
    """Yield the answers of this exercise that give the recorded results and fail where the student's failed.

    Args:
        answers: what to try, in this order.
        names: what the lesson's setup cells define.
        seed: the test's seed for hidden inputs.
        seconds: for all of them together.
        beside: what stands in other exercises' cells instead of our solutions: exercise -> source.
    """
    if not record.calls or not record.complete:
        return
    deadline = time.monotonic() + seconds
    needed = cells_needed(lesson, test)
    for answer in answers:
        left = min(deadline - time.monotonic(), LEAST + TIMES_SLOWER * record.seconds)
        if left <= 0:
            return
        instead = {**(beside or {}), answer.exercise: answer.source}
        program = [instead.get(cell.exercise or "", cell.source) for cell in needed]
        if fails_alike(record, test, program, names, seed, left):
            yield answer


def cells_needed(lesson: Lesson, test: Cell) -> list[Cell]:
    """The solution and free cells above a test that define what its probes use, directly or through each other.

    The others (pictures, trainings of other exercises) would only cost time. What a cell does to an object without
    binding a name is not seen: `model = trained(model)` is, `train(model)` alone is not.
    """
    _, probes = split_probes(parse(test.source))
    wanted = {name for probe in probes for name in names_of(ast.Module([probe], [])).free}
    needed: list[Cell] = []
    for cell in reversed(lesson.cells[: test.index]):
        if cell.kind not in ("solution", "free"):
            continue
        names = names_of(parse(cell.source, magics=cell.kind == "free"))
        if cell.exercise == test.exercise or wanted & set(names.bound):
            wanted |= set(names.free)
            needed.append(cell)
    return needed[::-1]
