"""Keeps what `autograde verify` found, so that an unchanged row is not run again: `.autograde/verify/LESSON.json`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograde import files
from autograde.bank import Answer, bank
from autograde.fingerprint import grader
from autograde.lesson import Lesson

FOLDER = Path(".autograde") / "verify"


class Kept:
    """The rows of one lesson. What is put is on disk at once, so that a run that is stopped goes on where it was."""

    def __init__(self, root: Path, lesson: str) -> None:
        self._path = root / FOLDER / f"{lesson}.json"
        self._rows: dict[str, dict[str, Any]] = {}
        if self._path.is_file():
            self._rows = json.loads(self._path.read_text())

    def get(self, id: str, key: str) -> dict[str, Any] | None:
        """What was found for a row, if nothing that it depends on has changed since."""
        row = self._rows.get(id)
        return row["found"] if row is not None and row["key"] == key else None

    def put(self, id: str, key: str, found: dict[str, Any]) -> None:
        self._rows[id] = {"key": key, "found": found}
        files.write(self._path, json.dumps(self._rows, indent=1))


def key_of(lesson: Lesson, answer: Answer, seeds: Mapping[str, int]) -> str:
    """A hash of all that an answer's row depends on: lesson, our solutions, hidden inputs, the answer, the answers that
    it may be taken for, this grader and its torch."""
    exercises = (answer.exercise, *lesson.built_on(answer.exercise))
    rivals = [(other.id, other.source) for name in exercises for other in bank(lesson, name) if not other.right]
    cells = [(cell.kind, cell.grade_id, cell.points, cell.uses, cell.source) for cell in lesson.cells if cell.source]
    code = [cell for cell in cells if cell[0] not in ("prose", "written")]
    parts = (lesson.name, code, lesson.notebook.metadata.get("course", {}), sorted(seeds.items()), answer.id)
    text = repr((*parts, answer.source, rivals, grader()))
    return hashlib.sha256(text.encode()).hexdigest()
