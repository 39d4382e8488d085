"""The judges' server: imports once what every judge needs, then forks a judge for each line that is opened to it.

`python -m autograde.judge.server FD` listens on an inherited descriptor until its standard input closes. No code of a
student's runs in it or in its judges. A judge ends with its line: when the worker hangs up, whatever the judge is busy
with, it is ended; when a judge dies, the worker sees the line close, and may open another.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator

from autograde.judge.forks import in_child
from autograde.startup import skip_slow_imports


def preload() -> None:
    """Import what every judge needs, while there is nothing to fork yet."""
    skip_slow_imports()
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    import torch

    import autograde.judge.serve

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # then a judge shares with us whatever it only reads
    del matplotlib, autograde


def serve(listener: socket.socket, owner: int) -> None:
    """Fork a judge for each line until the other end of the descriptor `owner` is closed; the judges end then, too."""
    wake, alarm = os.pipe()
    for descriptor in (wake, alarm):
        os.set_blocking(descriptor, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    ours = [listener.fileno(), owner, wake, alarm]
    lines: dict[int, socket.socket] = {}
    poll = select.poll()
    for descriptor in ours[:3]:
        poll.register(descriptor, select.POLLIN)
    while owner not in (events := dict(poll.poll())):
        for pid, line in lines.items():
            if line.fileno() in events:  # the worker hung up
                os.kill(pid, signal.SIGKILL)
                poll.unregister(line)
        if wake in events:
            os.read(wake, 4096)
            for pid in _ended():
                with lines.pop(pid) as line, contextlib.suppress(KeyError):
                    poll.unregister(line)
        if listener.fileno() in events:
            line, _ = listener.accept()
            lines[_fork(line, [*ours, *(each.fileno() for each in lines.values())])] = line
            poll.register(line, 0)  # whether the worker hangs up; what it says is for the judge


def _ended() -> Iterator[int]:
    with contextlib.suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            yield pid


def _fork(line: socket.socket, others: list[int]) -> int:
    pid = os.fork()
    if pid == 0:
        in_child(lambda: _be_judge(line, others))
    return pid


def _be_judge(line: socket.socket, others: list[int]) -> None:
    from autograde.judge.serve import judge

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in others:
        os.dup2(null, descriptor)
    judge(line)


if __name__ == "__main__":
    preload()
    serve(socket.socket(fileno=int(sys.argv[1])), 0)
