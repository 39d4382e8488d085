"""The released notebook as repair sees it: for each cell its role, its text, and how a copy of it is recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from nbformat import NotebookNode

from autograde.lesson import TEST_PREFIX, Lesson
from autograde.repair.definitions import bound, defined, definition_of

#: `answer` is a solution cell or a written answer; `setup` is any other locked cell; `plain` carries no marks.
Role = Literal["setup", "test", "answer", "plain"]

_STUB_LINE = re.compile(r"raise NotImplementedError|# YOUR CODE|YOUR ANSWER")


def normal(text: str) -> str:
    """A text without what editors change by themselves: line ends, trailing blanks, blank lines around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def telling_lines(text: str) -> frozenset[str]:
    """The lines by which an edited copy of a text is recognised: not the short ones, not those of every stub."""
    stripped = (line.strip() for line in text.split("\n"))
    return frozenset(line for line in stripped if len(line) >= 6 and not _STUB_LINE.search(line))


@dataclass(frozen=True, eq=False)
class Place:
    """One cell of the release."""

    index: int
    role: Role
    key: str
    cell: NotebookNode

    @cached_property
    def text(self) -> str:
        return normal(self.cell.source)

    @cached_property
    def lines(self) -> frozenset[str]:
        return telling_lines(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """What an answer must define: the exercise's own name if its stub has it, else all that the stub defines.

        Empty for a written answer, and for code that defines nothing.
        """
        if not self.code:
            return frozenset()
        names = defined(self.text) or bound(self.text)
        return frozenset({self.key}) if self.key in names else names

    @property
    def code(self) -> bool:
        return bool(self.cell.cell_type == "code")

    @property
    def exercise(self) -> str | None:
        if self.role == "plain" or self.role == "setup":
            return None
        return self.key.removeprefix(TEST_PREFIX) if self.role == "test" else self.key

    @cached_property
    def definition(self) -> str:
        """The part of the stub that defines the names, to tell an untouched one inside other text."""
        return normal(definition_of(self.text, self.names))

    def defined_by(self, text: str) -> bool:
        """Whether a student's text defines what this answer must define."""
        if self.role != "answer" or not self.names:
            return False
        return self.names <= (defined(text) if defined(self.text) else bound(text))

    def answered_by(self, text: str) -> bool:
        """Whether a student's text defines it, and not just as the stub does."""
        return self.defined_by(text) and normal(definition_of(text, self.names)) != self.definition


@dataclass(frozen=True, eq=False)
class Released:
    """All cells of a release in order; `marked` are those that carry a grade id, by that id."""

    places: tuple[Place, ...]
    marked: dict[str, Place]

    @classmethod
    def of(cls, lesson: Lesson) -> Released:
        places = tuple(_place(index, cell) for index, cell in enumerate(lesson.release.cells))
        return cls(places, {place.key: place for place in places if place.role != "plain"})

    def having(self, *roles: Role) -> list[Place]:
        """The marked places with one of these roles, in order."""
        return [place for place in self.marked.values() if place.role in roles]

    def answer_of(self, test: Place) -> Place | None:
        """The answer that a test is about: the one of the same exercise, else the nearest one before it."""
        same = self.marked.get(test.key.removeprefix(TEST_PREFIX))
        if same is not None and same.role == "answer":
            return same
        before = [place for place in self.having("answer") if place.index < test.index and place.code]
        return before[-1] if before else None

    def test_of(self, answer: Place) -> Place | None:
        """The first test that is about an answer."""
        return next((test for test in self.having("test") if self.answer_of(test) is answer), None)


def _place(index: int, cell: NotebookNode) -> Place:
    marks = cell.metadata.get("nbgrader", {})
    key = marks.get("grade_id")
    if not key or not any(marks.get(name) for name in ("grade", "solution", "locked", "task")):
        return Place(index, "plain", "", cell)
    role: Role = "answer" if marks.get("solution") else "test" if marks.get("grade") else "setup"
    return Place(index, role, key, cell)
