"""One grader at a time for a course: the second waits for the first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = Path(".autograde") / "lock"


@contextmanager
def alone(root: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the course folder `root` for this process. The lock ends with the process, however that ends.

    Args:
        waiting: called once where somebody else holds it.
    """
    path = root / LOCK
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
