"""What travels to a worker, as plain data: the lesson, and a submission."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import msgpack

from autograde import bank
from autograde.limits import Limits
from autograde.run.pool import Job

#: Where a worker puts what it received, below the folder of the lesson.
ANSWERS, FILES = "answers", "files"


def pack_lesson(job: Job) -> bytes:
    """All that a run reads besides the submission: the lesson's two notebooks, its bank, its own files."""
    notebooks = [f"{side}/{job.lesson}/{job.lesson}.ipynb" for side in ("source", "release")]
    answers = Path(job.answers) if job.answers else bank.ANSWERS / job.lesson
    found = {name: (job.root / name).read_bytes() for name in notebooks}
    found |= {f"{ANSWERS}/{name}": content for name, content in _below(answers, "*/*/*.py")}
    for number, (source, _) in enumerate(job.files):
        path = Path(source)
        inside = _below(path, "**/*") if path.is_dir() else [("", path.read_bytes())]
        found |= {f"{FILES}/{number}/{name}".rstrip("/"): content for name, content in inside}
    return _pack({"files": found, "targets": [target for _, target in job.files]})


def _below(folder: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.glob(pattern)):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def unpack_lesson(packed: bytes, folder: Path) -> None:
    """Lay the files of a lesson out in `folder`: all of it, or nothing."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as part:
        made = Path(part, "lesson")
        made.mkdir(mode=0o700)
        (made / ANSWERS).mkdir()
        content = _unpack(packed)
        for name, data in content["files"].items():
            path = made / PurePosixPath(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (made / "targets.json").write_text(json.dumps(content["targets"]))
        with suppress(OSError):  # another thread was first
            os.rename(made, folder)


def pack_job(job: Job) -> bytes:
    """A submission and how to run it; nothing of the coordinator's folders."""
    names = ("id", "raw", "lesson", "seeds", "only", "lost", "shown")
    return _pack({**{name: getattr(job, name) for name in names}, "limits": job.limits.to_dict()})


def unpack_job(packed: bytes, folder: Path) -> Job:
    """The job for the lesson that lies in `folder`. It is always sandboxed."""
    data = _unpack(packed)
    only = None if data["only"] is None else tuple(data["only"])
    targets = json.loads((folder / "targets.json").read_text())
    files = tuple((str(folder / FILES / str(number)), target) for number, target in enumerate(targets))
    more = {"limits": Limits(**data["limits"]), "only": only, "files": files}
    return Job(**{**data, **more}, root=folder, sandboxed=True, answers=str(folder / ANSWERS))


def _pack(data: dict[str, Any]) -> bytes:
    # an id may hold bytes that are no text, as a file name may
    return zlib.compress(msgpack.packb(data, unicode_errors="surrogateescape"), 1)


def _unpack(packed: bytes) -> dict[str, Any]:
    return dict(msgpack.unpackb(zlib.decompress(packed), unicode_errors="surrogateescape"))
