"""The coordinator's side of a Dask cluster: hands out submissions, yields results as they come, loses none."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import logging
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass

import dask
from distributed import Client, Future, KilledWorker, Security, wait

from autograde.cluster import worker
from autograde.cluster.parcel import pack_job, pack_lesson
from autograde.cluster.scheduler import Scheduler
from autograde.cluster.version import version
from autograde.errors import CourseError
from autograde.run.pool import Job, Result

#: Seconds to wait for the scheduler, and for a worker where there is none.
CONNECT, NO_WORKER = 30.0, 120.0
#: Submissions handed out for each thread of a worker: one runs, the next is there when it has ended.
AHEAD = 2
#: Deaths that Dask may count against a submission which we have not seen begin so often.
HOPELESS = 12
LOGGER = logging.getLogger("distributed.client")
AGAIN = "Run the same command again: what is graded stays graded."


@dataclass
class _Task:
    """A submission that was handed out; `number` names it on the cluster, where no student's name should stand."""

    job: Job
    number: int
    killed: int = 0


class Cluster:
    """A context manager around a connection to a scheduler.

    Raises:
        CourseError: on entry, when no connection comes about, there is no worker, or one has no `autograde`.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._lessons: dict[tuple[object, ...], bytes] = {}
        self._numbers = itertools.count()
        self._run = f"autograde-{uuid.uuid4()}"

    def __enter__(self) -> Cluster:
        where = self._scheduler
        try:
            security = Security(
                require_encryption=True,
                tls_ca_file=str(where.ca),
                tls_client_cert=str(where.cert),
                tls_client_key=str(where.key) if where.key else None,
            )
            self._client = Client(where.address, security=security, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            raise CourseError(
                f"There is no connection to {where.address}: {_reason(error)}. Is the scheduler running, and are its "
                "certificate and yours signed by the same authority, and still valid? docs/cluster.md says how."
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT)
        except (TimeoutError, CancelledError, OSError) as error:
            self._client.close()
            raise CourseError(
                f"No worker is connected to {where.address}. Start some, then run the same command again."
            ) from error
        self._look_at_workers()
        self._level = LOGGER.level
        LOGGER.setLevel(logging.CRITICAL)  # of a lost connection it shows tracebacks, and we say a line
        return self

    def _look_at_workers(self) -> None:
        """A worker without our package would die of its first task, and so would all others of the next ones."""
        with self._connected():
            found = self._client.run(importlib.util.find_spec, worker.__name__, on_error="return")
        missing = [address for address, spec in found.items() if spec is None or isinstance(spec, Exception)]
        if missing:
            self._client.close()
            raise CourseError(
                f"This course's `autograde` is not installed where these workers run: {', '.join(missing)}. Install "
                f"{version()} there, with the extra `cluster`; docs/cluster.md says how."
            )

    def __exit__(self, *_: object) -> None:
        self._client.close(timeout=5)
        LOGGER.setLevel(self._level)

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Run all jobs; yields a result for every one of them, in the order in which they end.

        Raises:
            CourseError: the scheduler is lost, all workers are, or one must not grade: it has another version, say.
        """
        waiting = (_Task(job, next(self._numbers)) for job in jobs)
        flying: dict[Future, _Task] = {}
        again: list[_Task] = []
        while True:
            room = self._room()
            while len(flying) < room:
                task = again.pop() if again else next(waiting, None)
                if task is None:
                    break
                flying[self._hand_out(task)] = task
            if not flying:
                return
            for future in self._ended(flying):
                task = flying.pop(future)
                result = self._collect(future, task)
                if result is None:
                    again.append(task)
                else:
                    yield result

    def _room(self) -> int:
        """How many submissions may be on the cluster, by its size now. Waits for a worker where there is none."""
        deadline = time.monotonic() + NO_WORKER
        while True:
            with self._connected():
                threads = sum(self._client.nthreads().values())
            if threads:
                return AHEAD * threads
            if time.monotonic() > deadline:
                raise CourseError(f"All workers of {self._scheduler.address} are gone. Start some. {AGAIN}")
            time.sleep(1)

    def _hand_out(self, task: _Task) -> Future:
        job = task.job
        which = (job.root, job.lesson, job.answers, job.files)
        if which not in self._lessons:
            self._lessons[which] = pack_lesson(job)
        words = (self._lessons[which], pack_job(job), version(), self._run, task.number)
        # What the scheduler's pages show. No retries: they are for exceptions, of which we have none.
        key = f"{self._run}-{task.number}-{task.killed}"
        # A submission may be larger than what Dask warns of.
        with self._connected(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}):
            return self._client.submit(worker.grade, *words, key=key, pure=False)

    def _ended(self, flying: dict[Future, _Task]) -> list[Future]:
        """Those that have ended, after a moment if need be."""
        with self._connected(), contextlib.suppress(TimeoutError), self._client.as_current():
            return list(wait(list(flying), timeout=5, return_when="FIRST_COMPLETED").done)
        return []

    def _collect(self, future: Future, task: _Task) -> Result | None:
        """The result; None where it must be handed out again."""
        try:
            with self._connected():
                data = worker.unpack(future.result())
        except KilledWorker:
            # Dask counts deaths against all that a worker had, what only waited there, too: our count is of begins.
            task.killed += 1
            if self._begun(task) < worker.TRIES and task.killed < HOPELESS:
                return None
            data = {"died": worker.TRIES}
        if "unfit" in data:
            raise CourseError(f"A worker cannot grade: {data['unfit']}")
        if "died" in data:
            words = f"{data['died']} workers died while they ran it. An instructor must look at it."
            return Result(task.job.id, error=words, refused=True)
        return Result.from_dict(task.job.id, data)

    def _begun(self, task: _Task) -> int:
        with self._connected():
            return sum(event["begun"] == task.number for _, event in self._client.get_events(self._run))

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Say in one line what went wrong between us and the cluster.

        Raises:
            CourseError: the scheduler is gone, or Dask failed.
        """
        try:
            yield
        except (TimeoutError, KilledWorker):
            raise
        except (CancelledError, OSError) as error:  # all submissions are cancelled when the connection is lost
            raise CourseError(f"The connection to {self._scheduler.address} was lost. {AGAIN}") from error
        except Exception as error:
            raise CourseError(
                f"The cluster failed: {type(error).__name__}: {error}. Its logs may say more. {AGAIN}"
            ) from error


def _reason(error: BaseException) -> str:
    """What stands at the bottom of an error of Dask's, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split())[:300] or type(error).__name__
