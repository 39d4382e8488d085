"""The commands `autograde nightly` and `autograde full`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

Lessons = Annotated[list[str] | None, typer.Option("--lesson", metavar="L", help="Only this lesson; may be repeated.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="CHECK", help="Only what begins so: in-class:quick, bank, ...; may be repeated."),
]
Seeds = Annotated[
    list[int] | None,
    typer.Option("--seed", min=0, help="Seed of the notebooks; 0 and 1 if left out, by turns in nightly."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Where report and ledger lie; .autograde/nightly if left out.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Notebooks side by side; one for every core when left out.")]
Root = Annotated[Path, typer.Option(help="The course folder.", file_okay=False, exists=True)]
HERE = Path()


def nightly(
    lesson: Lessons = None,
    preset: Annotated[
        list[str] | None, typer.Option("--preset", metavar="P", help="quick and nightly if left out; may be repeated.")
    ] = None,
    only: Only = None,
    seed: Seeds = None,
    out: Out = None,
    workers: Workers = None,
    anew: Annotated[bool, typer.Option("--all", help="Grade answers of the bank that did not change, too.")] = False,
    root: Root = HERE,
) -> None:
    """Prove the whole course: run every notebook, grade every answer, check every claim; one report says it all."""
    _run(root, lesson, preset or ["quick", "nightly"], only, seed, out, workers, anew, "nightly")


def full(
    lesson: Lessons = None,
    only: Only = None,
    seed: Seeds = None,
    out: Out = None,
    workers: Workers = None,
    anew: Annotated[bool, typer.Option("--all", help="Do also what a run that was stopped had done.")] = False,
    root: Root = HERE,
) -> None:
    """Measure all claims at the lecture's own sizes (hours) and record them. Stopped, it goes on where it was."""
    _run(root, lesson, ["full"], only, seed, out, workers, anew, "full")


def _run(
    root: Path,
    lessons: list[str] | None,
    presets: list[str],
    only: list[str] | None,
    seeds: list[int] | None,
    out: Path | None,
    count: int | None,
    anew: bool,
    title: str,
) -> None:
    from autograde.nightly import mnist, report
    from autograde.nightly.plan import plan
    from autograde.nightly.run import OUT, run
    from autograde.sandbox import bwrap

    console = Console(width=None if sys.stdout.isatty() else 160)
    folder = out or root / OUT
    tasks = plan(root, lessons=lessons or (), presets=presets, only=only or (), seeds=seeds or ())
    bwrap.require()
    if "full" in presets:
        mnist.fetch(root, tasks, console)
    night = run(
        root,
        tasks,
        folder,
        console,
        title=title,
        command=shlex.join(["autograde", *sys.argv[1:]]),
        count=count,
        anew=anew,
        measuring=title == "full",
    )
    paths = report.write(night, folder)
    if night.recorded:
        console.print(f"written to course_utils/recorded.json: {', '.join(night.recorded)}", markup=False)
    for line in night.history.damaged if night.history else ():
        console.print(line, style="yellow", markup=False)
    console.print(f"{report.headline(night)}, {report.duration(night.seconds)}", style="green" if night.ok else "red")
    console.print(f"report  {paths['html']}", markup=False)
    if not night.ok:
        raise typer.Exit(1)
