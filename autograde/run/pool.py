"""The coordinator's side of the job server: hands out submissions, yields results as they come, loses none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import nbformat

from autograde import files, leftovers
from autograde.errors import CourseError, DiskFull
from autograde.limits import Limits
from autograde.repair import Note
from autograde.run import capacity
from autograde.sandbox import bwrap
from autograde.verdict import Verdict

#: Seconds above a job's own limits after which its process is ended from outside.
GRACE = 60.0


@dataclass(frozen=True)
class Job:
    """One submission to run: its bytes as handed in, the course folder and lesson, and how; see `Settings`.

    `answers`: the folder of the lesson's bank, where that is not this installation's. With one room
    (`autograde.oneroom`) `kit` is the file that holds the assignment, of `parts` notebooks.
    """

    id: str
    raw: bytes
    root: Path
    lesson: str
    limits: Limits
    seeds: dict[str, int]
    sandboxed: bool = True
    only: tuple[str, ...] | None = None
    lost: bool = False
    shown: bool = True
    files: tuple[tuple[str, str], ...] = ()
    answers: str | None = None
    kit: str = ""
    parts: int = 1


@dataclass(frozen=True)
class Result:
    """How a job ended. `error` is one line, for a submission that could not be read or run; then there are no verdicts.

    `refused` says that the error is ours (no sandbox, a bug), so that nobody mistakes it for the student's. A job with
    one room has `notebooks`, by name, instead of a notebook.
    """

    id: str
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[Note, ...] = ()
    notebook: Any = None
    error: str | None = None
    refused: bool = False
    seconds: float = 0.0
    lost: tuple[dict[str, Any], ...] = ()
    notebooks: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, id: str, data: Mapping[str, Any]) -> Result:
        """Of the plain data of `to_dict`."""
        return cls(
            id,
            tuple(Verdict.from_dict(verdict) for verdict in data["verdicts"]),
            tuple(Note(**note) for note in data["notes"]),
            nbformat.from_dict(data["notebook"]),
            data.get("error"),
            data.get("refused", False),
            data["seconds"],
            tuple(data["lost"]),
            {name: nbformat.from_dict(each) for name, each in data.get("notebooks", {}).items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the id."""
        whole = {
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "notes": [vars(note) for note in self.notes],
        }
        return {**{name: value for name, value in vars(self).items() if name != "id"}, **whole}


class Runner(Protocol):
    """What runs submissions: a pool of this machine, or a cluster."""

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Run all jobs; yields a result for every one of them, in the order in which they end."""
        ...


class Pool:
    """A context manager around one job server that runs `workers` submissions side by side, by default as many as this
    machine has room for. What it writes lies in `folder`, or where temporary files do.

    With the course folder `root` of the first jobs it makes ready for them while they are prepared.

    Raises:
        SandboxUnavailable: on entry, when this machine cannot isolate code and `sandboxed` is asked for.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        sandboxed: bool = True,
        root: Path | None = None,
        folder: Path | None = None,
    ) -> None:
        self._workers = workers or capacity.side_by_side()
        self._sandboxed, self._root, self._below = sandboxed, root, folder
        self._heard = b""

    def __enter__(self) -> Pool:
        if self._sandboxed:
            bwrap.require()
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        self._folder = files.temporary(leftovers.prefix("jobs"), self._below)
        leftovers.sweep()
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograde.run.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A process that has used a GPU cannot fork soundly, and tests must give the same numbers everywhere.
            env={**os.environ, **threads, "CUDA_VISIBLE_DEVICES": ""},
            start_new_session=True,
        )
        self._ready = False
        known = self._root is not None and self._sandboxed
        self._send({"root": str((self._root or Path()).resolve()), "files": [], "sandboxed": known})
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with contextlib.suppress(OSError):
            self._server.stdin.close()
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._server.stdout.close()
        self._folder.cleanup()

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Run all jobs; yields a result for every one of them, in the order in which they end.

        Raises:
            CourseError: the job server does not start, or dies.
        """
        # Not on entry: while it imports, its owner can prepare the jobs.
        if not self._ready and not self._hear(120.0):
            raise self._ended("The job server does not start; run `autograde doctor`.")
        self._ready = True
        waiting = iter(jobs)
        running: dict[str, Job] = {}
        while True:
            while len(running) < self._workers and (job := next(waiting, None)) is not None:
                try:
                    self._hand_out(job)
                except DiskFull as error:
                    yield Result(job.id, error=str(error), refused=True)
                else:
                    running[job.id] = job
            if not running:
                return
            for message in self._hear(5.0):
                job = running.pop(message["ended"])
                yield self._collect(job)
            if self._server.poll() is not None:
                raise self._ended("The job server died. Run the same command again: what is graded stays graded.")

    def run_one(self, job: Job) -> Result:
        return next(self.run([job]))

    def _ended(self, words: str) -> CourseError:
        folder = Path(self._folder.name)
        return files.full(folder) if files.scarce(folder) else CourseError(words)

    def _paths(self, job: Job) -> tuple[Path, Path]:
        base = Path(self._folder.name) / hashlib.sha256(os.fsencode(job.id)).hexdigest()  # an id may be any file name
        return base.with_suffix(".raw"), base.with_suffix(".json")

    def _hand_out(self, job: Job) -> None:
        raw, out = self._paths(job)
        files.write(raw, job.raw)
        out.unlink(missing_ok=True)
        message = {**vars(job), "raw": str(raw), "out": str(out), "root": str(job.root.resolve())}
        limits = job.limits.stretched(max(1.0, self._workers / capacity.cores()))
        message["limits"] = limits.to_dict()
        # twice: what builds on a failed exercise is run again
        message["deadline"] = (job.parts + 1) * limits.notebook + limits.diagnosis + GRACE
        self._send(message)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died; who waits for its answer finds out
            self._server.stdin.write(json.dumps(message).encode() + b"\n")
            self._server.stdin.flush()

    def _hear(self, seconds: float) -> list[dict[str, Any]]:
        """The server's next messages, if any come in time."""
        assert self._server.stdout is not None
        if select.select([self._server.stdout], [], [], seconds)[0]:
            self._heard += os.read(self._server.stdout.fileno(), 1 << 16)
        *lines, self._heard = self._heard.split(b"\n")
        return [json.loads(line) for line in lines]

    def _collect(self, job: Job) -> Result:
        raw, out = self._paths(job)
        raw.unlink(missing_ok=True)
        if not out.is_file():
            why = self._ended("It took too long, or ended its grader. An instructor must look at it.")
            return Result(job.id, error=str(why), refused=True)
        data = json.loads(out.read_text())
        out.unlink()
        if "unreadable" in data:
            return Result(job.id, error=data["unreadable"], seconds=data["seconds"])
        if "refused" in data:
            return Result(job.id, error=data["refused"], refused=True, seconds=data["seconds"])
        return Result.from_dict(job.id, data)
