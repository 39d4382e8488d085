"""The formgrader's "Generate" and `nbgrader generate_assignment` do what `autograde build` does, and lose nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

NAME = "03_qkv"
RELEASE = Path("release") / NAME / f"{NAME}.ipynb"


@pytest.fixture
def root(course: Path, tmp_path: Path) -> Path:
    shutil.copytree(course, tmp_path / "course")
    return tmp_path / "course"


def generate(root: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(root)}
    command = [sys.executable, "-P", "-m", "nbgrader", "generate_assignment", NAME, "--force"]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def test_the_release_has_the_same_bytes(root: Path) -> None:
    built = (root / RELEASE).read_bytes()
    (root / RELEASE).unlink()
    done = generate(root)
    assert done.returncode == 0, done.stderr
    assert (root / RELEASE).read_bytes() == built


def test_the_text_is_built_first(root: Path) -> None:
    text = root / "source" / f"{NAME}.py"
    text.write_text(text.read_text().replace("## Sky or sea?", "## Sky, or sea?"))
    done = generate(root)
    assert done.returncode == 0, done.stderr
    assert "## Sky, or sea?" in (root / RELEASE).read_text()


def test_a_refusal_names_the_line_and_keeps_release_and_gradebook(root: Path) -> None:
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        gradebook.add_student("ada")
    built = (root / RELEASE).read_bytes()
    text = root / "source" / f"{NAME}.py"
    text.write_text(text.read_text().replace("### END SOLUTION", "", 1))
    done = generate(root)
    assert done.returncode != 0
    assert f"source/{NAME}.py:" in done.stderr
    assert (root / RELEASE).read_bytes() == built
    with Gradebook(f"sqlite:///{root}/gradebook.db", "gates-to-transformers") as gradebook:
        assert [student.id for student in gradebook.students] == ["ada"]
        assert gradebook.assignments == []
