"""Names the mistake behind a lost point: the wrong answer of the bank that behaves as the student's did."""

from __future__ import annotations

import ast
import difflib
import functools
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from autograde.bank import Answer
from autograde.judge.forks import ask_all
from autograde.judge.record import Record
from autograde.judge.replay import Replay
from autograde.lesson import Cell, Lesson
from autograde.rules.names import names_of
from autograde.rules.probes import split_probes
from autograde.rules.python import parse

#: Seconds that a wrong answer may take for what the student's did in `record.seconds`: some answers never end.
LEAST, TIMES_SLOWER = 2.0, 10.0
#: Words of a student's cell that are compared with the bank's.
MOST_WORDS = 1_000


def alike(
    lesson: Lesson,
    test: Cell,
    record: Record,
    answers: Sequence[Answer],
    names: dict[str, Any],
    seed: int,
    seconds: float,
    beside: Mapping[str, str] | None = None,
) -> list[Answer]:
    """The answers of this exercise that give the recorded results and fail where the student's failed.

    Args:
        names: what the lesson's setup cells define.
        seed: the test's seed for hidden inputs.
        seconds: for all of them together.
        beside: what stands in other exercises' cells instead of our solutions: exercise -> source.
    """
    if not record.calls or not record.complete:
        return []
    deadline, limit = time.monotonic() + seconds, LEAST + TIMES_SLOWER * record.seconds
    replay = Replay(test, record, names, seed)

    def ask(some: Sequence[Answer], calls: int) -> list[Answer]:
        """Those that agree with so many calls, and where these are all, with how the test ended."""
        probes = {call.probe for call in record.calls[:calls]}
        sources = [(cell.exercise or "", cell.source) for cell in cells_needed(lesson, test, probes)]

        def question(answer: Answer) -> Callable[[], bool]:
            instead = {**(beside or {}), answer.exercise: answer.source}
            program = [(instead.get(name, own), "<answer>", "exec") for name, own in sources]
            return lambda: replay.agrees((compile(*part) for part in program), calls)

        said = ask_all([question(answer) for answer in some], limit, deadline)
        return [answer for answer, holds in zip(some, said, strict=True) if holds]

    found = list(answers)
    for calls in _stages(lesson, test, record):
        found = ask(found, calls)
    # Each of these again, in a process that no other answer was in before.
    return [answer for answer in found if ask([answer], len(record.calls))]


def _stages(lesson: Lesson, test: Cell, record: Record) -> list[int]:
    """After how many calls to look which answers still agree: before each that needs more cells, and at the end.

    Such a cell may train a model. Most answers have gone another way before, and need no training.
    """
    stages, probes, cells = [], set[str](), list[Cell]()
    for number, call in enumerate(record.calls):
        if call.probe not in probes:
            probes.add(call.probe)
            before, cells = cells, cells_needed(lesson, test, probes)
            if number and cells != before:
                stages.append(number)
    return [*stages, len(record.calls)]


def nearest(answers: Sequence[Answer], source: str) -> Answer | None:
    """Of answers that behave alike, the one whose text is most like the student's.

    They differ only on calls after the failing one, or never, so each describes truly what was observed; the text is
    the only thing left that may tell which of them it was.
    """
    words = _words(source)

    def likeness(answer: Answer) -> float:
        return difflib.SequenceMatcher(None, _words(_without_docstring(answer.source)), words, autojunk=False).ratio()

    return max(answers, key=likeness, default=None) if len(answers) > 1 else next(iter(answers), None)


def _words(source: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", source)[:MOST_WORDS]


def _without_docstring(source: str) -> str:
    tree = ast.parse(source)
    return ast.unparse(ast.Module(tree.body[1:], [])) if ast.get_docstring(tree) is not None else source


def cells_needed(lesson: Lesson, test: Cell, called: Collection[str] | None = None) -> list[Cell]:
    """The solution and free cells above a test that define what its probes use, directly or through each other.

    The others (pictures, trainings of other exercises) would only cost time. What a cell does to an object without
    binding a name is not seen: `model = trained(model)` is, `train(model)` alone is not.

    Args:
        called: the probes that count; all if left out.
    """
    _, probes = split_probes(parse(test.source))
    probes = [probe for probe in probes if called is None or probe.name in called]
    wanted = {name for probe in probes for name in names_of(ast.Module([probe], [])).free}
    needed: list[Cell] = []
    for cell in reversed(lesson.cells[: test.index]):
        if cell.kind not in ("solution", "free"):
            continue
        bound, free = _names(cell.source, cell.kind == "free")
        if cell.exercise == test.exercise or wanted & bound:
            wanted |= free
            needed.append(cell)
    return needed[::-1]


@functools.cache
def _names(source: str, magics: bool) -> tuple[frozenset[str], frozenset[str]]:
    """What a cell binds, and what it takes from elsewhere."""
    names = names_of(parse(source, magics=magics))
    return frozenset(names.bound), frozenset(names.free)
