"""Makes a course with a bundled class in it: submissions written from recipes on today's release, ready to grade."""

from __future__ import annotations

import ast
import copy
import importlib.util
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import nbformat

from autograde.build import build
from autograde.errors import CourseError
from autograde.lesson import Lesson
from autograde.verify import instructors

RECIPES = Path("tests") / "submissions"
DAMAGES = RECIPES / "damages.py"
CONFIG = "nbgrader_config.py"
#: Says that a folder is a demonstration course, which the next one may replace.
MARKER = ".made-by-autograde-demo"
#: What a demonstration course is made of, and what grading it makes.
CONTENTS = (
    *(CONFIG, "source", "release", "submitted", "autograded", "feedback", "reports", ".autograde"),
    *("gradebook.db", "gradebook.db-journal", "gradebook.db-wal", "gradebook.db-shm"),
)
FIRST_HANDED_IN, BETWEEN = datetime(2026, 3, 2, 18, tzinfo=UTC), timedelta(minutes=17)

KEYS = ("from", "damage", "file", "expect", "says")
#: The header of a cell: `# %% attention`, `# %% written question`, `# %% free before attention`, `# %% free at end`.
HEADER = re.compile(r"(?:written )?(?P<answer>\w+)|free (?:(?P<where>before|after) (?P<target>\w+)|at end)")


@dataclass(frozen=True)
class Recipe:
    """One student of the bundled class and how the submission comes about.

    `start` are the cells that the recipe does not give: as released, or our solutions. `damage` is done to the whole
    notebook at the end. `file` is the name it is handed in under, None for an empty folder. `expect` (points for each
    exercise) and `says` (words that must stand in what was found) are for the test of the demonstration only.
    """

    student: str
    about: str
    start: Literal["release", "instructor"]
    cells: tuple[tuple[str, str], ...]
    damage: str | None
    file: str | None
    expect: Mapping[str, float]
    says: str

    def notebook(self, lesson: Lesson) -> Any:
        """The student's notebook before any damage.

        Raises:
            CourseError: the lesson has no cell of a name that the recipe gives.
        """
        started = copy.deepcopy(lesson.release) if self.start == "release" else _solved(lesson)
        for number, (place, source) in enumerate(self.cells):
            self._plant(started, place, source, f"own-{number}")
        return started

    def _plant(self, notebook: Any, place: str, source: str, cell_id: str) -> None:
        match = HEADER.fullmatch(place)
        assert match is not None
        if match["answer"]:
            notebook.cells[self._find(notebook, match["answer"])].source = source
            return
        at = len(notebook.cells)
        if match["target"]:
            at = self._find(notebook, match["target"]) + (match["where"] == "after")
        notebook.cells.insert(at, nbformat.v4.new_code_cell(source, id=cell_id))

    def _find(self, notebook: Any, grade_id: str) -> int:
        for at, cell in enumerate(notebook.cells):
            if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
                return at
        raise CourseError(f"The recipe of {self.student} names the cell {grade_id}, which the lesson does not have.")


def _solved(lesson: Lesson) -> Any:
    return nbformat.reads(instructors(lesson).decode(), as_version=4)


def bundled_class(repo: Path, lesson: str) -> list[Recipe]:
    """The recipes of `tests/submissions/LESSON/*.py`, one for each student, by name.

    Raises:
        CourseError: there are none, or one cannot be read; the message names the file and the reason.
    """
    folder = repo.resolve() / RECIPES / lesson
    paths = sorted(folder.glob("*.py"))
    if not paths:
        raise CourseError(f"{folder} holds no submissions. Run this in a clone of the course.")
    return [read_recipe(path, lesson) for path in paths]


def read_recipe(path: Path, lesson: str) -> Recipe:
    """Read one recipe: a docstring, `# key: value` lines, then py:percent cells.

    Raises:
        CourseError: it breaks that format; the message names the file and the reason.
    """
    head, *rest = re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    cells = [_cell(*piece.split("\n", 1)) for piece in rest]
    keys = dict(re.findall(r"^# (\w+): *(.*\S)$", head, flags=re.MULTILINE))
    about = ast.get_docstring(ast.parse(head)) or ""
    start = keys.get("from", "release")
    wrong = [f"the key `{key}` is unknown" for key in keys if key not in KEYS]
    wrong += [f"`# %% {place}` is no header of a cell" for place, _ in cells if not HEADER.fullmatch(place)]
    wrong += [] if start in ("release", "instructor") else [f"`from` is release or instructor, not {start}"]
    wrong += [] if about else ["the docstring is missing"]
    if wrong:
        raise CourseError(f"{path}: {'; '.join(wrong)}.")
    expect = {name: float(points) for name, points in re.findall(r"(\w+)=([\d.]+)", keys.get("expect", ""))}
    file = keys.get("file", f"{lesson}.ipynb")
    name = None if file == "none" else file
    begun: Literal["release", "instructor"] = "release" if start == "release" else "instructor"
    return Recipe(path.stem, about, begun, tuple(cells), keys.get("damage"), name, expect, keys.get("says", ""))


def _cell(place: str, source: str) -> tuple[str, str]:
    """A cell of a recipe; a written answer stands behind comment signs, as markdown does in py:percent."""
    place, source = place.strip(), source.strip("\n")
    return place, re.sub(r"(?m)^# ?", "", source) if place.startswith("written ") else source


def make_course(repo: Path, into: Path, lesson: str) -> None:
    """Make the demonstration course `into`: the built lesson, nbgrader's configuration, a submission of each student.

    The lesson is built first, so that no submission is stale. What an earlier demonstration made in `into` is removed.

    Raises:
        CourseError: `into` holds something that no demonstration made, or a recipe cannot be followed.
        BuildError: the lesson breaks a rule of the build.
    """
    students = bundled_class(repo, lesson)
    damages = _load(repo / DAMAGES).DAMAGES
    _refuse_others(into)
    build(repo, lesson)
    built = Lesson.load(repo, lesson)
    _make_room(into)
    shutil.copyfile(repo / CONFIG, into / CONFIG)
    for side in ("source", "release"):
        shutil.copytree(repo / side / lesson, into / side / lesson)
    for number, recipe in enumerate(students):
        folder = into / "submitted" / recipe.student / lesson
        folder.mkdir(parents=True)
        if recipe.file is not None:
            (folder / recipe.file).write_bytes(_file(recipe, built, damages))
            when = FIRST_HANDED_IN + number * BETWEEN
            (folder / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC\n")


def _file(recipe: Recipe, lesson: Lesson, damages: Mapping[str, Callable[[Any], bytes]]) -> bytes:
    notebook = recipe.notebook(lesson)
    if recipe.damage is None:
        return nbformat.writes(notebook).encode()
    if recipe.damage not in damages:
        raise CourseError(f"The recipe of {recipe.student} names the damage {recipe.damage}, which {DAMAGES} lacks.")
    return damages[recipe.damage](notebook)


def _refuse_others(into: Path) -> None:
    free = not into.exists() or (into.is_dir() and not any(into.iterdir()))
    if not free and not (into / MARKER).is_file():
        raise CourseError(
            f"{into} exists and is no demonstration course ({MARKER} is missing), so it stays as it is. "
            "Move it away, or name another folder with --into."
        )


def _make_room(into: Path) -> None:
    """Leave `into` an empty demonstration course; files that somebody else put there stay."""
    into.mkdir(parents=True, exist_ok=True)
    (into / MARKER).touch()
    for path in (into / name for name in CONTENTS):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _load(path: Path) -> ModuleType:
    """A module of the repository that is not installed."""
    spec = importlib.util.spec_from_file_location(f"autograde_demo_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CourseError(f"{path} does not exist. Run this in a clone of the course.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
