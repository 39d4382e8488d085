"""Where a class is graded: on this machine, or on a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from autograde.cluster.scheduler import Scheduler
from autograde.errors import CourseError
from autograde.run.pool import Pool, Runner


def runner_of(
    scheduler: Scheduler | None, workers: int | None, *, sandboxed: bool, root: Path
) -> AbstractContextManager[Runner]:
    """What runs submissions: this machine, or the cluster of a scheduler.

    Raises:
        CourseError: a cluster without a sandbox.
    """
    if scheduler is None:
        return Pool(workers, sandboxed=sandboxed, root=root)
    if not sandboxed:
        raise CourseError("On a cluster student code always runs in a sandbox: leave out --no-sandbox.")
    from autograde.cluster.client import Cluster  # Dask is there only where somebody wants it

    return Cluster(scheduler)
