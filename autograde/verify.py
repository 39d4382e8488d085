"""Proves the hidden tests: every answer of the bank, right or wrong, goes through the real path."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
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
    """Grade the bank of one lesson (or all) and print a table for each; rows that nothing has changed for are not run
    again, unless `anew`. True when every answer got what it should and enough mistakes were named."""
    good = True
    for lesson in lessons(root, name):
        answers = bank(lesson, exercise)
        if not answers:
            raise CourseError(f"{lesson.name} has no answers in {ANSWERS / lesson.name}.")
        rows = _rows(root, lesson, answers, console, workers, anew)
        console.print(_table(lesson, answers, rows))
        for line in [line for answer in answers for line in rows[answer.id].wrong]:
            console.print(line, style="red", markup=False)
        wrong = [answer for answer in answers if not answer.right]
        for answer in wrong:
            if not rows[answer.id].wrong and not _named(answer, rows[answer.id]):
                console.print(_unnamed(answer, rows[answer.id], wrong), style="yellow", markup=False)
        named = sum(_named(answer, rows[answer.id]) for answer in wrong)
        if named < NAMED * len(wrong):
            console.print(f"named: {named} of {len(wrong)}, and {NAMED:.0%} must be", style="red", markup=False)
            good = False
        good = good and not any(row.wrong for row in rows.values())
    return good


def _rows(
    root: Path, lesson: Lesson, answers: Sequence[Answer], console: Console, workers: int | None, anew: bool
) -> dict[str, Row]:
    """A row for each answer, from what was kept or from a run."""
    seeds = seeds_for(lesson, course_secret(root))
    keys = {answer.id: key_of(lesson, answer, seeds) for answer in answers}
    kept = Kept(root, lesson.name)
    known = {} if anew else {answer.id: kept.get(answer.id, keys[answer.id]) for answer in answers}
    rows = {id: Row(tuple(found["wrong"]), found["mistake"]) for id, found in known.items() if found is not None}
    console.print(f"{len(rows)} of {len(answers)} rows of {lesson.name} taken from the cache", markup=False)
    todo = [answer for answer in answers if answer.id not in rows]
    if todo:
        with Progress(console=console) as progress:
            task = progress.add_task(f"verifying {lesson.name}", total=len(todo))
            by_id = {answer.id: answer for answer in todo}
            for result in _graded(root, lesson, todo, seeds, workers):
                answer = by_id[result.id]
                row = Row(tuple(surprise(answer, result)), _mistake(answer, result))
                rows[answer.id] = row
                if not result.refused:
                    kept.put(answer.id, keys[answer.id], asdict(row))
                progress.update(task, advance=1)
    return rows


def _graded(
    root: Path, lesson: Lesson, answers: Sequence[Answer], seeds: dict[str, int], workers: int | None
) -> Iterator[Result]:
    """Run each answer's exercise and those that build on it; nothing else can change."""
    limits = Limits.for_lesson(lesson.notebook.metadata)
    with Pool(workers, root=root) as pool:
        yield from pool.run(
            Job(
                answer.id,
                with_answer(lesson, answer.exercise, answer.source),
                root,
                lesson.name,
                limits,
                seeds,
                only=(answer.exercise, *lesson.built_on(answer.exercise)),
                shown=False,
            )
            for answer in answers
        )


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


def _named(answer: Answer, row: Row) -> bool:
    return bool(answer.hint) and row.mistake == answer.hint


def _unnamed(answer: Answer, row: Row, wrong: Sequence[Answer]) -> str:
    """Why a mistake does not count as named: no hint, none found, or the hint of another."""
    if not answer.hint:
        return f"{answer.id}: it has no docstring, so no hint"
    others = [other.id for other in wrong if other.hint == row.mistake and other.exercise == answer.exercise]
    return f"{answer.id}: taken for {others[0]}" if others else f"{answer.id}: its mistake is not named"


def _table(lesson: Lesson, answers: Sequence[Answer], rows: dict[str, Row]) -> Table:
    table = Table(title=f"answer bank of {lesson.name}", title_justify="left")
    for heading in ("exercise", "wrong caught / all", "right accepted / all", "named / all"):
        table.add_column(heading, justify="left" if heading == "exercise" else "right")
    for test in lesson.tests:
        mine = [answer for answer in answers if answer.exercise == test.exercise]
        wrong, right = ([answer for answer in mine if answer.right == kind] for kind in (False, True))
        if mine:
            good = [sum(not rows[answer.id].wrong for answer in group) for group in (wrong, right)]
            named = sum(_named(answer, rows[answer.id]) for answer in wrong)
            counts = (f"{good[0]} / {len(wrong)}", f"{good[1]} / {len(right)}", f"{named} / {len(wrong)}")
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
