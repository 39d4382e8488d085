"""The job server's workers: processes forked from it, each of which does one job after another."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Jobs after which a worker is replaced. A fork, and what each process looks up once, cost as much as a job's own work.
MOST = 40


@dataclass
class _Worker:
    pid: int
    line: socket.socket
    jobs: int = 0
    job: str | None = None
    deadline: float = 0.0


class Workers:
    """As many workers as there are jobs at a time. The process that has them must stay single-threaded.

    Args:
        work: does one job in a worker, and lets no exception out.
    """

    def __init__(self, work: Callable[[dict[str, Any]], None]) -> None:
        self._work, self._workers = work, dict[int, _Worker]()  # by the descriptor of the line to it

    def begin(self, job: dict[str, Any]) -> None:
        """Let an idle worker do a job, or a new one; it is ended after `deadline` seconds."""
        idle = (worker for worker in self._workers.values() if worker.job is None)
        worker = next(idle, None) or self._hire()
        worker.job, worker.deadline = job["id"], time.monotonic() + job["deadline"]
        worker.jobs += 1
        with contextlib.suppress(OSError):  # it died while it was idle; then its line says so
            worker.line.sendall(json.dumps(job).encode() + b"\n")

    def wait(self, other: int, seconds: float) -> Iterator[str]:
        """Wait until a job ends, at most so long, or until there is something to read on `other`; ends what is late.
        Yields the ids of the jobs that are over, however they ended."""
        readable, _, _ = select.select([other, *self._workers], [], [], seconds)
        for descriptor in readable:
            if descriptor != other:
                yield from self._heard(self._workers[descriptor])
        for worker in self._workers.values():
            if worker.job is not None and time.monotonic() > worker.deadline:
                _kill(worker)

    def _heard(self, worker: _Worker) -> Iterator[str]:
        try:
            said = worker.line.recv(16)
        except OSError:
            said = b""
        job, worker.job = worker.job, None
        if not said or worker.jobs >= MOST:
            self._dismiss(worker)
        if job is not None:
            yield job

    def _hire(self) -> _Worker:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            ours.close()
            for other in self._workers.values():
                other.line.close()
            _be_worker(theirs, self._work)
        theirs.close()
        worker = self._workers[ours.fileno()] = _Worker(pid, ours)
        return worker

    def _dismiss(self, worker: _Worker) -> None:
        del self._workers[worker.line.fileno()]
        worker.line.close()
        _kill(worker)
        os.waitpid(worker.pid, 0)

    def close(self) -> None:
        """End them all, whatever they do."""
        for worker in list(self._workers.values()):
            self._dismiss(worker)


def _kill(worker: _Worker) -> None:
    """End a worker with all that it started; its sandbox sees its pipe close and follows."""
    for end in (os.killpg, os.kill):  # before it has a group of its own, it has started nothing
        with contextlib.suppress(ProcessLookupError):
            end(worker.pid, signal.SIGKILL)


def _be_worker(line: socket.socket, work: Callable[[dict[str, Any]], None]) -> None:
    """Neither read the server's jobs nor speak for it; never returns."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _silence((0, 1))
        for job in line.makefile("rb"):
            work(json.loads(job))
            line.sendall(b"over")
    finally:
        os._exit(0)


def _silence(descriptors: Sequence[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
