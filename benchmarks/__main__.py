"""Grades classes with our grader and with stock nbgrader, and writes the page of results."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograde.lesson import Lesson
from benchmarks import classes
from benchmarks.classes import LIGHT, REAL
from benchmarks.measure import run
from benchmarks.results import Class, Goal, between, page

#: A student's first and last cell: between them, the processor time of each cell of the student's is added up.
OWN = (
    """import time
_own = [0.0, 0.0]
def _before(info): _own[1] = time.process_time()
def _after(result):
    if _own[1]: _own[0] += time.process_time() - _own[1]  # it is called for this cell, too, that nobody saw begin
get_ipython().events.register("pre_run_cell", _before)
get_ipython().events.register("post_run_cell", _after)""",
    'print(f"own cells: {_own[0]} s")',
)
NAMES = {LIGHT: "light", REAL: "real"}


def ours(where: Path, lesson: Lesson, students: int) -> Class:
    """Grade a new class with our grader; everybody must get all automatic points."""
    classes.hand_in(where, lesson, students, OWN)
    classes.forget(where)
    took = run(["autograde", "grade", lesson.name, "--say", "quiet"], where)
    _check(where, lesson, students)
    return _said(Class(f"{NAMES[lesson.name]}, ours", students, took, _cells(where, lesson, students)))


def stock(where: Path, lesson: Lesson, students: int) -> Class:
    """Grade the same class with nbgrader as it comes; there the test cells run among the student's."""
    classes.stock_course(where, lesson, students, OWN)
    run([sys.executable, "-m", "nbgrader", "generate_assignment", lesson.name], where)
    took = run([sys.executable, "-m", "nbgrader", "autograde", lesson.name], where)
    _check(where, lesson, students)
    return _said(Class(f"{NAMES[lesson.name]}, stock nbgrader", students, took, _cells(where, lesson, students)))


def _cells(where: Path, lesson: Lesson, students: int) -> float:
    """Processor seconds of the cells of one notebook, as the graded notebooks say."""
    outputs = [cell.outputs for each in classes.executed(where, lesson) for cell in each.cells if "outputs" in cell]
    seconds = [float(number) for number in re.findall(r"own cells: ([\d.e-]+) s", str(outputs))]
    if len(seconds) != students:
        raise SystemExit(f"{len(seconds)} of {students} notebooks say what their cells took.")
    return sum(seconds) / students


def _check(where: Path, lesson: Lesson, students: int) -> None:
    wanted = sum(test.points for test in lesson.tests)
    found = classes.scores(where, lesson)
    if len(found) != students or set(found) != {wanted}:
        raise SystemExit(
            f"{students} right submissions: {len(found)} are graded, with {set(found)} of {wanted:g} points."
        )


def _said(made: Class) -> Class:
    took = made.took
    print(f"{made.name}: {made.students} students, {took.wall:.1f} s wall, {took.cpu:.1f} s CPU", flush=True)
    return made


def goals(graded: dict[str, list[Class]]) -> list[Goal]:
    """The goals, from classes of ascending size under the names `light`, `real`, `light stock` and `real stock`."""
    cores = len(os.sched_getaffinity(0))
    light, real = graded["light"], graded["real"]
    each = {name: between(sizes[-2], sizes[-1]) for name, sizes in graded.items()}
    few = between(light[0], light[1])
    # Our kernels have torch when they start; in stock nbgrader a cell imports it, and the light class does little else.
    tests = graded["real stock"][-1].own - graded["light stock"][-1].own
    limit = real[-1].own / cores
    sizes = f"{light[-1].students} students against {light[1].students}"
    return [
        _least(
            "light class, throughput of stock nbgrader", each["light stock"].wall / each["light"].wall, 15, " times"
        ),
        _least("real class, throughput of stock nbgrader", each["real stock"].wall / each["real"].wall, 1, " times"),
        _most("real class, wall time above CPU time of own cells / cores", _above(each["real"].wall, limit), 15, " %"),
        _most("real class, the same with test cells", _above(each["real"].wall, tests / cores), 15, " %"),
        _most("light class, CPU time above own cells", each["light"].cpu - light[-1].own, 0.5, " s"),
        _most("real class, CPU time above own cells", each["real"].cpu - real[-1].own, 0.5, " s"),
        _most("real class, CPU time above own and test cells", each["real"].cpu - tests, 0.5, " s"),
        _most(f"CPU time of a submission, {sizes}", _above(each["light"].cpu, few.cpu), 5, " %"),
        _most(f"coordinator's memory, {sizes}", _above(light[-1].took.memory, light[1].took.memory), 5, " %"),
    ]


def _above(value: float, reference: float) -> float:
    return 100 * (value / reference - 1)


def _least(name: str, value: float, bound: float, unit: str) -> Goal:
    return Goal(name, value, unit, f"at least {bound:g}", value >= bound)


def _most(name: str, value: float, bound: float, unit: str) -> Goal:
    return Goal(name, value, unit, f"at most {bound:g}", value <= bound)


def main(
    light: Annotated[list[int] | None, typer.Option(help="Sizes of the light class: three, ascending.")] = None,
    real: Annotated[list[int] | None, typer.Option(help="Sizes of the real class: two, ascending.")] = None,
    out: Annotated[Path, typer.Option(help="The page of results.")] = Path("benchmarks") / "results.md",
) -> None:
    """Grade light and real classes with our grader and with stock nbgrader; write the page of results."""
    sizes = {"light": light or [5, 50, 500], "real": real or [2, 12], "light stock": [1, 5], "real stock": [1, 3]}
    with tempfile.TemporaryDirectory(prefix="course-benchmark-") as folder:
        graded = _graded(Path(folder), sizes)
    day = datetime.now(UTC).date().isoformat()
    out.write_text(page([each for group in graded.values() for each in group], goals(graded), day), encoding="utf-8")
    print(f"written to {out}")


def _graded(folder: Path, sizes: Mapping[str, Sequence[int]]) -> dict[str, list[Class]]:
    lessons = {name: classes.lesson(folder / name, lesson) for lesson, name in NAMES.items()}
    graded = {}
    for name, numbers in sizes.items():
        kind, _, rest = name.partition(" ")
        graded[name] = [
            stock(folder / f"{kind}-stock-{number}", lessons[kind], number)
            if rest
            else ours(folder / kind, lessons[kind], number)
            for number in numbers
        ]
    return graded


if __name__ == "__main__":
    typer.run(main)
