"""What was measured, and the page that says it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from benchmarks.measure import Took, clock


@dataclass(frozen=True)
class Goal:
    """One line of the page: a ratio or a cost, what it must be, and whether it is."""

    name: str
    value: float
    unit: str
    goal: str
    met: bool


@dataclass(frozen=True)
class Class:
    """One class graded: how many students, what it took, and the processor time of one notebook's cells: the student's
    own, and with stock nbgrader the test cells."""

    name: str
    students: int
    took: Took
    own: float = 0.0


def between(small: Class, large: Class) -> Took:
    """What one more submission takes, from two sizes of a class: the start is in neither."""
    more = large.students - small.students
    wall, cpu = large.took.wall - small.took.wall, large.took.cpu - small.took.cpu
    return Took(wall / more, cpu / more, large.took.memory - small.took.memory)


def page(classes: Sequence[Class], goals: Sequence[Goal], day: str) -> str:
    """The page of results, in Markdown."""
    cores = len(os.sched_getaffinity(0))
    software = ", ".join(f"{name} {version(name)}" for name in ("torch", "nbgrader", "ipykernel"))
    lines = [
        "# Results",
        "",
        f"Made by `make benchmark` on {day}: {cores} cores, Python {platform.python_version()}, {software}.",
        f"Processor time is that of {clock()}. All of it is one run, so only ratios carry over to another machine.",
        "",
        "| goal | measured | wanted | met |",
        "|---|---:|---:|---|",
        *(f"| {each.name} | {each.value:.3g}{each.unit} | {each.goal} | {_word(each.met)} |" for each in goals),
        "",
        "Cells are the students' own. In stock nbgrader, where all run in one process, the test cells count, too, and",
        "the import of torch, with which our kernels start.",
        "",
        "| class | students | wall s | CPU s | wall s each | CPU s each | of these, cells | MiB, coordinator |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(_line(each) for each in classes),
        "",
    ]
    return "\n".join(lines)


def _word(met: bool) -> str:
    return "yes" if met else "**no**"


def _line(each: Class) -> str:
    took, count = each.took, each.students
    numbers = (took.wall, took.cpu, took.wall / count, took.cpu / count, each.own)
    own = [f"{number:.2f}" for number in numbers]
    return f"| {each.name} | {count} | {' | '.join(own)} | {took.memory:.0f} |"
