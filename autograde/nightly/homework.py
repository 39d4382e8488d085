"""Homework in the two rooms: our own version earns every point, the release earns none, the answer bank is right."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nbformat

from autograde.bank import Answer
from autograde.errors import CourseError
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.nightly.check import Check, Failure, Outcome, Task
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for
from autograde.verdict import Verdict
from autograde.verify import Row, answers_of, instructors, known_rows, new_rows, tally, too_few_named, unnamed


def grade(root: Path, tasks: Sequence[Task], workers: int | None = None) -> Iterator[Outcome]:
    """Grade our own version or the release of lessons, as the tasks' names say; yields outcomes as they come."""
    jobs, outcomes = {}, []
    for task in tasks:
        try:
            lesson = Lesson.load(root, task.lesson)
            handed_in = instructors(lesson) if task.name == "instructor" else nbformat.writes(lesson.release).encode()
            limits = Limits.for_lesson(lesson.notebook.metadata)
            seeds = seeds_for(lesson, course_secret(root))
            jobs[task.label] = task, lesson, Job(task.label, handed_in, root, task.lesson, limits, seeds)
        except CourseError as error:
            outcomes.append(Outcome.of(task, task.name, [Failure(str(error), task.repeat)]))
    yield from outcomes
    if jobs:
        with Pool(workers, root=root) as pool:
            for result in pool.run(job for _, _, job in jobs.values()):
                task, lesson, _ = jobs[result.id]
                yield _outcome(task, lesson, result)


def _outcome(task: Task, lesson: Lesson, result: Result) -> Outcome:
    if result.error is not None:
        failures = [Failure(f"it cannot be graded: {result.error}", task.repeat)]
    elif task.name == "instructor":
        failures = [_lost(task, lesson, verdict) for verdict in result.verdicts if not verdict.full]
    else:
        opened = [verdict for verdict in result.verdicts if verdict.points or verdict.status != "not attempted"]
        failures = [_earned(task, lesson, verdict) for verdict in opened]
    earned, possible = (sum(getattr(each, name) for each in result.verdicts) for name in ("points", "max_points"))
    if not result.verdicts and not failures:
        failures = [Failure("it has no exercise that is graded by machine", task.repeat)]
    note = f"{earned:g} of {possible:g} points in {len(result.verdicts)} exercises"
    return Outcome.of(task, task.name, failures, result.seconds, note)


def _lost(task: Task, lesson: Lesson, verdict: Verdict) -> Failure:
    what = f"our own {verdict.exercise} earns {verdict.points:g} of {verdict.max_points:g} points ({verdict.status})"
    return _at_its_test(task, lesson, verdict, what)


def _earned(task: Task, lesson: Lesson, verdict: Verdict) -> Failure:
    what = f"{verdict.exercise} as released earns {verdict.points:g} of {verdict.max_points:g} points"
    return _at_its_test(task, lesson, verdict, f"{what}, and is called `{verdict.status}`")


def _at_its_test(task: Task, lesson: Lesson, verdict: Verdict, what: str) -> Failure:
    test = lesson.by_id[verdict.grade_id]
    return Failure(what, task.repeat, test.index + 1, test.source, verdict.detail or verdict.message)


def verify(
    root: Path, task: Task, told: Callable[[int, int], None], workers: int | None = None, anew: bool = False
) -> Iterator[Outcome]:
    """Grade the answer bank of a lesson, one outcome; `told` hears how many rows are done, of how many."""
    began = time.monotonic()
    try:
        lesson = Lesson.load(root, task.lesson)
        answers = answers_of(lesson)
    except CourseError as error:
        yield Outcome.of(task, "bank", [Failure(str(error), task.repeat)])
        return
    rows = {} if anew else known_rows(root, lesson, answers)
    cached = len(rows)
    told(cached, len(answers))
    todo = [answer for answer in answers if answer.id not in rows]
    if todo:
        for id, row in new_rows(root, lesson, todo, workers):
            rows[id] = row
            told(len(rows), len(answers))
    failures = [failure for answer in answers for failure in _wrong(task, answer, rows[answer.id])]
    if few := too_few_named(answers, rows):
        failures.append(Failure(few, task.repeat, traceback="\n".join(unnamed(answers, rows))))
    note = f"{len(answers)} answers, {cached} of them unchanged since they were graded"
    seconds = time.monotonic() - began
    check = Check(task.lesson, task.name, "bank", None, seconds, note, tuple(failures))
    yield Outcome(task, (check,), scores=tuple(tally(lesson, answers, rows)), seconds=seconds)


def _wrong(task: Task, answer: Answer, row: Row) -> Iterator[Failure]:
    repeat = f"autograde verify {task.lesson} --exercise {answer.exercise}"
    for line in row.wrong:
        first, _, rest = line.partition("\n")
        yield Failure(first, repeat, None, answer.source, rest)
