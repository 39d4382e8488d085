"""The `autograde` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from autograde import files
from autograde.errors import CourseError
from autograde.gradebook import command as grading
from autograde.nightly import command
from autograde.startup import skip_slow_imports

app = typer.Typer(
    help="Builds lessons, grades submissions, proves the tests.", no_args_is_help=True, add_completion=False
)
console = Console(width=None if sys.stdout.isatty() else 160)

Root = Annotated[Path, typer.Option(help="The course folder.", file_okay=False, exists=True)]
OptionalLesson = Annotated[str | None, typer.Argument(help="A lesson, like 03_qkv; all of them when left out.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Submissions side by side; else two a core, and one for 2 GiB of free memory.")
]
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


app.command()(grading.grade)
app.command()(grading.regrade)


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
    grading.grade_class(into, "03_qkv", workers=workers)


def main() -> NoReturn:
    """Entry point: an error of ours is a message, not a traceback."""
    skip_slow_imports()
    try:
        app(standalone_mode=True)
    except (CourseError, OSError) as error:
        if isinstance(error, OSError):
            if not files.says_full(error):
                raise
            error = files.full(error.filename or "a file")
        Console(stderr=True).print(f"[red]{type(error).__name__}[/]: ", end="")
        print(error, file=sys.stderr)
        raise SystemExit(1) from None
    raise SystemExit(0)
