"""One result is one transaction of the gradebook, however often nbgrader commits on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook, MissingEntry

from autograde.gradebook.transaction import OpenGradebook

COURSE = "tiny"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/gradebook.db"


@pytest.fixture
def book(url: str) -> Iterator[OpenGradebook]:
    with OpenGradebook(url, COURSE) as book:
        yield book


def students(url: str) -> list[str]:
    with Gradebook(url, COURSE) as gradebook:
        return [student.id for student in gradebook.students]


def enrol(url: str, name: str) -> None:
    """As nbgrader does it: a connection for each step, and a commit."""
    with Gradebook(url, COURSE) as gradebook:
        gradebook.add_student(name)


def test_all_of_it_is_written_at_the_end(book: OpenGradebook, url: str) -> None:
    elsewhere = Gradebook(url, COURSE)
    with book.transaction():
        enrol(url, "ada")
        enrol(url, "bo")
        assert students(url) == ["ada", "bo"]
        assert elsewhere.students == []
    elsewhere.db.rollback()
    assert [student.id for student in elsewhere.students] == ["ada", "bo"]
    elsewhere.close()


def test_what_the_database_computes_is_read_again(book: OpenGradebook, url: str) -> None:
    with book.transaction() as gradebook:
        assignment = gradebook.add_assignment("ps1")
        gradebook.add_notebook("one", "ps1")
        assert assignment.max_score == 0
        gradebook.add_grade_cell("test", "one", "ps1", max_score=7, cell_type="code")
        gradebook.db.commit()
        assert assignment.max_score == 7


def enrol_and_ask_for_another(book: OpenGradebook, url: str) -> None:
    with book.transaction() as gradebook:
        enrol(url, "ada")
        gradebook.find_student("nobody")


def test_where_anything_fails_nothing_is_written(book: OpenGradebook, url: str) -> None:
    with pytest.raises(MissingEntry):
        enrol_and_ask_for_another(book, url)
    assert students(url) == []
    with book.transaction():
        enrol(url, "bo")
    assert students(url) == ["bo"]


def test_where_the_process_is_killed_nothing_is_written(book: OpenGradebook, url: str) -> None:
    child = os.fork()
    if child == 0:
        with OpenGradebook(url, COURSE) as mine, mine.transaction():
            enrol(url, "ada")
            enrol(url, "bo")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert students(url) == []


def test_another_gradebook_is_left_alone(book: OpenGradebook, url: str, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    with book.transaction():
        enrol(other, "ada")
        assert students(other) == ["ada"]
        assert students(url) == []


def test_afterwards_nbgrader_is_as_before(book: OpenGradebook, url: str) -> None:
    before = (Gradebook.__init__, Gradebook.close)
    with book.transaction() as gradebook, pytest.raises(MissingEntry):
        gradebook.find_student("ada")
    assert (Gradebook.__init__, Gradebook.close) == before
    enrol(url, "ada")
    assert students(url) == ["ada"]
