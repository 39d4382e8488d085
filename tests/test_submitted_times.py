"""`timestamp.txt` is a student's file: whatever it is, no batch ends with it, and a right time counts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from conftest import Grader
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograde.gradebook import times

WHEN = datetime(2026, 3, 1, 12, 0)


def linked(path: Path) -> None:
    elsewhere = path.with_name("elsewhere.txt")
    elsewhere.write_text("2026-03-01 12:00:00 UTC")
    path.symlink_to(elsewhere)


#: How a student may spoil the file.
SPOILT: dict[str, Callable[[Path], object]] = {
    "a script": lambda path: path.write_text("<script>alert(1)</script>"),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "nothing": lambda path: path.write_text(""),
    "no time of this world": lambda path: path.write_text("9999999999999999999-01-01 00:00:00 UTC"),
    "no zone of this world": lambda path: path.write_text("2026-03-01 12:00:00 " + "9" * 40),
    "very much": lambda path: path.write_text("2026 " * 100_000),
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a link": linked,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
}


def both_read(root: Path) -> list[datetime | None]:
    """What the two readers of nbgrader say, that of its converters and that of its formgrader."""
    course = CourseDirectory(config=Config({"CourseDirectory": {"root": str(root)}}))
    api = NbGraderAPI(course)
    folder = root / "submitted" / "ada" / "03_qkv"
    return [course.get_existing_timestamp(str(folder)), api.get_submitted_timestamp("03_qkv", "ada")]


@pytest.fixture
def stamp(tmp_path: Path) -> Path:
    folder = tmp_path / "submitted" / "ada" / "03_qkv"
    folder.mkdir(parents=True)
    return folder / times.NAME


@pytest.mark.parametrize("kind", SPOILT)
def test_what_is_no_time_is_none(stamp: Path, kind: str) -> None:
    SPOILT[kind](stamp)
    assert times.stated(stamp.parent) is None
    assert both_read(stamp.parents[3]) == [None, None]


@pytest.mark.parametrize("text", ["2026-03-01 12:00:00 UTC", "2026-03-01 13:00:00 +0100\n", "2026-03-01T12:00:00"])
def test_a_time_is_read_as_nbgrader_reads_it(stamp: Path, text: str) -> None:
    stamp.write_text(text)
    assert times.stated(stamp.parent) == text.strip()
    assert both_read(stamp.parents[3]) == [times._read(text)] * 2
    if text.endswith("UTC"):
        assert times._read(text) == WHEN


@pytest.mark.nightly
@pytest.mark.sandbox
def test_no_spoilt_time_stops_the_class(grader: Grader, tmp_path: Path) -> None:
    """Again and again, as the formgrader does and as a second `nbgrader autograde` does, which compares times."""
    root = tmp_path / "course"
    shutil.copytree(grader.course, root)
    kinds = {"ada": None, "mallory": SPOILT["a script"], "pia": os.mkfifo}
    for student, spoil in kinds.items():
        folder = root / "submitted" / student / "03_qkv"
        folder.mkdir(parents=True)
        nbformat.write(grader.lesson.release, folder / "03_qkv.ipynb")
        if spoil:
            spoil(folder / times.NAME)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])}
    for _ in range(2):
        command = [sys.executable, "-m", "nbgrader", "autograde", "03_qkv"]
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
    assert {path.name for path in (root / "autograded").iterdir()} == set(kinds)
