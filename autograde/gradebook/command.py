"""The commands `autograde grade` and `autograde regrade`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from autograde.cluster import options as cluster
from autograde.say import Say

if TYPE_CHECKING:  # the command line starts quickly
    from autograde.gradebook.differences import Comparison
    from autograde.gradebook.grade import Course
    from autograde.gradebook.regrade import Regrade
    from autograde.gradebook.results import Graded

console = Console(width=None if sys.stdout.isatty() else 160)

Lesson = Annotated[str, typer.Argument(help="The lesson, like 03_qkv.")]
Student = Annotated[str | None, typer.Option(help="Only this student's submission.")]
Sandbox = Annotated[
    bool,
    typer.Option("--sandbox/--no-sandbox", help="--no-sandbox: only for a class you trust; the report says so."),
]
Force = Annotated[bool, typer.Option("--force", help="Also run what has not changed since it was graded.")]
Talk = Annotated[Say, typer.Option(help="A bar and a table, nothing, or a JSON object a line.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Submissions side by side; else two a core, and one for 2 GiB of free memory.")
]
Root = Annotated[Path, typer.Option(help="The course folder.", file_okay=False, exists=True)]
HERE = Path()


def grade(
    lesson: Lesson,
    student: Student = None,
    sandbox: Sandbox = True,
    force: Force = False,
    say: Talk = Say.bar,
    workers: Workers = None,
    scheduler: cluster.Address = None,
    tls_ca: cluster.Authority = None,
    tls_cert: cluster.Certificate = None,
    tls_key: cluster.Key = None,
    root: Root = HERE,
) -> None:
    """Grade `submitted/*/LESSON/`: table, gradebook, graded notebooks, report.

    What is graded and unchanged is not run again, so after an interruption the same command goes on where it was.
    """
    there = cluster.chosen(scheduler, tls_ca, tls_cert, tls_key, workers)
    grade_class(root, lesson, student=student, sandbox=sandbox, force=force, say=say, workers=workers, scheduler=there)


def regrade(
    lesson: Lesson,
    apply: Annotated[bool, typer.Option("--apply", help="Then write what was found, as `grade` does.")] = False,
    student: Student = None,
    sandbox: Sandbox = True,
    force: Force = False,
    say: Talk = Say.bar,
    workers: Workers = None,
    scheduler: cluster.Address = None,
    tls_ca: cluster.Authority = None,
    tls_cert: cluster.Certificate = None,
    tls_key: cluster.Key = None,
    root: Root = HERE,
) -> None:
    """Grade a changed lesson again, and print which scores change. Nothing is written without --apply.

    What was run is kept aside: --apply runs nothing twice, and after an interruption the same command goes on.
    """
    from autograde.alone import alone
    from autograde.gradebook.grade import Course
    from autograde.gradebook.regrade import Regrade
    from autograde.progress import tell, telling

    there = cluster.chosen(scheduler, tls_ca, tls_cert, tls_key, workers)
    course = Course(root, workers=workers, sandboxed=sandbox, scheduler=there)
    with alone(course.root, _waiting(say)):
        work = Regrade(course, lesson, student, force=force)
        with telling(say, lesson, work.total, console) as step:
            for graded in work.run():
                step(graded, graded.student in work.idle)
        rows = work.comparisons()
        refusal = work.refusal if work.changed else ""
        if say is Say.json:
            about = {"never_graded": work.never, "damaged": work.damaged, "not_run": work.refused}
            tell({"regrade": [row.to_dict() for row in rows], **about, "changed": work.changed, "refusal": refusal})
        elif say is Say.bar:
            _show(lesson, work, rows)
            if work.changed and not apply:
                more = [*(["--student", student] if student else []), *([] if sandbox else ["--no-sandbox"])]
                command = shlex.join(["autograde", "regrade", lesson, "--apply", *more])
                console.print(refusal and f"--apply will be refused. {refusal}", style="red", markup=False, end="")
                console.print("" if refusal else f"Nothing is written yet. `{command}` writes this.", markup=False)
        if apply and work.total:
            written = list(work.apply())
            _finish(course, lesson, written, say)


def grade_class(
    root: Path,
    lesson: str,
    *,
    student: str | None = None,
    sandbox: bool = True,
    force: bool = False,
    say: Say = Say.bar,
    workers: int | None = None,
    scheduler: cluster.Scheduler | None = None,
) -> None:
    """Grade and show; shared by `grade` and `demo`."""
    from autograde.gradebook.grade import Course
    from autograde.gradebook.results import readable
    from autograde.progress import telling
    from autograde.report import table

    course = Course(root, workers=workers, sandboxed=sandbox, scheduler=scheduler)
    known = course.lesson(lesson)
    there = [student] if student else list(course.submissions(lesson))
    before = {name: readable(course.root, lesson, name) for name in there}
    rows = []
    with telling(say, lesson, len(there), console) as step:
        for graded in course.grade(lesson, student, force=force, waiting=_waiting(say)):
            rows.append(graded)
            step(graded, graded.student in course.unchanged)
    if say is Say.bar:
        console.print(table(known, rows))
        if known.warning:
            console.print(f"[red]{known.warning}[/]")
        if not sandbox:
            console.print(
                "[red]Graded without a sandbox: student code could have changed anything, these scores included.[/]"
            )
        if course.unchanged:
            console.print(f"{len(course.unchanged)} of {len(rows)} unchanged since they were graded: not run again.")
        if words := _changed(lesson, before, rows):
            console.print(words, markup=False)
    _finish(course, lesson, rows, say)


def _waiting(say: Say) -> Callable[[], None]:
    from autograde.progress import tell

    def waiting() -> None:
        if say is Say.json:
            tell({"waiting": "another grader"})
        elif say is Say.bar:
            console.print("Another grader works on this course; it goes first, then this one goes on.")

    return waiting


def _finish(course: Course, lesson: str, rows: Sequence[Graded], say: Say) -> None:
    """Write the report, and say where everything lies."""
    from autograde.gradebook.results import load_all
    from autograde.progress import tell
    from autograde.report import write_report

    everybody = {**load_all(course.root, lesson), **{row.student: row for row in rows}}
    there = course.submissions(lesson)
    report = write_report(course.root, course.lesson(lesson), [row for name, row in everybody.items() if name in there])
    places = {"gradebook": course.root / "gradebook.db", "graded notebooks": course.root / "autograded"}
    places["report"] = report
    if say is Say.json:
        tell({name: str(path) for name, path in places.items()})
    for name, path in places.items() if say is Say.bar else ():
        console.print(f"{name:<17} {path}", markup=False)


def _changed(lesson: str, before: dict[str, Graded | None], rows: Sequence[Graded]) -> str:
    """How many scores are others because the lesson or the grader is, in one line; empty where none are."""
    from autograde.gradebook.differences import compare

    pairs = [(old, row) for row in rows if (old := before.get(row.student)) is not None and not row.refused]
    found = [row.differences for old, new in pairs if not (row := compare(old, new)).anew and row.differences]
    if not found:
        return ""
    return (
        f"Scores changed with the lesson or the grader: {sum(map(len, found))}, in {len(found)} of {len(rows)} "
        f"submissions. `autograde regrade {lesson}` shows that before anything is written."
    )


def _show(lesson: str, work: Regrade, rows: Sequence[Comparison]) -> None:
    """What a regrade found, for people."""
    from autograde.gradebook import differences
    from autograde.report import differences_table

    if any(row.differences for row in rows):
        console.print(differences_table(lesson, rows))
        if work.warning:
            console.print(f"[red]{work.warning}[/]")
    if work.changed:
        for line in (differences.summary(rows), *differences.remarks(rows)):
            console.print(line, markup=False)
    elif work.total and not work.refused:
        console.print(f"All {work.total} results of {lesson} fit the lesson as it is: nothing to regrade.")
    for student, why in work.refused.items():
        console.print(f"{student} could not be run and keeps what is there: {why}", style="red", markup=False)
    if work.damaged:
        console.print(f"Kept results that cannot be read, made again: {', '.join(work.damaged)}.", markup=False)
    if work.never:
        names = ", ".join(work.never)
        console.print(f"Not graded yet, so not regraded: {names}. Run `autograde grade {lesson}`.", markup=False)
