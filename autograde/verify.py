"""Proves the hidden tests: every answer of the bank, right or wrong, goes through the real path."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from autograde.errors import BuildError, CourseError
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for

ANSWERS = Path(__file__).parent / "answers"


@dataclass(frozen=True)
class Answer:
    """What a student might write into one solution cell. `right` answers must keep all points, wrong ones none."""

    lesson: str
    exercise: str
    right: bool
    name: str
    source: str

    @property
    def id(self) -> str:
        return f"{self.exercise}/{'right' if self.right else 'wrong'}/{self.name}"


def bank(lesson: Lesson, exercise: str | None = None) -> list[Answer]:
    """The answers for a lesson, from `answers/LESSON/EXERCISE/{right,wrong}/*.py`.

    Raises:
        CourseError: an answer for an exercise that the lesson does not have.
    """
    exercises = {test.exercise for test in lesson.tests}
    answers = []
    for path in sorted((ANSWERS / lesson.name).glob("*/*/*.py")):
        name, kind = path.parts[-3:-1]
        if name not in exercises or kind not in ("right", "wrong"):
            raise CourseError(
                f"{path}: answers lie in EXERCISE/right or EXERCISE/wrong; exercises are {sorted(map(str, exercises))}."
            )
        if exercise in (None, name):
            answers.append(Answer(lesson.name, name, kind == "right", path.stem, path.read_text()))
    return answers


def with_answer(lesson: Lesson, exercise: str, source: str) -> bytes:
    """The released notebook with our solutions, but for one exercise that holds `source`."""
    notebook = copy.deepcopy(lesson.release)
    ours = lesson.by_id
    for cell in notebook.cells:
        known = ours.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        if known is not None and known.kind == "solution":
            cell.source = source if known.grade_id == exercise else known.source
    return nbformat.writes(notebook).encode()


def instructors(lesson: Lesson) -> bytes:
    """The released notebook with our solutions in it: what a perfect student hands in."""
    return with_answer(lesson, "", "")


def verify_bank(
    root: Path, name: str | None, exercise: str | None, console: Console, *, workers: int | None = None
) -> bool:
    """Grade the bank of one lesson (or all); prints a table an exercise. True when every answer got what it should."""
    good = True
    for lesson in lessons(root, name):
        answers = bank(lesson, exercise)
        if not answers:
            raise CourseError(f"{lesson.name} has no answers in {ANSWERS / lesson.name}.")
        with Progress(console=console) as progress:
            task = progress.add_task(f"verifying {lesson.name}", total=len(answers))
            results = {}
            for result in _graded(root, lesson, answers, workers):
                results[result.id] = result
                progress.update(task, advance=1)
        surprises = [line for answer in answers for line in surprise(answer, results[answer.id])]
        console.print(_table(lesson, answers, results))
        for line in surprises:
            console.print(line, style="red", markup=False)
        good = good and not surprises
    return good


def _graded(root: Path, lesson: Lesson, answers: list[Answer], workers: int | None) -> Iterator[Result]:
    limits = Limits.for_lesson(lesson.notebook.metadata)
    seeds = seeds_for(lesson, course_secret(root))
    jobs = (
        Job(
            answer.id,
            with_answer(lesson, answer.exercise, answer.source),
            root,
            lesson.name,
            limits,
            seeds,
            only=(answer.exercise,),
        )
        for answer in answers
    )
    with Pool(workers) as pool:
        yield from pool.run(jobs)


def surprise(answer: Answer, result: Result) -> list[str]:
    """What is wrong with a bank answer's result, a line each; empty when it got what it should."""
    if result.error is not None:
        return [f"{answer.id}: {result.error}"]
    (verdict,) = result.verdicts
    if verdict.status == "broken test":
        return [f"{answer.id}: the test is broken: {verdict.detail}"]
    if answer.right and verdict.points < verdict.max_points:
        return [f"{answer.id}: a right answer lost points ({verdict.status}): {verdict.detail or verdict.message}"]
    if not answer.right and verdict.points > 0:
        return [f"{answer.id}: a wrong answer kept {verdict.points:g} of {verdict.max_points:g} points"]
    return []


def _table(lesson: Lesson, answers: list[Answer], results: dict[str, Result]) -> Table:
    table = Table(title=f"answer bank of {lesson.name}", title_justify="left")
    table.add_column("exercise")
    table.add_column("wrong caught / all", justify="right")
    table.add_column("right accepted / all", justify="right")
    for test in lesson.tests:
        counts = []
        for right in (False, True):
            mine = [answer for answer in answers if answer.exercise == test.exercise and answer.right == right]
            good = sum(not surprise(answer, results[answer.id]) for answer in mine)
            counts.append(f"{good} / {len(mine)}")
        table.add_row(str(test.exercise), *counts)
    return table


def lessons(root: Path, name: str | None) -> list[Lesson]:
    """One lesson, or all that have a source text in `root`."""
    names = [name] if name else sorted(path.stem for path in (root / "source").glob("*.py"))
    return [Lesson.load(root, each) for each in names]


def run_instructor(root: Path, name: str | None, console: Console) -> None:
    """Run both rooms on our own version of each lesson.

    Raises:
        BuildError: it does not earn every point.
    """
    chosen = lessons(root, name)
    with Pool(1) as pool:
        for lesson in chosen:
            limits = Limits.for_lesson(lesson.notebook.metadata)
            seeds = seeds_for(lesson, course_secret(root))
            result = pool.run_one(Job(lesson.name, instructors(lesson), root, lesson.name, limits, seeds))
            if result.error is not None:
                raise BuildError(f"{lesson.name}: our own version does not run: {result.error}")
            lost = [verdict for verdict in result.verdicts if verdict.points < verdict.max_points]
            if lost:
                lines = "\n".join(f"  {verdict.exercise}: {verdict.detail or verdict.message}" for verdict in lost)
                raise BuildError(f"{lesson.name}: our own version loses points:\n{lines}")
            total = sum(verdict.points for verdict in result.verdicts)
            console.print(f"{lesson.name}: our own version earns {total:g} of {total:g} automatic points", markup=False)
