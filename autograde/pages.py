"""HTML from templates: self-contained pages in which everything that a student wrote is escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograde.gradebook.results import Graded
from autograde.verdict import Status

WORDS: dict[Status, str] = {
    "passed": "All checks hold.",
    "partial": "Part of the checks hold.",
    "failed": "A check does not hold.",
    "not attempted": "Not attempted.",
    "missing": "Not handed in.",
    "timeout": "Stopped: it took too long.",
    "crashed": "The kernel ended while this was tested.",
    "broken test": "Our test is broken; your instructor will look at it.",
}


def render(template: str, **values: Any) -> str:
    """Fill a template of `autograde/templates`."""
    environment = Environment(
        loader=PackageLoader("autograde"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["points"] = points
    return environment.get_template(template).render(words=WORDS, **values)


def points(value: float) -> str:
    """A number of points as people write it: 3, 2.5, 0.33."""
    return f"{round(float(value), 2):g}"


def found(graded: Graded) -> list[str]:
    """What an instructor should know about a submission, a line each: the notes, then what lost points."""
    if graded.error is not None:
        return [graded.error]
    lines = [note.message for note in graded.notes]
    for verdict in graded.verdicts:
        if verdict.status != "passed":
            first = verdict.message.strip().split("\n")
            cause = next((line.strip() for line in first if "likely cause" in line), "")
            lines.append(f"{verdict.exercise}: {first[0]}{f' ({cause})' if cause else ''}")
    return lines
