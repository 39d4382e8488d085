"""What tests share: a built course, and a way to grade a notebook through the two rooms."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import nbformat
import pytest

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

REPO = Path(__file__).parents[1]

#: The points of each exercise of `03_qkv` that is graded by machine, in the order of the lesson.
FULL = {
    "scores": 3,
    "attention": 4,
    "SelfAttention": 4,
    "score_statistics": 2,
    "gates_for": 1,
    "permute_check": 1,
    "gate_cost": 1,
    "Classifier": 2,
}
#: Its question that a person grades, and all points together.
WRITTEN, POINTS = "query_and_max_pooling", 20


@pytest.fixture(autouse=True)
def _room_of_its_own() -> Iterator[None]:
    """Checks speak to the current room, which remembers the last call: no test may see another's."""
    from course_utils import room

    room.enter(room.LocalRoom())
    yield
    room.enter(room.LocalRoom())


@pytest.fixture(autouse=True)
def _tiny_numbers_again() -> Iterator[None]:
    """`settings.prepare` lets the process round the tiniest numbers to zero; the next test may look at them."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    """pyplot keeps each figure until it is closed."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder of its own with `03_qkv` built from this repository's text; nothing is handed in yet."""
    from autograde.build import build

    root = tmp_path_factory.mktemp("course")
    shutil.copytree(REPO / "source", root / "source", ignore=shutil.ignore_patterns("*.ipynb"))
    shutil.copytree(REPO / "course_utils", root / "course_utils", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "nbgrader_config.py", root)
    build(root, "03_qkv")
    return root


@pytest.fixture(scope="session")
def lesson(course: Path) -> Any:
    from autograde.lesson import Lesson

    return Lesson.load(course, "03_qkv")


class Grader:
    """Grades notebooks of `03_qkv` one after another; every one in fresh rooms."""

    def __init__(self, pool: Any, course: Path, lesson: Any) -> None:
        from autograde.limits import Limits
        from autograde.seeds import course_secret, seeds_for

        self.pool, self.course, self.lesson = pool, course, lesson
        self.limits = Limits.for_lesson(lesson.notebook.metadata)
        self.seeds = seeds_for(lesson, course_secret(course))

    def solved(self, answers: Mapping[str, str] | None = None) -> Any:
        """The release with our solutions, but for the exercises in `answers`."""
        from autograde.verify import instructors

        notebook = nbformat.reads(instructors(self.lesson), as_version=4)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in (answers or {}):
                cell.source = answers[name]  # type: ignore[index]
        return notebook

    def grade(
        self, submission: Any, *, only: tuple[str, ...] | None = None, sandboxed: bool = True, **limits: float
    ) -> Any:
        """Grade a submission (a notebook or raw bytes); `limits` replace those of the lesson."""
        from autograde.run.pool import Job

        raw = submission if isinstance(submission, bytes) else nbformat.writes(submission).encode()
        chosen = replace(self.limits, **limits)
        name = self.lesson.name
        return self.pool.run_one(Job("student", raw, self.course, name, chosen, self.seeds, sandboxed, only))


@pytest.fixture(scope="session")
def grader(course: Path, lesson: Any) -> Iterator[Grader]:
    from autograde.run.pool import Pool

    with Pool(1, root=course) as pool:
        yield Grader(pool, course, lesson)


T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, beside the loop that playwright leaves in the main thread after browser tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def points(result: Any) -> dict[str, float]:
    """Points by exercise; a submission that could not be graded has none, and fails the test that asks."""
    assert result.error is None, result.error
    return {verdict.exercise: verdict.points for verdict in result.verdicts}


def free_cell(notebook: Any, source: str, before: str = "test_scores") -> Any:
    """Put a cell of the student's before the cell with this grade_id."""
    places = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    notebook.cells.insert(places.index(before), nbformat.v4.new_code_cell(source))
    return notebook


def printed(result: Any) -> str:
    """Everything that the cells of a graded notebook show as text."""
    texts = []
    for cell in result.notebook.cells:
        for output in cell.get("outputs", []):
            texts += [output.get("text", ""), "\n".join(output.get("traceback", [])), str(output.get("data", {}))]
    return "\n".join(texts)
