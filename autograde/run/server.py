"""The job server: imports everything heavy once, then forks a process for every submission.

`python -m autograde.run.server` reads one job a line (JSON) from its standard input and says on its standard output
when a job has ended. It stays single-threaded, so that what it forks is sound; it dies when its input closes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from autograde.startup import skip_slow_imports


def work(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job; see `autograde.run.pool.Job`. Returns the result as plain JSON."""
    from autograde.errors import CourseError, UnreadableSubmission
    from autograde.lesson import Lesson
    from autograde.limits import Limits
    from autograde.repair import repair
    from autograde.run.submission import Settings, run
    from autograde.sandbox.bwrap import Mount

    lesson = Lesson.load(Path(job["root"]), job["lesson"])
    try:
        repaired = repair(Path(job["raw"]).read_bytes(), lesson)
        settings = Settings(
            limits=Limits(**job["limits"]),
            seeds=job["seeds"],
            sandboxed=job["sandboxed"],
            only=None if job["only"] is None else frozenset(job["only"]),
            lost=job["lost"],
            files=tuple(Mount(Path(source), Path(target)) for source, target in job["files"]),
            hidden=(Path(job["root"]).resolve(),),
        )
        outcome = run(lesson, repaired, settings)
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


def _child(job: dict[str, Any]) -> None:
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started = time.monotonic()
    try:
        result = work(job)
    except BaseException:
        result = {"refused": f"The grader itself failed:\n{traceback.format_exc()}"}
    result["seconds"] = time.monotonic() - started
    out = Path(job["out"])
    out.with_suffix(".part").write_text(json.dumps(result))
    out.with_suffix(".part").rename(out)


def preload() -> None:
    """Import what every job needs, while there is nothing to fork yet."""
    skip_slow_imports()
    import matplotlib

    matplotlib.use("Agg")
    import jupyter_client.manager
    import matplotlib.pyplot
    import nbclient
    import nbformat
    import torch

    import autograde.run.submission

    torch.set_num_threads(1)
    del jupyter_client, matplotlib, nbclient, nbformat, autograde


def serve() -> None:
    """Take jobs until the input closes; report `{"ended": id}` for each."""
    preload()
    running: dict[int, tuple[str, float]] = {}
    os.set_blocking(0, False)
    pending = b""
    _say({"ready": True})
    while True:
        if select.select([0], [], [], 0.05)[0]:
            piece = os.read(0, 1 << 20)
            if not piece:
                break
            pending += piece
        *lines, pending = pending.split(b"\n")
        for line in lines:
            job = json.loads(line)
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                _leave_the_line()
                _child(job)
                os._exit(0)
            running[pid] = (job["id"], time.monotonic() + job["deadline"])
        _reap(running)
    for pid in running:
        _end(pid)


def _leave_the_line() -> None:
    """A job's process neither reads the server's jobs nor speaks for it."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)


def _reap(running: dict[int, tuple[str, float]]) -> None:
    for pid, (job, deadline) in list(running.items()):
        if time.monotonic() > deadline:
            _end(pid)
        done, _ = os.waitpid(pid, os.WNOHANG)
        if done:
            del running[pid]
            _end(pid)
            _say({"ended": job})


def _end(pid: int) -> None:
    """End a job with all that it started; its sandbox sees its pipe close and follows."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve()
