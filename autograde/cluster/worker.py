"""What Dask calls on a worker: one task is one submission.

By name, so the worker runs the code that is installed there, never code that was sent. This module is imported in the
worker's event loop, which must not wait: what is heavy comes later, in the thread of the task.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from distributed import Reschedule, get_worker
from distributed.utils import sync

#: How often one submission is begun, where workers die over it: once, and at most twice elsewhere.
TRIES = 3


def grade(lesson: bytes, job: bytes, expected: str, run: str, number: int) -> bytes:
    """Grade one submission. Always returns, as packed JSON: a result; `unfit` with why this worker must not grade; or
    `died`, when workers have died over it so often that it is not tried again.

    Args:
        expected: the coordinator's version.
        run: the scheduler's log in which each begin is noted, `number` for this submission.
    """
    tries = begun(run, number)
    if tries > TRIES:
        return pack({"died": TRIES})
    from autograde.cluster.servers import ServerDied, graded

    try:
        return pack(graded(lesson, job, expected))
    except ServerDied as error:
        if tries < TRIES:
            raise Reschedule from error
        return pack({"unfit": str(error)})


def begun(run: str, number: int) -> int:
    """Note with the scheduler that a submission is begun; how often it was. Only the scheduler outlives a worker.

    Not `Worker.log_event`, which does not wait: this process may be gone in a moment.
    """
    worker: Any = get_worker()
    sync(worker.loop, worker.scheduler.log_event, topic=run, msg={"begun": number, "worker": worker.address})
    return sum(event["begun"] == number for _, event in sync(worker.loop, worker.scheduler.events, topic=run))


def pack(data: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(data).encode(), 1)


def unpack(packed: bytes) -> dict[str, Any]:
    """What a worker said. It is data: parsed, never unpickled."""
    return dict(json.loads(zlib.decompress(packed)))
