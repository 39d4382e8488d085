"""The notebook is found by its name or its cells; nothing outside the folder, and no link or device, is ever opened."""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path

import pytest
from damage import FOLDERS, Folder, write
from tiny_lesson import NAME, solved, tiny_lesson

from autograde.errors import UnreadableSubmission
from autograde.repair import Found, find_submission, repair
from autograde.repair.folder import look, opened, read_file

LESSON = tiny_lesson()
WHOLE = write(solved(LESSON))
RELEASE = write(LESSON.release)
EXACT = f"{NAME}.ipynb"


def worked(comment: str) -> bytes:
    """A solved notebook that differs from others by a comment."""
    notebook = deepcopy(solved(LESSON))
    notebook.cells[3].source += f"\n# {comment}"
    return write(notebook)


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    path = tmp_path / "ada" / NAME
    path.mkdir(parents=True)
    return path


def put(folder: Path, files: dict[str, bytes]) -> Found:
    """Write files, each a second newer than the one before it, and search."""
    for age, (name, raw) in enumerate(files.items()):
        (folder / name).write_bytes(raw)
        os.utime(folder / name, (1_700_000_000 + age, 1_700_000_000 + age))
    return find_submission(folder, LESSON)


def name_of(found: Found) -> str | None:
    return None if found.path is None else found.path.name


@pytest.mark.parametrize("kind", FOLDERS.values(), ids=lambda kind: kind.name)
def test_every_folder_gives_a_notebook_or_says_why_not(kind: Folder, handed_in: Path) -> None:
    kind.fill(handed_in, NAME, WHOLE)
    found = find_submission(handed_in, LESSON)
    assert (found.path is not None) == (found.raw is not None) == kind.found
    assert kind.note in {note.code for note in found.notes} or not (kind.note or found.notes)
    assert all(note.message.isprintable() and note.message.endswith(".") for note in found.notes)
    if kind.found:
        assert found.raw == WHOLE
        assert found.path.read_bytes() == WHOLE


def test_the_notebook_as_asked_needs_no_note(handed_in: Path) -> None:
    found = put(handed_in, {EXACT: WHOLE, "timestamp.txt": b"2026-01-01", "data.csv": b"1,2"})
    assert (found.path, found.raw, found.notes) == (handed_in / EXACT, WHOLE, ())


def test_what_is_no_notebook_is_found_and_repair_says_why(handed_in: Path) -> None:
    for name in (EXACT, "other.ipynb"):
        found = put(handed_in, {name: b""})
        assert name_of(found) == name
        with pytest.raises(UnreadableSubmission, match="empty"):
            repair(found.raw, LESSON)
        (handed_in / name).unlink()


def test_no_folder_at_all_and_a_file_in_its_place(tmp_path: Path) -> None:
    [note] = find_submission(tmp_path / "nobody", LESSON).notes
    assert (note.code, note.message) == ("nothing-submitted", "Nothing submitted.")
    (tmp_path / "file").write_bytes(WHOLE)
    found = find_submission(tmp_path / "file", LESSON)
    assert (found.path, found.notes[0].code) == (None, "unreadable-file")


def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path, handed_in: Path) -> None:
    put(handed_in, {EXACT: WHOLE})
    (tmp_path / "link").symlink_to(handed_in)
    found = find_submission(tmp_path / "link", LESSON)
    assert (found.path, found.notes[0].code, found.notes[0].flag) == (None, "not-followed", True)


def test_links_are_listed_to_be_left_alone(handed_in: Path) -> None:
    FOLDERS["links_beside_the_notebook"].fill(handed_in, NAME, WHOLE)
    os.mkfifo(handed_in / "pipe")
    assert find_submission(handed_in, LESSON).refused == ("copy.ipynb", "pipe", "secrets")


# Several notebooks


def test_the_name_decides_between_two_with_work_and_an_instructor_looks(handed_in: Path) -> None:
    found = put(handed_in, {EXACT: worked("one"), "00_tiny (1).ipynb": worked("two")})
    [note] = found.notes
    assert (name_of(found), note.code, note.flag) == (EXACT, "other-notebook", True)
    assert "'00_tiny (1).ipynb'" in note.message


def test_work_beats_the_name(handed_in: Path) -> None:
    found = put(handed_in, {"mine.ipynb": WHOLE, EXACT: RELEASE})
    assert name_of(found) == "mine.ipynb"
    assert {note.code: note.flag for note in found.notes} == {"other-name": False, "other-notebook": False}


def test_without_the_name_the_newest_with_work_is_taken(handed_in: Path) -> None:
    found = put(handed_in, {"a.ipynb": worked("old"), "b.ipynb": worked("new"), "c.ipynb": RELEASE})
    assert name_of(found) == "b.ipynb"
    assert any(note.flag and "'a.ipynb'" in note.message for note in found.notes)


def test_at_the_same_age_the_highest_copy_number_is_taken(handed_in: Path) -> None:
    files = {f"hw{copy}.ipynb": worked(copy) for copy in ("", " (2)", " (10)", " (1)")}
    put(handed_in, files)
    for name in files:
        os.utime(handed_in / name, (1_700_000_000, 1_700_000_000))
    assert name_of(find_submission(handed_in, LESSON)) == "hw (10).ipynb"


def test_the_same_file_twice_needs_no_second_note(handed_in: Path) -> None:
    assert [note.code for note in put(handed_in, {"a.ipynb": WHOLE, "b.ipynb": WHOLE}).notes] == ["other-name"]


def test_another_lessons_notebook_beside_it_is_not_taken(handed_in: Path) -> None:
    other = b'{"cells": [{"cell_type": "code", "source": "print(1)", "metadata": {}}], "nbformat": 4}'
    found = put(handed_in, {"homework.ipynb": WHOLE, "chemistry.ipynb": other})
    assert name_of(found) == "homework.ipynb"


def test_a_notebook_without_metadata_is_recognised(handed_in: Path) -> None:
    notebook = deepcopy(solved(LESSON))
    for cell in notebook.cells:
        cell.metadata = {}
    found = put(handed_in, {"empty.ipynb": b"{}", "colab.ipynb": write(notebook), "new.ipynb": b"[]"})
    assert name_of(found) == "colab.ipynb"


# Limits and changes behind our back


def test_a_file_that_is_too_large_is_not_read(handed_in: Path) -> None:
    with open(handed_in / EXACT, "wb") as stream:
        stream.truncate(101 * 2**20)
    found = find_submission(handed_in, LESSON)
    assert (found.path, [note.code for note in found.notes]) == (None, ["too-large", "nothing-submitted"])
    assert "101 MB; at most 100 MB" in found.notes[0].message
    assert find_submission(handed_in, LESSON, largest=101 * 2**20).path is not None


def test_a_flood_of_files_is_not_searched_to_its_end(handed_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograde.repair.folder.MOST_ENTRIES", 50)
    for number in range(60):
        (handed_in / f"{number}.ipynb").touch()
    assert "not-searched" in {note.code for note in find_submission(handed_in, LESSON).notes}


def test_folders_are_searched_to_a_limited_depth(handed_in: Path) -> None:
    deep = handed_in.joinpath(*"abcdefgh")
    deep.mkdir(parents=True)
    found = put(deep, {EXACT: WHOLE})
    assert name_of(found) == EXACT
    found = find_submission(handed_in, LESSON)
    assert (found.path, found.notes[0].code) == (None, "not-searched")


@pytest.mark.parametrize("swap", ["link", "other file", "pipe", "folder above"])
def test_a_file_that_was_swapped_after_it_was_listed_is_not_read(swap: str, handed_in: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "a.ipynb").write_bytes(b"secret")
    inner = handed_in / "inner"
    inner.mkdir()
    (inner / "a.ipynb").write_bytes(WHOLE)
    with opened(handed_in) as descriptor:
        [file] = look(descriptor).files
        assert read_file(descriptor, file, 10) == WHOLE[:10]
        if swap == "folder above":
            inner.rename(handed_in / "moved")
            inner.symlink_to(secret)
        else:
            (inner / "a.ipynb").rename(inner / "b.ipynb")
            if swap == "link":
                (inner / "a.ipynb").symlink_to(secret / "a.ipynb")
            elif swap == "pipe":
                os.mkfifo(inner / "a.ipynb")
            else:
                os.link(secret / "a.ipynb", inner / "a.ipynb")
        assert read_file(descriptor, file, 10) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_not_opened(handed_in: Path) -> None:
    try:
        os.mknod(handed_in / EXACT, 0o020666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this machine forbids devices")
    assert find_submission(handed_in, LESSON).notes[0].code == "not-followed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(handed_in: Path) -> None:
    put(handed_in, {EXACT: WHOLE})
    (handed_in / EXACT).chmod(0)
    assert find_submission(handed_in, LESSON).notes[0].code == "unreadable-file"
