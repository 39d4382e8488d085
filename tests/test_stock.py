"""Stock nbgrader, for comparison: our lessons work in it, and the attacks that fail here succeed there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import FULL, WRITTEN, Grader

from tests.attacks import FOLDER, STOCK, load_attack, plant

pytestmark = [pytest.mark.stock, pytest.mark.sandbox]
CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "stock"\nc.NbGrader.logfile = ""\n'


def stock(root: Path, *words: str) -> str:
    """Run a command of nbgrader with nothing of ours in its configuration."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(root)}
    command = [sys.executable, "-P", "-m", "nbgrader", *words]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def graded_by_stock(root: Path, lesson: Any, submissions: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Points by student and exercise, as stock nbgrader gives them."""
    from nbgrader.api import Gradebook

    (root / "nbgrader_config.py").write_text(CONFIG)
    (root / "source" / lesson.name).mkdir(parents=True)
    nbformat.write(lesson.notebook, root / "source" / lesson.name / f"{lesson.name}.ipynb")
    stock(root, "generate_assignment", lesson.name)
    for student, notebook in submissions.items():
        folder = root / "submitted" / student / lesson.name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{lesson.name}.ipynb")
    stock(root, "autograde", lesson.name)
    scores: dict[str, dict[str, float]] = {}
    with Gradebook(f"sqlite:///{root}/gradebook.db", "stock") as gradebook:
        for student in submissions:
            held = gradebook.find_submission_notebook(lesson.name, lesson.name, student)
            scores[student] = {grade.name.removeprefix("test_"): grade.auto_score for grade in held.grades}
    return scores


def test_our_own_version_earns_everything_and_the_release_nothing(lesson: Any, grader: Grader, tmp_path: Path) -> None:
    scores = graded_by_stock(tmp_path, lesson, {"perfect": grader.solved(), "untouched": lesson.release})
    assert scores["perfect"] == {**FULL, WRITTEN: 0}
    assert set(scores["untouched"].values()) == {0}


@pytest.mark.nightly
def test_what_fails_here_succeeds_there(lesson: Any, grader: Grader, tmp_path: Path) -> None:
    """The other half of `test_attacks.py`: the forgeries and readings named in STOCK are real ones."""
    corpus = {key: load_attack(FOLDER / f"{key}.py") for key in STOCK}
    names = {key: key.replace("/", "-") for key in STOCK}
    submissions = {names[key]: plant(grader.solved(), *attack.cells) for key, attack in corpus.items()}
    scores = graded_by_stock(tmp_path, lesson, submissions)
    gained = {}
    for key in STOCK:
        text = (tmp_path / "autograded" / names[key] / lesson.name / f"{lesson.name}.ipynb").read_text()
        read = any(line.strip(' "').startswith("ESCAPED") for line in text.splitlines())
        gained[key] = scores[names[key]]["scores"] == 3 if key.startswith("forge/") else read
        print(f"{key:30} {'succeeds' if gained[key] else 'fails'} in stock nbgrader")
    assert all(gained.values()), gained
