"""The job server: imports what every job needs once, then forks workers, each of which does one job after another.

`python -m autograde.run.server` reads one job a line (JSON) from its standard input and says on its standard output
when a job has ended. It stays single-threaded, so that what it forks is sound; it dies when its input closes.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from autograde import files
from autograde.errors import CourseError, DiskFull
from autograde.judge.servers import JudgeServers
from autograde.run.workers import Workers
from autograde.sandbox import bwrap
from autograde.sandbox.bwrap import Mount
from autograde.sandbox.warm import WarmServers
from autograde.startup import skip_slow_imports


def work(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job; see `autograde.run.pool.Job`. Returns the result as plain JSON."""
    from autograde.errors import CourseError, UnreadableSubmission
    from autograde.lesson import Lesson
    from autograde.limits import Limits
    from autograde.repair import repair
    from autograde.run.submission import Settings, run

    settings = Settings(
        limits=Limits(**job["limits"]),
        seeds=job["seeds"],
        sandboxed=job["sandboxed"],
        only=None if job["only"] is None else frozenset(job["only"]),
        lost=job["lost"],
        files=lesson_files(job),
        hidden=hidden(job),
        shown=job["shown"],
        warm=Path(job["warm"]) if job["warm"] else None,
        judges=Path(job["judges"]) if job["judges"] else None,
    )
    raw = Path(job["raw"]).read_bytes()
    try:
        if job["kit"]:
            from autograde.oneroom import run as oneroom

            return oneroom.run(Path(job["kit"]), raw, settings)
        answers = Path(job["answers"]) if job["answers"] else None
        lesson = Lesson.load(Path(job["root"]), job["lesson"], answers)
        outcome = run(lesson, repair(raw, lesson), settings)
    except UnreadableSubmission as error:
        return {"unreadable": str(error)}
    except CourseError as error:
        return {"refused": str(error)}
    return {
        "verdicts": [verdict.to_dict() for verdict in outcome.verdicts],
        "notes": [vars(note) for note in outcome.notes],
        "notebook": outcome.notebook,
        "lost": list(outcome.lost),
    }


def lesson_files(job: dict[str, Any]) -> tuple[Mount, ...]:
    """The lesson's own files that a sandbox sees."""
    return tuple(Mount(Path(source), Path(target)) for source, target in job["files"])


def hidden(job: dict[str, Any]) -> tuple[Path, ...]:
    """What a sandbox must not see even where it lies in the system."""
    return (Path(job["root"]).resolve(),)


def do(job: dict[str, Any]) -> None:
    """Run one job and leave its result, or why there is none, where the job says."""
    started = time.monotonic()
    try:
        result = work(job)
    except BaseException:
        result = {"refused": f"The grader itself failed:\n{traceback.format_exc()}"}
    out = Path(job["out"])
    if "refused" in result and files.scarce(out):  # whatever failed, failed for want of room
        result = {"refused": str(files.full(out.parent))}
    result["seconds"] = time.monotonic() - started
    try:
        files.write(out, json.dumps(result))
    except DiskFull as error:  # a refusal is shorter; where there is no room for it either, our owner sees that
        with contextlib.suppress(DiskFull):
            files.write(out, json.dumps({"refused": str(error), "seconds": result["seconds"]}))


def preload() -> None:
    """Import what every job needs, while there is nothing to fork yet."""
    skip_slow_imports()
    import jupyter_client.manager
    import jupyter_client.provisioning
    import nbclient
    import nbformat

    import autograde.run.submission

    with contextlib.suppress(CourseError):  # each job asks again, and says so
        bwrap.require()
    # Where kernels and their provisioners are is looked up once, not in every job.
    manager = jupyter_client.manager.AsyncKernelManager(kernel_name="course-sandbox")
    _ = manager.kernel_spec
    jupyter_client.provisioning.KernelProvisionerFactory.instance()
    del jupyter_client, nbclient, nbformat, autograde
    gc.collect()
    gc.freeze()  # then a worker shares with us whatever it only reads


def serve() -> None:
    """Take jobs until the input closes; report `{"ended": id}` for each."""
    warm, judges = WarmServers(), JudgeServers()
    lines = _Lines()
    workers = Workers(do)
    # The first line says what the first sandboxes will see, so that their server starts while we import.
    expected = lines.first()
    if expected and expected["sandboxed"]:
        warm.prepare(lesson_files(expected), hidden(expected))
    if expected:
        judges.line()
    preload()
    _say({"ready": True})
    while (jobs := lines.next()) is not None:
        for job in jobs:
            line = warm.take(job["id"], lesson_files(job), hidden(job)) if job["sandboxed"] else None
            job["warm"] = str(line) if line else None
            job["judges"] = None if job["kit"] else judges.line()
            workers.begin(job)
        for ended in workers.wait(0, 1.0):
            warm.give_back(ended)
            _say({"ended": ended})
    workers.close()
    warm.close()
    judges.close()


class _Lines:
    """Our standard input, a JSON object a line."""

    def __init__(self) -> None:
        self._pending = b""
        os.set_blocking(0, False)

    def first(self) -> dict[str, Any] | None:
        """The first object; None when the input is closed before it comes."""
        while b"\n" not in self._pending:
            if not self._read(None):
                return None
        line, _, self._pending = self._pending.partition(b"\n")
        return dict(json.loads(line))

    def next(self) -> list[dict[str, Any]] | None:
        """What has come; None when the input is closed."""
        if not self._read(0.0):
            return None
        *lines, self._pending = self._pending.split(b"\n")
        return [json.loads(line) for line in lines]

    def _read(self, seconds: float | None) -> bool:
        if select.select([0], [], [], seconds)[0]:
            piece = os.read(0, 1 << 20)
            self._pending += piece
            return bool(piece)
        return True


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve()
