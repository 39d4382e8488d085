"""The job servers of a worker: each grades one submission at a time, as on the coordinator's own machine."""

from __future__ import annotations

import functools
import hashlib
import tempfile
import traceback
from pathlib import Path
from typing import Any

from distributed import get_worker

from autograde.startup import skip_slow_imports

skip_slow_imports()

from autograde.cluster.parcel import unpack_job, unpack_lesson  # noqa: E402
from autograde.cluster.scheduler import exposed  # noqa: E402
from autograde.cluster.version import version  # noqa: E402
from autograde.errors import CourseError, SandboxUnavailable  # noqa: E402
from autograde.run.pool import Job, Pool, Result  # noqa: E402

#: Those that wait for work, of whatever thread.
_idle: list[Pool] = []


class ServerDied(CourseError):
    """A job server did not start, or ended; elsewhere there is another."""


def graded(lesson: bytes, job: bytes, expected: str) -> dict[str, Any]:
    """A packed submission, graded: its result as plain data, or `unfit` with why this worker must not grade.

    Raises:
        ServerDied: nothing can be said of it here.
    """
    try:
        if why := unfit(expected):
            return {"unfit": why}
        folder = _folder() / hashlib.sha256(lesson).hexdigest()
        if not folder.is_dir():
            unpack_lesson(lesson, folder)
        return _run(unpack_job(job, folder)).to_dict()
    except SandboxUnavailable as error:
        return {"unfit": str(error)}
    except CourseError as error:
        raise ServerDied(str(error)) from error
    except Exception:
        return Result("", error=f"The grader itself failed:\n{traceback.format_exc()}", refused=True).to_dict()


def unfit(expected: str) -> str:
    """Why this worker must not grade; empty if it may."""
    if version() != expected:
        return f"it has {version()}, and here is {expected}. Install the same there, then start the workers again."
    return _key_exposed()


@functools.cache
def _key_exposed() -> str:
    security: Any = get_worker().security
    key = security.tls_worker_key or security.tls_worker_cert
    return exposed(Path(key)) if key and "\n" not in key else ""


@functools.cache
def _folder() -> Path:
    """A folder of this process, in the place that Dask clears when a worker ends, or starts after one that was killed.
    Only this user can look into it."""
    return Path(tempfile.mkdtemp(prefix="course-", dir=get_worker().local_directory))


def _run(job: Job) -> Result:
    try:
        pool = _idle.pop()
    except IndexError:
        pool = Pool(1, root=job.root, folder=_folder()).__enter__()
    try:
        result = pool.run_one(job)
    except BaseException:
        pool.__exit__()
        raise
    _idle.append(pool)
    return result
