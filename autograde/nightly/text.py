"""What can be said of a lesson without running it: what is built is fresh, and the lint of its text."""

from __future__ import annotations

import time
from pathlib import Path

from autograde.build import check_built
from autograde.errors import BuildError
from autograde.lint import lint
from autograde.nightly.check import COURSE, Failure, Outcome, Task


def built(root: Path, task: Task) -> Outcome:
    """Whether what a build would make is what is there, for one lesson or for the whole course."""
    began = time.monotonic()
    name = None if task.lesson == COURSE else task.lesson
    try:
        lines = check_built(root, name)
    except BuildError as error:
        lines = str(error).splitlines()
    repeat = " ".join(["autograde build", *([name] if name else []), "--check"])
    return Outcome.of(task, "built", [Failure(line, repeat) for line in lines], time.monotonic() - began)


def linted(root: Path, task: Task) -> Outcome:
    """What the lint says of a lesson's text."""
    began = time.monotonic()
    found = lint(root, task.lesson)
    repeat = f"autograde lint {task.lesson}"
    failures = [Failure(f"{each} [{each.kind}]", repeat, source=_line(root, each.file, each.line)) for each in found]
    return Outcome.of(task, "lint", failures, time.monotonic() - began)


def _line(root: Path, file: str, number: int) -> str:
    lines = (root / file).read_text(encoding="utf-8").splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""
