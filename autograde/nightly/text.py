"""What can be said of a lesson without running it: what is built is fresh, and the lint of its text."""

from __future__ import annotations

import importlib
import importlib.util
import time
from pathlib import Path
from typing import Any

from autograde.build import check_built
from autograde.errors import BuildError
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


def linter() -> Any | None:
    """`autograde.lint.lint`, where there is one."""
    found = importlib.util.find_spec("autograde.lint")
    return None if found is None else importlib.import_module("autograde.lint").lint


def linted(root: Path, task: Task) -> Outcome:
    """What the lint says of a lesson's text."""
    began = time.monotonic()
    lint = linter()
    assert lint is not None
    failures = [
        Failure(f"{found.file}:{found.line}: {found.message} [{found.kind}]", task.repeat, source=_line(root, found))
        for found in lint(root, task.lesson)
    ]
    return Outcome.of(task, "lint", failures, time.monotonic() - began)


def _line(root: Path, found: Any) -> str:
    lines = (root / found.file).read_text(encoding="utf-8").splitlines()
    return lines[found.line - 1] if 0 < found.line <= len(lines) else ""
