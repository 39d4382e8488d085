"""Replays one lost point for the instructor: the probe, its inputs, what was expected, what came, the mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from autograde.errors import CourseError
from autograde.gradebook.grade import Course
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.repair import find_submission
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for
from autograde.verdict import Verdict


def explain_lost(
    root: Path, name: str, student: str, exercise: str, console: Console, *, sandboxed: bool = True
) -> None:
    """Run a submission again, the same tests on the same inputs, and print how one exercise lost its points.

    Nothing is written: not the gradebook, not the results. The page holds hidden inputs: it is for the instructor.

    Raises:
        CourseError: there is no such lesson, student or exercise, or the submission cannot be run.
    """
    course = Course(root, sandboxed=sandboxed)
    lesson = course.lesson(name)
    if lesson.parts:
        raise CourseError(
            f"{name} cannot be replayed: it has one room, so its tests say only what stands in the graded notebook, "
            f"{course.root / 'autograded' / student / name}."
        )
    exercises = [str(test.exercise) for test in lesson.tests]
    if exercise not in exercises:
        raise CourseError(f"{name} has no exercise {exercise!r} with a test; there are {', '.join(exercises)}.")
    folder = course.submissions(name).get(student)
    if folder is None:
        raise CourseError(f"Nothing was submitted: there is no folder {course.root / 'submitted' / student / name}.")
    found = find_submission(folder, lesson)
    if found.raw is None:
        why = found.notes[0].message if found.notes else "Nothing was submitted."
        raise CourseError(f"{student}'s submission cannot be run: {why}")
    job = Job(
        student,
        found.raw,
        course.root,
        name,
        Limits.for_lesson(lesson.notebook.metadata),
        seeds_for(lesson, course_secret(course.root)),
        sandboxed,
        only=(*lesson.needs(exercise), exercise),
        lost=True,
    )
    with Pool(1, sandboxed=sandboxed, root=course.root) as pool:
        result = pool.run_one(job)
    if result.error is not None:
        raise CourseError(f"{student}'s submission cannot be run: {result.error}")
    _print(console, lesson, student, exercise, result)


def _print(console: Console, lesson: Lesson, student: str, exercise: str, result: Result) -> None:
    verdict = next(verdict for verdict in result.verdicts if verdict.exercise == exercise)
    score = f"{verdict.points:g} of {verdict.max_points:g} points"
    console.print(Text(f"{student}, {lesson.name}, {exercise}: {verdict.status}, {score}", style="bold"))
    if verdict.tested_with:
        console.print(f"Tested with our {', '.join(verdict.tested_with)}: the student's own failed.", markup=False)
    if verdict.full:
        console.print("Nothing was lost here.")
        return
    words = next((lost for lost in result.lost if lost["exercise"] == exercise), None)
    for title, text in _sections(lesson, verdict, words):
        console.print(Panel(Text(_printable(text)), title=title, title_align="left"))
    broken = [need.exercise for need in result.verdicts if need.exercise != exercise and not need.full]
    if broken and not verdict.tested_with:
        console.print(f"It builds on {', '.join(broken)}, which failed, too; with ours in place it fails all the same.")


def _sections(lesson: Lesson, verdict: Verdict, words: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The parts of the page, each a title and a text."""
    sections = [("what the student reads", verdict.message)]
    if words is not None and "probe" in words:
        where = "hidden" if words["hidden"] else "visible"
        inputs = "\n\n".join(words["inputs"]) or "none"
        sections.append((f"probe {words['probe']}, call {words['calls']}, {where}: inputs", inputs))
        if "expected" in words:
            sections += [("expected", words["expected"]), ("got", words["got"])]
        else:
            sections.append(("what came back", words["came"]))
    if words is not None and words["place"]:
        line = words["place"][0]
        source = lesson.by_id[verdict.grade_id].source.split("\n")[line - 1].strip()
        sections.append((f"the check that failed: line {line} of {verdict.grade_id}", source))
    sections.append(("in the test's words", (words or {}).get("error") or verdict.detail or verdict.message))
    mistake = verdict.mistake or "The bank has no wrong answer that behaves like this one."
    return [*sections, ("the mistake", mistake)]


def _printable(text: str) -> str:
    """Text that a student may have written, without what would speak to the terminal."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
