"""The header of a lesson and the metadata of its cells: ids, points, rooms, and what Jupytext keeps of them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from typing import Any

from autograde.errors import CourseError
from autograde.lesson import TEST_PREFIX
from autograde.limits import Limits
from autograde.rules.text import Finding, Text, TextCell

POINTS = 20.0
COURSE_KEYS = {"points", "seconds"}
CELL_KEYS = ("live", "nbgrader", "room", "tags", "uses")
#: nbformat allows 64 characters in a cell id, and ids of unmarked cells are longer than the grade_id they follow.
LONGEST_ID = 56


def check_header(text: Text) -> Iterator[Finding]:
    """Yield what is wrong with the YAML header."""
    course = text.notebook.metadata.get("course", {})
    if not isinstance(course, dict):
        yield text.at(text.header_line("course"), "`course` is no mapping.", f"It holds {sorted(COURSE_KEYS)}.")
        return
    for key in sorted(set(course) - COURSE_KEYS):
        yield text.at(text.header_line(key), f"`course` has no key `{key}`.", f"It holds {sorted(COURSE_KEYS)}.")
    if "points" in course and not (_is_number(course["points"]) and course["points"] > 0):
        yield text.at(
            text.header_line("points"), "`course.points` is no number above 0.", "Write the sum of all points."
        )
    if problem := _limits_problem(course):
        yield text.at(text.header_line("seconds"), f"`course.seconds` is not valid: {problem}", "Correct or delete it.")
    if "jupytext_version" in text.notebook.metadata.get("jupytext", {}).get("text_representation", {}):
        advice = (
            "Delete it and write `notebook_metadata_filter: course,-jupytext.text_representation.jupytext_version`."
        )
        yield text.at(text.header_line("jupytext_version"), "Jupytext's version changes with every machine.", advice)
    yield from _check_round_trip(text)


def _limits_problem(course: dict[str, Any]) -> str | None:
    try:
        limits = Limits.for_lesson({"course": course}).to_dict()
    except (CourseError, TypeError, ValueError) as error:
        return str(error)
    wrong = [name for name, limit in limits.items() if not (math.isfinite(limit) and limit > 0)]
    return f"{wrong[0]} is no number above 0." if wrong else None


def _check_round_trip(text: Text) -> Iterator[Finding]:
    """What an instructor saves from JupyterLab must still hold the course's metadata."""
    import jupytext

    saved = jupytext.reads(jupytext.writes(text.notebook, fmt="py:percent"), fmt="py:percent")
    lost = "saving from JupyterLab would lose"
    if saved.metadata.get("course") != text.notebook.metadata.get("course"):
        line = text.header_line("notebook_metadata_filter")
        yield text.at(line, f"{lost} `course`.", "Add it to notebook_metadata_filter.")
    pairs = list(zip(saved.cells, text.notebook.cells, strict=False))
    for key in CELL_KEYS:
        if any(new.metadata.get(key) != old.metadata.get(key) for new, old in pairs):
            line = text.header_line("cell_metadata_filter")
            yield text.at(line, f"{lost} `{key}` of cells.", "Add it to cell_metadata_filter.")


def check_metadata(text: Text) -> Iterator[Finding]:
    """Yield invalid metadata of single cells; with one of these a cell's kind cannot be known."""
    from nbgrader.nbgraderformat import MetadataValidator

    validator = MetadataValidator()
    for node, place in zip(text.notebook.cells, text.places, strict=True):
        meta = node.metadata
        if "incorrectly_encoded_metadata" in meta or "{" in str(meta.get("title", "")):
            advice = "Look for a missing comma, quote or brace."
            yield text.at(place.header, "the metadata on this line is no JSON.", advice)
        for key in meta:
            near = difflib.get_close_matches(key, CELL_KEYS, n=1, cutoff=0.75)
            if near and key not in CELL_KEYS:
                yield text.at(place.header, f"there is no metadata `{key}`.", f"Write `{near[0]}`.")
        if "room" in meta and (meta["room"] != "both" or node.cell_type != "code" or _is_graded(meta)):
            advice = 'There is only `room="both"`, on code cells that are neither solution nor test.'
            yield text.at(place.header, f"room={meta['room']!r} is not valid here.", advice)
        if "nbgrader" in meta and (problem := _nbgrader_problem(node, validator)):
            yield text.at(place.header, f"the nbgrader metadata is not valid: {problem}", "Correct it on this line.")


def _is_graded(meta: Any) -> bool:
    marks = meta.get("nbgrader", {})
    return bool(isinstance(marks, dict) and (marks.get("grade") or marks.get("solution")))


def _nbgrader_problem(node: Any, validator: Any) -> str | None:
    """Why nbgrader (or this course) refuses the metadata of a cell."""
    from nbgrader.nbgraderformat import ValidationError

    marks = node.metadata["nbgrader"]
    if not isinstance(marks, dict):
        return "it is no object in braces."
    if marks.get("schema_version") != validator.schema_version:
        return f"it needs `schema_version: {validator.schema_version}`."
    try:
        validator.validate_cell(node)
    except ValidationError as error:
        return f"{error.message.splitlines()[0]}."
    if marks.get("task"):
        return "a task cell. A written answer has grade and solution instead."
    if "points" in marks and not _is_number(marks["points"]):
        return "points is no finite number."
    if node.cell_type == "raw":
        return "a raw cell cannot be graded."
    if len(marks.get("grade_id", "")) > LONGEST_ID:
        return f"the grade_id is longer than {LONGEST_ID} characters."
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_exercises(text: Text, cells: list[TextCell]) -> Iterator[Finding]:
    """Yield doubled ids, tests without a solution above them, and points that do not add up."""
    seen: dict[str, int] = {}
    solutions: set[str] = set()
    for cell in cells:
        name, kind = cell.cell.grade_id, cell.cell.kind
        if name is None:
            continue
        if name in seen:
            yield cell.at(None, f"grade_id `{name}` stands on line {seen[name]} already.", "Give this cell another.")
        seen.setdefault(name, cell.place.header)
        if kind == "solution":
            solutions.add(name)
            if name.startswith(TEST_PREFIX):
                yield cell.at(None, f"the solution cell `{name}` is named like a test.", "Name it after its exercise.")
        elif kind == "test" and not name.startswith(TEST_PREFIX):
            advice = f"Name it `{TEST_PREFIX}` and its exercise."
            yield cell.at(None, f"the test cell `{name}` does not say what it tests.", advice)
        elif kind == "test" and cell.cell.exercise not in solutions:
            wrong = f"no solution cell `{cell.cell.exercise}` stands above its test `{name}`."
            yield cell.at(None, wrong, "Add one or rename the test.")
    yield from _check_points(text, cells)


def _check_points(text: Text, cells: list[TextCell]) -> Iterator[Finding]:
    course = text.notebook.metadata.get("course", {})
    declared = course.get("points", POINTS) if isinstance(course, dict) else None
    if declared is None or not _is_number(declared):
        return  # the rule of the header reports it
    total = sum(cell.cell.points for cell in cells if cell.cell.kind in ("test", "written"))
    if not math.isclose(total, declared):
        advice = "Change a cell's points; while a lesson is incomplete, declare `course: {points: ...}` in the header."
        yield text.at(text.header_line("points"), f"the points add up to {total:g}, not to {declared:g}.", advice)
