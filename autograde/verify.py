"""Proves the hidden tests: every answer of the bank, right or wrong, goes through the real path."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from autograde.bank import ANSWERS, Answer, bank
from autograde.errors import BuildError, CourseError
from autograde.lesson import Lesson
from autograde.limits import Limits
from autograde.run.pool import Job, Pool, Result
from autograde.seeds import course_secret, seeds_for
from autograde.verified import Kept, key_of

#: Of all wrong answers of a lesson, how many must be named by their own hint.
NAMED = 0.95


@dataclass(frozen=True)
class Row:
    """What became of one answer. `wrong` says what is not as it should be, a line each; `mistake` is what was named."""

    wrong: tuple[str, ...]
    mistake: str = ""


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
    root: Path,
    name: str | None,
    exercise: str | None,
    console: Console,
    *,
    workers: int | None = None,
    anew: bool = False,
) -> bool:
    """Grade the bank of a lesson (or all) and print a table for each; unchanged rows are not run again, unless `anew`.
    True when every answer got what it should and enough mistakes were named."""
    good = True
    for lesson in lessons(root, name):
        answers = answers_of(lesson, exercise)
        rows = {} if anew else known_rows(root, lesson, answers)
        console.print(f"{len(rows)} of {len(answers)} rows of {lesson.name} taken from the cache", markup=False)
        todo = [answer for answer in answers if answer.id not in rows]
        if todo:
            with Progress(console=console) as progress:
                task = progress.add_task(f"verifying {lesson.name}", total=len(todo))
                for id, row in new_rows(root, lesson, todo, workers):
                    rows[id] = row
                    progress.update(task, advance=1)
        console.print(_table(lesson, answers, rows))
        for line in [line for answer in answers for line in rows[answer.id].wrong]:
            console.print(line, style="red", markup=False)
        for line in unnamed(answers, rows):
            console.print(line, style="yellow", markup=False)
        if few := too_few_named(answers, rows):
            console.print(few, style="red", markup=False)
        good = good and not few and not any(row.wrong for row in rows.values())
    return good


def answers_of(lesson: Lesson, exercise: str | None = None) -> list[Answer]:
    """The bank of a lesson.

    Raises:
        CourseError: it is empty.
    """
    answers = bank(lesson, exercise)
    if not answers:
        raise CourseError(f"{lesson.name} has no answers in {ANSWERS / lesson.name}.")
    return answers


def known_rows(root: Path, lesson: Lesson, answers: Sequence[Answer]) -> dict[str, Row]:
    """The rows that were found before and that nothing has changed for."""
    seeds, kept = seeds_for(lesson, course_secret(root)), Kept(root, lesson.name)
    known = {answer.id: kept.get(answer.id, key_of(lesson, answer, seeds)) for answer in answers}
    return {id: Row(tuple(found["wrong"]), found["mistake"]) for id, found in known.items() if found is not None}


def new_rows(root: Path, lesson: Lesson, answers: Sequence[Answer], workers: int | None) -> Iterator[tuple[str, Row]]:
    """Grade answers; yields each one's id and row as it ends, and keeps it."""
    seeds, kept = seeds_for(lesson, course_secret(root)), Kept(root, lesson.name)
    by_id = {answer.id: answer for answer in answers}
    for result in _graded(root, lesson, answers, seeds, workers):
        answer = by_id[result.id]
        row = Row(tuple(surprise(answer, result)), _mistake(answer, result))
        if not result.refused:
            kept.put(answer.id, key_of(lesson, answer, seeds), asdict(row))
        yield answer.id, row


def _graded(
    root: Path, lesson: Lesson, answers: Sequence[Answer], seeds: dict[str, int], workers: int | None
) -> Iterator[Result]:
    """Run each answer's exercise and those that build on it; nothing else can change."""
    limits = Limits.for_lesson(lesson.notebook.metadata)

    def job(answer: Answer) -> Job:
        notebook = with_answer(lesson, answer.exercise, answer.source)
        only = (answer.exercise, *lesson.built_on(answer.exercise))
        return Job(answer.id, notebook, root, lesson.name, limits, seeds, only=only, shown=False)

    with Pool(workers, root=root) as pool:
        yield from pool.run(job(answer) for answer in answers)


def surprise(answer: Answer, result: Result) -> list[str]:
    """What is wrong with a bank answer's result, a line each; empty when it got what it should: a wrong answer loses
    its exercise's points and no other's, a right one keeps all."""
    if result.error is not None:
        return [f"{answer.id}: {result.error}"]
    lines = []
    for verdict in result.verdicts:
        where = "" if verdict.exercise == answer.exercise else f" of {verdict.exercise}, which builds on it"
        if verdict.status == "broken test":
            lines.append(f"{answer.id}: the test{where} is broken: {verdict.detail}")
        elif answer.right or where:
            kind = "right" if answer.right else "wrong"
            if not verdict.full:
                why = verdict.detail or verdict.message
                lines.append(f"{answer.id}: a {kind} answer lost points{where} ({verdict.status}): {why}")
        elif verdict.points > 0:
            lines.append(f"{answer.id}: a wrong answer kept {verdict.points:g} of {verdict.max_points:g} points")
    return lines


def _mistake(answer: Answer, result: Result) -> str:
    """The hint in the verdict of the answer's own exercise."""
    return next((verdict.mistake for verdict in result.verdicts if verdict.exercise == answer.exercise), "")


def named(answer: Answer, row: Row) -> bool:
    """Whether a wrong answer is named by its own hint."""
    return bool(answer.hint) and row.mistake == answer.hint


def unnamed(answers: Sequence[Answer], rows: Mapping[str, Row]) -> list[str]:
    """The wrong answers that are caught but not named by their own hint, a line each, which says why."""
    wrong = [answer for answer in answers if not answer.right]
    odd = [answer for answer in wrong if not rows[answer.id].wrong and not named(answer, rows[answer.id])]
    return [_unnamed(answer, rows[answer.id], wrong) for answer in odd]


def too_few_named(answers: Sequence[Answer], rows: Mapping[str, Row]) -> str:
    """One line if fewer mistakes are named than must be, else nothing."""
    wrong = [answer for answer in answers if not answer.right]
    count = sum(named(answer, rows[answer.id]) for answer in wrong)
    return f"named: {count} of {len(wrong)}, and {NAMED:.0%} must be" if count < NAMED * len(wrong) else ""


def _unnamed(answer: Answer, row: Row, wrong: Sequence[Answer]) -> str:
    """Why a mistake does not count as named: no hint, none found, or the hint of another."""
    if not answer.hint:
        return f"{answer.id}: it has no docstring, so no hint"
    others = [other.id for other in wrong if other.hint == row.mistake and other.exercise == answer.exercise]
    return f"{answer.id}: taken for {others[0]}" if others else f"{answer.id}: its mistake is not named"


@dataclass(frozen=True)
class Tally:
    """How the answers of one exercise did: wrong ones caught, right ones accepted, mistakes named."""

    lesson: str
    exercise: str
    caught: int
    wrong: int
    accepted: int
    right: int
    named: int


def tally(lesson: Lesson, answers: Sequence[Answer], rows: Mapping[str, Row]) -> list[Tally]:
    """One for each exercise that has answers, in the lesson's order."""
    tallies = []
    for exercise in (str(test.exercise) for test in lesson.tests):
        mine = [answer for answer in answers if answer.exercise == exercise]
        wrong, right = ([answer for answer in mine if answer.right == kind] for kind in (False, True))
        caught, accepted = (sum(not rows[answer.id].wrong for answer in group) for group in (wrong, right))
        count = sum(named(answer, rows[answer.id]) for answer in wrong)
        if mine:
            tallies.append(Tally(lesson.name, exercise, caught, len(wrong), accepted, len(right), count))
    return tallies


def _table(lesson: Lesson, answers: Sequence[Answer], rows: Mapping[str, Row]) -> Table:
    table = Table(title=f"answer bank of {lesson.name}", title_justify="left")
    for heading in ("exercise", "wrong caught / all", "right accepted / all", "named / all"):
        table.add_column(heading, justify="left" if heading == "exercise" else "right")
    for each in tally(lesson, answers, rows):
        counts = (f"{each.caught} / {each.wrong}", f"{each.accepted} / {each.right}", f"{each.named} / {each.wrong}")
        table.add_row(each.exercise, *counts)
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
    with Pool(1, root=root) as pool:
        for lesson in chosen:
            limits = Limits.for_lesson(lesson.notebook.metadata)
            seeds = seeds_for(lesson, course_secret(root))
            job = Job(lesson.name, instructors(lesson), root, lesson.name, limits, seeds, shown=False)
            result = pool.run_one(job)
            if result.error is not None:
                raise BuildError(f"{lesson.name}: our own version does not run: {result.error}")
            lost = [verdict for verdict in result.verdicts if not verdict.full]
            if lost:
                lines = "\n".join(f"  {verdict.exercise}: {verdict.detail or verdict.message}" for verdict in lost)
                raise BuildError(f"{lesson.name}: our own version loses points:\n{lines}")
            total = sum(verdict.points for verdict in result.verdicts)
            console.print(f"{lesson.name}: our own version earns {total:g} of {total:g} automatic points", markup=False)
