"""What a run is made of: the tasks of a course, and the choice that a command makes of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import jupytext

from autograde.errors import CourseError
from autograde.live import is_live
from autograde.nightly.budgets import Budgets
from autograde.nightly.check import COURSE, Task
from autograde.nightly.notebooks import parameters
from course_utils.settings import PRESETS, SEED

SEEDS = (SEED, SEED + 1)


def plan(
    root: Path,
    *,
    lessons: Sequence[str] = (),
    presets: Sequence[str] = PRESETS[:2],
    only: Sequence[str] = (),
    seeds: Sequence[int] = (),
    day: datetime.date | None = None,
) -> list[Task]:
    """The tasks of a run. With `presets` of `full` alone, those that measure.

    Args:
        lessons: all where empty.
        only: names of tasks or their beginnings, like `in-class` or `in-class:quick`; all where empty.
        seeds: where empty, two; but one of them in `nightly`, the other on the next day. A notebook that cannot be
            given a seed runs once.
        day: of the run; today when left out.

    Raises:
        CourseError: no such lesson, preset or task, or the budgets name a lesson that does not exist.
    """
    known = names(root)
    _all_in(lessons, known, "lesson")
    _all_in(presets, PRESETS, "preset")
    budgets = Budgets(root)
    _all_in(sorted(budgets.lessons), known, "lesson", " budgets.toml has a table for it.")
    chosen = [name for name in known if not lessons or name in lessons]
    tasks = [
        task
        for name in chosen
        for task in _measuring(root, name, presets, seeds, budgets, day or datetime.date.today())
    ]
    if set(presets) - {"full"}:
        tasks += [task for name in chosen for task in _checking(root, name)]
        tasks += [Task(name, "built") for name in (chosen if lessons else [COURSE])]
    found = [task for task in tasks if not only or any(_is(task, each) for each in only)]
    unused = [each for each in only if not any(_is(task, each) for task in tasks)]
    if unused or not found:
        there = ", ".join(sorted({task.name for task in tasks}))
        raise CourseError(f"there is nothing called {', '.join(unused) or 'so'} to run. There are: {there}.")
    return found


def names(root: Path) -> list[str]:
    """The lessons of a course, by their texts."""
    paths = [path for folder in ("source", "notebooks") for path in (root / folder).glob("*.py")]
    found = sorted({path.stem for path in paths if not path.name.startswith((".", "_"))})
    if not found:
        raise CourseError(f"there is no lesson in {root}: no source/*.py, no notebooks/*.py. Name it with --root.")
    return found


def _measuring(
    root: Path, lesson: str, presets: Sequence[str], chosen: Sequence[int], budgets: Budgets, day: datetime.date
) -> Iterator[Task]:
    """Notebooks to execute: complete ones and homework in each preset and with each seed, live ones once."""
    in_class = [path for path in [root / "notebooks" / f"{lesson}.py"] if path.is_file()]
    homework = [path for path in [root / "source" / f"{lesson}.py"] if path.is_file()]
    for preset in presets:
        seeds = chosen or _usual(preset, day)
        for family, paths in (("in-class", in_class), ("homework", homework)):
            for path in paths:
                part = "homework" if family == "homework" else preset
                expected = budgets.of(lesson, part).seconds
                for seed in _seeds(path, preset, seeds):
                    yield Task(lesson, f"{family}:{preset}", seed, preset, expected)
    if PRESETS[0] in presets and any(_has_live_cells(path) for path in in_class):
        yield Task(lesson, f"live:{PRESETS[0]}", None, PRESETS[0], budgets.of(lesson, PRESETS[0]).seconds)


def _usual(preset: str, day: datetime.date) -> Sequence[int]:
    """Two seeds; where one run takes minutes they take turns, so that the ledger has both and a night stays short."""
    return SEEDS if preset != "nightly" else (SEEDS[day.toordinal() % len(SEEDS)],)


def _seeds(path: Path, preset: str, seeds: Sequence[int]) -> Iterable[int | None]:
    """The seeds to run a text with; none at all if it has no other preset than the first."""
    known = parameters(jupytext.read(path))
    if preset != PRESETS[0] and "PRESET" not in known:
        return ()
    return seeds if "SEED" in known else (None,)


def _has_live_cells(path: Path) -> bool:
    return any(is_live(cell) for cell in jupytext.read(path).cells)


def _checking(root: Path, lesson: str) -> Iterator[Task]:
    if (root / "source" / f"{lesson}.py").is_file():
        yield from (Task(lesson, name) for name in ("instructor", "release", "bank"))
    yield Task(lesson, "lint")


def _is(task: Task, name: str) -> bool:
    return task.name == name or task.name.startswith(f"{name}:")


def _all_in(given: Iterable[str], known: Sequence[str], what: str, why: str = "") -> None:
    for name in given:
        if name not in known:
            raise CourseError(f"there is no {what} {name!r}.{why} There are: {', '.join(known)}.")
