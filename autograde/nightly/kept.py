"""What a long run has done already: the outcomes of tasks, so that who is stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from dataclasses import asdict
from pathlib import Path

import torch

from autograde import files
from autograde.claims import Claim
from autograde.nightly.budgets import FILE
from autograde.nightly.check import Check, Outcome, Task

FOLDER = "kept"


class Kept:
    """Outcomes in a folder, each under a hash of all that it depends on. Only what holds is kept."""

    def __init__(self, root: Path, out: Path) -> None:
        self._root, self._folder = root, out / FOLDER
        self._code = _code(root)

    def get(self, task: Task) -> Outcome | None:
        """What became of a task, if it was done and nothing that it depends on has changed since."""
        path = self._path(task)
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            checks = tuple(Check.from_dict(check) for check in said["checks"])
            claims = tuple(Claim(**claim) for claim in said["claims"])
            return Outcome(task, checks, claims, seconds=said["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None  # then it is run again

    def put(self, outcome: Outcome) -> None:
        if not outcome.ok:
            return
        path = self._path(outcome.task)
        said = {
            "task": outcome.task.label,
            "checks": [check.to_dict() for check in outcome.checks],
            "claims": [asdict(claim) for claim in outcome.claims],
            "seconds": outcome.seconds,
        }
        files.write(path, json.dumps(said, indent=1))

    def clear(self) -> None:
        """Forget everything: the next run begins anew."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, task: Task) -> Path:
        texts = [self._root / folder / f"{task.lesson}.py" for folder in ("notebooks", "source")]
        digest = hashlib.sha256(repr((task.lesson, task.name, task.seed, self._code)).encode())
        for path in [*texts, self._root / FILE]:
            digest.update(path.read_bytes() if path.is_file() else b"")
        return self._folder / f"{digest.hexdigest()[:32]}.json"


def _code(root: Path) -> str:
    """A hash of what notebooks import, and of the versions of Python and torch."""
    digest = hashlib.sha256(f"{platform.python_version()} {torch.__version__}".encode())
    for path in sorted((root / "course_utils").rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
