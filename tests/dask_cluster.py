"""A Dask cluster behind TLS: real processes on this machine, started as docs/cluster.md says."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cloudpickle
import psutil
from conftest import REPO
from distributed import Client, Security

from autograde.cluster.scheduler import Scheduler

#: Options and endings of the two files that say who somebody is.
PAIR = {"cert": "pem", "key": "key"}


def make_certificates(folder: Path) -> Path:
    """Run the document's own commands; where the certificates are then."""
    text = (REPO / "docs" / "cluster.md").read_text()
    commands = re.search(r"```sh\n(umask.*?)```", text, re.DOTALL)
    assert commands is not None
    subprocess.run(["sh", "-eu", "-c", commands[1]], cwd=folder, check=True, capture_output=True)
    return folder / "cluster"


class DaskCluster:
    """A scheduler and its workers, each in a session, working folder, home and place for temporary files of its own."""

    def __init__(self, folder: Path, certificates: Path) -> None:
        self._folder, self._certificates = folder, certificates
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tls://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", str(self.port))
        self._listens()

    def _listens(self, seconds: float = 120.0) -> None:
        """Wait until somebody may connect: importing Dask takes its time."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return

    def known(self, who: str = "client", certificates: Path | None = None) -> Scheduler:
        """The scheduler as somebody knows it who has these certificates."""
        pair = (certificates or self._certificates) / who
        return Scheduler.of(
            self.address, self._certificates / "ca.pem", pair.with_suffix(".pem"), pair.with_suffix(".key")
        )

    def allow_deaths(self, count: int) -> None:
        """How many workers may die over a task before Dask gives up on it."""
        ours = {f"tls_client_{kind}": f"{self._certificates}/client.{end}" for kind, end in PAIR.items()}
        security = Security(require_encryption=True, tls_ca_file=f"{self._certificates}/ca.pem", **ours)
        with Client(self.address, security=security, set_as_default=False) as client:
            client.run_on_scheduler(_allow, count)

    def start_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        more = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0")
        return self._start("worker", self.address, *more, environment=environment)

    def _start(self, role: str, *words: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        own = self._folder / f"{role}-{len(self.processes)}"
        own.mkdir()
        tls = [f"--tls-ca-file={self._certificates}/ca.pem"]
        tls += [f"--tls-{kind}={self._certificates}/{role}.{end}" for kind, end in PAIR.items()]
        with (own / "log").open("wb") as log:
            process = subprocess.Popen(
                [Path(sys.executable).with_name("dask"), role, *words, "--no-dashboard", *tls],
                cwd=own,
                env={**os.environ, "TMPDIR": str(own), "HOME": str(own), **(environment or {})},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def running(self, sleep: int) -> tuple[psutil.Process, psutil.Process] | None:
        """The nanny and the worker below which student code runs `sleep`, if any does."""
        for process in self.processes[1:]:
            for child in _children(psutil.Process(process.pid)) if process.poll() is None else ():
                if any(str(sleep) in _words(each) for each in _children(child, recursive=True)):
                    return psutil.Process(process.pid), child
        return None

    def wait_for(self, sleep: int, seconds: float = 300.0) -> tuple[psutil.Process, psutil.Process]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := self.running(sleep):
                return found
            time.sleep(0.1)
        raise TimeoutError(f"no worker runs `sleep {sleep}`")

    def close(self) -> None:
        for process in self.processes:
            end(process.pid)
            process.wait()


def _allow(count: int, dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = count


# The scheduler does not have this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def end(pid: int) -> None:
    """Kill a process and all that it started, whatever sessions they are in."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        os.kill(pid, signal.SIGSTOP)  # a nanny would start another
        for each in [process, *_children(process, recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()


@contextlib.contextmanager
def dask_cluster(certificates: Path, workers: int = 0) -> Iterator[DaskCluster]:
    """A running one. Its folder's path is short: sockets will lie in it."""
    folder = tempfile.mkdtemp(prefix="dask-")
    cluster = DaskCluster(Path(folder), certificates)
    try:
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(folder)


def _children(process: psutil.Process, recursive: bool = False) -> list[psutil.Process]:
    try:
        return process.children(recursive=recursive)
    except psutil.NoSuchProcess:
        return []


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
