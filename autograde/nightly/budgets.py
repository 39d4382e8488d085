"""How much time and memory each notebook may take: `budgets.toml` in the course folder."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.errors import CourseError
from course_utils.settings import PRESETS

FILE = "budgets.toml"
DEFAULT = "default"
#: What there is a budget for: a notebook for class in each preset, and a homework.
PARTS = (*PRESETS, "homework")
WORDS = ("seconds", "memory")


@dataclass(frozen=True)
class Budget:
    """`seconds` of the processor and slept, `memory` in MiB."""

    seconds: float
    memory: float


class Budgets:
    """The budgets of a course.

    Raises:
        CourseError: the file is not there, cannot be read, or says something that has no meaning.
    """

    def __init__(self, root: Path) -> None:
        path = root / FILE
        try:
            self._tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise CourseError(
                f"{path} does not exist. Write it: a table [{DEFAULT}] with {', '.join(PARTS)}."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise CourseError(f"{path} cannot be read: {error}.") from None
        for lesson, table in self._tables.items():
            _check(path, lesson, table)
        missing = set(PARTS) - set(self._tables.get(DEFAULT, {}))
        if missing:
            raise CourseError(f"{path}: the table [{DEFAULT}] lacks {', '.join(sorted(missing))}.")

    @property
    def lessons(self) -> set[str]:
        """The lessons that have a table of their own."""
        return set(self._tables) - {DEFAULT}

    def of(self, lesson: str, part: str) -> Budget:
        """The budget of one of `PARTS`: what the lesson says, else the default."""
        own = self._tables.get(lesson, {}).get(part, {})
        return Budget(**{**self._tables[DEFAULT][part], **own})


def _check(path: Path, lesson: str, table: Any) -> None:
    if not isinstance(table, dict):
        raise CourseError(f"{path}: `{lesson}` stands in no table. Write [{DEFAULT}] or a lesson's name above it.")
    for part, given in table.items():
        where = f"{path}: `{part}` in [{lesson}]"
        if part not in PARTS:
            raise CourseError(f"{where} means nothing. There are {', '.join(PARTS)}.")
        numbers = given if isinstance(given, dict) else {"": 0}
        known = set(numbers) == set(WORDS) if lesson == DEFAULT else set(numbers) <= set(WORDS)
        if not known or not all(isinstance(each, int | float) and 0 < each < float("inf") for each in numbers.values()):
            raise CourseError(f"{where} is {given!r}. Write {{ seconds = 60, memory = 1500 }}, with numbers above 0.")
