"""The `autograde` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from autograde.errors import CourseError
from autograde.nightly import command
from autograde.say import Say
from autograde.startup import skip_slow_imports

app = typer.Typer(
    help="Builds lessons, grades submissions, proves the tests.", no_args_is_help=True, add_completion=False
)
console = Console(width=None if sys.stdout.isatty() else 160)

Root = Annotated[Path, typer.Option(help="The course folder.", file_okay=False, exists=True)]
OptionalLesson = Annotated[str | None, typer.Argument(help="A lesson, like 03_qkv; all of them when left out.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Submissions side by side; one for every core when left out.")]
HERE = Path()


@app.command()
def build(
    lesson: OptionalLesson = None,
    check: Annotated[bool, typer.Option("--check", help="Only say what is stale; exit 1 if anything is.")] = False,
    run: Annotated[bool, typer.Option(help="Also run the instructor's version: it must earn every point.")] = True,
    root: Root = HERE,
) -> None:
    """Make the notebooks and the release from the text in `source` and `notebooks`."""
    from autograde.build import build as build_notebooks
    from autograde.build import check_built

    if check:
        stale = check_built(root, lesson)
        for line in stale:
            console.print(line, markup=False)
        console.print("Run `autograde build` and commit what it makes." if stale else "Everything built is fresh.")
        raise typer.Exit(1 if stale else 0)
    for path in build_notebooks(root, lesson):
        console.print(f"built {path}", markup=False)
    if run and (lesson is None or (root / "source" / f"{lesson}.py").exists()):  # an in-class notebook may be alone
        from autograde.verify import run_instructor

        run_instructor(root, lesson, console)


@app.command()
def lint(lesson: OptionalLesson = None, root: Root = HERE) -> None:
    """Say what to look at in the lessons: numbers that nothing proves, figures without words, long cells, cards."""
    from autograde.lint import lint as lint_texts

    findings = lint_texts(root, lesson)
    for finding in findings:
        console.print(str(finding), markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(findings)} findings." if findings else "Nothing found.")
    raise typer.Exit(1 if findings else 0)


@app.command()
def publish(
    into: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder for students: new, empty, or published before.")
    ],
    solutions: Annotated[
        list[str] | None,
        typer.Option(metavar="LESSON", help="Also give out this lesson's solutions; may be repeated."),
    ] = None,
    root: Root = HERE,
) -> None:
    """Let DIR be what students get: homework, in-class notebooks, `course_utils`, how to install. Never an answer."""
    from autograde.publish import publish as publish_course

    published = publish_course(root, into, solutions or ())
    done = published.done
    signs = {"+": done.added, "~": done.changed, "-": done.removed, "kept, because somebody changed it:": done.kept}
    for sign, paths in signs.items():
        for path in paths:
            console.print(f"{sign} {path}", markup=False, highlight=False)
    console.print(f"{into} holds the course as it is now: {done.total} files.", markup=False)
    console.print(f"Solutions in it: {', '.join(published.solutions) or 'none'}.", markup=False)


@app.command()
def grade(
    lesson: Annotated[str, typer.Argument(help="The lesson to grade, like 03_qkv.")],
    student: Annotated[str | None, typer.Option(help="Only this student's submission.")] = None,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox/--no-sandbox", help="--no-sandbox: only for a class you trust; the report says so."),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Also run what has not changed since it was graded.")] = False,
    say: Annotated[Say, typer.Option(help="A bar and a table, nothing, or a JSON object a line.")] = Say.bar,
    workers: Workers = None,
    root: Root = HERE,
) -> None:
    """Grade `submitted/*/LESSON/`: table, gradebook, graded notebooks, report.

    What is graded and unchanged is not run again, so after an interruption the same command goes on where it was.
    """
    grade_class(root, lesson, student=student, sandbox=sandbox, force=force, say=say, workers=workers)


def grade_class(
    root: Path,
    lesson: str,
    *,
    student: str | None = None,
    sandbox: bool = True,
    force: bool = False,
    say: Say = Say.bar,
    workers: int | None = None,
) -> None:
    """Grade and show; shared by `grade` and `demo`."""
    from autograde.gradebook.grade import Course
    from autograde.gradebook.results import load_all
    from autograde.progress import tell, telling
    from autograde.report import table, write_report

    course = Course(root, workers=workers, sandboxed=sandbox)
    known = course.lesson(lesson)
    total = 1 if student else len(course.submissions(lesson))
    rows = []

    def waiting() -> None:
        if say is Say.json:
            tell({"waiting": "another grader"})
        elif say is Say.bar:
            console.print("Another grader works on this course; it goes first, then this one goes on.")

    with telling(say, lesson, total, console) as step:
        for graded in course.grade(lesson, student, force=force, waiting=waiting):
            rows.append(graded)
            step(graded, graded.student in course.unchanged)
    everybody = {**load_all(course.root, lesson), **{row.student: row for row in rows}}
    there = course.submissions(lesson)
    report = write_report(course.root, known, [row for name, row in everybody.items() if name in there])
    places = {"gradebook": course.root / "gradebook.db", "graded notebooks": course.root / "autograded"}
    places["report"] = report
    if say is Say.json:
        tell({name: str(path) for name, path in places.items()})
    if say is not Say.bar:
        return
    console.print(table(known, rows))
    if known.warning:
        console.print(f"[red]{known.warning}[/]")
    if not sandbox:
        console.print(
            "[red]Graded without a sandbox: student code could have changed anything, these scores included.[/]"
        )
    if course.unchanged:
        console.print(f"{len(course.unchanged)} of {len(rows)} unchanged since they were graded: not run again.")
    for name, path in places.items():
        console.print(f"{name:<17} {path}", markup=False)


@app.command()
def verify(
    lesson: OptionalLesson = None,
    exercise: Annotated[str | None, typer.Option(help="Only this exercise's answers.")] = None,
    anew: Annotated[bool, typer.Option("--all", help="Run every row, also where nothing has changed.")] = False,
    workers: Workers = None,
    root: Root = HERE,
) -> None:
    """Prove the hidden tests: grade every wrong and right answer of the bank through the real path."""
    from autograde.verify import verify_bank

    if not verify_bank(root, lesson, exercise, console, workers=workers, anew=anew):
        raise typer.Exit(1)


@app.command()
def explain(
    lesson: Annotated[str, typer.Argument(help="The lesson, like 03_qkv.")],
    student: Annotated[str, typer.Argument(help="Whose submission.")],
    exercise: Annotated[str, typer.Argument(help="The exercise that lost points, like attention.")],
    sandbox: Annotated[bool, typer.Option("--sandbox/--no-sandbox", help="As for `grade`.")] = True,
    root: Root = HERE,
) -> None:
    """Replay one lost point, for the instructor: what was called, with what, what was expected, what came, why."""
    from autograde.explanation import explain_lost

    explain_lost(root, lesson, student, exercise, console, sandboxed=sandbox)


@app.command()
def record(
    notebooks: Annotated[list[str], typer.Argument(help="In-class notebooks: a lesson like 03_qkv, or a path.")],
    preset: Annotated[str, typer.Option(help="How much to compute: quick, nightly or full (hours).")] = "nightly",
    seed: Annotated[int, typer.Option(help="The notebook's SEED.")] = 0,
    root: Root = HERE,
) -> None:
    """Measure the claims that notebooks make, and keep the dear ones in `course_utils/recorded.json`."""
    from autograde.record import record_all

    if not record_all(root, notebooks, preset, seed, console):
        raise typer.Exit(1)


app.command()(command.nightly)
app.command()(command.full)


@app.command()
def doctor() -> None:
    """Say what this machine lacks to build, grade and test."""
    from autograde.doctor import examine

    if not examine(console):
        raise typer.Exit(1)


@app.command()
def demo(
    root: Root = HERE,
    into: Annotated[Path, typer.Option(help="Where to make the demonstration course.")] = Path("demo"),
    workers: Workers = None,
) -> None:
    """Build the lesson, grade the bundled class of real, wrong, damaged and hostile submissions."""
    from autograde.demo import make_course

    make_course(root, into, "03_qkv")
    grade_class(into, "03_qkv", workers=workers)


def main() -> NoReturn:
    """Entry point: an error of ours is a message, not a traceback."""
    skip_slow_imports()
    try:
        app(standalone_mode=True)
    except CourseError as error:
        Console(stderr=True).print(f"[red]{type(error).__name__}[/]: ", end="")
        print(error, file=sys.stderr)
        raise SystemExit(1) from None
    raise SystemExit(0)
