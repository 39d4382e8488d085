"""Hashes of what a result depends on: where all of it is unchanged, nothing needs to be run again."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat

import course_utils
from autograde.bank import Answer
from autograde.lesson import Lesson
from autograde.limits import Limits

#: What a verdict depends on, of our own code: everything that reads, runs and judges a notebook.
GRADER = (
    *("judge", "run", "oneroom", "cluster", "repair", "sandbox", "rules"),
    *("bank.py", "diagnosis.py", "lesson.py", "limits.py", "seeds.py", "verdict.py"),
)


def grader() -> str:
    """A hash of our own code, and the torch that runs it."""
    return f"{code()} {version('torch')}"  # not torch's own word: who asks here need not import it


@functools.cache
def code() -> str:
    """A hash of our own code."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    places = [*(here / name for name in GRADER), Path(course_utils.__file__).parent]
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.relative_to(place.parent).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def of_submission(raw: bytes | None) -> str:
    """A hash of what was handed in, alone; None when nothing was found."""
    return hashlib.sha256(b"nothing" if raw is None else b"file\0" + raw).hexdigest()


class LessonPrint:
    """The fingerprint of a lesson as it is graded now; `of` gives that of a submission for it.

    All of the lesson's text counts, its prose too: it stands in the notebooks that are kept.
    """

    def __init__(
        self, lesson: Lesson, limits: Limits, seeds: Mapping[str, int], bank: Iterable[Answer], *, sandboxed: bool
    ) -> None:
        texts = [nbformat.writes(notebook) for notebook in (lesson.notebook, lesson.release)]
        answers = [(answer.id, answer.source) for answer in bank]
        settings = {"limits": limits.to_dict(), "seeds": dict(seeds), "bank": answers, "sandboxed": sandboxed}
        text = json.dumps([lesson.name, grader(), texts, settings], sort_keys=True)
        self._digest = hashlib.sha256(text.encode())

    def of(self, raw: bytes | None, notes: Any) -> str:
        """Of a submission: its bytes (None when nothing was found), and what was noted when it was found."""
        digest = self._digest.copy()
        digest.update(json.dumps([vars(note) for note in notes], sort_keys=True).encode() + b"\0")
        digest.update(b"nothing" if raw is None else b"file\0" + raw)
        return digest.hexdigest()
