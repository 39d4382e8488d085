"""The warm server: imports what every kernel needs once, then forks a kernel for each sandbox that is asked for.

It runs behind bubblewrap like any sandbox, but no code of a student's ever runs in it. A request comes from a
supervisor (`../supervisor.py`) over a socket that only the grader can reach: JSON, and the descriptors that the kernel
gets. Three processes come of it:

    asked for -> one that leaves the server's namespaces, and ends
                  -> the first of the new pid namespace: it keeps the line to the supervisor; when that closes, it ends,
                     and the operating system ends everything in the namespace with it
                       -> the kernel
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from typing import Any

import isolate  # type: ignore[import-not-found]
import launch  # type: ignore[import-not-found]

MODULES = (
    *("torch", "matplotlib.pyplot", "matplotlib.backends.backend_agg"),
    *("IPython.core.pylabtools", "ipywidgets"),
    *("course_agent", "course_utils.check", "course_utils.data", "course_utils.plots", "course_utils.training"),
    *("course_utils.claims", "course_utils.live", "course_utils.votes", "course_utils.widgets"),
)
#: As dear again as torch itself, and not needed by every lesson: an optimizer imports torch._dynamo. They are imported
#: after so many requests, when nobody waits: a class is at work then.
LATER, AFTER, IDLE = ("torchvision", "torch._dynamo"), 3, 0.5


def preload() -> None:
    """Import, and draw one picture that nobody sees: the first one loads fonts.

    Nothing here may start a thread, draw a random number or choose matplotlib's backend; a child must be as new.
    """
    launch.import_kernel()
    _import(MODULES)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.set_title("once")
    FigureCanvasAgg(figure).draw()


def _import(names: tuple[str, ...]) -> None:
    before = dict(os.environ)
    for name in names:
        with contextlib.suppress(ImportError):  # then it is imported where it is used, and fails there if it is needed
            importlib.import_module(name)
    os.environ.clear()
    os.environ.update(before)
    if len(os.listdir("/proc/self/task")) > 1:
        raise SystemExit("what was imported has started a thread; a fork would not be sound")
    gc.collect()
    gc.freeze()


def serve(listener: socket.socket) -> None:
    """Fork a sandbox for each request until whoever listens at the other end of our standard input is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever leaves its namespaces ends at once; nobody waits for it
    answered = 0
    later: tuple[str, ...] = LATER
    while True:
        due = later and answered >= AFTER
        readable, _, _ = select.select([0, listener.fileno()], [], [], IDLE if due else None)
        if not readable:
            _import(later)
            later = ()
        if 0 in readable and not os.read(0, 4096):
            return
        if listener.fileno() in readable:
            line, _ = listener.accept()
            with line:
                _answer(line, listener)
            answered += 1


def _answer(line: socket.socket, listener: socket.socket) -> None:
    request, descriptors, _, _ = socket.recv_fds(line, 1 << 17, 32)
    if not request:
        return
    if os.fork() == 0:
        try:
            listener.close()
            _leave(line, json.loads(request), descriptors)
        except BaseException as error:
            os.write(2, f"the warm sandbox was not built: {error!r}\n".encode())
        finally:
            os._exit(1)
    for descriptor in descriptors:
        os.close(descriptor)


def _leave(line: socket.socket, spec: dict[str, Any], descriptors: list[int]) -> None:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *listeners, said = descriptors
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, said), (2, said)):
        os.dup2(source, target)
    _close_all_but({0, 1, 2, line.fileno(), *listeners})
    isolate.leave_namespaces()
    if os.fork() == 0:
        _keep(line, spec, listeners)


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _keep(line: socket.socket, spec: dict[str, Any], listeners: list[int]) -> None:
    """Be the first process of the sandbox: furnish it, start the kernel, wait; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    isolate.furnish(spec)
    line.send(b"here")  # the kernel tells the supervisor the pid of whoever says this
    wake, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    kernel = os.fork()
    if kernel == 0:
        signal.set_wakeup_fd(-1)
        for descriptor in (wake, alarm):
            os.close(descriptor)
        line.close()
        _run(spec, listeners)
    for descriptor in listeners:
        os.close(descriptor)
    isolate.hide()
    isolate.drop_capabilities()
    while True:
        readable, _, _ = select.select([line.fileno(), wake], [], [])
        if line.fileno() in readable:
            os._exit(0)
        os.read(wake, 4096)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == kernel:
                    os._exit(max(os.waitstatus_to_exitcode(ended[1]), 0))


def _run(spec: dict[str, Any], listeners: list[int]) -> None:
    """Be the student's kernel: limits and privileges first, as in a sandbox that starts cold."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    isolate.become_ordinary(spec["uid"])
    launch.limit(spec["rlimits"])
    isolate.filter_calls(spec["filter"])
    os.chdir(spec["here"])
    os.environ.update(spec["environment"])
    _choose_backend()
    _forget_random_state()
    code = 1
    try:
        launch.become_kernel(dict(zip(spec["ports"], listeners, strict=True)), spec["connection_file"])
        code = 0
    finally:
        os._exit(code)


def _choose_backend() -> None:
    """As after a fresh import of matplotlib: the notebook's backend is loaded with the first figure."""
    import matplotlib

    inline = "module://matplotlib_inline.backend_inline"
    matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND", inline)


def _forget_random_state() -> None:
    """Python's own generator is another in every fork; numpy's and torch's would be the same in all of them."""
    import numpy
    import torch

    numpy.random.seed()
    torch.seed()


if __name__ == "__main__":
    spec = json.loads(sys.argv[1])
    launch.arrange_path(spec["here"], spec["library"])
    preload()
    serve(socket.socket(fileno=spec["listener"]))
