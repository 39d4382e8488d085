"""The published folder on disk: ours to write or refused, exact, repeatable, and never somebody else's loss."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autograde.errors import CourseError
from autograde.publish import folder
from autograde.publish.folder import MARKER, STAGING, examine, write

FILES = {"README.md": b"read me\n", "homework/03/03.ipynb": b"{}\n", "homework/03/data.csv": b"1\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "course").mkdir()
    return tmp_path / "course"


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "students"


def put(into: Path, root: Path, files: dict[str, bytes] = FILES) -> folder.Written:
    return write(into, files, examine(into, root))


def state(into: Path) -> dict[str, tuple[bytes, int]]:
    paths = [path for path in into.rglob("*") if path.is_file()]
    return {path.relative_to(into).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def test_a_new_folder_holds_the_files_and_a_marker(into: Path, root: Path) -> None:
    done = put(into, root)
    assert {path: data for path, (data, _) in state(into).items() if path != MARKER} == FILES
    assert done == folder.Written(tuple(sorted(FILES)), (), (), (), 3)


def test_publishing_again_changes_nothing(into: Path, root: Path) -> None:
    put(into, root)
    before = {path: data for path, (data, _) in state(into).items()}, state(into)["README.md"]
    assert put(into, root) == folder.Written((), (), (), (), 3)
    assert ({path: data for path, (data, _) in state(into).items()}, state(into)["README.md"]) == before


def test_an_empty_folder_and_a_fresh_git_clone_are_ours_to_fill(into: Path, root: Path) -> None:
    into.mkdir()
    assert examine(into, root) == {}
    (into / ".git").mkdir()
    (into / ".git" / "HEAD").write_text("ref")
    put(into, root)
    assert (into / ".git" / "HEAD").read_text() == "ref"


def test_what_is_no_longer_published_goes_and_what_others_put_there_stays(into: Path, root: Path) -> None:
    put(into, root, FILES | {"homework/02/02.ipynb": b"old", "homework/01/01.ipynb": b"old"})
    (into / "homework" / "01" / "notes.txt").write_text("mine")
    (into / "grades.csv").write_text("theirs")
    done = put(into, root, FILES | {"README.md": b"new\n"})
    assert (done.changed, done.removed) == (("README.md",), ("homework/01/01.ipynb", "homework/02/02.ipynb"))
    assert not (into / "homework" / "02").exists()
    assert sorted(path.name for path in (into / "homework" / "01").iterdir()) == ["notes.txt"]
    assert (into / "grades.csv").read_text() == "theirs"


def test_a_file_that_somebody_changed_is_not_replaced(into: Path, root: Path) -> None:
    put(into, root)
    (into / "homework/03/03.ipynb").write_bytes(b"a student's evening")
    before = state(into)
    with pytest.raises(CourseError, match="Somebody wrote or changed") as refused:
        put(into, root, FILES | {"homework/03/03.ipynb": b"corrected", "README.md": b"new"})
    assert "homework/03/03.ipynb" in str(refused.value)
    assert "README.md" not in str(refused.value)
    assert state(into) == before


def test_a_changed_file_that_is_no_longer_published_stays(into: Path, root: Path) -> None:
    put(into, root)
    (into / "homework/03/data.csv").write_bytes(b"a student's evening")
    done = put(into, root, {"README.md": b"read me\n"})
    assert (done.removed, done.kept) == (("homework/03/03.ipynb",), ("homework/03/data.csv",))
    assert (into / "homework/03/data.csv").read_bytes() == b"a student's evening"


@pytest.mark.parametrize("taken", ["homework/03/new.ipynb", "homework/03/new.ipynb/inside", "homework/03/data.csv/x"])
def test_a_new_file_does_not_replace_somebody_elses(taken: str, into: Path, root: Path) -> None:
    put(into, root)
    if taken.startswith("homework/03/new"):
        (into / taken).parent.mkdir(parents=True, exist_ok=True)
        (into / taken).write_text("mine")
    fresh = "homework/03/new.ipynb" if "new" in taken else taken
    before = state(into)
    with pytest.raises(CourseError, match="Somebody wrote or changed"):
        put(into, root, FILES | {fresh: b"ours"})
    assert state(into) == before


def test_a_deleted_file_comes_back(into: Path, root: Path) -> None:
    put(into, root)
    (into / "README.md").unlink()
    assert put(into, root).added == ("README.md",)


def test_a_folder_that_holds_something_else_is_refused(into: Path, root: Path) -> None:
    into.mkdir()
    (into / "thesis.tex").write_text("mine")
    with pytest.raises(CourseError, match=f"{MARKER} is missing"):
        put(into, root)
    assert [path.name for path in into.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("where", ["course", "course/students", "course/../course/students", "."])
def test_the_course_folder_is_refused(where: str, tmp_path: Path, root: Path) -> None:
    with pytest.raises(CourseError, match="course folder"):
        examine(tmp_path / where, root)


def test_a_file_in_place_of_the_folder_is_refused(into: Path, root: Path) -> None:
    into.write_text("mine")
    with pytest.raises(CourseError, match="is no folder"):
        examine(into, root)


def test_no_link_is_followed(into: Path, root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    into.symlink_to(elsewhere)
    with pytest.raises(CourseError, match="is a link"):
        put(into, root)
    into.unlink()
    put(into, root)
    for link, target in [("README.md", "victim.txt"), ("solutions", "."), (STAGING, ".")]:
        (into / link).unlink(missing_ok=True)
        (into / link).symlink_to(elsewhere / target)
        with pytest.raises(CourseError, match="is a link"):
            put(into, root, FILES | {"solutions/03.ipynb": b"ours"})
        (into / link).unlink()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["../outside.txt", "/outside.txt", "homework/../../outside.txt", ""])
def test_a_marker_that_names_files_outside_is_refused(name: str, into: Path, root: Path, tmp_path: Path) -> None:
    put(into, root)
    (tmp_path / "outside.txt").write_text("mine")
    (into / MARKER).write_text(json.dumps({"files": {name: ["0" * 64]}}))
    with pytest.raises(CourseError, match="cannot be read"):
        put(into, root, {})
    assert (tmp_path / "outside.txt").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', '{"files": {"a": 3}}', "\ud800"])
def test_a_damaged_marker_is_refused(text: str, into: Path, root: Path) -> None:
    put(into, root)
    (into / MARKER).write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(CourseError, match="Publish into a new folder"):
        examine(into, root)


@pytest.mark.parametrize("moves", range(1, 4))
def test_a_publish_that_was_cut_short_is_no_obstacle(
    moves: int, into: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(into, root)
    left = moves

    def until_cut(source: Path, target: Path) -> None:
        nonlocal left
        if left == 0:
            raise OSError("no space left")
        left -= 1
        os.rename(source, target)

    second = {path: b"second " + data for path, data in FILES.items()}
    with monkeypatch.context() as patch:
        patch.setattr(folder.os, "replace", until_cut)
        with pytest.raises(OSError, match="no space left"):
            put(into, root, second)
    assert not (into / STAGING).exists()
    third = {path: b"third " + data for path, data in FILES.items()}
    put(into, root, third)
    assert {path: (into / path).read_bytes() for path in third} == third
    listed = json.loads((into / MARKER).read_text())["files"]
    assert all(len(hashes) == 1 for hashes in listed.values())
