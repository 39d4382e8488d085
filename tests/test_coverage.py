"""`docs/coverage.md` says what covers each slide: all that it names exists, and no section of a notebook is missing."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "coverage.md").read_text()
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.py") if path.stem != "00_start")
HOMEWORK = sorted(path.stem for path in (ROOT / "source").glob("*.py"))
LIVE = re.compile(r"(?:live cells?|typed live:) (`\w+`(?:,? (?:and )?`\w+`)*)", re.IGNORECASE)
IN_CLASS = re.compile(r"in class (\d+(?:(?:, | and )\d+)*)", re.IGNORECASE)


def rows(lesson: str) -> list[str]:
    section = TEXT.partition(f"\n## {lesson}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| slide")]


@pytest.mark.parametrize("lesson", LESSONS)
def test_live_cells_and_sections_are_those_of_the_notebook(lesson: str) -> None:
    cells = jupytext.read(ROOT / "notebooks" / f"{lesson}.py").cells
    named = {name for row in rows(lesson) for group in LIVE.findall(row) for name in re.findall(r"\w+", group)} - {
        "and"
    }
    assert named
    assert named <= {cell.metadata["live"] for cell in cells if "live" in cell.metadata}
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    used = {number for row in rows(lesson) for group in IN_CLASS.findall(row) for number in re.findall(r"\d+", group)}
    assert used == set(re.findall(r"^## (\d+) ·", prose, re.MULTILINE))


@pytest.mark.parametrize("lesson", LESSONS)
def test_exercises_are_those_of_the_homework(lesson: str) -> None:
    homework = next(name for name in HOMEWORK if lesson.startswith(name))  # a lesson may have two notebooks for class
    cells = jupytext.read(ROOT / "source" / f"{homework}.py").cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    defined = set(re.findall(r"^(?:def|class) (\w+)", code, re.MULTILINE))
    named = {name for row in rows(lesson) for name in re.findall(r"`(\w+)`", row.split("|")[2])}
    assert named
    assert named <= defined
